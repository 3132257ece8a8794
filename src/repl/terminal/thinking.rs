//! A background thread that thinks for the bots while people read and type. Only one search runs at a time:
//! an abandoned one ends before the next begins.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::bots::{Answer, Clock};
use crate::play::Refused;
use crate::repl::{Aside, Outlook, Reply, Session, Task};

use super::reads_plainly;

/// How long to block on a choice: if it takes no longer, it is shown together with what went before.
const AT_ONCE: Duration = Duration::from_millis(300);
/// The interval at which to check whether a bot should choose now.
const PAUSE: Duration = Duration::from_millis(10);

/// Whether a bot is thinking, and whether it should choose now: the first Ctrl-C says so, the second exits.
static THINKS: AtomicBool = AtomicBool::new(false);
static HURRIES: AtomicBool = AtomicBool::new(false);

/// Whether the bot should choose now. Also records that a bot thinks, since bots on this thread call it.
pub fn hurries() -> bool {
    THINKS.store(true, Ordering::SeqCst);
    HURRIES.load(Ordering::SeqCst)
}

/// Answers a line; bots may think meanwhile.
pub(super) fn answer(session: &mut Session, line: &str) -> Reply {
    HURRIES.store(false, Ordering::SeqCst);
    let reply = session.line(line);
    THINKS.store(false, Ordering::SeqCst);
    reply
}

/// Runs something that waits for a bot: Ctrl-C then hurries the bot instead of leaving.
pub(super) fn while_thinking<T>(what: impl FnOnce() -> T) -> T {
    HURRIES.store(false, Ordering::SeqCst);
    THINKS.store(true, Ordering::SeqCst);
    let done = what();
    THINKS.store(false, Ordering::SeqCst);
    done
}

/// Whether Ctrl-C was pressed since waiting for a bot began.
pub(super) fn interrupted() -> bool {
    HURRIES.load(Ordering::SeqCst)
}

/// Handles Ctrl-C. Returns whether it hurries a bot; if not, the program should end.
pub(super) fn hurried() -> bool {
    THINKS.load(Ordering::SeqCst) && !HURRIES.swap(true, Ordering::SeqCst)
}

/// Makes bots think in the background if the session runs at a terminal where single keys can be read.
pub fn think_aside(session: &mut Session) {
    if io::stdin().is_terminal() && io::stdout().is_terminal() && !reads_plainly(session) {
        session.think_aside(Box::new(Thinker::default()));
    }
}

/// The state shared by the thread and those who wait for it.
#[derive(Default)]
struct Desk {
    papers: Mutex<Papers>,
    /// Notified when a task is done.
    news: Condvar,
    /// Whether the current search should end now.
    hurries: AtomicBool,
}

#[derive(Default)]
struct Papers {
    /// The current task.
    task: Option<Task>,
    /// The finished tasks and their results.
    done: Vec<(Task, Result<Answer, Refused>)>,
    /// Whether the thread should stop after the current task.
    last: bool,
    /// Whether results are no longer wanted.
    given_up: bool,
}

impl Desk {
    fn papers(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on one task after the other.
    fn work(&self, tasks: Vec<Task>, clock: &dyn Clock) {
        let mut tasks = VecDeque::from(tasks);
        while let Some(task) = tasks.pop_front() {
            let mut papers = self.papers();
            if papers.last || papers.given_up {
                return;
            }
            papers.task = Some(task.clone());
            drop(papers);
            let said = task.choice(clock);
            let mut papers = self.papers();
            papers.task = None;
            if !papers.given_up {
                papers.done.push((task, said));
            }
            self.news.notify_all();
        }
    }

    fn give_up(&self) {
        self.papers().given_up = true;
        self.hurries.store(true, Ordering::SeqCst);
    }
}

/// The clock of the background thread.
struct Watch {
    begun: Instant,
    desk: Arc<Desk>,
}

impl Clock for Watch {
    fn millis(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    fn hurries(&self) -> bool {
        self.desk.hurries.load(Ordering::SeqCst)
    }

    fn beside(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        beside(most, other, own);
    }
}

/// Runs `own` here and `other` on up to `most` further threads, one per core; returns when all have ended.
pub fn beside(most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for number in 0..most.min(cores - 1) {
            scope.spawn(move || other(number));
        }
        own();
    });
}

/// What to think about.
enum About {
    Choice(Task),
    Expected(Outlook),
}

/// A running thread.
struct Job {
    desk: Arc<Desk>,
    /// The position it thinks about in advance, if it does.
    outlook: Option<Outlook>,
    thread: JoinHandle<()>,
}

/// Thinks for the bots at a terminal.
#[derive(Default)]
pub(super) struct Thinker {
    job: Option<Job>,
    /// The task that was asked for last, until its result is known.
    asked: Option<Task>,
}

impl Thinker {
    /// Starts thinking about something else.
    fn begin(&mut self, about: About) {
        let before = self.job.take().map(|job| {
            job.desk.give_up();
            job.thread
        });
        let desk = Arc::new(Desk::default());
        let outlook = match &about {
            About::Choice(task) => {
                self.asked = Some(task.clone());
                None
            }
            About::Expected(outlook) => Some(outlook.clone()),
        };
        let clock = Watch { begun: Instant::now(), desk: desk.clone() };
        let thread = std::thread::spawn(move || {
            // If the previous thread panicked, only its results are lost.
            let _ = before.map(JoinHandle::join);
            let tasks = match about {
                About::Choice(task) => vec![task],
                About::Expected(outlook) => outlook.tasks(&clock),
            };
            clock.desk.work(tasks, &clock);
        });
        self.job = Some(Job { desk, outlook, thread });
    }

    /// Returns the result of a task: `Some(None)` if it is still being thought about, `None` if it is not.
    fn found(&self, task: &Task) -> Option<Option<Result<Answer, Refused>>> {
        let mut papers = self.job.as_ref()?.desk.papers();
        if let Some((_, said)) = papers.done.iter().find(|(done, _)| done.is_like(task)) {
            return Some(Some(said.clone()));
        }
        let thinks = papers.task.as_ref().is_some_and(|now| now.is_like(task));
        papers.last |= thinks;
        thinks.then_some(None)
    }

    fn wait(&mut self, task: &Task) -> Option<Result<Answer, Refused>> {
        let until = Instant::now() + AT_ONCE;
        while Instant::now() < until {
            if let Some(said) = self.found(task).flatten() {
                return Some(said);
            }
            if interrupted() {
                self.hurry();
            }
            let desk = &self.job.as_ref()?.desk;
            let _ = desk.news.wait_timeout(desk.papers(), PAUSE);
        }
        None
    }
}

impl Aside for Thinker {
    fn choice(&mut self, task: Task) -> Option<Result<Answer, Refused>> {
        let waited_for = self.asked.as_ref().is_some_and(|asked| asked.is_like(&task));
        let said = match self.found(&task) {
            Some(Some(said)) => Some(said),
            Some(None) if waited_for => None,
            found => {
                match found {
                    None => self.begin(About::Choice(task.clone())),
                    Some(_) => self.asked = Some(task.clone()),
                }
                while_thinking(|| self.wait(&task))
            }
        };
        if said.is_some() {
            self.asked = None;
        }
        said
    }

    fn expect(&mut self, outlook: Option<Outlook>) {
        self.asked = None;
        match (outlook, &mut self.job) {
            (Some(outlook), Some(Job { outlook: Some(known), .. })) if known.is_like(&outlook) => {}
            (Some(outlook), _) => self.begin(About::Expected(outlook)),
            (None, Some(job)) => {
                job.desk.give_up();
                job.outlook = None;
            }
            (None, None) => {}
        }
    }

    fn is_ready(&self) -> bool {
        // If nothing is being thought about, asking again will start it.
        self.asked.as_ref().is_none_or(|asked| self.found(asked).is_none_or(|said| said.is_some()))
    }

    fn hurry(&mut self) -> bool {
        let waits = self.asked.is_some();
        let job = self.job.as_ref().filter(|_| waits);
        job.is_some_and(|job| !job.desk.hurries.swap(true, Ordering::SeqCst))
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        if let Some(job) = &self.job {
            job.desk.give_up();
        }
    }
}
