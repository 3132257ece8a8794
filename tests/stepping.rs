//! Stepping one move at a time: moves by id, listed, counted, masked, drawn and made by compiled code, must
//! be those of the reference; many positions in one call must equal single ones; threads share code.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::Pair;
use crate::files;
use parlour::engine::{Engine, Ids, Outcomes, ReferenceStepper, Stepper, Turn};
use parlour::eval::{Chosen, Position, Waiting};
use parlour::jit::{Compiled, CompiledStepper, State};
use parlour::num::Rng;
use parlour::play::{Rules, bundled, bundled_source};
use parlour::source::Source;

/// The number of matches per game, the most choices in each, and the longest list that is compared.
const MATCHES: u64 = 2;
const MAX_MOVES: usize = 60;
const LISTED: usize = 1500;
/// The most outcomes of a draw that are tried, one by one.
const OUTCOMES: usize = 60;

fn rules(source: Source) -> Rules {
    let name = source.name.clone();
    Rules::load(source).unwrap_or_else(|found| panic!("{name}: {found:#?}"))
}

fn pair(rules: &Rules, players: usize) -> Pair {
    Pair::new(rules, &Default::default(), players)
        .unwrap_or_else(|sentence| panic!("{}: {sentence}", rules.name))
}

fn shipped(name: &str) -> Compiled {
    let rules = rules(bundled_source(name).unwrap());
    Compiled::new(rules.machine(&Default::default(), rules.default_players()).unwrap())
}

/// Returns every game with the fewest players, and with one more.
fn games() -> Vec<(Rules, usize)> {
    let bundled = bundled().into_iter().map(|(name, _)| bundled_source(&name).unwrap());
    let mut all = Vec::new();
    for source in bundled.chain(files::language()).chain(files::engines()) {
        let rules = rules(source);
        let least = rules.game.seats.min;
        let most = rules.game.seats.max.unwrap_or(least + 1).min(least + 1);
        all.extend((least..=most).map(|players| (rules.clone(), players)));
    }
    all
}

/// Returns the legal moves of a seat in the reference; `None` if they are too many.
fn few(pair: &Pair, position: &Position, seat: usize) -> Option<Vec<Chosen>> {
    let choice = pair.reference.choice(position)?;
    let mut all = Vec::new();
    pair.reference
        .ask(position, |env| {
            env.each_legal(choice, seat, true, &mut |chosen| {
                all.push(chosen);
                match all.len() > LISTED {
                    true => std::ops::ControlFlow::Break(()),
                    false => std::ops::ControlFlow::Continue(()),
                }
            })
        })
        .unwrap();
    (all.len() <= LISTED).then_some(all)
}

/// Compares all queries about a seat's moves with the reference. Returns the move that both draw.
fn ask<S: Stepper>(
    pair: &Pair,
    stepper: &mut S,
    (position, state): (&Position, &S::State),
    (choice, seat): (usize, usize),
    rng: &mut Rng,
) -> Chosen {
    let ids = Ids::of(&pair.reference);
    if let Some(all) = few(pair, position, seat) {
        assert_eq!(stepper.legal(state, seat).unwrap(), all);
        assert_eq!(stepper.count(state, seat).unwrap(), all.len() as u64);
        let listed = stepper.list(state, seat).unwrap().map(<[u32]>::to_vec);
        assert_eq!(listed.is_some(), ids.has(choice), "a list where there are numbers");
        let mut mask = Vec::new();
        assert_eq!(stepper.mask(state, seat, &mut mask).unwrap(), ids.has(choice));
        if let Some(listed) = listed {
            let expected: Vec<u32> = all.iter().map(|chosen| ids.id(choice, chosen).unwrap()).collect();
            assert_eq!(listed, expected, "numbers in the order of the reference");
            let chosen: Vec<Chosen> = listed.iter().map(|id| ids.chosen(choice, *id).unwrap()).collect();
            assert_eq!(chosen, all);
            assert!(listed.iter().all(|id| *id < ids.count()));
            for chosen in &all {
                let named = ids.named(ids.id(choice, chosen).unwrap());
                assert_eq!(named, Some((chosen.mv, chosen.args.clone())));
            }
            let masked: Vec<u32> = (0..ids.count().min(mask.len() as u32 * 64))
                .filter(|id| mask[(id / 64) as usize] >> (id % 64) & 1 == 1)
                .collect();
            let distinct: BTreeSet<u32> = listed.iter().copied().collect();
            assert!(masked.into_iter().eq(distinct.iter().copied()));
            assert_eq!(distinct.len(), listed.len());
        }
    }
    let (mut mine, mut its) = (rng.clone(), rng.clone());
    let chosen = Engine::draw_legal(&pair.reference, position, seat, &mut mine).unwrap().unwrap();
    assert_eq!(stepper.draw_legal(state, seat, &mut its).unwrap().as_ref(), Some(&chosen));
    assert_eq!(mine, its, "the stream behind a draw");
    its = rng.clone();
    let drawn = stepper.draw(state, seat, &mut its).unwrap();
    assert_eq!(drawn, ids.id(choice, &chosen).filter(|_| ids.has(choice)));
    *rng = mine;
    let elsewhere = (0..64)
        .find(|other| !matches!(&position.waiting, Waiting::Choice { seats, .. } if seats.contains(other)));
    let elsewhere = elsewhere.unwrap();
    assert_eq!(stepper.count(state, elsewhere).unwrap(), 0);
    assert_eq!(stepper.list(state, elsewhere).unwrap().map(<[u32]>::len), Some(0));
    for (seat, id) in [(elsewhere, 0), (seat, u32::MAX), (seat, ids.count())] {
        assert!(!stepper.make(&mut state.clone(), seat, id).unwrap());
    }
    chosen
}

/// The keys that one engine gave by those of the other: they must map one to one.
#[derive(Clone, Default)]
struct KeyPairs([BTreeMap<Vec<u64>, Vec<u64>>; 2]);

impl KeyPairs {
    fn same(&mut self, mine: Vec<u64>, its: Vec<u64>) {
        let [by_mine, by_its] = &mut self.0;
        assert_eq!(by_mine.entry(mine.clone()).or_insert_with(|| its.clone()), &its);
        assert_eq!(by_its.entry(its).or_insert_with(|| mine.clone()), &mine);
    }
}

/// A match in both engines, one step at a time.
struct Walk<'p> {
    pair: &'p Pair,
    code: CompiledStepper<'p>,
    plain: ReferenceStepper<'p>,
    rng: Rng,
    position: Position,
    state: State,
    /// The keys of all positions so far, and what each seat sees of them.
    keys: KeyPairs,
    views: Vec<KeyPairs>,
}

impl<'p> Walk<'p> {
    fn new(pair: &'p Pair) -> Walk<'p> {
        Walk {
            pair,
            code: pair.compiled.stepper(),
            plain: ReferenceStepper::new(&pair.reference),
            rng: Rng::new(0),
            position: Engine::start(&pair.reference).unwrap(),
            state: pair.compiled.start().unwrap(),
            keys: KeyPairs::default(),
            views: vec![KeyPairs::default(); pair.reference.setup.players + 1],
        }
    }

    /// Plays a match in which every query and step must agree. Returns the numbers of choices and draws.
    fn run(&mut self, seed: u64) -> (usize, usize) {
        self.rng = Rng::new(seed);
        self.position = Engine::start(&self.pair.reference).unwrap();
        self.state = self.pair.compiled.start().unwrap();
        let (mut choices, mut draws) = (0, 0);
        while choices < MAX_MOVES {
            let what = format!("choice {choices}, draw {draws}");
            self.pair.same(&what, &self.position, &self.pair.compiled.to_position(&self.state)).unwrap();
            self.same_keys();
            assert_eq!(self.code.turn(&self.state), Turn::of(&self.position.waiting));
            match self.code.turn(&self.state) {
                Turn::Choice { choice, .. } => {
                    self.choose(&what, choice, choices % 8 == 0);
                    choices += 1;
                }
                Turn::Chance => {
                    self.come_out_each();
                    let mut other = self.rng.clone();
                    assert!(self.plain.chance(&mut self.position, &mut other).unwrap());
                    assert!(self.code.chance(&mut self.state, &mut self.rng).unwrap());
                    assert_eq!(self.rng, other);
                    draws += 1;
                }
                Turn::Over => {
                    assert!(!self.code.chance(&mut self.state, &mut self.rng).unwrap());
                    assert_eq!(self.code.count(&self.state, 0).unwrap(), 0);
                    assert_eq!(self.code.list(&self.state, 0).unwrap().map(<[u32]>::len), Some(0));
                    assert_eq!(self.code.step(&mut self.state, 0, &mut self.rng).unwrap(), None);
                    break;
                }
            }
        }
        (choices, draws)
    }

    /// Asserts that each outcome of a draw leads to the same position in code and in the reference, and that play
    /// stops before the next draw.
    fn come_out_each(&mut self) {
        let mut listed = Outcomes::default();
        let few = listed.at_most(&self.pair.reference, &self.position, OUTCOMES).unwrap();
        let Some(outcomes) = few else { return };
        let of = outcomes.iter().map(|drawn| drawn.times).sum::<u64>();
        assert!(outcomes.iter().all(|drawn| drawn.of == of && drawn.rank < of));
        assert_eq!(listed.at(&self.pair.compiled, &self.state).unwrap(), outcomes);
        for drawn in outcomes.iter() {
            let (mut position, mut state) = (self.position.clone(), self.state.clone());
            self.plain.resolve_draw(&mut position, drawn).unwrap();
            self.code.resolve_draw(&mut state, drawn).unwrap();
            let what = format!("{drawn:?}");
            self.pair.same(&what, &position, &self.pair.compiled.to_position(&state)).unwrap();
        }
    }

    /// Asserts that keys are equal in code exactly if they are equal in the reference.
    fn same_keys(&mut self) {
        let (mut mine, mut its, mut again) = (Vec::new(), Vec::new(), Vec::new());
        self.plain.lasting_key(&self.position, &mut mine);
        self.code.lasting_key(&self.state, &mut its);
        self.code.lasting_key(&self.pair.compiled.state_of(&self.position), &mut again);
        assert_eq!(its, again, "the key of the position taken over from the reference");
        if let (State::Flat(_), Some(words)) = (&self.state, self.code.lasting_key_words())
            && self.code.turn(&self.state) != Turn::Over
        {
            assert!(its.len() >= words, "large integers follow");
        }
        self.keys.same(mine, its);
        let seats = (0..self.pair.reference.setup.players).map(Some).chain([None]);
        for (seat, views) in seats.zip(&mut self.views) {
            let (mut mine, mut its) = (Vec::new(), Vec::new());
            self.plain.view_key(&self.position, seat, &mut mine);
            self.code.view_key(&self.state, seat, &mut its);
            views.same(mine, its);
        }
    }

    fn choose(&mut self, what: &str, choice: usize, ask_reference: bool) {
        let Waiting::Choice { seats, .. } = self.position.waiting.clone() else { unreachable!() };
        // Simultaneous choices may be made in any order.
        let seat = seats[self.rng.below_u64(seats.len() as u64) as usize];
        let (pair, compiled) = (self.pair, &self.pair.compiled);
        let mut other = self.rng.clone();
        let both = (&self.position, &self.state);
        let chosen = ask(pair, &mut self.code, both, (choice, seat), &mut self.rng);
        if ask_reference {
            let both = (&self.position, &self.position);
            ask(pair, &mut self.plain, both, (choice, seat), &mut other);
        }
        let same = |what: &str, a: &State, b: &State| {
            pair.same(
                &format!("{what}, choice {choice}, {chosen:?}"),
                &compiled.to_position(a),
                &compiled.to_position(b),
            )
            .unwrap();
        };
        let before = self.state.clone();
        let mut again = self.state.clone();
        self.code.choose(&mut again, seat, chosen.clone()).unwrap();
        match self.code.ids().id(choice, &chosen).filter(|_| self.code.ids().has(choice)) {
            Some(id) => {
                assert!(self.code.make(&mut self.state, seat, id).unwrap());
                same(&format!("{what}: by its number"), &again, &self.state);
                let mut by_number = self.position.clone();
                assert!(self.plain.make(&mut by_number, seat, id).unwrap());
                pair.same(what, &by_number, &compiled.to_position(&self.state)).unwrap();
                if seat == seats[0] {
                    // One call makes the move, plays the chance events after it, and lists the next moves.
                    let (mut slow, mut stream) = (self.state.clone(), self.rng.clone());
                    self.code.chance(&mut slow, &mut stream).unwrap();
                    let next = self.code.turn(&slow).seat().unwrap_or(0);
                    let listed = self.code.list(&slow, next).unwrap().map(<[u32]>::to_vec);
                    let (mut on, mut onward) = (before.clone(), self.rng.clone());
                    let stepped = self.code.step(&mut on, id, &mut onward).unwrap().map(<[u32]>::to_vec);
                    assert_eq!(stepped, listed);
                    assert_eq!(stream, onward);
                    same(&format!("{what}: step"), &slow, &on);
                }
            }
            None => self.state = again,
        }
        // One call draws and makes a move.
        let (mut on, mut onward) = (before, other.clone());
        let mut plain = self.position.clone();
        let sampled = self.code.sample(&mut on, &mut onward).unwrap();
        assert_eq!(sampled, self.plain.sample(&mut plain, &mut other).unwrap());
        assert_eq!(onward, other);
        pair.same(&format!("{what}: sample"), &plain, &compiled.to_position(&on)).unwrap();
        Engine::choose(&pair.reference, &mut self.position, seat, chosen).unwrap();
    }
}

#[test]
fn steps_are_those_of_the_reference() {
    let (mut choices, mut draws) = (0, 0);
    for (rules, players) in games() {
        let pair = pair(&rules, players);
        let mut walk = Walk::new(&pair);
        for seed in 0..MATCHES {
            eprintln!("{}, {players} players, seed {seed}", rules.name);
            let (more, drawn) = walk.run(seed);
            choices += more;
            draws += drawn;
        }
    }
    assert!(choices > 1000 && draws > 50, "{choices} choices, {draws} draws");
}

/// Games in which every move has an id, and the number of ids.
#[test]
fn moves_are_numbered() {
    let counts = [
        ("tic-tac-toe", 9),
        ("connect-four", 7),
        ("hex", 121),
        ("breakthrough", 64 * 64),
        ("sum-of-products", 4 * 4 * 4),
        ("goofspiel", 13),
        ("pig", 2),
        ("nim", 4 * 100),
        ("procession", 7),
        ("numbers-to-number", 63),
        ("bulls-and-cows", 2 * 10 * 9 * 8 * 7),
        ("dots-and-boxes", 6 + 6),
        ("number-scrabble", 9),
        ("juniper-green", 20),
    ];
    for (name, count) in counts {
        let game = shipped(name);
        let ids = game.ids();
        assert_eq!(ids.count(), count, "{name}");
        assert!((0..game.machine().game.choices.len()).all(|choice| ids.has(choice)), "{name}");
    }
}

/// In every bundled game, code must handle every choice whose moves have ids.
#[test]
fn code_goes_step_by_step_through_every_shipped_game() {
    for (name, _) in bundled() {
        let left = shipped(&name).stepped_by_reference();
        assert!(left.is_empty(), "{name}: {left:?}");
    }
}

/// Many positions in one call must equal single ones, each with its random stream, anywhere in its match.
#[test]
fn many_positions_are_one_after_the_other() {
    const POSITIONS: usize = 17;
    for (rules, players) in games() {
        let game = Compiled::new(rules.machine(&Default::default(), players).unwrap());
        let (mut many, mut single) = (game.stepper(), game.stepper());
        let mut rngs: Vec<Rng> = (0..POSITIONS as u64).map(|n| Rng::nth(5, n)).collect();
        let mut states = vec![game.start().unwrap(); POSITIONS];
        for (at, (state, rng)) in states.iter_mut().zip(&mut rngs).enumerate() {
            single.chance(state, rng).unwrap();
            for _ in 0..at {
                single.sample(state, rng).unwrap();
            }
        }
        let numbered = (0..rules.game.choices.len()).all(|choice| game.ids().has(choice));
        for round in 0..12 {
            let what = format!("{}, {players} players, round {round}", rules.name);
            let same = |a: &[State], b: &[State]| {
                assert!(
                    a.iter()
                        .map(|state| game.to_position(state))
                        .eq(b.iter().map(|state| game.to_position(state)))
                );
            };
            let mut one_by_one = Vec::new();
            for state in &states {
                let seat = single.turn(state).seat().unwrap_or(0);
                one_by_one.push(single.list(state, seat).unwrap().unwrap_or_default().to_vec());
            }
            let listed: Vec<Vec<u32>> = many.list_all(&states).unwrap().iter().map(<[u32]>::to_vec).collect();
            assert_eq!(listed, one_by_one, "{what}");
            if numbered && round % 2 == 0 {
                let pick = |ids: &Vec<u32>| ids.get(round % ids.len().max(1)).copied().unwrap_or(u32::MAX);
                let ids: Vec<u32> = listed.iter().map(pick).collect();
                let (mut others, mut streams) = (states.clone(), rngs.clone());
                let mut next = Vec::new();
                for ((state, rng), id) in others.iter_mut().zip(&mut streams).zip(&ids) {
                    next.push(single.step(state, *id, rng).unwrap().unwrap_or_default().to_vec());
                }
                let stepped = many.step_all(&mut states, &ids, &mut rngs).unwrap();
                assert!(stepped.iter().eq(next.iter().map(Vec::as_slice)), "{what}");
                assert_eq!(rngs, streams, "{what}");
                same(&states, &others);
            } else {
                let (mut others, mut streams) = (states.clone(), rngs.clone());
                let each = others.iter_mut().zip(&mut streams);
                let one: Vec<u32> =
                    each.map(|(state, rng)| single.sample(state, rng).unwrap().unwrap_or(u32::MAX)).collect();
                let mut ids = Vec::new();
                many.sample_all(&mut states, &mut rngs, &mut ids).unwrap();
                assert_eq!(ids, one, "{what}");
                assert_eq!(rngs, streams, "{what}");
                same(&states, &others);
            }
        }
    }
}

/// Moves can be made by their index in the list of legal moves, whether they have ids or not.
#[test]
fn moves_are_made_by_their_place_in_the_list() {
    let mut without = 0;
    for (rules, players) in games() {
        let pair = pair(&rules, players);
        let mut stepper = pair.compiled.stepper();
        let mut rng = Rng::new(3);
        let mut state = pair.compiled.start().unwrap();
        for _ in 0..12 {
            stepper.chance(&mut state, &mut rng).unwrap();
            let Some(seat) = stepper.turn(&state).seat() else { break };
            let mut position = pair.compiled.to_position(&state);
            let Some(all) = few(&pair, &position, seat) else { break };
            let n = rng.below_u64(all.len() as u64) as usize;
            let before = state.clone();
            assert!(!stepper.make_nth(&mut state, seat, all.len()).unwrap());
            assert!(stepper.make_nth(&mut state, seat, n).unwrap());
            without += usize::from(stepper.list(&before, seat).unwrap().is_none());
            Engine::choose(&pair.reference, &mut position, seat, all[n].clone()).unwrap();
            pair.same(&rules.name, &position, &pair.compiled.to_position(&state)).unwrap();
        }
    }
    assert!(without > 10, "{without} choices without numbers");
}

/// Threads must be able to share a game, its code, and positions to read.
#[test]
fn threads_share_a_game() {
    let game = shipped("connect-four");
    let start = game.start().unwrap();
    let play = |seed: u64| {
        let (mut stepper, mut rng, mut state) = (game.stepper(), Rng::new(seed), start.clone());
        let mut made = Vec::new();
        while stepper.turn(&state) != Turn::Over {
            assert_eq!(stepper.list(&start, 0).unwrap().unwrap().len(), 7);
            made.push(stepper.sample(&mut state, &mut rng).unwrap());
        }
        made
    };
    let alone: Vec<_> = (0..200).map(play).collect();
    let shared: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|n| scope.spawn(move || (n * 100..n * 100 + 100).map(play).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(alone, shared);
}

/// Making an illegal move by id may lead to any position, but must break nothing: play goes on there.
#[test]
fn moves_that_are_not_legal_break_nothing() {
    const MOST: u32 = 500;
    let mut made = 0;
    for (rules, players) in games() {
        let game = Compiled::new(rules.machine(&Default::default(), players).unwrap());
        let (mut stepper, mut rng) = (game.stepper(), Rng::new(9));
        let mut state = game.start().unwrap();
        for _ in 0..6 {
            stepper.chance(&mut state, &mut rng).unwrap();
            let Some(seat) = stepper.turn(&state).seat() else { break };
            let legal = stepper.list(&state, seat).unwrap().unwrap_or_default().to_vec();
            let others = (0..stepper.ids().count().min(MOST)).filter(|id| !legal.contains(id));
            for id in others.collect::<Vec<_>>() {
                let (mut other, mut stream) = (state.clone(), rng.clone());
                // The rules may fault in it.
                let Ok(Some(_)) = stepper.step(&mut other, id, &mut stream) else { continue };
                made += 1;
                let _ = stepper.sample(&mut other, &mut stream);
            }
            stepper.sample(&mut state, &mut rng).unwrap();
        }
    }
    assert!(made > 1000, "{made} moves");
}
