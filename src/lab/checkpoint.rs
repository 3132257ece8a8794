//! Files that keep long work so that a later run can continue it: their format, and the check that a run may
//! continue one.

use serde_json::{Map, Value as Json, json};

use crate::eval::{Setup, text};
use crate::play::Rules;

/// What determines the kept matches.
pub(super) struct Checkpoint<'a> {
    /// The name of the format, and its version.
    pub format: &'static str,
    pub version: u64,
    /// The command that writes the file.
    pub command: &'static str,
    /// The rules.
    pub rules: &'a Rules,
    /// The options and the number of players.
    pub setup: &'a Setup,
    /// The seed of all matches.
    pub seed: u64,
    /// The number of choices after which a match is abandoned.
    pub max_moves: u64,
}

impl Checkpoint<'_> {
    /// Returns the fields that must be equal for matches to be added to those in the file.
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

    /// Returns the header of a file: the format, its version and the setting.
    pub fn head(&self) -> Json {
        let mut head = Map::new();
        head.insert("format".to_string(), json!(self.format));
        head.insert("version".to_string(), json!(self.version));
        head.extend(self.setting());
        Json::Object(head)
    }

    /// Reads a kept file, and checks that it is of the same setting. The error is a sentence.
    pub fn read(&self, text: &str) -> Result<Json, String> {
        let kept: Json = serde_json::from_str(text).map_err(|_| self.not_ours())?;
        if kept["format"] != self.format {
            return Err(self.not_ours());
        }
        if kept["version"] != self.version {
            let earlier = kept["version"].as_u64().is_some_and(|version| version < self.version);
            return Err(format!(
                "this was written by {} parlour: its format has version {}, here it is {}; use another file",
                if earlier { "an earlier" } else { "a later" },
                kept["version"],
                self.version
            ));
        }
        for (name, value) in self.setting() {
            if kept[&name] != value {
                return Err(differs(&name, &kept[&name], &value));
            }
        }
        Ok(kept)
    }

    /// The error for a file of some other kind.
    pub fn not_ours(&self) -> String {
        format!("this was not written by `parlour {} --keep`; use another file", self.command)
    }
}

/// The error for a file with a different setting: field `name` is `there` in the file and `here` now.
pub(super) fn differs(name: &str, there: &Json, here: &Json) -> String {
    let (what, way) = match name {
        "rules" => ("the rules have changed since".to_string(), "go back to those rules"),
        "max_moves" => {
            (format!("this was kept with `--max-moves {there}`, not {here}"), "use the same value")
        }
        "playouts" => (format!("this was kept with `--playouts {there}`, not {here}"), "use the same value"),
        "seed" => (format!("this was kept with `--seed {there}`, not {here}"), "use the same value"),
        "parlour" => {
            ("another version of parlour, whose bots may differ, wrote it".to_string(), "use that version")
        }
        _ => (format!("the {name} there: {there}; here: {here}"), "use the same"),
    };
    format!("{what}; {way}, or another file")
}
