//! Warnings: endless loops, and matches that nobody can win or that only chance decides.

use std::collections::BTreeSet;

use super::Checker;
use crate::ast::{self, ItemKind, StmtKind};
use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Chance, ChanceKind, Effect, ExprKind, Op, Scoring, Sight, StateId, Winner, WinnerBy, changes,
    draw_is_public,
};
use crate::source::{Source, Span};
use crate::syntax::layout::layout;

/// Reports piles that everybody sees, from which something goes to state that not everybody sees.
pub(super) fn open_piles(checker: &mut Checker) {
    let game = &checker.game;
    let is_public = |state: StateId| game.state[state].sight == Sight::Public;
    let mut reports: Vec<Diagnostic> = Vec::new();
    for op in &game.code {
        let (pile, to) = match op {
            Op::Do(Effect::Deal(_, from, to), _) => (from, Some(to)),
            Op::Chance(Chance { kind: ChanceKind::Deal(_, from, to), .. }) => (from, Some(to)),
            Op::Chance(Chance { kind: ChanceKind::Draw(from, _), name, .. })
                if !draw_is_public(game, name) =>
            {
                (from, None)
            }
            _ => continue,
        };
        let kept = to.is_none_or(|to| !is_public(to.state));
        if !is_public(pile.state) || !kept || reports.iter().any(|report| report.span() == pile.span) {
            continue;
        }
        let state = &game.state[pile.state];
        let message = format!("everybody sees `{}`, and so what is taken from it face down", state.name);
        let report = Diagnostic::new(Code::OpenPile, pile.span, message, "this pile lies open");
        let help = format!("write `hidden` after the first value of `{}`", state.name);
        reports.push(report.also(state.span, "declared here").help(help));
    }
    checker.diagnostics.extend(reports);
}

/// Reports games in which chance alone decides who wins, though there are choices.
pub(super) fn chance_decides(checker: &mut Checker, file: &ast::File) {
    let Some(header) = file.items.iter().find(|item| matches!(item.kind, ItemKind::Game(_))) else { return };
    let game = &checker.game;
    if !game.chance_alone_decides() {
        return;
    }
    let span = match &game.winner {
        Some(Winner { by: WinnerBy::Best(keys), .. }) => keys.first().map(|(_, key)| key.body.span),
        _ => None,
    };
    let by = game.code.iter().find_map(|op| match op {
        Op::End(Some(who)) => Some(who.span),
        _ => None,
    });
    let message = "chance alone decides who wins: nothing that a player chooses can change it";
    let report = Diagnostic::new(
        Code::ChanceDecides,
        span.or(by).unwrap_or(header.span),
        message,
        "this depends on draws, and on no choice",
    );
    checker.report(report.help("let the winner depend on something that moves change"));
}

/// Reports loops that nothing in the file ends.
pub(super) fn endless(checker: &mut Checker, file: &ast::File) {
    let mut ends = false;
    let mut open: Vec<(Span, &str)> = Vec::new();
    for item in &file.items {
        ends |= matches!(item.kind, ItemKind::Standing(_));
        let (ItemKind::Play(body) | ItemKind::Rule(_, _, body) | ItemKind::Move(ast::Move { body, .. })) =
            &item.kind
        else {
            continue;
        };
        super::items::walk(body, &mut |stmt| match &stmt.kind {
            StmtKind::End
            | StmtKind::EndWhen(_)
            | StmtKind::Win(_)
            | StmtKind::WinWhen(..)
            | StmtKind::Out(_)
            | StmtKind::Wrong => ends = true,
            StmtKind::Turns { before: None, stuck: None, after: None, .. } => open.push((stmt.span, "turns")),
            StmtKind::Cycle { filter: None, until: None, .. } => open.push((stmt.span, "cycle")),
            StmtKind::Repeat { count: None, until: None, .. } => open.push((stmt.span, "repeat")),
            _ => {}
        });
    }
    for (span, word) in open.into_iter().filter(|_| !ends) {
        let span = Span::new(span.start, span.start + word.len());
        checker.report(
            Diagnostic::new(Code::NoEnd, span, "nothing ends this loop", "it would go on forever")
                .help("give it an `until C`, or `until stuck`; to ask everybody once, write `each p in players { ask p to … }`"),
        );
    }
}

/// Reports the first or last element of a shuffled list that a loop turns up in each pass, while nothing takes it out.
pub(super) fn always_the_same(checker: &mut Checker, file: &ast::File) {
    let game = &checker.game;
    let (mut shuffled, mut changed) = (BTreeSet::new(), BTreeSet::new());
    for op in &game.code {
        let of = match op {
            Op::Chance(Chance { kind: ChanceKind::Shuffle(_), .. }) => &mut shuffled,
            _ => &mut changed,
        };
        of.extend(changes(op).into_iter().map(|(place, _)| place.state));
    }
    let fixed = |name: &str| {
        let id = game.state.iter().position(|state| state.name == name && !state.per_player);
        id.is_some_and(|id| shuffled.contains(&id) && !changed.contains(&id))
    };
    let mut found: Vec<(Span, String)> = Vec::new();
    let mut within = |stmt: &ast::Stmt| {
        for e in stmt.exprs() {
            found.extend(
                turned_up(e).filter(|(_, name)| fixed(name)).map(|(span, name)| (span, name.to_string())),
            );
        }
    };
    for item in &file.items {
        let (ItemKind::Play(body) | ItemKind::Rule(_, _, body)) = &item.kind else { continue };
        super::items::walk(body, &mut |stmt| {
            if matches!(stmt.kind, StmtKind::Turns { .. } | StmtKind::Cycle { .. } | StmtKind::Repeat { .. })
            {
                stmt.blocks().into_iter().for_each(|block| super::items::walk(block, &mut within));
            }
        });
    }
    let mut told = BTreeSet::new();
    found.retain(|(_, name)| told.insert(name.clone()));
    let reports: Vec<Diagnostic> = found
        .into_iter()
        .map(|(span, name)| {
            let text = checker.written(span);
            let message = format!("`{text}` is the same in every pass, since nothing leaves `{name}`");
            let help = format!("take it out where it is turned up: `let x = {text}`, and then `{name} -= x`");
            Diagnostic::new(Code::HalfUsed, span, message, "turned up again and again").help(help)
        })
        .collect();
    reports.into_iter().for_each(|report| checker.report(report));
}

/// Returns where a statement's value is the first or last element of a named list: `first(deck)`, `deck[1]`.
fn turned_up(e: &ast::Expr) -> Option<(Span, &str)> {
    let list = match &e.kind {
        ast::ExprKind::Call(function, inside) if matches!(function.text.as_str(), "first" | "last") => {
            match inside.items.as_slice() {
                [list] if !inside.has_tail() => list,
                _ => return None,
            }
        }
        ast::ExprKind::Index(list, at) => match at.as_slice() {
            [ast::Expr { kind: ast::ExprKind::Number(_), .. }] => list,
            _ => return None,
        },
        _ => return None,
    };
    match &list.kind {
        ast::ExprKind::Name(name) => Some((e.span, name)),
        _ => None,
    }
}

/// Reports comments that read like a division: nothing but a number behind a value, or a sum of names of the file and
/// numbers.
pub(super) fn divided(checker: &mut Checker) {
    let Some(source) = checker.source else { return };
    for comment in layout(source).comments {
        let divisor = comment.text.split("//").next().map_or("", str::trim);
        let number = !divisor.is_empty() && divisor.chars().all(|c| c.is_ascii_digit());
        if !comment.trailing || comment.means_it || !number && !is_sum(source, comment.span, divisor) {
            continue;
        }
        let report =
            Diagnostic::new(Code::CommentDivides, comment.span, "this is a comment, and divides nothing", "")
                .help(format!(
                    "write `div {divisor}` for the quotient rounded down, or more words in the comment"
                ));
        checker.report(report);
    }
}

/// Whether a comment is a number or a name that stands elsewhere in the file, and more of them behind signs: `k + 1`.
fn is_sum(source: &Source, comment: Span, text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let signs = ["+", "-", "*", "div", "mod"];
    let outside = [&source.text[..comment.start], &source.text[comment.end..]];
    let is_value = |word: &str| {
        let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let elsewhere = outside.iter().any(|text| text.split(|c: char| !part(c)).any(|other| other == word));
        word.chars().all(|c| c.is_ascii_digit()) || word.chars().all(part) && elsewhere
    };
    let alternate =
        |(at, word): (usize, &&str)| if at % 2 == 0 { is_value(word) } else { signs.contains(word) };
    words.len() > 2 && words.len() % 2 == 1 && words.iter().enumerate().all(alternate)
}

/// Reports missing scores and winners of the whole game.
pub(super) fn whole(checker: &mut Checker, file: &ast::File) {
    let Some(header) = file.items.iter().find(|item| matches!(item.kind, ItemKind::Game(_))) else { return };
    let mut wins = file.items.iter().any(|item| matches!(item.kind, ItemKind::Standing(_)));
    let mut first_wins = Vec::new();
    for item in &file.items {
        if let ItemKind::Play(body) | ItemKind::Rule(_, _, body) | ItemKind::Move(ast::Move { body, .. }) =
            &item.kind
        {
            super::items::walk(body, &mut |stmt| {
                wins |= matches!(stmt.kind, StmtKind::Win(_) | StmtKind::WinWhen(..));
                first_wins.extend(first_of_loop_wins(stmt));
            });
        }
    }
    for span in first_wins {
        let message = "the first player that this loop comes to always wins, and nobody else";
        checker.report(Diagnostic::new(Code::AlwaysWins, span, message, "the match is over here").help(
            "all players win by `win players`, several of them by a list: `win [p in players where C]`",
        ));
    }
    let named_short = match &checker.game.scoring {
        Scoring::Named(scores) => scores.len() < checker.game.seats.min,
        _ => false,
    };
    if named_short && !checker.has_bad_score_seat {
        let title = match &header.kind {
            ItemKind::Game(game) => game.title.span,
            _ => header.span,
        };
        checker.report(
            Diagnostic::new(Code::ScoreTwice, title, "not every seat has a score", "this game")
                .help("give each seat its `score NAME = …`, or `score seat(2) = …`"),
        );
    }
    if let (Scoring::None, Some(Winner { by: WinnerBy::Best(keys), .. })) =
        (&checker.game.scoring, &checker.game.winner)
        && let Some((_, key)) = keys.iter().find(|(_, key)| matches!(key.body.kind, ExprKind::Score(_)))
    {
        let report = Diagnostic::new(
            Code::NobodyWins,
            key.body.span,
            "nobody ever scores",
            "everybody is level in this",
        );
        checker.report(
            report.help("give points with `award 1 to me`, or say what the score is with `score = me.…`"),
        );
    }
    // A score that everybody has in common is played for as a whole.
    if let Some(Winner { by: WinnerBy::Best(keys), loser, then_last_mover: false }) = &checker.game.winner
        && let [(_, first), ..] = keys.as_slice()
        && keys.iter().all(|(_, key)| checker.game.is_same_for_all(key))
        && !matches!(first.body.kind, ExprKind::Score(_))
        && checker.game.seats.min > 1
        && !wins
    {
        let fate = if *loser { "loses" } else { "wins" };
        let message = format!("everybody always {fate}, since all are level in this");
        let report = Diagnostic::new(Code::AlwaysWins, first.body.span, message, "the same for every player");
        checker.report(
            report.help(
                "compare something of each player, `me.…`; players who win or lose together are written `win players when C`, without a `winner`",
            ),
        );
    }
    if checker.game.winner.is_none() && !wins {
        let span = match &header.kind {
            ItemKind::Game(game) => game.title.span,
            _ => header.span,
        };
        // One `win` may be all that is missing.
        let endless = checker.diagnostics.iter_mut().find(|known| known.code == Code::NoEnd);
        if let Some(endless) = endless {
            endless.message = "nothing ends this loop, and nothing says who wins".into();
            endless.help = Some(
                "`win p when C` does both; or give the loop an `until C` or `until stuck`, and write `winner highest score` or `winner last mover` at the left edge".into(),
            );
            return;
        }
        checker.report(
            Diagnostic::new(Code::NobodyWins, span, "nothing says who wins", "this game")
                .help("write `winner highest score`, `winner last mover`, or `win p when …`"),
        );
    }
}

/// Returns the place of the `win` in a loop whose first pass ends with it: `each p in players { win p }`.
fn first_of_loop_wins(stmt: &ast::Stmt) -> Option<Span> {
    let StmtKind::Each { pattern, filter: None, body, .. } = &stmt.kind else { return None };
    let ([name], [first, ..]) = (pattern.names.as_slice(), body.stmts.as_slice()) else { return None };
    let StmtKind::Win(who) = &first.kind else { return None };
    matches!(&who.kind, ast::ExprKind::Name(named) if *named == name.text).then_some(first.span)
}
