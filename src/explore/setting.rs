//! The settings to explore: options and numbers of players.

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::{Machine, text};
use crate::ir::{Bound, Expr, ExprKind, Form, MAX_PLAYERS, Value, children};
use crate::play::Rules;

/// The most settings of one game that are explored.
const MAX_SETTINGS: usize = 40;
/// The highest value of an option is combined with values of other options if it is at most this, else tried alone;
/// also the most elements of a list that is tried as an option.
const SMALL: i64 = 12;
/// The highest number of players is tried if it is at most this.
const MANY: usize = 8;

/// What is agreed on before a match.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting {
    /// The number of players.
    pub players: usize,
    /// The value of every option, by its id.
    pub options: BTreeMap<usize, Value>,
}

impl Setting {
    /// Returns the setting that a machine plays.
    fn of(machine: &Machine) -> Setting {
        let options = machine.setup.options.iter().cloned().enumerate().collect();
        Setting { players: machine.setup.players, options }
    }

    /// Describes it: `n = 3, 2 players`.
    pub fn words(&self, rules: &Rules) -> String {
        let game = &rules.game;
        let mut words: Vec<String> = self
            .options
            .iter()
            .map(|(id, value)| format!("{} = {}", game.options[*id].name, option_words(rules, value)))
            .collect();
        words.push(if self.players == 1 { "1 player".into() } else { format!("{} players", self.players) });
        words.join(", ")
    }

    /// Returns the machine that plays matches of it, if the rules accept it.
    pub(super) fn machine(&self, rules: &Rules) -> Option<Machine> {
        rules.machine(&self.options, self.players).ok()
    }

    /// Whether an option has its highest value though that is neither small nor its default: matches may then be too
    /// long to be played to their end.
    pub(super) fn is_extreme(&self, machine: &Machine) -> bool {
        self.options.iter().any(|(id, value)| {
            let option = &machine.game.options[*id];
            let far = highest(machine, &option.form).filter(|highest| *highest > SMALL);
            far.map(Value::int).as_ref() == Some(value)
                && evaluate(machine, &option.default).as_ref() != Some(value)
        })
    }

    /// A measure of size: small settings have short matches, and so short reports.
    fn size(&self) -> i64 {
        let options = self.options.values().map(weight).fold(0, i64::saturating_add);
        options.saturating_add(2 * i64::try_from(self.players).unwrap_or(i64::MAX))
    }
}

/// Describes several settings together: `n = 3, 4, 5; 2, 3 players`.
pub fn words_of_all(rules: &Rules, settings: &[&Setting]) -> String {
    let several = |words: &mut dyn Iterator<Item = String>| {
        let mut all: Vec<String> = Vec::new();
        words.for_each(|word| all.extend(Some(word).filter(|word| !all.contains(word))));
        all.join(", ")
    };
    if let [one] = settings {
        return one.words(rules);
    }
    let mut parts: Vec<String> = Vec::new();
    for (id, option) in rules.game.options.iter().enumerate() {
        let mut values: Vec<&Value> =
            settings.iter().filter_map(|setting| setting.options.get(&id)).collect();
        values.sort();
        let values = several(&mut values.into_iter().map(|value| option_words(rules, value)));
        parts.push(format!("{} = {values}", option.name));
    }
    let mut players: Vec<usize> = settings.iter().map(|setting| setting.players).collect();
    players.sort_unstable();
    parts.push(format!("{} players", several(&mut players.iter().map(ToString::to_string))));
    parts.join("; ")
}

/// Formats an option's value as in the head of an example.
pub(super) fn option_words(rules: &Rules, value: &Value) -> String {
    match value {
        Value::List(_) => format!("[{}]", text::words(&rules.game, value).replace(',', ", ")),
        value => text::words(&rules.game, value),
    }
}

fn weight(value: &Value) -> i64 {
    match value {
        Value::Int(n) => n.as_i64().map_or(i64::MAX, i64::saturating_abs),
        Value::List(items) => {
            items.iter().map(|item| weight(item).saturating_add(1)).fold(0, i64::saturating_add)
        }
        _ => 0,
    }
}

/// Returns the setting with all options that are not given at their defaults, and with the fewest players if their number is not
/// given; `None` if the rules refuse it.
pub(super) fn usual(
    rules: &Rules,
    given: &BTreeMap<usize, Value>,
    players: Option<usize>,
) -> Option<Setting> {
    let players = players.unwrap_or_else(|| rules.default_players());
    rules.machine(given, players).ok().as_ref().map(Setting::of)
}

/// Returns the settings to explore, small ones first. Given options are kept; each other option takes its
/// default, its lowest and second values and its highest, alone and combined with others (but a highest value that is
/// not small only alone). The numbers of players are the fewest, up to three more, and the most. Settings that the
/// rules refuse are left out.
pub(super) fn settings(
    rules: &Rules,
    given: &BTreeMap<usize, Value>,
    players: Option<usize>,
) -> Vec<Setting> {
    let least = players.unwrap_or_else(|| rules.default_players());
    let mut all = BTreeSet::new();
    // Defaults may depend on other options, so the machine completes each partial assignment of options.
    let mut add = |options: BTreeMap<usize, Value>, players: usize| -> Option<Machine> {
        let machine = rules.machine(&options, players).ok()?;
        if all.len() < MAX_SETTINGS {
            all.insert(Setting::of(&machine));
        }
        Some(machine)
    };
    let usual = add(given.clone(), least);
    let free: Vec<(usize, Vec<Value>)> = match &usual {
        Some(machine) => (0..rules.game.options.len())
            .filter(|id| !given.contains_key(id))
            .map(|id| (id, corners(machine, id)))
            .collect(),
        None => Vec::new(),
    };
    let with = |choice: &dyn Fn(&[Value]) -> Option<Value>| {
        let mut options = given.clone();
        options.extend(free.iter().filter_map(|(id, values)| Some((*id, choice(values)?))));
        options
    };
    let mut numbers: Vec<usize> = match players {
        Some(_) => vec![least],
        None => (least..=least + 3).take_while(|n| *n <= rules.players().1.unwrap_or(MAX_PLAYERS)).collect(),
    };
    numbers.extend(rules.players().1.filter(|most| players.is_none() && (least + 4..=MANY).contains(most)));
    for number in &numbers {
        add(given.clone(), *number);
        add(with(&|values| values.first().cloned()), *number);
        add(with(&|values| values.get(1).or(values.first()).cloned()), *number);
    }
    for number in numbers.first().into_iter().chain(numbers.last()) {
        add(with(&|values| values.iter().max().cloned()), *number);
    }
    for (id, values) in &free {
        for value in values {
            let mut one = given.clone();
            one.insert(*id, value.clone());
            add(one, least);
        }
    }
    for id in free.iter().map(|(id, _)| *id) {
        let highest = usual.as_ref().and_then(|machine| highest(machine, &machine.game.options[id].form));
        if let Some(highest) = highest {
            let mut one = given.clone();
            one.insert(id, Value::int(highest));
            add(one, least);
        }
    }
    // Pairs of options at each of their values, with the others at their lowest.
    for (at, (one, values)) in free.iter().enumerate() {
        for (other, others) in &free[at + 1..] {
            for (a, b) in values.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                let mut low = with(&|values| values.first().cloned());
                low.insert(*one, a.clone());
                low.insert(*other, b.clone());
                add(low, least);
            }
        }
    }
    let mut all: Vec<Setting> = all.into_iter().collect();
    all.sort_by_cached_key(|setting| (setting.size(), setting.clone()));
    all
}

/// Whether these are all settings with the given options and number of players that the rules accept.
pub(super) fn are_all(
    rules: &Rules,
    (given, players): (&BTreeMap<usize, Value>, Option<usize>),
    tried: &[&Setting],
) -> bool {
    let Ok(machine) = rules.machine(given, players.unwrap_or_else(|| rules.default_players())) else {
        return false;
    };
    let numbers = match (players, rules.players()) {
        (Some(number), _) => number..=number,
        (None, (least, Some(most))) => least..=most,
        (None, _) => return false,
    };
    // Each free option in turn takes each of its values.
    let mut all = vec![given.clone()];
    for (id, option) in machine.game.options.iter().enumerate().filter(|(id, _)| !given.contains_key(id)) {
        let Some(values) = form_values(&machine, &option.form) else { return false };
        let longer = all.iter().flat_map(|options| {
            values.iter().map(move |value| {
                let mut options = options.clone();
                options.insert(id, value.clone());
                options
            })
        });
        all = longer.take(MAX_SETTINGS + 1).collect();
    }
    all.len() <= MAX_SETTINGS
        && numbers.into_iter().all(|players| {
            all.iter().all(|options| {
                rules.machine(options, players).is_err()
                    || tried.iter().any(|other| other.players == players && other.options == *options)
            })
        })
}

/// Returns all values of an option; `None` if there are very many, or if they depend on other options.
fn form_values(machine: &Machine, form: &Form) -> Option<Vec<Value>> {
    let constant = |e: &Expr| bound(machine, e).filter(|_| !reads_options(e));
    match form {
        Form::Range(low, high) => {
            let (low, high) = (constant(low)?, constant(high)?);
            Some((low..=high).take(MAX_SETTINGS + 1).map(Value::int).collect())
        }
        Form::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Form::Symbols(ids) => Some(ids.iter().map(|id| Value::Symbol(*id)).collect()),
        _ => None,
    }
}

/// Returns the values of an option to try; the lowest comes first.
fn corners(machine: &Machine, id: usize) -> Vec<Value> {
    let mut values = form_corners(machine, &machine.game.options[id].form);
    let usual = &machine.setup.options[id];
    if !values.contains(usual) {
        values.push(usual.clone());
    }
    values
}

fn form_corners(machine: &Machine, form: &Form) -> Vec<Value> {
    match form {
        Form::Range(low, high) => {
            let (Some(low), Some(high)) = (bound(machine, low), bound(machine, high)) else {
                return Vec::new();
            };
            let mut values: Vec<i64> = (low..=high).take(2).collect();
            if high <= SMALL && !values.contains(&high) {
                values.push(high);
            }
            values.into_iter().map(Value::int).collect()
        }
        Form::AtLeast(low) => {
            bound(machine, low).into_iter().flat_map(|low| [low, low + 1]).map(Value::int).collect()
        }
        Form::Int => (0..3).map(Value::int).collect(),
        Form::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Form::Symbols(ids) => ids.iter().map(|id| Value::Symbol(*id)).collect(),
        Form::List(size, of) => {
            let of = form_corners(machine, of);
            let lengths: Vec<i64> = match size {
                Some((Bound::Exactly, size)) => bound(machine, size).into_iter().collect(),
                Some((Bound::AtMost, size)) => (1..=bound(machine, size).unwrap_or(0).min(2)).collect(),
                None => vec![1, 2],
            };
            let lists =
                lengths.into_iter().filter(|length| (0..=SMALL).contains(length)).flat_map(|length| {
                    let length = usize::try_from(length).unwrap_or(0);
                    of.iter().map(move |value| Value::list(vec![value.clone(); length]))
                });
            lists.collect()
        }
        _ => Vec::new(),
    }
}

/// Whether an expression depends on options.
fn reads_options(e: &Expr) -> bool {
    let mut found = matches!(e.kind, ExprKind::Option(_));
    children(e, &mut |child| found = found || reads_options(child));
    found
}

/// Returns the highest value of an option that is an integer between two bounds.
fn highest(machine: &Machine, form: &Form) -> Option<i64> {
    match form {
        Form::Range(_, high) => bound(machine, high),
        _ => None,
    }
}

/// Evaluates a bound of an option, which may depend on other options.
fn bound(machine: &Machine, e: &Expr) -> Option<i64> {
    match evaluate(machine, e)? {
        Value::Int(n) => n.as_i64(),
        _ => None,
    }
}

/// Evaluates an expression on options; `None` if that fails.
fn evaluate(machine: &Machine, e: &Expr) -> Option<Value> {
    let vacant = machine.unset_position();
    machine.ask(&vacant, |env| env.eval(e, &mut vec![Value::Unset; machine.game.slots])).ok()
}
