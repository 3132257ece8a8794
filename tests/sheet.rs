//! The rules sheets: those of the games, word for word, and properties of every sheet.

use std::collections::BTreeMap;
use std::path::Path;

use parlour::play::{Rules, SheetFormat, bundled, bundled_source, sheet, sheet_with};
use parlour::source::Source;

fn bundled_rules(name: &str) -> Rules {
    Rules::load(bundled_source(name).unwrap()).unwrap()
}

fn of_text(name: &str, text: &str) -> Rules {
    Rules::load(Source::new(name, text)).unwrap_or_else(|found| panic!("{found:#?}"))
}

/// Returns a game that uses every kind of declaration and statement.
fn every_word() -> Rules {
    of_text("every-word.game", include_str!("sheet/every-word.game"))
}

/// Returns all games: the bundled ones, those of `tests/language`, invented ones, and `every_word`.
fn all_games() -> Vec<Rules> {
    let mut all: Vec<Rules> = bundled().iter().map(|(name, _)| bundled_rules(name)).collect();
    for folder in ["tests/language", "tests/language/invented"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "game")) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            all.push(of_text(&name, &std::fs::read_to_string(file).unwrap()));
        }
    }
    all.push(every_word());
    all
}

/// Returns the sheet of a game with its defaults, at 80 columns.
fn plain(rules: &Rules) -> String {
    sheet(rules, 80)
}

/// Returns a sheet on one line, since line ends may be anywhere between words.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn snapshot(name: &str, rules: &Rules) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sheet");
    insta::with_settings!({ snapshot_path => folder, prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, plain(rules));
    });
}

#[test]
fn an_example_that_fails_is_not_told() {
    let text = |first: &str| {
        format!(
            "game \"Up\" {{ players 2 }}\ntable {{ x: int = 0 }}\nmove go(k in 1..3) {{ x += k }}\n\
             play {{ turns until x > 9 {{ go }} }}\nwinner last mover\n\
             example \"the first\" {{\n  1: go 3\n  expect x = {first}\n}}\n\
             example \"the second\" {{\n  1: go 2\n}}\n"
        )
    };
    let (right, wrong) = (plain(&of_text("up.game", &text("3"))), plain(&of_text("up.game", &text("4"))));
    assert!(right.contains("The first.") && !right.contains("The second."), "{right}");
    assert!(wrong.contains("The second.") && !wrong.contains("The first."), "{wrong}");
}

#[test]
fn the_shipped_games_read_well() {
    for (name, _) in bundled() {
        snapshot(&name, &bundled_rules(&name));
    }
}

#[test]
fn what_no_comment_says_is_told() {
    snapshot("told", &of_text("told.game", include_str!("sheet/told.game")));
}

#[test]
fn every_statement_has_its_words() {
    snapshot("every-word", &every_word());
}

#[test]
fn a_sheet_says_what_a_player_needs() {
    for rules in all_games() {
        let (name, game) = (&rules.name, &rules.game);
        let text = flat(&plain(&rules));
        assert!(text.starts_with(&game.title), "{name}");
        for heading in ["MOVES", "HOW PLAY GOES", "THE END AND THE WINNER"] {
            assert!(text.contains(heading), "{name} has no {heading}");
        }
        for mv in &game.moves {
            let said = format!("“{}”", mv.name.replace('_', " "));
            assert!(text.contains(&said), "{name}: nobody plays {}", mv.name);
        }
        let options = game.options.iter().map(|option| &option.name);
        for named in options.chain(game.state.iter().map(|state| &state.name)) {
            assert!(text.contains(&format!("{}: ", named.replace('_', " "))), "{name}: {named}");
        }
    }
}

/// Who hides a code alone writes it on a sheet of their own; who holds dealt cards needs none.
#[test]
fn secrets_are_written_or_held() {
    let needs = |rest: &str| {
        let sheet = flat(&plain(&of_text(
            "secrets.game",
            &format!("game \"Secrets\" {{ players 2 called hider, seeker }}\n{rest}"),
        )));
        let from = sheet.find("You need ").unwrap();
        sheet[from + 9..].split_once('.').unwrap().0.to_string()
    };
    let hidden = "table { code: 0..5 = 0 hidden\n open: yes or no = no }\nsecret move hide(number in 0..5) { code := number }\n\
                  move seek(number in 0..5) { if number = code { open := yes } }\n";
    assert_eq!(
        needs(&format!(
            "{hidden}play {{ ask hider to hide\n ask seeker to seek\n if open {{ win seeker }} }}"
        )),
        "pencils, paper and a sheet of paper that only hider sees"
    );
    assert_eq!(
        needs(&format!(
            "{hidden}play {{ each p in players {{ ask p to hide\n ask p.next to seek\n if open {{ win p.next }} }} }}"
        )),
        "pencils, paper and a private sheet of paper for each player"
    );
    let cards = "table { deck: bag of 1..9 = bag(1..9) hidden\n led: 0..9 = 0 }\n\
                 each player { hand: set of 1..9 = {} secret\n bid: 0..9 = 0SECRET }\n\
                 move lay(card in me.hand) { me.hand -= card\n led := card\n me.bid := card }\n\
                 play { each p in players { deal 3 from deck to p.hand }\n each p in players { ask p to lay } }\n\
                 winner highest me.bid";
    assert_eq!(needs(&cards.replace("SECRET", "")), "pencils, paper and cards or slips to shuffle and draw");
    assert_eq!(
        needs(&cards.replace("SECRET", " secret")),
        "pencils, paper, a private sheet of paper for each player and cards or slips to shuffle and draw"
    );
}

/// Lists within lists are put in brackets, and only words that are used are explained.
#[test]
fn lists_of_lists_are_told_apart() {
    let sheet = flat(&plain(&of_text(
        "chains.game",
        "game \"Chains\" { players 2 }\nkind suit: odd_ones, even_ones\n\
         table { chains: list of list of 1..60 = [[1], [2, 3]]\n none_yet: list of set of 1..9 = [{}, {}]\n\
         log: list of (list of 1..9, int) = [([1, 2], 3)] }\n\
         move lay(n in 2..9) { need coprime(n, last(chains[1])) else \"a common factor\"\n chains[1] += n }\n\
         play { turns until stuck { lay } }\nwinner last mover",
    )));
    for told in [
        "chains: A list of lists of numbers from 1 to 60; initially the lists (1) and (2, 3).",
        "none yet: A list of sets of numbers from 1 to 9; initially two empty sets.",
        "log: A list of entries, each of them a list of numbers from 1 to 9 and a whole number; initially the list ((1, 2), 3).",
    ] {
        assert!(sheet.contains(told), "{told}: {sheet}");
    }
    assert!(sheet.contains("share a factor") && sheet.contains("Numbers share a factor if"), "{sheet}");
    assert!(!sheet.contains("Coprime") && !sheet.contains("odd ones"), "{sheet}");
}

#[test]
fn a_sheet_is_not_in_code() {
    for rules in all_games() {
        let text = plain(&rules);
        // The table is quoted as the program prints it.
        let prose: String =
            text.lines().filter(|line| !line.starts_with("    ")).map(|line| format!("{line}\n")).collect();
        for sign in ["`", ":=", "+=", "-=", "!=", "<=", ">=", "//", "..n", "1..", "++", " div ", " mod "] {
            let about = prose.lines().find(|line| line.contains(sign)).unwrap_or_default();
            assert!(about.is_empty(), "{} speaks in code: {about}", rules.name);
        }
        // Names are written as words.
        let part = |word: &&str| word.trim_matches('_').contains('_');
        let joined = prose.split_whitespace().find(|word| part(word) && !word.starts_with(char::is_numeric));
        assert_eq!(joined, None, "{}", rules.name);
    }
}

#[test]
fn sentences_are_short() {
    for rules in all_games() {
        let text = plain(&rules);
        let mut sentence = 0;
        let mut said = Vec::new();
        for line in text.lines() {
            // A new section begins a new sentence, and so does an item of an outline.
            if line.trim().is_empty() || line.trim_start().starts_with("- ") || line == line.to_uppercase() {
                sentence = 0;
                said.clear();
            }
            for word in line.split_whitespace() {
                sentence += 1;
                said.push(word);
                if word.ends_with(['.', ':', ';', '?', '!', ')']) {
                    sentence = 0;
                    said.clear();
                }
                assert!(sentence <= 45, "{}: {}", rules.name, said.join(" "));
            }
        }
    }
}

#[test]
fn every_need_is_told() {
    let text = r#"// Put numbers into a row.

game "Needs" {
  players 2
}

table {
  row: list of 0..9 = []
}

// Write a number at the end.
move write(digit in 0..9) {
  need digit != 3 else "no threes"
  need digit not in row else "{digit} is there" // no digit may come again
  // Even digits come after odd ones.
  need row is empty or even(digit) != even(last(row)) else "{digit} does not fit"
  row += digit
}

play {
  turns until stuck { write }
}

winner last mover
"#;
    let text = flat(&plain(&of_text("needs.game", text)));
    for told in [
        "Not allowed when DIGIT is 3 (“no threes”).",
        "No digit may come again.",
        "Even digits come after odd ones.",
        "Write DIGIT at the end of the row.",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    // A comment replaces the wording of the formula.
    for formula in ["DIGIT is there", "the last of"] {
        assert!(!text.contains(formula), "{formula}: {text}");
    }
}

/// A condition for each case is told as it is written, not by what it rules out.
#[test]
fn a_need_by_cases_says_what_is_allowed() {
    let rules = of_text(
        "mill.game",
        "game \"Mill\" {\n  players 2\n}\n\nkind place: field, mill\n\neach player {\n  grain: 0..9 = 1\n}\n\n\
         move send(to in every place, amount in 1..3) {\n  need case to {\n    field: amount = 1\n    mill: amount <= me.grain\n  } \
         else \"too much\"\n  me.grain += 1\n}\n\nplay {\n  repeat 3 {\n    turns until stuck {\n      send\n    }\n  }\n}\n\n\
         winner highest me.grain\n",
    );
    let text = flat(&plain(&rules));
    assert!(text.contains("Allowed only when"), "{text}");
    assert!(text.contains("(otherwise “too much”)"), "{text}");
    assert!(text.contains("AMOUNT is 1; if it is mill, AMOUNT is at most your “grain”"), "{text}");
    assert!(!text.contains("Not allowed"), "{text}");
}

#[test]
fn options_and_players_are_filled_in() {
    for rules in all_games() {
        let machine = rules.machine(&BTreeMap::new(), rules.default_players()).unwrap();
        let options: BTreeMap<_, _> = machine.setup.options.iter().cloned().enumerate().collect();
        let filled = sheet_with(&rules, &options, Some(rules.default_players()), SheetFormat::Plain(80));
        let text = flat(&filled);
        assert!(!text.contains("Agree on these"), "{}", rules.name);
        // A name of one letter is not marked; all others are marked wherever they are in a sentence.
        let rest = text.split("THE END AND THE WINNER").next().unwrap_or_default();
        for option in rules.game.options.iter().filter(|option| option.name.len() > 1) {
            // A move of the same name is still mentioned.
            if rules.game.moves.iter().any(|mv| mv.name == option.name) {
                continue;
            }
            let marked = format!("“{}”", option.name.replace('_', " "));
            assert!(!rest.contains(&marked), "{}: {marked} is not filled in", rules.name);
        }
    }
    let rules = bundled_rules("hex");
    let options = rules.read_options([("n", "3")]).unwrap();
    let text = flat(&sheet_with(&rules, &options, None, SheetFormat::Plain(80)));
    assert!(text.contains("n: 3."), "{text}");
    assert!(text.contains("a b c r r r 1 b . . . b 2 b . . . b 3 b . . . b"), "{text}");
    let rules = bundled_rules("procession");
    let text = sheet_with(&rules, &BTreeMap::new(), Some(4), SheetFormat::Plain(80));
    assert!(text.contains("For four players."), "{text}");
}

/// The sheet must leave out messages to the players, and branches that do nothing else.
#[test]
fn what_is_only_said_is_not_on_the_sheet() {
    let text = |said: &str| {
        format!(
            "game \"Said\" {{\n  players 2\n}}\ntable {{\n  heap: 0..9 = 5\n}}\n\
             move take {{\n  need heap > 0 else \"none is left\"\n  heap -= 1\n{said}}}\n\
             play {{ turns until stuck {{ take }} }}\nwinner last mover\n"
        )
    };
    let saying = "  if heap = 3 { say \"three are left\" }\n  each p in players { say \"look\" to p }\n  say \"well\"\n";
    assert_eq!(plain(&of_text("said", &text(saying))), plain(&of_text("said", &text(""))));
}

/// What players learn of a secret by a message must be on the sheet, unless it is revealed to everybody anyway.
#[test]
fn what_tells_of_a_secret_is_on_the_sheet() {
    let text = |reveal: &str| {
        format!(
            "game \"Told\" {{\n  players 2\n}}\ntable {{\n  aim: 1..9 hidden\n  tries: int = 0\n}}\n\
             move guess(n in 1..9) {{\n  tries += 1\n  if n = aim {{ win me }}\n  \
             if n < aim {{ say \"{{n}} is too low\" }} else {{ say \"close to {{n}}\" to me }}\n  say \"a try\"\n}}\n\
             play {{\n  chance drawn in 1..9\n  aim := drawn\n  turns until tries = 4 {{ guess }}\n{reveal}}}\n"
        )
    };
    let sheet = flat(&plain(&of_text("told", &text(""))));
    for told in [
        "If N is less than “aim”: everybody is told: “[N] is too low”.",
        "Otherwise: you are told in secret: “close to [N]”.",
        "Before that, “guess” can end it at once, as said there.",
    ] {
        assert!(sheet.contains(told), "{told}: {sheet}");
    }
    assert!(!sheet.contains("a try"), "{sheet}");
    let sheet = plain(&of_text("told", &text("  reveal aim\n")));
    assert!(!sheet.contains("told"), "{sheet}");
}

#[test]
fn lines_keep_the_width() {
    for rules in &all_games() {
        for width in [40, 60, 80, 120] {
            for line in sheet(rules, width).lines() {
                assert!(line.chars().count() <= width, "{} at {width}: {line}", rules.name);
                assert_eq!(line, line.trim_end());
            }
        }
        // Too narrow for anything, but there must be a sheet all the same.
        assert!(!sheet(rules, 0).is_empty());
    }
}

#[test]
fn every_format_says_the_same() {
    let words = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    for rules in &all_games() {
        let plain = words(&plain(rules));
        let markdown = sheet_with(rules, &BTreeMap::new(), None, SheetFormat::Markdown);
        assert!(!markdown.contains('`'), "{}", rules.name);
        assert_eq!(words(&markdown), plain, "{}", rules.name);
        let html = sheet_with(rules, &BTreeMap::new(), None, SheetFormat::Html);
        assert!(html.starts_with("<!DOCTYPE html>"));
        // The page must be self-contained.
        for outside in ["http:", "https:", "src=", "<link", "<script", "@import"] {
            assert!(!html.contains(outside), "{}: {outside}", rules.name);
        }
        elements_are_closed(&rules.name, &html);
    }
}

/// Asserts that every element is closed, in order.
fn elements_are_closed(name: &str, html: &str) {
    let mut open = Vec::new();
    for (at, _) in html.match_indices('<') {
        let tag = html[at + 1..].split('>').next().unwrap();
        let word = tag.split_whitespace().next().unwrap();
        match word.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{name}: {tag}"),
            None if matches!(word, "!DOCTYPE" | "meta") => {}
            None => open.push(word),
        }
    }
    assert!(open.is_empty(), "{name}: {open:?}");
}

#[test]
fn a_game_with_next_to_nothing_has_a_sheet() {
    let text = "game \"Nothing\" {\n  players 1\n}\n\nmove go { }\n\nplay {\n  ask seat(1) to go\n}\n";
    let expected = "Nothing\n=======\nFor one player. You need pencils and paper.\n\nMOVES\ngo\n\nHOW PLAY GOES\n  - Player 1 plays “go”.\n\nTHE END AND THE WINNER\nWhen everything above has been played, the match is over.\nNobody wins.\n";
    assert_eq!(plain(&of_text("nothing.game", text)), expected);
}

/// What a parameter is chosen from is told under the parameter's own name, and directions are called as the
/// game prints them.
#[test]
fn parameters_are_told_by_their_own_names() {
    let rules = of_text(
        "fold.game",
        r#"game "Fold" { players 2 }
table {
  pieces: list of list of 1..9 = [[3, 1, 4, 1], [5, 9]]
  lawn: grid 2 by 2 of 0..9 = 0
}
// Fold a piece of even length.
move fold(piece in [k in 1..size(pieces) where even(size(pieces[k]))]) { pieces[piece] := [1, 2, 3] }
// Choose a square that is still empty.
move choose(place in [s in lawn where lawn[s] = 0]) { lawn[place] := 1 }
// March on.
move march(way in directions(8), steps in 1..5) { lawn[a1] := steps }
play { turns as t until t = 3 { fold or choose or march } }
winner last mover
example "two steps" with players = 2 {
  1: march down 2
}
"#,
    );
    let text = flat(&plain(&rules));
    for words in [
        "PIECE is any number from 1 to the length of “pieces” where the size of place PIECE of “pieces” is even.",
        "PLACE is any square where",
        "For example: “march south 2”.",
        "Player 1 plays “march south 2”.",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// A comment on a move replaces only an effect that it can be about; what nothing reveals is not said to be
/// revealed; names that a binder does not use are names all the same.
#[test]
fn comments_on_moves_hide_no_other_effect() {
    let rules = of_text(
        "hide.game",
        r#"game "Hide" { players 2 }
table {
  asking: yes or no = no
  pot: int = 0
  deck: list of 1..6 = [_card in 1..6: 1]
}
each player {
  number: 1..9 = 1 secret
  wish: 1..9 = 1 secret
  word: yes or no = no
}
// Write down your secret number.
secret move hide(n in 1..9) { me.number := n }
// Think of something that you want.
secret move want(n in 1..9) { me.wish := n }
// Ask the other a question.
move wonder {
  asking := yes
}
// Put a coin into the pot.
move pay {
  pot += 1
}
// Answer it as you like.
move reply(word in yes or no) {
  asking := no
  me.word := word
}
play {
  together players { hide }
  together players { want }
  turns as t until t = 3 { wonder or pay or reply }
  each _p in players { pot += 1 }
  reveal number
}
winner last mover
"#,
    );
    let text = flat(&plain(&rules));
    for words in [
        "N is any number from 1 to 9. Your choice stays secret until it is revealed. want",
        "N is any number from 1 to 9. Only you know what you choose. - Your “wish” becomes N. wonder",
        "Ask the other a question. - “asking” becomes yes.",
        "Put a coin into the pot. reply WORD",
        "WORD is yes or no. - “asking” becomes no. - Your word becomes WORD.",
        "For each player p: add 1 to the pot.",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("“ "), "{text}");
}

/// Formulas in words must lose nothing: which of several things exist, and what is written where.
#[test]
fn formulas_lose_nothing_in_words() {
    let rules = of_text(
        "words.game",
        r#"game "Words" { players 2 }
table {
  row: list of 1..9 = [1, 2, 3]
  lawn: grid 3 by 3 of {grass, heap} = grass
  trail: list of square = [a1, b2]
}
define twins() = some(a in 1..size(row), b in a + 1..size(row): row[a] = row[b])
// Write a number between two others.
move put(gap in 1..2, new in 1..9) {
  row[gap + 1..gap] := [new]
  lawn[trail[gap]] := heap
}
// Cross out the number.
move cross(at in 1..size(row)) {
  row[at..at] := []
}
// Sow what lies in the first place.
move sow() {
  let seeds = row[1]
  row[1] := 1
  each k in 2..min(seeds, size(row)) { row[k] := 1 }
}
play {
  turns as t until t = 9 {
    put or cross or sow
    win me when twins()
  }
}
winner last mover
"#,
    );
    let text = flat(&plain(&rules));
    for words in [
        "for some “a” from 1 to the length of the row and b from “a” + 1 to the length of the row, place",
        "Insert NEW into the row after place GAP.",
        "Write heap into the square at place GAP of “trail”.",
        "Take place AT out of the row; the rest moves up.",
        "place k of the row becomes 1.",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// A race with prices, in which everybody plays on to the end.
const RACE: &str = r#"// Buy and run; three goods have prices.
game "Race" { players 2 called fox, hound }

kind good: hay, salt

table {
  deck: list of 1..9 = list(1..9) hidden
  open: list of 1..9 = []
  price: 1..9 for each good = 3
}

each player {
  stock: 0..99 for each good = 0
  kept: list of 1..9 = []
}

show "{open} {fox.stock} {hound.stock}"

define pairs_of(p) = count(k in 1..9 where copies(k, p.kept) = 2)

move buy(what in every good, n in 1..2) {
  me.stock[what] += n
  price[what] := min(9, price[what] + n)
}

move run {
  chance face in 1..6
  me.stock[hay] += face
  me.kept := [largest([1] ++ [k in me.kept: k + 1])]
}

play {
  shuffle deck
  deal 3 from deck to open
  repeat 3 { each p in players { ask p to buy or run } }
  if pairs_of(fox) > pairs_of(hound) { win fox } else { win hound }
}

example "a run" {
  1: run
  chance face 3
  2: buy salt 2
}
"#;

#[test]
fn maps_lists_and_draws_read_well() {
    let sheet = flat(&plain(&of_text("race", RACE)));
    for told in [
        "At the start you write, for example:",
        "Add N to your “stock” of WHAT.",
        "The price of WHAT becomes the smaller of 9 and (the price of WHAT) + N.",
        "just the largest of 1 followed by the list of k + 1 for each k in your “kept”",
        "If fox’s “pairs” are greater than hound’s “pairs”: fox wins the match at once.",
        "There are no draws.",
        "Fox plays “run”. “face” is drawn: 3.",
    ] {
        assert!(sheet.contains(told), "{told}: {sheet}");
    }
    assert!(!sheet.contains("it is a draw") && !sheet.contains("Fox plays “run”. Hound"), "{sheet}");
    // With one player, nobody draws.
    let alone = RACE
        .replace("players 2 called fox, hound", "players 1")
        .replace("fox", "seat(1)")
        .replace(" {hound.stock}", "")
        .replace("> pairs_of(hound)", "> 1")
        .replace(" else { win hound }", "");
    let sheet = flat(&plain(&of_text("alone", &alone[..alone.find("example").unwrap()])));
    assert!(sheet.contains("If you have not won when the match is over, you have lost."), "{sheet}");
}
