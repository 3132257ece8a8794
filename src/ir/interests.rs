//! Whether the players of a game play against each other, or win and lose together.

use super::{Effect, Expr, ExprKind, Game, Lambda, Op, Scoring, Value, WinnerBy, children};

/// How the interests of the players are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interests {
    /// Some may win while others do not.
    Opposed,
    /// Either all win or nobody does, as the rules are written; so it is for one player.
    Common,
    /// Teams play against each other: of each, all win or nobody does.
    Teams(Teams),
}

/// Which seats are in the same team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Teams {
    /// For each seat, from 0, the first seat of its team, in four bits; all bits are set where there is no seat.
    firsts: u32,
}

impl Interests {
    /// The most seats of which teams are known.
    pub const MOST_IN_TEAMS: usize = 8;

    /// Returns the interests of seats, given the first seat of each one's team.
    pub fn of_teams(firsts: &[usize]) -> Interests {
        match () {
            () if firsts.iter().enumerate().all(|(seat, first)| seat == *first) => Interests::Opposed,
            () if firsts.iter().all(|first| *first == 0) => Interests::Common,
            () => {
                let packed = firsts.iter().enumerate();
                let packed = packed.fold(u32::MAX, |all, (seat, first)| {
                    all & !(15 << (4 * seat)) | (*first as u32) << (4 * seat)
                });
                Interests::Teams(Teams { firsts: packed })
            }
        }
    }

    /// Whether there are teams.
    pub fn is_in_teams(self) -> bool {
        matches!(self, Interests::Teams(_))
    }

    /// Whether some may win while others do not.
    pub fn are_opposed(self) -> bool {
        self != Interests::Common
    }

    /// Whether two seats (from 0) are in the same team.
    pub fn are_partners(self, one: usize, other: usize) -> bool {
        matches!(self, Interests::Teams(teams) if teams.first(one) == teams.first(other))
    }

    /// Returns the seats that win and lose together with a seat (from 0), itself among them, one bit each.
    pub fn partners(self, seat: usize, seats: usize) -> u64 {
        match self {
            Interests::Opposed => 1 << seat,
            Interests::Common => (0..seats).fold(0, |all, seat| all | 1 << seat),
            Interests::Teams(teams) => {
                let own = (0..seats).filter(|other| teams.first(*other) == teams.first(seat));
                own.fold(0, |all, seat| all | 1 << seat)
            }
        }
    }

    /// Returns those who win and lose together, each with its seats (from 0), in the order of their first seats.
    pub fn sides(self, seats: usize) -> Vec<Vec<usize>> {
        let mut sides: Vec<Vec<usize>> = Vec::new();
        for seat in 0..seats {
            let partners = self.partners(seat, seats);
            match sides.iter_mut().find(|side| partners >> side[0] & 1 == 1) {
                Some(side) => side.push(seat),
                None => sides.push(vec![seat]),
            }
        }
        sides
    }
}

impl Teams {
    fn first(self, seat: usize) -> u32 {
        self.firsts >> (4 * seat) & 15
    }
}

impl Game {
    /// Returns the interests of a number of players: common if no end of play names some of them and leaves out others.
    pub fn interests(&self, players: usize) -> Interests {
        let common = |op: &Op| match op {
            Op::End(Some(who)) => names_all_or_nobody(who, players),
            Op::End(None) => self.decides_for_all(),
            _ => true,
        };
        if players == 1 || self.code.iter().all(common) { Interests::Common } else { Interests::Opposed }
    }

    /// Whether no end of play names a winner, so that nothing is at stake.
    pub fn nobody_can_win(&self) -> bool {
        let names_nobody = |op: &Op| match op {
            Op::End(Some(who)) => names_all_or_nobody(who, 0),
            _ => true,
        };
        self.winner.is_none() && self.code.iter().all(names_nobody)
    }

    /// Whether a value that the winner rule compares is the same for every player.
    pub fn is_same_for_all(&self, key: &Lambda) -> bool {
        !self.depends_on_player(&key.body)
    }

    /// Whether an expression in which slot 0 holds a player may have another value for another player.
    fn depends_on_player(&self, e: &Expr) -> bool {
        match (&e.kind, &self.scoring) {
            (ExprKind::Local(slot), _) => *slot == 0,
            (ExprKind::Score(_), Scoring::Each(score)) if !self.depends_on_player(&score.body) => false,
            _ => {
                let mut depends = false;
                children(e, &mut |part| depends |= self.depends_on_player(part));
                depends
            }
        }
    }

    /// Whether no seat ever drops out.
    pub fn keeps_all_in(&self) -> bool {
        !self.code.iter().any(|op| matches!(op, Op::Do(Effect::Out(_), _)))
    }

    /// Whether the winner rule never tells one player from another.
    fn decides_for_all(&self) -> bool {
        let Some(winner) = &self.winner else { return true };
        !winner.then_last_mover
            && match &winner.by {
                WinnerBy::Best(keys) => keys.iter().all(|(_, key)| self.is_same_for_all(key)),
                WinnerBy::LastIn => self.keeps_all_in(),
                WinnerBy::LastMover => false,
            }
    }
}

/// Whether an expression for who wins names all players (unless there are 0) or nobody, whatever the position.
fn names_all_or_nobody(who: &Expr, players: usize) -> bool {
    match &who.kind {
        ExprKind::Players => players > 0,
        ExprKind::List(named) | ExprKind::Set(named) => named.is_empty(),
        ExprKind::Value(Value::List(named)) => named.is_empty() || named.len() == players,
        ExprKind::If(arms, otherwise) => {
            let all = |e| names_all_or_nobody(e, players);
            arms.iter().all(|(_, who)| all(who)) && all(otherwise)
        }
        _ => false,
    }
}
