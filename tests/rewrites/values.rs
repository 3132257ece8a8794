//! Rewrites of values: the kinds that are patterns in the rule language.

use parlour::ast::*;

use super::facts::Facts;
use super::pattern::Bound;
use super::walk;

/// One form of a kind: a pattern, its replacement, and when to use it.
pub struct Form {
    pub before: &'static str,
    pub after: &'static str,
    pub when: When,
}

/// Whether a form may be used, given what its letters stand for.
pub type When = fn(&Bound, &Facts) -> bool;

const fn form(before: &'static str, after: &'static str) -> Form {
    Form { before, after, when: |_, _| true }
}

const fn only(before: &'static str, after: &'static str, when: When) -> Form {
    Form { before, after, when }
}

/// Everything is evaluated where only a part was before, so nothing may fault.
fn all_safe(bound: &Bound, facts: &Facts) -> bool {
    let sources = || bound.values().flatten().filter_map(walk::source);
    let names = sources().flat_map(|(names, _)| names).cloned().collect();
    bound.values().flatten().all(|e| {
        let e = walk::source(e).map_or(e, |(_, from)| from);
        facts.safe_beyond(e, &names)
    })
}

/// B is evaluated before A is known.
fn b_goes_first(bound: &Bound, facts: &Facts) -> bool {
    facts.safe(&bound["B"][0]) && !facts.narrows(&bound["A"][0])
}

/// Neither value is `none` or an empty collection, whose type would come from the other side.
fn both_typed(bound: &Bound, _: &Facts) -> bool {
    let untyped = |e: &Expr| match &e.kind {
        ExprKind::None => true,
        ExprKind::List(all) | ExprKind::Set(all) => all.items.is_empty(),
        _ => false,
    };
    !bound.values().flatten().any(untyped)
}

fn is_condition(bound: &Bound, _: &Facts) -> bool {
    match &bound["P"][0].kind {
        ExprKind::Compare(..) | ExprKind::Is(..) => true,
        ExprKind::Call(name, _) => matches!(name.text.as_str(), "all" | "some"),
        _ => false,
    }
}

fn is_collection(bound: &Bound, facts: &Facts) -> bool {
    facts.is_collection(&bound["A"][0])
}

/// L is a collection, and A has a value even where L is empty.
fn sought_in_a_collection(bound: &Bound, facts: &Facts) -> bool {
    facts.is_collection(&bound["L"][0]) && facts.safe(&bound["A"][0]) && both_typed(bound, facts)
}

/// L is not a source `x in S`.
fn is_whole(bound: &Bound, _: &Facts) -> bool {
    walk::source(&bound["L"][0]).is_none()
}

fn is_one_name(bound: &Bound, facts: &Facts) -> bool {
    matches!(bound["X"][0].kind, ExprKind::Name(_)) && nothing_told_of_none(bound, facts)
}

/// No condition tests for `none`, which the checker might no longer take into account.
fn nothing_told_of_none(bound: &Bound, facts: &Facts) -> bool {
    !bound.values().flatten().any(|e| facts.narrows(e))
}

/// The kinds of rewrites that change values, by name.
pub const KINDS: &[(&str, &[Form])] = &[
    // ---- all, some, count
    (
        "all-as-not-some",
        &[
            form("all(SS: P)", "not some(SS: not P)"),
            form("all(SS where C: P)", "not some(SS where C: not P)"),
        ],
    ),
    (
        "some-as-not-all",
        &[
            form("some(SS: P)", "not all(SS: not P)"),
            form("some(SS where C: P)", "not all(SS where C: not P)"),
        ],
    ),
    (
        "all-equal-as-none-unequal",
        &[
            form("all(SS: A = B)", "not some(SS: A != B)"),
            form("all(SS: A != B)", "not some(SS: A = B)"),
            form("some(SS: A = B)", "not all(SS: A != B)"),
            form("some(SS: A != B)", "not all(SS: A = B)"),
        ],
    ),
    (
        "some-as-count",
        &[
            only("some(SS: P)", "count(SS: P) > 0", all_safe),
            only("some(SS where C: P)", "count(SS where C: P) > 0", all_safe),
        ],
    ),
    (
        "all-as-count",
        &[
            only("all(SS: P)", "count(SS: not P) = 0", all_safe),
            only("all(SS where C: P)", "count(SS where C: not P) = 0", all_safe),
        ],
    ),
    (
        "count-as-some",
        &[
            form("count(SS: P) > 0", "some(SS: P)"),
            form("count(SS: P) = 0", "not some(SS: P)"),
            form("count(SS where C) > 0", "some(SS: C)"),
            form("count(SS where C) = 0", "not some(SS: C)"),
        ],
    ),
    (
        "count-as-sum",
        &[
            form("count(SS: P)", "sum(SS: if P then 1 else 0)"),
            form("count(SS where C: P)", "sum(SS where C: if P then 1 else 0)"),
            form("count(SS where C)", "sum(SS where C: 1)"),
        ],
    ),
    (
        "count-as-size",
        &[form("count(SS: P)", "size([SS where P: 1])"), form("count(SS where C)", "size([SS where C: 1])")],
    ),
    (
        "size-as-count",
        &[
            form("size([SS where C])", "count(SS where C)"),
            form("size([SS where C: B])", "count(SS where C)"),
        ],
    ),
    ("some-as-list", &[only("some(SS: P)", "[SS where P: 1] is not empty", all_safe)]),
    (
        "all-split",
        &[
            only("all(SS: A and B)", "all(SS: A) and all(SS: B)", all_safe),
            only("some(SS: A or B)", "some(SS: A) or some(SS: B)", all_safe),
        ],
    ),
    // ---- binders
    (
        "binders-split",
        &[
            form("all(X in S, SS: P)", "all(X in S: all(SS: P))"),
            form("some(X in S, SS: P)", "some(X in S: some(SS: P))"),
            form("sum(X in S, SS: B)", "sum(X in S: sum(SS: B))"),
            form("sum(X in S, SS where C: B)", "sum(X in S: sum(SS where C: B))"),
            form("count(X in S, SS: P)", "sum(X in S: count(SS: P))"),
            form("count(X in S, SS where C)", "sum(X in S: count(SS where C))"),
        ],
    ),
    (
        "binders-joined",
        &[
            form("all(SS: all(TT: P))", "all(SS, TT: P)"),
            form("some(SS: some(TT: P))", "some(SS, TT: P)"),
            form("sum(SS: sum(TT: B))", "sum(SS, TT: B)"),
        ],
    ),
    (
        "filter-inside",
        &[
            form("all(SS where C: P)", "all(SS: not C or P)"),
            form("some(SS where C: P)", "some(SS: C and P)"),
            form("sum(SS where C: B)", "sum(SS: if C then B else 0)"),
            form("product(SS where C: B)", "product(SS: if C then B else 1)"),
            form("count(SS where C: P)", "count(SS: C and P)"),
            form("count(SS where C)", "count(SS: C)"),
        ],
    ),
    (
        "condition-as-filter",
        &[
            form("all(SS: A or B)", "all(SS where not A: B)"),
            form("all(SS: P)", "all(SS where not P: no)"),
            form("some(SS: A and B)", "some(SS where A: B)"),
            form("some(SS: P)", "some(SS where P: yes)"),
            form("count(SS: P)", "count(SS where P)"),
            form("sum(SS: if C then B else 0)", "sum(SS where C: B)"),
        ],
    ),
    (
        "body-spelled",
        &[
            only("[X in S where C]", "[X in S where C: X]", is_one_name),
            only("{X in S where C}", "{X in S where C: X}", is_one_name),
        ],
    ),
    (
        "body-left-out",
        &[
            only("[X in S where C: X]", "[X in S where C]", is_one_name),
            only("{X in S where C: X}", "{X in S where C}", is_one_name),
        ],
    ),
    (
        "binder-of-a-list",
        &[
            form("sum(SS: B)", "sum([SS: B])"),
            form("sum(SS where C: B)", "sum([SS where C: B])"),
            form("largest(SS: B)", "largest([SS: B])"),
            form("largest(SS where C: B)", "largest([SS where C: B])"),
            form("smallest(SS: B)", "smallest([SS: B])"),
        ],
    ),
    (
        "list-as-binder",
        &[
            only("sum(L)", "sum(z in L: z)", is_whole),
            only("bag(L)", "bag(z in L: z)", is_whole),
            only("set(L)", "{z in L: z}", is_whole),
            form("copies(A, L)", "count(z in L where z = A)"),
            form("A copies of B", "[_z in 1..A: B]"),
        ],
    ),
    (
        "first-of-a-list",
        &[
            form("first(X in S where C)", "first([X in S where C])"),
            form("first(X in S where C: B)", "first([X in S where C: B])"),
        ],
    ),
    (
        "first-as-binder",
        &[
            form("first([X in S where C])", "first(X in S where C)"),
            form("first([X in S where C: B])", "first(X in S where C: B)"),
        ],
    ),
    (
        "largest-negated",
        &[
            form("largest(SS: B)", "-smallest(SS: -B)"),
            form("largest(SS where C: B)", "-smallest(SS where C: -B)"),
            form("smallest(SS: B)", "-largest(SS: -B)"),
            form("smallest(SS where C: B)", "-largest(SS where C: -B)"),
        ],
    ),
    // ---- and, or, not
    ("and-swapped", &[only("A and B", "B and A", b_goes_first), only("A or B", "B or A", b_goes_first)]),
    ("and-as-not-or", &[form("A and B", "not (not A or not B)"), form("A or B", "not (not A and not B)")]),
    (
        "and-as-if",
        &[
            only("A and B", "if A then B else no", nothing_told_of_none),
            only("A or B", "if A then yes else B", nothing_told_of_none),
        ],
    ),
    ("twice-negated", &[only("P", "not not P", is_condition)]),
    ("if-turned", &[form("if A then B else C", "if not A then C else B")]),
    (
        "none-negated",
        &[
            form("A is none", "not A is not none"),
            form("A is not none", "not A is none"),
            form("A is empty", "not A is not empty"),
            form("A is not empty", "not A is empty"),
        ],
    ),
    // ---- comparisons
    (
        "comparison-turned",
        &[
            form("A < B", "B > A"),
            form("A <= B", "B >= A"),
            form("A > B", "B < A"),
            form("A >= B", "B <= A"),
            only("A = B", "B = A", both_typed),
            only("A != B", "B != A", both_typed),
        ],
    ),
    (
        "comparison-negated",
        &[
            form("A < B", "not A >= B"),
            form("A <= B", "not A > B"),
            form("A > B", "not A <= B"),
            form("A >= B", "not A < B"),
            form("A = B", "not A != B"),
            form("A != B", "not A = B"),
            form("A in B", "not A not in B"),
            form("A not in B", "not A in B"),
        ],
    ),
    (
        "difference-compared",
        &[
            form("A < B", "A - B < 0"),
            form("A <= B", "A - B <= 0"),
            form("A > B", "0 < A - B"),
            form("A >= B", "0 <= A - B"),
        ],
    ),
    (
        "difference-of-one",
        &[
            form("A < B", "A - B <= -1"),
            form("A <= B", "A - B < 1"),
            form("A > B", "1 <= A - B"),
            form("A >= B", "-1 < A - B"),
        ],
    ),
    (
        "chain-split",
        &[
            form("A < B < C", "A < B and B < C"),
            form("A <= B < C", "A <= B and B < C"),
            form("A < B <= C", "A < B and B <= C"),
            form("A <= B <= C", "A <= B and B <= C"),
            form("A = B = C", "A = B and B = C"),
        ],
    ),
    (
        "in-as-some",
        &[
            only("A in L", "some(z in L: z = A)", sought_in_a_collection),
            only("A not in L", "all(z in L: z != A)", sought_in_a_collection),
        ],
    ),
    ("in-a-set-spelled", &[form("A in {B, C}", "A = B or A = C")]),
    ("equal-as-in-a-set", &[form("A = B or A = C", "A in {B, C}")]),
    ("in-a-range-spelled", &[form("A in B..C", "B <= A <= C"), form("A not in B..C", "A < B or C < A")]),
    (
        "chain-as-in-a-range",
        &[
            form("B <= A <= C", "A in B..C"),
            form("B <= A < C", "A in B..C - 1"),
            form("B < A <= C", "A in B + 1..C"),
        ],
    ),
    (
        "empty-as-size",
        &[
            only("A is empty", "size(A) = 0", is_collection),
            only("A is not empty", "size(A) > 0", is_collection),
        ],
    ),
    ("size-as-empty", &[form("size(A) = 0", "A is empty"), form("size(A) > 0", "A is not empty")]),
    (
        "divides-as-remainder",
        &[
            form("A is even", "A mod 2 = 0"),
            form("A is odd", "A mod 2 = 1"),
            form("A divides B", "if A = 0 then B = 0 else B mod A = 0"),
        ],
    ),
    // ---- numbers
    ("sum-swapped", &[form("A + B", "B + A"), form("A * B", "B * A")]),
    ("difference-as-sum", &[form("A - B", "-B + A")]),
    (
        "neutral-added",
        &[
            form("A + B", "A + B + 0"),
            form("A - B", "A - B - 0"),
            form("A * B", "1 * A * B"),
            only("P", "P and yes", is_condition),
        ],
    ),
    ("double-as-sum", &[form("2 * A", "A + A"), form("A ^ 2", "A * A")]),
    (
        "min-as-if",
        &[
            form("min(A, B)", "if A < B then A else B"),
            form("max(A, B)", "if A > B then A else B"),
            form("abs(A)", "max(A, -A)"),
        ],
    ),
    ("if-as-case", &[form("if A = B then C else D", "case A {\n B: C\n else: D\n}")]),
    // ---- places and players
    ("square-spelled", &[only("A[B, C]", "A[rows(A)[B][C]]", |bound, facts| facts.is_grid(&bound["A"][0]))]),
    (
        "next-by-number",
        &[
            only("A.next", "seat(A.number + 1)", |_, facts| !facts.owned.contains("number")),
            only("A.previous", "seat(A.number - 1)", |_, facts| !facts.owned.contains("number")),
        ],
    ),
];
