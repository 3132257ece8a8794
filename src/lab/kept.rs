//! What long work keeps in a file to go on with: its format, and whether another run may go on there.

use serde_json::{Map, Value as Json, json};

use crate::eval::{Setup, text};
use crate::play::Rules;

/// What fixes the matches that are kept.
pub(super) struct Keeping<'a> {
    /// The format, and its version.
    pub format: &'static str,
    pub version: u64,
    /// The command that keeps it.
    pub command: &'static str,
    /// The rules.
    pub rules: &'a Rules,
    /// The options, and how many play.
    pub setup: &'a Setup,
    /// The seed of all matches.
    pub seed: u64,
    /// After how many choices a match is given up.
    pub max_moves: u64,
}

impl Keeping<'_> {
    /// What must be the same where matches are added to others.
    pub fn setting(&self) -> Map<String, Json> {
        let setting = [
            ("game", json!(self.rules.name)),
            ("rules", json!(self.rules.hash)),
            ("options", json!(text::options_json(&self.rules.game, self.setup))),
            ("players", json!(self.setup.players)),
            ("seed", json!(self.seed)),
            ("max_moves", json!(self.max_moves)),
            ("parlour", json!(env!("CARGO_PKG_VERSION"))),
        ];
        setting.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }

    /// What a file begins with.
    pub fn head(&self) -> Json {
        let mut head = Map::new();
        head.insert("format".to_string(), json!(self.format));
        head.insert("version".to_string(), json!(self.version));
        head.extend(self.setting());
        Json::Object(head)
    }

    /// Reads a file that was kept of the same matches. The error is a sentence.
    pub fn read(&self, text: &str) -> Result<Json, String> {
        let kept: Json = serde_json::from_str(text).map_err(|_| self.not_ours())?;
        if kept["format"] != self.format {
            return Err(self.not_ours());
        }
        if kept["version"] != self.version {
            return Err(format!(
                "this was written by a later parlour: version {} of the format; here is {}",
                kept["version"], self.version
            ));
        }
        for (name, value) in self.setting() {
            if kept[&name] != value {
                return Err(differs(&name, &kept[&name], &value));
            }
        }
        Ok(kept)
    }

    /// That a file is something else.
    pub fn not_ours(&self) -> String {
        format!("this was not written by `parlour {} --keep`; give another file", self.command)
    }
}

/// That matches which were kept are others.
pub(super) fn differs(name: &str, there: &Json, here: &Json) -> String {
    let (what, way) = match name {
        "rules" => ("the rules were other ones then".to_string(), "give another file for these rules"),
        "max_moves" => (format!("there is `--max-moves {there}`, here {here}"), "say the same"),
        "playouts" => (format!("there is `--playouts {there}`, here {here}"), "say the same"),
        "seed" => (format!("there is `--seed {there}`, here {here}"), "say the same"),
        "parlour" => ("another version of parlour played there".to_string(), "its bots may differ"),
        _ => (format!("the {name} there: {there}; here: {here}"), "say the same"),
    };
    format!("{what}; {way}, or give another file")
}
