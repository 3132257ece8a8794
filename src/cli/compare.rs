//! `parlour compare`: compares two rule files or settings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::cores::crew;
use super::files::{Output, can_be_written, io_failure, keep};
use super::progress::{Progress, interruption};
use super::{
    EngineArg, EngineKind, Exit, Failure, FormatArgs, MAX_MOVES, ValueArgs, fault, load_rules, note, out,
    time_limit, width,
};
use crate::engine::Engine;
use crate::eval::{Fault, Machine, text};
use crate::explore::{all, counted, decimals, thousands};
use crate::ir::Interests;
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::lab::compare::{
    Compared, Comparison, Estimate, Limits, Parting, Sample, Side, Work, compare, compare_figures, estimates,
    studied,
};
use crate::lab::side_name;
use crate::lab::study::{Report, compared, whole_number};
use crate::play::{Rules, and};
use crate::repl::terminal::wrapped;
use crate::solve::{Goal, Knowledge, Task, refused, solve};

/// The greatest numbers of positions and of matches that can be requested.
const MOST_POSITIONS: u64 = 100_000_000;
const MOST_GAMES: u64 = 1_000_000_000;
/// The number of matches in a piece of work, and of pieces in a round, when playing for the figures.
const PIECE: u64 = 32;
const ROUND: u64 = 8;
/// The shares of the time after which the matches side by side, and after them the search of positions, are stopped
/// to leave time for the matches for the figures.
const SIDE_BY_SIDE: f64 = 0.3;
const SEARCHING: f64 = 0.6;
/// The most positions that are searched for best play, and the memory for them in bytes.
const SEARCHED: u64 = 100_000;
const MEMORY: u64 = 64 << 20;
/// The greatest number of lines of a match that are printed; the record has all of them.
const MOST_LINES: usize = 40;

#[derive(Args)]
pub struct CompareArgs {
    /// A bundled game's name, or a path to a .game file; with `--studies` alone, only the figures are compared
    #[arg(required_unless_present = "studies")]
    first: Option<String>,
    /// The other game; without it, the same game in the setting that `--against` gives
    second: Option<String>,
    #[command(flatten)]
    values: ValueArgs,
    /// Set an option of the second game only, or its `players`, as in `--against n=6`
    #[arg(long, value_name = "NAME=VALUE")]
    against: Vec<String>,
    /// How many positions to compare
    #[arg(long, value_name = "P", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(0..=MOST_POSITIONS))]
    positions: u64,
    /// How many random matches of each to play, side by side and for the figures
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(0..=MOST_GAMES))]
    games: u64,
    /// Stop after this many seconds, and compare what was played by then
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Instead of random matches, compare the figures of two studies, as `parlour study --json` wrote them
    #[arg(long, num_args = 2, value_names = ["STUDY", "STUDY"])]
    studies: Option<Vec<String>>,
    /// Write the first match in which they differ as a record of the first game
    #[arg(long, value_name = "FILE")]
    record: Option<String>,
    #[command(flatten)]
    engine: EngineArg,
    #[command(flatten)]
    format: FormatArgs,
}

impl CompareArgs {
    /// Returns the values for the second game: those of the first, changed by `--against`.
    fn second_values(&self) -> Result<ValueArgs, Failure> {
        let mut values = ValueArgs { set: self.values.set.clone(), players: self.values.players };
        for pair in &self.against {
            let Some((name, value)) = pair.split_once('=') else {
                let way = "write `--against NAME=VALUE`, as in `--against n=6`";
                return Err(Failure::Usage(format!("`--against {pair}` has no value; {way}")));
            };
            let name = name.trim();
            if name == "players" {
                let players = value.trim().parse();
                let players = players.map_err(|_| {
                    Failure::Usage(format!("`--against {pair}`: `{value}` is not a number of players"))
                })?;
                values.players = Some(players);
                continue;
            }
            values.set.retain(|set| set.split_once('=').is_none_or(|(set, _)| set.trim() != name));
            values.set.push(pair.clone());
        }
        Ok(values)
    }
}

pub fn run(args: &CompareArgs) -> Exit {
    let Some(first) = &args.first else { return run_studies(args) };
    if args.second.is_none() && args.against.is_empty() {
        let sentence = "there is nothing to compare it with: name a second rule file, or say what should \
                        differ: `--against n=6`";
        return Err(Failure::Usage(sentence.to_string()));
    }
    time_limit(args.seconds)?;
    can_be_written(args.record.as_ref(), Output::Records)?;
    let second_values = args.second_values()?;
    let first = load_rules(first)?;
    let second = match &args.second {
        Some(game) => load_rules(game)?,
        None => Arc::clone(&first),
    };
    args.values.are_known(&[&first, &second])?;
    second_values.are_known(&[&second, &first])?;
    let machines =
        [args.values.machine_ignoring_unknown(&first)?, second_values.machine_ignoring_unknown(&second)?];
    if args.second.is_some() {
        other_settings([&first, &second], &machines);
    }
    let names = names(args, [&first, &second], &machines);
    match args.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => {
            let [one, other] = machines.map(Compiled::new);
            side_by_side(args, [&first, &second], [&one, &other], names)
        }
        EngineKind::Reference => {
            let [one, other] = &machines;
            side_by_side(args, [&first, &second], [one, other], names)
        }
    }
}

/// Compares the figures of two studies by themselves; the games are those of the files.
fn run_studies(args: &CompareArgs) -> Exit {
    let Some([one, other]) = args.studies.as_deref() else { return Ok(0) };
    if args.record.is_some() || args.values.given() || !args.against.is_empty() {
        let sentence = "studies by themselves have no options and no matches: name their games, too";
        return Err(Failure::Usage(sentence.to_string()));
    }
    let studies = [read_study(one)?, read_study(other)?];
    let (figures, basis) = figures_of_studies(&studies);
    if args.format.is_json() {
        let games = studies.each_ref().map(|study| {
            json!({ "game": study.game, "rules": study.rules, "options": study.options, "players": study.players })
        });
        out(&json!({ "games": games, "basis": basis, "figures": figures }).to_string())?;
        return Ok(0);
    }
    let [first, second] = studies.each_ref().map(|study| format!("{} ({})", study.game, study.setting()));
    // The files tell studies of the same game apart.
    let names = match studies[0].game == studies[1].game {
        true => [one.clone(), other.clone()],
        false => studies.each_ref().map(|study| study.game.clone()),
    };
    let width = width();
    let mut lines = vec![wrapped(&format!("{first} and {second}"), width), String::new()];
    lines.extend(told(&names, &figures, &basis, width));
    out(&lines.join("\n"))?;
    Ok(0)
}

/// Notes which shared options have different values, since that may be unintended when comparing two files.
fn other_settings(rules: [&Arc<Rules>; 2], machines: &[Machine; 2]) {
    for (id, option) in rules[0].game.options.iter().enumerate() {
        let Ok(other) = rules[1].option_id(&option.name) else { continue };
        let value =
            |game: usize, id: usize| text::words(&rules[game].game, &machines[game].setup.options[id]);
        let (one, two, name) = (value(0, id), value(1, other), &option.name);
        if one != two {
            note(&format!(
                "note: {name} is {one} in the first and {two} in the second; `--set {name}={one}` sets both"
            ));
        }
    }
}

/// Returns short names that distinguish the two: the names of the games or files, or else their different
/// settings.
fn names(args: &CompareArgs, rules: [&Arc<Rules>; 2], machines: &[Machine; 2]) -> [String; 2] {
    if rules[0].name != rules[1].name {
        return rules.map(|rules| rules.name.clone());
    }
    if let Some(second) = args.second.as_ref().filter(|second| Some(*second) != args.first.as_ref()) {
        return [args.first.clone().unwrap_or_default(), second.clone()];
    }
    let [one, other] = machines;
    let each = |at: usize| {
        let setup = &machines[at].setup;
        let mut words: Vec<String> = (0..setup.options.len())
            .filter(|id| one.setup.options[*id] != other.setup.options[*id])
            .map(|id| {
                let game = &rules[at].game;
                format!("{}={}", game.options[id].name, text::words(game, &setup.options[id]))
            })
            .collect();
        if one.setup.players != other.setup.players {
            words.push(counted(setup.players as u64, "player", "players"));
        }
        match words.as_slice() {
            [] => format!("the {} {}", ["first", "second"][at], rules[at].name),
            words => words.join(", "),
        }
    };
    [each(0), each(1)]
}

/// Compares two games and prints the results.
fn side_by_side<E: Engine + Sync>(
    args: &CompareArgs,
    rules: [&Arc<Rules>; 2],
    engines: [&E; 2],
    names: [String; 2],
) -> Exit
where
    E::State: Send + Sync,
{
    let [first, second] = names;
    let sides = [
        Side { name: first, rules: rules[0], engine: engines[0] },
        Side { name: second, rules: rules[1], engine: engines[1] },
    ];
    let stop = interruption();
    let progress = Progress::new("nothing compared yet");
    let (begin, late) = (Instant::now(), AtomicBool::new(false));
    // Whether the time is up, of which the search for a difference has only a part.
    let watch_for = |share: f64, done: u64| {
        let passed = args.seconds.map_or(0.0, |seconds| begin.elapsed().as_secs_f64() / seconds);
        let most = args.positions + 2 * args.games;
        let part = done as f64 / most.max(1) as f64;
        progress.tell(part.max(passed).min(1.0), || {
            let most = thousands(most);
            format!("{} of at most {most} positions and matches", thousands(done))
        });
        late.fetch_or(passed >= share, Ordering::SeqCst);
        passed < share && !stop.load(Ordering::SeqCst)
    };
    // Positions follow the matches, and the matches for the figures follow both.
    let watch = |work: Work, done: u64| match work {
        Work::Matches => watch_for(SIDE_BY_SIDE, done),
        Work::Positions => watch_for(SEARCHING, args.games + done),
    };
    let limits = Limits {
        positions: args.positions,
        matches: args.games,
        seed: args.seed,
        max_steps: MAX_MOVES,
        watch: &watch,
    };
    let studies = match args.studies.as_deref() {
        Some([first, second]) => Some([study_of(first, &sides[0])?, study_of(second, &sides[1])?]),
        _ => None,
    };
    let found = compare(&sides, &limits, &crew);
    // Games that are equal to the end have equal figures.
    let compared = match &studies {
        Some(studies) => Ok(figures_of_studies(studies)),
        None if found.parting.is_some() || !found.trees.complete => {
            figures(args, &sides, &|done| watch_for(1.0, args.games + args.positions + done))
        }
        None => Ok((Vec::new(), String::new())),
    };
    // Where the games part is worth knowing if the rules of one of them break in a match.
    let (figures, basis, broken) = match compared {
        Ok((figures, basis)) => (figures, basis, None),
        Err(broken) if found.parting.is_some() => (Vec::new(), String::new(), Some(broken)),
        Err(broken) => return Err(broken),
    };
    drop(progress);
    if let Some(path) = &args.record {
        match &found.parting {
            Some(parting) => {
                let [record, _] = parting.records(&sides);
                keep(path, &format!("{}\n", record.json()))?;
            }
            None => note(&format!("note: no difference was found, so {path} is not written")),
        }
    }
    if args.format.is_json() {
        let mut object = found.json(&sides);
        object["seed"] = args.seed.into();
        object["basis"] = basis.into();
        object["figures"] = serde_json::to_value(&figures).unwrap_or_default();
        out(&object.to_string())?;
    } else {
        out(&words(&sides, &found, &figures, &basis))?;
    }
    if let Some(broken) = broken {
        return Err(broken);
    }
    if stop.load(Ordering::SeqCst) {
        note("interrupted; this is what was found so far");
        return Ok(130);
    }
    if late.load(Ordering::SeqCst) {
        note("note: the time was up; more `--seconds` compare more positions and matches");
    }
    Ok(0)
}

/// Compares the figures of two studies; also says in words what they are based on.
fn figures_of_studies([one, other]: &[Report; 2]) -> (Vec<Compared>, String) {
    let matches: u64 = one.series.iter().chain(&other.series).map(|series| series.matches).sum();
    let basis = format!("in studies of {} matches", thousands(matches));
    (compare_figures(&studied(one), &studied(other)), basis)
}

/// Compares the figures of random matches of both; also says in words what they are based on.
fn figures<E: Engine + Sync>(
    args: &CompareArgs,
    sides: &[Side<E>; 2],
    watch: &(dyn Fn(u64) -> bool + Sync),
) -> Result<(Vec<Compared>, String), Failure> {
    let mut samples = Vec::new();
    let interests = sides.each_ref().map(|side| compared(side.engine.machine()));
    let allied = sides.each_ref().map(|side| {
        let players = side.engine.machine().setup.players;
        if interests[0] == interests[1] { interests[0] } else { Interests::Opposed }.sides(players)
    });
    for (at, side) in sides.iter().enumerate() {
        let sample = sample(args, side, (at as u64, &allied[at]), watch);
        samples.push(sample.map_err(|found| fault(side.rules, &found))?);
    }
    let games = samples.iter().map(Sample::matches).min().unwrap_or(0);
    // A single match does not allow any estimate.
    if games < 2 {
        return Ok((Vec::new(), String::new()));
    }
    let by_side = samples.iter().zip(&allied).all(|(sample, allied)| sample.has_points_of(allied));
    let goes_on = || watch(games);
    let best = sides.each_ref().map(|side| best_play(side, &goes_on));
    let solved = best.iter().all(|best| !best.is_empty());
    let all = |at: usize| {
        let mut all = estimates(&samples[at], &sides[at].rules.game, &allied[at], by_side);
        if solved {
            all.extend(best[at].iter().cloned());
        }
        all
    };
    let searched = if solved { ", and complete searches for best play" } else { "" };
    let basis = format!("in {} random matches of each{searched}", thousands(games));
    Ok((compare_figures(&all(0), &all(1)), basis))
}

/// Reads a study from a file.
fn read_study(path: &str) -> Result<Report, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| io_failure(path, &error))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::Wrong(format!("error: {path}: this was not written by `parlour study --json`: {error}"))
    })
}

/// Reads a study from a file; it must be of this game with the same rules, options and players.
fn study_of<E: Engine>(path: &str, side: &Side<E>) -> Result<Report, Failure> {
    let report = read_study(path)?;
    let options = report.options.iter().all(|(name, json)| {
        let Ok(id) = side.rules.option_id(name) else { return false };
        text::json(&side.rules.game, &side.engine.machine().setup.options[id]) == *json
    });
    if report.rules != side.rules.hash || report.players != side.engine.machine().setup.players || !options {
        return Err(Failure::Wrong(format!(
            "error: {path}: this is a study of {} with {}, not of {}; both need the same rules, options and players",
            report.game,
            report.setting(),
            heading(side)
        )));
    }
    Ok(report)
}

/// Returns what each of at most two sides gets under best play, where a short search finds it.
fn best_play<E: Engine>(side: &Side<E>, goes_on: &dyn Fn() -> bool) -> Vec<Estimate> {
    let machine = side.engine.machine();
    let (players, allied) = (machine.setup.players, machine.sides());
    if allied.len() > 2 || refused(machine).is_some() {
        return Vec::new();
    }
    let goal = Goal::usual(machine);
    let task = Task::new(goal, MEMORY);
    let goes_on = |looked: u64| looked < SEARCHED && goes_on();
    let Ok(start) = side.engine.start() else { return Vec::new() };
    // A fault that the search meets is for others to report.
    let Ok(found) = solve(side.engine, &start, &task, &mut Knowledge::default(), &goes_on) else {
        return Vec::new();
    };
    if found.halted.is_some() || found.endless {
        return Vec::new();
    }
    let estimate = |of: &Vec<usize>| {
        let value = goal.score_or_share(found.worth[of[0]].settled()?, allied.len());
        Some(Estimate {
            key: format!("best.{}", of[0] + 1),
            title: format!("{} under best play", side_name(&side.rules.game, of, players)),
            share: goal == Goal::Win,
            value,
            interval: (value, value),
            matches: 0,
        })
    };
    allied.iter().map(estimate).collect::<Option<_>>().unwrap_or_default()
}

/// Plays the random matches of one game for its figures; each game uses its own range of seeds.
fn sample<E: Engine + Sync>(
    args: &CompareArgs,
    side: &Side<E>,
    (at, allied): (u64, &[Vec<usize>]),
    watch: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Sample, Fault> {
    let mut sample = Sample::default();
    let first = at * args.games;
    while sample.matches() < args.games && watch(sample.matches()) {
        let done = sample.matches();
        let round = (args.games - done).min(PIECE * ROUND);
        let pieces = all(&crew, round.div_ceil(PIECE) as usize, |piece| {
            let from = first + done + piece as u64 * PIECE;
            let upto = (from + PIECE).min(first + done + round);
            Sample::play(side.engine, allied, args.seed, from..upto, MAX_MOVES)
        });
        for piece in pieces {
            sample.join(piece?);
        }
    }
    Ok(sample)
}

/// Formats the comparison in words.
fn words<E: Engine>(sides: &[Side<E>; 2], found: &Comparison, figures: &[Compared], basis: &str) -> String {
    let width = width();
    let fold = |text: &str| wrapped(text, width);
    let mut lines = vec![fold(&format!("{} and {}", heading(&sides[0]), heading(&sides[1]))), String::new()];
    for renamed in &found.renamed {
        let [first, second] = &renamed.names;
        lines
            .push(fold(&format!("the {} `{first}` is called `{second}` in {}", renamed.kind, sides[1].name)));
    }
    match &found.parting {
        None => lines.push(fold(&equal(found))),
        Some(parting) => lines.extend(parted(sides, parting, found, width)),
    }
    if !figures.is_empty() {
        lines.push(String::new());
        let names = sides.each_ref().map(|side| side.name.clone());
        lines.extend(told(&names, figures, basis, width));
    }
    lines.join("\n")
}

/// Names a game and its setting, for example `procession (n=5, 2 players)`.
fn heading<E: Engine>(side: &Side<E>) -> String {
    let (game, setup) = (&side.rules.game, &side.engine.machine().setup);
    let options = game.options.iter().zip(&setup.options);
    let mut setting: Vec<String> =
        options.map(|(option, value)| format!("{}={}", option.name, text::words(game, value))).collect();
    setting.push(counted(setup.players as u64, "player", "players"));
    format!("{} ({})", side.rules.name, setting.join(", "))
}

/// Describes how far the two were found equal.
fn equal(found: &Comparison) -> String {
    if !found.unread.is_empty() {
        let options = and(&found.unread.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>());
        return format!("they are the same game: they differ only in {options}, which the rules never read");
    }
    let positions = counted(found.trees.positions, "position", "positions");
    if found.trees.complete {
        return match found.hides {
            false => format!("they are the same game: equal in all {positions}, to the end of every match"),
            true => format!(
                "they are the same to anyone who sees everything: equal in all {positions}, to the end of \
                 every match; some things are hidden from players, and what each of them sees was not \
                 compared"
            ),
        };
    }
    let matches = match found.matches {
        0 => String::new(),
        several => {
            let matches = counted(several, "random match", "random matches");
            format!(", and in {matches} played side by side")
        }
    };
    let depth = counted(found.trees.depth, "choice", "choices");
    let equal = match found.trees.sampled {
        true => format!("equal in the choices and outcomes tried, {depth} deep"),
        false => format!("equal {depth} deep"),
    };
    format!("no difference was found: {equal} ({positions}){matches}")
}

/// Describes where the two differ first.
fn parted<E: Engine>(
    sides: &[Side<E>; 2],
    parting: &Parting,
    found: &Comparison,
    width: usize,
) -> Vec<String> {
    let [trace, _] = parting.traces(sides);
    let after = |n: u64| counted(n, "choice", "choices");
    let when = match parting.choices() as u64 {
        0 => "they differ before the first choice:".to_string(),
        n if found.parts_nowhere_earlier() => format!("they first differ after {}:", after(n)),
        n => {
            let tried = if found.trees.sampled { " in the choices and outcomes tried" } else { "" };
            let equal = match found.trees.depth {
                0 => "there may be shorter ones".to_string(),
                deep => format!("there may be shorter ones; they are equal {} deep{tried}", after(deep)),
            };
            format!("they differ after {}, in a random match ({equal}):", after(n))
        }
    };
    let mut lines = vec![wrapped(&when, width)];
    let shown = trace.upto(parting.steps[0].len()).lines(sides[0].rules);
    let left_out = shown.len().saturating_sub(MOST_LINES);
    if left_out > 0 {
        lines.push(format!("  … {left_out} earlier lines, which are in the `--record`"));
    }
    lines.extend(shown.into_iter().skip(left_out).map(|line| format!("  {line}")));
    lines.push(wrapped(&parting.words(sides), width));
    lines
}

/// Lists the figures that differ beyond chance, followed by the others.
fn told(names: &[String; 2], figures: &[Compared], basis: &str, width: usize) -> Vec<String> {
    let (differ, others): (Vec<&Compared>, Vec<&Compared>) =
        figures.iter().partition(|figure| figure.differs);
    let mut lines = Vec::new();
    let opening = match (differ.is_empty(), others.iter().filter(|figure| figure.excludes_zero()).count()) {
        (false, _) => format!("these figures differ beyond chance, {basis}:"),
        (true, 0) => format!("no figure differs beyond chance, {basis}:"),
        (true, some) => {
            let exclude = if some == 1 { "interval excludes" } else { "intervals exclude" };
            format!(
                "no figure differs beyond chance, {basis}; {some} {exclude} 0, which among {} figures may be chance (more \
                 matches would tell):",
                figures.len()
            )
        }
    };
    lines.push(wrapped(&opening, width));
    let rows: Vec<[String; 4]> = differ.iter().chain(&others).map(|figure| row(figure)).collect();
    let heads = ["".to_string(), names[0].clone(), names[1].clone(), "difference".to_string()];
    let longest = |column: usize, rows: &[[String; 4]]| {
        rows.iter().map(|row| text::wide(&row[column])).max().unwrap_or(0)
    };
    let heads_fit = heads.iter().all(|head| text::wide(head) <= 18);
    let heads = if heads_fit { heads } else { ["", "first", "second", "difference"].map(str::to_string) };
    let all: Vec<[String; 4]> = std::iter::once(heads).chain(rows).collect();
    let widths = [0, 1, 2, 3].map(|column| longest(column, &all));
    let line = |row: &[String; 4]| {
        let [title, first, second, difference] = row;
        let [a, b, c, d] = widths;
        let (title, first) = (text::to_the_left(title, a), text::to_the_right(first, b));
        format!("  {title}  {first}  {}  {difference:>d$}", text::to_the_right(second, c))
    };
    let whole = 2 + widths.iter().sum::<usize>() + 6;
    let put = |row: &[String; 4], lines: &mut Vec<String>| match whole <= width {
        true => lines.push(line(row)),
        false => {
            let [title, first, second, difference] = row;
            lines.push(wrapped(&format!("  {title}: {first} and {second}, {difference}"), width));
        }
    };
    if whole <= width {
        lines.push(line(&all[0]));
    }
    for (at, row) in all[1..].iter().enumerate() {
        if at == differ.len() && !differ.is_empty() {
            lines.push("differences that chance may explain among so many figures:".to_string());
        }
        put(row, &mut lines);
    }
    let shares = figures.iter().any(|figure| figure.share);
    let unit = if shares { "differences of shares are in percentage points; " } else { "" };
    lines.push(wrapped(
        &format!("({unit}each interval holds the true difference 19 times in 20, for one figure by itself; among so many \
         figures some miss theirs by chance, so a figure is said to differ only on stronger evidence: if all {} were the same \
         in both games, one would be said to differ in at most one comparison of twenty)", figures.len()),
        width,
    ));
    lines
}

/// Formats a figure as table cells: title, both values, and the difference with its interval.
fn row(figure: &Compared) -> [String; 4] {
    let number = |value: f64, like: f64| match like.abs() {
        1000.0.. => whole_number(value),
        10.0.. => decimals(value, 1),
        _ => decimals(value, 2),
    };
    let value = |value: f64| match figure.share {
        true => format!("{} %", decimals(100.0 * value, 1)),
        false => number(value, value),
    };
    let signed = |change: f64| {
        let text = match figure.share {
            true => decimals(100.0 * change, 1),
            false => number(change, figure.difference),
        };
        if text.starts_with('-') { text } else { format!("+{text}") }
    };
    let (low, high) = figure.interval;
    let difference = match low < high {
        true => format!("{} ({}..{})", signed(figure.difference), signed(low), signed(high)),
        false => signed(figure.difference),
    };
    [figure.title.clone(), value(figure.values[0]), value(figure.values[1]), difference]
}
