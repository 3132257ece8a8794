//! The kinds of symbols that a text declares, by its lines: what cannot be parsed as a whole has them all the same.

/// Returns each kind of symbols, and its symbols.
fn kinds(masked: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let lines = masked.lines().filter_map(|line| line.strip_prefix("kind ")?.split_once(':'));
    lines.map(|(kind, symbols)| (kind.trim(), symbols.split(',').map(str::trim).collect()))
}

/// Whether a text declares a kind of symbols by this name, if with another sign than `:`.
pub fn is_kind(masked: &str, name: &str) -> bool {
    let kinds = masked.lines().filter_map(|line| line.strip_prefix("kind ")?.split_once([':', '=']));
    kinds.map(|(kind, _)| kind.trim()).any(|kind| kind == name)
}

/// Whether a text declares a symbol of a kind by this name.
pub fn is_symbol(masked: &str, name: &str) -> bool {
    kind_of(masked, name).is_some()
}

/// Returns the kind that declares a symbol.
pub fn kind_of<'m>(masked: &'m str, symbol: &str) -> Option<&'m str> {
    kinds(masked).find(|(_, symbols)| symbols.contains(&symbol)).map(|(kind, _)| kind)
}

/// Returns the symbols of a kind; none if there is no such kind.
pub fn symbols_of<'m>(masked: &'m str, kind: &str) -> Vec<&'m str> {
    kinds(masked).find(|(name, _)| *name == kind).map_or_else(Vec::new, |(_, symbols)| symbols)
}
