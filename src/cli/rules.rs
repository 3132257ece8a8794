//! `parlour rules`: prints the rules as a sheet for people.

use clap::{Args, ValueEnum};

use super::{Exit, SettingArgs, load_rules, out, width};
use crate::play::{SheetFormat, sheet_with};

#[derive(Args)]
pub struct RulesArgs {
    #[command(flatten)]
    setting: SettingArgs,
    /// Plain text, Markdown or one HTML page
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Plain,
    Markdown,
    Html,
}

pub fn run(args: &RulesArgs) -> Exit {
    let rules = load_rules(&args.setting.game)?;
    let values = &args.setting.values;
    // Refuse settings that cannot be played, as other commands do.
    if values.given() {
        values.machine(&rules)?;
    }
    let format = match args.format {
        Format::Plain => SheetFormat::Plain(width()),
        Format::Markdown => SheetFormat::Markdown,
        Format::Html => SheetFormat::Html,
    };
    out(&sheet_with(&rules, &values.options(&rules)?, values.players, format))?;
    Ok(0)
}
