//! People invent pencil-and-paper number games and describe them in half a page. Parlour reads that half
//! page, written as a precise `.game` file. It checks the rules and explains what is wrong with them, plays
//! matches, keeps records, shows each player only what that player may see, and plays millions of random
//! matches a second as machine code.
//!
//! # A game from its text
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use parlour::play::{Match, Record, Rules, Viewer, replay};
//! use parlour::source::Source;
//!
//! let text = r#"
//! game "Last Match" { players 2 }
//!
//! table { matches: 0..99 = 5 }
//!
//! move take(n in 1..3) {
//!   need n <= matches else "only {matches} are left"
//!   matches := matches - n
//! }
//!
//! play { turns until stuck { take } }
//!
//! winner last mover
//! "#;
//! let rules = Arc::new(Rules::load(Source::new("last-match.game", text)).expect("nothing is wrong with it"));
//!
//! // Options as they are unless set, two players, and the seed of all that chance decides.
//! let mut game = Match::new(rules.clone(), &BTreeMap::new(), 2, 1).expect("it can be started");
//! let (count, moves) = game.legal(1, 10).expect("player 1 is to choose");
//! assert_eq!(count, Some(3.into()));
//! assert_eq!(game.entry_words(&moves[2]), "take 3");
//! game.make(&moves[2]).expect("it is legal");
//! assert_eq!(game.view(Viewer::Spectator).unwrap()["table"]["matches"], 2);
//!
//! // What is not legal is refused in the author's words, with the place in the rules.
//! let mut greedy = moves[2].clone();
//! greedy.player = 2;
//! let refused = game.make(&greedy).unwrap_err();
//! assert_eq!(refused.message, "only 2 are left");
//! assert_eq!(refused.reasons[0].line, 7);
//!
//! let (_, moves) = game.legal(2, 10).unwrap();
//! game.make(&moves[1]).unwrap();
//! assert!(game.over());
//! assert_eq!(game.winners(), [2]);
//!
//! // A match is its record, and a record can be played again.
//! let written = game.record().unwrap().json().to_string();
//! let replayed = replay(rules, &Record::read(&written).unwrap()).unwrap();
//! assert!(replayed.broken.is_none());
//! assert_eq!(replayed.played.winners(), [2]);
//!
//! // Two choices are taken back.
//! game.undo(2).unwrap();
//! assert_eq!(game.to_move(), [1]);
//! ```
//!
//! # Diagnostics
//!
//! ```
//! use parlour::diag::render;
//! use parlour::play::Rules;
//! use parlour::source::Source;
//!
//! let source = Source::new("oops.game", "game \"Oops\" { players 2 }\ntable { n: 0..9 = 0 }\nplay { m := 1 }\n");
//! let found = Rules::load(source.clone()).unwrap_err();
//! assert_eq!(found[0].code.to_string(), "E0201");
//! assert_eq!(source.position(found[0].span().start).line, 3);
//! assert!(render::plain(&source, &found[0]).starts_with("oops.game:3:8: error[E0201 unknown-name]"));
//! ```
//!
//! # Bundled games and playouts
//!
//! An engine plays a game whose options and number of players are fixed. There are two: the reference
//! evaluator, a [`Machine`](engine::Machine), and `jit::Compiled`, which compiles that machine to native code
//! (feature `jit`). Both produce exactly the same results.
//!
//! ```
//! use parlour::engine::Engine;
//! use parlour::lab::Simulation;
//! use parlour::num::Rng;
//! use parlour::play::{Rules, bundled_source};
//!
//! let rules = Rules::load(bundled_source("procession").expect("it is bundled")).unwrap();
//! let options = rules.read_options([("n", "5")]).unwrap();
//! let machine = rules.machine(&options, 2).unwrap();
//! let (end, choices) = machine.playout(&mut Rng::new(1), 1000).unwrap();
//! let outcome = machine.outcome(&end).expect("it came to its end");
//! assert_eq!(outcome.winners, [(choices as usize + 1) % 2]); // seats from 0: whoever moved last
//!
//! # #[cfg(feature = "jit")]
//! # {
//! let compiled = parlour::jit::Compiled::new(machine.clone());
//! let (end, same) = compiled.playout(&mut Rng::new(1), 1000).unwrap();
//! assert_eq!((compiled.outcome(&end), same), (Some(outcome), choices));
//!
//! // Many matches, counted.
//! let simulation = Simulation { rules: &rules, engine: &compiled, seed: 1, max_moves: 1000 };
//! let played = simulation.play(0..1000, false);
//! assert_eq!(played.tally.finished, 1000);
//! # let reference = Simulation { rules: &rules, engine: &machine, seed: 1, max_moves: 1000 };
//! # assert_eq!(played.tally.wins, reference.play(0..1000, false).tally.wins);
//! # }
//! # let simulation = Simulation { rules: &rules, engine: &machine, seed: 1, max_moves: 1000 };
//! # assert_eq!(simulation.play(0..10, false).tally.wins.iter().sum::<u64>(), 10);
//! ```
//!
//! # Features
//!
//! | feature | what it adds | enabled by default |
//! | --- | --- | --- |
//! | `jit` | module `jit`: the compiler, using Cranelift, on the processors that Cranelift supports | yes |
//! | `cli` | the program `parlour`: command line, sessions, the terminal; needs `fancy` | yes |
//! | `fancy` | `diag::render::human`: diagnostics drawn with the source lines they refer to | with `cli` |
//!
//! With `default-features = false`, the language and the reference evaluator remain; these also build for
//! `wasm32-unknown-unknown`.
//!
//! # Where to look
//!
//! | to | look at |
//! | --- | --- |
//! | load rules, from a text or from the bundled games | [`source`], [`play::Rules`], [`play::bundled_source`] |
//! | report what is wrong with them | [`diag`] |
//! | play matches move by move: legal moves, undo, views, records | [`play::Match`], [`play::Viewer`], [`play::Record`] |
//! | play fast: cheaply copied positions, playouts | [`engine::Engine`], `jit::Compiled` |
//! | gather statistics over many matches, or enumerate all of them | [`lab`], [`play::perft`] |
//! | find mistakes in rules by playing them | [`explore`] |
//! | compute optimal mixed strategies for secret or simultaneous choices | [`equilibrium`] |
//! | prove the value of a position | [`solve`] |
//! | let a bot choose | [`bots`] |
//! | serve programs in other languages | [`protocol`] |
//!
//! The language has a tutorial and a reference manual in the folder `grammar/`; Parlour's architecture is
//! described in `src/README.md`.

#![warn(missing_docs)]

pub mod bots;
pub mod diag;
pub mod engine;
pub mod equilibrium;
pub mod explore;
#[cfg(feature = "jit")]
pub mod jit;
pub mod lab;
pub mod num;
pub mod play;
pub mod protocol;
pub mod solve;
pub mod source;

// Not part of the stable API: public only because the program, the tests and the benches need the internals.
#[doc(hidden)]
pub mod ast;
#[doc(hidden)]
pub mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod eval;
#[doc(hidden)]
pub mod ir;
#[cfg(feature = "jit")]
#[doc(hidden)]
pub mod opt;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod repl;
#[doc(hidden)]
pub mod syntax;
