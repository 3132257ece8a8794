//! Optimisations of the reference must not show: legal moves must be those of the plain listing, drawn with
//! the same random numbers, and cached answers must be those that would be computed from scratch.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::files;
use parlour::engine::Engine;
use parlour::eval::{Chosen, Dom, Env, Fault, MAX_STEPS, Machine, Position, Waiting};
use parlour::ir::{
    Bounds, Choice, Expr, Move, MoveCheck, Offer, Type, Value, bounds_by_needs, bounds_on_last,
    independent_domains,
};
use parlour::num::{Int, Rng};
use parlour::play::{Rules, bundled, bundled_source};
use parlour::source::Source;

/// The most rows of arguments that are enumerated for one question.
const MAX_ROWS: usize = 6_000;

/// A row that meets every need of its move, and whether it also meets the `need if possible` ones.
type Row = (Chosen, bool);

/// The rules taken literally: every row of every domain, one after the other, judged need by need.
struct Plain<'m> {
    env: &'m Env<'m>,
    seat: usize,
    windowed: bool,
    /// The number of rows enumerated so far.
    gone: usize,
}

/// Why there is no answer: the rules fault, or there are too many rows for a test.
#[derive(Debug)]
enum No {
    Fault(Fault),
    TooMany,
}

impl From<Fault> for No {
    fn from(fault: Fault) -> No {
        No::Fault(fault)
    }
}

impl Plain<'_> {
    /// Returns the open offers: the first ones, or those after `else` if none of the first is legal.
    fn open<'c>(&mut self, choice: &'c Choice) -> Result<Vec<(usize, &'c Offer)>, No> {
        let first: Vec<(usize, &Offer)> = choice.offers.iter().enumerate().collect();
        let windowed = std::mem::replace(&mut self.windowed, false);
        let any = choice.otherwise.is_empty() || !self.binding(&first)?.is_empty();
        self.windowed = windowed;
        let from = choice.offers.len();
        Ok(match any {
            true => first,
            false => choice.otherwise.iter().enumerate().map(|(at, offer)| (from + at, offer)).collect(),
        })
    }

    /// Returns the legal moves of a choice.
    fn legal(&mut self, choice: &Choice) -> Result<Vec<Chosen>, No> {
        let offers = self.open(choice)?;
        self.binding(&offers)
    }

    /// Returns the rows of some offers. If rows of moves that have `need if possible` meet all of them, other
    /// rows of such moves are left out.
    fn binding(&mut self, offers: &[(usize, &Offer)]) -> Result<Vec<Chosen>, No> {
        let mut rows: Vec<Row> = Vec::new();
        for (number, offer) in offers {
            let mut frame = self.env.position.frame.clone();
            self.enter(offer, &mut frame)?;
            self.rows(*number, offer, 0, &mut frame, &mut Vec::new(), &mut rows)?;
        }
        let moves = &self.env.machine.game.moves;
        let binding = rows.iter().any(|(chosen, meets)| *meets && prefers(&moves[chosen.mv]));
        Ok(rows.into_iter().filter(|(_, meets)| !binding || *meets).map(|(chosen, _)| chosen).collect())
    }

    fn mv(&self, offer: &Offer) -> &Move {
        &self.env.machine.game.moves[offer.mv]
    }

    fn enter(&self, offer: &Offer, frame: &mut Vec<Value>) -> Result<(), Fault> {
        let mv = &self.env.machine.game.moves[offer.mv];
        let given: Result<Vec<Value>, Fault> = offer.given.iter().map(|e| self.env.eval(e, frame)).collect();
        for (param, value) in mv.params.iter().filter(|param| param.domain.is_none()).zip(given?) {
            frame[param.slot] = value;
        }
        frame[mv.me] = Value::Player(self.seat);
        Ok(())
    }

    /// Returns the domain of a parameter; `None` if it is given.
    fn dom(&self, mv: &Move, param: usize, frame: &mut Vec<Value>) -> Result<Option<Dom>, Fault> {
        let param = &mv.params[param];
        let Some(domain) = &param.domain else { return Ok(None) };
        let dom = self.env.domain(domain, frame, true)?;
        if let Some(tried) = param.sampling_domain.as_ref().filter(|_| self.windowed) {
            let tried = self.env.domain(tried, frame, true)?;
            let kept = tried.iter(param.span)?.filter(|value| dom.contains(value)).collect::<Vec<Value>>();
            return Ok(Some(Dom::Items(kept.into())));
        }
        Ok(Some(match &param.window {
            Some((low, high)) if self.windowed => {
                dom.within(&(self.env.int(low, frame)?, self.env.int(high, frame)?))
            }
            _ => dom,
        }))
    }

    /// Returns the values that the `nth` chosen parameter of a move is drawn from before its other conditions are tested: those
    /// of its domain that meet the conditions that rows are counted by for random draws.
    fn drawn_from(
        &self,
        offer: &Offer,
        (nth, param): (usize, usize),
        frame: &mut Vec<Value>,
    ) -> Result<Dom, No> {
        let mv = &self.env.machine.game.moves[offer.mv];
        let conditions = self.env.machine.drawing_conditions(offer.mv, nth);
        let domain = mv.params[param].domain.as_ref().unwrap();
        let (whole, condition) = domain.without_condition();
        if conditions.is_none() && (condition.is_none() || !whole.is_of_rows())
            || mv.params[param].sampling_domain.is_some()
        {
            return Ok(self.dom(mv, param, frame)?.unwrap());
        }
        let mut dom = self.env.domain(whole, frame, true)?;
        if let Some((low, high)) = mv.params[param].window.as_ref().filter(|_| self.windowed) {
            dom = dom.within(&(self.env.int(low, frame)?, self.env.int(high, frame)?));
        }
        let Some(conditions) = conditions else { return Ok(dom) };
        if dom.count(mv.span)?.is_none_or(|count| count > Int::from(MAX_ROWS)) {
            return Err(No::TooMany);
        }
        frame.resize(frame.len().max(conditions.frame), Value::Unset);
        let mut kept = Vec::new();
        for row in dom.iter(mv.span)? {
            frame[mv.params[param].slot] = row.clone();
            let mut meets = true;
            for condition in conditions.preconditions.iter().chain(&conditions.conditions) {
                meets = meets && self.env.truth(condition, frame)?;
            }
            if meets {
                kept.push(row);
            }
        }
        Ok(Dom::Items(kept.into()))
    }

    fn rows(
        &mut self,
        number: usize,
        offer: &Offer,
        at: usize,
        frame: &mut Vec<Value>,
        args: &mut Vec<Value>,
        out: &mut Vec<Row>,
    ) -> Result<(), No> {
        let mv = &self.env.machine.game.moves[offer.mv];
        if at == mv.params.len() {
            self.gone += 1;
            if self.gone > MAX_ROWS {
                return Err(No::TooMany);
            }
            if let Some(meets) = self.judge(mv, frame)? {
                out.push((Chosen { offer: number, mv: offer.mv, args: args.clone() }, meets));
            }
            return Ok(());
        }
        let Some(dom) = self.dom(mv, at, frame)? else {
            return self.rows(number, offer, at + 1, frame, args, out);
        };
        if dom.count(mv.params[at].span)?.is_none() {
            out.push((Chosen { offer: number, mv: offer.mv, args: Vec::new() }, true));
            return Ok(());
        }
        for value in dom.iter(mv.params[at].span)? {
            frame[mv.params[at].slot] = value.clone();
            args.push(value);
            self.rows(number, offer, at + 1, frame, args, out)?;
            args.pop();
        }
        Ok(())
    }

    /// Returns `None` if a need fails; otherwise whether the `need if possible` conditions hold, too.
    fn judge(&self, mv: &Move, frame: &mut Vec<Value>) -> Result<Option<bool>, Fault> {
        let mut meets = true;
        for check in &mv.checks {
            match check {
                MoveCheck::Let(slots, value) => match (slots.as_slice(), self.env.eval(value, frame)?) {
                    ([slot], value) => frame[*slot] = value,
                    (slots, Value::List(parts)) => {
                        slots.iter().zip(parts.iter()).for_each(|(slot, part)| frame[*slot] = part.clone());
                    }
                    _ => {}
                },
                MoveCheck::Need { cond, .. } => {
                    if !self.env.truth(cond, frame)? {
                        return Ok(None);
                    }
                }
                MoveCheck::SoftNeed { cond, .. } => meets &= self.env.truth(cond, frame)?,
            }
        }
        Ok(Some(meets))
    }

    /// Returns the integers of a domain that are within these bounds; all of them if there are no bounds.
    fn bounded(&self, dom: Dom, Bounds { least, most }: Bounds, frame: &mut Vec<Value>) -> Dom {
        let mut ends = |bounds: &[Expr]| -> Vec<Int> {
            let ends = bounds.iter().filter_map(|bound| match self.env.eval(bound, frame) {
                Ok(Value::Int(end)) => Some(end),
                _ => None,
            });
            ends.collect()
        };
        let (least, most) = (ends(&least), ends(&most));
        if least.is_empty() && most.is_empty() {
            return dom;
        }
        let within = |value: &Value| {
            let Value::Int(n) = value else { unreachable!("bounds are of integers") };
            least.iter().all(|least| n >= least) && most.iter().all(|most| n <= most)
        };
        Dom::Items(
            dom.iter(parlour::source::Span::default()).unwrap().filter(within).collect::<Vec<Value>>().into(),
        )
    }

    /// Draws a legal move. If there are more than 64 rows (without integers beyond a bound), all domains can be widened so that
    /// none depends on an argument, and there is no `need if possible`, draws rows until one is legal, up to a
    /// number of tries that is smaller where listing costs less than a test of each row; otherwise, or if that
    /// fails, draws from the legal rows.
    fn draw(&mut self, choice: &Choice, rng: &mut Rng) -> Result<Option<Chosen>, No> {
        let offers = self.open(choice)?;
        let mut frame = self.env.position.frame.clone();
        let game = self.env.machine.game.clone();
        let widened = |offer: &Offer| independent_domains(&game, self.mv(offer));
        if offers.iter().all(|(_, offer)| widened(offer).is_some() && !prefers(self.mv(offer))) {
            let mut all = Vec::new();
            // The share of the rows that is tried, and how many tries are added.
            let (mut tried, mut more) = (Int::ZERO, 0);
            let share = |of: &Int, by: i64| of.div_floor(&Int::from(by)).unwrap();
            for (number, offer) in &offers {
                self.enter(offer, &mut frame)?;
                let mv = &self.env.machine.game.moves[offer.mv];
                let mut doms = Vec::new();
                let mut bounds = bounds_by_needs(&self.env.machine.game, mv).into_iter();
                let widened = widened(offer).unwrap().into_iter();
                let chosen = (0..mv.params.len()).filter(|at| mv.params[*at].domain.is_some());
                for (nth, (at, widened)) in chosen.zip(widened).enumerate() {
                    let dom = match widened {
                        Some(domain) => self.env.domain(domain.without_condition().0, &mut frame, true)?,
                        None => self.drawn_from(offer, (nth, at), &mut frame)?,
                    };
                    doms.push(self.bounded(dom, bounds.next().unwrap(), &mut frame));
                }
                let alone = mv.params.iter().rfind(|param| param.domain.is_some()).map(|last| {
                    !matches!(last.ty, Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Tuple(_))
                });
                let others = Dom::Tuples(doms[..doms.len().saturating_sub(1)].to_vec());
                let rows = Dom::Tuples(doms);
                let Some(count) = rows.count(mv.span)? else { return Err(No::TooMany) };
                let (own, few) = match (bounds_on_last(&self.env.machine.game, mv), alone) {
                    (_, None) => (Int::ZERO, 16),
                    (Some(last), _) if last.leaves_one => (Int::ZERO, 0),
                    (Some(_), _) => (share(&others.count(mv.span)?.unwrap(), 4).min(share(&count, 64)), 0),
                    (None, Some(true)) => (share(&count, 64), 16),
                    (None, Some(false)) => (share(&count, 4), 64),
                };
                (tried, more) = (tried.add(&own), more.max(few));
                all.push((*number, *offer, count, rows));
            }
            let total = all.iter().fold(Int::ZERO, |total, (_, _, count, _)| total.add(count));
            if total > Int::from(64) {
                let tries = tried.as_i64().unwrap_or(i64::MAX);
                let counted =
                    self.env.machine.tries_before_counting(offers.iter().map(|(_, offer)| offer.mv));
                let most = counted.unwrap_or(10_000_000);
                for _ in 0..tries.saturating_add(more).min(most) {
                    let mut rank = rng.below(&total);
                    for (number, offer, count, rows) in &all {
                        if rank >= *count {
                            rank = rank.sub(count);
                            continue;
                        }
                        let Value::List(args) = rows.at(&rank) else { unreachable!("a row of arguments") };
                        self.enter(offer, &mut frame)?;
                        let mv = &self.env.machine.game.moves[offer.mv];
                        let chosen = mv.params.iter().filter(|param| param.domain.is_some());
                        chosen.zip(args.iter()).for_each(|(param, arg)| frame[param.slot] = arg.clone());
                        let mut inside = true;
                        for (at, param) in mv.params.iter().enumerate() {
                            let own = self.dom(mv, at, &mut frame)?;
                            inside &= own.is_none_or(|own| own.contains(&frame[param.slot]));
                        }
                        if inside && self.judge(mv, &mut frame)?.is_some() {
                            return Ok(Some(Chosen { offer: *number, mv: offer.mv, args: args.to_vec() }));
                        }
                        break;
                    }
                }
            }
        }
        let mut legal = self.binding(&offers)?;
        if legal.is_empty() {
            return Ok(None);
        }
        let at = rng.below(&Int::from(legal.len())).as_usize().unwrap();
        Ok(Some(legal.swap_remove(at)))
    }
}

fn prefers(mv: &Move) -> bool {
    mv.checks.iter().any(|check| matches!(check, MoveCheck::SoftNeed { .. }))
}

/// Returns what is compared: the value, or the fault's code, span and message.
fn told<T: std::fmt::Debug>(answer: &Result<T, Fault>) -> String {
    match answer {
        Ok(value) => format!("{value:?}"),
        Err(fault) => format!("{} at {:?}: {}", fault.code, fault.span(), fault.message),
    }
}

/// Plays a random match, and calls `on` at every position in which seats are to choose.
fn positions(machine: &Machine, seed: u64, choices: usize, on: &mut dyn FnMut(&Position, &Choice, &[usize])) {
    let mut rng = Rng::new(seed);
    let Ok(mut position) = machine.start() else { return };
    let mut made = 0;
    while made < choices {
        match position.waiting.clone() {
            Waiting::Choice { choice, seats } => {
                on(&position, &machine.game.choices[choice], &seats);
                for seat in seats {
                    let Ok(Some(chosen)) = machine.draw_legal(&position, seat, &mut rng) else { return };
                    if Machine::choose(machine, &mut position, seat, chosen).is_err() {
                        return;
                    }
                    made += 1;
                }
            }
            Waiting::Chance => {
                if machine.play_chance(&mut position, &mut |n| rng.below(n), &mut |_, _| {}).is_err() {
                    return;
                }
            }
            Waiting::Over | Waiting::Nothing => return,
        }
    }
}

/// Returns every bundled game and every game of `tests/language`, with the default number of players.
fn machines() -> Vec<(String, Machine)> {
    let shipped: Vec<Source> = bundled().iter().map(|(name, _)| bundled_source(name).unwrap()).collect();
    let mut found = Vec::new();
    for source in shipped.into_iter().chain(files::language()).chain(files::engines()) {
        let name = source.name.clone();
        let rules = Rules::load(source).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        let machine = rules.machine(&BTreeMap::new(), rules.default_players()).unwrap();
        found.push((name, machine));
    }
    found
}

/// Compares all answers about a position's legal moves. Returns how many the plain listing could give.
fn compare(name: &str, machine: &Machine, position: &Position, choice: &Choice, seat: usize) -> usize {
    let steps = std::cell::Cell::new(MAX_STEPS);
    let env = machine.env(position, &steps);
    let mut answered = 0;
    for windowed in [false, true] {
        let mut plain = Plain { env: &env, seat, windowed, gone: 0 };
        let expected = match plain.legal(choice) {
            Err(No::TooMany) => continue,
            Err(No::Fault(fault)) => Err(fault),
            Ok(legal) => Ok(legal),
        };
        answered += 1;
        let found = machine.ask(position, |env| {
            let mut all = Vec::new();
            env.each_legal(choice, seat, windowed, &mut |chosen| {
                all.push(chosen);
                ControlFlow::Continue(())
            })?;
            Ok(all)
        });
        assert_eq!(told(&found), told(&expected), "{name}: legal moves, windowed: {windowed}");
        if let (Ok(legal), false) = (&expected, windowed) {
            let can = machine.ask(position, |env| env.can_move(choice, seat)).unwrap();
            assert_eq!(can, !legal.is_empty(), "{name}: can move");
            let count = machine.ask(position, |env| env.count_legal(choice, seat, false)).unwrap();
            if let Some(count) = count {
                assert_eq!(count, Int::from(legal.len()), "{name}: how many");
            }
        }
    }
    for seed in 0..3 {
        let (mut ours, mut theirs) = (Rng::new(seed), Rng::new(seed));
        let mut plain = Plain { env: &env, seat, windowed: true, gone: 0 };
        let expected = match plain.draw(choice, &mut theirs) {
            Err(No::TooMany) => continue,
            Err(No::Fault(fault)) => Err(fault),
            Ok(drawn) => Ok(drawn),
        };
        answered += 1;
        let found = machine.ask(position, |env| env.draw_legal(choice, seat, &mut |n| ours.below(n)));
        assert_eq!(told(&found), told(&expected), "{name}: drawn with seed {seed}");
        assert_eq!(ours, theirs, "{name}: the numbers of chance that a draw took");
    }
    answered
}

#[test]
fn legal_moves_are_those_of_the_plain_listing() {
    for (name, machine) in machines() {
        let (mut asked, mut answered) = (0, 0);
        for seed in 0..2 {
            positions(&machine, seed, 30, &mut |position, choice, seats| {
                asked += 1;
                answered += compare(&name, &machine, position, choice, seats[0]);
            });
        }
        assert!(answered > 0 || asked == 0, "{name}: nothing was compared");
    }
}

/// Needs in sequence that depend on other parameters than the last, or fault for some rows.
const NEEDS: &str = r#"
game "Needs" {
  players 2
}

table {
  seen: list of int = []
}

// Rows that an earlier need rules out do not divide by zero.
move guarded(a in 0..3, b in 0..3, c in 0..3) {
  need a != 0 else "not by nothing"
  need 6 div a > b else "too much"
  let rest = 6 mod a
  need c = rest else "the rest"
  seen += c
}

// A row that comes first goes wrong behind needs that hold.
move breaks(a in 1..3, b in 0..2) {
  need a != 2 else "not two"
  need 4 div b > a else "too little"
  seen += b
}

// What is chosen from depends on what was chosen.
move dependent(a in 1..4, b in a..4, c in 1..b) {
  need a != 3 else "not three"
  need b != 2 else "not two"
  need c = a else "the same"
  seen += c
}

// Needs that bind where possible.
move wished(a in 1..4, b in 1..4) {
  need a < b else "ascending"
  need if possible a = size(seen) else "the size"
  seen += a
}

play {
  turns as turn {
    TRIED
  } until turn = 6
}

winner last mover
"#;

#[test]
fn needs_are_asked_no_earlier_than_they_stand() {
    for tried in ["guarded", "breaks", "dependent", "wished", "guarded or dependent", "guarded or breaks"] {
        let source = Source::new("needs.game", &NEEDS.replace("TRIED", tried));
        let rules = Rules::load(source).unwrap_or_else(|found| panic!("{tried}: {found:#?}"));
        let machine = rules.machine(&BTreeMap::new(), 2).unwrap();
        let mut compared = 0;
        // If the match cannot start, the position where it stopped is compared.
        let mut position = machine.blank().unwrap();
        match machine.run(&mut position) {
            Ok(()) => positions(&machine, 1, 6, &mut |position, choice, seats| {
                compared += compare(tried, &machine, position, choice, seats[0]);
            }),
            Err(_) => compared += compare(tried, &machine, &position, &machine.game.choices[0], 0),
        }
        assert!(compared > 0, "{tried}: nothing was compared");
    }
}

/// A machine that has answered many questions and a new one must give equal answers in as many steps.
#[test]
fn what_was_kept_is_what_would_be_worked_out() {
    for (name, warm) in machines() {
        positions(&warm, 7, 40, &mut |position, choice, seats| {
            let cold = warm.with_game(warm.game.clone());
            let ask = |machine: &Machine| {
                let (legal, steps) = machine.ask_counted(position, |env| {
                    let mut all = Vec::new();
                    env.each_legal(choice, seats[0], true, &mut |chosen| {
                        all.push(chosen);
                        match all.len() < 200 {
                            true => ControlFlow::Continue(()),
                            false => ControlFlow::Break(()),
                        }
                    })?;
                    Ok(all)
                });
                (told(&legal), steps, told(&machine.scores(position)), told(&machine.show(position)))
            };
            assert_eq!(ask(&warm), ask(&cold), "{name}");
        });
    }
}

/// Threads must be able to share a machine with everything that it caches.
#[test]
fn a_machine_is_shared_by_threads() {
    const fn shared<T: Send + Sync>() {}
    const { shared::<Machine>() };
    #[cfg(feature = "jit")]
    const {
        shared::<parlour::jit::Compiled>()
    };
    for (name, machine) in machines().into_iter().take(8) {
        let play = |machine: &Machine| {
            let mut rng = Rng::new(3);
            machine.playout(&mut rng, 60).map(|(position, moves)| (position, moves, rng))
        };
        let alone = play(&machine.with_game(machine.game.clone()));
        let together = std::thread::scope(|scope| {
            [0, 1].map(|_| scope.spawn(|| play(&machine))).map(|thread| thread.join().unwrap())
        });
        for one in together {
            assert_eq!(told(&one), told(&alone), "{name}");
        }
    }
}
