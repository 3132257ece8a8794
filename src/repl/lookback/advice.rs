//! Advice on a position of a match that is looked back at, and the record to play on from there.

use super::Lookback;
use crate::bots::{Bot, Clock, Effort};
use crate::play::Rng;
use crate::repl::analysis::{HowMany, analysis_words};
use crate::repl::hints::{ADVICE_MS, hint_words, settled_on};
use crate::repl::table::{Opening, Table};
use crate::repl::{secrets, words};

impl Lookback {
    /// Whether a variation, or advice, would tell what is hidden as long as the match goes on.
    pub(super) fn keeps_secrets(&self) -> bool {
        self.hides || !self.over && secrets::private_choice(&self.played)
    }

    /// Returns a bot's advice on the position: what it would play and why if `briefly`, else what each move is worth, in lines
    /// no longer than `room`. It goes to the player `who` or, if that is empty, to everybody who is to choose, from what each
    /// of them knew then; `all` asks for every move instead of the best ones. The error is a sentence.
    pub fn advise(
        &mut self,
        who: &str,
        briefly: bool,
        room: usize,
        clock: &dyn Clock,
    ) -> Result<String, String> {
        if self.keeps_secrets() {
            return Err("advice would reveal what is hidden; ask for it once the match is over".to_string());
        }
        let (who, how_many) = match who {
            "all" if !briefly => ("", HowMany::All),
            who => (who, HowMany::Few("analyse all")),
        };
        let played = &self.played;
        let seats = match (played.to_move(), who) {
            (seats, _) if seats.is_empty() => {
                return Err("the match ends here; there is nothing left to choose".to_string());
            }
            (seats, "") => seats,
            (seats, who) => match crate::repl::session::read_player(played, who) {
                Some(seat) if seats.contains(&seat) => vec![seat],
                Some(_) => {
                    let name = words::seats(&self.rules.game, &seats);
                    return Err(format!("here, the choice is that of {name}"));
                }
                None => return Err(format!("there is no player `{who}`")),
            },
        };
        let mut desk = match self.desk.take() {
            Some(desk) => desk,
            None => {
                let options = played.options().map(|(_, value)| value.clone()).enumerate().collect();
                let opening = Opening { options, players: played.players(), seed: played.seed() };
                Table::new(self.rules.name.clone(), self.rules.clone(), opening, 0)
                    .map_err(|not| crate::repl::setup::not_started(&self.rules, not))?
            }
        };
        desk.played = played.clone();
        let mut told = Vec::new();
        for seat in &seats {
            let seed = Rng::sub_seed(played.bots_seed(), u64::MAX / 2 - *seat as u64);
            let mut rng = Rng::nth(seed, played.entries().count() as u64);
            let advice = desk.advice(*seat, Bot::Auto(Effort::Millis(ADVICE_MS)), clock, &mut rng);
            let said = advice.map(settled_on).and_then(|advice| match briefly {
                true => hint_words(&desk, *seat, &advice),
                false => Ok(analysis_words(&desk, *seat, &advice, (how_many, room))),
            });
            told.push(match said {
                Ok(said) if played.players() == 1 => said,
                Ok(said) => format!("for {}:\n{said}", words::seats(&self.rules.game, &[*seat])),
                Err(refused) => {
                    self.desk = Some(desk);
                    return Err(refused.message);
                }
            });
        }
        self.desk = Some(desk);
        Ok(told.join("\n"))
    }

    /// Returns a record that ends at the current step, to play on from there.
    pub fn record_to_here(&self) -> String {
        let mut json = self.json.clone();
        let path = self.path();
        let own = path.iter().position(|at| *at == self.at).unwrap_or(0);
        json["moves"] = path[..=own].iter().flat_map(|at| self.annotated(*at)).collect();
        if let Some(object) = json.as_object_mut() {
            ["result", "comment", "finding"].into_iter().for_each(|part| _ = object.remove(part));
        }
        if let Some(session) = json["session"].as_object_mut() {
            ["sealed", "undone", "shown", "drawn", "told", "stands"]
                .into_iter()
                .for_each(|part| _ = session.remove(part));
        }
        format!("{json}\n")
    }
}
