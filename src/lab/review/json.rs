//! A review as JSON.

use serde_json::{Value as Json, json};

use super::{MoveValue, Review, ReviewedChoice};
use crate::bots::Measure;
use crate::play::Match;

impl Review {
    /// Returns the review as JSON: `steps`, and `turning_points` with the same choices again, most costly
    /// first. Values are shares of the win, or scores as `measure` says.
    pub fn json(&self, whole: &Match) -> Json {
        let (measure, named) = match self.measure {
            Measure::Share => ("share", "shares"),
            Measure::Score { .. } => ("score", "scores"),
        };
        let steps = self.stops.iter().map(|stop| {
            let choices = stop.choices.iter().map(|judged| judged.json(whole));
            let values = stop.values.as_deref().map(rounded);
            json!({ "step": stop.step, named: values, "choices": choices.collect::<Vec<_>>() })
        });
        let turning = self.turning_points().into_iter().map(|(step, judged)| {
            let mut json = judged.json(whole);
            json["step"] = json!(step);
            json
        });
        let luck = self.luck(whole).map(|luck| {
            let each = luck.into_iter().map(|luck| {
                let (low, high) = luck.interval();
                json!({ "value": round(luck.gain), "interval": [round(low), round(high)] })
            });
            each.collect::<Vec<_>>()
        });
        json!({
            "measure": measure,
            "cost": rounded(&self.costs(whole.players())),
            "luck": luck,
            "end": self.end.as_deref().map(rounded),
            "turning_points": turning.collect::<Vec<_>>(),
            "steps": steps.collect::<Vec<_>>(),
        })
    }
}

impl ReviewedChoice {
    fn json(&self, whole: &Match) -> Json {
        let worth = |worth: &Option<MoveValue>| match worth {
            None => Json::Null,
            Some(MoveValue { value, interval: (low, high), exact, .. }) => json!({
                "value": round(*value), "interval": [round(*low), round(*high)], "exact": exact,
            }),
        };
        let mut json = whole.entry_json(&self.entry);
        json["played"] = worth(&self.played);
        json["best"] = worth(&self.best);
        json["better"] = self.better.as_ref().map_or(Json::Null, |better| {
            let entry = whole.entry_json(better);
            json!({ "move": entry["move"], "args": entry["args"] })
        });
        json["mixed"] = json!(self.mixed);
        json["cost"] = json!(round(self.cost()));
        json["turning"] = json!(self.is_turning());
        json
    }
}

fn rounded(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| round(*value)).collect()
}

/// Rounds to three decimals.
fn round(value: f64) -> f64 {
    (1000.0 * value).round() / 1000.0
}
