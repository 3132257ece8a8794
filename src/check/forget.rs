//! Invalidates facts that no longer hold: those that a step of play overwrites, and those that another pass
//! of a loop may change.

use std::collections::BTreeSet;

use super::Checker;
use super::facts::Fact;
use super::terms::Read;
use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Change, Effect, Expr, ExprKind, Op, Place, Slot, StateId, Type, changes, children, reset_by,
};
use crate::source::Span;

/// The state at the start of a loop; see [`Checker::open_loop`].
#[derive(Debug, Clone, Copy)]
pub(super) struct LoopMark {
    /// Number of facts known before the first pass.
    pub entries: usize,
    uses: usize,
}

/// A change to a piece of state.
struct Write {
    what: Read,
    /// Number of indices in the place written to.
    depth: usize,
    /// Whether it leaves filled places filled, because the new value is not none.
    keeps: bool,
}

impl<'a> Checker<'a> {
    /// Invalidates the facts that a step of play may make untrue.
    pub(super) fn wrote(&mut self, op: &Op) {
        for write in self.writes(op) {
            for at in 0..self.facts.len() {
                let entry = &self.facts.entries[at];
                let touched = entry.reads.contains(&write.what)
                    || (matches!(write.what, Read::State(_) | Read::Seats)
                        && entry.reads.contains(&Read::Scores));
                if !entry.invalidated && touched && !self.survives(&entry.fact, &write) {
                    self.facts.entries[at].invalidated = true;
                }
            }
        }
    }

    /// Whether a fact stays true although something it reads was written.
    fn survives(&self, fact: &Fact, write: &Write) -> bool {
        let untouched = |e: &Expr, elements: bool| {
            let mut reads = BTreeSet::new();
            match elements {
                true => self.reads_elements(e, &mut reads),
                false => self.reads(e, &mut reads),
            }
            !reads.contains(&write.what) && !reads.contains(&Read::Scores)
        };
        match fact {
            Fact::Present(e) => {
                let (mut root, mut depth) = (e, 0);
                while let ExprKind::Index(base, at) = &root.kind {
                    if !untouched(at, false) {
                        return false;
                    }
                    (root, depth) = (&**base, depth + 1);
                }
                let owner_stays = match &root.kind {
                    ExprKind::Table(_) => true,
                    ExprKind::Own(_, owner) => untouched(owner, false),
                    _ => false,
                };
                owner_stays && (depth < write.depth || (depth == write.depth && write.keeps))
            }
            Fact::Each(of, _, what) => untouched(of, true) && self.survives(what, write),
            Fact::In(..) | Fact::Same(..) | Fact::Symbols(..) => false,
        }
    }

    fn writes(&self, op: &Op) -> Vec<Write> {
        let state = |id: StateId, depth, keeps| Write { what: Read::State(id), depth, keeps };
        let place = |place: &Place, keeps| state(place.state, place.path.len(), keeps);
        match op {
            Op::Do(Effect::Assign(places, values), _) => places
                .iter()
                .zip(values)
                .map(|((to, change), value)| {
                    let none = matches!(value.ty, Type::Optional(_) | Type::Wrong);
                    place(to, *change != Change::Set || !none)
                })
                .collect(),
            Op::Do(Effect::Reset(pass), _) => {
                reset_by(&self.game, *pass).map(|(id, _)| state(id, 0, false)).collect()
            }
            Op::Do(Effect::Out(_), _) => vec![Write { what: Read::Seats, depth: 0, keeps: false }],
            Op::Do(Effect::Award(..), _) => vec![Write { what: Read::Scores, depth: 0, keeps: false }],
            op => changes(op).into_iter().map(|(to, _)| place(to, true)).collect(),
        }
    }

    /// Enters a loop: what is known now must still hold in every pass that relies on it.
    pub(super) fn open_loop(&self) -> LoopMark {
        LoopMark { entries: self.facts.len(), uses: self.facts.uses.len() }
    }

    /// Leaves a loop: reports each use of an earlier fact that some pass of the loop may have invalidated.
    pub(super) fn close_loop(&mut self, mark: LoopMark) {
        let gone = |(at, _): &&(usize, Span)| {
            *at < mark.entries && self.facts.entries.get(*at).is_some_and(|entry| entry.invalidated)
        };
        let uses = self.facts.uses.get(mark.uses..).unwrap_or_default();
        let places: BTreeSet<Span> = uses.iter().filter(gone).map(|(_, span)| *span).collect();
        for span in places {
            self.report(
                Diagnostic::new(
                    Code::MaybeNone,
                    span,
                    "this may be none from the second pass of the loop on",
                    "it was tested before the loop, but changes inside it",
                )
                .help("test it with `is not none` inside the loop, where it is used"),
            );
        }
    }

    /// Invalidates facts about other seats: moves chosen together are carried out one after another.
    pub(super) fn forget_others(&mut self, me: Slot) {
        for at in self.facts.base..self.facts.len() {
            let mut others = false;
            if let Fact::Present(e) = &self.facts.entries[at].fact {
                others = others_own(e, me);
            } else if let Fact::Each(..) | Fact::Same(..) | Fact::In(..) | Fact::Symbols(..) =
                &self.facts.entries[at].fact
            {
                others = self.facts.entries[at].reads.iter().any(|read| match read {
                    Read::State(id) => self.game.state[*id].per_player,
                    Read::Seats | Read::Scores => false,
                });
            }
            self.facts.entries[at].invalidated |= others;
        }
    }
}

/// Whether an expression may read state of a player other than the one who moves, `me`.
fn others_own(e: &Expr, me: Slot) -> bool {
    let mut found = match &e.kind {
        ExprKind::Own(_, owner) => !matches!(owner.kind, ExprKind::Local(slot) if slot == me),
        ExprKind::Call(..) => true,
        _ => false,
    };
    children(e, &mut |part| found = found || others_own(part, me));
    found
}
