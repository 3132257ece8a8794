//! `parlour rules`: the rules as a sheet for people.

use super::{Exit, load_rules, out, width};
use crate::play::sheet;

pub fn run(game: &str) -> Exit {
    let rules = load_rules(game)?;
    out(&sheet(&rules, width()))?;
    Ok(0)
}
