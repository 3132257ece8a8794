//! Pits and stores: two facing rows if two seats have equally many pits, else one row below another.

use super::look::{Hue, Line, Look, to_the_left, to_the_right, wide};
use super::table::{Row, Table};

/// A row of pits, and the store that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Its owner's name; empty if it has no owner.
    pub name: String,
    /// The colour of the owner's seat.
    pub hue: Option<Hue>,
    /// The pits: how each is typed, its content, and whether that changed.
    pub pits: Vec<(String, String, bool)>,
    /// The content of the store, and whether it changed.
    pub store: Option<(String, bool)>,
}

/// The pits of a table, those of the first seat first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pits(pub Vec<Side>);

impl Pits {
    /// Draws the pits as lines.
    pub fn lines(&self, look: &Look) -> Vec<Line> {
        match self.0.as_slice() {
            [near, far]
                if near.pits.len() == far.pits.len() && near.store.is_some() == far.store.is_some() =>
            {
                let lines = facing(near, far);
                match lines.iter().all(|line| line.width() <= look.width) {
                    true => lines,
                    false => facing_rows(near, far).lines(look),
                }
            }
            _ => self.rows(look),
        }
    }

    /// Draws one row below another, each with the names of its pits above it.
    fn rows(&self, look: &Look) -> Vec<Line> {
        let mut out = Vec::new();
        for side in &self.0 {
            let store = side.store.iter().map(|store| ("store".to_string(), store.clone()));
            let pits = side.pits.iter().map(|(name, count, new)| (name.clone(), (count.clone(), *new)));
            let (heads, cells) = pits.chain(store).unzip();
            let table = Table { heads, rows: vec![Row { name: side.name.clone(), hue: side.hue, cells }] };
            out.extend(table.lines(look));
        }
        out
    }

    /// Describes the pits in words.
    pub fn spoken(&self) -> Vec<String> {
        let each = |side: &Side| {
            let pits: Vec<String> =
                side.pits.iter().map(|(name, count, _)| format!("pit {name} has {count}")).collect();
            let store =
                side.store.as_ref().map_or(String::new(), |(count, _)| format!(", the store has {count}"));
            let name = if side.name.is_empty() { String::new() } else { format!("{}: ", side.name) };
            let changed: Vec<&str> =
                side.pits.iter().filter(|(_, _, changed)| *changed).map(|(name, ..)| name.as_str()).collect();
            let changed = match changed.is_empty() {
                true => String::new(),
                false => format!(" (changed: {})", changed.join(", ")),
            };
            format!("{name}{}{store}{changed}", pits.join(", "))
        };
        self.0.iter().map(each).collect()
    }
}

/// Puts two facing rows into one table, where there is no room for the board: the far row from right to left, with the names
/// of its pits above it, and the near row with those of its pits below it.
fn facing_rows(near: &Side, far: &Side) -> Table {
    let name = |(name, ..): &(String, String, bool)| name.clone();
    let count = |(_, count, new): &(String, String, bool)| (count.clone(), *new);
    let stores = |side: &Side| side.store.clone().into_iter();
    let heads = far.pits.iter().rev().map(name).chain(stores(far).map(|_| "store".to_string())).collect();
    let row = |side: &Side, cells| Row { name: side.name.clone(), hue: side.hue, cells };
    let rows = vec![
        row(far, far.pits.iter().rev().map(count).chain(stores(far)).collect()),
        row(near, near.pits.iter().map(count).chain(stores(near)).collect()),
        Row {
            name: String::new(),
            hue: None,
            cells: near.pits.iter().map(|pit| (name(pit), false)).collect(),
        },
    ];
    Table { heads, rows }
}

/// Draws two sides with the second one reversed, so that opposite pits are aligned; each store is at the end
/// that its owner's row leads to.
fn facing(near: &Side, far: &Side) -> Vec<Line> {
    let all = near.pits.iter().chain(&far.pits);
    let widest = all.map(|(name, count, _)| wide(name).max(wide(count))).max().unwrap_or(1);
    let stores = [far, near].map(|side| side.store.clone().unwrap_or_default());
    let store = stores.iter().map(|(count, _)| wide(count)).max().unwrap_or(1);
    let stored = near.store.is_some();
    let margin = wide(&near.name).max(wide(&far.name));
    let columns = near.pits.len();

    let far_pits: Vec<&(String, String, bool)> = far.pits.iter().rev().collect();
    let near_pits: Vec<&(String, String, bool)> = near.pits.iter().collect();
    // The width from the left edge to the first pit: the store and its walls.
    let lead = if stored { store + 3 } else { 0 };
    let names = |side: &Side, pits: &[&(String, String, bool)]| {
        let mut line = Line::default();
        line.paint(to_the_left(&side.name, margin), side.hue, false);
        line.put(format!(" {:lead$} ", ""));
        for (name, ..) in pits {
            line.put(format!(" {}  ", to_the_right(name, widest)));
        }
        line
    };
    let rule = |left: &str, mid: &str, right: &str| {
        let pits = vec!["─".repeat(widest + 2); columns].join(mid);
        format!("{left}{pits}{right}")
    };
    let outer = |corners: [&str; 3]| {
        let wall = "─".repeat(store + 2);
        let [left, mid, right] = corners;
        let text = match stored {
            true => format!("{left}{wall}{}{wall}{right}", rule(mid, mid, mid)),
            false => rule(left, mid, right),
        };
        Line::of(format!("{:margin$} {text}", ""))
    };
    let cell = |count: &str, changed: bool, width: usize| {
        let pad = " ".repeat(width.saturating_sub(wide(count)));
        if changed { format!("{pad}[{count}]") } else { format!("{pad} {count} ") }
    };
    let pits = |side: &Side, pits: &[&(String, String, bool)]| {
        let mut line = Line::of(format!("{:margin$} ", ""));
        let blank = if stored { format!("│{:width$}", "", width = store + 2) } else { String::new() };
        line.put(blank.clone());
        for (_, count, changed) in pits {
            line.put("│");
            line.paint(cell(count, *changed, widest), side.hue, *changed);
        }
        line.put("│");
        if stored {
            line.put(format!("{}│", &blank["│".len()..]));
        }
        line
    };
    let mut middle = Line::of(format!("{:margin$} ", ""));
    match stored {
        true => {
            let [(left, left_new), (right, right_new)] = &stores;
            middle.put("│");
            middle.paint(cell(left, *left_new, store), far.hue, *left_new);
            middle.put(rule("├", "┼", "┤"));
            middle.paint(cell(right, *right_new, store), near.hue, *right_new);
            middle.put("│");
        }
        false => middle.put(rule("├", "┼", "┤")),
    }
    vec![
        names(far, &far_pits),
        outer(["┌", "┬", "┐"]),
        pits(far, &far_pits),
        middle,
        pits(near, &near_pits),
        outer(["└", "┴", "┘"]),
        names(near, &near_pits),
    ]
}
