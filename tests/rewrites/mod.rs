//! Rule files written otherwise: one kind of rewrite at a time, at every place where it applies. What they mean stays.

mod course;
mod effects;
mod facts;
mod moves;
mod parts;
mod pattern;
mod print;
mod values;
mod walk;

use parlour::ast::{Expr, File};
use parlour::source::Source;
use parlour::syntax::parse;

use facts::Facts;
use values::Form;

/// A way to write the same rules otherwise.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Whether the legal moves come in the same order, so that the same stream of chance draws the same ones.
    pub in_order: bool,
    how: How,
}

enum How {
    /// Values of certain forms are written in another.
    Values(&'static [Form]),
    /// A part of a file as an example, what becomes of it, and what does that: how many places it has found.
    Parts(&'static str, &'static str, fn(&mut File, &Facts) -> usize),
}

/// All kinds, by name unique.
pub fn kinds() -> Vec<Kind> {
    let values =
        values::KINDS.iter().map(|(name, forms)| Kind { name, in_order: true, how: How::Values(forms) });
    let parts =
        [moves::KINDS, effects::KINDS, course::KINDS, parts::KINDS].into_iter().flatten().map(|part| Kind {
            name: part.name,
            in_order: part.in_order,
            how: How::Parts(part.before, part.after, part.change),
        });
    values.chain(parts).collect()
}

/// A kind of rewrite that is a function, with an example of what it does.
struct Part {
    name: &'static str,
    before: &'static str,
    after: &'static str,
    in_order: bool,
    change: fn(&mut File, &Facts) -> usize,
}

impl Kind {
    /// The rules written so, wherever that can be done; `None` where there is no such place. The text must be one
    /// that can be read.
    pub fn rewrite(&self, source: &Source) -> Option<Source> {
        let mut file = read(source);
        let facts = Facts::of(&file);
        let places = match &self.how {
            How::Values(forms) => rewrite_values(forms, &mut file, &facts),
            How::Parts(_, _, change) => change(&mut file, &facts),
        };
        (places > 0).then(|| Source::new(source.name.clone(), &print::file(&file)))
    }

    /// Whether its example comes out as it says. Patterns say it themselves.
    pub fn shown(&self) -> Result<(), String> {
        let How::Parts(before, after, _) = &self.how else { return Ok(()) };
        let found = self.rewrite(&Source::new("example", before)).map(|source| source.text.to_string());
        let wanted = Source::new("", &print::file(&read(&Source::new("example", after))));
        match found {
            Some(found) if found == *wanted.text => Ok(()),
            found => Err(format!("{}: comes out as\n{}", self.name, found.unwrap_or("nothing".to_string()))),
        }
    }
}

/// The rules as the printer of rewrites writes them, nothing changed.
pub fn printed(source: &Source) -> Source {
    Source::new(source.name.clone(), &print::file(&read(source)))
}

fn read(source: &Source) -> File {
    let (file, diagnostics) = parse(source);
    assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", source.name);
    file
}

fn rewrite_values(forms: &[Form], file: &mut File, facts: &Facts) -> usize {
    let read: Vec<(Expr, Expr, &Form)> =
        forms.iter().map(|form| (pattern::read(form.before), pattern::read(form.after), form)).collect();
    let mut places = 0;
    walk::rewritable(file, &mut |e| {
        let found = read.iter().find_map(|(before, after, form)| {
            let bound = pattern::matched(before, e).filter(|bound| (form.when)(bound, facts))?;
            Some(pattern::filled(after, &bound, facts))
        });
        if let Some(new) = found {
            places += 1;
            *e = new;
        }
    });
    places
}
