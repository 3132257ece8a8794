//! `parlour play` and `parlour repl`.

use clap::Args;

use super::{Exit, GameArgs};

#[derive(Args)]
pub struct PlayArgs {
    #[command(flatten)]
    game: GameArgs,
}

pub fn run(_args: &PlayArgs) -> Exit {
    Ok(0)
}

pub fn repl(_game: Option<&str>) -> Exit {
    Ok(0)
}
