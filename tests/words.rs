//! What people type at the table: the words of a list of moves must be accepted when typed back, and legal
//! moves in every notation. Tested in bundled games, and in games that were not written for this.

use crate::memory::Memory;
use parlour::diag::render::Style;
use parlour::play::{Entry, Rng};
use parlour::repl::Session;

/// Games with many sorts of moves; the last ones are files of the tests.
const GAMES: &[&str] = &[
    "procession",
    "sum-of-products",
    "binary-scramble",
    "numbers-to-number",
    "numerical-card-game",
    "transform",
    "breakthrough",
    "dots-and-boxes",
    "hex",
    "nim",
    "tests/language/invented/snails.game",
    "tests/language/invented/last-word.game",
    "tests/language/invented/oracle.game",
    "tests/authors/beetles.game",
    "tests/authors/plank.game",
    "tests/authors/splitters.game",
    "tests/authors/paddocks.game",
];
/// How many choices into a match the lists are read.
const DEPTHS: &[usize] = &[0, 4];

/// Returns a session after this many random choices; `None` if the match is over before.
fn after(game: &str, choices: usize) -> Option<Session> {
    let disk = Memory::default();
    if let Some(name) = game.strip_prefix("tests/") {
        let path = format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"));
        disk.0.borrow_mut().files.insert(game.to_string(), std::fs::read_to_string(path).unwrap());
    }
    let mut here = Session::new(Box::new(disk), 3, Style { colour: false, width: 80 });
    let begun = here.line(&format!(":game {game}"));
    assert!(!begun.refused, "{game}: {}", begun.text);
    for made in 0..choices {
        let words =
            random(&here, made as u64).map(|entry| here.table().unwrap().played.entry_words(&entry))?;
        let reply = here.line(&words);
        assert!(!reply.refused, "{game} {words}: {}", reply.text);
    }
    (!here.table().unwrap().played.over()).then_some(here)
}

fn random(here: &Session, seed: u64) -> Option<Entry> {
    let played = &here.table().unwrap().played;
    let seat = *played.to_move().first()?;
    Some(played.random_move(seat, &mut Rng::nth(5, seed)).unwrap())
}

/// Returns whether `:why` accepts a line, and its answer, which says how the line is read. It plays nothing.
fn read_back(here: &mut Session, line: &str) -> (bool, String) {
    let reply = here.line(&format!(":why {line}"));
    (!reply.refused, reply.text)
}

/// Whether an answer takes a line as a move that can be played, or asks which of several is meant.
fn taken((said, text): &(bool, String)) -> bool {
    match said {
        true => text.lines().next().is_some_and(|line| line.ends_with("can be played")),
        false => {
            ["which one do you mean?", "did you mean `", "could be: "].iter().any(|asks| text.contains(asks))
        }
    }
}

/// Returns the words between backquotes that are not commands.
fn quoted(text: &str) -> Vec<String> {
    let words = text.split('`').skip(1).step_by(2);
    words.filter(|word| !word.starts_with(':') && !word.contains('…')).map(String::from).collect()
}

#[test]
fn what_a_list_of_moves_says_can_be_typed_back() {
    let mut lists = 0;
    for game in GAMES {
        for depth in DEPTHS {
            let Some(mut here) = after(game, *depth) else { continue };
            let text = here.line("").text;
            let moves = here.table().unwrap().rules.game.moves.clone();
            let list = text.split_once("can play:\n").unwrap_or_else(|| panic!("{game}: {text}")).1;
            let mut mv = String::new();
            let mut below = String::new();
            for line in list.lines().chain(["  end"]) {
                let Some(head) = line.strip_prefix("  ").filter(|line| !line.starts_with(' ')) else {
                    below = format!("{below} {}", line.trim());
                    continue;
                };
                // Below a move there are only its comment, and then its values.
                let doc = moves
                    .iter()
                    .find(|known| known.name.replace('_', " ") == mv)
                    .and_then(|known| known.doc.clone());
                let doc = doc.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
                let values = below.trim().strip_prefix(&doc).unwrap_or("").trim();
                let told: Vec<String> = match values {
                    "" | "not possible now" => Vec::new(),
                    values if values.contains("as in `") => quoted(values),
                    values if values.contains("not all of these are legal") => Vec::new(),
                    values => {
                        values.split([',']).flat_map(|item| item.split(" to ")).map(String::from).collect()
                    }
                };
                for item in told.iter().take(6).chain(told.last()) {
                    let answer = read_back(&mut here, item.trim());
                    assert!(taken(&answer), "{game}, {depth}: {mv}: {item}: {}", answer.1);
                    assert!(answer.1.contains(&mv), "{game}, {depth}: {mv}: {item}: {}", answer.1);
                    lists += 1;
                }
                // The heading of a move is incomplete as input, so the answer must say what is missing.
                if head != "end" {
                    let (_, text) = read_back(&mut here, head);
                    assert!(!text.contains("not understood"), "{game}: {head}: {text}");
                }
                // The name of a move is in small letters, those of its values in capitals.
                let name = head.split(' ').take_while(|word| word.to_lowercase() == *word);
                mv = name.collect::<Vec<_>>().join(" ");
                below.clear();
            }
        }
    }
    assert!(lists > 100, "{lists}");
}

#[test]
fn a_list_is_short() {
    for game in GAMES {
        for depth in DEPTHS {
            let Some(mut here) = after(game, *depth) else { continue };
            let text = here.line("").text;
            let list = text.split_once("can play:\n").unwrap().1;
            let heads = list.lines().filter(|line| !line.starts_with("   ")).count();
            assert!(list.lines().count() <= 10 * heads, "{game}: {text}");
            assert!(list.lines().all(|line| line.chars().count() <= 80), "{game}: {text}");
        }
    }
}

/// The same move in other notations must be accepted, or be among those asked about.
#[test]
fn legal_moves_are_understood_in_every_notation() {
    let mut read = 0;
    for game in GAMES {
        for depth in DEPTHS {
            let Some(mut here) = after(game, *depth) else { continue };
            let entry = random(&here, 10).unwrap();
            let words = here.table().unwrap().played.entry_words(&entry);
            let (name, values) = words.split_at(entry.name.len());
            let values = values.trim_start();
            let mut notations = vec![
                words.to_uppercase(),
                format!("  {}  ", words.replace(' ', "   ")),
                format!("{name}({})", values.replace(' ', ", ")),
                format!("{name} {}.", values.replace('-', "−")),
                format!("move {words}"),
            ];
            if !values.is_empty() && !values.starts_with(['-', '[']) {
                notations.push(format!("{}{values}", entry.name));
            }
            if !values.is_empty() {
                notations.push(values.to_string());
            }
            for line in notations {
                let answer = read_back(&mut here, &line);
                assert!(taken(&answer), "{game}, {depth}: {words} as {line}: {}", answer.1);
                let same = answer.1.contains(&format!("`{words}` ")) || answer.1.contains(&words);
                assert!(same, "{game}, {depth}: {words} as {line}: {}", answer.1);
                read += 1;
            }
        }
    }
    assert!(read > 150, "{read}");
}

/// At any end, by whatever rule, the answer must have the winner, the rule with its line, and its values.
#[test]
fn why_the_winner_won() {
    let ends = [
        ("tic-tac-toe", "win me when", "(line "),
        ("nim", "win me.next when", "the sum of left is 0"),
        ("procession", "winner last mover (line ", "made the last move: flip"),
        ("sum-of-products", "winner highest score (line ", "highest score: across "),
        ("pig", "win me when", "total is at least 100 (it is 10"),
        ("tests/language/invented/last-word.game", "loser last mover (line ", "made the last move: "),
        (
            "tests/language/invented/oracle.game",
            "winner highest score, then lowest me.passes",
            "lowest passes: ",
        ),
        ("tests/authors/candle.game", "winner highest score, then highest me.money", "highest score: "),
    ];
    for (game, rule, values) in ends {
        let mut here = after(game, 0).unwrap();
        let before = here.line(":why winner");
        assert!(!before.refused && before.text.contains("the match is not over"), "{game}: {}", before.text);
        for line in [":seat 1 random", ":seat 2 random", ":go"] {
            here.line(line);
        }
        assert!(here.table().unwrap().played.over(), "{game}");
        let told = here.line("why winner").text;
        assert!(told.contains(rule) && told.contains(values), "{game}: {told}");
        assert!(
            told.starts_with(&parlour::repl::result_words(&here.table().unwrap().played).unwrap()),
            "{told}"
        );
    }
}
