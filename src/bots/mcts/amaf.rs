//! All moves as first (AMAF): a move made later in a playout is taken as a hint of its value now.
//!
//! This works where moves are only ever added, like stones to a board: each is made at most once per match
//! and has much the same value whenever it is made (B. Brügmann, 1993; S. Gelly, D. Silver, 2007).

use super::keys::{Keyed, mix_key};
use crate::bots::worth::plays_for_score;
use crate::engine::{Engine, Ids, Playout, RecordEvent, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// How many random matches are played to see whether moves are only ever added, and the most choices in each.
const MATCHES: u64 = 6;
const MAX_CHOICES: usize = 500;

/// Whether AMAF applies: in a few random matches no seat makes the same move twice, every move has an id, and
/// nobody chooses at the same time as others. `false` if a single seat plays for its score.
pub fn amaf_applies<E: Engine>(engine: &E) -> Result<bool, Fault> {
    if plays_for_score(engine.machine()) {
        return Ok(false);
    }
    let mut stepper = engine.stepper();
    let mut made = Vec::new();
    for number in 0..MATCHES {
        let mut rng = Rng::nth(0, number);
        let mut state = engine.start()?;
        stepper.chance(&mut state, &mut rng)?;
        made.clear();
        while let Turn::Choice { choice, seats } = stepper.turn(&state) {
            if seats.count_ones() != 1 || made.len() == MAX_CHOICES || !stepper.ids().has(choice) {
                return Ok(false);
            }
            let Some(id) = stepper.sample(&mut state, &mut rng)? else { return Ok(false) };
            made.push((seats, id));
        }
        let all = made.len();
        made.sort_unstable();
        made.dedup();
        // In a match of fewer than two choices there are no later moves to learn from.
        if made.len() < all || all < 2 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The choices made in a playout, by seat (from 0) and move id.
#[derive(Debug)]
pub struct AmafMoves {
    /// For each seat and move id, in which playout the seat made the move last.
    made: Vec<Vec<u32>>,
    /// The number of the playout; the first is 1.
    playout: u32,
    /// Caches the choice, if any, that each sequence of `RecordEvent::Words` stands for.
    known: Keyed<Option<(usize, u32)>>,
}

impl Default for AmafMoves {
    fn default() -> AmafMoves {
        AmafMoves { made: Vec::new(), playout: 1, known: Keyed::default() }
    }
}

impl AmafMoves {
    /// Adds a choice.
    pub fn add(&mut self, seat: usize, id: u32) {
        if self.made.len() <= seat {
            self.made.resize_with(seat + 1, Vec::new);
        }
        let made = &mut self.made[seat];
        if made.len() <= id as usize {
            made.resize(id as usize + 1, 0);
        }
        made[id as usize] = self.playout;
    }

    /// Tells which moves a seat has made.
    pub fn by(&self, seat: usize) -> impl Fn(u32) -> bool {
        let made = self.made.get(seat).map_or(&[][..], Vec::as_slice);
        move |id| made.get(id as usize) == Some(&self.playout)
    }

    /// Forgets the choices: another playout begins.
    pub fn clear(&mut self) {
        self.playout = self.playout.checked_add(1).unwrap_or_else(|| {
            self.made.clear();
            1
        });
    }

    /// Records what an engine tells about a playout.
    pub fn record<E: Engine>(&mut self, engine: &E, ids: &Ids, told: &RecordEvent<E::State>) {
        match told {
            RecordEvent::Words(words) => {
                let name = words.iter().fold(0, |name, word| mix_key(name, *word as u64));
                let meant = self.known.entry(name).or_insert_with(|| {
                    let mut meant = None;
                    engine.decode(words, &mut |step| meant = seat_and_id(engine, ids, &step));
                    meant
                });
                if let Some((seat, id)) = *meant {
                    self.add(seat, id);
                }
            }
            RecordEvent::Step(step) => {
                if let Some((seat, id)) = seat_and_id(engine, ids, step) {
                    self.add(seat, id);
                }
            }
            RecordEvent::Over(..) => {}
        }
    }
}

/// Returns the seat and move id of a choice. The id depends on the move and its arguments only.
fn seat_and_id<E: Engine>(engine: &E, ids: &Ids, step: &Playout) -> Option<(usize, u32)> {
    let Playout::Choice(seat, chosen) = step else { return None };
    let offered = |(_, choice): &(usize, &crate::ir::Choice)| {
        let offers = choice.all_offers();
        offers.map(|offer| offer.mv).nth(chosen.offer) == Some(chosen.mv)
    };
    let choices = engine.machine().game.choices.iter().enumerate().filter(offered);
    let id = |chosen: &Chosen| choices.map(|(choice, _)| choice).find_map(|choice| ids.id(choice, chosen));
    id(chosen).map(|id| (*seat, id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::{Rules, bundled_source};

    #[test]
    fn stones_add_and_cards_and_men_do_not() {
        let adds = |game: &str| {
            let rules = Rules::load(bundled_source(game).unwrap()).unwrap();
            amaf_applies(&rules.machine(&Default::default(), rules.default_players()).unwrap()).unwrap()
        };
        for game in ["tic-tac-toe", "hex", "dots-and-boxes", "number-scrabble"] {
            assert!(adds(game), "{game}");
        }
        // Columns and pits are chosen again, pieces move back and forth, bids are simultaneous, dice are
        // rolled.
        for game in ["connect-four", "kalah", "breakthrough", "goofspiel", "pig"] {
            assert!(!adds(game), "{game}");
        }
    }
}
