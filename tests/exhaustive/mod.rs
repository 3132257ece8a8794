//! Enumerates all positions of a small game in the plainest way, to compare the checks by play with.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use parlour::diag::Code;
use parlour::eval::{Fault, Machine, Position, Waiting};
use parlour::ir::{Live, Value};
use parlour::source::Span;

/// What an entire game contains.
#[derive(Debug, Default)]
pub struct Whole {
    /// The number of positions at all stops of play, including those around chance events and within
    /// simultaneous choices.
    pub positions: usize,
    /// The faults that occur, with their spans; [`Code::Stuck`] stands for a seat without a legal move.
    pub faults: BTreeSet<(Code, Span)>,
    /// For each seat, the number of end positions in which it has won.
    pub wins: Vec<usize>,
    /// The names of the moves that are made.
    pub made: BTreeSet<String>,
    /// Whether a position can recur.
    pub cycle: bool,
}

/// Enumerates all reachable positions; `None` if there are more than `most`.
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

    /// Returns the successors of a position.
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

/// Returns the part of a position that matters for what follows: everything but dead slots.
fn key(live: &Live, position: &Position) -> String {
    let live = live.at(position.pc);
    let frame: Vec<_> = position.frame.iter().enumerate().filter(|(slot, _)| live.contains(slot)).collect();
    let Position { cells, is_in, awards, pc, waiting, sealed, last_mover, outcome, .. } = position;
    format!("{cells:?} {frame:?} {is_in:?} {awards:?} {pc} {waiting:?} {sealed:?} {last_mover:?} {outcome:?}")
}

/// Whether a graph, given by successors, has a cycle: removes nodes without successors repeatedly, and checks
/// whether any are left.
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
