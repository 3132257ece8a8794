//! Matches that can go on for ever, and those that only seem to.

use super::{help, lines, only, rules, shown, small, told};
use parlour::explore::{Plan, Sort, explore};

const LINE: &str = r#"
game "Line" { players 2 }
table {
  at: 0..3 = 1
  steps: int = 0
}
show "{at} after {steps}"
move step(by in {-1, 1}) {
  need 0 <= at + by <= 3 else "there is no such place"
  at += by
  steps += 1
}
play { turns until at = 3 { step } }
winner last mover
"#;

#[test]
fn a_cycle_is_found_though_steps_are_counted_for_all_to_see() {
    let rules = rules(LINE);
    let report = explore(&rules, &small());
    let finding = only(&rules, &report);
    assert_eq!((finding.sort, finding.proved), (Sort::Endless, false));
    assert_eq!(
        finding.diagnostic.message,
        "a match may never end: after 2 steps the position is the same again, and nothing prevents that"
    );
    assert_eq!(lines(&rules, finding).len(), 2);
}

/// Passing for ever past a die must be reported as endless, unless one of the die's numbers ends the match.
#[test]
fn a_die_that_stops_nobody_makes_no_end() {
    let rules_with = |drawn: &str| {
        rules(&format!(
            "game \"Passes\" {{ players 2 }}\ntable {{\n  left: 0..3 = 3\n  die: 1..2 = 1\n}}\n\
             move put {{ left -= 1 }}\nmove pass {{ }}\n\
             play {{\n  turns until left = 0 {{\n    chance d in 1..2\n    {drawn}\n    put or pass\n  }}\n}}\nwinner last mover\n"
        ))
    };
    let endless = rules_with("die := d");
    let report = explore(&endless, &small());
    let finding = only(&endless, &report);
    assert_eq!((finding.sort, finding.proved), (Sort::Endless, true));
    assert_eq!(
        finding.diagnostic.message,
        "a match may never end: after 4 steps the position is the same again, and nothing prevents that"
    );
    let ends = rules_with("die := d\n    end when d = 2");
    assert!(explore(&ends, &small()).findings.iter().all(|finding| finding.sort != Sort::Endless));
}

#[test]
fn it_is_told_who_can_keep_a_match_going() {
    let uncounted = LINE.replace("  steps += 1\n", "");
    let message = |text: &str| {
        let rules = rules(text);
        let report = explore(&rules, &small());
        assert!(only(&rules, &report).proved);
        (only(&rules, &report).diagnostic.message.clone(), lines(&rules, only(&rules, &report)))
    };
    let (told, lines) = message(&uncounted);
    assert_eq!(
        told,
        "player 1 alone can keep the match going forever: after 2 steps the position is the same again"
    );
    assert_eq!(lines, ["1  player 1: step -1", "2  player 2: step 1"]);
    // A player at 0 or 1 may stay there, but keeping the match going takes both players.
    let (told, _) = message(&uncounted.replace("by in {-1, 1}", "by in {-1, 1, 2}"));
    assert_eq!(
        told,
        "a match may never end: after 2 steps the position is the same again, and nothing prevents that"
    );
    // From 0, the end cannot be reached any more.
    let trap = "need 0 <= at + by <= 3 and (at > 0 or by < 1) and at + by != -1";
    let (told, lines) = message(
        &uncounted.replace("need 0 <= at + by <= 3", trap).replace("by in {-1, 1}", "by in {-1, 0, 1}"),
    );
    assert_eq!(
        told,
        "the match can no longer end, whatever is chosen: after 2 steps the position is the same again"
    );
    assert_eq!(lines, ["1  player 1: step -1", "2  player 2: step 0", "3  player 1: step 0"]);
}

/// Before it gets there, this game has hundreds of positions that do not recur.
#[test]
fn a_cycle_far_from_the_start_is_found() {
    let rules = rules(
        "game \"Wheel\" { players 2 }\ntable { wheel: list of 0..4 = [] }\nmove put(x in 1..3) { wheel += x }\n\
         move turn { wheel[1] := (wheel[1] + 1) mod 4 }\nmove stop { wheel := [0, 0, 0] }\n\
         play {\n  repeat 3 { each p in players { ask p to put } }\n  turns until size(wheel) = 3 { turn or stop }\n}\n\
         winner last mover\n",
    );
    let report = explore(&rules, &Plan { effort: 40_000_000, ..small() });
    assert!(report.tried[0].complete, "{}", told(&rules, &report));
    let finding = only(&rules, &report);
    assert_eq!((finding.sort, finding.proved, lines(&rules, finding).len()), (Sort::Endless, true, 10));
}

#[test]
fn a_count_of_turns_that_ends_them_is_no_cycle() {
    let rules = rules(&LINE.replace("until at = 3 { step }", "as t until at = 3 { step } until t = 30"));
    let report = explore(&rules, &small());
    assert!(shown(&report).is_empty(), "{}", told(&rules, &report));
}

#[test]
fn a_match_that_goes_on_and_on_is_told_as_such_and_not_called_a_circle() {
    let text = LINE.replace("  steps += 1\n", "  steps += me.number + at\n");
    let rules =
        rules(&text.replace("until at = 3", "until steps < 0").replace("steps: int = 0", "steps: int = 1"));
    let report = explore(&rules, &Plan { effort: 14_000_000, ..Plan::default() });
    let finding = only(&rules, &report);
    assert_eq!(finding.sort, Sort::Endless);
    assert_eq!(
        finding.diagnostic.message,
        "no match ended: after 3,000 choices, this one was still going on"
    );
}

#[test]
fn it_is_told_what_a_way_round_leaves_as_it_is() {
    let said = help(&LINE.replace("  at: 0", "  goal: 0..3 = 3\n  at: 0").replace("at = 3", "at = goal"));
    let way = "in this cycle, `at` comes back to its old value, and `goal` does not change; make every turn";
    assert!(said.contains(way), "{said}");
}

/// Many settings share the effort, so that all of their matches are broken off early: one is played on.
#[test]
fn matches_none_of_which_ends_in_time_are_told() {
    let rules = rules(
        "game \"Round and Round\" { players 2 to 5 }\noption length: 12..60 = 30\n\
         table { dice: list of 1..6 = [] each turn\n  total: int = 0 }\n\
         each player { at: 0..length = 0 }\nshow \"{[p in players: p.at]} {total}\"\n\
         move go(die in 1..2) {\n  me.at := min(length, me.at + dice[die])\n  total += 1\n}\n\
         play {\n  turns as turn {\n    repeat 2 {\n      chance d in 1..6\n      dice += d\n    }\n    go\n    \
         win me when me.at > length\n  }\n}\nwinner last mover\n",
    );
    let report = explore(&rules, &Plan { effort: 20_000_000, ..Plan::default() });
    assert!(report.findings.iter().any(|finding| finding.sort == Sort::Endless), "{}", told(&rules, &report));
}

/// Each choice is among tens of thousands of rows: the effort holds all the same.
#[test]
fn few_matches_of_many_rows_stay_within_the_effort() {
    let rules = rules(
        "game \"Words\" { players 2 }\noption length: 3..5 = 3\n\
         table { words: list of list of 0..9 = [] }\nshow \"{[w in words: joined(w)]}\"\n\
         move write(word in lists(length, 0..9)) {\n  \
         need words is empty or first(word, 2) = last(last(words), 2) else \"it goes on\"\n  \
         need word not in words else \"again\"\n  words += word\n}\n\
         play { turns until stuck {\n  write\n  end when size(words) = 20\n} }\nwinner last mover\n",
    );
    let effort = 4_000_000;
    let report = explore(&rules, &Plan { effort, ..Plan::default() });
    let spent: u64 = report.tried.iter().map(|tried| tried.effort).sum();
    assert!(spent < 10 * effort, "{spent}: {}", told(&rules, &report));
}
