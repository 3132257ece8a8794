//! The rows of arguments a move may have, gone through in order; those that are settled together are passed over.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::legal::Judged;
use super::sieve::{Asks, From, Sieve};
use super::{Chosen, Env, Fault};
use crate::ir::{
    Bounds, Domain, Expr, ExprKind, Game, Move, MoveCheck, MoveId, Slot, Value, bounds_by_needs, children,
    is_dependent, is_tried, param_reads, prefers, read_by_checks, reads,
};

/// What is known of the rows of a move before anything of a position is.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The parameters that are chosen.
    pub(super) chosen: Vec<Column>,
    /// How many of the chosen parameters settle how the checks go up to each: these and those before it read no other.
    settled: Vec<usize>,
    /// Whether the domain or window of a parameter reads a parameter before it.
    pub(super) dependent: bool,
    /// Whether it has needs that bind only where possible.
    pub(super) prefers: bool,
    /// Whether rows may be tried at random.
    pub(super) tried: bool,
    /// Of each that is chosen, from where and up to where the needs let it go.
    pub(super) bounds: Vec<Bounds>,
    /// Of each check, which of the chosen parameters it reads, by number.
    pub(super) about: Vec<BTreeSet<usize>>,
    /// Of each check, the checks that name what it reads, by number, in order.
    pub(super) names: Vec<BTreeSet<usize>>,
}

/// A parameter that is chosen.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Its number among all parameters.
    pub(super) param: usize,
    /// Its slot.
    pub slot: Slot,
    /// Whether the domain or window of a parameter behind it reads it.
    pub(super) read: bool,
    /// What is asked of its rows one by one, where they can be counted by it.
    pub(super) sieve: Option<Arc<Sieve>>,
}

impl Rows {
    /// Looks at a move.
    pub fn of(game: &Game, mv: &Move) -> Rows {
        // How many chosen parameters there are up to the last that settles what stands in a slot.
        let mut settles: HashMap<Slot, usize> = HashMap::new();
        let mut chosen: Vec<Column> = Vec::new();
        for (number, param) in mv.params.iter().enumerate() {
            if param.domain.is_none() {
                continue;
            }
            for column in &mut chosen {
                column.read |= param_reads(param, column.slot);
            }
            chosen.push(Column { param: number, slot: param.slot, read: false, sieve: None });
            settles.insert(param.slot, chosen.len());
        }
        let mut settled = Vec::new();
        // A parameter without end is not gone through, and its rows are not judged: they settle nothing.
        let domains = mv.params.iter().filter_map(|param| param.domain.as_ref());
        let mut so_far = if domains.into_iter().any(Domain::endless) { NOTHING } else { 0 };
        for check in &mv.checks {
            so_far = so_far.max(last_read(check.expr(), &settles));
            settled.push(so_far);
            if let MoveCheck::Let(slots, _) = check {
                settles.extend(slots.iter().map(|slot| (*slot, so_far)));
            }
        }
        let about = read_by_checks(mv);
        let names = names_read(mv);
        for (at, column) in chosen.iter_mut().enumerate() {
            column.sieve = Sieve::of(game, mv, &mv.params[column.param], at).map(Arc::new);
        }
        Rows {
            about,
            names,
            dependent: is_dependent(mv),
            prefers: prefers(mv),
            tried: is_tried(mv),
            bounds: bounds_by_needs(game, mv),
            chosen,
            settled,
        }
    }
}

/// The largest of the numbers of the slots that an expression reads; 0 where it reads none of them.
fn last_read(e: &Expr, numbers: &HashMap<Slot, usize>) -> usize {
    let mut last = match &e.kind {
        ExprKind::Local(slot) => numbers.get(slot).copied().unwrap_or(0),
        _ => 0,
    };
    children(e, &mut |child| last = last.max(last_read(child, numbers)));
    last
}

/// Of each check of a move, the checks before it that name what it reads, by itself or by the names it reads.
fn names_read(mv: &Move) -> Vec<BTreeSet<usize>> {
    let mut all: Vec<BTreeSet<usize>> = Vec::new();
    for check in &mv.checks {
        let mut read = BTreeSet::new();
        for (number, (named, before)) in mv.checks.iter().zip(&all).enumerate() {
            if let MoveCheck::Let(slots, _) = named
                && slots.iter().any(|slot| reads(check.expr(), *slot))
            {
                read.insert(number);
                read.extend(before);
            }
        }
        all.push(read);
    }
    all
}

/// A legal row.
pub(super) struct Row<'r> {
    /// The offer: its number among the first offers, then the others.
    pub offer: usize,
    /// The move.
    pub mv: MoveId,
    /// Whether it meets the needs that bind only where possible.
    pub meets: bool,
    /// The parameters that are chosen; none where one of them has no end.
    pub chosen: &'r [Column],
    /// The frame the arguments stand in.
    pub frame: &'r [Value],
}

/// What is done with each legal row.
pub(super) type OnRow<'w> = dyn FnMut(&Row) -> ControlFlow<()> + 'w;

impl Row<'_> {
    /// The chosen arguments, in order.
    pub fn args(&self) -> impl Iterator<Item = &Value> {
        self.chosen.iter().map(|column| &self.frame[column.slot])
    }

    /// The move with its arguments.
    pub fn chosen(&self) -> Chosen {
        Chosen { offer: self.offer, mv: self.mv, args: self.args().cloned().collect() }
    }
}

/// A walk through the rows of an offer.
pub(super) struct Walk<'w, 'g, 'o> {
    pub env: &'w Env<'g>,
    /// The offer's number.
    pub number: usize,
    pub mv: MoveId,
    /// Whether integers come from their windows.
    pub windowed: bool,
    /// What the parameters are chosen from, where that was worked out before.
    pub doms: &'w [From],
    pub frame: &'w mut Vec<Value>,
    pub on: &'w mut OnRow<'o>,
}

/// That no row is legal that begins with so many of the arguments; or, with more than there are, nothing of this kind.
type Settled = usize;
const NOTHING: Settled = usize::MAX;

impl Walk<'_, '_, '_> {
    /// Goes through the rows that begin with the first `at` arguments of the frame.
    ///
    /// A need that fails settles all rows that are alike in what was read up to then: they would fail there too, and
    /// nothing before it could go wrong. These are passed over, but for rows whose domains were not yet worked out.
    pub fn rows(&mut self, at: usize) -> Result<ControlFlow<(), Settled>, Fault> {
        let env = self.env;
        let (mv, rows) = (&env.machine.game.moves[self.mv], &env.machine.rows[self.mv]);
        let Some(column) = rows.chosen.get(at) else {
            env.tick(mv.span)?;
            return Ok(match env.judge(self.mv, self.frame)? {
                Judged::Fails { need } => ControlFlow::Continue(rows.settled[need]),
                Judged::Holds { meets } => self.tell(meets, &rows.chosen),
            });
        };
        let param = &mv.params[column.param];
        let made;
        let from = match self.doms.get(at) {
            Some(from) => from,
            None => {
                made = env.chosen_from(self.mv, at, self.windowed, Asks::All, self.frame)?;
                &made
            }
        };
        let Some(values) = from.dom.values(param.span)? else {
            // Among all integers there is always one that fits.
            return Ok(self.tell(true, &[]));
        };
        let mut all = NOTHING;
        for value in values {
            self.frame[column.slot] = value;
            if !env.takes(param, column, from, self.frame)? {
                continue;
            }
            let ControlFlow::Continue(settled) = self.rows(at + 1)? else {
                return Ok(ControlFlow::Break(()));
            };
            if settled <= at {
                all = settled;
                if !column.read {
                    break;
                }
            }
        }
        Ok(ControlFlow::Continue(all))
    }

    fn tell(&mut self, meets: bool, chosen: &[Column]) -> ControlFlow<(), Settled> {
        let row = Row { offer: self.number, mv: self.mv, meets, chosen, frame: self.frame };
        match (self.on)(&row) {
            ControlFlow::Break(()) => ControlFlow::Break(()),
            ControlFlow::Continue(()) => ControlFlow::Continue(NOTHING),
        }
    }
}
