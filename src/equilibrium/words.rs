//! Reports of equilibria, as text and as JSON.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::tree::Act;
use super::{Aim, Avoided, Equilibrium, InformationSet, Reach};
use crate::eval::{Chosen, NotStarted, Setup, text};
use crate::explore::{counted, thousands};
use crate::ir::{Sight, State, Type};
use crate::num::{Int, Ratio, times};
use crate::play::{
    Entry, Event, Match, Rules, Viewer, chosen, entry_in_full, entry_told, move_words, score_decides,
};
use crate::solve::has_chance;

/// The maximum number of first information sets shown, and (`MAX_OTHER_SETS`) of others, unless all are
/// wanted.
const MAX_FIRST_SETS: usize = 24;
const MAX_OTHER_SETS: usize = 12;
/// Exact mixes of up to this many moves are shown whole; others without moves below `ALL_BUT_NEVER`.
const FEW_MOVES: usize = 8;
const ALL_BUT_NEVER: f64 = 0.005;
/// Values longer than this are not shown next to the table.
const MAX_LETTERS: usize = 40;
/// Fractions with a larger denominator are not shown.
const MAX_DENOMINATOR: i64 = 10_000;
/// Mixes are not shown in parts smaller than this part of the whole.
const MAX_PARTS: i64 = 100;
/// Values below this are 0 when rounded.
const ZERO: f64 = 5e-5;

/// The game and setup that an equilibrium is for.
#[derive(Debug)]
pub struct Setting<'r> {
    /// The rules.
    pub rules: &'r Arc<Rules>,
    /// The options and the number of players.
    pub setup: &'r Setup,
}

impl Setting<'_> {
    /// Plays the steps of a path. `None` if one of them is not possible.
    fn played(&self, path: &[&Act]) -> Option<Match> {
        let options: BTreeMap<_, _> = self.setup.options.iter().cloned().enumerate().collect();
        let started = Match::undrawn(self.rules.clone(), &options, self.setup.players, 0);
        let mut played = match started {
            Ok(played) => played,
            Err(NotStarted::Refused(_) | NotStarted::Fault(_)) => return None,
        };
        for step in path {
            let made = match step.seat {
                Some(_) => {
                    let entry = played.entry_json(&self.entry(step));
                    let empty = Map::new();
                    let args = entry["args"].as_object().unwrap_or(&empty);
                    played.play_undrawn(step.seat? + 1, &step.name, args).is_ok()
                }
                None => matches!(played.draw(step.values.first()?.clone()), Ok(Ok(()))),
            };
            if !made {
                return None;
            }
        }
        Some(played)
    }

    /// Returns what a player knows of the steps of a path, and the table each time it has changed.
    fn course(&self, path: &[&Act], player: usize) -> Vec<String> {
        let (mut told, mut table) = (Vec::new(), String::new());
        let (mut entries, mut events) = (0, 0);
        for many in 0..=path.len() {
            // Joint choices are revealed when they are complete.
            let Some(played) = self.played(&path[..many]).filter(|played| played.sealed().is_empty()) else {
                continue;
            };
            told.extend(happened(&played, player, entries, events));
            (entries, events) = (played.entries().count(), played.events().count());
            let now = table_words(&played);
            if many > 0 && !now.is_empty() && now != table {
                told.push(now.clone());
            }
            table = now;
        }
        told
    }

    fn entry(&self, step: &Act) -> Entry {
        let mv = self.rules.game.moves.iter().find(|mv| mv.name == step.name);
        let names: Vec<String> = match (step.seat, mv) {
            (Some(_), Some(mv)) => chosen(mv).map(|param| param.name.clone()).collect(),
            _ => vec!["value".to_string()],
        };
        let args = names.into_iter().zip(step.values.iter().cloned()).collect();
        Entry { player: step.seat.map_or(0, |seat| seat + 1), name: step.name.clone(), args }
    }

    fn move_words(&self, chosen: &Chosen) -> (String, String) {
        let entry = self.rules.entry(0, chosen);
        let whole = move_words(&self.rules.game, &entry.name, &entry.args);
        (entry.name, whole)
    }

    fn has_other_moves(&self, name: &str) -> bool {
        self.rules.game.moves.iter().any(|mv| mv.name != name)
    }

    fn name(&self, player: usize) -> String {
        self.rules.game.seat_name(player - 1)
    }
}

impl Equilibrium {
    /// Describes what a player has seen at an information set: own secret state, the table at the start of
    /// the subgame, and what happened since. If no table is shown, it is everything on one path there.
    pub fn seen(&self, setting: &Setting, set: &InformationSet) -> String {
        let (subgame, number) = set.at;
        let laid = &self.tree.subgames[subgame];
        let Some(played) = setting.played(&self.tree.path_to(laid.sets[number].last_step)) else {
            return String::new();
        };
        let begun = match laid.last_step {
            0 => None,
            last => setting.played(&self.tree.path_to(last)),
        };
        let mut parts = Vec::new();
        let table = begun.as_ref().and_then(shown);
        let begun = begun.filter(|_| table.is_some());
        parts.extend(table);
        let game = &setting.rules.game;
        for (owner, name, words) in played.seen(Viewer::Player(set.player)) {
            let secret = |state: &&State| state.name == name && state.sight == Sight::Owner;
            if owner == set.player && game.state.iter().any(|state| secret(&state)) {
                parts.push(format!("{} {words}", name.replace('_', " ")));
            }
        }
        let (entries, events) =
            begun.map_or((0, 0), |begun| (begun.entries().count(), begun.events().count()));
        parts.extend(happened(&played, set.player, entries, events));
        if parts.is_empty() { "at the start".to_string() } else { parts.join("; ") }
    }

    /// Describes sets by what is seen there; if that is the same for several, a path to each is added.
    fn told_apart<'a, 's>(
        &self,
        setting: &Setting,
        sets: Vec<&'a InformationSet<'s>>,
    ) -> Vec<(&'a InformationSet<'s>, String)> {
        let seen: Vec<String> = sets.iter().map(|set| self.seen(setting, set)).collect();
        let mut alike: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        for (set, seen) in sets.iter().zip(&seen) {
            *alike.entry((set.player, seen)).or_default() += 1;
        }
        let told = sets.iter().zip(&seen).map(|(set, seen)| {
            let path = self.tree.path_to(self.tree.subgames[set.at.0].sets[set.at.1].last_step);
            let course = setting.course(&path, set.player);
            match alike[&(set.player, seen.as_str())] {
                1 => seen.clone(),
                _ if course.is_empty() => format!("{seen} (at the start)"),
                _ => format!("{seen} (for example after {})", course.join("; ")),
            }
        });
        let told: Vec<String> = told.collect();
        sets.into_iter().zip(told).collect()
    }

    /// Returns the report as JSON; it includes every information set if `all` is set.
    pub fn json(&self, setting: &Setting, all: bool) -> Json {
        let game = &setting.rules.game;
        let options = text::options_json(game, setting.setup);
        let (nodes, subgames, information_sets) = self.sizes();
        let sets = self.sets();
        let first: Vec<Json> =
            first(&sets, usize::MAX).into_iter().map(|set| self.set_json(setting, set)).collect();
        let (values, fractions): (Vec<f64>, Vec<Option<Ratio>>) =
            (0..self.values.len()).map(|seat| self.reported(setting, seat)).unzip();
        let fractions: Option<Vec<String>> =
            fractions.into_iter().map(|fraction| Some(fraction?.to_string())).collect();
        let mut found = json!({
            "game": setting.rules.name,
            "rules": setting.rules.hash,
            "options": options,
            "players": setting.setup.players,
            "aim": self.search.aim.name(),
            "value": values,
            "fractions": fractions,
            "exploitability": self.exploitability(),
            "regret": self.regrets,
            "zero_sum": self.is_zero_sum(),
            "exact": self.fractions.is_some(),
            "method": self.method(),
            "endless": self.cyclic,
            "nodes": nodes,
            "subgames": subgames,
            "information_sets": information_sets,
            "iterations": self.methods.iterations,
            "first": first,
        });
        if all {
            found["sets"] = sets.iter().map(|set| self.set_json(setting, set)).collect();
        }
        found
    }

    fn method(&self) -> &'static str {
        match (self.methods.programs, self.methods.regret) {
            (0, 0) => "backward induction",
            (_, 0) => "linear programs",
            (0, _) => "regret minimisation",
            _ => "linear programs and regret minimisation",
        }
    }

    /// Formats how often an information set comes up in a match: a share of matches, or how many times on average
    /// where it can come up again.
    fn frequency(&self, Reach { times, at_least }: Reach) -> String {
        let counted = match format!("{times:.2}").trim_end_matches('0').trim_end_matches('.') {
            "1" => "1 time".to_string(),
            times => format!("{times} times"),
        };
        match self.cyclic {
            false => percent(times.min(1.0)),
            true if at_least => format!("at least {counted}, perhaps endlessly"),
            true if times > 0.0 && times < 0.005 => "<0.01 times".to_string(),
            true => counted,
        }
    }

    /// Formats how often an information set comes up or, if it never does, what its mix is good for.
    fn how_often(&self, set: &InformationSet) -> String {
        match set.avoided {
            Some(Avoided::Own) => "never, since the player avoids it; this mix is arbitrary".to_string(),
            Some(Avoided::Others) => "never, since others avoid it; this mix keeps them away".to_string(),
            None if set.reach.times == 0.0 => "never; best play if it did".to_string(),
            None => self.frequency(set.reach),
        }
    }

    fn set_json(&self, setting: &Setting, set: &InformationSet) -> Json {
        let game = &setting.rules.game;
        let mix = set.mix.iter().enumerate().map(|(at, (chosen, likely))| {
            let entry = setting.rules.entry(set.player - 1, chosen);
            let args: Map<String, Json> =
                entry.args.iter().map(|(name, value)| (name.clone(), text::json(game, value))).collect();
            let mut told = json!({ "move": entry.name, "args": args, "probability": likely });
            if let Some(fractions) = set.fractions {
                told["fraction"] = json!(fractions[at].to_string());
            }
            told
        });
        let mix: Vec<Json> = mix.collect();
        let Reach { times, at_least } = set.reach;
        let mut told =
            json!({ "player": set.player, "seen": self.seen(setting, set), "reach": times, "mix": mix });
        if at_least {
            told["reach_at_least"] = json!(true);
        }
        if set.avoided == Some(Avoided::Own) {
            told["arbitrary"] = json!(true);
        }
        told
    }

    /// Returns the report as text: the first choices, then the most often reached sets, or all of them.
    pub fn words(&self, setting: &Setting, all: bool) -> String {
        let rules = setting.rules;
        let options = rules.game.options.iter().zip(&setting.setup.options);
        let options = options
            .map(|(option, value)| format!(", {}={}", option.name, text::words(&rules.game, value)))
            .collect::<String>();
        let players = setting.setup.players;
        let mut lines =
            vec![format!("{}: {}{options}", rules.title(), counted(players as u64, "player", "players"))];
        let (nodes, subgames, sets) = self.sizes();
        let parts = match subgames {
            1 => String::new(),
            _ => format!(" in {}", counted(subgames as u64, "subgame", "subgames")),
        };
        let nodes = counted(nodes as u64, "node", "nodes");
        let sets = counted(sets as u64, "information set", "information sets");
        lines.push(format!("game tree: {nodes}{parts}, {sets}"));
        lines.push(self.quality());
        lines.extend(self.value_words(setting));
        let sets = self.sets();
        let first = first(&sets, if all { usize::MAX } else { MAX_FIRST_SETS });
        let mut told = |title: &str, sets: Vec<&InformationSet>, often: bool| {
            if !sets.is_empty() {
                lines.push(String::new());
                lines.push(title.to_string());
            }
            for (set, seen) in self.told_apart(setting, sets) {
                let often = match often {
                    false => String::new(),
                    true => format!(" ({})", self.how_often(set)),
                };
                // Name the move only if the game has others.
                let name = set.common_move(setting).filter(|name| setting.has_other_moves(name));
                let what = name.map_or(String::new(), |name| format!(" ({name})"));
                lines.push(format!("  {}{what}, {seen}{often}", setting.name(set.player)));
                lines.push(format!("    {}", mix_words(setting, set)));
            }
        };
        let others = sets.iter().filter(|set| !is_met_first(set));
        let others: Vec<&InformationSet> = match all {
            true => others.collect(),
            false => others.filter(|set| set.reach.times > 0.0).take(MAX_OTHER_SETS).collect(),
        };
        let rest = sets.len() - first.len() - others.len();
        told("first choices", first, false);
        let title = if all {
            "later choices"
        } else {
            "later choices, the most frequent (and how often they come up)"
        };
        told(title, others, true);
        if rest > 0 {
            lines.push(String::new());
            let never = sets.iter().filter(|set| set.reach.times == 0.0).count();
            let never = match (rest, never) {
                (_, 0) => String::new(),
                (1, _) => ", which never comes up".to_string(),
                (rest, never) if rest == never => ", which never come up".to_string(),
                (_, 1) => ", one of which never comes up".to_string(),
                (_, never) => format!(", {} of which never come up", thousands(never as u64)),
            };
            let sets = if rest == 1 { "set" } else { "sets" };
            let rest = thousands(rest as u64);
            lines.push(format!("{rest} more information {sets}{never}; `--all` lists them"));
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// Describes the quality of the result, and the methods used.
    fn quality(&self) -> String {
        let way = match self.methods.iterations {
            0 => format!("by {}", self.method()),
            sweeps => {
                let sweeps = counted(sweeps, "iteration", "iterations");
                format!("by {}, up to {sweeps}", self.method())
            }
        };
        let round = match self.cyclic {
            true => "; positions can repeat, and an endless match is worth nothing to anybody",
            false => "",
        };
        let settled = self.fractions.is_some() && self.regrets.iter().all(|regret| *regret == 0.0);
        match (self.is_zero_sum(), settled) {
            (_, true) if self.values.len() == 1 => format!("optimal play, exact ({way})"),
            (true, true) => {
                format!("an equilibrium, exact ({way}): neither player gains by knowing the other's mixes")
            }
            (false, true) => format!(
                "an equilibrium, exact ({way}): nobody gains by knowing the others' mixes; there may be other equilibria with other values"
            ),
            (true, false) if small(self.exploitability()) == "0" => format!(
                "an equilibrium ({way}): as far as the precision of the computation shows, neither player gains by knowing the \
                 other's mixes{round}"
            ),
            (true, false) => format!(
                "near an equilibrium ({way}): exploitability {}, which is what a player gains on average by knowing the other's mixes{round}",
                small(self.exploitability())
            ),
            (false, false) if self.regrets.iter().all(|regret| small(*regret) == "0") => format!(
                "an equilibrium ({way}): as far as the precision of the computation shows, nobody gains by knowing the others' \
                 mixes; there may be other equilibria with other values{round}"
            ),
            // The remaining regret says how far it is from an equilibrium.
            (false, false) => format!(
                "not guaranteed to be an equilibrium ({way}); regret is what a player would gain by knowing the others' mixes; \
                 equilibria may exist that have other values{round}"
            ),
        }
    }

    fn value_words(&self, setting: &Setting) -> Vec<String> {
        match self.search.aim {
            _ if self.values.len() == 1 => vec![self.value_alone(setting)],
            _ if !self.is_zero_sum() => self.values_by_seat(setting),
            Aim::Own => (0..self.values.len()).map(|seat| self.score_words(setting, seat)).collect(),
            Aim::Win | Aim::Lead => vec![self.value_of_two(setting)],
        }
    }

    /// Returns the value of a seat as reports give it, and the same as a fraction if it is exact: scores as the game counts
    /// them, also where fewer points are better.
    fn reported(&self, setting: &Setting, seat: usize) -> (f64, Option<Ratio>) {
        let (value, fraction) = (self.values[seat], self.fractions.as_ref().map(|all| all[seat].clone()));
        let is_score = match self.search.aim {
            Aim::Win => false,
            Aim::Lead => self.values.len() == 1,
            Aim::Own => true,
        };
        match is_score && score_decides(&setting.rules.game) == Some(false) {
            true => (0.0 - value, fraction.map(|fraction| -&fraction)),
            false => (value, fraction),
        }
    }

    /// Returns what to add to the rounded value of a seat if its fraction is short: ` (exactly 1/9)`.
    fn exactly(&self, setting: &Setting, seat: usize) -> String {
        let (_, fraction) = self.reported(setting, seat);
        let short = fraction.filter(|fraction| is_short(fraction) && *fraction.denominator() != Int::ONE);
        short.map_or(String::new(), |fraction| format!(" (exactly {fraction})"))
    }

    fn score_words(&self, setting: &Setting, seat: usize) -> String {
        let (score, _) = self.reported(setting, seat);
        let varies = self.values.len() > 1 || has_chance(&setting.rules.game);
        let on_average = if varies { " on average" } else { "" };
        format!(
            "{} scores {}{on_average}{}",
            setting.name(seat + 1),
            scored(score),
            self.exactly(setting, seat)
        )
    }

    /// Describes what a single player can reach.
    fn value_alone(&self, setting: &Setting) -> String {
        let (name, value) = (setting.name(1), self.values[0]);
        match self.search.aim {
            Aim::Lead | Aim::Own => self.score_words(setting, 0),
            Aim::Win if value > 1.0 - ZERO => format!("{name} wins every match"),
            Aim::Win if value < ZERO => format!("{name} never wins"),
            Aim::Win => {
                format!("{name} wins {} of the matches{}", points(value), self.exactly(setting, 0))
            }
        }
    }

    /// Lists the values of seats whose interests are not strictly opposed.
    fn values_by_seat(&self, setting: &Setting) -> Vec<String> {
        let line = |seat: usize| {
            let (value, regret) = (small(self.reported(setting, seat).0), small(self.regrets[seat]));
            let name = setting.name(seat + 1);
            format!("{name}: value {value}{}, regret {regret}", self.exactly(setting, seat))
        };
        let for_what = match self.search.aim {
            Aim::Win if self.values.len() == 2 => {
                "value: 1 for a sole winner, −1 for a loser, 0 for those who share the win, and for all if nobody wins"
            }
            Aim::Win => "value: the share of the win; if nobody wins, all share it",
            Aim::Lead => "value: the lead over the others' mean score",
            Aim::Own => "value: the player's own score",
        };
        std::iter::once(for_what.to_string()).chain((0..self.values.len()).map(line)).collect()
    }

    /// Describes who of two seats with strictly opposed interests comes out ahead.
    fn value_of_two(&self, setting: &Setting) -> String {
        let value = self.values[0];
        let (ahead, behind, by) = if value >= 0.0 { (0, 1, value) } else { (1, 0, -value) };
        let [ahead_name, behind_name] = [ahead, behind].map(|seat| setting.name(seat + 1));
        // Neither can secure more than the value and what the other would gain.
        let regret = self.regrets.iter().fold(0.0, |most: f64, regret| most.max(*regret));
        let for_win = self.search.aim == Aim::Win;
        let within = match self.fractions.is_some() || small(regret) == "0" {
            true => String::new(),
            false if for_win => format!(", give or take {}", points(regret)),
            false => format!(", give or take {}", scored(regret)),
        };
        let exact = self.exactly(setting, ahead);
        let level = if for_win {
            format!("neither wins more often than the other{within}")
        } else {
            format!("neither comes out ahead on average{within}")
        };
        match () {
            () if !within.is_empty() && by <= regret => {
                format!("level, as far as the precision shows: {level}")
            }
            () if by < ZERO => format!("value 0: {level}"),
            () if for_win && by > 1.0 - ZERO => format!("{ahead_name} wins every match"),
            () if for_win => {
                let by = points(by);
                format!(
                    "{ahead_name} wins more often than {behind_name}, by {by} of the matches{within}{exact}"
                )
            }
            () => format!("{ahead_name} comes out {} ahead on average{within}{exact}", scored(by)),
        }
    }
}

/// Returns the sets with a player's first choice, by player; at most `most`, those reached most often.
fn first<'a, 's>(sets: &'a [InformationSet<'s>], most: usize) -> Vec<&'a InformationSet<'s>> {
    let mut first: Vec<&InformationSet> = sets.iter().filter(|set| is_met_first(set)).take(most).collect();
    first.sort_by_key(|set| (set.player, set.at));
    first
}

fn is_met_first(set: &InformationSet) -> bool {
    set.is_first && set.reach.times > 0.0
}

/// Returns what a player knows to have happened after the first `entries` entries and `events` events: step
/// by step, the choices and draws and then the messages.
fn happened(played: &Match, player: usize, entries: usize, events: usize) -> Vec<String> {
    let mut told = Vec::new();
    let mut made = 0;
    for (step, all) in played.steps().enumerate() {
        for entry in all {
            made += 1;
            let open = entry_told(played, entry);
            match entry.player {
                _ if made <= entries => {}
                0 if open.hidden => {}
                other if other == player => told.push(entry_in_full(played, entry)),
                _ => told.push(open.words),
            }
        }
        told.extend(played.events().skip(events).filter_map(|(of, event)| match event {
            Event::Said(to, words) if of == step && to.is_none_or(|to| to + 1 == player) => {
                Some(words.clone())
            }
            _ => None,
        }));
    }
    told
}

/// Describes the table on one line, with players' public collections, scores, and the values of named loops.
fn shown(played: &Match) -> Option<String> {
    let table = table_words(played);
    let mut parts = held(played, &table);
    if let Ok(Some(scores)) = played.scores() {
        let scores: Vec<String> = scores.iter().map(Int::to_string).collect();
        parts.push(format!("points {}", scores.join(" to ")));
    }
    parts.extend(
        played.place().1.into_iter().map(|(name, pass)| format!("{} {pass}", name.replace('_', " "))),
    );
    parts.splice(0..0, Some(table).filter(|table| !table.is_empty()));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Returns the table on one line.
fn table_words(played: &Match) -> String {
    let table = played.show().unwrap_or_default();
    let lines: Vec<&str> = table.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" / ")
}

/// Describes public collections of the players that the table does not show: `hand {1, 3} and {2, 3}`.
fn held(played: &Match, table: &str) -> Vec<String> {
    let seen = played.seen(Viewer::Spectator);
    let holds = |state: &&State| {
        let several = matches!(state.form.ty(), Type::Set(_) | Type::Bag(_) | Type::List(_));
        several && state.per_player && state.sight == Sight::Public
    };
    let told = played.rules.game.state.iter().filter(holds).filter_map(|state| {
        let own = seen.iter().filter(|(owner, name, _)| *owner > 0 && *name == state.name);
        let values: Vec<&str> = own.map(|(_, _, words)| words.as_str()).collect();
        let is_new = values.iter().any(|words| !table.contains(words));
        let is_short = values.iter().all(|words| words.len() <= MAX_LETTERS);
        (is_new && is_short).then(|| format!("{} {}", state.name.replace('_', " "), values.join(" and ")))
    });
    told.collect()
}

/// Formats a mix: `1: 15 %, 2: 39 %`.
fn mix_words(setting: &Setting, set: &InformationSet) -> String {
    let name = set.common_move(setting);
    let is_exact = set.fractions.is_some();
    let least = if is_exact && set.mix.len() <= FEW_MOVES { 0.0 } else { ALL_BUT_NEVER };
    let told = set.mix.iter().filter(|(_, likely)| *likely > least).map(|(chosen, likely)| {
        let (_, whole) = setting.move_words(chosen);
        let what = name.as_ref().map_or(whole.as_str(), |name| whole[name.len()..].trim());
        format!("{what}: {}", percent(*likely))
    });
    let line = told.collect::<Vec<_>>().join(", ");
    match set.fractions.and_then(in_parts) {
        Some(parts) => format!("{line} ({parts})"),
        None => line,
    }
}

impl InformationSet<'_> {
    /// Returns the name of all moves of the set, if they differ only in their arguments.
    fn common_move(&self, setting: &Setting) -> Option<String> {
        let words: Vec<(String, String)> =
            self.mix.iter().map(|(chosen, _)| setting.move_words(chosen)).collect();
        let first = words.first()?.0.clone();
        words.iter().all(|(name, whole)| *name == first && name != whole).then_some(first)
    }
}

/// Formats the nonzero fractions over one denominator, if short and mixed: `10 : 26 : 13 : 16 : 1 of 66`.
fn in_parts(fractions: &[Ratio]) -> Option<String> {
    let mixed: Vec<&Ratio> = fractions.iter().filter(|fraction| !fraction.is_zero()).collect();
    if mixed.len() < 2 || mixed.len() > FEW_MOVES {
        return None;
    }
    let mut unit = Int::ONE;
    for fraction in &mixed {
        let more = fraction.denominator().div_floor(&unit.gcd(fraction.denominator()))?;
        unit = times(&unit, &more);
        if unit > Int::from(MAX_PARTS) {
            return None;
        }
    }
    let part = |fraction: &&Ratio| fraction.mul(&Ratio::from(unit.clone())).to_string();
    Some(format!("{} of {unit}", mixed.iter().map(part).collect::<Vec<_>>().join(" : ")))
}

fn is_short(fraction: &Ratio) -> bool {
    *fraction.denominator() <= Int::from(MAX_DENOMINATOR)
}

/// Formats a share as a whole percentage: `15 %`, and `<1 %` for a share close to 0.
fn percent(share: f64) -> String {
    match (share * 100.0).round() {
        0.0 if share > 0.0 => "<1 %".to_string(),
        100.0 if share < 1.0 => ">99 %".to_string(),
        whole => format!("{whole} %"),
    }
}

/// Formats a difference of shares as a percentage with two decimals.
fn points(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// Formats a number of points with its noun: `0.5 points`.
fn scored(points: f64) -> String {
    let number = small(points);
    let noun = if number == "1" { "point" } else { "points" };
    format!("{number} {noun}")
}

/// Formats a number with at most four decimals.
fn small(number: f64) -> String {
    let text = format!("{number:.4}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_string(),
        "0" if number != 0.0 && number.abs() >= 1e-12 => format!("{number:.0e}"),
        text => text.to_string(),
    }
}
