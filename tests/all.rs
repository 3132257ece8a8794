//! Every suite but that of the terminal, in one program: it is built and linked once, and suites share the cores. What several
//! suites use stands first.

#![cfg_attr(not(all(feature = "cli", feature = "jit")), allow(dead_code))] // some suites are left out then

#[cfg(feature = "jit")]
mod engines;
mod exhaustive;
mod files;
#[cfg(feature = "cli")]
mod folder;
#[path = "../benches/known/mod.rs"]
mod known;
#[cfg(feature = "cli")]
#[path = "repl/memory.rs"]
mod memory;
mod oracles;
#[cfg(feature = "cli")]
#[path = "repl/program.rs"]
mod program;
mod rewrites;
#[path = "bots/table.rs"]
mod table;

mod authors;
mod baselines;
mod classics;
mod codes;
mod domains;
mod drawings;
mod engine;
mod estimates;
mod exact;
mod explore;
mod faults;
mod format;
mod games;
mod language;
mod leaks;
mod live;
mod manual;
mod perft;
mod secrets;
mod seen;
mod sheet;
mod six_games;
mod telling;
mod tidy;

#[cfg(feature = "fancy")]
mod corpus;
#[cfg(feature = "fancy")]
mod fuzz;
#[cfg(feature = "fancy")]
mod variants;

#[cfg(feature = "cli")]
mod arena;
#[cfg(feature = "cli")]
mod bots;
#[cfg(feature = "cli")]
mod builds;
#[cfg(feature = "cli")]
mod check_play;
#[cfg(feature = "cli")]
mod commands;
#[cfg(feature = "cli")]
mod compare;
#[cfg(feature = "cli")]
mod coverage;
#[cfg(feature = "cli")]
mod equilibrium;
#[cfg(feature = "cli")]
mod pictures;
#[cfg(feature = "cli")]
mod repl;
#[cfg(feature = "cli")]
mod review;
#[cfg(feature = "cli")]
mod solve;
#[cfg(feature = "cli")]
mod study;
#[cfg(feature = "cli")]
mod words;

#[cfg(feature = "jit")]
mod code;
#[cfg(feature = "jit")]
mod compiled;
#[cfg(feature = "jit")]
mod compiled_fuzz;
#[cfg(feature = "jit")]
mod metamorphic;
#[cfg(feature = "jit")]
mod opt;
#[cfg(feature = "jit")]
mod short_cuts;
#[cfg(feature = "jit")]
mod simulate;
#[cfg(feature = "jit")]
mod stepping;

#[cfg(all(feature = "cli", feature = "jit"))]
mod readme;
#[cfg(all(feature = "cli", feature = "jit"))]
mod records;
