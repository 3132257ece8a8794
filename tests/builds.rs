//! The program built with and without the compiler.

use std::process::{Command, Output};

fn parlour(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_parlour")).args(args).output().unwrap()
}

#[test]
fn the_fastest_engine_there_is_plays() {
    let output = parlour(&["bench", "procession", "--seconds", "0.01", "--json"]);
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let fastest = if cfg!(feature = "jit") { "compiled" } else { "reference" };
    assert_eq!(figures["engine"], fastest);
}

#[test]
fn a_build_without_the_compiler_names_the_feature() {
    let asked: [&[&str]; 3] = [
        &["simulate", "procession", "--games", "1", "--engine", "compiled"],
        &["perft", "procession", "--depth", "1", "--engine", "compiled"],
        &["dump", "procession", "--stage", "jit"],
    ];
    for args in asked {
        let output = parlour(args);
        let told = String::from_utf8(output.stderr).unwrap();
        if cfg!(feature = "jit") {
            assert_eq!(output.status.code(), Some(0), "{args:?}: {told}");
        } else {
            assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
            assert!(told.contains("this build has no compiler; build it with the feature `jit`"), "{told}");
        }
    }
}
