//! Views: the part of a position that a player, a spectator or the referee may see.

use serde_json::{Map, Value as Json, json};

use super::Match;
use crate::eval::{Fault, text};
use crate::ir::{Sight, StateId, Value};

/// The viewer of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// A player, from 1.
    Player(usize),
    /// Somebody who does not play; sees only public state.
    Spectator,
    /// The referee, who sees everything.
    Everything,
}

impl Viewer {
    /// Whether the viewer may see unrevealed state with this `sight` that seat `owner` (from 0) owns.
    pub(super) fn may_see(self, sight: Sight, owner: usize) -> bool {
        self == Viewer::Everything
            || match sight {
                Sight::Public => true,
                Sight::Owner => self == Viewer::Player(owner + 1),
                Sight::Nobody => false,
            }
    }
}

impl Match {
    /// Returns the state as JSON: `table`, and an object per player in `players`. Hidden state is omitted.
    pub fn view(&self, viewer: Viewer) -> Result<Json, Fault> {
        let game = &self.rules.game;
        let position = self.position();
        let mut table = Map::new();
        let mut players = vec![Map::new(); self.players()];
        for (id, state) in game.state.iter().enumerate() {
            let base = self.machine().setup.bases[id];
            let seats = if state.per_player { self.players() } else { 1 };
            for (owner, player) in players.iter_mut().enumerate().take(seats) {
                let cell = base + owner;
                if self.sees(viewer, state.sight, cell, owner) {
                    let into = if state.per_player { player } else { &mut table };
                    into.insert(state.name.clone(), text::json(game, &position.cells[cell]));
                }
            }
        }
        for (seat, player) in players.iter_mut().enumerate() {
            player.insert("in".into(), json!(position.is_in[seat]));
        }
        let (phases, loops) = self.place();
        let loops: Map<String, Json> = loops
            .into_iter()
            .map(|(name, pass)| (name, pass.parse::<i64>().map_or(Json::Null, |n| json!(n))))
            .collect();
        let mut state = json!({ "table": table, "players": players });
        if !phases.is_empty() {
            state["phase"] = json!(phases);
        }
        if !loops.is_empty() {
            state["loops"] = Json::Object(loops);
        }
        Ok(state)
    }

    /// Whether a viewer sees a cell; `owner` (from 0) is the seat that owns it, and is ignored for the table.
    pub(super) fn sees(&self, viewer: Viewer, sight: Sight, cell: usize, owner: usize) -> bool {
        self.position().revealed[cell] || viewer.may_see(sight, owner)
    }

    /// Returns everything a viewer sees, in words: owner (from 1; 0 is the table), name and value.
    pub fn seen(&self, viewer: Viewer) -> Vec<(usize, String, String)> {
        let game = &self.rules.game;
        let words = |(owner, id, value): (usize, StateId, &Value)| {
            (owner, game.state[id].name.clone(), text::words(game, value))
        };
        self.pieces(viewer).into_iter().map(words).collect()
    }

    /// Like [`Match::seen`], but with ids and values; state that has no value yet is omitted.
    pub(super) fn pieces(&self, viewer: Viewer) -> Vec<(usize, StateId, &Value)> {
        let position = self.position();
        let mut out = Vec::new();
        for (id, state) in self.rules.game.state.iter().enumerate() {
            let base = self.machine().setup.bases[id];
            let seats = if state.per_player { self.players() } else { 1 };
            for owner in 0..seats {
                let cell = base + owner;
                let visible = self.sees(viewer, state.sight, cell, owner);
                if visible && position.cells[cell] != Value::Unset {
                    let who = if state.per_player { owner + 1 } else { 0 };
                    out.push((who, id, &position.cells[cell]));
                }
            }
        }
        out
    }
}
