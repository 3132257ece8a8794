//! The JSON form of mixes: what `parlour equilibrium --keep` writes, and bots read.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::words::Setting;
use super::{Aim, Equilibrium, Mix, MixedMove, Mixes, Trail};
use crate::eval::{Chosen, Machine, Setup, text};
use crate::ir::{Game, Value};
use crate::play::{Rules, chosen, read_json};

/// The format name and version of the file.
const FORMAT: &str = "parlour-mixes";
const VERSION: u64 = 2;

/// Returns the header of a file of mixes: the rules, options and players that they are for.
fn setting_json(rules: &Rules, setup: &Setup) -> Map<String, Json> {
    let setting = [
        ("format", json!(FORMAT)),
        ("version", json!(VERSION)),
        ("game", json!(rules.name)),
        ("rules", json!(rules.hash)),
        ("options", json!(text::options_json(&rules.game, setup))),
        ("players", json!(setup.players)),
    ];
    setting.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

impl Equilibrium {
    /// Returns the mixes of all information sets, keyed by what a seat has seen. The error is a sentence: two
    /// sets of a seat have the same key.
    pub fn bot_json(&self, setting: &Setting) -> Result<Json, String> {
        let rules = setting.rules;
        let mut kept = setting_json(rules, setting.setup);
        kept.insert("aim".into(), json!(self.search.aim.name()));
        kept.insert("exploitability".into(), json!(self.exploitability()));
        let mut sets = BTreeMap::new();
        for (subgame, laid) in self.tree.subgames.iter().enumerate() {
            for (number, set) in laid.sets.iter().enumerate() {
                let mix = set.moves.iter().zip(&self.mixes[subgame][number]).map(|(chosen, likely)| {
                    let entry = rules.entry(set.seat, chosen);
                    let args = entry.args.iter();
                    let args: Map<String, Json> =
                        args.map(|(name, value)| (name.clone(), text::json(&rules.game, value))).collect();
                    json!({ "move": entry.name, "args": args, "probability": likely })
                });
                let mix: Json = mix.collect();
                let (player, at) = (set.seat + 1, set.trail.words());
                if sets.insert((player, at.clone()), mix).is_some() {
                    return Err(format!(
                        "{} meets two situations (situation {at}) that differ only in the pass of a loop, so a bot could not tell them \
                         apart; store the pass in state that the player sees",
                        rules.game.seat_name(set.seat)
                    ));
                }
            }
        }
        let set = |((player, at), mix)| json!({ "player": player, "at": at, "mix": mix });
        kept.insert("sets".into(), sets.into_iter().map(set).collect());
        let leads = self.tree.subgames.iter().flat_map(|laid| &laid.exits);
        let exit = |(seat, at, to): &(usize, Trail, Trail)| json!({ "player": seat + 1, "at": at.words(), "to": to.words() });
        kept.insert("exits".into(), leads.map(exit).collect());
        Ok(Json::Object(kept))
    }
}

impl Mixes {
    /// Parses a file written by `parlour equilibrium --keep` for a match with these rules, options and
    /// players. The error is a sentence.
    pub fn read(text: &str, rules: &Rules, machine: &Machine) -> Result<Mixes, String> {
        let foreign = || "this file was not written by `parlour equilibrium --keep`".to_string();
        let kept: Json = serde_json::from_str(text).map_err(|_| foreign())?;
        if kept["format"] != FORMAT {
            return Err(foreign());
        }
        for (what, here) in setting_json(rules, &machine.setup) {
            let there = &kept[&what];
            if *there != here {
                return Err(match what.as_str() {
                    "rules" => {
                        "these mixes are for other rules; run `parlour equilibrium --keep` again".to_string()
                    }
                    what => {
                        format!("`{what}` in the file is {there}, not {here}; use the same, or another file")
                    }
                });
            }
        }
        let for_points = kept["aim"].as_str().is_some_and(|aim| aim != Aim::Win.name());
        let mut mixes = Mixes::new(machine, for_points);
        let all = |what: &str| kept[what].as_array().cloned().ok_or_else(foreign);
        let place = |json: &Json| -> Option<(usize, Trail)> {
            Some((usize::try_from(json["player"].as_u64()?).ok()?, Trail::read(&json["at"])?))
        };
        for set in all("sets")? {
            let mix = set["mix"].as_array().ok_or_else(foreign)?;
            let mix = mix.iter().map(|one| likely(&rules.game, one)).collect::<Option<Vec<MixedMove>>>();
            let mix = mix.filter(|mix| mix.iter().any(|of_mix| of_mix.likely > 0.0));
            let mix = Mix { moves: mix.ok_or_else(foreign)?, off: 0.0 };
            mixes.sets.insert(place(&set).ok_or_else(foreign)?, mix);
        }
        for exit in all("exits")? {
            let to = Trail::read(&exit["to"]);
            mixes.exits.insert(place(&exit).ok_or_else(foreign)?, to.ok_or_else(foreign)?);
        }
        Ok(mixes)
    }
}

/// Parses a move of a mix.
fn likely(game: &Game, json: &Json) -> Option<MixedMove> {
    let mv = game.moves.iter().position(|mv| json["move"] == mv.name)?;
    let args =
        chosen(&game.moves[mv]).map(|param| read_json(game, &param.ty, &json["args"][&param.name]).ok());
    let args = args.collect::<Option<Vec<Value>>>()?;
    let likely = json["probability"].as_f64().filter(|likely| (0.0..=1.0).contains(likely))?;
    Some(MixedMove { chosen: Chosen { offer: 0, mv, args }, likely, shares: None })
}
