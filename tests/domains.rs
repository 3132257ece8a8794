//! Domains with a condition: counting, listing, ranking and drawing must agree with a plain search.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use parlour::diag::Code;
use parlour::engine::Engine;
use parlour::eval::{Chosen, Dom, Machine, Position, Waiting, table};
use parlour::ir::Value;
use parlour::num::{Int, Rng};
use parlour::play::Rules;
use parlour::source::Source;

/// Returns a game whose move `m` has the declared parameters and needs. `all` holds further declarations.
fn game(declared: &str, needs: &str, all: &str) -> String {
    format!(
        "game \"Domains\" {{ players 3 }}\n\
         option t: -100..100000 = 6\n\
         {all}\n\
         each player {{ coins: int = 2 }}\n\
         define total(list) = sum(list)\n\
         define small(x) = x < 3\n\
         move m({declared}) {{ {needs}\n}}\n\
         move pass {{ }}\n\
         play {{ each p in players {{ ask p to m else pass }} }}\n\
         winner last mover\n"
    )
}

fn machine(text: &str) -> Machine {
    let rules =
        Rules::load(Source::new("domains.game", text)).unwrap_or_else(|found| panic!("{text}\n{found:#?}"));
    rules.machine(&BTreeMap::new(), 3).unwrap()
}

/// Returns the legal moves of the first seat other than `pass`, in order, up to a limit.
fn legal(machine: &Machine, position: &Position, limit: usize) -> Vec<Chosen> {
    let Waiting::Choice { choice, .. } = position.waiting else { panic!("nobody is to choose") };
    let choice = &machine.game.choices[choice];
    let mut all = Vec::new();
    machine
        .ask(position, |env| {
            env.each_legal(choice, 0, false, &mut |chosen| {
                all.push(chosen);
                if all.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        })
        .unwrap();
    all.retain(|chosen| machine.game.moves[chosen.mv].name == "m");
    all
}

/// A table of rows must have the rows of its domain, rank by rank.
#[test]
fn tables_have_the_rows_of_their_domains() {
    let word = |value: &Value| if let Value::Int(n) = value { n.as_i64() } else { None };
    let of = [
        "lists(3, 1..4) where sum(row) = t",
        "lists(0..3, 1..3) where product(row) divides t",
        "arrangements(3, 1..5) where row[1] < row[3]",
        "permutations([1, 2, 2, 3]) where row[2] != 2",
        "subsets(1..6) where sum(row) <= t",
        "subsets(3, 1..6) where sum(row) mod 3 = 0",
        "lists(2, 1..4) where sum(row) > 20",
        "lists(3, 1..3) where some(i in 1..3, j in 1..3: i < j and row[i] + row[j] = t)",
    ];
    let mut counted = 0;
    for domain in of {
        let machine = self::machine(
            &game("x in 1..2", "", "").replace("play {", &format!("play {{ chance row in {domain}\n")),
        );
        let position = machine.start().unwrap();
        let Ok(dom) = machine.outcomes(&position) else { continue };
        let table = match &dom {
            Dom::Counted(rows) => rows.table(&word).unwrap(),
            Dom::Items(rows) => table::listed(rows, &word).unwrap(),
            other => panic!("{domain}: {other:?}"),
        };
        let count = dom.count(Default::default()).unwrap().unwrap().as_i64().unwrap();
        assert_eq!(table::count(&table), count, "{domain}");
        let mut row = Vec::new();
        for rank in 0..count {
            table::at(&table, rank, &mut row);
            assert!(row.len() as i64 <= table::longest(&table));
            let words: Vec<i64> =
                parlour::eval::elements(&dom.at(&Int::from(rank))).iter().filter_map(word).collect();
            assert_eq!(row, words, "{domain}, rank {rank}");
        }
        counted += 1;
    }
    assert_eq!(counted, of.len() - 1);
}

fn count(machine: &Machine, position: &Position) -> Int {
    let Waiting::Choice { choice, .. } = position.waiting else { panic!("nobody is to choose") };
    machine.ask(position, |env| env.count_legal(&machine.game.choices[choice], 0, false)).unwrap().unwrap()
}

/// Returns the move drawn when the random source returns `number`, and the bound that it was called with.
fn drawn(machine: &Machine, position: &Position, number: &Int) -> (Chosen, Int) {
    let mut of = Int::ZERO;
    let Waiting::Choice { choice, .. } = position.waiting else { panic!("nobody is to choose") };
    let choice = &machine.game.choices[choice];
    let chosen = machine
        .ask(position, |env| {
            env.draw_legal(choice, 0, &mut |n| {
                of = n.clone();
                number.clone()
            })
        })
        .unwrap();
    (chosen.unwrap(), of)
}

/// Conditions on a row of numbers. With each of them, rows must be counted without being enumerated.
const CONDITIONS: &[&str] = &[
    "sum(row) = t",
    "total(row) <= t",
    "t >= sum(row) and size(row) > 1",
    "product(row) = t",
    "product(row) divides 12 and row[1] != 1",
    "sum(x in row: x ^ 2) = 2 * t",
    "sum(x in row where odd(x): x) < t - 2",
    "count(x in row: small(x)) = 2",
    "all(x in row: x != 2) or sum(row) > 8",
    "not some(x in row: x = 1)",
    "largest(row) - smallest(row) = 2",
    "distinct(row)",
    "sorted(row) = row",
    "all(k in 1..size(row) - 1: row[k] < row[k + 1])",
    "all(k in 1..size(row) - 1: abs(row[k] - row[k + 1]) > 1) and row[1] < last(row)",
    "sum(k in 1..size(row): k * row[k]) mod 5 = 0",
    "all(k in 2..3: row[k] >= row[k - 1])",
    "sum(p in players: row[p.number] * p.coins) = t + 4",
    "all(p in players where p != me: row[p.number] <= p.coins)",
    "xor(x in row: x) = 3",
    "gcd(x in row: x) = 1",
    "3 in row and copies(2, row) < 2",
    "first(row) = last(row)",
    "size([x in row where x > 1]) = 1",
    "sum(row) is prime and not product(row) is square",
    "2 <= sum(row) < t",
    "sum(row) in 3..5",
    "product(row) > t and product(row) <= 3 * t",
    "sum(row) mod 3 = product(row) mod 4",
    "sum(row) mod 2 = 1 and sum(row) > t",
    "sum(x in row: x - 3) mod 4 < 2",
    "product(row) mod (t - 1) = 0",
];

#[test]
fn what_is_found_by_counting_is_what_is_found_by_going_through_all() {
    let domains =
        ["lists(3, 1..4)", "lists(3..4, 0..3)", "arrangements(3, 1..5)", "permutations([1, 2, 2, 3, 4])"];
    let mut rng = Rng::new(14);
    let mut pick = || CONDITIONS[rng.below(&Int::from(CONDITIONS.len())).as_usize().unwrap()];
    for (round, a) in CONDITIONS.iter().enumerate() {
        let b = pick();
        let condition = if round % 3 == 0 { format!("({a}) and ({b})") } else { a.to_string() };
        for domain in domains {
            // `me` is nobody outside a move, so the plain search is a need; over few rows it is not sped up.
            let plain =
                machine(&game(&format!("row in {domain}"), &format!("need {condition} else \"no\""), ""));
            let fast = machine(&game(&format!("row in {domain} where {condition}"), "", ""));
            let what = format!("{domain} where {condition}");
            compare(&what, &plain, &fast);
        }
    }
}

#[test]
fn all_of_these_conditions_are_gathered() {
    for condition in CONDITIONS {
        let text = game(&format!("row in lists(40, 0..9) where {condition}"), "", "");
        let rules = Rules::load(Source::new("domains.game", &text)).unwrap();
        assert!(!rules.warnings.iter().any(|found| found.code == Code::SlowChoice), "{condition}");
    }
    let text = game("row in lists(40, 0..9) where palindrome(row)", "", "");
    let rules = Rules::load(Source::new("domains.game", &text)).unwrap();
    assert!(rules.warnings.iter().any(|found| found.code == Code::SlowChoice));
}

#[test]
fn sets_and_tuples_are_counted_too() {
    for (domain, condition) in [
        ("subsets(1..7)", "sum(row) = 12"),
        ("subsets(1..7)", "count(x in row: odd(x)) = 2 and size(row) > 2"),
        ("subsets(3, 1..8)", "product(row) mod 4 = 0"),
        ("subsets(9, 1..8)", "sum(row) = 3"),
        ("subsets({})", "size(row) = 0"),
        ("subsets(0, 1..3)", "sum(row) = 0"),
        ("lists(2..3, every hue)", "row[1] != row[2] and count(x in row: x = red) = 1"),
        ("arrangements(2, every hue)", "not blue in row"),
    ] {
        let kind = "kind hue: red, green, blue";
        let plain =
            machine(&game(&format!("row in {domain}"), &format!("need {condition} else \"no\""), kind));
        let fast = machine(&game(&format!("row in {domain} where {condition}"), "", kind));
        compare(&format!("{domain} where {condition}"), &plain, &fast);
    }
}

fn compare(what: &str, plain: &Machine, fast: &Machine) {
    let (before, start) = (plain.start().unwrap(), fast.start().unwrap());
    let args = |all: Vec<Chosen>| all.into_iter().map(|chosen| chosen.args).collect::<Vec<Vec<Value>>>();
    let (expected, found) = (legal(plain, &before, usize::MAX), legal(fast, &start, usize::MAX));
    assert_eq!(args(found.clone()), args(expected.clone()), "{what}");
    if expected.is_empty() {
        return;
    }
    assert_eq!(count(fast, &start), Int::from(expected.len()), "{what}");
    for (rank, chosen) in found.iter().enumerate() {
        // Each random number draws another move, so all moves are equally likely.
        let (one, of) = drawn(fast, &start, &Int::from(rank));
        assert_eq!((&one, of), (chosen, Int::from(found.len())), "{what}");
    }
}

#[test]
fn needs_are_as_fast_as_conditions() {
    // There are C(111, 11) ways to share out a hundred among twelve.
    let all = "473239787751081";
    for (declared, needs) in [
        ("row in lists(12, 0..100) where sum(row) = 100", ""),
        ("row in lists(12, 0..100)", "let spent = total(row)\n  need spent = 100 else \"{spent}\""),
        (
            "row in lists(12, 0..100)",
            "need size(row) = 12 and not total(row) != 100 else \"no\"\n  need me.coins = 2 else \"no\"",
        ),
        (
            "row in lists(12, 0..100)",
            "need sum([x in row: x]) >= 100 else \"less\"\n  need sum(x in row: x) <= 100 else \"more\"",
        ),
    ] {
        let machine = self::machine(&game(declared, needs, ""));
        let start = machine.start().unwrap();
        if !needs.contains(" not ") {
            assert_eq!(count(&machine, &start).to_string(), all, "{declared} {needs}");
        }
        let first = legal(&machine, &start, 2);
        let row = |last: [i64; 2]| Value::list([0; 10].into_iter().chain(last).map(Value::int).collect());
        assert_eq!(first[0].args, [row([0, 100])], "{declared} {needs}");
        assert_eq!(first[1].args, [row([1, 99])], "{declared} {needs}");
        let mut rng = Rng::new(5);
        let chosen = machine.draw_legal(&start, 0, &mut rng).unwrap().unwrap();
        assert!(matches!(&chosen.args[0], Value::List(items) if items.len() == 12), "{declared} {needs}");
    }
}

/// Returns the number of values of a domain.
fn size(domain: &str) -> Int {
    let machine = machine(&game(&format!("row in {domain}"), "", ""));
    count(&machine, &machine.start().unwrap())
}

#[test]
fn counts_are_those_that_are_published() {
    // A074206: ordered factorisations of n into factors of at least 2, including n itself.
    let published = [1, 1, 2, 1, 3, 1, 4, 2, 3, 1, 8, 1, 3, 3, 8, 1, 8, 1, 8, 3, 3, 1, 20];
    for (n, expected) in (2i64..).zip(published) {
        let found = size(&format!("lists(1 or more, 2..{n}) where product(row) = {n}"));
        assert_eq!(found, Int::from(expected), "{n}");
    }
    assert_eq!(size("lists(1 or more, 2..1000000) where product(row) = 1000000"), Int::from(287_648), "10^6");
    // Compositions of n: 2^(n - 1); into k parts: C(n - 1, k - 1). Partitions: A000041.
    assert_eq!(size("lists(1 or more, 1..30) where sum(row) = 30"), Int::from(1i64 << 29));
    assert_eq!(size("lists(4, 1..20) where sum(row) = 20"), Int::from(969));
    assert_eq!(size("lists(1 or more, 1..20) where sum(row) = 20 and sorted(row) = row"), Int::from(627));
    // Derangements of eight: A000166. Permutations of six in which no k is followed by k + 1: A000255.
    assert_eq!(size("permutations(1..8) where all(k in 1..8: row[k] != k)"), Int::from(14_833));
    assert_eq!(size("permutations(1..6) where not some(k in 1..5: row[k + 1] = row[k] + 1)"), Int::from(309));
    // Alternating permutations of nine: A000111.
    let zigzag = "permutations(1..9) where all(k in 1..8: if odd(k) then row[k] < row[k + 1] else row[k] > row[k + 1])";
    assert_eq!(size(zigzag), Int::from(7_936));
    // Subsets of the first twenty numbers with the sum 105, the middle coefficient of (1 + x)(1 + x^2)…(1 +
    // x^20): A025591.
    assert_eq!(size("subsets(1..20) where sum(row) = 105"), Int::from(15_272));
    // Sets of residues other than 0 of the prime 41 with the product 1: as many as sets of residues of 40 with the sum 0,
    // A063776: the sum of φ(d) 2^(40 / d) over the odd divisors d of 40, divided by 40.
    let expected = ((1i64 << 40) + 4 * (1 << 8)) / 40;
    assert_eq!(size("subsets(1..40) where product(row) mod 41 = 1"), Int::from(expected));
}

#[test]
fn every_rank_of_a_large_domain_is_another_row() {
    let machine = machine(&game("row in lists(2..40, 1..9) where sum(row) = 60 and row[1] != 3", "", ""));
    let start = machine.start().unwrap();
    let all = count(&machine, &start);
    let mut rng = Rng::new(3);
    let mut seen = BTreeSet::new();
    for _ in 0..200 {
        let rank = rng.below(&all);
        let (chosen, of) = drawn(&machine, &start, &rank);
        assert_eq!(of, all);
        let Value::List(items) = &chosen.args[0] else { panic!("no list") };
        let sum: i64 =
            items.iter().map(|item| if let Value::Int(n) = item { n.as_i64().unwrap() } else { 0 }).sum();
        assert_eq!(sum, 60);
        assert_ne!(items[0], Value::int(3));
        seen.insert((rank, chosen.args));
    }
    assert_eq!(seen.iter().map(|(_, args)| args).collect::<BTreeSet<_>>().len(), seen.len());
    assert!(seen.iter().is_sorted_by(|a, b| a.1 < b.1), "ranks go up as rows do");
}

#[test]
fn a_condition_that_cannot_be_gathered_filters_what_the_rest_leaves() {
    let machine = machine(&game("row in lists(6, 0..9) where palindrome(row) and sum(row) = 6", "", ""));
    let start = machine.start().unwrap();
    // Half of a palindrome determines it: three digits with the sum 3.
    assert_eq!(count(&machine, &start), Int::from(10));
    let mut rng = Rng::new(1);
    let chosen = machine.draw_legal(&start, 0, &mut rng).unwrap().unwrap();
    assert!(legal(&machine, &start, usize::MAX).contains(&chosen));
}

/// There is no place 0, so that the product bounds no lists there; a draw must not take one without elements.
#[test]
fn nothing_is_drawn_where_a_condition_cannot_be_evaluated() {
    let row = "table { row: list of 1..99 = [12] }";
    let found = |first: usize| {
        let declared =
            format!("at in {first}..1, factors in lists(2 or more, 2..t) where product(factors) = row[at]");
        let machine = machine(&game(&declared, "", row));
        let position = machine.start().unwrap();
        let Waiting::Choice { choice, .. } = position.waiting else { panic!("nobody is to choose") };
        let choice = &machine.game.choices[choice];
        machine.ask(&position, |env| env.draw_legal(choice, 0, &mut |_| Int::ZERO))
    };
    // 2 · 2 · 3, with no factor above 6.
    let drawn = found(1).unwrap().expect("a move");
    assert_eq!(drawn.args.len(), 2);
    assert_eq!(found(0).unwrap_err().code, Code::BadArgument);
}

#[test]
fn a_domain_may_use_a_parameter_before_it() {
    let board = "table { squares: list of 0..99 = [0, 12, 7] }";
    let declared = "at in 1..3 where squares[at] != 0, d in divisors(squares[at]) where d > 1";
    let machine = machine(&game(declared, "need d != 6 else \"not six\"", board));
    let start = machine.start().unwrap();
    let found: Vec<(i64, i64)> = legal(&machine, &start, usize::MAX)
        .into_iter()
        .map(|chosen| match chosen.args.as_slice() {
            [Value::Int(at), Value::Int(d)] => (at.as_i64().unwrap(), d.as_i64().unwrap()),
            _ => panic!("no numbers"),
        })
        .collect();
    assert_eq!(found, [(2, 2), (2, 3), (2, 4), (2, 12), (3, 7)]);
    assert_eq!(count(&machine, &start), Int::from(5));
}

#[test]
fn what_bots_draw_from_is_among_what_is_legal() {
    let declared = "row in lists(1..9, 0..9) where sum(row) = 5 try lists(2..3, 0..5)";
    let machine = machine(&game(declared, "", ""));
    let start = machine.start().unwrap();
    for seed in 0..50 {
        let chosen = machine.draw_legal(&start, 0, &mut Rng::new(seed)).unwrap().unwrap();
        let Value::List(items) = &chosen.args[0] else { panic!("no list") };
        assert!((2..=3).contains(&items.len()));
    }
    let long = Value::list([1, 1, 1, 1, 1].map(Value::int).to_vec());
    assert!(machine.judge(&start, 0, 0, &[long]).unwrap().is_ok());
    // Part of the window lies outside the domain.
    let machine = self::machine(&game("k in 1..9 try 8..20", "", ""));
    let start = machine.start().unwrap();
    let drawn = |seed| machine.draw_legal(&start, 0, &mut Rng::new(seed)).unwrap().unwrap().args.remove(0);
    assert_eq!((0..30).map(drawn).collect::<BTreeSet<Value>>(), BTreeSet::from([8, 9].map(Value::int)));
}

#[test]
fn chance_draws_from_what_fulfils_a_condition() {
    let text = "game \"Chance\" { players 2 }\ntable { got: list of int = [] }\n\
                play {\n  chance row in lists(10, 0..50) where sum(row) = 50\n  got := row\n}\nwinner last mover\n";
    let machine =
        Rules::load(Source::new("chance.game", text)).unwrap().machine(&BTreeMap::new(), 2).unwrap();
    let start = machine.start().unwrap();
    let outcomes = machine.outcomes(&start).unwrap();
    assert_eq!(outcomes.count(Default::default()).unwrap().unwrap().to_string(), "12565671261"); // C(59, 9)
    let Dom::Counted(rows) = &outcomes else { panic!("they are counted") };
    let middle = Int::from(6_000_000_000i64);
    assert_eq!(rows.rank(&rows.at(&middle)), Some(middle));
}

/// Ways to tie rows to other parameters: the declared parameters, and the needs.
const TIES: &[(&str, &str)] = &[
    ("at in 1..3, row in lists(4, 0..3) where WHOLE", "need sum(row) = goals[at] else \"no\""),
    ("at in 1..3, row in lists(0..4, 0..3) where WHOLE", "need fits(row, goals[at]) else \"no\""),
    ("row in lists(4, 0..3) where WHOLE, price in {3, 7, 11, 40}", "need sum(row) = price else \"{price}\""),
    ("row in lists(4, 0..3) where WHOLE, at in 1..3", "need fits(row, goals[at]) and at != 2 else \"no\""),
    (
        "row in lists(4, 0..3) where WHOLE, at in 1..3",
        "let goal = goals[at]\n  need me.coins = 2 and goal = sum(row) else \"no\"",
    ),
    (
        "row in lists(4, 0..3) where WHOLE, at in 1..3",
        "let spent = total(row)\n  let (a, b) = (spent, goals[at])\n  need not a != b else \"no\"\n  need row[1] <= row[2] else \"no\"",
    ),
    ("k in 0..4, row in lists(4, 0..3) where WHOLE", "need count(x in row: x > k) = 1 else \"no\""),
    (
        "k in 0..2, row in lists(4, 0..3) where WHOLE",
        "need all(j in 1..3: abs(row[j] - row[j + 1]) = k) else \"no\"",
    ),
    ("k in 1..5, row in permutations(1..5) where WHOLE", "need row[k] = 5 and row[1] = k else \"no\""),
    (
        "row in permutations(1..5) where WHOLE, k in 1..9",
        "need row[1] + last(row) = k else \"no\"\n  need k != 5 else \"five\"",
    ),
    ("row in permutations(1..4) where WHOLE, k in 1..4", "need row[k] = k else \"no\""),
    ("a in subsets(1..3), row in subsets(1..7) where WHOLE", "need sum(row) = 3 * sum(a) else \"no\""),
    ("row in subsets(1..6) where WHOLE, a in subsets(1..3)", "need sum(a) = sum(row) else \"no\""),
    (
        "row in subsets(1..6) where WHOLE, a in lists(1..3, 1..4) where sum(a) > 2",
        "need sum(a) = sum(row) else \"no\"\n  need 2 in row and not 3 in a else \"no\"",
    ),
    (
        "row in subsets(3, 1..7) where WHOLE, far in [no, yes], k in 1..5",
        "need if far then sum(row) > 11 + k else sum(row) = 6 + k else \"no\"",
    ),
    (
        "at in 1..3, row in lists(4, 0..3) where WHOLE, price in 1..30",
        "need sum(row) = goals[at] else \"no\"\n  need price * 2 = product(x in row: x + 1) else \"no\"",
    ),
    (
        "row in lists(4, 0..3) where WHOLE, a in 1..4, b in 1..4",
        "need a * b = sum(row) else \"no\"\n  need a < b else \"no\"",
    ),
    (
        "row in lists(4, 0..3) where WHOLE, a in 1..3, b in divisors(goals[a])",
        "need b = sum(row) else \"no\"",
    ),
    ("row in lists(4, 0..3) where WHOLE, a in 1..3, b in 1..sum(row)", "need b = goals[a] else \"no\""),
    (
        "row in lists(4, 0..3) where sum(row) < 7 and WHOLE, price in 1..10 where price * price < 9 * t",
        "need price divides sum(row) and sum(row) > 3 else \"no\"",
    ),
    (
        "row in lists(4, 0..3) where WHOLE, k in 1..3",
        "need sum(row) = 4 * k else \"no\"\n  need palindrome(row) else \"one by one\"",
    ),
    (
        "row in lists(4, 0..3) where WHOLE, k in 0..3",
        "need k > 0 else \"0\"\n  need 12 mod k = sum(row) else \"no\"",
    ),
];

/// Returns a game whose move has these parameters, and two more that depend on each other, so that random
/// moves are drawn by rank.
fn tied(declared: &str, needs: &str) -> Machine {
    let all =
        "table { goals: list of int = [5, 8, 11] }\ndefine fits(list, n) = sum(list) = n and size(list) >= 2";
    let declared = declared.replace("WHOLE", "size(row) >= 0");
    machine(&game(&format!("{declared}, nil in 0..0, nihil in [nil]"), needs, all))
}

#[test]
fn rows_that_needs_tie_to_other_parameters_are_those_of_a_plain_listing() {
    for (declared, needs) in TIES {
        let (plain, fast) = (tied(declared, ""), tied(declared, needs));
        let (all, start) = (plain.start().unwrap(), fast.start().unwrap());
        let mut expected = legal(&plain, &all, usize::MAX);
        let judged = |chosen: &Chosen| fast.judge(&start, 0, chosen.mv, &chosen.args);
        expected.retain(|chosen| matches!(judged(chosen), Ok(Ok(_))));
        let what = format!("{declared}: {needs}");
        assert!(!expected.is_empty(), "{what}");
        assert_eq!(legal(&fast, &start, usize::MAX), expected, "{what}");
        assert_eq!(count(&fast, &start), Int::from(expected.len()), "{what}");
        for (rank, chosen) in expected.iter().enumerate() {
            let (one, of) = drawn(&fast, &start, &Int::from(rank));
            assert_eq!((&one, of), (chosen, Int::from(expected.len())), "{what}");
        }
    }
}

#[test]
fn rows_that_are_tied_to_other_parameters_are_counted_and_not_listed() {
    // There are C(n + 11, 11) ways to share out n among twelve.
    let ways = |n: i64| (1..=11).fold(1i64, |all, k| all * (n + k) / k);
    let all = ways(10) + ways(15) + ways(20);
    for (declared, needs) in [
        ("at in 1..3, row in lists(12, 0..20)", "need sum(row) = goals[at] else \"no\""),
        ("row in lists(12, 0..20), at in 1..3", "need fits(row, goals[at]) else \"no\""),
        (
            "row in lists(12, 0..20), price in [10, 15, 20]",
            "let spent = total(row)\n  need price = spent else \"no\"",
        ),
        (
            "row in lists(12, 0..20), price in 1..20",
            "need price = sum(row) and 9 < price else \"no\"\n  need 5 divides price else \"no\"",
        ),
    ] {
        let board = "table { goals: list of int = [10, 15, 20] }\ndefine fits(list, n) = sum(list) = n and size(list) > 1";
        let text = game(declared, needs, board);
        let rules = Rules::load(Source::new("domains.game", &text)).unwrap();
        assert!(!rules.warnings.iter().any(|found| found.code == Code::SlowChoice), "{declared} {needs}");
        let machine = machine(&text);
        let start = machine.start().unwrap();
        assert_eq!(count(&machine, &start), Int::from(all), "{declared} {needs}");
        assert_eq!(legal(&machine, &start, 3).len(), 3, "{declared} {needs}");
        let (last, of) = drawn(&machine, &start, &Int::from(all - 1));
        assert_eq!(of, Int::from(all), "{declared} {needs}");
        assert!(matches!(machine.judge(&start, 0, last.mv, &last.args), Ok(Ok(_))), "{declared} {needs}");
    }
}

#[test]
fn where_most_rows_are_legal_one_is_drawn_though_they_cannot_be_counted() {
    let machine = machine(&game(
        "row in lists(9, 0..30), other in lists(9, 0..30)",
        "need sum(row) != sum(other) else \"no\"",
        "",
    ));
    let start = machine.start().unwrap();
    let chosen = machine.draw_legal(&start, 0, &mut Rng::new(2)).unwrap().unwrap();
    assert!(matches!(machine.judge(&start, 0, chosen.mv, &chosen.args), Ok(Ok(_))));
}
