//! Why a value cannot be chosen from a domain, in words.

use super::{Dom, Env, elements, text};
use crate::ir::{Domain, ExprKind, Value};
use crate::num::Int;

/// What a domain consists of, in words.
pub(super) struct Described {
    /// The words.
    pub text: String,
    /// Whether they list values, behind a colon.
    pub lists: bool,
}

impl Described {
    fn plain(text: impl Into<String>) -> Described {
        Described { text: text.into(), lists: false }
    }

    /// Puts words in front.
    pub fn after(self, words: &str) -> Described {
        Described { text: format!("{words}{}", self.text), ..self }
    }

    fn with(self, more: &str) -> Described {
        Described { text: format!("{}{more}", self.text), ..self }
    }
}

/// Whether [`Env::not_in`] lists or counts the values of a domain, instead of saying what they must be like.
pub(super) fn lists_values(dom: &Dom) -> bool {
    matches!(dom, Dom::Range(..) | Dom::Items(_) | Dom::Elements(_))
}

/// Whether a domain has no values.
pub(super) fn is_empty(dom: &Dom) -> bool {
    match dom {
        Dom::Range(low, high) => low > high,
        Dom::Items(items) => items.is_empty(),
        Dom::Elements(of) => elements(of).is_empty(),
        _ => false,
    }
}

/// The most values that are listed within a sentence.
const FEW: usize = 8;

impl Env<'_> {
    /// Says what a domain consists of, and which parts of a value are not in it.
    pub(super) fn not_in(&self, domain: &Domain, dom: &Dom, value: &Value) -> Described {
        let filtered = |domain: &Domain| match domain {
            Domain::Values(e) => matches!(&e.kind, ExprKind::Fold(fold) if fold.filter.is_some()),
            _ => false,
        };
        let why = self.describe(dom);
        if filtered(domain) && is_empty(dom) {
            return why.with(", since nothing meets the condition");
        }
        let outside: Vec<&Value> = match (dom, value) {
            (Dom::Subsets(items, _) | Dom::SubsetsFrom(_, _, items), Value::Set(set)) => {
                set.iter().filter(|item| items.binary_search(item).is_err()).collect()
            }
            (Dom::Arrangements(_, of) | Dom::Lists(_, of) | Dom::ListsFrom(_, _, of), Value::List(list)) => {
                list.iter().filter(|item| !of.contains(item)).collect()
            }
            _ => Vec::new(),
        };
        let mut words: Vec<String> = Vec::new();
        for item in outside {
            let item = text::spoken(&self.machine.game, item);
            if !words.contains(&item) {
                words.push(item);
            }
        }
        match words.as_slice() {
            [] => why,
            [only] => why.with(&format!("; {only} is not among them")),
            [first @ .., last] => why.with(&format!("; {} and {last} are not among them", first.join(", "))),
        }
    }

    /// Describes the values of a domain for people.
    fn describe(&self, dom: &Dom) -> Described {
        let shown = |n: &Int| n.to_string();
        let needed = |size: usize| if size == 1 { "value is needed" } else { "values are needed" };
        let plain = match dom {
            dom if is_empty(dom) => "nothing is possible".to_string(),
            Dom::Ints => "any whole number".to_string(),
            Dom::AtLeast(low) => format!("{low} or more"),
            Dom::Range(low, high) if low == high => format!("only {} is possible", shown(low)),
            Dom::Range(low, high) => format!("{} to {} are possible", shown(low), shown(high)),
            Dom::Items(items) => return self.describe_values(items),
            Dom::Elements(of) => return self.describe_values(&elements(of)),
            Dom::Permutations(items) => {
                let all: Vec<String> = items
                    .iter()
                    .flat_map(|(item, times)| {
                        std::iter::repeat_n(text::spoken(&self.machine.game, item), *times)
                    })
                    .collect();
                format!("it must be a rearrangement of {}", all.join(", "))
            }
            Dom::Arrangements(1, of) => return self.inner(of).after("1 value is needed, "),
            Dom::Arrangements(size, of) => {
                return self.inner(of).after(&format!("{size} different values are needed, "));
            }
            Dom::Lists(size, of) => return self.inner(of).after(&format!("{size} {}, ", needed(*size))),
            Dom::ListsFrom(low, Some(high), of) => {
                return self.inner(of).after(&format!("{low} to {high} values are needed, "));
            }
            Dom::ListsFrom(low, None, of) => {
                return self.inner(of).after(&format!("{low} or more values are needed, "));
            }
            Dom::Counted(_) => "it does not meet its condition".to_string(),
            Dom::Subsets(items, None) => format!("a set of some of {} is needed", self.those(items)),
            Dom::Subsets(items, Some(size)) => format!("a set of {size} of {} is needed", self.those(items)),
            Dom::SubsetsFrom(low, high, items) if *high < items.len() => {
                format!("a set of {low} to {high} of {} is needed", self.those(items))
            }
            Dom::SubsetsFrom(low, _, items) => {
                format!("a set of {low} or more of {} is needed", self.those(items))
            }
            Dom::Tuples(parts) => format!("{} {}", parts.len(), needed(parts.len())),
        };
        Described::plain(plain)
    }

    fn describe_values(&self, items: &[Value]) -> Described {
        if items.len() > 20 {
            return Described::plain(format!("{} values are possible", items.len()));
        }
        Described { text: format!("possible: {}", self.listed(items)), lists: true }
    }

    /// Lists a few values, or counts many.
    fn those(&self, items: &[Value]) -> String {
        match items.len() > FEW {
            true => format!("{} values", items.len()),
            false => self.listed(items),
        }
    }

    /// Lists values, with semicolons between those that have commas of their own.
    fn listed(&self, items: &[Value]) -> String {
        let words: Vec<String> = items.iter().map(|item| text::spoken(&self.machine.game, item)).collect();
        words.join(if words.iter().any(|word| word.contains(',')) { "; " } else { ", " })
    }

    /// Describes the values that the elements of a list are chosen from.
    fn inner(&self, of: &Dom) -> Described {
        match of {
            Dom::Ints => Described::plain("any whole numbers"),
            Dom::AtLeast(low) => Described::plain(format!("whole numbers, {low} or more")),
            Dom::Range(low, high) => Described::plain(format!("from {low} to {high}")),
            Dom::Items(items) if (1..=FEW).contains(&items.len()) => {
                Described { text: format!("of those that are possible: {}", self.listed(items)), lists: true }
            }
            _ => Described::plain("of those that are possible"),
        }
    }
}
