//! Move ids: one for each combination of a move and its arguments. They depend only on options and players,
//! so tables can be indexed by them.

use std::collections::BTreeMap;

use super::universe::Universes;
use crate::eval::{Chosen, Dom, Machine};
use crate::ir::{MoveId, Value};
use crate::num::{Int, theory};

/// The ids of a game's moves, from 0 to [`Ids::count`] − 1.
///
/// The arguments of a move are numbered in the order of the reference; the first varies slowest. Moves are
/// ordered by the first choice that offers them; a move that one choice offers twice, with different given
/// arguments, has separate ids for each offer. Arguments are numbered among all values possible in some
/// position, so an id may belong to a move that is never legal. An infinite domain is limited to the window
/// that bots draw from. A move has no ids if its arguments are unbounded or too many for 31 bits; neither
/// does a choice that offers such a move.
#[derive(Debug, Clone)]
pub struct Ids {
    /// The block of each offer, by choice; `None` if the offer has no ids.
    offers: Vec<Vec<Option<usize>>>,
    blocks: Vec<Block>,
    count: u32,
}

/// The ids of one move.
#[derive(Debug, Clone)]
pub struct Block {
    /// The move.
    pub mv: MoveId,
    /// Its first id.
    pub first: u32,
    /// The number of its ids.
    pub count: u32,
    /// For each chosen parameter, all values it might have, in order, and their number.
    pub params: Vec<(Dom, u32)>,
}

/// The exclusive upper limit of ids.
const MAX_IDS: u32 = 1 << 31;

impl Ids {
    /// Assigns the ids of a game whose options and number of players are fixed.
    pub fn of(machine: &Machine) -> Ids {
        let game = &machine.game;
        let mut universes = Universes::of(machine);
        let mut ids = Ids { offers: Vec::new(), blocks: Vec::new(), count: 0 };
        // Keyed by a move and how often the same choice has offered it before.
        let mut known: BTreeMap<(MoveId, usize), Option<usize>> = BTreeMap::new();
        for choice in &game.choices {
            let mut offered: BTreeMap<MoveId, usize> = BTreeMap::new();
            let mut own = Vec::new();
            for offer in choice.all_offers() {
                let before = offered.entry(offer.mv).or_insert(0);
                let block = *known
                    .entry((offer.mv, *before))
                    .or_insert_with(|| ids.block(machine, &mut universes, offer.mv));
                *before += 1;
                own.push(block);
            }
            ids.offers.push(own);
        }
        ids
    }

    /// Appends a block of ids for a move; `None` if its arguments are unbounded or too many.
    fn block(&mut self, machine: &Machine, universes: &mut Universes, mv: MoveId) -> Option<usize> {
        let mut params = Vec::new();
        let mut count: u32 = 1;
        for param in machine.game.moves[mv].params.iter().filter(|param| param.domain.is_some()) {
            let dom = universes.param(param)?;
            let size = dom.count(param.span).ok()??.as_i64().and_then(|n| u32::try_from(n).ok())?;
            count = count.checked_mul(size)?;
            params.push((dom, size));
        }
        let first = self.count;
        self.count = first.checked_add(count).filter(|all| *all <= MAX_IDS)?;
        self.blocks.push(Block { mv, first, count, params });
        Some(self.blocks.len() - 1)
    }

    /// Returns the number of ids.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the block of an offer of a choice, if it has one.
    pub fn of_offer(&self, choice: usize, offer: usize) -> Option<&Block> {
        self.offers.get(choice)?.get(offer)?.map(|block| &self.blocks[block])
    }

    /// Whether every move that a choice offers has ids.
    pub fn has(&self, choice: usize) -> bool {
        self.offers.get(choice).is_some_and(|offers| offers.iter().all(Option::is_some))
    }

    /// Returns the id of a move at a choice.
    pub fn id(&self, choice: usize, chosen: &Chosen) -> Option<u32> {
        let block = self.of_offer(choice, chosen.offer)?;
        (block.mv == chosen.mv).then(|| block.id(&chosen.args)).flatten()
    }

    /// Returns the move with an id at a choice.
    pub fn chosen(&self, choice: usize, id: u32) -> Option<Chosen> {
        let has = |block: &Option<usize>| block.is_some_and(|block| self.blocks[block].has(id));
        let offer = self.offers.get(choice)?.iter().position(has)?;
        let block = self.of_offer(choice, offer)?;
        Some(Chosen { offer, mv: block.mv, args: block.args(id) })
    }

    /// Returns the move with an id at a choice, without its arguments.
    pub fn move_of(&self, choice: usize, id: u32) -> Option<MoveId> {
        let blocks = self.offers.get(choice)?.iter().flatten().map(|block| &self.blocks[*block]);
        blocks.into_iter().find(|block| block.has(id)).map(|block| block.mv)
    }

    /// Returns the move and arguments with an id, whichever choice offers it.
    pub fn named(&self, id: u32) -> Option<(MoveId, Vec<Value>)> {
        let block = self.blocks.iter().find(|block| block.has(id))?;
        Some((block.mv, block.args(id)))
    }
}

impl Block {
    /// Whether an id is in this block.
    pub fn has(&self, id: u32) -> bool {
        (self.first..self.first + self.count).contains(&id)
    }

    /// Returns the id of a row of arguments; `None` if they can never be chosen.
    pub fn id(&self, args: &[Value]) -> Option<u32> {
        if args.len() != self.params.len() {
            return None;
        }
        let mut rank = 0;
        for ((dom, size), value) in self.params.iter().zip(args) {
            let own = rank_of(dom, value).and_then(|own| u32::try_from(own).ok())?;
            rank = rank * size + own;
        }
        Some(self.first + rank)
    }

    /// Returns the arguments of an id in this block.
    pub fn args(&self, id: u32) -> Vec<Value> {
        let mut rest = id - self.first;
        let mut args: Vec<Value> = self
            .params
            .iter()
            .rev()
            .map(|(dom, size)| {
                let value = dom.at(&Int::from(i64::from(rest % size)));
                rest /= size;
                value
            })
            .collect();
        args.reverse();
        args
    }
}

fn size(dom: &Dom) -> Option<u64> {
    dom.count(Default::default()).ok()??.as_i64().and_then(|n| u64::try_from(n).ok())
}

fn binomial(n: usize, k: usize) -> Option<u64> {
    theory::choose(&Int::from(n), &Int::from(k)).ok()?.as_i64().and_then(|n| u64::try_from(n).ok())
}

/// Returns the rank of a value in a domain, from 0: the inverse of [`Dom::at`]. `None` if it has no rank.
pub fn rank_of(dom: &Dom, value: &Value) -> Option<u64> {
    let unsigned = |n: Int| n.as_i64().and_then(|n| u64::try_from(n).ok());
    match (dom, value) {
        (Dom::Ints | Dom::AtLeast(_), _) => None,
        (Dom::Range(low, high), Value::Int(n)) if low <= n && n <= high => unsigned(n.sub(low)),
        (Dom::Items(items), value) => items.binary_search(value).ok().map(|rank| rank as u64),
        (Dom::Permutations(items), Value::List(list)) => {
            let mut left = items.clone();
            let mut rank = 0;
            for item in list.iter() {
                let at = left.iter().position(|(known, times)| known == item && *times > 0)?;
                for smaller in 0..at {
                    if left[smaller].1 > 0 {
                        left[smaller].1 -= 1;
                        rank += size(&Dom::Permutations(left.clone()))?;
                        left[smaller].1 += 1;
                    }
                }
                left[at].1 -= 1;
            }
            left.iter().all(|(_, times)| *times == 0).then_some(rank)
        }
        (Dom::Arrangements(length, of), Value::List(list)) if list.len() == *length => {
            let n = size(of)?;
            let mut used: Vec<u64> = Vec::new();
            let mut rank = 0;
            for (i, item) in list.iter().enumerate() {
                let own = rank_of(of, item)?;
                let before = used.iter().filter(|taken| **taken < own).count() as u64;
                if used.contains(&own) {
                    return None;
                }
                used.push(own);
                rank = rank * (n - i as u64) + own - before;
            }
            Some(rank)
        }
        (Dom::Lists(length, of), Value::List(list)) if list.len() == *length => {
            let n = size(of)?;
            list.iter().try_fold(0, |rank, item| Some(rank * n + rank_of(of, item)?))
        }
        (Dom::ListsFrom(low, Some(high), of), Value::List(list)) if (*low..=*high).contains(&list.len()) => {
            let n = size(of)?;
            // The number of lists that begin with a given prefix, for prefix lengths from the longest down.
            let mut behind = vec![1u64];
            for depth in (0..*high).rev() {
                behind.push(n.checked_mul(*behind.last()?)?.checked_add(u64::from(depth >= *low))?);
            }
            let mut rank = 0;
            for (depth, item) in list.iter().enumerate() {
                // The list that ends here comes before those that go on.
                rank += u64::from(depth >= *low) + rank_of(of, item)? * behind[high - depth - 1];
            }
            Some(rank)
        }
        (Dom::Counted(rows), value) => unsigned(rows.rank(value)?),
        (Dom::Subsets(items, length), Value::Set(set)) => {
            let places: Option<Vec<usize>> = set.iter().map(|item| items.binary_search(item).ok()).collect();
            let places = places?;
            let Some(length) = length else { return Some(places.iter().map(|place| 1u64 << place).sum()) };
            if places.len() != *length {
                return None;
            }
            // Subsets that contain an element come before those that do not.
            let (mut rank, mut found) = (0, 0);
            for i in 0..items.len() {
                if found == *length {
                    break;
                }
                match places[found] == i {
                    true => found += 1,
                    false => rank += binomial(items.len() - i - 1, length - found - 1)?,
                }
            }
            Some(rank)
        }
        (Dom::SubsetsFrom(low, high, items), Value::Set(set)) if (*low..=*high).contains(&set.len()) => {
            let places: Option<Vec<usize>> = set.iter().map(|item| items.binary_search(item).ok()).collect();
            // Subsets that do not contain an element come before those that do.
            let before = |(taken, place): (usize, usize)| {
                let without = theory::choose_from(place, low.saturating_sub(taken), high - taken).ok()?;
                unsigned(without)
            };
            places?.into_iter().rev().enumerate().map(before).sum()
        }
        (Dom::Tuples(parts), Value::List(list)) if list.len() == parts.len() => parts
            .iter()
            .zip(list.iter())
            .try_fold(0, |rank, (part, item)| Some(rank * size(part)? + rank_of(part, item)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn ranks_are_those_of_the_domain() {
        let range = |low: i64, high: i64| Dom::Range(Int::from(low), Int::from(high));
        let items: Vec<Value> = [2, 3, 5, 7, 11].map(Value::int).to_vec();
        for dom in [
            range(-3, 9),
            Dom::Items(Arc::new(items.clone())),
            Dom::Arrangements(3, Box::new(range(-2, 2))),
            Dom::Arrangements(0, Box::new(range(1, 2))),
            Dom::Permutations(vec![(Value::int(1), 2), (Value::int(2), 1), (Value::int(3), 2)]),
            Dom::Subsets(items.clone(), None),
            Dom::Subsets(items.clone(), Some(2)),
            Dom::Subsets(items.clone(), Some(5)),
            Dom::SubsetsFrom(2, 4, items.clone()),
            Dom::SubsetsFrom(0, 1, items),
            Dom::Lists(3, Box::new(range(0, 2))),
            Dom::ListsFrom(1, Some(3), Box::new(range(0, 2))),
            Dom::ListsFrom(0, Some(2), Box::new(range(4, 6))),
            Dom::Tuples(vec![range(1, 3), Dom::Lists(2, Box::new(range(0, 1)))]),
        ] {
            for rank in 0..size(&dom).unwrap() {
                let value = dom.at(&Int::from(rank as i64));
                assert_eq!(rank_of(&dom, &value), Some(rank), "{dom:?} {value:?}");
            }
            assert_eq!(rank_of(&dom, &Value::None), None);
        }
        assert_eq!(
            rank_of(&Dom::Arrangements(2, Box::new(range(1, 3))), &Value::list(vec![Value::int(1); 2])),
            None
        );
    }
}
