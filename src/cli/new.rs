//! `parlour new`: writes a new rule file or variant that has no errors.

use std::path::Path;

use clap::Args;

use super::files::io_failure;
use super::{Exit, Failure, game_source, note};
use crate::check::check;
use crate::play::Rules;

#[derive(Args)]
pub struct NewArgs {
    /// The new game's name: lower-case letters, digits and `-`; the file is NAME.game
    name: String,
    /// Start a variant of this game
    #[arg(long, value_name = "GAME")]
    from: Option<String>,
}

pub fn run(args: &NewArgs) -> Exit {
    let name = args.name.strip_suffix(".game").unwrap_or(&args.name);
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(fits) {
        return Err(Failure::Usage(format!(
            "`{name}` cannot be the name of a game; use lower-case letters, digits and `-`"
        )));
    }
    let path = format!("{name}.game");
    if Path::new(&path).exists() {
        return Err(Failure::Wrong(format!("error: {path} already exists; nothing was changed")));
    }
    let title = title(name);
    let text = match &args.from {
        None => game(&title),
        Some(from) => {
            let source = game_source(from)?;
            let rules = Rules::load(source).map_err(|_| {
                Failure::Wrong(format!("error: {from} has errors; `parlour check` says which"))
            })?;
            variant(&title, from, &rules)
        }
    };
    std::fs::write(&path, text).map_err(|error| io_failure(&path, &error))?;
    // Check the written file, so that the message is true.
    let errors = check(&game_source(&path)?).diagnostics.len();
    note(&format!("wrote {path}, which checks with {errors} remarks; `parlour play {path}` plays it"));
    Ok(0)
}

/// Turns a file name into a title: `three-in-a-row` becomes `Three In A Row`.
fn title(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    };
    name.split('-').filter(|part| !part.is_empty()).map(word).collect::<Vec<_>>().join(" ")
}

fn game(title: &str) -> String {
    format!(
        r#"// Say in a sentence what players do.

game "{title}" {{
  players 2
}}

option n: 1..100 = 10 // how many there are

table {{
  left: 0..n = n
}}

show "{{left}} left"

// Take one, two or three.
move take(count in 1..3) {{
  need count <= left else "there are only {{left}}"
  left -= count
}}

play {{
  turns until left = 0 {{ take }}
}}

winner last mover

example "a short one" with n = 4 {{
  start shows "4 left"
  1: take 3 shows "1 left"
  2: take 2 refused "only 1"
  2: take 1
  over, winner 2
}}
"#
    )
}

fn variant(title: &str, from: &str, rules: &Rules) -> String {
    let game = &rules.game;
    let mut text = format!("// Say in a sentence what differs.\n\nvariant \"{title}\" of \"{from}\" {{ }}\n");
    // Every option with its default, ready to be changed.
    for option in &game.options {
        let default = rules.source.slice(option.default.span);
        text.push_str(&format!("\noption {} = {default}", option.name));
    }
    if !game.options.is_empty() {
        text.push('\n');
    }
    text
}
