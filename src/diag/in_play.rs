//! Snippets for the pages of diagnostics found in play: lines that cause each, and the same lines corrected.

pub const DIVISION_BY_ZERO: (&str, &str) = (
    r#"
table { x: int = 10 }
move share(k in 0..3) {
  x := x div k
}
play {
  each p in players { ask p to share }
}
example "by nothing" {
  1: share 0
}
"#,
    r#"
table { x: int = 10 }
move share(k in 1..3) {
  x := x div k
}
play {
  each p in players { ask p to share }
}
example "by nothing" {
  1: share 2
}
"#,
);

pub const OUT_OF_RANGE: (&str, &str) = (
    r#"
table { x: 0..9 = 9 }
move count(k in 1..3) {
  x += k
}
play {
  each p in players { ask p to count }
}
example "one too many" {
  1: count 1
}
"#,
    r#"
table { x: 0..99 = 9 }
move count(k in 1..3) {
  x += k
}
play {
  each p in players { ask p to count }
}
example "one too many" {
  1: count 1
}
"#,
);

pub const UNSET: (&str, &str) = (
    r#"
table { x: 1..9 }
move add(k in 1..3) {
  x := x + k
}
play {
  each p in players { ask p to add }
}
example "nothing yet" {
  1: add 1
}
"#,
    r#"
table { x: 1..9 = 1 }
move add(k in 1..3) {
  x := x + k
}
play {
  each p in players { ask p to add }
}
example "nothing yet" {
  1: add 1
}
"#,
);

pub const NO_SUCH_ELEMENT: (&str, &str) = (
    r#"
table { row: list of 0..1 = [0, 1] }
move flip(at in 1..9) {
  row[at] := 1
}
play {
  each p in players { ask p to flip }
}
example "off the end" {
  1: flip 3
}
"#,
    r#"
table { row: list of 0..1 = [0, 1] }
move flip(at in 1..size(row)) {
  row[at] := 1
}
play {
  each p in players { ask p to flip }
}
example "off the end" {
  1: flip 2
}
"#,
);

pub const TOO_MUCH_WORK: (&str, &str) = (
    r#"
table { x: int = 0 }
move search(k in 1..3) {
  x := count(a in 1..999, b in 1..999, c in 1..999 where a * b = c * k)
}
play {
  each p in players { ask p to search }
}
example "all pairs of pairs" {
  1: search 1
}
"#,
    r#"
table { x: int = 0 }
move search(k in 1..3) {
  x := count(a in 1..99, b in 1..99 where a divides b and k divides a)
}
play {
  each p in players { ask p to search }
}
example "all pairs of pairs" {
  1: search 1
}
"#,
);

pub const TOO_LARGE: (&str, &str) = (
    r#"
table { x: int = 1 }
move raise(k in 1..9) {
  x := 2 ^ (10 ^ 9) + k
}
play {
  each p in players { ask p to raise }
}
example "a tower" {
  1: raise 1
}
"#,
    r#"
table { x: int = 1 }
move raise(k in 1..9) {
  x := 2 ^ (10 ^ 3) + k
}
play {
  each p in players { ask p to raise }
}
example "a tower" {
  1: raise 1
}
"#,
);

pub const STUCK: (&str, &str) = (
    r#"
table { heap: int = 4 }
move take(k in 1..3) {
  need k < heap else "leave one"
  heap -= k
}
play {
  turns until heap = 0 { take }
}
example "one is left" {
  1: take 3
}
"#,
    r#"
table { heap: int = 4 }
move take(k in 1..3) {
  need k < heap else "leave one"
  heap -= k
}
play {
  turns until stuck { take }
}
example "one is left" {
  1: take 3 over
}
"#,
);

pub const BAD_ARGUMENT: (&str, &str) = (
    r#"
table { x: int = 0 }
move dig(k in -3..3) {
  x := root(k)
}
play {
  each p in players { ask p to dig }
}
example "below zero" {
  1: dig -1
}
"#,
    r#"
table { x: int = 0 }
move dig(k in 0..3) {
  x := root(k)
}
play {
  each p in players { ask p to dig }
}
example "below zero" {
  1: dig 3
}
"#,
);

pub const FAULT: (&str, &str) = (
    r#"
table { heap: 0..9 = 5 }
move take(k in 1..3) {
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#,
    r#"
table { heap: 0..9 = 5 }
move take(k in 1..3) {
  need k <= heap else "there are only {heap}"
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#,
);

pub const LEAK: (&str, &str) = (
    r#"
each player { card: 1..3 secret }
secret move hold(k in 1..3) {
  me.card := k
}
move wave { }
play {
  each p in players { ask p to hold }
  if seat(1).card > seat(2).card { ask seat(1) to wave }
}
"#,
    r#"
each player { card: 1..3 secret }
secret move hold(k in 1..3) {
  me.card := k
}
move wave { }
play {
  each p in players { ask p to hold }
  reveal card
  if seat(1).card > seat(2).card { ask seat(1) to wave }
}
"#,
);

pub const ENDLESS: (&str, &str) = (
    r#"
table { at: 0..3 = 1 }
move step(by in {-1, 1}) {
  need 0 <= at + by <= 3 else "there is no such place"
  at += by
}
play {
  turns until at = 3 { step }
}
"#,
    r#"
table { at: 0..3 = 1 }
move step(by in {-1, 1}) {
  need 0 <= at + by <= 3 else "there is no such place"
  at += by
}
play {
  turns as turn until at = 3 { step } until turn = 9
}
"#,
);

pub const NEVER_HAPPENS: (&str, &str) = (
    r#"
table { heap: 0..9 = 6 }
move take(k in 1..3) {
  need k <= heap else "there are only {heap}"
  need k * k < 10 else "three at most"
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#,
    r#"
table { heap: 0..9 = 6 }
move take(k in 1..3) {
  need k <= heap else "there are only {heap}"
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#,
);

pub const NEVER_WINS: (&str, &str) = (
    r#"
move nod { }
play {
  each p in players { ask p to nod }
}
winner last mover
"#,
    r#"
move nod { }
play {
  chance first in players
  turns from first as turn { nod } until turn = 2
}
winner last mover
"#,
);

pub const EXAMPLE_ONLY: (&str, &str) = (
    r#"
table { heap: 0..9 = 5 }
move take {
  if heap > 5 { heap -= 2 }
  heap -= 1
}
play {
  turns until heap = 0 { take }
}
example "a high heap" {
  given heap = 9
  1: take
}
"#,
    r#"
table { heap: 0..9 = 9 }
move take {
  if heap > 5 { heap -= 2 }
  heap -= 1
}
play {
  turns until heap = 0 { take }
}
example "a high heap" {
  given heap = 9
  1: take
}
"#,
);

pub const IDLE_OPTION: (&str, &str) = (
    r#"
option most: 1..3 = 2
table { heap: 0..9 = 9 }
move take(k in 1..min(3, most + 2)) {
  need k <= heap else "there are only {heap}"
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#,
    r#"
option most: 1..3 = 2
table { heap: 0..9 = 9 }
move take(k in 1..most) {
  need k <= heap else "there are only {heap}"
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#,
);

pub const NOT_FOUND_AGAIN: (&str, &str) = (
    r#"
table { heap: 0..9 = 9 }
move take(k in 1..3) {
  need k <= heap else "there are only {heap}" // means it
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#,
    r#"
table { heap: 0..9 = 9 }
move take(k in 1..3) {
  need k <= heap else "there are only {heap}"
  heap -= k
}
play {
  turns until heap = 0 { take }
}
"#,
);

pub const NOT_THERE: (&str, &str) = (
    r#"
kind good: wheat, iron
each player { goods: bag of good = bag([wheat, wheat]) }
show "{[p in players: p.goods]}"
move give(what in every good) {
  me.goods -= what
  me.next.goods += what
}
play {
  turns as turn { give } until turn = 4
}
winner highest size(me.goods)
"#,
    r#"
kind good: wheat, iron
each player { goods: bag of good = bag([wheat, wheat, iron, iron]) }
show "{[p in players: p.goods]}"
move give(what in me.goods) {
  me.goods -= what
  me.next.goods += what
}
play {
  turns as turn { give } until turn = 4
}
winner highest size(me.goods)
"#,
);
