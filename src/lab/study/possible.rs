//! Which values of a parameter were possible in some match, of those that the rules name for it in every position.

use serde::{Deserialize, Serialize};

use super::report::NeverPossible;
use super::sums::each;
use crate::engine::Ids;
use crate::eval::{Machine, text};
use crate::ir::{Domain, Expr, Move, MoveId, Param, Value, domain_parts, free_slots, reads_position};
use crate::play::{chosen, or};

/// Parameters that are chosen from more values than this are left out.
const MOST_VALUES: usize = 1000;
/// Games with more move ids than this are not followed in random play.
pub(super) const MOST_IDS: u32 = 10_000;
/// The most values that are named one by one.
const NAMED: usize = 8;

/// For each move and each of its chosen parameters, the values that the rules name whatever the position, in order;
/// `None` if what they name depends on the position.
#[derive(Debug)]
pub(super) struct NamedValues(Vec<Vec<Option<Vec<Value>>>>);

impl NamedValues {
    pub fn of(machine: &Machine) -> NamedValues {
        let values = |param: &Param| values(machine, param.domain.as_ref()?);
        NamedValues(machine.game.moves.iter().map(|mv| chosen(mv).map(values).collect()).collect())
    }

    fn of_move(&self, mv: MoveId) -> &[Option<Vec<Value>>] {
        &self.0[mv]
    }
}

/// Returns the values of a domain in order, if they are the same in every position and not too many. What a condition
/// leaves out belongs to the domain, unless it depends on the position: then it is a need in other words.
fn values(machine: &Machine, domain: &Domain) -> Option<Vec<Value>> {
    let is_fixed = |domain: &Domain| {
        let own = if let Domain::Where(slot, ..) = domain { Some(*slot) } else { None };
        let mut parts = Vec::new();
        domain_parts(domain, &mut parts);
        let is_free = |part: &Expr| free_slots(part).iter().all(|slot| Some(*slot) == own);
        parts.into_iter().all(|part| !reads_position(part) && is_free(part))
    };
    let domain = match is_fixed(domain) {
        true => domain,
        false => Some(domain.without_condition().0).filter(|domain| is_fixed(domain))?,
    };
    if !matches!(domain.without_condition().0, Domain::Range(..) | Domain::Values(_)) {
        return None;
    }
    let vacant = machine.unset_position();
    let mut frame = vec![Value::Unset; machine.game.slots];
    let dom = machine.ask(&vacant, |env| env.domain(domain, &mut frame, true)).ok()?;
    let count = dom.count(Default::default()).ok()??.as_usize()?;
    let mut values: Vec<Value> = match count <= MOST_VALUES {
        true => dom.iter(Default::default()).ok()?.collect(),
        false => return None,
    };
    values.sort();
    values.dedup();
    Some(values)
}

/// Which of the named values of a move's parameters were possible: a bit for each value, in words of 64, by parameter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct MetValues(Vec<Vec<u64>>);

impl MetValues {
    /// Notes that a move was legal with these arguments.
    pub fn add(&mut self, named: &NamedValues, mv: MoveId, args: &[Value]) {
        let named = named.of_move(mv);
        self.0.resize_with(self.0.len().max(named.len()), Vec::new);
        for ((bits, values), value) in self.0.iter_mut().zip(named).zip(args) {
            let Some(Ok(at)) = values.as_ref().map(|values| values.binary_search(value)) else { continue };
            bits.resize(bits.len().max(at / 64 + 1), 0);
            bits[at / 64] |= 1 << (at % 64);
        }
    }

    pub fn join(&mut self, other: &MetValues) {
        each(&mut self.0, &other.0, |own, others| each(own, others, |own, others| *own |= others));
    }

    fn has(&self, parameter: usize, value: usize) -> bool {
        let word = self.0.get(parameter).and_then(|bits| bits.get(value / 64));
        word.is_some_and(|word| word >> (value % 64) & 1 == 1)
    }

    /// Returns the parameters of a move of which some value was never possible, though others were. Where a need compares
    /// a parameter with another, as in `i < j`, it is no surprise that its extremes have no partner.
    pub fn never(
        &self,
        machine: &Machine,
        named: &NamedValues,
        mv: MoveId,
        matches: u64,
    ) -> Vec<NeverPossible> {
        let game = &machine.game;
        let one = |(at, (param, values)): (usize, (&Param, &Option<Vec<Value>>))| {
            let values = values.as_ref().filter(|_| !is_compared(&game.moves[mv], param))?;
            let met: Vec<usize> = (0..values.len()).filter(|value| self.has(at, *value)).collect();
            let (first, last) = (*met.first()?, *met.last()?);
            let words = |value: &usize| text::words(game, &values[*value]);
            let never: Vec<usize> = (0..values.len()).filter(|value| !self.has(at, *value)).collect();
            let is_number = matches!(values[0], Value::Int(_));
            let whole = last - first + 1 == met.len();
            let which = match is_number && whole {
                _ if never.is_empty() => return None,
                true if first == 0 => format!("above {}", words(&last)),
                true if last + 1 == values.len() => format!("below {}", words(&first)),
                true => format!("below {} or above {}", words(&first), words(&last)),
                false => listed(&never.iter().map(words).collect::<Vec<_>>()),
            };
            Some(NeverPossible {
                name: game.moves[mv].name.clone(),
                parameter: param.name.clone(),
                which,
                values: never.iter().map(words).collect(),
                of: values.len() as u64,
                matches,
            })
        };
        chosen(&game.moves[mv]).zip(named.of_move(mv)).enumerate().filter_map(one).collect()
    }
}

/// Whether a check of a move reads a parameter together with another one.
fn is_compared(mv: &Move, param: &Param) -> bool {
    mv.checks.iter().any(|check| {
        let read = free_slots(check.expr());
        let other = |other: &Param| other.slot != param.slot && read.contains(&other.slot);
        read.contains(&param.slot) && mv.params.iter().any(other)
    })
}

/// Lists values in words: the first few of them, and how many others there are.
fn listed(values: &[String]) -> String {
    let named: Vec<&str> = values.iter().take(NAMED).map(String::as_str).collect();
    match values.len() - named.len() {
        0 => or(&named),
        others => format!("{} or {others} others", named.join(", ")),
    }
}

/// The ids of moves that were legal in random play.
#[derive(Debug)]
pub(super) struct MetIds(Vec<u64>);

impl MetIds {
    /// Follows a game, if it has few enough moves.
    pub fn of(ids: &Ids) -> Option<MetIds> {
        (ids.count() <= MOST_IDS).then(|| MetIds(vec![0; ids.count().div_ceil(64) as usize]))
    }

    pub fn add(&mut self, ids: &[u32]) {
        ids.iter().for_each(|id| self.0[*id as usize / 64] |= 1 << (id % 64));
    }

    /// Returns the moves that were legal, with their arguments.
    pub fn moves(&self, ids: &Ids) -> Vec<(MoveId, Vec<Value>)> {
        let met = (0..ids.count()).filter(|id| self.0[*id as usize / 64] >> (id % 64) & 1 == 1);
        met.filter_map(|id| ids.named(id)).collect()
    }
}
