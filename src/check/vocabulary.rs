//! Which arguments the functions of the language take; the functions themselves are listed in `ir::WORDS`.

use crate::ir::{Type, WORDS, Word};

impl Word {
    /// Returns the signatures, each a string of argument letters.
    pub fn ways(&self) -> impl Iterator<Item = &'static str> {
        self.takes.split('|')
    }

    /// Returns the signature meant for arguments of these types: the first that fits, else the first that
    /// accepts their number.
    pub fn way(&self, args: &[Type]) -> Option<&'static str> {
        let counts = |way: &&str| {
            let (least, most) = counts(way);
            least <= args.len() && args.len() <= most
        };
        let fit = |way: &&str| args.iter().enumerate().all(|(i, ty)| fits(letter(way, i), ty));
        // If an argument is a direction, the signature with a direction is meant.
        let meant = |way: &&str| {
            let direction = |ty: &Type| match ty {
                Type::Optional(inner) => fits(b'd', inner),
                ty => fits(b'd', ty),
            };
            args.iter().enumerate().any(|(i, ty)| letter(way, i) == b'd' && direction(ty))
        };
        let all = || self.ways().filter(counts);
        all().find(fit).or_else(|| all().find(meant)).or_else(|| all().next())
    }

    /// Returns the minimum and maximum number of arguments; `usize::MAX` if unlimited.
    pub fn counts(&self) -> (usize, usize) {
        let all = self.ways().map(counts);
        all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default()
    }
}

/// Returns the minimum and maximum number of arguments of one signature.
fn counts(way: &str) -> (usize, usize) {
    let letters = way.bytes().filter(u8::is_ascii_lowercase).count();
    match way.bytes().last() {
        Some(b'*') => (letters, usize::MAX),
        Some(b'?') => (letters - 1, letters),
        _ => (letters, letters),
    }
}

/// Returns the letter of the argument at a 0-based position.
pub fn letter(way: &str, at: usize) -> u8 {
    let letters = way.trim_end_matches(['*', '?']).as_bytes();
    letters.get(at).or(letters.last()).copied().unwrap_or(b'x')
}

/// Returns the function with this name.
pub fn word(name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.name == name)
}

/// Describes the argument that a letter stands for.
pub fn takes(letter: u8) -> &'static str {
    match letter {
        b'n' => "a number",
        b'l' => "a list",
        b'i' => "a list of numbers",
        b'c' => "a list, a set or a bag",
        b'g' => "a grid",
        b's' => "a square",
        b'd' => "a direction",
        b'm' => "a grid of numbers or a list of rows of numbers",
        _ => "a value",
    }
}

/// Whether a value of this type fits an argument letter.
pub fn fits(letter: u8, ty: &Type) -> bool {
    match (letter, ty) {
        (_, Type::Wrong) | (b'x', _) => true,
        (b'n', ty) => *ty == Type::Int,
        (b'l', ty) => matches!(ty, Type::List(_)),
        (b'i', Type::List(of)) => Type::Int.accepts(of),
        (b'c', ty) => ty.element().is_some(),
        (b'g', ty) => matches!(ty, Type::Grid(_)),
        (b's', ty) => *ty == Type::Square,
        (b'd', ty) => matches!(ty, Type::Symbol(_)),
        (b'm', Type::Grid(of)) => matches!(**of, Type::Int | Type::Wrong),
        (b'm', Type::List(row)) => match &**row {
            Type::List(of) => matches!(**of, Type::Int | Type::Wrong),
            row => *row == Type::Wrong,
        },
        _ => false,
    }
}
