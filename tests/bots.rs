//! Bots: what they choose is legal, good by what is known of small games, and the same for the same seed.

#[path = "repl/memory.rs"]
mod memory;

use std::collections::BTreeMap;
use std::sync::Arc;

use memory::Memory as Shelves;
use parlour::bots::{Advice, Bot, Effort, Known, Memory, Mind, Search, Still, Worlds, is_open};
use parlour::diag::render::Style;
use parlour::engine::{Engine, Position, Stepper, Turn};
use parlour::eval::Machine;
use parlour::ir::Value;
use parlour::lab::Contest;
use parlour::num::Rng;
use parlour::play::{Match, Record, Refused, Rules, Seen, bundled, bundled_source, replay};
use parlour::repl::Session;
use parlour::source::{Source, Span};

fn shipped(name: &str) -> Arc<Rules> {
    Arc::new(Rules::load(bundled_source(name).unwrap()).unwrap())
}

fn written(text: &str) -> Arc<Rules> {
    Arc::new(Rules::load(Source::new("written.game", text)).unwrap_or_else(|found| panic!("{found:#?}")))
}

/// A match, and what bots think with.
struct Table {
    played: Match,
    mind: Arc<Mind>,
}

impl Table {
    fn new(rules: &Arc<Rules>, options: &[(&str, &str)], players: usize, seed: u64) -> Table {
        let options = rules.read_options(options.iter().copied()).unwrap();
        let played = Match::new(rules.clone(), &options, players, seed).unwrap();
        Table { mind: Arc::new(Mind::of(&played)), played }
    }

    fn again(&self, seed: u64) -> Table {
        let options = self.played.options().enumerate().map(|(id, (_, value))| (id, value.clone()));
        let options: BTreeMap<usize, _> = options.collect();
        let played = Match::new(self.played.rules.clone(), &options, self.played.players(), seed).unwrap();
        Table { played, mind: self.mind.clone() }
    }

    /// Plays moves of one argument or more, as in `drop 4`, in turn.
    fn after(mut self, moves: &[&str]) -> Table {
        for line in moves {
            let player = self.played.to_move()[0];
            let (_, legal) = self.played.legal(player, 1000).unwrap();
            let entry = legal.iter().find(|entry| self.played.entry_words(entry) == *line);
            self.played.make(entry.unwrap_or_else(|| panic!("{line} is not legal"))).unwrap();
        }
        self
    }

    fn ask(&self, bot: &str, seed: u64) -> Result<Advice, Refused> {
        let player = self.played.to_move()[0];
        self.mind.tell(&self.played, player, Bot::named(bot).unwrap(), &Still, &mut Rng::new(seed))
    }

    fn best(&self, bot: &str, seed: u64) -> String {
        let advice = self.ask(bot, seed).unwrap();
        let player = self.played.to_move()[0];
        self.played.entry_words(&self.played.rules.entry(player - 1, &advice.best))
    }

    /// Plays on to the end, or so many choices.
    fn play_on(&mut self, bots: &[&str], most: u64) {
        let mut made = 0;
        while let (Some(player), true) = (self.played.to_move().first().copied(), made < most) {
            made += 1;
            let bot = Bot::named(bots[(player - 1) % bots.len()]).unwrap();
            let entry = self.mind.choose(&self.played, player, bot, &Still);
            let entry =
                entry.unwrap_or_else(|refused| panic!("{}: {bot}: {refused:?}", self.played.rules.name));
            if let Err(refused) = self.played.make(&entry) {
                panic!("{}: {bot} plays {entry:?}: {refused:?}", self.played.rules.name);
            }
        }
    }
}

#[test]
fn names_are_read_and_written() {
    for text in
        ["random", "easy", "medium", "hard", "greedy", "exact", "mcts", "mcts:20", "auto", "auto:20ms"]
    {
        assert_eq!(Bot::named(text).unwrap().to_string(), text);
    }
    let wrong = |text: &str| Bot::named(text).unwrap_err();
    assert_eq!(wrong("mtcs"), "no bot is called `mtcs`; did you mean `mcts`?");
    assert!(wrong("anna").contains("there are easy, medium"), "{}", wrong("anna"));
    for text in [
        "mcts:0",
        "mcts:x",
        "mcts:",
        "mcts:-5",
        "mcts:1.5",
        "auto:0ms",
        "mcts:5s",
        "mcts:99999999999999999999",
    ] {
        assert!(wrong(text).contains(":500` or `"), "{}", wrong(text));
    }
    assert!(wrong("greedy:5").contains("takes no effort"), "{}", wrong("greedy:5"));
}

#[test]
fn tic_tac_toe_is_never_lost() {
    let table = Table::new(&shipped("tic-tac-toe"), &[], 2, 0);
    for seed in 0..2 {
        for (bots, me) in
            [(["mcts:300", "random"], 1), (["random", "mcts:300"], 2), (["auto:300", "mcts:300"], 0)]
        {
            let mut table = table.again(seed);
            table.play_on(&bots, 9);
            assert!(table.played.over());
            match me {
                0 => assert_eq!(table.played.winners(), [0; 0], "{bots:?}, seed {seed}"),
                me => assert!(!table.played.winners().contains(&(3 - me)), "{bots:?}, seed {seed}"),
            }
        }
    }
}

/// Bouton's theory: who is to move wins unless the nim-sum is 0; where the last one loses, while all piles are 0 or 1, who is
/// to move wins if there are an even number of ones.
#[test]
fn nim_is_played_perfectly() {
    let rules = shipped("nim");
    for misere in [true, false] {
        for piles in [[1, 2, 3], [2, 2, 1], [0, 3, 2], [1, 1, 1], [3, 2, 1]] {
            let words = format!("{},{},{}", piles[0], piles[1], piles[2]);
            let options = [("piles", words.as_str()), ("misere", if misere { "yes" } else { "no" })];
            let table = Table::new(&rules, &options, 2, 0);
            let lost = |piles: &[u64]| match misere && piles.iter().all(|n| *n <= 1) {
                true => piles.iter().sum::<u64>() % 2 == 1,
                false => piles.iter().fold(0, |sum, n| sum ^ n) == 0,
            };
            for bot in ["exact", "mcts:2000"] {
                let advice = table.ask(bot, 1).unwrap();
                assert!(advice.exact, "{bot} {options:?}");
                assert_eq!(advice.value == 1.0, !lost(&piles), "{bot} {options:?} {advice:?}");
                let mut after = piles;
                let args: Vec<u64> =
                    advice.best.args.iter().map(|arg| format!("{arg:?}")).map(|n| number(&n)).collect();
                after[args[0] as usize - 1] -= args[1];
                assert!(lost(&piles) || lost(&after), "{bot} {options:?} {args:?}");
            }
        }
    }
}

/// The digits of a text.
fn number(text: &str) -> u64 {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// A seat's share of the win, by going through all that can follow, and nothing else.
fn minimax(machine: &Machine, state: &Position, seat: usize) -> f64 {
    let mut stepper = machine.stepper();
    match stepper.turn(state) {
        Turn::Over => match Engine::outcome(machine, state).unwrap().winners.as_slice() {
            [sole] => f64::from(u8::from(*sole == seat)),
            _ => 0.5,
        },
        Turn::Chance => {
            let outcomes = Engine::outcomes(machine, state).unwrap();
            let worth = outcomes.iter(Span::default()).unwrap().map(|value| {
                let mut next = state.clone();
                machine.draw(&mut next, value).unwrap().unwrap();
                minimax(machine, &next, seat)
            });
            let all: Vec<f64> = worth.collect();
            all.iter().sum::<f64>() / all.len() as f64
        }
        Turn::Choice { seats, .. } => {
            let mover = seats.trailing_zeros() as usize;
            let worth = stepper.legal(state, mover).unwrap().into_iter().map(|chosen| {
                let mut next = state.clone();
                stepper.choose(&mut next, mover, chosen).unwrap();
                minimax(machine, &next, seat)
            });
            if mover == seat { worth.fold(0.0, f64::max) } else { worth.fold(1.0, f64::min) }
        }
    }
}

#[test]
fn exact_play_is_plain_minimax() {
    type Case<'c> = (&'c str, &'c [(&'c str, &'c str)], &'c [&'c str]);
    let games: [Case; 3] = [
        ("tic-tac-toe", &[], &["mark a1", "mark b1", "mark a3"]),
        ("nim", &[("piles", "2,3,1")], &[]),
        ("dots-and-boxes", &[("rows", "1"), ("columns", "2")], &[]),
    ];
    for (name, options, moves) in games {
        let mut table = Table::new(&shipped(name), options, 2, 0).after(moves);
        let mut rng = Rng::new(3);
        while !table.played.over() {
            let rules = &table.played.rules;
            let given =
                table.played.options().enumerate().map(|(id, (_, value))| (id, value.clone())).collect();
            let machine = rules.machine(&given, 2).unwrap();
            let mut state = Engine::start(&machine).unwrap();
            let entries: Vec<_> = table.played.entries().cloned().collect();
            for entry in &entries {
                let mut stepper = machine.stepper();
                let legal = stepper.legal(&state, entry.player - 1).unwrap();
                let same = |chosen: &&parlour::eval::Chosen| rules.entry(entry.player - 1, chosen) == *entry;
                let chosen = legal.iter().find(same).unwrap().clone();
                stepper.choose(&mut state, entry.player - 1, chosen).unwrap();
            }
            let advice = table.ask("exact", 0).unwrap();
            assert!(advice.exact);
            let player = table.played.to_move()[0];
            assert_eq!(advice.value, minimax(&machine, &state, player - 1), "{name} after {entries:?}");
            let drawn = table.played.random_move(player, &mut rng).unwrap();
            table.played.make(&drawn).unwrap();
        }
    }
}

/// Throws are kept or passed on; whoever has more points wins. The plain search goes through all of it.
#[test]
fn exact_play_reckons_with_chance() {
    let rules = written(
        r#"
game "Throws" { players 2 }
table {
  die: 1..3 = 2
  made: 0..4 = 0
}
each player { points: 0..12 = 0 }
move keep { me.points += die }
move pass { }
play {
  turns until made = 4 {
    keep or pass
    made += 1
    chance throw in 1..3
    die := throw
  }
}
winner highest me.points
"#,
    );
    let machine = rules.machine(&BTreeMap::new(), 2).unwrap();
    let table = Table::new(&rules, &[], 2, 4);
    let state = Engine::start(&machine).unwrap();
    let advice = table.ask("exact", 0).unwrap();
    assert!(advice.exact && advice.known() == Some(Known::Expected(advice.value)), "{advice:?}");
    assert!((advice.value - minimax(&machine, &state, 0)).abs() < 1e-9, "{advice:?}");
}

/// Where positions come again, exact play gets on: a way of four steps, with steps back and aside.
#[test]
fn exact_play_makes_progress() {
    let rules = written(
        "game \"Way\" { players 2 }\n\
         table { at: 0..9 = 3 }\n\
         move go(by in {-1, 1, 2}) { need at + by in 0..9 else \"off\"\n at += by }\n\
         move rest { }\n\
         play { turns { if me = seat(1) { go } else { rest } } }\n\
         win seat(1) when at = 9\n",
    );
    let mut table = Table::new(&rules, &[], 2, 0);
    let advice = table.ask("exact", 0).unwrap();
    assert!(advice.exact && advice.value == 1.0, "{advice:?}");
    table.play_on(&["exact"], 12);
    assert!(table.played.over());
}

#[test]
fn a_win_is_taken_and_a_loss_is_prevented() {
    let table = Table::new(&shipped("connect-four"), &[], 2, 0);
    let positions: [(&[&str], &str); 4] = [
        // Up a column, along the floor: taken.
        (&["drop 1", "drop 2", "drop 1", "drop 2", "drop 1", "drop 2"], "drop 1"),
        (&["drop 1", "drop 7", "drop 2", "drop 7", "drop 3", "drop 6"], "drop 4"),
        // The same of the other: prevented.
        (&["drop 1", "drop 2", "drop 1", "drop 2", "drop 1"], "drop 1"),
        (&["drop 7", "drop 1", "drop 7", "drop 2", "drop 5", "drop 3"], "drop 4"),
    ];
    for (moves, best) in positions {
        let table = table.again(0).after(moves);
        for seed in 0..2 {
            assert_eq!(table.best("mcts:400", seed), best, "after {moves:?}");
        }
    }
    // What wins at once is known to.
    let advice = table.again(0).after(positions[0].0).ask("mcts:400", 0).unwrap();
    assert!(advice.exact && advice.value == 1.0);
    assert_eq!(advice.weighed().unwrap().end.unwrap().choices, 1);
}

#[test]
fn the_same_seed_brings_the_same_advice() {
    for (name, options) in [("connect-four", [].as_slice()), ("pig", &[("goal", "20")]), ("kalah", &[])] {
        let table = Table::new(&shipped(name), options, 2, 5);
        for bot in ["random", "easy", "medium", "greedy", "mcts:60", "auto:60"] {
            assert_eq!(table.ask(bot, 7).unwrap(), table.ask(bot, 7).unwrap(), "{name} {bot}");
        }
    }
}

#[test]
fn choices_made_together_are_mixed() {
    let rules = written(
        "game \"Hands\" { players 2 called first, second }\n\
         each player { shown: 0..2 }\n\
         move show_hand(hand in 0..2) { me.shown := hand }\n\
         play {\n\
           together players { show_hand }\n\
           if (first.shown - second.shown) mod 3 = 1 { win first }\n\
           if (first.shown - second.shown) mod 3 = 2 { win second }\n\
         }\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let mut counts = BTreeMap::new();
    for seed in 0..120 {
        *counts.entry(table.best("mcts:300", seed)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 3);
    assert!(counts.values().all(|n| (20..=60).contains(n)), "{counts:?}");
    let advice = table.ask("mcts:3000", 1).unwrap();
    assert!(advice.is_mixed() && (advice.value - 0.5).abs() < 0.05, "{advice:?}");
}

/// Whoever wins whatever the others choose has nothing to mix, nor to share with what was only tried.
#[test]
fn what_wins_whatever_others_choose_is_certain() {
    let rules = written(
        "game \"Bids\" { players 2 to 3 }\n\
         each player { coins: 0..5 = 5 bid: 0..5 = 0 }\n\
         move pay(amount in 0..me.coins) { me.bid := amount }\n\
         play {\n\
           each p in players where p != seat(1) { p.coins := 3 }\n\
           together players { pay }\n\
         }\n\
         winner highest me.bid\n"
            .replace(" bid:", "\n bid:")
            .as_str(),
    );
    let wins = |advice: &Advice| advice.best.args == [Value::int(4)] || advice.best.args == [Value::int(5)];
    let advice = Table::new(&rules, &[], 2, 0).ask("mcts:4000", 1).unwrap();
    assert!(!advice.is_mixed() && advice.exact && advice.value == 1.0 && wins(&advice), "{advice:?}");
    // With more others not all that they choose together is met; what was only tried counts for nothing all the same.
    let advice = Table::new(&rules, &[], 3, 0).ask("mcts:4000", 1).unwrap();
    assert!(advice.value == 1.0 && wins(&advice), "{advice:?}");
    // Where it depends on the others, nothing is.
    let even = written(&rules.source.text.replace("3 }\n", "5 }\n"));
    let advice = Table::new(&even, &[], 2, 0).ask("mcts:4000", 1).unwrap();
    assert!(!advice.exact, "{advice:?}");
}

#[test]
fn chance_is_reckoned_with() {
    let rules = shipped("pig");
    // Nothing is risked by rolling at 0, and what wins is kept.
    let table = Table::new(&rules, &[("goal", "15")], 2, 1);
    assert_eq!(table.best("mcts:400", 1), "roll");
    let mut table = Table::new(&rules, &[("goal", "15")], 2, 1);
    let mut asked = 0;
    for _ in 0..40 {
        let Some(player) = table.played.to_move().first().copied() else { break };
        let (_, legal) = table.played.legal(player, 10).unwrap();
        let words: Vec<String> = legal.iter().map(|entry| table.played.entry_words(entry)).collect();
        let shows = table.played.show().unwrap();
        let (totals, turn) = shows.split_once(" + ").unwrap();
        let total: u64 = totals.split(',').nth(player - 1).unwrap().trim().parse().unwrap();
        if total + turn.parse::<u64>().unwrap() >= 15 && words.contains(&"hold".to_string()) {
            assert_eq!(table.best("mcts:200", 3), "hold", "{shows}");
            asked += 1;
        }
        let at = usize::from(words.len() > 1 && turn == "0");
        let roll = legal.iter().find(|entry| entry.name == "roll").unwrap_or(&legal[at.min(legal.len() - 1)]);
        table.played.make(roll).unwrap();
    }
    assert!(asked > 0);
}

#[test]
fn three_play_each_for_himself() {
    // Who takes the last one wins; with 3 left, player 1 can take them all, with 4 cannot, and player 2 can win.
    let rules = written(
        "game \"Last\" { players 2 or more }\n\
         option n: 1..20 = 3\n\
         table { left: 0..20 = n }\n\
         move take(k in 1..3) { need k <= left else \"too many\"\n left -= k }\n\
         play { turns { take\n win me when left = 0 } }\n",
    );
    for (n, value) in [("3", 1.0), ("4", 0.0), ("5", 0.0)] {
        let table = Table::new(&rules, &[("n", n)], 3, 0);
        for bot in ["mcts:2000", "exact"] {
            let advice = match table.ask(bot, 0) {
                Ok(advice) => advice,
                // Who loses anyway decides between the others: that is not to be known.
                Err(refused) if bot == "exact" => {
                    assert!(refused.message.contains("cannot be searched"), "{}", refused.message);
                    continue;
                }
                Err(refused) => panic!("{refused:?}"),
            };
            assert!((advice.value - value).abs() < 0.2 || n == "5", "{n} {bot} {advice:?}");
        }
    }
}

#[test]
fn what_goes_round_for_ever_is_worth_a_draw() {
    let rules = written(
        "game \"Round\" { players 2 }\n\
         table { at: 0..2 = 0 }\n\
         move step(by in 1..2) { at := (at + by) mod 3 }\n\
         move stop { need at > 0 else \"not here\" }\n\
         play { turns { step or stop\n win me when at = 5 } }\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let advice = table.ask("exact", 0).unwrap();
    assert!(advice.exact && advice.value == 0.5, "{advice:?}");
    assert!(!table.ask("mcts:2", 0).unwrap().exact);
}

#[test]
fn every_bot_plays_every_shipped_game() {
    for (name, _) in bundled() {
        let rules = shipped(&name);
        let players = rules.default_players();
        let table = Table::new(&rules, &[], players, 1);
        for bot in ["random", "easy", "mcts:3", "auto:3", "greedy"] {
            let most = if matches!(bot, "easy" | "greedy") { 3 } else { 25 };
            table.again(1).play_on(&[bot], most);
        }
    }
}

#[test]
fn hidden_moves_without_numbers_do_not_stop_a_search() {
    // Nothing bounds the money, so bids have no numbers; whoever bids more has it.
    let rules = written(
        "game \"Bids\" { players 2 }\n\
         each player {\n\
           money: 0 or more = 9\n\
           offer: 0 or more secret\n\
         }\n\
         move bid(amount in 0..me.money) { me.offer := amount }\n\
         play {\n\
           together players { bid }\n\
           reveal offer\n\
           each p in players { award p.offer to p }\n\
         }\n\
         winner highest score\n",
    );
    let table = Table::new(&rules, &[], 2, 1);
    let advice = table.ask("mcts:400", 1).unwrap();
    assert!(advice.value > 0.5, "{advice:?}");
    assert_eq!(advice.playouts, 400);
}

/// One of five boxes hides a coin: whoever seeks it finds it one time in five, and whoever would rather toss for the match than hide it
/// gives thirty matches of a hundred away.
#[test]
fn nobody_sees_what_another_has_chosen_in_secret() {
    let rules = written(
        r#"
game "Boxes Or Toss" { players 2 }
each player { spot: optional 1..5 = none secret }
secret move hide(x in 1..5) { me.spot := x }
move toss {
  chance side in 1..2
  if side = 1 { win seat(1) }
  win seat(2)
}
move open(x in 1..5) { if seat(1).spot = x { win me } }
play {
  ask seat(1) to hide or toss
  ask seat(2) to open
  win seat(1)
}
"#,
    );
    let table = Table::new(&rules, &[], 2, 0);
    for seed in 0..5 {
        let advice = table.ask("mcts:3000", seed).unwrap();
        assert!(table.best("mcts:3000", seed).starts_with("hide"), "{advice:?}");
        assert!((0.75..0.9).contains(&advice.value), "{}", advice.value);
    }
    let mut hidden = Table::new(&rules, &[], 2, 0);
    let (_, legal) = hidden.played.legal(1, 10).unwrap();
    let hide = legal.into_iter().find(|entry| hidden.played.entry_words(entry) == "hide 3");
    hidden.played.make(&hide.unwrap()).unwrap();
    let value = hidden.ask("mcts:3000", 1).unwrap().value;
    assert!((0.1..0.35).contains(&value), "{value}");
}

/// Six numbers are put behind one another, or left: the best is 987654 (by hand).
#[test]
fn who_plays_alone_plays_for_the_score() {
    let rules = written(
        r#"
game "Six Digits" { players 1 }
table {
  number: int = 0
  left: set of 1..9 = set(1..9)
  put: 0..6 = 0
}
move put(digit in left) {
  left -= digit
  number := 10 * number + digit
  put += 1
}
play { turns until put = 6 { put } }
score = number
winner highest score
"#,
    );
    for (bot, exact) in [("mcts:3000", false), ("exact", true)] {
        let mut table = Table::new(&rules, &[], 1, 3);
        let advice = table.ask(bot, 1).unwrap();
        assert_eq!((table.best(bot, 1).as_str(), advice.exact), ("put 9", exact));
        let score = advice.weighed().unwrap().score.unwrap();
        assert!(score > 900_000.0 && (!exact || score == 987_654.0), "{advice:?}");
        table.play_on(&[bot], 10);
        assert_eq!(table.played.scores().unwrap().unwrap()[0].to_string(), "987654", "{bot}");
    }
}

/// A heap whose size has no bound: its moves have no numbers, and are searched like others. Of nine, whoever leaves a multiple of
/// four wins (C. Bouton, 1902).
#[test]
fn moves_without_numbers_are_searched_to_the_end() {
    let rules = written(
        r#"
game "Heap" { players 2 }
table { heap: int = 9 }
move take(k in 1..heap) {
  need k <= 3 else "three at most"
  heap -= k
}
play { turns until heap = 0 { take } }
winner last mover
"#,
    );
    let table = Table::new(&rules, &[], 2, 0);
    for bot in ["exact", "hard", "mcts:500"] {
        let advice = table.ask(bot, 1).unwrap();
        assert_eq!((table.best(bot, 1).as_str(), advice.value, advice.exact), ("take 1", 1.0, true), "{bot}");
    }
}

#[test]
fn contests_are_counted_and_are_the_same_in_parts() {
    let rules = shipped("nim");
    let table = Table::new(&rules, &[("piles", "3,4,5")], 2, 0);
    let machine = rules.machine(&rules.read_options([("piles", "3,4,5")]).unwrap(), 2).unwrap();
    let bots = [Bot::named("auto:100").unwrap(), Bot::Random];
    let (mind, setup) = (&table.mind, &machine.setup);
    let contest = Contest { rules: &rules, setup, bots: &bots, mind, clock: &Still, seed: 3, max_moves: 100 };
    let whole = contest.play(0..6, true);
    // 3, 4, 5 is won by who begins, and who plays exactly does.
    assert_eq!((whole.tally.games, whole.tally.wins.as_slice()), (6, [6, 0].as_slice()));
    let (one, two) = (contest.play(0..2, true), contest.play(2..6, true));
    assert_eq!(whole.records, one.records + &two.records);
    for line in whole.records.lines() {
        let replayed = replay(rules.clone(), &Record::read(line).unwrap()).unwrap();
        assert!(replayed.broken.is_none() && replayed.played.over());
    }
    // A bot that cannot choose says why.
    let bots = [Bot::Exact, Bot::Exact];
    let table = Table::new(&shipped("pig"), &[], 2, 0);
    let machine = table.played.rules.machine(&BTreeMap::new(), 2).unwrap();
    let contest = Contest {
        rules: &table.played.rules,
        setup: &machine.setup,
        bots: &bots,
        mind: &table.mind,
        clock: &Still,
        seed: 0,
        max_moves: 9,
    };
    let (n, sentence) = contest.play(0..3, false).refused.unwrap();
    assert!(n == 0 && sentence.contains("cannot be searched to its end"), "{sentence}");
}

/// The shipped games with secrets, or with choices that are made together, small enough to be played to the end by every bot.
const SECRETIVE: &[(&str, &[(&str, &str)])] = &[
    ("bulls-and-cows", &[("size", "2"), ("rounds", "3")]),
    ("dividing-cards", &[("m", "5")]),
    ("goofspiel", &[("n", "4")]),
    ("numbers-to-number", &[("m", "3")]),
    ("numerical-card-game", &[("m", "4")]),
    ("transform", &[("n", "2"), ("limit", "2")]),
];

/// Whatever is changed that a seat cannot know, every bot chooses the same, and hint and analysis say the same, at every choice of a
/// match: the match is compared with what else it may have been for all that seat knows.
#[test]
fn what_a_seat_cannot_know_changes_nothing() {
    let secretive = bundled().into_iter().map(|(name, _)| name);
    let secretive = secretive.filter(|name| {
        let game = &shipped(name).game;
        !is_open(game) || game.choices.iter().any(|choice| choice.together)
    });
    let mut known: Vec<&str> = SECRETIVE.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    let mut all: Vec<String> = secretive.collect();
    all.sort_unstable();
    assert_eq!(all, known);
    let (mut compared, mut differ) = (0, 0);
    for (name, options) in SECRETIVE {
        let rules = shipped(name);
        let mut table = Table::new(&rules, options, rules.default_players(), 3);
        let mut memory = Memory::default();
        let mut rng = Rng::new(5);
        while let Some(player) = table.played.to_move().first().copied() {
            let seen = Seen::of(&table.played, player).unwrap();
            let mut record = table.played.record().unwrap();
            record.result = None;
            let was = record.moves.clone();
            // Another world than the true one, if there is any.
            let mut worlds = Worlds::new(&seen);
            for _ in 0..5 {
                let world = worlds.draw(&mut rng).unwrap_or_else(|| panic!("{name}: no world"));
                record.moves = world.entries.iter().map(|entry| table.played.entry_json(entry)).collect();
                if record.moves != was {
                    differ += 1;
                    break;
                }
            }
            let other = replay(rules.clone(), &record).unwrap();
            assert!(other.broken.is_none(), "{name}: {:?}", other.broken);
            let other = other.played;
            let place = format!("{name}, player {player} after {}", table.played.depth());
            for bot in ["random", "easy", "greedy", "mcts:9", "auto:9", "exact"] {
                let bot = Bot::named(bot).unwrap();
                let choose = |played: &Match| table.mind.choose(played, player, bot, &Still);
                assert_eq!(choose(&table.played), choose(&other), "{bot}: {place}");
            }
            // What is kept between choices changes none.
            let mcts = Bot::Mcts(Effort::Playouts(9));
            let kept = table.mind.answer(&mut memory, &table.played, player, mcts, &Still);
            let kept = kept.map(|answer| answer.entry);
            assert_eq!(kept, table.mind.choose(&table.played, player, mcts, &Still), "{place}");
            let said = [table.played.record().unwrap(), record].map(|record| told(&record, player));
            assert_eq!(said[0], said[1], "{place}");
            compared += 1;
            let drawn = table.played.random_move(player, &mut rng).unwrap();
            table.played.make(&drawn).unwrap();
        }
    }
    assert!(compared > 30 && differ > 15, "{compared} choices, {differ} with another world");
}

/// What hint and analysis say to a player in a match.
fn told(record: &Record, player: usize) -> [String; 2] {
    let disk = Shelves::default();
    disk.0.borrow_mut().files.insert("match.json".to_string(), record.json().to_string());
    let mut session = Session::new(Box::new(disk), 1, Style { colour: false, width: 80 });
    session.load_record("match.json", None).unwrap();
    // Where several choose together, those before this player have chosen.
    (1..player).for_each(|seat| drop(session.line(&format!(":seat {seat} random"))));
    [":hint", ":analyse"].map(|command| session.line(command).text)
}

/// A card that the other one has is not known: who bids must not bid as if it were.
#[test]
fn hidden_cards_are_imagined() {
    let rules = written(
        "game \"Guess\" { players 2 called hider, seeker }\n\
         table { where_it_is: 1..3 hidden }\n\
         each player { guess: 0..3 = 0 }\n\
         secret move hide(at in 1..3) { where_it_is := at }\n\
         move seek(at in 1..3) { me.guess := at }\n\
         play {\n\
           ask hider to hide\n\
           ask seeker to seek\n\
           win seeker when seeker.guess = where_it_is\n\
           win hider\n\
         }\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let mut right = 0;
    for n in 0..9 {
        let mut table = table.again(n);
        let (_, legal) = table.played.legal(1, 3).unwrap();
        table.played.make(&legal[n as usize % 3]).unwrap();
        let advice = table.ask("mcts:400", n).unwrap();
        assert!((0.1..0.7).contains(&advice.value) && !advice.exact, "{advice:?}");
        right += u64::from(
            table.played.entry_words(&rules.entry(1, &advice.best)) == format!("seek {}", n % 3 + 1),
        );
    }
    assert!(right < 9);
}

#[test]
fn what_several_trees_know_is_added_up() {
    let rules = Rules::load(bundled_source("tic-tac-toe").unwrap()).unwrap();
    let machine = rules.machine(&Default::default(), 2).unwrap();
    let start = machine.start().unwrap();
    let grown = |seed: u64, playouts: u64| {
        let mut search = Search::new(&machine, 0, true, false);
        search.run(&mut |_| Some(start.clone()), &mut Rng::new(seed), &|done| done < playouts);
        search
    };
    let visits = |search: &Search<Machine>| {
        let advice = search.advice(&mut Rng::new(0)).unwrap().unwrap();
        let mut visits: Vec<_> =
            advice.moves.iter().map(|weighed| (weighed.chosen.args.clone(), weighed.visits)).collect();
        visits.sort();
        visits
    };
    let (mut one, other) = (grown(1, 300), grown(2, 200));
    let (first, second) = (visits(&one), visits(&other));
    one.join(&other.grown());
    assert_eq!(one.playouts(), 500);
    let sums = first.iter().zip(&second).map(|((args, a), (same, b))| {
        assert_eq!(args, same);
        (args.clone(), a + b)
    });
    assert_eq!(visits(&one), sums.collect::<Vec<_>>());
    // A tree that has not begun learns all from the other.
    let mut late = grown(3, 1);
    late.join(&grown(2, 200).grown());
    assert!(
        visits(&late).iter().all(|(args, n)| second.iter().any(|(same, all)| same == args && *n <= all + 1))
    );
}
