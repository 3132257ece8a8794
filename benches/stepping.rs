//! Choices per second when the caller makes them, singly or for many positions per call, next to playouts.

mod common;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use common::{Args, ready};
use parlour::engine::{Engine, Stepper, Turn};
use parlour::jit::{Compiled, CompiledStepper, State};
use parlour::num::Rng;
use parlour::play::bundled;

/// The number of time slices per contender.
const ROUNDS: usize = 5;
/// The least time that a contender runs between two looks at the clock.
const BATCH: Duration = Duration::from_millis(1);
/// The number of positions advanced in one call.
const POSITIONS: usize = 64;
/// The number of choices after which a playout is given up; none of these games lasts that long.
const MAX_MOVES: u64 = 3_000_000;
/// The goals for choices picked from lists and for drawn ones, as fractions of the playouts' speed.
const LISTED: f64 = 1.0 / 3.0;
const DRAWN: f64 = 1.0 / 2.0;

/// The choices per second, one entry per slice.
#[derive(Default)]
struct Speeds(Vec<f64>);

impl Speeds {
    /// Runs for a slice of time; `work` makes at least the given number of choices and returns their number.
    fn run(&mut self, slice: Duration, mut work: impl FnMut(u64) -> u64) {
        let begun = Instant::now();
        let (mut batch, mut choices) = (64, 0);
        let mut elapsed = Duration::ZERO;
        while elapsed < slice {
            choices += work(batch);
            let before = std::mem::replace(&mut elapsed, begun.elapsed());
            if elapsed - before < BATCH {
                batch *= 2;
            }
        }
        self.0.push(choices as f64 / elapsed.as_secs_f64());
    }

    /// Returns the median.
    fn speed(&self) -> f64 {
        let mut all = self.0.clone();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }
}

/// Picks a random move id.
fn pick(ids: &[u32], rng: &mut Rng) -> u32 {
    ids[rng.below_u64(ids.len() as u64) as usize]
}

/// A match that advances one step at a time, and restarts when it is over.
struct Single<'e> {
    stepper: CompiledStepper<'e>,
    state: State,
    start: State,
    rng: Rng,
    bot: Rng,
}

impl<'e> Single<'e> {
    fn new(engine: &'e Compiled, seed: u64) -> Single<'e> {
        let start = engine.start().expect("a game that starts");
        let (rng, bot) = (Rng::nth(seed, 0), Rng::nth(seed, 1));
        let mut single = Single { stepper: engine.stepper(), state: start.clone(), start, rng, bot };
        single.restart();
        single
    }

    fn restart(&mut self) {
        self.state.clone_from(&self.start);
        self.stepper.chance(&mut self.state, &mut self.rng).expect("no fault");
    }

    /// Makes choices one by one, each picked from the list that the call for the previous one returned.
    fn listed(&mut self, choices: u64) -> u64 {
        let mut next = None;
        for _ in 0..choices {
            let id = match next {
                Some(id) => id,
                None => {
                    let seat = match self.stepper.turn(&self.state).seat() {
                        Some(seat) => seat,
                        None => {
                            self.restart();
                            self.stepper.turn(&self.state).seat().expect("a match begins with a choice")
                        }
                    };
                    match self.stepper.list(&self.state, seat).expect("no fault") {
                        Some(ids) => pick(ids, &mut self.bot),
                        None => {
                            self.unnumbered(seat);
                            continue;
                        }
                    }
                }
            };
            let ids = self.stepper.step(&mut self.state, id, &mut self.rng).expect("no fault");
            next = ids.filter(|ids| !ids.is_empty()).map(|ids| pick(ids, &mut self.bot));
        }
        choices
    }

    /// Makes a choice among moves that have no ids.
    fn unnumbered(&mut self, seat: usize) {
        let mut all = self.stepper.legal(&self.state, seat).expect("no fault");
        let chosen = all.swap_remove(self.bot.below_u64(all.len() as u64) as usize);
        self.stepper.choose(&mut self.state, seat, chosen).expect("no fault");
        self.stepper.chance(&mut self.state, &mut self.rng).expect("no fault");
    }

    /// Makes choices one by one, with separate calls to list and to make them.
    fn listed_apart(&mut self, choices: u64) -> u64 {
        for _ in 0..choices {
            let seat = match self.stepper.turn(&self.state).seat() {
                Some(seat) => seat,
                None => {
                    self.restart();
                    self.stepper.turn(&self.state).seat().expect("a match begins with a choice")
                }
            };
            match self.stepper.list(&self.state, seat).expect("no fault") {
                Some(ids) => {
                    let id = pick(ids, &mut self.bot);
                    self.stepper.make(&mut self.state, seat, id).expect("no fault");
                    if self.stepper.turn(&self.state) == Turn::Chance {
                        self.stepper.chance(&mut self.state, &mut self.rng).expect("no fault");
                    }
                }
                None => self.unnumbered(seat),
            }
        }
        choices
    }

    /// Samples and makes choices one by one.
    fn drawn(&mut self, choices: u64) -> u64 {
        for _ in 0..choices {
            if self.stepper.turn(&self.state) == Turn::Over {
                self.restart();
            }
            black_box(self.stepper.sample(&mut self.state, &mut self.rng).expect("no fault"));
        }
        choices
    }
}

/// Many matches that advance together in one call.
struct Many<'e> {
    stepper: CompiledStepper<'e>,
    states: Vec<State>,
    start: State,
    rngs: Vec<Rng>,
    bot: Rng,
    ids: Vec<u32>,
}

impl<'e> Many<'e> {
    fn new(engine: &'e Compiled, seed: u64) -> Many<'e> {
        let rngs = (0..POSITIONS as u64).map(|n| Rng::nth(seed, n)).collect();
        let start = engine.start().expect("a game that starts");
        let states = vec![start.clone(); POSITIONS];
        let bot = Rng::nth(seed, POSITIONS as u64);
        let mut many = Many { stepper: engine.stepper(), states, start, rngs, bot, ids: Vec::new() };
        for (state, rng) in many.states.iter_mut().zip(&mut many.rngs) {
            many.stepper.chance(state, rng).expect("no fault");
        }
        many
    }

    fn listed(&mut self, choices: u64) -> u64 {
        let mut made = 0;
        let pick_all = |ids: &mut Vec<u32>, listed: parlour::engine::Listed, bot: &mut Rng| {
            ids.clear();
            ids.extend(listed.iter().map(|ids| if ids.is_empty() { u32::MAX } else { pick(ids, bot) }));
        };
        pick_all(&mut self.ids, self.stepper.list_all(&self.states).expect("no fault"), &mut self.bot);
        while made < choices {
            let listed =
                self.stepper.step_all(&mut self.states, &self.ids, &mut self.rngs).expect("no fault");
            pick_all(&mut self.ids, listed, &mut self.bot);
            made += POSITIONS as u64;
            for at in 0..POSITIONS {
                if self.ids[at] == u32::MAX {
                    let (state, rng) = (&mut self.states[at], &mut self.rngs[at]);
                    state.clone_from(&self.start);
                    self.stepper.chance(state, rng).expect("no fault");
                    let seat = self.stepper.turn(state).seat().expect("a match begins with a choice");
                    let ids = self.stepper.list(state, seat).expect("no fault").expect("numbers");
                    self.ids[at] = pick(ids, &mut self.bot);
                }
            }
        }
        made
    }

    fn drawn(&mut self, choices: u64) -> u64 {
        let mut made = 0;
        while made < choices {
            for (state, rng) in self.states.iter_mut().zip(&mut self.rngs) {
                if self.stepper.turn(state) == Turn::Over {
                    state.clone_from(&self.start);
                    self.stepper.chance(state, rng).expect("no fault");
                }
            }
            self.stepper.sample_all(&mut self.states, &mut self.rngs, &mut self.ids).expect("no fault");
            made += POSITIONS as u64;
        }
        made
    }
}

/// Measures a game and prints its row. Returns whether the goals are met.
fn measure(game: &str, slice: Duration) -> bool {
    let engine = ready(game, &[]);
    let mut speeds: [Speeds; 6] = Default::default();
    let mut rng = Rng::new(1);
    let mut single = [2, 3, 4].map(|seed| Single::new(&engine, seed));
    let mut many = [5, 6].map(|seed| Many::new(&engine, seed));
    let numbered = (0..engine.machine().game.choices.len()).all(|choice| engine.ids().has(choice));
    for _ in 0..ROUNDS {
        let [playouts, listed, apart, drawn, many_listed, many_drawn] = &mut speeds;
        playouts.run(slice, |choices| {
            let mut made = 0;
            while made < choices {
                let on = &mut |end: &State, moves| {
                    black_box(end);
                    made += moves;
                };
                engine.playouts(&mut rng, MAX_MOVES, 64, on).expect("no fault");
            }
            made
        });
        listed.run(slice, |n| single[0].listed(n));
        apart.run(slice, |n| single[1].listed_apart(n));
        drawn.run(slice, |n| single[2].drawn(n));
        if numbered {
            many_listed.run(slice, |n| many[0].listed(n));
        }
        many_drawn.run(slice, |n| many[1].drawn(n));
    }
    let whole = speeds[0].speed();
    let nanos = |speeds: &Speeds| {
        if speeds.0.is_empty() { "–".into() } else { format!("{:.1}", 1e9 / speeds.speed()) }
    };
    let share = |speeds: &Speeds| {
        if speeds.0.is_empty() { "–".into() } else { format!("{:.2}", speeds.speed() / whole) }
    };
    let met = speeds[1].speed() >= LISTED * whole && speeds[3].speed() >= DRAWN * whole;
    let mut row = format!("| {game} | {} |", nanos(&speeds[0]));
    for speeds in &speeds[1..] {
        row.push_str(&format!(" {} | {} |", nanos(speeds), share(speeds)));
    }
    println!("{row} {} |", if met { "yes" } else { "no" });
    met
}

fn main() -> ExitCode {
    let names: Vec<String> = bundled().into_iter().map(|(name, _)| name).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let args = match Args::read(&known) {
        Ok(args) => args,
        Err(code) => return code,
    };
    args.announce("stepping");
    println!(
        "| game | playouts, ns a choice | listed | share | listed apart | share | drawn | share | listed, \
         {POSITIONS} positions | share | drawn, {POSITIONS} positions | share | met |"
    );
    println!("| --- |{} --- |", " ---: |".repeat(11));
    let wanted: Vec<&String> = names.iter().filter(|name| args.wants(name)).collect();
    let met = wanted.iter().filter(|name| measure(name, args.slice)).count();
    println!("\n{met} of {} goals met.", wanted.len());
    ExitCode::SUCCESS
}
