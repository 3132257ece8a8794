//! The rules as a sheet a person could play from.

use super::Rules;

/// The sheet, in lines of at most `width` columns.
pub fn sheet(rules: &Rules, _width: usize) -> String {
    rules.game.title.clone()
}
