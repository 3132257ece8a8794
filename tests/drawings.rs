//! The drawn table of every bundled game at the start, in the middle and at the end, on wide and narrow
//! screens, with and without colour and non-ASCII signs, and in words; and tables of other kinds. The
//! drawings are in `tests/drawings/`, beside the rules of those other tables.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parlour::play::{Look, Match, Rng, Rules, bundled, bundled_source, run_examples};
use parlour::source::Source;

/// The most choices per match, since some games need not end.
const MOST: usize = 400;

fn begun(rules: &Arc<Rules>) -> Match {
    Match::new(rules.clone(), &BTreeMap::new(), rules.default_players(), 1).unwrap()
}

/// Makes up to `choices` random choices, the same ones each time. Returns how many it made.
fn play_on(played: &mut Match, choices: usize) -> usize {
    let mut rng = Rng::nth(1, 0);
    for made in 0..choices {
        let Some(player) = played.to_move().first().copied() else { return made };
        let entry = played.random_move(player, &mut rng).unwrap();
        played.make(&entry).unwrap();
    }
    choices
}

fn screen(played: &Match, look: Look) -> String {
    // Escape sequences of colours are made readable.
    played.drawing().unwrap().text(&look).replace('\x1b', "").replace("[0m", "‹›")
}

/// Appends a table on all screens; a drawing equal to the previous one is not repeated.
fn all_looks(played: &Match, stage: &str, out: &mut String) {
    let ascii = Look::default();
    let signs = Look { unicode: true, ..ascii };
    let mut before = String::new();
    for (name, look) in [
        ("100 columns", Look { width: 100, ..signs }),
        ("80 columns", signs),
        ("60 columns", Look { width: 60, ..signs }),
        ("60 columns, ASCII", Look { width: 60, ..ascii }),
        ("80 columns, in colour", Look { colour: true, ..signs }),
        ("in words", Look { plain: true, ..ascii }),
    ] {
        let drawn = screen(played, look);
        for line in drawn.lines().filter(|_| !look.colour) {
            let wide = line.chars().count();
            assert!(wide <= look.width, "{stage}, {name}: {line}");
        }
        assert!(look.unicode || drawn.replace(['‹', '›'], "").is_ascii(), "{stage}, {name}");
        match drawn == before {
            true => out.push_str(&format!("--- {stage}, {name}: as above\n")),
            false => out.push_str(&format!("--- {stage}, {name}\n{drawn}\n")),
        }
        before = drawn;
    }
}

#[test]
fn shipped_games() {
    for (name, _) in bundled() {
        let rules = Arc::new(Rules::load(bundled_source(&name).unwrap()).unwrap());
        let mut played = begun(&rules);
        let mut out = String::new();
        all_looks(&played, "start", &mut out);
        let all = play_on(&mut played, MOST);
        let mut middle = begun(&rules);
        play_on(&mut middle, all / 2);
        all_looks(&middle, "middle", &mut out);
        all_looks(&played, "end", &mut out);
        hold(&name, &out);
    }
}

/// Tables as authors may lay them out, some choices into a match in which the first seat has a name.
#[test]
fn other_tables() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drawings");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|ext| ext == "game")).collect();
    files.sort();
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let source = Source::new(name, &std::fs::read_to_string(&path).unwrap());
        let rules = Rules::load(source).unwrap_or_else(|found| panic!("{name}: {found:?}"));
        let rules = Arc::new(rules.named(&BTreeMap::from([(1, "Ann".to_string())])).unwrap());
        let mut played = begun(&rules);
        play_on(&mut played, 12);
        let mut out = String::new();
        all_looks(&played, "after 12 choices", &mut out);
        hold(name, &out);
    }
}

/// The number of cards in a hidden hand must be shown only if all players can infer it.
#[test]
fn backs_tell_no_secret() {
    let drawn = |moves: &str, play: &str| {
        let text = format!(
            "game \"Backs\" {{ players 2 }}\n\
             table {{ deck: list of 1..9 = list(1..9) hidden\n up: list of 1..9 = [] }}\n\
             each player {{ hand: list of 1..9 = [] secret }}\n\
             show \"{{up}}\"\n\
             {moves}\n\
             play {{ shuffle deck\n each p in players {{ deal 3 from deck to p.hand }}\n {play} }}\n\
             winner last mover\n"
        );
        let rules =
            Rules::load(Source::new("backs.game", &text)).unwrap_or_else(|found| panic!("{text}\n{found:?}"));
        let mut played = begun(&Arc::new(rules));
        play_on(&mut played, 2);
        let text = played.drawing().unwrap().text(&Look::default());
        (text.contains("hand  player 1: [?]x"), text.contains("deck: [?]x"))
    };
    let lay = "move lay(c in me.hand) { me.hand -= c\n up ++= [c] }";
    let away = "secret move away(c in me.hand) { me.hand -= c }";
    let rest = "turns skipping stuck { lay }";
    assert_eq!(drawn(lay, rest), (true, true), "cards laid in the open");
    assert_eq!(
        drawn(lay, "turns until all(p in players: p.hand is empty) skipping stuck { lay }"),
        (true, true)
    );
    assert_eq!(
        drawn(&format!("{lay}\n{away}"), &format!("together players {{ away }}\n {rest}")),
        (true, true)
    );
    // Only the seat itself knows whether it laid a card away.
    let none = "secret move keep { }";
    let play = format!("together players {{ away or keep }}\n {rest}");
    assert_eq!(drawn(&format!("{lay}\n{away}\n{none}"), &play), (false, true), "a secret choice");
    // One more card would reveal that the hand has no card above 5.
    let more = format!(
        "each p in players {{ if all(c in p.hand: c <= 5) {{ deal 1 from deck to p.hand }} }}\n {rest}"
    );
    assert_eq!(drawn(lay, &more), (false, false), "a secret that decides");
    let first =
        format!("let n = first(deck) mod 2\n each p in players {{ deal n from deck to p.hand }}\n {rest}");
    assert_eq!(drawn(lay, &first), (false, false), "a secret number");
    // The pile reveals whether the card was in it.
    let lost = "move lay(c in me.hand) { me.hand -= c\n up ++= [c]\n deck -= c + 1 }";
    assert_eq!(drawn(lost, rest), (true, false), "a card that is there or not");
}

/// Points are on the table if it shows them for each seat: as `score`, as the state or function that they
/// equal, or in stores.
#[test]
fn tables_that_say_the_points() {
    let rules = |show: &str, score: &str| {
        let text = format!(
            "game \"Points\" {{\n  players 2\n}}\ntable {{\n  pits: list of int = [3, 3, 0, 4, 4, 0]\n}}\n\
             each player {{\n  won: int = 0\n  lost: int = 0\n}}\n\
             define store(p) = 3 * p.number\ndefine kept(p) = p.won - p.lost\n\
             show {show}\nmove gain {{\n  me.won += 1\n  me.lost += 0\n  pits[store(me)] += 1\n}}\n\
             play {{ each p in players {{ ask p to gain }} }}\nscore = {score}\nwinner highest score\n"
        );
        let loaded = Rules::load(Source::new("points.game", &text));
        Arc::new(loaded.unwrap_or_else(|found| panic!("{found:#?}\n{text}")))
    };
    let pits = "\"{pits[1..2]} {pits[3]} {pits[4..5]} {pits[6]}\"";
    for (show, score, stands) in [
        ("\"{[p in players: p.score]}\"", "me.won - 2 * me.lost", true),
        ("\"{[p in players: p.won]}\"", "me.won", true),
        ("\"{[p in players: p.won]}\" as text", "me.won", false),
        ("\"{[p in players: p.lost]}\"", "me.won", false),
        ("\"{[p in players: kept(p)]}\"", "kept(me)", true),
        ("\"{[p in players: kept(p.next)]}\"", "kept(me)", false),
        ("\"{[p in players: pits[store(p)]]}\"", "pits[store(me)]", true),
        ("\"{seat(1).won} {seat(2).won}\"", "me.won", false),
        (&format!("{pits} as pits"), "pits[store(me)]", true),
        (&format!("{pits} as pits"), "pits[store(me) - 1]", false),
        (pits, "pits[store(me)]", false),
    ] {
        assert_eq!(begun(&rules(show, score)).table_has_points(), stands, "{show}: {score}");
    }
}

/// A failed check of the table is shown beside what the table says, any other with the whole table.
#[test]
fn failing_examples() {
    let source = Source::new("failing.game", include_str!("drawings/failing/examples.game"));
    let rules = Arc::new(Rules::load(source).unwrap());
    let mut out = String::new();
    for report in run_examples(&rules) {
        let failure = report.failure.expect("every example in this file fails").message;
        let table = report.table.map_or(String::new(), |table| table.text(&Look::default()));
        out.push_str(&format!("--- {}: {failure}\n{table}\n", report.title));
    }
    hold("failing-examples", &out);
}

fn hold(name: &str, out: &str) {
    insta::with_settings!({ snapshot_path => "drawings", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, out);
    });
}

#[test]
fn a_board_that_is_split_has_its_sides_only_where_they_are() {
    let rules = Arc::new(Rules::load(bundled_source("hex").unwrap()).unwrap());
    let options = rules.read_options([("n", "13")]).unwrap();
    let played = Match::new(rules, &options, 2, 1).unwrap();
    let drawn = screen(&played, Look { width: 40, ..Look::default() });
    // Each of the thirteen rows is drawn twice: with blue's side at the left, and with that at the right.
    let rows: Vec<&str> =
        drawn.lines().map(str::trim).filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(rows.len(), 26, "{drawn}");
    for (row, is_first) in rows.iter().zip((0..26).map(|row| row < 13)) {
        let cells = row.trim_start_matches(|c: char| c.is_ascii_digit()).trim();
        assert_eq!((cells.starts_with('b'), cells.ends_with('b')), (is_first, !is_first), "{drawn}");
    }
}
