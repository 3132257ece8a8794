//! Wording of reports: verbs for moves, singular and plural, repeated sentences.

use crate::diag::nouns::with_s;

/// Verbs that name moves, in alphabetical order. Other names, such as `term` or `my_turn`, are not verbs.
#[rustfmt::skip]
const DEEDS: &[&str] = &[
    "accept", "add", "advance", "aim", "ambush", "answer", "append", "arrange", "ask", "assign", "attack", "avoid",
    "award", "bank", "bear", "beat", "bend", "bet", "bid", "bless", "block", "bluff", "bounce", "break", "bribe",
    "bring", "build", "burn", "bury", "buy", "call", "cancel", "capture", "carry", "cast", "castle", "catch",
    "challenge", "change", "charge", "chase", "check", "choose", "chop", "claim", "clear", "climb", "close",
    "collect", "combine", "complete", "concede", "connect", "continue", "copy", "count", "cover", "crawl", "creep",
    "cross", "crown", "cut", "dare", "deal", "decide", "declare", "decline", "defend", "delete", "deliver", "demand",
    "deploy", "destroy", "develop", "dig", "discard", "dispatch", "distribute", "divide", "do", "dodge", "donate",
    "double", "draft", "drag", "draw", "drive", "drop", "eat", "elect", "encircle", "end", "enter", "erase", "escape",
    "exchange", "expand", "explore", "extend", "factor", "feed", "fetch", "fight", "fill", "find", "finish", "fire",
    "fish", "fix", "flee", "flip", "fly", "fold", "follow", "force", "foretell", "forfeit", "forge", "fortify",
    "gain", "gather", "give", "go", "grab", "grant", "grow", "guard", "guess", "halve", "harvest", "hatch", "heal",
    "help", "hide", "hint", "hire", "hit", "hoard", "hold", "hop", "hunt", "increase", "insert", "invade", "invest",
    "invite", "join", "jump", "keep", "kill", "knock", "launch", "lay", "lead", "leap", "leave", "lend", "let", "lie",
    "lift", "link", "list", "listen", "load", "lock", "look", "lose", "lower", "make", "march", "mark", "marry",
    "match", "meld", "merge", "mix", "move", "multiply", "negate", "nominate", "offer", "open", "paint", "pair",
    "pass", "pay", "peek", "permute", "pick", "place", "plan", "plant", "play", "pledge", "plunder", "point", "pour",
    "praise", "predict", "press", "promote", "propose", "protect", "prove", "pull", "push", "put", "question", "quit",
    "race", "raid", "raise", "reach", "read", "reap", "recruit", "reduce", "refuse", "release", "remove", "repair",
    "repeat", "resign", "rest", "reveal", "reverse", "ride", "risk", "roam", "roll", "rotate", "run", "sacrifice",
    "sail", "save", "say", "scatter", "score", "scout", "search", "see", "seek", "seize", "select", "sell", "send",
    "set", "settle", "shift", "ship", "shoot", "shout", "shove", "show", "shuffle", "sing", "sink", "sit", "skip",
    "slide", "smuggle", "solve", "sow", "spawn", "speak", "spend", "spin", "split", "spread", "spy", "stack", "stake",
    "stand", "start", "stay", "steal", "steer", "step", "stick", "stop", "stretch", "strike", "submit", "subtract",
    "summon", "surrender", "swap", "swim", "switch", "take", "tap", "teach", "tell", "test", "think", "throw", "tie",
    "tilt", "toss", "touch", "trace", "trade", "transfer", "trap", "travel", "trump", "trust", "try", "turn", "use",
    "vary", "veto", "visit", "vote", "wager", "wait", "walk", "want", "watch", "weigh", "whisper", "win", "wipe",
    "withdraw", "write", "yield",
];

/// Returns a move's name in the third person: `permute` becomes `permutes`, `place_wall` becomes `places
/// wall`, `check_or_call` becomes `checks or calls`. `None` if the name does not begin with a verb, such as `column`.
pub fn does(name: &str) -> Option<String> {
    let mut words = name.split('_');
    let mut deeds = vec![deed(words.next()?)?];
    for word in words {
        let joins = matches!(deeds.last().map(String::as_str), Some("or" | "and"));
        deeds.push(deed(word).filter(|_| joins).unwrap_or_else(|| word.to_string()));
    }
    Some(deeds.join(" "))
}

/// Returns a verb in the third person; `None` if it is not known as one.
fn deed(word: &str) -> Option<String> {
    let deed = word.to_lowercase();
    let known = |deed: &str| DEEDS.binary_search(&deed).is_ok();
    let again = ["over", "out", "re", "un"];
    let made_of = || again.iter().any(|before| deed.strip_prefix(before).is_some_and(known));
    match () {
        () if known(&deed) || made_of() => Some(with_s(&deed)),
        // Some names are already in the third person: `takes`.
        () if DEEDS.iter().any(|known| with_s(known) == deed) => Some(deed),
        () => None,
    }
}

/// Returns the form of "to be" that fits a name: `the prizes are`, `the deck is`.
pub(in crate::play) fn to_be(name: &str) -> &'static str {
    let one = ["ss", "us", "is"].iter().any(|end| name.ends_with(end));
    // A name of a letter or two is no plural.
    if name.ends_with('s') && !one && name.chars().count() > 2 { "are" } else { "is" }
}

/// Appends to a sentence how often what it tells happened, if that was more than once.
pub(super) fn repeated(sentence: String, times: usize) -> String {
    match times {
        0 | 1 => sentence,
        2 => format!("{sentence} (twice)"),
        times => format!("{sentence} ({times} times)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_what_somebody_does() {
        assert!(DEEDS.is_sorted());
        for (name, words) in [
            ("permute", "permutes"),
            ("pass", "passes"),
            ("fetch", "fetches"),
            ("carry", "carries"),
            ("play", "plays"),
            ("go", "goes"),
            ("bid", "bids"),
            ("guess", "guesses"),
            ("double", "doubles"),
            ("Veto", "vetoes"),
            ("reroll", "rerolls"),
            ("outbid", "outbids"),
            ("takes", "takes"),
            ("place_wall", "places wall"),
            ("pick_up", "picks up"),
            ("check_or_call", "checks or calls"),
            ("draw_or_line", "draws or line"),
        ] {
            assert_eq!(does(name).as_deref(), Some(words), "{name}");
        }
    }

    #[test]
    fn moves_may_be_called_by_what_is_no_deed() {
        for name in [
            "term",
            "terms",
            "column",
            "card",
            "my_turn",
            "domino",
            "no_bid",
            "first_card",
            "number",
            "y",
            "zug",
            "x2",
            "left",
            "up",
            "north",
            "everything",
            "hand",
            "row",
            "number_cards",
            "reply_card",
        ] {
            assert_eq!(does(name), None, "{name}");
        }
    }

    #[test]
    fn several_things_are_what_one_is() {
        for name in ["prizes", "blue cards", "draws"] {
            assert_eq!(to_be(name), "are", "{name}");
        }
        for name in ["deck", "s", "pile of cards left", "chess", "abacus", "basis"] {
            assert_eq!(to_be(name), "is", "{name}");
        }
    }
}
