//! Estimates of bots are compared with exact values: worked out to the end where chance draws, and by hand where cards are
//! hidden.

use parlour::bots::{Advice, Bot, StoppedClock};
use parlour::eval::Chosen;
use parlour::num::Rng;
use parlour::play::Viewer;

use crate::table::{Table, written};

/// Two dice, two rerolls of any of them; the greater product wins.
const PRODUCTS: &str = "game \"Products\" { players 2 }\n\
    table {\n dice: list of exactly 2 of 1..6 = [1, 1]\n rolled: 0..2 = 0 each turn\n }\n\
    each player { got: 0..36 = 0 }\n\
    move reroll(which in subsets(1..2)) {\n\
      need size(which) >= 1 else \"at least one\"\n need rolled < 2 else \"twice\"\n\
      each k in which {\n chance die in 1..6\n dice[k] := die\n }\n\
      rolled += 1\n again\n\
    }\n\
    move keep { me.got := product(dice) }\n\
    play { turns as turn {\n each k in 1..2 {\n chance die in 1..6\n dice[k] := die\n }\n reroll or keep\n } until turn = 2 }\n\
    winner highest me.got\n";

/// Roll and add, or stop; beyond 10 nothing counts.
const TEN: &str = "game \"Ten\" { players 2 }\n\
    each player { sum: 0..30 = 0 }\n\
    move roll {\n chance die in 1..6\n me.sum += die\n if me.sum > 10 { me.sum := 0 } else { again }\n }\n\
    move stop { }\n\
    play { each p in players { ask p to roll or stop } }\n\
    winner highest me.sum\n";

/// A die says how many may be taken at most; who takes the last wins.
const HEAP: &str = "game \"Heap\" { players 2 }\n\
    table {\n heap: 0..20 = 14\n most: 1..4 = 1\n }\n\
    move take(n in 1..4) {\n need n <= most else \"too many\"\n need n <= heap else \"too many\"\n heap -= n\n }\n\
    play { turns until heap = 0 {\n chance die in 1..4\n most := die\n take\n } }\n\
    winner last mover\n";

/// Walk with one of two dice, or with both and lose the next turn.
const RACE: &str = "game \"Race\" { players 2 }\n\
    table {\n a: 1..4 = 1\n b: 1..4 = 1\n }\n\
    each player {\n at: 0..30 = 0\n tired: yes or no = no\n }\n\
    move first { me.at += a }\n move second { me.at += b }\n move both {\n me.at += a + b\n me.tired := yes\n }\n\
    play { turns until some(p in players: p.at >= 12) {\n\
      if me.tired { me.tired := no } else {\n\
        chance x in 1..4\n a := x\n chance y in 1..4\n b := y\n first or second or both\n }\n\
    } }\n\
    winner highest me.at\n";

/// Take the number that was drawn, or leave it to the other, twice each.
const TAKE: &str = "game \"Take It\" { players 2 }\n\
    table { n: 1..9 = 1 }\n\
    each player {\n got: 0..99 = 0\n left: 0..2 = 2\n }\n\
    move take { me.got += n }\n\
    move leave {\n need me.left > 0 else \"no more\"\n me.left -= 1\n seat(3 - me.number).got += n\n }\n\
    play { repeat 3 { turns as turn {\n chance x in 1..9\n n := x\n take or leave\n } until turn = 2 } }\n\
    score = me.got\n winner highest score\n";

/// Three dice, two boxes for fours and for three of a kind, two rerolls.
const BOXES: &str = "game \"Boxes\" { players 2 }\n\
    table {\n dice: list of exactly 3 of 1..4 = [1, 4, 4]\n rolled: 0..2 = 0 each turn\n }\n\
    each player { sheet: list of exactly 2 of optional 0..20 = 2 copies of none }\n\
    define worth(box) = if box = 1 then 4 * count(d in dice: d = 4) else if dice[1] = dice[3] then 20 else 0\n\
    move reroll(which in subsets(1..3)) {\n\
      need size(which) >= 1 else \"at least one\"\n need rolled < 2 else \"twice\"\n\
      each k in which {\n chance die in 1..4\n dice[k] := die\n }\n\
      dice := sorted(dice)\n rolled += 1\n again\n\
    }\n\
    move write(box in 1..2) {\n need me.sheet[box] is none else \"full\"\n me.sheet[box] := worth(box)\n }\n\
    play { repeat 2 as round { turns as turn {\n\
      if round + turn > 2 {\n each k in 1..3 {\n chance die in 1..4\n dice[k] := die\n }\n dice := sorted(dice)\n }\n\
      reroll or write\n\
    } until turn = 2 } }\n\
    score = sum(k in 1..2: if me.sheet[k] is none then 0 else me.sheet[k])\n\
    winner highest score\n";

fn worth(advice: &Advice, chosen: &Chosen) -> f64 {
    advice.moves.iter().find(|weighed| weighed.chosen == *chosen).unwrap().value
}

/// By how much the estimate of a search at most differs from the exact value, and how much its moves lose at most, in the first
/// positions of some matches.
fn errors(text: &str, bot: &str, matches: u64) -> (f64, f64) {
    let table = Table::new(&written(text), &[], 2, 0);
    let (mut error, mut loss) = (0.0_f64, 0.0_f64);
    for seed in 1..=matches {
        let table = table.again(seed);
        let exact = table.ask("exact", 0).unwrap();
        let bot = Bot::parse(bot).unwrap();
        let found =
            table.mind.advise_person(&table.played, 1, bot, &StoppedClock, &mut Rng::new(seed)).unwrap();
        assert!(exact.exact);
        error = error.max((found.value - worth(&exact, &found.best)).abs());
        loss = loss.max(exact.value - worth(&exact, &found.best));
    }
    (error, loss)
}

#[test]
fn estimates_come_close_to_exact_values_where_chance_draws() {
    let games = [(TEN, 0.01), (HEAP, 0.01), (RACE, 0.02), (TAKE, 0.03), (PRODUCTS, 0.03), (BOXES, 0.05)];
    let found = games.map(|(text, within)| (errors(text, "mcts:10000", 3), within, text));
    for ((error, loss), within, text) in found {
        println!("{error:.3} {loss:.3} {}", text.lines().next().unwrap_or_default());
        assert!(error <= within && loss <= 0.03, "{error}, {loss}: {text}");
    }
}

/// Who rolls a die again that is worth nothing can still write what it could write before.
#[test]
fn a_roll_that_risks_nothing_is_preferred() {
    let table = Table::new(&written(BOXES), &[], 2, 0);
    for seed in 0..3 {
        assert_eq!(table.best("mcts:2000", seed), "reroll 1");
    }
}

/// A card each of six; the higher one wins. All worlds are listed, so that the only error is that of the playouts.
const OWN_CARD: &str = "game \"Own Card\" { players 2 }\n\
    table { deck: set of 1..6 = set(1..6) hidden }\n\
    each player {\n card: list of 1..6 = [] secret\n folded: yes or no = no\n }\n\
    move stay { }\n move fold { me.folded := yes }\n\
    play {\n each p in players { deal 1 from deck to p.card }\n ask seat(1) to stay or fold\n reveal card\n }\n\
    winner highest if me.folded then -1 else sum(me.card)\n";

/// The same, after choices of both that change nothing.
const LATER: &str = "game \"Later\" { players 2 }\n\
    table { deck: set of 1..6 = set(1..6) hidden\n gave_up: yes or no = no }\n\
    each player { card: list of 1..6 = [] secret }\n\
    move left { }\n move right { }\n move stay { }\n move give_up { gave_up := yes }\n move look(k in 1..3) { }\n\
    play {\n each p in players { deal 1 from deck to p.card }\n\
      ask seat(1) to left or right\n ask seat(2) to look\n ask seat(1) to stay or give_up\n reveal card\n }\n\
    winner highest if me.number = 1 and gave_up then -1 else sum(me.card)\n";

/// Player 1 may take another card; player 2 may only give up.
const SWAP: &str = "game \"Swap\" { players 2 }\n\
    table { deck: set of 1..7 = set(1..7) hidden }\n\
    each player {\n card: list of 1..7 = [] secret\n folded: yes or no = no\n }\n\
    move keep { }\n move swap {\n me.card := []\n deal 1 from deck to me.card\n }\n move stay { }\n move fold { me.folded := yes }\n\
    play {\n each p in players { deal 1 from deck to p.card }\n\
      ask seat(1) to keep or swap\n ask seat(2) to stay or fold\n reveal card\n }\n\
    winner highest if me.folded then -1 else sum(me.card)\n";

/// One round of betting for points. The highest card cannot lose; with others it depends on how often both bluff.
const BET: &str = "game \"Bet\" { players 2 }\n\
    table { deck: set of 1..6 = set(1..6) hidden\n bet: 1..3 = 1 }\n\
    each player {\n card: list of 1..6 = [] secret\n folded: yes or no = no\n won: -3..3 = 0\n }\n\
    move check { }\n move raise(by in 1..2) { bet += by }\n move call { }\n move fold { me.folded := yes }\n\
    play {\n each p in players { deal 1 from deck to p.card }\n\
      ask seat(1) to check or raise\n ask seat(2) to call or fold\n reveal card\n\
      each p in players { p.won := if p.folded or not seat(3 - p.number).folded and sum(p.card) < sum(seat(3 - p.number).card) then -bet else bet }\n }\n\
    score = me.won\n winner highest score\n";

/// The share of the win of who keeps a card of seven, or takes another one where that is better.
fn with_a_swap(card: usize) -> f64 {
    let others = || (1..=7).filter(move |other| *other != card);
    let keep = others().filter(|other| *other < card).count() as f64 / 6.0;
    let pairs = || {
        others().flat_map(|mine| others().filter(move |other| *other != mine).map(move |other| mine > other))
    };
    let swap = pairs().filter(|wins| *wins).count() as f64 / pairs().count() as f64;
    keep.max(swap)
}

/// What a card is worth, where that is known.
type Worth<'w> = &'w dyn Fn(usize) -> Option<f64>;

/// The card that player 1 was dealt; 0 for none.
fn own_card(table: &Table) -> usize {
    let view = table.played.view(Viewer::Player(1)).unwrap();
    view["players"][0]["card"][0].as_u64().unwrap_or(0) as usize
}

/// A search finds what a card is worth by its playouts alone.
#[test]
fn what_is_hidden_counts_as_often_as_it_is_likely() {
    let table = Table::new(&written(OWN_CARD), &[], 2, 0);
    for seed in 0..6 {
        let table = table.again(seed);
        let (card, advice) = (own_card(&table), table.ask("mcts:10000", seed).unwrap());
        assert!((advice.value - (card as f64 - 1.0) / 5.0).abs() < 0.02, "{card}: {advice:?}");
    }
}

/// What the others would say, who do not know the card, does not draw its value toward the mean.
#[test]
fn what_the_others_do_not_know_does_not_change_what_a_card_is_worth() {
    let of_six = |card: usize| Some((card as f64 - 1.0) / 5.0);
    let games: [(&str, Worth, f64); 4] = [
        (OWN_CARD, &of_six, 0.02),
        (LATER, &of_six, 0.06),
        (SWAP, &|card| Some(with_a_swap(card)), 0.06),
        (BET, &|card| (card == 6).then_some(1.0), 0.04),
    ];
    for (text, exact, within) in games {
        let table = Table::new(&written(text), &[], 2, 0);
        let bot = Bot::parse("mcts:10000").unwrap();
        for seed in 0..8 {
            let Table { played, mind } = &table.again(seed);
            let advice = mind.advise_person(played, 1, bot, &StoppedClock, &mut Rng::new(seed)).unwrap();
            let (card, title) = (own_card(&table.again(seed)), text.lines().next().unwrap());
            let Some(exact) = exact(card) else { continue };
            let error = advice.value - exact;
            println!("{error:.3} {card} {title}");
            assert!(error.abs() <= within, "{error}, card {card}: {title}");
        }
    }
}
