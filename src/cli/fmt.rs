//! `parlour fmt`: formats rule files.

use std::path::Path;

use clap::Args;

use super::files::{io_failure, read_source, write};
use super::{Exit, Failure, note, out};
use crate::syntax::format::format;

#[derive(Args)]
pub struct FmtArgs {
    /// Rule files; `-` reads standard input and prints the result
    #[arg(required = true)]
    files: Vec<String>,
    /// Change nothing; fail if a file is not formatted
    #[arg(long)]
    check: bool,
}

pub fn run(args: &FmtArgs) -> Exit {
    let mut status = 0;
    for file in &args.files {
        let source = match read_source(file) {
            Ok(source) => source,
            Err(Failure::Wrong(text)) => {
                note(&text);
                status = 1;
                continue;
            }
            Err(other) => return Err(other),
        };
        let formatted = match format(&source) {
            Ok(formatted) => formatted,
            Err(sentence) => {
                note(&format!("error: {file}: {sentence}"));
                status = 1;
                continue;
            }
        };
        // Compare with the bytes on disk, because different line ends count as a difference too.
        let same = match file.as_str() {
            "-" => formatted == *source.text,
            path => std::fs::read(path).map_err(|error| io_failure(path, &error))? == formatted.as_bytes(),
        };
        if args.check {
            if !same {
                note(&format!("{file} is not formatted"));
                status = 1;
            }
        } else if file == "-" {
            out(&formatted)?;
        } else if !same {
            write(Path::new(file), &formatted).map_err(|error| io_failure(file, &error))?;
        }
    }
    Ok(status)
}
