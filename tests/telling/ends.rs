//! Why a match is over: every kind of end, in small games that end that way.

use parlour::play::{Look, Match, Rng, standings, why_over};

use super::{begun, names, rules, step, written};

/// Plays a random match of a game with these parts, and returns what is said at its end.
fn end(parts: &str, players: usize) -> Vec<String> {
    let text = format!(
        "game \"End\" {{\n  players {players}\n}}\n\
         option goal: 1..100 = 3\n\
         table {{\n  left: 0..9 = 5\n  board: empty grid 3 by 3 of player\n}}\n\
         each player {{\n  taken: 0..20 = 0\n  hidden_card: 1..9 = 4 secret\n}}\n\
         move take {{\n  need left > 0 else \"nothing is left\"\n  left -= 1\n  me.taken += 1\n}}\n\
         move mark(at in board) {{\n  need board[at] is none else \"taken\"\n  board[at] := me\n}}\n\
         move pass {{ }}\n\
         move leave {{ out me }}\n\
         {parts}\n"
    );
    let mut played = begun(&written(&text), &[], players, 1);
    assert!(why_over(&played).is_empty() || played.over());
    let mut rng = Rng::nth(1, 0);
    for _ in 0..60 {
        if played.over() {
            break;
        }
        step(&mut played, &mut rng);
    }
    assert!(played.over(), "{parts}");
    why_over(&played)
}

#[test]
fn every_kind_of_end_says_why() {
    let last = "player 1 made the last move";
    for (parts, told) in [
        (
            "play { turns until stuck { take } }\nwinner last mover",
            &["the end: player 2 has no legal move", last][..],
        ),
        (
            "play { turns until stuck { take } }\nloser last mover",
            &["the end: player 2 has no legal move", "player 1 made the last move, and loses"],
        ),
        ("play { turns until left = 0 { take } }\nwinner last mover", &["the end: left is 0", last]),
        (
            "play { turns until left = 1 { take } }\nwinner highest me.taken, then last mover",
            &[
                "the end: left is 1",
                "the highest taken decides: player 1 has 2, player 2 has 2; player 2 made the last move, which breaks the tie",
            ],
        ),
        (
            "play { turns until left = 0 { take } }\nwinner highest me.taken, then last mover",
            &["the end: left is 0", "the highest taken decides: player 1 has 3, player 2 has 2"],
        ),
        (
            "play { turns { take } until left <= 2 }\nwinner last mover",
            &["the end: left is at most 2 (it is 2)", last],
        ),
        (
            "play { turns until board is full { mark } }\nwinner last mover",
            &["the end: the board is full", last],
        ),
        (
            "play { turns skipping stuck { take } }\nwinner last mover",
            &["the end: nobody has a legal move", last],
        ),
        ("play { turns dropping stuck { take } }\nwinner last mover", &["the end: everybody is out", last]),
        (
            "play { turns { leave } until size(standing) = 1 }\nwinner last in",
            &["the end: the number of players still in is 1"],
        ),
        (
            "play { repeat 2 as round { each p in players { ask p to take } } }\nwinner last mover",
            &["the end: the last round is over", "player 2 made the last move"],
        ),
        (
            "play { repeat 2 { take_all() } }\nrule take_all() { each p in players { ask p to take } }\nwinner last mover",
            &["the end: everything has been played", "player 2 made the last move"],
        ),
        (
            "play { each p in players as deal { ask p to take } }\nwinner last mover",
            &["the end: the last deal is over", "player 2 made the last move"],
        ),
        (
            "play { ask seat(1) to take\n  ask seat(2) to pass }\nwinner highest me.taken",
            &[
                "the end: everything has been played",
                "the highest taken decides: player 1 has 1, player 2 has 0",
            ],
        ),
        (
            "play { turns { take }\n  end when left = 1 // a cap\n}\nwinner last mover",
            &["the end: left is 1", "player 2 made the last move"],
        ),
        (
            "play { turns { take }\n  end when left = 1 // only one of the heap is left\n}\nwinner last mover",
            &["the end: only one of the heap is left (left is 1)", "player 2 made the last move"],
        ),
        (
            "play { turns { take } }\nwin me when me.taken >= goal",
            &["the end: player 1’s taken is at least 3 (it is 3)"],
        ),
        (
            "play { turns {\n  mark\n  win me when some(s in board: board[s] = me and s.row = 2) // whoever has a square in the middle row wins\n} }",
            &["the end: whoever has a square in the middle row wins (a2)"],
        ),
        ("play { turns { take\n  if left < 3 { win me } } }", &["the end: left is less than 3 (it is 2)"]),
        (
            "play { turns { take\n  let poor = [p in players where p.taken < 2]\n  if size(poor) < 1 { end } } }\nwinner last mover",
            &["the end: poor is empty", "player 2 made the last move"],
        ),
        (
            "play { turns { take\n  let rich = [p in players where p.taken > 1]\n  if size(rich) > 0 { win first(rich) } } }",
            &["the end: rich is not empty (it is player 1)"],
        ),
        (
            "play { turns { take\n  if left < 3 { end } } }\nwinner lowest me.taken",
            &[
                "the end: left is less than 3 (it is 2)",
                "the lowest taken decides: player 1 has 2, player 2 has 1",
            ],
        ),
        (
            "play { turns { take\n  if left > 2 { left := left } else { win me } } }",
            &["the end: left is at most 2 (it is 2)"],
        ),
        (
            "play { turns { take\n  repeat 2 { if left > 3 { left := left } else if left > 2 { pass } else { end } } } }\nwinner last mover",
            &[
                "the end: left is at most 3 (it is 2) and left is at most 2 (it is 2)",
                "player 1 made the last move",
            ],
        ),
        (
            "play { turns { take\n  if left < 3 { if left = 2 { win me } else { end } } } }",
            &["the end: left is 2"],
        ),
        (
            "play { turns { take\n  if left < 3 { if left = 4 { win me } else { end } } } }\nwinner last mover",
            &["the end: left is not 4 (it is 2)", last],
        ),
        ("play { turns { give_up } }\nmove give_up { win me.next }", &["the end: by the rule “win me.next”"]),
        (
            "play { if left = 5 { end }\n  turns until stuck { take } }\nwinner last mover",
            &["the end: left is 5"],
        ),
        (
            "play { turns { pass } until seat(1).hidden_card < 5 }\nwinner last mover",
            &["the end: player 1’s hidden card is less than 5", last],
        ),
        (
            "play { turns until stuck { take }\n  each p in players { award p.taken to p } }\nwinner highest score",
            &["the end: player 2 has no legal move"],
        ),
    ] {
        assert_eq!(end(parts, 2), told, "{parts}");
    }
}

/// Conditions must be reported as they were judged, although later statements and final points change values.
#[test]
fn conditions_are_told_as_they_were_judged() {
    for (parts, told) in [
        (
            "play { turns { take } until left <= 2\n  left := 0\n  each p in players { p.taken := 9 } }\nwinner last mover",
            "the end: left is at most 2 (it is 2)",
        ),
        (
            "play { turns { take } until some(p in players: p.taken >= 2)\n  each p in players { p.taken := 9 } }\nwinner last mover",
            "the end: player 1’s taken is at least 2",
        ),
        (
            "play { turns { mark } until some(s in board: board[s] = seat(2))\n  each s in board { board[s] := none } }\nwinner last mover",
            "the end: square a1 is player 2’s",
        ),
    ] {
        assert_eq!(end(parts, 2)[0], told, "{parts}");
    }
}

/// The report must name everybody for whom a condition holds.
#[test]
fn conditions_are_told_of_those_for_whom_they_hold() {
    for (parts, told) in [
        (
            "play { each p in players { ask p to take }\n  if some(p in players: p.taken = 1) { end }\n  ask seat(1) to pass }",
            "the end: player 1’s taken is 1 and player 2’s taken is 1",
        ),
        (
            "// Whether somebody has enough of it.\ndefine enough() = some(p in players: p.taken = 2)\nplay { turns { take } until enough() }",
            "the end: somebody has enough of it (player 1)",
        ),
        (
            "// Whether p has more than x.\ndefine above(p, x) = p.taken > x\nplay { turns { take } until above(seat(2), 1) }",
            "the end: player 2 has more than 1",
        ),
        (
            "// Whether somebody may still take one.\ndefine open() = left > 3\nplay { turns { take } until not open() }",
            "the end: it is no longer the case that somebody may still take one",
        ),
        (
            "each player { runs: list of int = [3, 3] }\nplay { turns { take\n  win me when me.runs[1] = 3 and me.runs[2] = 3 } }",
            "the end: place 1 of player 1’s runs is 3 and place 2 of player 1’s runs is 3",
        ),
        (
            "// Has what it takes.\ndefine rich(p) = p.taken > 1\nplay { turns { take } until rich(seat(1)) }",
            "the end: rich holds for player 1",
        ),
    ] {
        assert_eq!(end(parts, 2)[0], told, "{parts}");
    }
}

/// The deciding values must be named or described in words, or in the words of the author.
#[test]
fn what_decides_is_said_in_words() {
    for (parts, told) in [
        (
            "define rank() = me.taken - 1\nPLAY\nwinner highest rank()",
            "the highest rank decides: player 1 has 1, player 2 has 0",
        ),
        (
            "define marks() = me.taken\nPLAY\nwinner highest marks()",
            "the highest marks decide: player 1 has 2, player 2 has 1",
        ),
        (
            "define worth(p) = p.taken\nPLAY\nwinner lowest worth(me)",
            "the lowest worth decides: player 1 has 2, player 2 has 1",
        ),
        (
            "PLAY\nwinner highest count(s in board where board[s] is none: s.row <= me.number)",
            "the highest number of squares s where square s is empty and the row of s is at most the seat number of the player decides: player 1 has 3, player 2 has 6",
        ),
        (
            "PLAY\nwinner lowest 2 * me.taken - left",
            "the lowest value of 2 × the player’s taken − left decides: player 1 has 2, player 2 has 0",
        ),
        (
            "PLAY\n// Whoever has taken less wins.\nwinner lowest me.taken",
            "whoever has taken less wins: player 1 has 2, player 2 has 1",
        ),
    ] {
        let play = "play { turns { take } until left = 2 or board is full }";
        let said = end(&parts.replace("PLAY", play), 2);
        assert_eq!(said, ["the end: left is 2", told], "{parts}");
    }
}

/// Returns a match on a 4 by 4 board: player 1 alone marks the listed squares, and wins when `cond` holds.
fn marked(cond: &str, param: &str, squares: &[&str]) -> Match {
    let (choice, at) = match param {
        "square" => ("at in board", "at"),
        _ => ("row in 1..4, column in 1..4", "square(row, column)"),
    };
    let text = format!(
        "game \"Marks\" {{\n  players 1\n}}\ntable {{\n  board: empty grid 4 by 4 of player\n}}\nshow board\n\
         move mark({choice}) {{\n  board[{at}] := me\n}}\n\
         define mine(s) = board[s] = me\n\
         define top() = [s in board where mine(s) and s.row = 1]\n\
         define joined() = reach(s in top(): [t in beside(board, s) where mine(t)])\n\
         define full_row(r) = all(c in 1..4: board[r, c] = me)\n\
         play {{\n  turns {{\n    mark\n    win me when {cond}\n  }}\n}}\n"
    );
    let mut played = begun(&written(&text), &[], 1, 1);
    for square in squares {
        let (column, row) = (square.as_bytes()[0] - b'a' + 1, square.as_bytes()[1] - b'0');
        let args = match param {
            "square" => serde_json::json!({ "at": square }),
            _ => serde_json::json!({ "row": row, "column": column }),
        };
        played.play(1, "mark", args.as_object().unwrap()).unwrap();
    }
    assert!(played.over(), "{cond}");
    played
}

/// The deciding squares must be found and named as on the board, however the condition is written.
#[test]
fn squares_that_decide_are_found() {
    const ROW: &[&str] = &["b1", "a2", "d2", "c2", "b2"];
    const COLUMN: &[&str] = &["a4", "c1", "d3", "b3", "c2", "c4", "c3"];
    for (cond, squares, told) in [
        ("some(line in lines(board, 4): all(s in line: mine(s)))", ROW, "(a2, b2, c2, d2)"),
        ("some(line in lines(board, 4): count(s in line: mine(s)) = 4)", ROW, "(a2, b2, c2, d2)"),
        ("some(r in 1..4: full_row(r))", ROW, "(a2, b2, c2, d2)"),
        ("full_row(1) or full_row(2)", ROW, "(a2, b2, c2, d2)"),
        ("mine(a2) and mine(b2)", ROW, "(a2, b2)"),
        ("count(s in rows(board)[2]: mine(s)) >= 4", ROW, "(a2, b2, c2, d2)"),
        ("size(joined()) > 3", ROW, "(b1, a2, b2, c2, d2)"),
        ("some(s in joined(): s.row = 4)", COLUMN, "(c1, c2, c3, c4)"),
        ("some(s in board where s.row = 4: s in joined())", COLUMN, "(c1, c2, c3, c4)"),
        ("c4 in joined()", COLUMN, "(c1, c2, c3, c4)"),
        ("count(s in board: mine(s)) = 7", COLUMN, "(c1, c2, b3, c3, d3, a4, c4)"),
    ] {
        let said = why_over(&marked(cond, "square", squares)).remove(0);
        assert!(said.ends_with(told), "{cond}: {said}");
    }
    let by_number = |squares| {
        why_over(&marked("some(line in lines(board, 3): all(s in line: mine(s)))", "numbers", squares))
            .remove(0)
    };
    assert!(by_number(&["a2", "d2", "c2", "b2"]).ends_with("(row 2, columns 1 to 3)"));
    assert!(by_number(&["b1", "b4", "b2", "b3"]).ends_with("(column 2, rows 1 to 3)"));
    assert!(by_number(&["a1", "b2", "c3"]).ends_with("(column 1 row 1, column 2 row 2, column 3 row 3)"));
}

/// The deciding squares must be marked on the last table, in signs and in words.
#[test]
fn squares_that_decide_are_marked() {
    let played =
        marked("some(line in lines(board, 3): all(s in line: mine(s)))", "square", &["b4", "a1", "c3", "b2"]);
    let drawn = |look| played.drawing().unwrap().text(&look);
    assert_eq!(drawn(Look::default()), "   a b c d\n1 (1). . .\n2  .(1). .\n3  . .(1).\n4  . 1 . .");
    let told = drawn(Look { plain: true, ..Look::default() });
    assert!(told.ends_with("\ndecided by: a1, b2, c3"), "{told}");
    // If most squares are decisive, marks would say nothing.
    let full = marked(
        "count(s in board: mine(s)) > 8",
        "square",
        &["a1", "b1", "c1", "d1", "a2", "b2", "c2", "d2", "a3"],
    );
    assert!(!full.drawing().unwrap().text(&Look::default()).contains('('));
}

/// Bundled games must end as their sheets say.
#[test]
fn games_at_their_ends() {
    let mut out = String::new();
    for (_, games) in parlour::play::shelves() {
        for (game, _) in games {
            let rules = rules(&game);
            let mut played = begun(&rules, &[], rules.default_players(), 5);
            let mut rng = Rng::nth(5, 0);
            while !played.over() && played.depth() < 400 {
                step(&mut played, &mut rng);
            }
            assert_eq!(played.over(), !why_over(&played).is_empty(), "{game}");
            out.push_str(&format!("{game}: {}\n", why_over(&played).join("; ")));
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../telling");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("ends", out));
}

#[test]
fn standings_are_in_order_and_ties_share_a_place() {
    let text = |winner: &str| {
        written(&format!(
            "game \"S\" {{\n  players 4\n}}\nmove go(n in 0..9) {{ award n to me }}\nplay {{ each p in players {{ ask p to go }} }}\nwinner {winner}\n"
        ))
    };
    let scores = [3, 12, 3, 0].map(Into::into);
    let named = text("highest score").named(&names(&[(2, "Ann")])).unwrap();
    assert_eq!(
        standings(&named.game, &scores),
        ["1. Ann       12", "2. player 1   3", "2. player 3   3", "4. player 4   0"]
    );
    let lowest = text("lowest score");
    assert_eq!(standings(&lowest.game, &scores)[..2], ["1. player 4   0", "2. player 1   3"]);
}

/// A bare number would not say what it is: `2 is 2`.
#[test]
fn an_element_says_where_it_stands() {
    let told = end("play { turns { take } until some(k in [left]: k = 2) }\nwinner last mover", 2);
    assert!(told[0].starts_with("the end: for some k ") && told[0].ends_with("k is 2"), "{told:?}");
}
