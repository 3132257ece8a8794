//! All positions of a small game, gone through one by one in the plainest way: what the checks that play are compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use parlour::diag::Code;
use parlour::eval::{Fault, Machine, Position, Waiting};
use parlour::ir::{Live, Value};
use parlour::source::Span;

/// What there is in a game, all of it.
#[derive(Debug, Default)]
pub struct Whole {
    /// How many positions: at each stop of play, before and after a draw too, and with some of a joint choice made.
    pub positions: usize,
    /// The faults that are met, and where; [`Code::Stuck`] is a seat with no legal move.
    pub faults: BTreeSet<(Code, Span)>,
    /// In how many positions at an end each seat has won.
    pub wins: Vec<usize>,
    /// The moves that are made.
    pub made: BTreeSet<String>,
    /// Whether a position can be met again.
    pub cycle: bool,
}

/// Goes through all positions that can be reached; `None` where there are more than `most`.
pub fn whole(machine: &Machine, most: usize) -> Option<Whole> {
    let live = Live::of(&machine.game);
    let mut found = Whole { wins: vec![0; machine.setup.players], ..Whole::default() };
    let mut met = BTreeMap::new();
    let mut left = Vec::new();
    let mut behind: Vec<Vec<usize>> = Vec::new();
    match machine.start() {
        Ok(start) => {
            met.insert(key(&live, &start), 0);
            left.push(start);
        }
        Err(fault) => found.note(&fault),
    }
    let mut at = 0;
    while at < left.len() {
        let next = found.steps(machine, &left[at]);
        let mut to = Vec::new();
        for position in next {
            let new = met.len();
            let id = *met.entry(key(&live, &position)).or_insert(new);
            if id == new {
                left.push(position);
            }
            to.push(id);
        }
        behind.push(to);
        if left.len() > most {
            return None;
        }
        at += 1;
    }
    found.positions = left.len();
    found.cycle = has_cycle(&behind);
    Some(found)
}

impl Whole {
    fn note(&mut self, fault: &Fault) {
        self.faults.insert((fault.code, fault.span()));
    }

    /// The positions that come next.
    fn steps(&mut self, machine: &Machine, position: &Position) -> Vec<Position> {
        let mut next = Vec::new();
        let found = match &position.waiting {
            Waiting::Nothing => Ok(()),
            Waiting::Over => {
                for winner in &position.outcome.as_ref().unwrap().winners {
                    self.wins[*winner] += 1;
                }
                Ok(())
            }
            Waiting::Chance => machine.outcomes(position).and_then(|dom| {
                let values: BTreeSet<Value> = dom.iter(Span::default())?.collect();
                for value in values {
                    let mut then = position.clone();
                    match machine.draw(&mut then, value) {
                        Ok(drawn) => drawn.unwrap(),
                        Err(fault) => {
                            self.note(&fault);
                            continue;
                        }
                    }
                    next.push(then);
                }
                Ok(())
            }),
            Waiting::Choice { choice, seats } => {
                let choice = &machine.game.choices[*choice];
                let mut legal = Vec::new();
                let listed = machine.ask(position, |env| {
                    env.each_legal(choice, seats[0], true, &mut |chosen| {
                        legal.push(chosen);
                        ControlFlow::Continue(())
                    })
                });
                for chosen in legal {
                    self.made.insert(machine.game.moves[chosen.mv].name.clone());
                    let mut then = position.clone();
                    match machine.choose(&mut then, seats[0], chosen) {
                        Ok(()) => next.push(then),
                        Err(fault) => self.note(&fault),
                    }
                }
                listed
            }
        };
        if let Err(fault) = found {
            self.note(&fault);
        }
        next
    }
}

/// What of a position bears on what comes: all but what nothing reads any more.
fn key(live: &Live, position: &Position) -> String {
    let live = live.at(position.pc);
    let frame: Vec<_> = position.frame.iter().enumerate().filter(|(slot, _)| live.contains(slot)).collect();
    let Position { cells, is_in, awards, pc, waiting, sealed, last_mover, outcome, .. } = position;
    format!("{cells:?} {frame:?} {is_in:?} {awards:?} {pc} {waiting:?} {sealed:?} {last_mover:?} {outcome:?}")
}

/// Whether a graph has a cycle: whether something is left when what leads nowhere is taken away, again and again.
fn has_cycle(behind: &[Vec<usize>]) -> bool {
    let mut before = vec![Vec::new(); behind.len()];
    for (from, to) in behind.iter().enumerate() {
        to.iter().for_each(|to| before[*to].push(from));
    }
    let mut leads: Vec<usize> = behind.iter().map(Vec::len).collect();
    let mut nowhere: Vec<usize> = (0..behind.len()).filter(|at| leads[*at] == 0).collect();
    let mut gone = 0;
    while let Some(at) = nowhere.pop() {
        gone += 1;
        for from in &before[at] {
            leads[*from] -= 1;
            if leads[*from] == 0 {
                nowhere.push(*from);
            }
        }
    }
    gone < behind.len()
}
