//! Small games of chance, whose positions can all be solved.

/// Two dice, two rerolls of any of them; the greater product wins.
pub const PRODUCTS: &str = "game \"Products\" { players 2 }\n\
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
pub const TEN: &str = "game \"Ten\" { players 2 }\n\
    each player { sum: 0..30 = 0 }\n\
    move roll {\n chance die in 1..6\n me.sum += die\n if me.sum > 10 { me.sum := 0 } else { again }\n }\n\
    move stop { }\n\
    play { each p in players { ask p to roll or stop } }\n\
    winner highest me.sum\n";

/// A die says how many may be taken at most; who takes the last wins.
pub const HEAP: &str = "game \"Heap\" { players 2 }\n\
    table {\n heap: 0..20 = 14\n most: 1..4 = 1\n }\n\
    move take(n in 1..4) {\n need n <= most else \"too many\"\n need n <= heap else \"too many\"\n heap -= n\n }\n\
    play { turns until heap = 0 {\n chance die in 1..4\n most := die\n take\n } }\n\
    winner last mover\n";

/// Walk with one of two dice, or with both and lose the next turn.
pub const RACE: &str = "game \"Race\" { players 2 }\n\
    table {\n a: 1..4 = 1\n b: 1..4 = 1\n }\n\
    each player {\n at: 0..30 = 0\n tired: yes or no = no\n }\n\
    move first { me.at += a }\n move second { me.at += b }\n move both {\n me.at += a + b\n me.tired := yes\n }\n\
    play { turns until some(p in players: p.at >= 12) {\n\
      if me.tired { me.tired := no } else {\n\
        chance x in 1..4\n a := x\n chance y in 1..4\n b := y\n first or second or both\n }\n\
    } }\n\
    winner highest me.at\n";

/// Take the number that was drawn, or leave it to the other, twice each.
pub const TAKE: &str = "game \"Take It\" { players 2 }\n\
    table { n: 1..9 = 1 }\n\
    each player {\n got: 0..99 = 0\n left: 0..2 = 2\n }\n\
    move take { me.got += n }\n\
    move leave {\n need me.left > 0 else \"no more\"\n me.left -= 1\n seat(3 - me.number).got += n\n }\n\
    play { repeat 3 { turns as turn {\n chance x in 1..9\n n := x\n take or leave\n } until turn = 2 } }\n\
    score = me.got\n winner highest score\n";

/// Three dice, two boxes for fours and for three of a kind, two rerolls.
pub const BOXES: &str = "game \"Boxes\" { players 2 }\n\
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

/// All of them.
pub const GAMES: &[(&str, &str)] = &[
    ("products", PRODUCTS),
    ("ten", TEN),
    ("heap", HEAP),
    ("race", RACE),
    ("take it", TAKE),
    ("boxes", BOXES),
];
