//! Rewrites rule files without changing their meaning: one kind of rewrite at a time, wherever it applies.

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

/// Rules that can be rewritten: a rule file, parsed, and what it declares.
pub struct Original {
    name: String,
    file: File,
    facts: Facts,
}

impl Original {
    /// Parses a rule file, which must be free of errors.
    pub fn of(source: &Source) -> Original {
        let (file, diagnostics) = parse(source);
        assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", source.name);
        let facts = Facts::of(&file);
        Original { name: source.name.clone(), file, facts }
    }

    /// Returns the rules as printed by `print`, otherwise unchanged.
    pub fn printed(&self) -> Source {
        Source::new(self.name.clone(), &print::file(&self.file))
    }
}

/// A kind of rewrite.
pub struct Kind {
    /// The name of the kind.
    pub name: &'static str,
    /// Whether the legal moves stay in the same order, so that the same random numbers draw the same moves.
    pub in_order: bool,
    how: How,
}

enum How {
    /// Values of certain forms are replaced by others.
    Values(Vec<Replacement>),
    /// An example of a part of a file before and after, and the function that rewrites it and returns the
    /// number of places.
    Parts(&'static str, &'static str, fn(&mut File, &Facts) -> usize),
}

/// A form of values, parsed.
struct Replacement {
    before: Expr,
    after: Expr,
    when: values::When,
}

impl Replacement {
    fn of(form: &Form) -> Replacement {
        Replacement { before: pattern::read(form.before), after: pattern::read(form.after), when: form.when }
    }
}

/// Parses and returns all kinds; their names are unique.
pub fn kinds() -> Vec<Kind> {
    let values = values::KINDS.iter().map(|(name, forms)| Kind {
        name,
        in_order: true,
        how: How::Values(forms.iter().map(Replacement::of).collect()),
    });
    let parts =
        [moves::KINDS, effects::KINDS, course::KINDS, parts::KINDS].into_iter().flatten().map(|part| Kind {
            name: part.name,
            in_order: part.in_order,
            how: How::Parts(part.before, part.after, part.change),
        });
    values.chain(parts).collect()
}

/// A kind of rewrite that is a function, with an example before and after.
struct Part {
    name: &'static str,
    before: &'static str,
    after: &'static str,
    in_order: bool,
    change: fn(&mut File, &Facts) -> usize,
}

impl Kind {
    /// Returns the rules rewritten at every place where this kind applies; `None` if there is none.
    pub fn rewrite(&self, original: &Original) -> Option<Source> {
        let (mut file, facts) = (original.file.clone(), &original.facts);
        let places = match &self.how {
            How::Values(forms) => rewrite_values(forms, &mut file, facts),
            How::Parts(_, _, change) => change(&mut file, facts),
        };
        (places > 0).then(|| Source::new(original.name.clone(), &print::file(&file)))
    }

    /// Checks that the example is rewritten as stated. Patterns need no example.
    pub fn shown(&self) -> Result<(), String> {
        let How::Parts(before, after, _) = &self.how else { return Ok(()) };
        let [before, after] = [before, after].map(|text| Original::of(&Source::new("example", text)));
        let found = self.rewrite(&before).map(|source| source.text.to_string());
        let wanted = after.printed();
        match found {
            Some(found) if found == *wanted.text => Ok(()),
            found => Err(format!("{}: comes out as\n{}", self.name, found.unwrap_or("nothing".to_string()))),
        }
    }
}

fn rewrite_values(forms: &[Replacement], file: &mut File, facts: &Facts) -> usize {
    let mut places = 0;
    walk::rewritable(file, &mut |e| {
        let found = forms.iter().find_map(|form| {
            let bound = pattern::matched(&form.before, e).filter(|bound| (form.when)(bound, facts))?;
            Some(pattern::filled(&form.after, &bound, facts))
        });
        if let Some(new) = found {
            places += 1;
            *e = new;
        }
    });
    places
}
