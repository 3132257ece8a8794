//! Leaks: what others can infer about a secret must be found at the lines of `leaks/` that say `//~ leak`,
//! and nowhere else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parlour::diag::render;
use parlour::explore::{Finding, Plan, Report, Sort, explore, without_intended as told_of};
use parlour::play::{Entry, Event, Match, Rules, Viewer, replay};
use parlour::source::Source;

/// A plan that takes little time.
fn small() -> Plan<'static> {
    Plan { effort: 2_400_000, ..Plan::default() }
}

fn load(path: &Path) -> Arc<Rules> {
    let text = std::fs::read_to_string(path).unwrap();
    let source = Source::new(path.file_name().unwrap().to_string_lossy().into_owned(), &text);
    let told = |found: Vec<parlour::diag::Diagnostic>| {
        found.iter().map(|d| render::plain(&source, d)).collect::<String>()
    };
    Arc::new(Rules::load(source.clone()).map_err(told).unwrap())
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Loads the rule files of the folder.
fn files() -> Vec<Arc<Rules>> {
    let folder = std::fs::read_dir(root().join("tests/leaks")).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "game"));
    paths.sort();
    paths.iter().map(|path| load(path)).collect()
}

fn leaks(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|finding| finding.sort == Sort::Leak)
}

/// Returns the lines at which leaks are found.
fn lines(rules: &Rules, report: &Report) -> BTreeSet<usize> {
    leaks(report).map(|finding| rules.source.position(finding.diagnostic.span().start).line).collect()
}

#[test]
fn leaks_are_found_where_they_are_and_nowhere_else() {
    for rules in files() {
        let lines_with = rules.source.text.lines().zip(1..).filter(|(line, _)| line.ends_with("//~ leak"));
        let promised: BTreeSet<usize> = lines_with.map(|(_, number)| number).collect();
        let report = explore(&rules, &small());
        assert_eq!(lines(&rules, &report), promised, "{}: {}", rules.name, told(&rules, &report));
        for finding in leaks(&report) {
            two_worlds_seem_the_same_before_their_last_step(&rules, finding);
        }
    }
}

/// Returns everything that is said about leaks.
fn told(rules: &Rules, report: &Report) -> String {
    let mut out = String::new();
    for finding in leaks(report) {
        out.push_str(&render::plain(&rules.source, &finding.diagnostic));
        for label in &finding.diagnostic.labels {
            out.push_str(&format!("  {}: {}\n", rules.source.position(label.span.start).line, label.text));
        }
        for (name, trace) in [("one world", &finding.trace), ("the other", &finding.beside)] {
            let lines = trace.iter().flat_map(|trace| trace.lines(rules)).collect::<Vec<_>>();
            out.push_str(&format!("  {name}:\n    {}\n", lines.join("\n    ")));
        }
    }
    out
}

/// Asserts that both worlds of a leak replay, have one length, and look the same until the last step.
fn two_worlds_seem_the_same_before_their_last_step(rules: &Arc<Rules>, finding: &Finding) {
    let worlds: Vec<Match> = [&finding.trace, &finding.beside]
        .map(|trace| {
            let trace = trace.as_ref().unwrap().before_last();
            let replayed = replay(rules.clone(), &trace.record(rules)).unwrap();
            assert!(replayed.broken.is_none(), "{}: {:?}", rules.name, replayed.broken);
            replayed.played
        })
        .into();
    assert_eq!(finding.trace.as_ref().unwrap().steps.len(), finding.beside.as_ref().unwrap().steps.len());
    assert_ne!(finding.trace, finding.beside);
    assert_eq!(seen(&worlds[0]), seen(&worlds[1]), "{}", rules.name);
}

/// Returns what everybody sees of a match.
fn seen(played: &Match) -> String {
    let view = played.view(Viewer::Spectator).unwrap();
    format!("{view} {} {:?} {:?}", played.show().unwrap(), played.to_move(), played.scores().unwrap())
}

#[test]
fn what_is_said_names_who_can_tell_and_by_what() {
    let rules = load(&root().join("tests/leaks/wave.game"));
    let report = explore(&rules, &small());
    let folder = root().join("tests/leaks");
    insta::with_settings!({ snapshot_path => folder, prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("wave", told(&rules, &report));
    });
}

#[test]
fn games_that_tell_on_purpose_do_so_where_they_say_and_others_do_not() {
    let games = [
        ("games/classics/bulls-and-cows.game", &[36, 37][..]),
        ("games/classics/goofspiel.game", &[]),
        ("games/numerical-card-game.game", &[]),
        ("games/transform.game", &[]),
        ("tests/authors/drawer.game", &[]),
        ("tests/authors/mole.game", &[76, 86]),
        ("tests/language/cards.game", &[]),
        ("tests/language/invented/inn.game", &[]),
    ];
    for (path, expected) in games {
        let rules = load(&root().join(path));
        let report = explore(&rules, &Plan { effort: 2_000_000, ..Plan::default() });
        assert_eq!(
            lines(&rules, &report),
            expected.iter().copied().collect(),
            "{path}: {}",
            told(&rules, &report)
        );
    }
}

#[test]
fn the_same_is_found_in_whatever_order_matches_are_played() {
    let rules = load(&root().join("tests/leaks/bids.game"));
    let backwards = |tasks: usize, task: &(dyn Fn(usize) + Sync)| (0..tasks).rev().for_each(task);
    let threads = |tasks: usize, task: &(dyn Fn(usize) + Sync)| {
        std::thread::scope(|scope| {
            (0..3).for_each(|first| {
                scope.spawn(move || (first..tasks).step_by(3).for_each(task));
            });
        });
    };
    let one = told(&rules, &explore(&rules, &small()));
    assert_eq!(one, told(&rules, &explore(&rules, &Plan { crew: &backwards, ..small() })));
    assert_eq!(one, told(&rules, &explore(&rules, &Plan { crew: &threads, ..small() })));
}

#[test]
fn a_pair_of_worlds_is_made_as_short_and_as_small_as_it_can_be() {
    let text = r#"
game "Over Twenty" { players 2 }
option rounds: 1..6 = 4
each player { card: 1..50 = 1 secret }
table { nods: int = 0 }
secret move lay(c in 1..50) { me.card := c }
move nod(n in 1..30) { nods += n }
play {
  each p in players { ask p to lay }
  turns as turn until turn > rounds { nod }
  if seat(1).card > 20 { ask seat(2) to nod }
}
winner highest me.card
"#;
    let rules = Arc::new(Rules::load(Source::new("over.game", text)).unwrap());
    let report = explore(&rules, &Plan { effort: 4_000_000, ..Plan::default() });
    let finding = leaks(&report).next().unwrap();
    let lines = |trace: &Option<parlour::explore::Trace>| trace.as_ref().unwrap().lines(&rules).join("\n");
    let world = |card: u8| format!("1  player 1: lay {card}\n2  player 2: lay 1\n3  player 1: nod 1");
    let mut both = [lines(&finding.trace), lines(&finding.beside)];
    both.sort();
    assert_eq!(both, [world(1), world(21)], "{}", told(&rules, &report));
    assert_eq!(finding.trace.as_ref().unwrap().setting.words(&rules), "rounds = 1, 2 players");
}

// ---- comparison with all pairs of matches

/// Whether a game leaks, by comparing all pairs of matches that differ in one secret, from views alone. In
/// these games a secret is either opened by `reveal` or never.
fn leaks_by_all_pairs(rules: &Arc<Rules>) -> bool {
    let start = Match::undrawn(rules.clone(), &Default::default(), rules.default_players(), 0).unwrap();
    any_world(&start, &mut |world| {
        let entries: Vec<Entry> = world.entries().cloned().collect();
        (0..entries.len()).any(|at| {
            let secret = world.is_secret(&entries[at]) || entries[at].player == 0;
            secret && {
                let mut before = start.clone();
                entries[..at].iter().for_each(|entry| assert!(make(&mut before, entry)));
                others(&before, &entries[at]).iter().any(|other| {
                    let (mut first, mut second) = (before.clone(), before.clone());
                    make(&mut first, &entries[at]) && make(&mut second, other) && {
                        let rest = &entries[at + 1..];
                        differ(&mut first, &mut second, entries[at].player, rest)
                    }
                })
            }
        })
    })
}

/// Whether a predicate holds for the end of any match that continues this one; tries them all.
fn any_world(played: &Match, such: &mut dyn FnMut(&Match) -> bool) -> bool {
    if played.over() {
        return such(played);
    }
    all_next(played).iter().any(|entry| {
        let mut next = played.clone();
        assert!(make(&mut next, entry));
        any_world(&next, such)
    })
}

/// Returns everything that can come next: the moves of the first player to choose, or the outcomes of chance.
fn all_next(played: &Match) -> Vec<Entry> {
    match played.to_move().first() {
        Some(player) => played.legal(*player, 100).unwrap().1,
        None => drawn(played),
    }
}

/// Returns the possible outcomes of a draw, among small numbers.
fn drawn(played: &Match) -> Vec<Entry> {
    // What is dealt is a list, also of one.
    let values = (0..10).flat_map(|k: i64| [serde_json::json!(k), serde_json::json!([k])]);
    let drawn = values.filter_map(|value| played.read_draw(&value).ok());
    let all = drawn.map(|(name, value)| Entry { player: 0, name, args: vec![("value".into(), value)] });
    all.filter(|entry| make(&mut played.clone(), entry)).collect()
}

/// Returns what else the same player could have chosen in secret, or chance could have drawn.
fn others(played: &Match, entry: &Entry) -> Vec<Entry> {
    let all = match entry.player {
        0 => drawn(played),
        player => played.legal(player, 100).unwrap().1,
    };
    let secret = |other: &Entry| other.player == 0 || played.is_secret(other);
    all.into_iter().filter(|other| other != entry && secret(other)).collect()
}

/// Makes an entry. Returns whether it is possible.
fn make(played: &mut Match, entry: &Entry) -> bool {
    match entry.player {
        0 => played.draw(entry.args[0].1.clone()).unwrap().is_ok(),
        _ => {
            let made = played.entry_json(entry);
            let args = made["args"].as_object().unwrap();
            played.play_undrawn(entry.player, &entry.name, args).is_ok()
        }
    }
}

/// Plays the rest in both matches. Returns whether, before the secret is revealed, everybody can see a
/// difference, or a player other than the owner whose views were the same gets other legal moves.
fn differ(first: &mut Match, second: &mut Match, owner: usize, rest: &[Entry]) -> bool {
    let mut blind: Vec<usize> = (1..=first.players()).filter(|player| *player != owner).collect();
    let mut told = 0;
    let mut rest = rest.iter();
    loop {
        if first.over() && second.over() {
            return false;
        }
        let news =
            |played: &Match| played.events().map(|(_, event)| event.clone()).skip(told).collect::<Vec<_>>();
        let (here, there) = (news(first), news(second));
        let shown = |events: &[Event]| {
            events.iter().filter(|event| matches!(event, Event::Revealed(..))).cloned().collect::<Vec<_>>()
        };
        if shown(&here) != shown(&there) {
            return false;
        }
        let everybody = seen(first) != seen(second) || here != there;
        let view = |played: &Match, player: usize| {
            (played.view(Viewer::Player(player)).unwrap(), played.view(Viewer::Spectator).unwrap())
        };
        blind.retain(|player| everybody || view(first, *player) == view(second, *player));
        let legal = |played: &Match, player: usize| played.legal(player, 100).unwrap();
        let asked = |player: &usize| first.to_move().contains(player);
        if blind.is_empty() {
            return false;
        }
        if everybody
            || blind.iter().any(|player| asked(player) && legal(first, *player) != legal(second, *player))
        {
            return true;
        }
        told += here.len();
        let Some(entry) = rest.next() else { return false };
        if !make(first, entry) || !make(second, entry) {
            return false;
        }
    }
}

/// A small game with a secret, which leaks or not, depending on the text in the place of `HERE`.
const SMALL: &str = r#"
game "Small" { players 2 }
table { sum: int = 0, note: int = 0 }
each player { card: 1..2 = 1 secret, seen: int = 0 }
secret move lay(c in 1..2) { me.card := c }
move say(n in 0..1) { sum += n }
move answer(given k, n in 0..1) { need n <= k else "too much" }
play {
  SOURCE
  each p in players { ask p to say }
  HERE
  ask seat(1) to say
  reveal card
  note := seat(1).card
  ask seat(2) to say
}
winner highest me.card
"#;

#[test]
fn leaks_are_those_that_all_pairs_of_matches_show() {
    let sources = [
        "each p in players { ask p to lay }",
        "together players { lay }",
        "each p in players {\n    chance die in 1..2\n    p.card := die\n  }",
    ];
    let here = [
        "note := sum",
        "note := seat(1).card",
        "if seat(1).card = seat(2).card { note := 1 }",
        "if seat(1).card = seat(2).card { seat(2).card := 1 }",
        "each p in players where p.card = 2 { ask p.next to say }",
        "each p in players where p.card <= 2 { ask p.next to say }",
        "ask seat(1) to answer(seat(2).card - 1)",
        "ask seat(1) to answer(seat(1).card - 1)",
        "ask seat(2) to answer(seat(1).card)",
        "award seat(2).card div 2 to seat(1)",
        "award seat(2).card div 3 to seat(1)",
        "reveal seat(1).card",
        "reveal seat(1).card\n  note := seat(1).card",
        "reveal seat(1).card\n  note := seat(2).card",
        "end when sum > seat(1).card",
        "seat(1).seen := sum",
        "let c = seat(1).card\n  note := c - c",
    ];
    let mut found = BTreeSet::new();
    for source in sources {
        for here in here {
            let text = SMALL.replace("SOURCE", source).replace("HERE", here);
            let text = text.replace(", note", "\n  note").replace(", seen", "\n  seen");
            let rules = Arc::new(Rules::load(Source::new("small.game", &text)).unwrap_or_else(|found| {
                panic!("{here}: {:?}", found.iter().map(|d| &d.message).collect::<Vec<_>>())
            }));
            let report = explore(&rules, &Plan { effort: 2_000_000, ..Plan::default() });
            let leak = leaks(&report).next().is_some();
            assert_eq!(leak, leaks_by_all_pairs(&rules), "{source}\n{here}\n{}", told(&rules, &report));
            found.insert(leak);
        }
    }
    assert_eq!(found.len(), 2, "some leak, and some do not");
}

/// A small game in which cards leave a hand; `SEEN` may show how many are left, and `TOLD` may tell it.
const HAND: &str = r#"
game "Hand" { players 2 }
table {
  deck: KIND of 1..3 = DECK hidden
  held: list of int = []
}
each player { cards: KIND of 1..3 = EMPTY secret }
show "{held} SEEN"
move act(HEAD) {
  BODY
}
play {
  repeat DEALT { deal 1 from deck to seat(1).cards }
  ask seat(1) to act if possible
  TOLD
}
winner last mover
"#;

#[test]
fn the_size_of_a_hand_is_public_only_where_nobody_can_learn_from_it() {
    // What is chosen, what happens, and whether everybody can tell how many leave a hand that is a set, and one that is a bag.
    let each = "each x in c { me.cards -= x }";
    let needed = |need: &str, then: &str| format!("need {need} else \"no\"\n  {then}");
    let take = "me.cards -= k";
    let all: Vec<(&str, String, bool, bool)> = vec![
        ("k in me.cards", take.into(), true, true),
        ("k in 1..3", take.into(), false, false),
        ("k in 1..3", needed("k in me.cards", take), true, true),
        ("k in 1..3", needed("k > 0 and k in me.cards", take), true, true),
        ("k in 1..3", needed("k in me.cards or k = 1", take), false, false),
        ("k in 1..3", needed("k not in me.cards or k > 1", take), false, false),
        ("k in 1..3 where k in me.cards", take.into(), true, true),
        ("k in 1..3, m in me.cards", take.into(), false, false),
        ("k in me.cards", "me.cards -= k\n  me.cards -= k".into(), true, false),
        ("k in me.cards", "me.cards -= k\n  me.cards -= 2".into(), false, false),
        ("k in me.cards, m in me.cards", "me.cards -= k\n  me.cards -= m".into(), true, false),
        ("k in me.cards", "repeat 2 { me.cards -= k }".into(), true, false),
        ("k in me.cards", "me.cards -= largest(me.cards)".into(), true, true),
        ("k in me.cards", "me.cards -= largest(me.cards)\n  me.cards -= k".into(), false, false),
        ("k in me.cards", "if largest(me.cards) > 2 { me.cards -= k }".into(), false, false),
        ("k in me.cards", "if k > 1 { me.cards -= k } else { me.cards -= k }".into(), true, true),
        ("c in subsets(2, me.cards)", each.into(), true, true),
        ("c in subsets(me.cards)", each.into(), true, true),
        ("c in subsets(1..3)", each.into(), false, false),
        ("c in subsets(1..3)", needed("all(x in c: x in me.cards)", each), true, true),
        ("c in subsets(1..3)", needed("some(x in c: x in me.cards)", each), false, false),
        ("c in lists(2, me.cards)", each.into(), true, false),
        ("c in lists(1..2, me.cards)", "each x in set(c) { me.cards -= x }".into(), true, true),
        ("c in subsets(me.cards)", "each x in c { repeat 2 { me.cards -= x } }".into(), true, false),
        ("c in subsets(me.cards)", "each x in me.cards { me.cards -= x }".into(), true, true),
        ("c in subsets(me.cards)", "each x in me.cards where x > 1 { me.cards -= x }".into(), false, false),
        ("k in me.cards", "let x = largest(me.cards)\n  me.cards -= x".into(), true, true),
        ("k in me.cards", "let x = largest(me.cards)\n  me.cards -= x\n  me.cards -= x".into(), false, false),
        ("k in me.cards", "me.cards -= first(x in me.cards where x > 1)".into(), true, true),
    ];
    for (head, body, set, bag) in &all {
        // Of a bag, enough is dealt for two different cards: whether somebody can make a move tells something, too.
        for (kind, deck, empty, dealt, open) in
            [("set", "{1, 2, 3}", "{}", "2", *set), ("bag", "bag([1, 1, 2, 3])", "bag()", "3", *bag)]
        {
            let text = HAND
                .replace("KIND", kind)
                .replace("DECK", deck)
                .replace("EMPTY", empty)
                .replace("DEALT", dealt);
            let text = text.replace("HEAD", head).replace("BODY", body);
            let seen = text.replace("SEEN", "{size(seat(1).cards)}").replace("TOLD", "");
            let shown = Rules::load(Source::new("seen.game", &seen));
            let accepted = match &shown {
                Ok(_) => true,
                Err(found) => {
                    let codes: Vec<&str> = found.iter().map(|d| d.code.page().code).collect();
                    assert!(codes.iter().all(|code| *code == "E0407"), "{seen}\n{codes:?}");
                    false
                }
            };
            assert_eq!(accepted, open, "{kind}: {head} {{ {body} }}");
            let told = text.replace("SEEN", "").replace("TOLD", "held += size(seat(1).cards)");
            let rules = Rules::load(Source::new("told.game", &told)).map_err(|found| format!("{found:?}"));
            let leaks = leaks_by_all_pairs(&Arc::new(rules.unwrap()));
            assert!(!(accepted && leaks), "{kind}: {head} {{ {body} }} leaks");
        }
    }
}

#[test]
fn what_tells_of_one_secret_is_one_report_with_the_other_places() {
    let text = |two: &str| {
        format!(
            r#"
game "Two Bids" {{ players 2 }}
each player {{
  bid: 0..9 = 0 secret
  luck: 0..9 = 0 secret
}}
table {{ heap: int = 0 }}
secret move lay(n in 0..9, k in 0..9) {{
  me.bid := n
  me.luck := k
}}
move nod {{ heap += 1 }}
play {{
  each p in players {{ ask p to lay }}
  if seat(1).bid > 5 {{ ask seat(2) to nod }}
  if seat(1).{two} > 7 {{ ask seat(2) to nod }}
  if seat(1).bid > 8 {{ ask seat(2) to nod }}
}}
winner last mover
"#
        )
    };
    // Returns the line of each leak, and the other lines where it shows.
    let of = |text: String| {
        let rules = Arc::new(Rules::load(Source::new("two.game", &text)).unwrap());
        let found = told_of(&rules, &explore(&rules, &small()), true).findings;
        let leaks = found.into_iter().filter(|finding| finding.sort == Sort::Leak);
        let line = |span: parlour::source::Span| rules.source.position(span.start).line;
        leaks
            .map(|finding| {
                let own = finding.diagnostic.span();
                let labels = finding.diagnostic.labels.iter();
                let others = labels.filter(|label| label.text.starts_with("here too: "));
                (line(own), others.map(|label| line(label.span)).collect())
            })
            .collect::<Vec<(usize, BTreeSet<usize>)>>()
    };
    assert_eq!(of(text("bid")), [(15, BTreeSet::from([16, 17]))]);
    let [(15, _), (16, _)] = of(text("luck"))[..] else { panic!("{:?}", of(text("luck"))) };
}
