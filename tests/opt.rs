//! The optimiser: each pass shown before and after, in the language's own form; and optimised games must play
//! the same in the reference.

use std::collections::BTreeMap;

use crate::engines::maker::Maker;
use crate::files;
use parlour::engine::Engine;
use parlour::eval::{Machine, Waiting};
use parlour::ir::{Game, dump, expr_text, form_text};
use parlour::num::{Int, Rng};
use parlour::opt::{PASSES, optimise};
use parlour::play::{Rules, bundled, bundled_source};
use parlour::source::Source;

/// Loads rules with a text in the place of `HERE`; `|` begins a new line.
fn rules(frame: &str, here: &str) -> Rules {
    let text = frame.replace("HERE", &here.replace('|', "\n  "));
    Rules::load(Source::new("opt.game", &text)).unwrap_or_else(|found| panic!("{here}: {found:#?}"))
}

fn machine(rules: &Rules) -> Machine {
    rules.machine(&BTreeMap::new(), rules.default_players()).unwrap()
}

/// Returns the dump of the move of a game, with its needs, and of the ops after the first choice up to an
/// `unless`, without jumps.
fn part(game: &Game) -> String {
    let text = dump(game);
    let mv = text
        .lines()
        .skip_while(|line| !line.starts_with("move "))
        .take_while(|line| !line.starts_with("score"));
    let code = text.lines().filter(|line| line.starts_with(' ') && !line.contains("move "));
    let ops = code
        .skip_while(|line| !line.contains("STOP"))
        .skip(1)
        .map(|line| line.trim_start_matches([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']));
    let ops = ops.take_while(|op| !op.starts_with("unless")).filter(|op| !op.starts_with("jump"));
    mv.chain(ops).collect::<Vec<_>>().join("\n")
}

/// Returns a dump with slots renumbered in order of appearance, so that slot numbers do not matter.
fn bare(text: &str) -> String {
    let mut names = BTreeMap::new();
    let mut out = String::new();
    for line in text.lines() {
        let mut parts = line.split('%');
        out.push_str(parts.next().unwrap());
        for part in parts {
            let digits = part.chars().take_while(char::is_ascii_digit).count();
            let next = names.len();
            let name = *names.entry(part[..digits].to_string()).or_insert(next);
            out.push_str(&format!("%{name}{}", &part[digits..]));
        }
        out.push('\n');
    }
    out
}

/// Reads a file of `tests/opt`: the passes to run, the frame of the rules, and the cases after `---`.
fn cases(name: &str) -> (Vec<String>, String, Vec<(String, String)>) {
    let path = format!("{}/tests/opt/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, lines) = text.split_once("---\n").unwrap();
    let passes = head.lines().find_map(|line| line.strip_prefix("passes ")).unwrap_or(name);
    let frame = &head[head.find("game \"").unwrap()..];
    let lines = lines.lines().map(|line| {
        let (before, after) = line.split_once("=>").unwrap_or_else(|| panic!("{name}: {line}"));
        (before.trim().to_string(), after.trim().to_string())
    });
    (passes.split(", ").map(str::to_string).collect(), frame.to_string(), lines.collect())
}

fn before_and_after(name: &str) {
    let (passes, frame, cases) = cases(name);
    let without: Vec<&str> =
        PASSES.iter().map(|pass| pass.name).filter(|pass| !passes.iter().any(|own| own == pass)).collect();
    assert_eq!(PASSES.len() - without.len(), passes.len(), "{name}: an unknown pass");
    let mut failed = Vec::new();
    for (before, after) in cases {
        let machine = machine(&rules(&frame, &before));
        let game = optimise(&machine, &without).unwrap().machine.game;
        let state = after.strip_prefix("STATE ").and_then(|after| after.split_once(": "));
        let (found, wanted) = match (after.strip_prefix("TEXT "), state) {
            (Some(text), _) => (expr_text(&game, game.moves[0].checks[0].expr()), text.to_string()),
            (_, Some((name, form))) => {
                let state = game.state.iter().find(|state| state.name == name).unwrap();
                (form_text(&game, &state.form), form.to_string())
            }
            _ => (part(&game), part(&rules(&frame, &after).game)),
        };
        if bare(&found) != bare(&wanted) {
            let differ = bare(&found);
            let wanted = bare(&wanted);
            let lines = differ.lines().zip(wanted.lines()).filter(|(a, b)| a != b);
            let lines: Vec<String> = lines.map(|(a, b)| format!("  found  {a}\n  wanted {b}")).collect();
            failed.push(format!("{before}  =>  {after}\n{}", lines.join("\n")));
        }
    }
    assert!(failed.is_empty(), "{} of {name}:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn constants() {
    before_and_after("constants");
}

#[test]
fn names_and_functions() {
    before_and_after("lets");
}

#[test]
fn words() {
    before_and_after("words");
}

#[test]
fn copies() {
    before_and_after("copies");
}

#[test]
fn conditions() {
    before_and_after("conditions");
}

#[test]
fn binders() {
    before_and_after("binders");
}

#[test]
fn fusion() {
    before_and_after("fusion");
}

#[test]
fn joined_lists() {
    before_and_after("joins");
}

#[test]
fn lists_written_out() {
    before_and_after("unroll");
}

#[test]
fn membership() {
    before_and_after("membership");
}

#[test]
fn bounds() {
    before_and_after("bounds");
}

#[test]
fn effects() {
    before_and_after("effects");
}

#[test]
fn ranges() {
    before_and_after("ranges");
}

#[test]
fn invariants() {
    before_and_after("hoist");
}

#[test]
fn common_parts() {
    before_and_after("common");
}

/// Every pass must be shown by a file of `tests/opt`.
#[test]
fn every_pass_is_shown() {
    let names = [
        "constants",
        "words",
        "lets",
        "copies",
        "conditions",
        "binders",
        "fusion",
        "joins",
        "unroll",
        "membership",
        "bounds",
        "effects",
        "ranges",
        "hoist",
        "common",
    ];
    let shown: Vec<String> = names.iter().flat_map(|name| cases(name).0).collect();
    for pass in PASSES {
        assert!(shown.iter().any(|name| name == pass.name), "{} is not shown", pass.name);
    }
}

/// Plays the original and the optimised game side by side in the reference: the same moves must be legal and
/// have the same effects, and a fault in one must be a fault in the other.
fn same_play(what: &str, machine: &Machine, without: &[&str], seed: u64, most: usize) -> Result<(), String> {
    let Ok(optimised) = optimise(machine, without) else { return Ok(()) };
    let other = &optimised.machine;
    let mut rng = Rng::new(seed);
    let (mut a, mut b) = match (Machine::start(machine), Machine::start(other)) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(_), Err(_)) => return Ok(()),
        (a, b) => return Err(format!("{what}: starts as {a:?} and as {b:?}")),
    };
    for step in 0..most {
        let what = format!("{what}, step {step}");
        if a.cells != b.cells || a.awards != b.awards || a.is_in != b.is_in || a.waiting != b.waiting {
            return Err(format!("{what}: {a:?}\n{b:?}"));
        }
        let (x, y) = match a.waiting.clone() {
            Waiting::Choice { seats, .. } => {
                let seat = seats[0];
                let lists = (Engine::legal(machine, &a, seat, true), Engine::legal(other, &b, seat, true));
                let (legal, same) = match lists {
                    (Ok(x), Ok(y)) => (x.clone(), x == y),
                    (Err(_), Err(_)) => return Ok(()),
                    (x, y) => return Err(format!("{what}: legal {x:?}\n{y:?}")),
                };
                if !same {
                    return Err(format!("{what}: other moves are legal"));
                }
                if legal.is_empty() {
                    return Ok(());
                }
                let chosen = legal[rng.below(&Int::from(legal.len())).as_usize().unwrap()].clone();
                (machine.choose(&mut a, seat, chosen.clone()), other.choose(&mut b, seat, chosen))
            }
            Waiting::Chance => {
                let Ok(value) = machine.draw_chance(&a, &mut |n| rng.below(n)) else { return Ok(()) };
                let draw = |machine: &Machine, at: &mut _, value| machine.draw(at, value).map(|_| ());
                (draw(machine, &mut a, value.clone()), draw(other, &mut b, value))
            }
            Waiting::Over | Waiting::Nothing => {
                let scores = (machine.scores(&a).ok(), other.scores(&b).ok());
                if a.outcome != b.outcome || scores.0 != scores.1 {
                    return Err(format!("{what}: ends otherwise"));
                }
                return Ok(());
            }
        };
        match (x, y) {
            (Ok(()), Ok(())) => {}
            (Err(_), Err(_)) => return Ok(()),
            (x, y) => return Err(format!("{what}: {x:?}\n{y:?}")),
        }
    }
    Ok(())
}

/// Optimised games must play like the originals, with all passes and without any one of them.
#[test]
fn optimised_games_play_the_same() {
    let bundled = bundled().into_iter().map(|(name, _)| bundled_source(&name).unwrap());
    for source in bundled.chain(files::language()) {
        let name = source.name.clone();
        let rules = Rules::load(source).unwrap();
        let machine = machine(&rules);
        for (number, without) in PASSES.iter().map(|pass| Some(pass.name)).chain([None]).enumerate() {
            let what = format!("{name} without {without:?}");
            let seed = number as u64;
            let done =
                same_play(&what, &machine, without.as_slice(), seed, if without.is_none() { 60 } else { 8 });
            done.unwrap_or_else(|differs| panic!("{differs}"));
        }
    }
}

/// The same for randomly generated rule files.
#[test]
fn optimised_files_made_from_nothing_play_the_same() {
    let mut played = 0;
    for seed in 0..150 {
        let text = Maker::file(seed);
        let Ok(rules) = Rules::load(Source::new("made.game", &text)) else { continue };
        let Ok(machine) = rules.machine(&BTreeMap::new(), rules.default_players()) else { continue };
        played += 1;
        same_play(&format!("file {seed}"), &machine, &[], seed, 30)
            .unwrap_or_else(|differs| panic!("{differs}\n{text}"));
    }
    assert!(played > 50, "only {played} files could be played");
}

/// Returns the candidate set of the only move of a game.
fn candidates(frame: &str, here: &str) -> String {
    let optimised = optimise(&machine(&rules(frame, here)), &[]).unwrap();
    let text = parlour::opt::dump(&optimised);
    let listed: String =
        text.split_inclusive('\n').skip_while(|line| !line.starts_with("candidates of")).skip(1).collect();
    let listed = bare(&listed);
    listed.lines().map(str::trim).collect::<Vec<_>>().join("; ")
}

/// What no argument changes is named beside the preconditions: once, whoever reads it, and as a set where only
/// membership matters. What may fail is named only where it is evaluated in any case.
#[test]
fn what_no_argument_changes_is_named() {
    const FRAME: &str = r#"game "Named" {
  players 2
}

table {
  row: list of 1..9 = [5, 2, 7]
}

define rich() = [k in row where k > 2: k + 1]

move go(HERE
  row := row[2..size(row)]
}

play {
  turns until row is empty { go }
}

winner last mover
"#;
    let candidates = |here: &str| candidates(FRAME, here);
    assert_eq!(
        candidates(
            "a in 1..9, b in 1..9) {|need b in rich() else \"no\"|need a not in rich() and size(rich()) > 1 else \"no\""
        ),
        "where (Count(%0 in row: (%0 AtLeast 3)) AtLeast 2); \
         let %1 = Set(%2 in row where (%2 AtLeast 3): (%2 Add 1)); \
         a %3 in 1..9; where (not (%3 in %1)); \
         b %4 in 1..9; where (%4 in %1)"
    );
    // A list that an argument changes is not built for each of them.
    assert_eq!(
        candidates("a in 1..9, b in 1..9) {|need b in [k in row where k > 2: 2 * k - a] else \"no\""),
        "let %0 = ToSet(row); a %1 in 1..9; b %2 in 1..9; \
         where Some(%3 in %0 where (%3 AtLeast 3): (((%3 Mul 2) Sub %1) Equal %2))"
    );
    assert_eq!(
        candidates("a in 1..9) {|need row is empty or a > largest(row) else \"no\""),
        "let %0 = Empty(row); a %1 in 1..9; where (%0 or (Largest(row) Less %1))"
    );
}

/// Conditions on later arguments bound earlier ones, but never pass over a condition that may fail.
#[test]
fn later_arguments_bound_earlier_ones() {
    const FRAME: &str = r#"game "Bound" {
  players 2
}

table {
  left: 0..99 = 40
  heaps: 0..99 for each 1..5 = 9
}

move go(HERE
  left -= 1
}

play {
  turns until left = 3 { go }
}

winner last mover
"#;
    let candidates = |here: &str| candidates(FRAME, here);
    assert_eq!(
        candidates("a in 1..90, b in 1..90) {|need a + b = left else \"no\""),
        "a %0 in Max(1, (left Add -90))..Min(90, (left Add -1)); \
         b %1 in Max(1, (left Sub %0))..Min(90, (left Sub %0))"
    );
    // Of three, the last leaves at least 5 * 2 to the others, and the second then at least 2 * 1 to the first.
    assert_eq!(
        candidates("a in 0..90, b in 1..90, c in 2..90) {|need a + 2 * b + 5 * c <= left else \"no\""),
        "a %0 in 0..(left Add -12); b %1 in 1..(((left Sub %0) Add -10) Div 2); \
         c %2 in 2..((left Sub (%0 Add (%1 Mul 2))) Div 5)"
    );
    let fails = "a in 1..90, b in 1..90) {|need heaps[a] > 1 else \"no\"|need a + b = left else \"no\"";
    assert!(candidates(fails).starts_with("a %0 in 1..90; "), "{}", candidates(fails));
    // What is not linear in a later argument has a range.
    assert_eq!(
        candidates("a in 1..90, b in [2, 5]) {|need a + heaps[b] <= 20 else \"no\""),
        "a %0 in 1..20; b %1 in [2, 5]; where ((%0 Add heaps[%1]) AtMost 20)"
    );
}

/// A place that one condition has read is there for the next, which then needs not wait for conditions in between.
#[test]
fn what_was_read_before_cannot_fail() {
    const FRAME: &str = r#"game "Read" {
  players 2
}

table {
  row: list of 1..9 = [1, 2, 3]
}

move go(a in 1..5, way in [-1, 1], d in 1..9) {
  need row[a] > 1 else "no"
  need d <= row[HERE] else "no"
  need a + way >= 1 else "no"
  row := row[2..size(row)]
}

play {
  turns until stuck { go }
}

winner last mover
"#;
    let candidates = |here: &str| candidates(FRAME, here);
    assert_eq!(
        candidates("a"),
        "a %0 in 1..5; where (row[%0] AtLeast 2); way %1 in [-1, 1]; where ((%0 Add %1) AtLeast 1); d %2 in 1..row[%0]"
    );
    // Another place may be missing, and the condition after it is tested only where it is there.
    assert!(candidates("a + 1").ends_with("where ((%0 Add %1) AtLeast 1)"), "{}", candidates("a + 1"));
}

/// What does not depend on whose grid it is reads that of the first player.
#[test]
fn the_shape_of_a_grid_is_that_of_all_players() {
    const FRAME: &str = r#"game "Sheets" {
  players 2
}

each player {
  sheet: empty grid 2 by 3 of 1..9
}

move go(x in me.sheet) {
  need HERE else "no"
  me.sheet[x] := 1
}

play {
  turns until stuck { go }
}

winner last mover
"#;
    let optimised = |here: &str| part(&optimise(&machine(&rules(FRAME, here)), &[]).unwrap().machine.game);
    let lines = optimised("all(line in rows(me.sheet): some(s in line: me.sheet[s] is none))");
    assert!(lines.contains("x %1 in player1.sheet"), "{lines}");
    assert!(lines.contains("Rows(player1.sheet)"), "{lines}");
    assert!(bare(&lines).contains("(%0.sheet[%3] is none)"), "{lines}");
}
