//! The optimiser: rewrites a game whose options and number of players are fixed to an equivalent game in a
//! canonical form, so that later stages need to handle only one form of each construct.
//!
//! The automaton keeps its code positions and the frame keeps its slots; passes may only add slots. Reasons,
//! examples and the shown table are not rewritten: they are for people, and the reference evaluator computes
//! them.

mod binders;
mod bounds;
mod candidates;
mod common;
mod conditions;
mod constants;
mod copies;
mod counted;
mod effects;
mod fact;
mod facts;
mod fusion;
mod hoist;
mod inline;
mod joins;
mod lets;
mod membership;
mod ranges;
mod rewrite;
mod total;
mod unpack;
mod unroll;
mod words;
mod work;

use std::sync::Arc;

pub use candidates::{Candidate, CandidateSets, Candidates, MOST_TRIED};
pub use conditions::negate;
pub use counted::{Counting, legal_conditions};
pub use fact::{Fact, Scope};
pub use facts::{Facts, is_grid_state};
pub use lets::always_reads;
pub use rewrite::{and, expr_like, int_literal};
pub use work::work;

use self::rewrite::apply;
use crate::eval::{Fault, Machine};
use crate::ir::{Expr, Game, domain_text, expr_text};

/// An optimisation pass.
#[derive(Debug)]
pub struct Pass {
    /// Its name, as used by `--without`.
    pub name: &'static str,
    /// A short description of what it does.
    pub about: &'static str,
    run: fn(&Machine, &Facts, &mut Game) -> bool,
}

/// The passes, in the order in which they run. All but the first are repeated until nothing changes.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "inline",
        about: "replaces calls by the bodies of their functions",
        run: |_, facts, game| {
            let functions = game.clone();
            apply(&inline::Inline::new(&functions), facts, game)
        },
    },
    Pass {
        name: "constants",
        about: "evaluates what options, constants and the number of players decide",
        run: |_, facts, game| {
            let rule = constants::Constants::of(game);
            let changed = apply(&rule, facts, game);
            constants::drop_filters(game) | changed
        },
    },
    Pass {
        name: "words",
        about: "expresses builtins by simpler ones",
        run: |_, facts, game| apply(&words::Words, facts, game),
    },
    Pass {
        name: "lets",
        about: "substitutes names that are read once or cost next to nothing",
        run: |_, facts, game| apply(&lets::Lets, facts, game),
    },
    Pass {
        name: "copies",
        about: "reads grids and maps with another value in place, instead of copying them",
        run: |_, facts, game| copies::of_moves(facts, game) | apply(&copies::Copies, facts, game),
    },
    Pass {
        name: "conditions",
        about: "normalises conditions: negations inwards, comparisons one way round, tests for emptiness instead of counts",
        run: |_, facts, game| apply(&conditions::Conditions, facts, game),
    },
    Pass {
        name: "binders",
        about: "normalises binders: one condition, one source each",
        run: |_, facts, game| apply(&binders::Binders, facts, game),
    },
    Pass {
        name: "fusion",
        about: "fuses lists with what goes through them",
        run: |_, facts, game| apply(&fusion::Fusion, facts, game),
    },
    Pass {
        name: "joins",
        about: "asks of the parts of joined lists what is asked of the whole",
        run: |_, facts, game| apply(&joins::Joins, facts, game),
    },
    Pass {
        name: "unroll",
        about: "works out what is asked of lists that are written element by element",
        run: |_, facts, game| apply(&unroll::Unroll, facts, game),
    },
    Pass {
        name: "membership",
        about: "asks what is in a computed collection of what it is computed from",
        run: |_, facts, game| apply(&membership::Membership, facts, game),
    },
    Pass {
        name: "bounds",
        about: "narrows ranges to what their conditions leave",
        run: |_, facts, game| apply(&bounds::Ranges, facts, game),
    },
    Pass {
        name: "effects",
        about: "adds in place instead of writing sums, and forwards values to the next effect",
        run: |_, facts, game| effects::added(game) | effects::forwarded(facts, game),
    },
    Pass {
        name: "ranges",
        about: "narrows what state can hold to what the rules write",
        run: |_, facts, game| ranges::narrow(facts, game),
    },
    Pass {
        name: "hoist",
        about: "moves loop-invariant values out of loops",
        run: |_, facts, game| apply(&hoist::Hoist, facts, game),
    },
    Pass {
        name: "common",
        about: "eliminates common subexpressions",
        run: |_, facts, game| apply(&common::Common, facts, game),
    },
];

/// The maximum number of rounds, in case passes keep undoing each other's changes.
const MOST_ROUNDS: usize = 12;

/// Returns the pass with this name.
pub fn pass(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// An optimised game.
#[derive(Debug, Clone)]
pub struct Optimised {
    /// The rewritten game, equivalent to the original.
    pub machine: Machine,
    /// The candidate sets of each move.
    pub candidates: Vec<CandidateSets>,
}

/// Optimises a game. Passes named in `without` are skipped. The error is a fault in the initial values of the
/// state.
pub fn optimise(machine: &Machine, without: &[&str]) -> Result<Optimised, Fault> {
    let blank = machine.blank()?;
    let mut game = Game::clone(&machine.game);
    // Narrower state says more of all that reads it.
    let mut known = machine.with_game(Arc::new(game.clone()));
    for round in 0..MOST_ROUNDS {
        let facts = Facts::new(&known, &blank);
        let mut changed = false;
        for (number, pass) in PASSES.iter().enumerate() {
            if (round == 0 || number > 0) && !without.contains(&pass.name) {
                changed |= (pass.run)(machine, &facts, &mut game);
            }
        }
        if !changed {
            break;
        }
        let mut original = Game::clone(&machine.game);
        original.state.clone_from(&game.state);
        known = machine.with_game(Arc::new(original));
    }
    let facts = Facts::new(&known, &blank);
    let mut slots = game.slots;
    let both = game.moves.iter().zip(&machine.game.moves);
    let of = |(mv, (own, written))| CandidateSets::of(&facts, machine, (mv, own), written, &mut slots);
    let candidates = both.enumerate().map(of).collect();
    game.slots = slots;
    Ok(Optimised { machine: machine.with_game(Arc::new(game)), candidates })
}

/// Returns the text form of an optimised game: the output of [`crate::ir::dump`], then the candidate sets.
pub fn dump(optimised: &Optimised) -> String {
    let game = &optimised.machine.game;
    let mut out = crate::ir::dump(game);
    for (mv, of) in game.moves.iter().zip(&optimised.candidates) {
        out.push_str(&format!("candidates of {}\n", mv.name));
        let conditions = |all: &[Expr], indent: &str| -> String {
            all.iter().map(|e| format!("{indent}where {}\n", expr_text(game, e))).collect()
        };
        out.push_str(&conditions(&of.all.preconditions, "  "));
        for (slot, value) in &of.all.names {
            out.push_str(&format!("  let %{slot} = {}\n", expr_text(game, value)));
        }
        for param in &of.all.params {
            out.push_str(&format!(
                "  {} %{} in {}\n",
                param.name,
                param.slot,
                domain_text(game, &param.domain)
            ));
            out.push_str(&conditions(&param.predicates, "    "));
        }
    }
    out
}
