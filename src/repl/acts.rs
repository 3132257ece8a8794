//! What can be done while looking back at a match, and how it is typed.

use super::words;

/// An action while looking back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Goes to the next step.
    Next,
    /// Goes to the previous step.
    Back,
    /// Goes to the start.
    First,
    /// Goes to the end of the current line.
    Last,
    /// Goes to the step of this number.
    To(usize),
    /// Goes to an alternative that was played at this place.
    Other {
        /// Whether to go to the next alternative, else the previous one.
        next: bool,
    },
    /// Plays a move from here, as typed by people.
    Play(String),
    /// Sets the comment on the step; an empty text removes it.
    Comment(String),
    /// Goes to the next choice that turned the match, or to the first after the last.
    Turn,
    /// Removes the current variation.
    Remove,
    /// Shows the lines of the table below those that are shown, or those above.
    Scroll {
        /// Whether to show those below.
        down: bool,
    },
    /// Says what a bot would play here, and why; with the name of a player who chooses together with others, for that player.
    Hint(String),
    /// Lists what each move is worth here, likewise.
    Analyse(String),
    /// Leaves, and plays on from here as a new match.
    PlayOn,
    /// Lists what can be done.
    Help,
    /// Leaves.
    Quit,
}

/// The help text when actions are typed as lines.
pub(super) const HELP: &str = "Enter: the next step; `back`, `first`, `last` or a number: go to that step; `other`: \
                    what else was played here; `turn`: the next turning point; `play MOVE`: a variation from here; `comment TEXT`; \
                    `remove`: delete the variation; `hint`, `analyse`: what is best here; `continue`: a new match from here; `quit`";

impl Act {
    /// Parses a line; anything that is not one of the words is a move.
    pub fn read(line: &str) -> Act {
        let line = words::printable(line.trim());
        // At the table, what is no move begins with a colon.
        let line = line.strip_prefix(':').unwrap_or(&line).trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word, rest.trim()) {
            ("" | "next" | "n", "") => Act::Next,
            ("back" | "b", "") => Act::Back,
            ("first", "") => Act::First,
            ("last", "") => Act::Last,
            ("other", "") => Act::Other { next: true },
            ("turn", "") => Act::Turn,
            ("remove", "") => Act::Remove,
            ("hint", who) => Act::Hint(who.to_string()),
            ("analyse" | "analyze", who) => Act::Analyse(who.to_string()),
            ("continue", "") => Act::PlayOn,
            ("help" | "?" | "h", "") => Act::Help,
            ("quit" | "q" | "exit", "") => Act::Quit,
            ("comment" | "c", text) => Act::Comment(text.to_string()),
            ("play", text) => Act::Play(text.to_string()),
            (word, "") => word.parse().map_or_else(|_| Act::Play(line.to_string()), Act::To),
            _ => Act::Play(line.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_words_or_moves() {
        assert_eq!(Act::read(" "), Act::Next);
        assert_eq!(Act::read("12"), Act::To(12));
        assert_eq!(Act::read("comment  well played"), Act::Comment("well played".to_string()));
        assert_eq!(Act::read("flip 4"), Act::Play("flip 4".to_string()));
        assert_eq!(Act::read("play back"), Act::Play("back".to_string()));
        assert_eq!(Act::read(":continue"), Act::PlayOn);
        assert_eq!(Act::read("analyse 2"), Act::Analyse("2".to_string()));
        assert_eq!(Act::read(":hint"), Act::Hint(String::new()));
        assert_eq!(Act::read("pass"), Act::Play("pass".to_string()));
    }
}
