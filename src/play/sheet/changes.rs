//! Changes of state in words: assignments, insertions and removals.

use super::page::join_with;
use super::statements::Outline;
use crate::ast::{Assign, BinaryOp, Expr, ExprKind, TypeKind};

impl Outline<'_> {
    /// Describes a piece of state; per-player state without an owner is everybody's.
    pub(super) fn whole(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Name(name) if self.words.facts.own.contains(&name.as_str()) => {
                format!("everybody’s {}", self.words.noun(name))
            }
            _ => self.words.value(e),
        }
    }

    pub(super) fn is_collection(&self, e: &Expr) -> bool {
        let name = match &e.kind {
            ExprKind::Name(name) => name,
            ExprKind::Field(_, name) => &name.text,
            ExprKind::Index(base, _) => return self.holds_collections(base),
            _ => return false,
        };
        let ty = self.words.facts.states.get(name.as_str());
        matches!(ty, Some(TypeKind::List(..) | TypeKind::Set(_) | TypeKind::Bag(_)))
    }

    /// Whether an expression names a list or map of collections.
    fn holds_collections(&self, e: &Expr) -> bool {
        let name = match &e.kind {
            ExprKind::Name(name) => name,
            ExprKind::Field(_, name) => &name.text,
            _ => return false,
        };
        let of = match self.words.facts.states.get(name.as_str()) {
            Some(TypeKind::Map(of, _) | TypeKind::List(_, of)) => of,
            _ => return false,
        };
        matches!(of.kind, TypeKind::List(..) | TypeKind::Set(_) | TypeKind::Bag(_))
    }

    pub(super) fn assign(&self, place: &Expr, how: Assign, e: &Expr) -> String {
        let value = self.words.value(e);
        if let (ExprKind::Tuple(places), ExprKind::Tuple(values), Assign::Set) = (&place.kind, &e.kind, how) {
            let each: Vec<String> =
                places.iter().zip(values).map(|(place, value)| self.assign(place, how, value)).collect();
            return format!("at the same time, {}", join_with(&each, "and"));
        }
        let target = match &place.kind {
            ExprKind::Index(base, at) if self.is_grid_name(base) => self.words.square(base, at),
            _ => self.words.value(place),
        };
        if let (ExprKind::Index(base, at), Assign::Set) = (&place.kind, how)
            && let [Expr { kind: ExprKind::Binary(BinaryOp::Range, low, high), .. }] = at.as_slice()
            && let Some(text) = self.spliced(base, low, high, e)
        {
            return text;
        }
        match how {
            Assign::Set => match &place.kind {
                ExprKind::Index(..) if value == "nothing" => format!("{target} becomes empty"),
                ExprKind::Index(base, _) if self.is_grid_name(base) => match self.holds_players(base) {
                    true => format!("{target} becomes {}", self.words.possessive(e)),
                    false => format!("write {value} into {target}"),
                },
                _ => format!("{target} becomes {value}"),
            },
            Assign::Add if self.words.is_list(place) => format!("write {value} at the end of {target}"),
            Assign::Take if self.is_collection(place) => format!("take {value} out of {target}"),
            Assign::Join => format!("add all of this to {target}: {value}"),
            Assign::Add if value.contains("; otherwise") => format!("add to {target}: {value}"),
            Assign::Add => format!("add {value} to {target}"),
            Assign::Take => format!("subtract {value} from {target}"),
        }
    }

    /// Describes an assignment to a slice of a list that removes or inserts elements.
    fn spliced(&self, base: &Expr, low: &Expr, high: &Expr, e: &Expr) -> Option<String> {
        let (list, low, high) = (self.words.value(base), self.words.value(low), self.words.value(high));
        let new = match &e.kind {
            ExprKind::List(inside) if inside.body.is_none() && inside.filter.is_none() => {
                self.words.values(&inside.items)
            }
            _ => return None,
        };
        let places = match low == high {
            true => format!("place {low}"),
            false => format!("places {low} to {high}"),
        };
        match new.as_slice() {
            [] => Some(format!("take {places} out of {list}; the rest moves up")),
            new if low == format!("{high} + 1") => {
                Some(format!("insert {} into {list} after place {high}", join_with(new, "and")))
            }
            _ => None,
        }
    }

    fn holds_players(&self, grid: &Expr) -> bool {
        let ExprKind::Name(name) = &grid.kind else { return false };
        match self.words.facts.states.get(name.as_str()) {
            Some(TypeKind::Grid { of, .. }) => matches!(&of.kind, TypeKind::Name(of) if of.text == "player"),
            _ => false,
        }
    }

    fn is_grid_name(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => {
                matches!(self.words.facts.states.get(name.as_str()), Some(TypeKind::Grid { .. }))
            }
            _ => false,
        }
    }
}
