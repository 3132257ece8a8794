//! House rules of the source: which folder may use which, file sizes, opening sentences.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers: each may use itself and those before it.
const LAYERS: &[&[&str]] = &[
    &["num"],
    &["source"],
    &["diag"],
    &["ast"],
    &["syntax"],
    &["ir"],
    &["check"],
    &["eval"],
    &["engine"],
    &["opt"],
    &["jit"],
    &["play"],
    &["solve"],
    &["explore"],
    &["equilibrium"],
    &["bots"],
    &["lab"],
    &["protocol", "repl"],
    &["cli"],
];

/// The stages of the compiler; the files beside their folders combine the stages, and may use all of them.
const STAGES: &[&str] = &["analysis", "layout", "mir", "runtime", "backend", "builder", "lower"];

/// The most lines a source file may have.
const MAX_LINES: usize = 700;

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            out.push(path);
        }
    }
}

fn all_sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    paths.sort();
    let relative = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    paths.iter().map(|path| (relative(path), fs::read_to_string(path).unwrap())).collect()
}

/// Returns the module of a source file: its first folder, or its own name.
fn module(path: &str) -> &str {
    path.split('/').next().unwrap().trim_end_matches(".rs")
}

#[test]
fn data_flows_one_way() {
    let rank = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    for (path, text) in all_sources() {
        let Some(own) = rank(module(&path)) else {
            assert!(matches!(module(&path), "lib" | "main"), "{path} is in no layer");
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            for part in code.split("crate::").skip(1) {
                let used: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let Some(other) = rank(&used) else { continue };
                assert!(other <= own, "{path}:{}: `{}` may not use `{used}`", number + 1, module(&path));
            }
        }
    }
}

#[test]
fn the_stages_of_the_compiler_follow_one_another() {
    let rank = |stage: &str| STAGES.iter().position(|known| *known == stage);
    for (path, text) in all_sources() {
        let mut folders = path.split('/');
        let (Some("jit"), Some(own)) = (folders.next(), folders.next()) else { continue };
        let Some(own) = rank(own) else { continue };
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            for part in code.split("crate::jit::").skip(1) {
                let used: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let other = rank(&used).unwrap_or(usize::MAX);
                assert!(other <= own, "{path}:{}: `{}` may not use `{used}`", number + 1, STAGES[own]);
            }
        }
    }
}

#[test]
fn only_the_edges_touch_the_world() {
    for (path, text) in all_sources() {
        let edge = matches!(module(&path), "cli" | "main") || path.starts_with("repl/terminal");
        if edge {
            continue;
        }
        for word in ["std::fs", "std::env", "std::io::", "std::time", "std::thread", "println!", "eprintln!"]
        {
            let code = text.split("#[cfg(test)]").next().unwrap();
            assert!(!code.contains(word), "{path} uses `{word}`");
        }
    }
}

#[test]
fn files_open_with_a_sentence_and_have_not_outgrown_their_room() {
    for (path, text) in all_sources() {
        let first = text.lines().next().unwrap_or("");
        assert!(first.starts_with("//! ") || path == "lib.rs", "{path} opens with `{first}`");
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{path} has {lines} lines; at most {MAX_LINES}");
    }
}

#[test]
fn unsafe_code_has_its_place() {
    for (path, text) in all_sources() {
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let own = matches!(
            path.as_str(),
            "jit/runtime/call.rs" | "jit/runtime/helpers.rs" | "jit/runtime/memory.rs"
        );
        assert!(own || !code.contains("unsafe "), "{path} has unsafe code");
    }
}

#[test]
fn only_the_back_end_knows_cranelift() {
    for (path, text) in all_sources() {
        // The memory for machine code is freed where the other unsafe code is.
        let own = matches!(path.as_str(), "jit/backend/cranelift.rs" | "jit/runtime/call.rs");
        assert!(own || !text.contains("use cranelift::"), "{path} uses Cranelift");
    }
}

#[test]
fn no_rust_code_knows_a_game() {
    let names: Vec<String> = parlour::play::bundled().into_iter().map(|(name, _)| name).collect();
    for (path, text) in all_sources().into_iter().filter(|(path, _)| !path.ends_with("/tests.rs")) {
        // Examples in comments may name a game.
        let code = text.split("#[cfg(test)]").next().unwrap().lines();
        let code: String = code.filter(|line| !line.trim_start().starts_with("//")).collect();
        for name in &names {
            assert!(!code.contains(&format!("\"{name}\"")), "{path} names {name}");
        }
    }
}

#[test]
fn the_map_of_the_source_names_every_module() {
    let map = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/README.md")).unwrap();
    for (path, _) in all_sources() {
        if path != "lib.rs" {
            let file = path.rsplit('/').next().unwrap();
            let named = map.contains(&format!("`{file}`")) || map.contains(&format!("`{path}`"));
            assert!(named || file == "mod.rs", "src/README.md does not name {path}");
        }
    }
}

#[test]
fn every_suite_is_run() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let all = fs::read_to_string(tests.join("all.rs")).unwrap();
    for entry in fs::read_dir(&tests).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(suite) = name.strip_suffix(".rs").filter(|suite| !["all", "terminal"].contains(suite)) {
            assert!(all.contains(&format!("\nmod {suite};\n")), "tests/all.rs leaves tests/{name} out");
        }
    }
}
