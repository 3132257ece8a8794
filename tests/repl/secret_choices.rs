//! What one player chooses in secret, the others at the screen do not see.

use super::session;
use crate::memory::Memory;

/// Returns what one player can read in a session, line by line: public screens and the player's own.
fn read_by(lines: &[String], player: usize) -> Vec<String> {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    let mut seen = Vec::new();
    for line in lines {
        let asked = here.asked();
        if asked.private == Some(player) {
            seen.push(here.private_screen(player));
        }
        let changes = here.changes();
        let reply = here.line(line);
        // A reply on a player's own screen is for that player only, whatever it says.
        let eyes = reply.private.or(asked.private.filter(|_| here.changes() == changes));
        if eyes.is_none_or(|eyes| eyes == player) {
            seen.push(reply.text);
        }
        seen.push(here.asked().prompt);
    }
    seen
}

/// Whatever one player chooses in secret, the others must read the same until it is revealed.
#[test]
fn a_secret_choice_shows_nowhere() {
    let probes = [
        "",
        ":moves",
        ":state",
        ":show",
        ":points",
        ":history",
        ":look 2",
        ":why score",
        ":replay",
        ":why 1: MOVE",
        "1: MOVE",
        ":games",
        ":seat",
        ":set",
    ];
    // Commands that take thought; they are only tried in a game with short playouts.
    let thought = [":hint", ":analyse", ":verdict on", ":review"];
    let games: [(&str, &[&str], [&str; 2], &str); 4] = [
        ("numbers-to-number", &[], ["choose 5", "choose 41"], "choose 41"),
        ("numerical-card-game", &[], ["play 3", "drop"], "play 3"),
        ("numerical-card-game", &["play 5", "play 10"], ["play 9", "play 2"], "play 9"),
        ("transform", &[], ["list 1 2 3 4", "list -90 17 5 123456789123456789123456789"], "list 1 2 3 4"),
    ];
    for (game, before, choices, other) in games {
        let run = |choice: &str| {
            let mut lines = vec![format!(":game {game}")];
            lines.extend(before.iter().map(ToString::to_string));
            // A question about the choice, and then the choice itself.
            lines.extend([format!(":why {choice}"), choice.to_string()]);
            lines.extend(probes.iter().map(|probe| probe.replace("MOVE", other)));
            lines.extend(thought.iter().filter(|_| game == "numerical-card-game").map(ToString::to_string));
            read_by(&lines, 2)
        };
        let (one, two) = (run(choices[0]), run(choices[1]));
        assert_eq!(one, two, "{game}");
        assert!(one.iter().any(|text| text.contains("player 1 has chosen")), "{one:#?}");
        assert!(one.iter().any(|text| text.contains("player 2 can play")), "{one:#?}");
    }
}

/// A secret move must stay secret after the choice, until the rules reveal it.
#[test]
fn a_secret_move_stays_secret() {
    let run = |list: &str| {
        let lines = [
            ":game transform",
            list,
            "list 7 8 9 10",
            "term 1",
            "",
            ":history",
            ":replay",
            ":state",
            ":undo",
            ":redo",
            "term 2",
            "term 3",
            ":hint",
            ":verdict on",
            ":review",
            ":why term 3",
            "term 4",
            ":look 2",
            ":state",
            "",
            ":history",
        ];
        read_by(&lines.map(String::from), 2)
    };
    let (one, two) = (run("list 1 2 3 4"), run("list 5 -6 77 888"));
    assert_eq!(one, two);
    assert!(one.iter().any(|text| text.contains("player 1: list (secret)")), "{one:#?}");
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    let lines = [":game transform", "list 0 1 2 4", "list 5 6 7 8", "term 1", "term 2", "term 3", "term 4"];
    lines.iter().for_each(|line| assert!(!here.line(line).refused, "{line}"));
    let opened = here.line("permute 1 2 3 4").text;
    assert!(opened.contains("0,1,2,4 gives 11,11,11,11"), "{opened}");
}

/// With a bot in the only other seat nobody has to look away any more, and the person sees its own things at once.
#[test]
fn who_is_left_alone_with_a_bot_sees_its_own_things() {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    assert!(!here.line(":game numerical-card-game").refused);
    assert_eq!(here.asked().private, Some(1));
    let reply = here.line(":seat 2 random");
    assert!(reply.text.contains("your fresh: ") && reply.private.is_none(), "{}", reply.text);
    assert_eq!(here.asked().private, None);
    let reply = here.line(":seat 2 person");
    assert!(!reply.text.contains("your fresh"), "{}", reply.text);
}
