//! A bot that plays mixed strategies from a file: it finds its seat's information set and draws a move.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use serde_json::{Map, Value as Json, json};

use super::advice::{Advice, Method, MoveStats, Sure, interval};
use super::mcts::sample_index;
use super::{NoAdvice, is_open};
use crate::engine::WrittenDown;
use crate::eval::{Chosen, Machine, Position, Setup, text};
use crate::explore::{Identity, number_of};
use crate::ir::{Game, Value, draw_is_public};
use crate::num::Rng;
use crate::play::{KnownEntry, Perceived, Rules, Seen, chosen, read_json};

/// The format name and version of the file.
const FORMAT: &str = "parlour-mixes";
const VERSION: u64 = 2;

/// A hash of what a seat has seen since a subgame began, the same on every machine; collisions are neglected.
/// Loop counters are left out, since paths into the same subgame may differ in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Trail(u64);

impl Trail {
    /// Returns the trail at the start of a subgame.
    pub fn begin(subgame: usize) -> Trail {
        Trail(number_of(&subgame))
    }

    /// Returns the trail after `happened`, as the seat knows it, when the seat sees `sees`. Of what was only written down,
    /// nothing counts.
    #[must_use]
    pub fn after(self, happened: &[KnownEntry], sees: &Perceived, written_down: &WrittenDown) -> Trail {
        struct Lasting<'p>(&'p Perceived, &'p WrittenDown);
        impl Hash for Lasting<'_> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash_lasting(self.1, state);
            }
        }
        Trail(number_of(&(self.0, happened, Lasting(sees, written_down))))
    }

    /// Returns the trail of a position that everybody knows.
    pub fn of(identity: &Identity, position: &Position) -> Trail {
        Trail(number_of(&identity.lasting_key(position)))
    }

    /// Returns the trail in hexadecimal, as it is written to files.
    pub fn words(self) -> String {
        format!("{:016x}", self.0)
    }

    fn read(json: &Json) -> Option<Trail> {
        u64::from_str_radix(json.as_str()?, 16).ok().map(Trail)
    }
}

/// Whether everybody learns of a choice or a draw at once. Later revelations are part of what all see then.
pub(crate) fn is_public_event(game: &Game, seat: Option<usize>, name: &str) -> bool {
    match seat {
        Some(_) => !game.moves.iter().any(|mv| mv.secret && mv.name == name),
        None => draw_is_public(game, name),
    }
}

/// Returns the header of a file of mixes: the rules, options and players that they are for.
pub(crate) fn setting_json(rules: &Rules, setup: &Setup) -> Map<String, Json> {
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

/// A move of a mix, and its probability.
type WeightedMove = (Chosen, f64);

/// The mixes read from a file.
#[derive(Debug)]
pub struct Mixes {
    /// The name of the file.
    name: String,
    /// Whether they maximise scores rather than wins.
    for_points: bool,
    identity: Identity,
    written_down: WrittenDown,
    /// The mix of each information set, by player (from 1) and what it has seen.
    sets: HashMap<(usize, Trail), Vec<WeightedMove>>,
    /// The situation that stands for this one: the start of a subgame, or a situation that is played alike.
    exits: HashMap<(usize, Trail), Trail>,
}

/// Mixes that a bot plays; they live until the program ends.
#[derive(Debug, Clone, Copy)]
pub struct MixesRef(pub &'static Mixes);

impl PartialEq for MixesRef {
    fn eq(&self, other: &MixesRef) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for MixesRef {}

impl Mixes {
    /// Parses a file written by `parlour equilibrium --keep` for a match with these rules, options and
    /// players. The error is a sentence.
    pub fn read(name: &str, text: &str, rules: &Rules, machine: &Machine) -> Result<Mixes, String> {
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
        let mut mixes = Mixes {
            name: name.to_string(),
            for_points: kept["aim"].as_str().is_some_and(|aim| aim != "win"),
            identity: Identity::of(machine),
            written_down: WrittenDown::of(machine),
            sets: HashMap::new(),
            exits: HashMap::new(),
        };
        let all = |what: &str| kept[what].as_array().cloned().ok_or_else(foreign);
        let place = |json: &Json| -> Option<(usize, Trail)> {
            Some((usize::try_from(json["player"].as_u64()?).ok()?, Trail::read(&json["at"])?))
        };
        for set in all("sets")? {
            let mix = set["mix"].as_array().ok_or_else(foreign)?;
            let mix = mix.iter().map(|one| likely(&rules.game, one)).collect::<Option<Vec<WeightedMove>>>();
            let mix = mix.filter(|mix| mix.iter().any(|(_, likely)| *likely > 0.0));
            mixes.sets.insert(place(&set).ok_or_else(foreign)?, mix.ok_or_else(foreign)?);
        }
        for exit in all("exits")? {
            let to = Trail::read(&exit["to"]);
            mixes.exits.insert(place(&exit).ok_or_else(foreign)?, to.ok_or_else(foreign)?);
        }
        Ok(mixes)
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether they maximise scores rather than wins.
    pub fn for_points(&self) -> bool {
        self.for_points
    }

    /// Draws a move from the mix of the information set that a seat is in.
    pub(super) fn advise(&self, seen: &Seen, rng: &mut Rng) -> Result<Advice, NoAdvice> {
        let trail = self.trail(seen);
        let mix = self.sets.get(&(seen.player(), trail));
        let Some(mix) = mix else {
            // A seat with a single legal move needs no mix.
            return Err(match seen.has_one_move() {
                true => NoAdvice::NoWorld,
                false => NoAdvice::Cannot(format!(
                    "{} has no mix for what {} has seen here (situation {}); run `parlour equilibrium \
                     --keep` again",
                    self.name,
                    seen.machine().game.seat_name(seen.player() - 1),
                    trail.words()
                )),
            });
        };
        let weights: Vec<f64> = mix.iter().map(|(_, likely)| *likely).collect();
        let best = mix[sample_index(&weights, rng)].0.clone();
        let value = 1.0 / seen.machine().setup.players as f64;
        let moves = mix.iter().map(|(chosen, _)| weighed(chosen.clone(), value)).collect();
        let interval = interval(value, 0);
        Ok(Advice {
            best,
            value,
            interval,
            playouts: 0,
            rollouts: 0,
            method: Method::Precomputed,
            exact: false,
            moves,
            mix: weights,
            line: Vec::new(),
        })
    }

    fn trail(&self, seen: &Seen) -> Trail {
        let game = &seen.machine().game;
        if is_open(game) {
            return Trail::of(&self.identity, &seen.trunk);
        }
        let player = seen.player();
        let (mut trail, mut since) = (Trail::begin(0), Vec::new());
        for (happened, sees) in seen.history.iter().zip(seen.perceived.iter().skip(1)) {
            // Values that the seat learned only later were unknown at the time.
            let knew =
                happened.seat == Some(player - 1) || is_public_event(game, happened.seat, &happened.name);
            since.push(KnownEntry { values: happened.values.clone().filter(|_| knew), ..happened.clone() });
            let Some(sees) = sees else { continue };
            trail = trail.after(&since, sees, &self.written_down);
            since.clear();
            trail = self.exits.get(&(player, trail)).copied().unwrap_or(trail);
        }
        trail
    }
}

fn weighed(chosen: Chosen, value: f64) -> MoveStats {
    MoveStats { chosen, value, score: None, visits: 0, moved: 0.0, sure: Sure::Estimated, end: None }
}

/// Parses a move of a mix.
fn likely(game: &Game, json: &Json) -> Option<WeightedMove> {
    let mv = game.moves.iter().position(|mv| json["move"] == mv.name)?;
    let args =
        chosen(&game.moves[mv]).map(|param| read_json(game, &param.ty, &json["args"][&param.name]).ok());
    let args = args.collect::<Option<Vec<Value>>>()?;
    let likely = json["probability"].as_f64().filter(|likely| (0.0..=1.0).contains(likely))?;
    Some((Chosen { offer: 0, mv, args }, likely))
}
