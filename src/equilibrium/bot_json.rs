//! The JSON form of mixes that bots read.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::Equilibrium;
use super::words::Setting;
use crate::bots::{Trail, setting_json};
use crate::eval::text;

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
