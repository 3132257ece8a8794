//! What a bot thinks with: the game of a match, compiled where there is a compiler, and what its seat may know.

use super::{Advice, Bot, Clock, Question, Silent, is_open};
use crate::engine::Engine;
use crate::eval::{Machine, Position, Waiting};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::play::{Entry, Match, Refused, Rng};

#[cfg(feature = "jit")]
type Fast = Compiled;
#[cfg(not(feature = "jit"))]
type Fast = Machine;

/// The game of a match, to think about. It is made once for all choices of a match, for compiling takes time.
#[derive(Debug)]
pub struct Mind {
    engine: Fast,
}

impl Mind {
    /// For matches of these rules, options and players.
    pub fn new(machine: &Machine) -> Mind {
        #[cfg(feature = "jit")]
        let engine = Compiled::new(machine.clone());
        #[cfg(not(feature = "jit"))]
        let engine = machine.clone();
        Mind { engine }
    }

    /// For a match and others like it.
    pub fn of(played: &Match) -> Mind {
        Mind::new(played.machine())
    }

    /// What the bot of a player (from 1) chooses: the same in the same position of the same match.
    pub fn choose(
        &self,
        played: &Match,
        player: usize,
        bot: Bot,
        clock: &dyn Clock,
    ) -> Result<Entry, Refused> {
        // Draws of chance use the streams of the seed itself, so bots have a seed of their own.
        let own = Rng::sub_seed(played.bots_seed(), u64::MAX - player as u64);
        let mut rng = Rng::nth(own, played.entries().count() as u64);
        if bot == Bot::Random {
            return played.random_move(player, &mut rng);
        }
        let advice = self.advise(played, player, bot, clock, &mut rng)?;
        Ok(played.rules.entry(player - 1, &advice.best))
    }

    /// What a bot says to a player (from 1) who is to choose. With an effort in playouts the same match and stream bring the
    /// same advice on every machine.
    pub fn advise(
        &self,
        played: &Match,
        player: usize,
        bot: Bot,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Advice, Refused> {
        played.must_choose(player)?;
        if bot != Bot::Random && !is_open(&played.rules.game) {
            let sentence = "something is hidden in this game; only `random` plays it so far";
            return Err(Refused::new("refused", sentence));
        }
        let root = self.engine.enter(&unsealed(played.position()));
        let mut question =
            Question { engine: &self.engine, seat: player - 1, root: &mut |_| Some(root.clone()), clock };
        question.ask(bot, rng).map_err(|silent| match silent {
            Silent::Broken(fault) => played.broken(&fault),
            Silent::Cannot(sentence) => Refused::new("refused", sentence),
        })
    }
}

/// The position without what others have chosen at the same time and nobody sees yet.
fn unsealed(position: &Position) -> Position {
    let mut position = position.clone();
    let sealed = std::mem::take(&mut position.sealed);
    if let Waiting::Choice { seats, .. } = &mut position.waiting {
        seats.extend(sealed.iter().map(|sealed| sealed.seat));
        seats.sort_unstable();
    }
    position
}
