//! `parlour check`: all diagnostics of rule files.

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};
use serde_json::Value as Json;

use super::{Exit, Failure, note, out, read_with_bases, style};
use crate::check::check;
use crate::diag::{Severity, render};

#[derive(Args)]
pub struct CheckArgs {
    /// Rule files; `-` is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// How diagnostics are printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Fail on warnings too
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Plain,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    Warnings,
}

pub fn run(args: &CheckArgs) -> Exit {
    let style = style(io::stdout().is_terminal());
    let mut json: Vec<Json> = Vec::new();
    let (mut errors, mut warnings, mut unread) = (0, 0, 0);
    for file in &args.files {
        let source = match read_with_bases(file) {
            Ok(source) => source,
            Err(Failure::Wrong(text)) => {
                note(&text);
                unread += 1;
                continue;
            }
            Err(other) => return Err(other),
        };
        for diagnostic in check(&source).diagnostics {
            match diagnostic.severity() {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
            match args.format {
                Format::Human => out(&render::human(&source, &diagnostic, style))?,
                Format::Plain => out(&render::plain(&source, &diagnostic))?,
                Format::Json => json.push(render::json(&source, &diagnostic)),
            }
        }
    }
    if args.format == Format::Json {
        out(&Json::Array(json).to_string())?;
    } else {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let unread = if unread > 0 { format!(", {} not read", count(unread, "file")) } else { String::new() };
        note(&format!("{}, {}{unread}", count(errors, "error"), count(warnings, "warning")));
    }
    let denied = args.deny == Some(Deny::Warnings) && warnings > 0;
    Ok(u8::from(errors > 0 || unread > 0 || denied))
}
