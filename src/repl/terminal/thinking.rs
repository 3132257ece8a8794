//! A background thread that thinks for the bots while people read and type. Only one search runs at a time:
//! an abandoned one ends before the next begins.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::bots::{Answer, Clock, Mind};
use crate::play::Refused;
use crate::repl::{BackgroundThinker, Outlook, Reply, Session, Task};

use super::reads_plainly;

/// How long to block on a choice: if it takes no longer, it is shown together with what went before.
const BLOCKING_WAIT: Duration = Duration::from_millis(300);
/// The interval at which to check whether a bot should choose now, or another thread is done.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Whether a bot is thinking, and whether it should choose now: the first Ctrl-C says so, the second exits.
static THINKING: AtomicBool = AtomicBool::new(false);
static MUST_STOP: AtomicBool = AtomicBool::new(false);

/// Whether the bot should choose now.
pub fn must_stop() -> bool {
    MUST_STOP.load(Ordering::SeqCst)
}

/// Answers a line; bots may think meanwhile, from the very beginning.
pub(super) fn answer(session: &mut Session, line: &str) -> Reply {
    while_thinking(|| session.line(line))
}

/// Runs something that waits for a bot: Ctrl-C then hurries the bot instead of leaving.
pub(super) fn while_thinking<T>(what: impl FnOnce() -> T) -> T {
    let thought = THINKING.swap(true, Ordering::SeqCst);
    // Within an answer, Ctrl-C may have been pressed before a bot was asked.
    if !thought {
        MUST_STOP.store(false, Ordering::SeqCst);
    }
    let done = what();
    THINKING.store(thought, Ordering::SeqCst);
    done
}

/// Handles Ctrl-C. Returns whether it hurries a bot; if not, the program should end.
pub(super) fn hurry_thinking_bot() -> bool {
    THINKING.load(Ordering::SeqCst) && !MUST_STOP.swap(true, Ordering::SeqCst)
}

/// Makes bots think in the background if the session runs at a terminal where single keys can be read.
pub fn think_in_background(session: &mut Session) {
    if io::stdin().is_terminal() && io::stdout().is_terminal() && !reads_plainly(session) {
        session.think_in_background(Box::new(Thinker::default()));
    }
}

/// The state shared by the thread and those who wait for it.
#[derive(Default)]
struct Shared {
    state: Mutex<SharedState>,
    /// Notified when a task is done.
    news: Condvar,
    /// Whether the current search should end now.
    must_stop: AtomicBool,
}

#[derive(Default)]
struct SharedState {
    /// The current task.
    task: Option<Task>,
    /// The finished tasks and their results.
    done: Vec<(Task, Result<Answer, Refused>)>,
    /// Whether the thread should stop after the current task.
    stop_after_task: bool,
    /// Whether results are no longer wanted.
    cancelled: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, SharedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on one task after the other.
    fn work(&self, tasks: Vec<Task>, clock: &dyn Clock) {
        let mut tasks = VecDeque::from(tasks);
        while let Some(task) = tasks.pop_front() {
            let mut state = self.lock();
            if state.stop_after_task || state.cancelled {
                return;
            }
            state.task = Some(task.clone());
            drop(state);
            let said = task.choice(clock);
            let mut state = self.lock();
            state.task = None;
            if !state.cancelled {
                state.done.push((task, said));
            }
            self.news.notify_all();
        }
    }

    fn cancel(&self) {
        self.lock().cancelled = true;
        self.must_stop.store(true, Ordering::SeqCst);
    }
}

/// The clock of the background thread.
struct ThreadClock {
    begun: Instant,
    shared: Arc<Shared>,
}

impl Clock for ThreadClock {
    fn millis(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    fn must_stop(&self) -> bool {
        self.shared.must_stop.load(Ordering::SeqCst)
    }

    fn pause(&self) {
        thread::sleep(POLL_INTERVAL);
    }

    fn run_parallel(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        run_parallel(most, other, own);
    }
}

/// Runs `own` here and `other` on up to `most` further threads, one per core; returns when all have ended.
pub fn run_parallel(most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
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
    shared: Arc<Shared>,
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
    /// The mind whose game was or is being solved as a whole, and whether to give that up.
    solved: Option<(Arc<Mind>, Arc<Shared>)>,
}

impl Thinker {
    /// Starts thinking about something else.
    fn begin(&mut self, about: About) {
        let before = self.job.take().map(|job| {
            job.shared.cancel();
            job.thread
        });
        let shared = Arc::new(Shared::default());
        let outlook = match &about {
            About::Choice(task) => {
                self.asked = Some(task.clone());
                None
            }
            About::Expected(outlook) => Some(outlook.clone()),
        };
        let clock = ThreadClock { begun: Instant::now(), shared: shared.clone() };
        let thread = std::thread::spawn(move || {
            // If the previous thread panicked, only its results are lost.
            let _ = before.map(JoinHandle::join);
            let tasks = match about {
                About::Choice(task) => vec![task],
                About::Expected(outlook) => outlook.tasks(&clock),
            };
            clock.shared.work(tasks, &clock);
        });
        self.job = Some(Job { shared, outlook, thread });
    }

    /// Returns the result of a task: `Some(None)` if it is still being thought about, `None` if it is not.
    fn found(&self, task: &Task) -> Option<Option<Result<Answer, Refused>>> {
        let mut state = self.job.as_ref()?.shared.lock();
        if let Some((_, said)) = state.done.iter().find(|(done, _)| done.is_like(task)) {
            return Some(Some(said.clone()));
        }
        let thinks = state.task.as_ref().is_some_and(|now| now.is_like(task));
        state.stop_after_task |= thinks;
        thinks.then_some(None)
    }

    fn wait(&mut self, task: &Task) -> Option<Result<Answer, Refused>> {
        let until = Instant::now() + BLOCKING_WAIT;
        while Instant::now() < until {
            if let Some(said) = self.found(task).flatten() {
                return Some(said);
            }
            if must_stop() {
                self.hurry();
            }
            let shared = &self.job.as_ref()?.shared;
            let _ = shared.news.wait_timeout(shared.lock(), POLL_INTERVAL);
        }
        None
    }
}

impl BackgroundThinker for Thinker {
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
                job.shared.cancel();
                job.outlook = None;
            }
            (None, None) => {}
        }
    }

    fn solve(&mut self, mind: &Arc<Mind>) {
        if let Some((solved, shared)) = &self.solved {
            if Arc::ptr_eq(solved, mind) {
                return;
            }
            shared.cancel();
        }
        let (mind, shared) = (mind.clone(), Arc::new(Shared::default()));
        self.solved = Some((mind.clone(), shared.clone()));
        std::thread::spawn(move || {
            mind.solve_whole_game(&ThreadClock { begun: Instant::now(), shared }, &mut |_| ());
        });
    }

    fn is_ready(&self) -> bool {
        // If nothing is being thought about, asking again will start it.
        self.asked.as_ref().is_none_or(|asked| self.found(asked).is_none_or(|said| said.is_some()))
    }

    fn hurry(&mut self) -> bool {
        let waits = self.asked.is_some();
        let job = self.job.as_ref().filter(|_| waits);
        job.is_some_and(|job| !job.shared.must_stop.swap(true, Ordering::SeqCst))
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        let job = self.job.iter().map(|job| &job.shared);
        job.chain(self.solved.iter().map(|(_, shared)| shared)).for_each(|shared| shared.cancel());
    }
}
