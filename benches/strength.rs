//! How well the bots play: speed of playouts within search, matches in every bundled game, and play compared
//! to known results.

mod known;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use known::dice::GAMES;
use known::goofspiel::{Bidding, Goofspiel, cards};
use known::matrix::{equilibrium, guaranteed};
use known::pig::Pig;
use known::undercut::{NUMBERS, RULES, Undercut};
use parlour::bots::{Advice, Bot, Effort, Mind, Search, Standing, StoppedClock, amaf_applies, interval};
use parlour::engine::{Engine, Stepper, Turn};
use parlour::eval::{Chosen, Machine};
use parlour::ir::Value;
use parlour::lab::{Arena, Score};
use parlour::num::Rng;
use parlour::play::{Entry, Match, Rules, Seen, bundled, bundled_source};
use parlour::source::Source;

#[cfg(feature = "jit")]
type Fast = parlour::jit::Compiled;
#[cfg(not(feature = "jit"))]
type Fast = Machine;

const SECTIONS: &[&str] = &["speed", "matches", "levels", "perfect", "mixes", "pig", "intervals"];

/// The games to time, and the goal for playouts within search, as a fraction of bare playouts per second.
const TIMED: &[&str] = &["tic-tac-toe", "connect-four", "breakthrough", "hex", "kalah"];
const SPEED_GOAL: f64 = 0.6;
/// The number of playouts of a timed search.
const TIMED_SEARCH: u64 = 20_000;
/// The most time for the first choice of a match in `matches`; bots get fewer playouts if they take longer.
const CHOICE: Duration = Duration::from_millis(20);
/// The least time that bare playouts run between two looks at the clock.
const BATCH: Duration = Duration::from_millis(1);
/// The number of time slices per contender.
const ROUNDS: usize = 5;
/// Of moves that were tried less often, an analysis tells no value.
const TRIED: u64 = 10;
/// The number of choices after which a playout or a match is given up.
const MAX_MOVES: u64 = 3000;
/// How far a mix may fall short of the equilibrium, and play of Pig short of optimal, in shares of the win.
const MIX_GOAL: f64 = 0.05;
const PIG_GOAL: f64 = 0.01;

/// The command-line arguments.
struct Args {
    sections: Vec<String>,
    games: Vec<String>,
    /// Playouts per choice.
    playouts: u64,
    /// The most matches per pairing; it also sets how many positions of each kind are tried.
    matches: u64,
    /// The time limit of a pairing, in seconds; the other time limits are derived from it.
    seconds: f64,
}

impl Args {
    fn read() -> Result<Args, String> {
        let mut args =
            Args { sections: Vec::new(), games: Vec::new(), playouts: 1000, matches: 100, seconds: 8.0 };
        let mut given = std::env::args().skip(1);
        while let Some(arg) = given.next() {
            let mut value = || given.next().ok_or(format!("`{arg}` takes a value"));
            let number =
                |text: String| text.parse().ok().filter(|n| *n > 0).ok_or(format!("`{text}` is no number"));
            match arg.as_str() {
                "--bench" => {} // passed by cargo bench
                "--game" => args.games.push(value()?),
                "--playouts" => args.playouts = number(value()?)?,
                "--matches" => args.matches = number(value()?)?,
                "--seconds" => {
                    let seconds = value()?.parse().ok().filter(|seconds| (0.01..=3600.0).contains(seconds));
                    args.seconds = seconds.ok_or("`--seconds` takes a number from 0.01 to 3600")?;
                }
                name if SECTIONS.contains(&name) => args.sections.push(arg),
                name => return Err(format!("there is no `{name}` here; there is {}", SECTIONS.join(", "))),
            }
        }
        Ok(args)
    }

    fn wants(&self, section: &str) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|name| name == section)
    }

    fn wants_game(&self, game: &str) -> bool {
        self.games.is_empty() || self.games.iter().any(|name| name == game)
    }

    fn mcts(&self) -> Bot {
        Bot::Mcts(Effort::Playouts(self.playouts))
    }
}

/// A game with its options, ready to play.
struct Table {
    rules: Arc<Rules>,
    machine: Machine,
    mind: Mind,
}

impl Table {
    fn new(source: Source, options: &[(&str, &str)]) -> Table {
        let rules = Arc::new(Rules::load(source).expect("rules that check"));
        let options = rules.read_options(options.iter().copied()).expect("options of the game");
        let machine = rules.machine(&options, rules.default_players()).expect("options that fit");
        Table { mind: Mind::new(&machine), rules, machine }
    }

    fn bundled(name: &str, options: &[(&str, &str)]) -> Table {
        Table::new(bundled_source(name).expect("a bundled game"), options)
    }

    /// Begins a match with a seed.
    fn begin(&self, seed: u64) -> Match {
        let options: BTreeMap<usize, Value> =
            self.machine.setup.options.iter().cloned().enumerate().collect();
        Match::new(self.rules.clone(), &options, self.machine.setup.players, seed)
            .expect("a match that begins")
    }

    /// Returns a bot's advice to a player (from 1); `None` if it cannot give any.
    fn ask(&self, played: &Match, player: usize, bot: Bot, seed: u64) -> Option<Advice> {
        self.mind.advise_player(played, player, bot, &StoppedClock, &mut Rng::new(seed)).ok()
    }

    /// Returns what a move of a player (from 1) is worth, by a search of that move alone.
    fn weigh(
        &self,
        played: &Match,
        player: usize,
        chosen: &Chosen,
        playouts: u64,
        seed: u64,
    ) -> Option<Standing> {
        let (seen, effort) = (Seen::of(played, player).ok()?, Effort::Playouts(playouts));
        self.mind.weigh(&seen, Some(chosen), effort, &StoppedClock, &mut Rng::new(seed)).ok()
    }

    fn make(&self, played: &mut Match, player: usize, advice: &Advice) {
        played.make(&self.rules.entry(player - 1, &advice.best)).expect("advice that is legal");
    }
}

/// Makes a random choice for a player (from 1).
fn play_random(played: &mut Match, player: usize, rng: &mut Rng) -> Entry {
    let entry = played.random_move(player, rng).expect("a legal move");
    played.make(&entry).expect("a legal move");
    entry
}

fn number(value: &Value) -> i64 {
    let Value::Int(number) = value else { panic!("a number") };
    number.as_i64().expect("a small number")
}

/// Returns the numbers in what a match shows.
fn shown(played: &Match) -> Vec<usize> {
    let text = played.show().expect("a table to show");
    let numbers = text.split(|sign: char| !sign.is_ascii_digit()).filter(|digits| !digits.is_empty());
    numbers.map(|digits| digits.parse().expect("digits")).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures playouts per second within search and bare, from the start of the match, on one thread.
fn speed(args: &Args) {
    println!(
        "| game | bare playouts/s | within search/s | share | goal | met |\n| --- |{}",
        " ---: |".repeat(5)
    );
    let slice = Duration::from_secs_f64(args.seconds / 16.0);
    for game in TIMED.iter().filter(|game| args.wants_game(game)) {
        let machine = Table::bundled(game, &[]).machine;
        let (bare_engine, adds) =
            (engine(machine.clone()), amaf_applies(&machine).expect("matches without a fault"));
        let engine = if adds { recording(machine) } else { engine(machine) };
        let start = engine.start().expect("a start");
        assert!(matches!(engine.stepper().turn(&start), Turn::Choice { .. }), "{game} begins with a choice");
        let mut rng = Rng::new(1);
        let (mut bare, mut within) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (begun, mut count, mut batch) = (Instant::now(), 0, 1);
            while begun.elapsed() < slice {
                let before = begun.elapsed();
                let played = bare_engine.playouts(&mut rng, MAX_MOVES, batch, &mut |end, _| {
                    black_box(end);
                });
                played.expect("playouts without a fault");
                count += batch;
                if begun.elapsed() - before < BATCH {
                    batch *= 2;
                }
            }
            bare.push(count as f64 / begun.elapsed().as_secs_f64());
            let (begun, mut count) = (Instant::now(), 0);
            while begun.elapsed() < slice {
                let mut search = Search::new(&engine, 0, true, adds);
                let done = Cell::new(0);
                search.run(&mut |_, _| Some(start.clone()), &mut rng, &|playouts| {
                    done.set(playouts);
                    playouts < TIMED_SEARCH && (playouts % 64 > 0 || begun.elapsed() < slice)
                });
                black_box(&search);
                count += done.get();
            }
            within.push(count as f64 / begun.elapsed().as_secs_f64());
        }
        let share = median(bare.iter().zip(&within).map(|(bare, within)| within / bare).collect());
        println!(
            "| {game} | {:.0} | {:.0} | {share:.2} | {SPEED_GOAL} | {} |",
            median(bare),
            median(within),
            yes(share >= SPEED_GOAL)
        );
    }
}

fn engine(machine: Machine) -> Fast {
    #[cfg(feature = "jit")]
    return parlour::jit::Compiled::new(machine);
    #[cfg(not(feature = "jit"))]
    machine
}

/// Returns an engine that also records choices, as bots use it when they learn from all moves of a playout.
fn recording(machine: Machine) -> Fast {
    #[cfg(feature = "jit")]
    return parlour::jit::Compiled::recording(machine);
    #[cfg(not(feature = "jit"))]
    machine
}

fn yes(met: bool) -> &'static str {
    if met { "yes" } else { "no" }
}

/// Matches of tree search against other bots.
fn matches(args: &Args) {
    pairings(args, |table| {
        let playouts = table.affordable(args.playouts);
        let [mcts, more] = [playouts, 4 * playouts].map(|playouts| Bot::Mcts(Effort::Playouts(playouts)));
        vec![[mcts, Bot::Random], [mcts, Bot::Greedy], [more, mcts]]
    });
}

/// Matches of each level for people against the one below it, with the efforts that levels have without a clock.
fn levels(args: &Args) {
    pairings(args, |_| {
        vec![
            [Bot::Easy, Bot::Random],
            [Bot::Casual, Bot::Easy],
            [Bot::Medium, Bot::Casual],
            [Bot::Hard, Bot::Medium],
        ]
    });
}

/// Plays pairs of bots, with both seatings, in every bundled game.
fn pairings(args: &Args, pairs: impl Fn(&Table) -> Vec<[Bot; 2]>) {
    println!(
        "| game | bots | matches | won | drawn | lost | share | between |\n| --- | --- |{}",
        " ---: |".repeat(6)
    );
    for (game, _) in bundled() {
        if !args.wants_game(&game) {
            continue;
        }
        let table = Table::bundled(&game, &[]);
        for bots in pairs(&table) {
            let names = format!("{} against {}", bots[0], bots[1]);
            match table.play(&bots, args) {
                Ok(score) => {
                    let ((low, high), [won, lost]) = (score.interval(), score.wins);
                    println!(
                        "| {game} | {names} | {} | {won} | {} | {lost} | {:.3} | {low:.3}..{high:.3} |",
                        score.matches,
                        score.draws,
                        score.mean()
                    );
                }
                Err(sentence) => println!("| {game} | {names} | {sentence} |"),
            }
        }
    }
}

impl Table {
    /// Halves `playouts` until the first choice of a match takes less than [`CHOICE`], down to 1.
    fn affordable(&self, playouts: u64) -> u64 {
        let played = self.begin(0);
        let player = played.to_move()[0];
        let halves = std::iter::successors(Some(playouts), |playouts| Some(playouts / 2));
        let mut halves = halves.take_while(|playouts| *playouts > 1);
        let fits = |playouts: &u64| {
            let begun = Instant::now();
            black_box(self.ask(&played, player, Bot::Mcts(Effort::Playouts(*playouts)), 0));
            begun.elapsed() < CHOICE
        };
        halves.find(fits).unwrap_or(1)
    }

    /// Plays encounters of two bots on two threads, until there are enough matches or time is up. Each thread
    /// plays every other encounter by number, so its results do not depend on the other thread.
    fn play(&self, bots: &[Bot; 2], args: &Args) -> Result<Score, String> {
        let (setup, begun) = (&self.machine.setup, Instant::now());
        let (rules, mind, clock) = (&self.rules, &self.mind, &StoppedClock);
        let sides = &self.machine.interests.sides(setup.players);
        let arena = Arena { rules, setup, sides, bots, mind, clock, seed: 0, max_moves: MAX_MOVES };
        let all = args.matches.div_ceil(parlour::lab::seatings(sides).len() as u64);
        let half = |thread: u64| {
            let mut score = Score::default();
            for n in (thread..all).step_by(2) {
                if n >= 2 && begun.elapsed().as_secs_f64() > args.seconds {
                    break;
                }
                let played = arena.encounter([0, 1], n).map_err(|refused| refused.message)?;
                score += &played.expect("a clock that does not hurry");
            }
            Ok::<Score, String>(score)
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| half(1));
            let mut score = half(0)?;
            score += &other.join().expect("matches without a panic")?;
            Ok(score)
        })
    }
}

/// Prints a row: how many of all choices were right.
fn row(what: &str, right: u64, all: u64) {
    if all == 0 {
        return println!("| {what} | 0 | | | | |");
    }
    let share = right as f64 / all as f64;
    let (low, high) = interval(share, all);
    println!("| {what} | {all} | {right} | {share:.3} | {low:.3}..{high:.3} | {} |", yes(right == all));
}

/// Choices of tree search in positions where the best is known, by theory or by exhaustive search.
fn perfect(args: &Args) {
    println!("| what | tried | right | share | between | all |\n| --- |{}", " ---: |".repeat(5));
    let table = Table::bundled("tic-tac-toe", &[]);
    for other in [Bot::Random, Bot::Greedy, Bot::Exact] {
        if let Ok(score) = table.play(&[args.mcts(), other], args) {
            row(
                &format!("tic-tac-toe not lost, {} against {other}", args.mcts()),
                score.matches - score.wins[1],
                score.matches,
            );
        }
    }
    nim(args);
    let small: [(&str, &[(&str, &str)]); 5] = [
        ("tic-tac-toe", &[]),
        ("kalah", &[("holes", "2"), ("seeds", "2")]),
        ("kalah", &[("holes", "3"), ("seeds", "2")]),
        ("connect-four", &[("columns", "4"), ("rows", "4")]),
        ("connect-four", &[("columns", "5"), ("rows", "4")]),
    ];
    for (game, options) in small {
        against_exact(args, game, options);
    }
}

/// All Nim positions of three piles of up to 4, 4 and 5. Whoever can win leaves a nim-sum of 0; in misère
/// play, if only piles of one remain, an odd number of them (C. Bouton, 1901).
fn nim(args: &Args) {
    for misere in [true, false] {
        let (mut right, mut all) = (0, 0);
        for code in 1..5 * 5 * 6_i64 {
            let piles = [code % 5, code / 5 % 5, code / 25];
            let lost = |piles: &[i64]| match misere && piles.iter().all(|n| *n <= 1) {
                true => piles.iter().sum::<i64>() % 2 == 1,
                false => piles.iter().fold(0, |sum, n| sum ^ n) == 0,
            };
            if lost(&piles) {
                continue;
            }
            let words = format!("{},{},{}", piles[0], piles[1], piles[2]);
            let table =
                Table::bundled("nim", &[("piles", &words), ("misere", if misere { "yes" } else { "no" })]);
            let advice = table.ask(&table.begin(0), 1, args.mcts(), 1).expect("advice in nim");
            let args: Vec<i64> = advice.best.args.iter().map(number).collect();
            let mut after = piles;
            after[args[0] as usize - 1] -= args[1];
            all += 1;
            right += u64::from(lost(&after));
        }
        row(if misere { "nim, the last one loses" } else { "nim, the last one wins" }, right, all);
    }
}

/// Positions of random matches: whether the choice of tree search is worth as much as the best by exact play.
fn against_exact(args: &Args, game: &str, options: &[(&str, &str)]) {
    let table = Table::bundled(game, options);
    let (mut right, mut all) = (0, 0);
    let begun = Instant::now();
    for seed in 0..args.matches {
        let (mut played, mut rng) = (table.begin(seed), Rng::new(seed));
        while let Some(player) = played.to_move().first().copied() {
            if begun.elapsed().as_secs_f64() > args.seconds {
                break;
            }
            if let Some(exact) =
                table.ask(&played, player, Bot::Exact, 0).filter(|exact| exact.moves.len() > 1)
                && let Some(advice) = table.ask(&played, player, args.mcts(), seed)
            {
                let chosen = exact.moves.iter().find(|weighed| weighed.chosen == advice.best);
                all += 1;
                right += u64::from(chosen.is_some_and(|chosen| chosen.value == exact.value));
            }
            play_random(&mut played, player, &mut rng);
        }
    }
    let options: Vec<String> = options.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    row(&format!("{game}{}, as good as exact", options.concat()), right, all);
}

/// How far the mixes of simultaneous choices fall short of the equilibrium.
fn mixes(args: &Args) {
    println!(
        "| game | positions | draws of each | short at the first | on average | at most | goal | met |\n| --- |{}",
        " ---: |".repeat(7)
    );
    for n in [4, 5] {
        let table = Table::bundled("goofspiel", &[("n", &n.to_string())]);
        let mut solved = Goofspiel::default();
        let mut short = Short::default();
        for seed in 0..args.matches.div_ceil(10) {
            let (mut played, mut rng) = (table.begin(seed), Rng::new(seed));
            let mut at = Bidding::first(n, shown(&played)[0] as u32);
            // With one card left there is nothing to choose.
            for round in 1..n {
                let hand: Vec<u32> = cards(at.hands[0]).collect();
                short.add(round == 1, &solved.matrix(at), &table.mix(&played, &hand, args));
                let bids =
                    [1, 2].map(|player| number(&play_random(&mut played, player, &mut rng).args[0].1) as u32);
                at = at.next(bids, shown(&played)[0] as u32);
            }
        }
        short.row(&format!("goofspiel n={n}"), args);
    }
    let goal = 12;
    let table = Table::new(Source::new("undercut.game", RULES), &[("goal", &goal.to_string())]);
    let mut solved = Undercut::new(goal);
    let mut short = Short::default();
    for seed in 0..args.matches.div_ceil(10) {
        let (mut played, mut rng) = (table.begin(seed), Rng::new(seed));
        while !played.over() {
            let totals: Vec<u32> = shown(&played).iter().map(|total| *total as u32).collect();
            let numbers: Vec<u32> = NUMBERS.collect();
            let matrix = solved.matrix([totals[0], totals[1]]);
            short.add(played.depth() == 0, &matrix, &table.mix(&played, &numbers, args));
            for player in [1, 2] {
                play_random(&mut played, player, &mut rng);
            }
        }
    }
    short.row(&format!("undercut to {goal}"), args);
}

impl Table {
    /// Returns how often player 1 chooses each of `numbers`, as frequencies over many seeds.
    fn mix(&self, played: &Match, numbers: &[u32], args: &Args) -> Vec<f64> {
        let mut counts = vec![0.0; numbers.len()];
        for seed in 0..args.draws() {
            let advice = self.ask(played, 1, args.mcts(), seed).expect("advice");
            let chosen = number(&advice.best.args[0]);
            let at =
                numbers.iter().position(|number| i64::from(*number) == chosen).expect("a number there is");
            counts[at] += 1.0 / args.draws() as f64;
        }
        counts
    }
}

impl Args {
    fn draws(&self) -> u64 {
        4 * self.matches
    }
}

/// By how much mixes fall short of the equilibrium, in shares of the win.
#[derive(Default)]
struct Short {
    first: Vec<f64>,
    all: Vec<f64>,
}

impl Short {
    fn add(&mut self, first: bool, matrix: &[Vec<f64>], mix: &[f64]) {
        let by = equilibrium(matrix).0 - guaranteed(matrix, mix);
        self.all.push(by);
        if first {
            self.first.push(by);
        }
    }

    fn row(&self, what: &str, args: &Args) {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let most = self.all.iter().copied().fold(0.0, f64::max);
        println!(
            "| {what} | {} | {} | {:.3} | {:.3} | {most:.3} | {MIX_GOAL} | {} |",
            self.all.len(),
            args.draws(),
            mean(&self.first),
            mean(&self.all),
            yes(mean(&self.first) <= MIX_GOAL)
        );
    }
}

/// What tree search gives away in Pig against optimal play: the sum of each choice's loss in value compared
/// to the best, averaged over matches. Since the opponent plays optimally, that equals the loss in winning
/// probability (performance difference lemma: S. Kakade and J. Langford, 2002), with far less noise than
/// wins.
fn pig(args: &Args) {
    println!(
        "| bot | goal | matches | choices | given away | error | at most | met |\n| --- |{}",
        " ---: |".repeat(7)
    );
    let contested = [30, 100].into_iter().flat_map(|goal| [args.mcts(), Bot::Hard].map(|bot| (goal, bot)));
    for (goal, bot) in contested {
        let (table, best) = (Table::bundled("pig", &[("goal", &goal.to_string())]), Pig::new(goal));
        // The first player wins 53.06% of matches under optimal play, as published.
        assert!(goal != 100 || (best.value(0, 0, 0) - 0.5306).abs() < 5e-5);
        let (mut given, mut choices, begun) = (Vec::new(), 0, Instant::now());
        for seed in 0..args.matches {
            if seed >= 2 && begun.elapsed().as_secs_f64() > 4.0 * args.seconds {
                break;
            }
            let (mut played, me, mut lost) = (table.begin(seed), seed as usize % 2 + 1, 0.0);
            while let Some(player) = played.to_move().first().copied() {
                let on_table = shown(&played);
                let (mine, yours, turn) = (on_table[player - 1], on_table[2 - player], on_table[2]);
                let (roll, hold) = (best.roll(mine, yours, turn), best.hold(mine, yours, turn));
                if player == me {
                    let advice = table.ask(&played, player, bot, seed).expect("advice in pig");
                    let entry = table.rules.entry(player - 1, &advice.best);
                    lost += roll.max(hold) - if entry.name == "roll" { roll } else { hold };
                    choices += 1;
                    table.make(&mut played, player, &advice);
                } else {
                    // A player who has enough points must hold.
                    let rolls = roll > hold && mine + turn < goal;
                    let name = if rolls { "roll" } else { "hold" };
                    let played = played.play(player, name, &serde_json::Map::new());
                    played.expect("a legal move");
                }
            }
            given.push(lost);
        }
        let count = given.len() as f64;
        let mean = given.iter().sum::<f64>() / count;
        let spread = given.iter().map(|lost| (lost - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        println!(
            "| {bot} | {goal} | {count} | {choices} | {mean:.4} | {:.4} | {PIG_GOAL} | {} |",
            1.96 * (spread / count).sqrt(),
            yes(mean <= PIG_GOAL)
        );
    }
}

/// How many of the intervals that tree search gives for moves in small games of chance contain the exact value, and how wide they
/// are; beside it, the same for the interval of a mean of so many numbers.
fn intervals(args: &Args) {
    println!(
        "| game | playouts | values | in the interval | mean width | in that of a mean | mean width | in that of a move alone | \
         mean width |\n| --- |{}",
        " ---: |".repeat(8)
    );
    for (name, text) in GAMES.iter().filter(|(name, _)| args.wants_game(name)) {
        let table = Table::new(Source::new("dice.game", text), &[]);
        let positions = positions_with_values(&table, args.matches);
        for playouts in [args.playouts / 5, args.playouts, args.playouts * 5] {
            // How many intervals contain the exact value, and the sum of their widths.
            let (mut all, mut own, mut of_mean) = (0_u64, (0, 0.0), (0, 0.0));
            let (mut alone, mut of_alone) = (0_u64, (0, 0.0));
            let add = |(inside, widths): &mut (u64, f64), (low, high): (f64, f64), value: f64| {
                *inside += u64::from((low - 1e-9..=high + 1e-9).contains(&value));
                *widths += high - low;
            };
            for (number, (played, player, exact)) in positions.iter().enumerate() {
                let bot = Bot::Mcts(Effort::Playouts(playouts));
                let advice = table.ask(played, *player, bot, number as u64);
                for known in exact.moves.iter().take(2) {
                    let weighed = table.weigh(played, *player, &known.chosen, playouts, number as u64);
                    let Some(standing) = weighed.filter(|standing| !standing.exact) else { continue };
                    alone += 1;
                    add(&mut of_alone, standing.interval(*player - 1), known.value);
                }
                let moves = advice.into_iter().filter(|advice| !advice.exact).flat_map(|advice| advice.moves);
                for weighed in moves.filter(|weighed| weighed.end.is_none() && weighed.visits >= TRIED) {
                    let known = exact.moves.iter().find(|known| known.chosen == weighed.chosen);
                    let Some(known) = known else { continue };
                    all += 1;
                    add(&mut own, weighed.interval(), known.value);
                    add(&mut of_mean, interval(weighed.value, weighed.visits), known.value);
                }
            }
            let of_all = |sum: f64| sum / all.max(1) as f64;
            println!(
                "| {name} | {playouts} | {all} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
                of_all(own.0 as f64),
                of_all(own.1),
                of_all(of_mean.0 as f64),
                of_all(of_mean.1),
                of_alone.0 as f64 / alone.max(1) as f64,
                of_alone.1 / alone.max(1) as f64
            );
        }
    }
}

/// Positions of random matches in which there is a choice, with what exact play says of it.
fn positions_with_values(table: &Table, matches: u64) -> Vec<(Match, usize, Advice)> {
    let mut positions = Vec::new();
    for seed in 0..matches {
        let (mut played, mut rng) = (table.begin(seed), Rng::new(seed));
        while let Some(player) = played.to_move().first().copied() {
            if let Some(exact) =
                table.ask(&played, player, Bot::Exact, 0).filter(|exact| exact.moves.len() > 1)
            {
                positions.push((played.clone(), player, exact));
            }
            play_random(&mut played, player, &mut rng);
        }
    }
    positions
}

fn main() -> ExitCode {
    let args = match Args::read() {
        Ok(args) => args,
        Err(sentence) => {
            eprintln!("{sentence}");
            return ExitCode::from(2);
        }
    };
    let Args { playouts, matches: most, seconds, .. } = args;
    for name in SECTIONS.iter().copied().filter(|name| args.wants(name)) {
        let begun = Instant::now();
        println!(
            "`cargo bench --bench strength -- {name} --playouts {playouts} --matches {most} --seconds {seconds}`\n"
        );
        match name {
            "speed" => speed(&args),
            "matches" => matches(&args),
            "levels" => levels(&args),
            "perfect" => perfect(&args),
            "mixes" => mixes(&args),
            "pig" => pig(&args),
            _ => intervals(&args),
        }
        eprintln!("{name}: {:.0} s", begun.elapsed().as_secs_f64());
        println!();
    }
    ExitCode::SUCCESS
}
