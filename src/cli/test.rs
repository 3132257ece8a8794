//! `parlour test`: the examples inside rule files.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use super::{Exit, Failure, game_source, out, reports, style};
use crate::diag::render;
use crate::play::{Rules, run_examples};

pub fn run(paths: &[String]) -> Exit {
    let style = style(io::stdout().is_terminal());
    let (mut passed, mut failed) = (0, 0);
    let mut files = Vec::new();
    for path in paths {
        if Path::new(path).is_dir() {
            let before = files.len();
            collect(Path::new(path), &mut files)?;
            if files.len() == before {
                return Err(Failure::Wrong(format!("error: {path}: there is no .game file in this folder")));
            }
        } else {
            files.push(path.clone());
        }
    }
    for file in files {
        let source = game_source(&file)?;
        let rules = match Rules::load(source.clone()) {
            Ok(rules) => Arc::new(rules),
            Err(diagnostics) => {
                failed += 1;
                out(&format!("FAIL {file}: it does not check\n{}", reports(&source, &diagnostics, style)))?;
                continue;
            }
        };
        for report in run_examples(&rules) {
            match report.failure {
                None => {
                    passed += 1;
                    out(&format!("ok   {file}: {}", report.title))?;
                }
                Some(failure) => {
                    failed += 1;
                    out(&format!(
                        "FAIL {file}: {}\n{}",
                        report.title,
                        render::human(&source, &failure, style)
                    ))?;
                }
            }
        }
    }
    out(&format!("{passed} passed, {failed} failed"))?;
    Ok(u8::from(failed > 0))
}

/// The rule files of a folder and those in it, in alphabetic order.
fn collect(folder: &Path, files: &mut Vec<String>) -> Result<(), Failure> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "game") {
            files.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}
