//! How points are counted, and who wins.

use super::{Checker, wrong};
use crate::ast::{self, Item, ItemKind};
use crate::diag::{Code, Diagnostic, nearest};
use crate::ir::{Expr, ExprKind, Lambda, Scoring, Type, Winner, WinnerBy};
use crate::source::Span;

impl<'a> Checker<'a> {
    /// Reports `win p when p.hand is empty`, where p is nobody yet and any player who meets the condition is meant. Returns
    /// whether it did.
    pub(super) fn any_who_meets(&mut self, who: &'a ast::Expr, cond: &'a ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &who.kind else { return false };
        let condition = self.written(cond.span);
        let known = self.local(name).is_some()
            || self.globals.contains_key(name)
            || self.fields.contains_key(name)
            || self.defines.iter().any(|define| define.name.text == *name)
            || matches!(name.as_str(), "me" | "players" | "standing");
        let of_whom = condition.match_indices(&format!("{name}.")).any(|(at, _)| {
            !condition[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'))
        });
        if known || !of_whom {
            return false;
        }
        let help = format!(
            "all players who meet the condition win by `win [{name} in players where {condition}] when some({name} in players: {condition})`"
        );
        let message = format!("there is nothing called `{name}`");
        let report = Diagnostic::new(Code::UnknownName, who.span, message, "not known here");
        self.report_once(report.help(help));
        true
    }

    pub(super) fn scoring_kind(&mut self, file: &'a ast::File) {
        let derived = file.items.iter().find(|item| matches!(item.kind, ItemKind::Score(..)));
        if self.awards {
            self.game.scoring = Scoring::Awards;
            if let Some(item) = derived {
                self.report(
                    Diagnostic::new(
                        Code::ScoreTwice,
                        item.span,
                        "points are both awarded and computed",
                        "computed here",
                    )
                    .help("count points either with `award` or with `score = …`"),
                );
            }
        }
    }

    pub(super) fn score(&mut self, seat: Option<&'a ast::SeatRef>, e: &'a ast::Expr, span: Span) {
        let lambda = self.lambda_me(e.span, |this| this.expect(e, &Type::Int));
        let mut scores = match (std::mem::take(&mut self.game.scoring), seat) {
            (Scoring::None, None) => {
                self.game.scoring = Scoring::Each(lambda);
                return;
            }
            (scoring @ (Scoring::Each(_) | Scoring::Named(_) | Scoring::Awards), None) => {
                self.error(Code::ScoreTwice, span, "the score is defined twice", "defined again");
                self.game.scoring = scoring;
                return;
            }
            (Scoring::Named(scores), Some(_)) => scores,
            (Scoring::Each(_), Some(_)) => {
                self.error(Code::ScoreTwice, span, "the score is defined twice", "defined again");
                Vec::new()
            }
            (Scoring::None | Scoring::Awards, Some(_)) => Vec::new(),
        };
        let Some((at, place)) = seat.and_then(|seat| self.scored_seat(seat)) else {
            self.has_bad_score_seat = true;
            self.game.scoring = Scoring::Named(scores);
            return;
        };
        let who = seat.map_or(String::new(), ast::SeatRef::words);
        if self.has_bad_score_seat {
        } else if scores.len() > at {
            let message = format!("the score of `{who}` is defined twice");
            self.error(Code::ScoreTwice, place, message, "defined again");
        } else if scores.len() < at {
            let message = format!("the score of `{who}` comes before those of earlier seats");
            self.error(Code::ScoreTwice, place, message, "out of order");
            self.has_bad_score_seat = true;
        } else {
            scores.push(lambda);
        }
        self.game.scoring = Scoring::Named(scores);
    }

    /// Returns the 0-based seat that a score is for, and its span.
    fn scored_seat(&mut self, seat: &'a ast::SeatRef) -> Option<(usize, Span)> {
        match seat {
            ast::SeatRef::Name(name) => {
                let unnamed = "write `score seat(1) = …`, name the seats: `players 2 called across, down`, or write `score = …` for everybody";
                Some((self.named_seat(name, unnamed)?, name.span))
            }
            ast::SeatRef::Number(n, span) => {
                let seats = self.game.seats.clone();
                if seats.max != Some(seats.min) {
                    self.report(
                        Diagnostic::new(Code::ScoreTwice, *span, "not every seat has a score", "this is for one seat")
                            .help(format!(
                                "the game is for {seats}: write `score = …`, which can use `me.number`, or fix the number of players"
                            )),
                    );
                    return None;
                }
                let at = n.as_usize().filter(|n| (1..=seats.min).contains(n));
                if at.is_none() {
                    let message = format!("there is no seat {n}");
                    self.error(Code::UnknownName, *span, message, format!("the game is for {seats}"));
                }
                Some((at? - 1, *span))
            }
            ast::SeatRef::Next => None,
        }
    }

    pub(super) fn winner(&mut self, winner: &'a ast::Winner, span: Span, file: &ast::File) {
        if self.game.winner.is_some() {
            let first = file.items.iter().find(|item| matches!(item.kind, ItemKind::Winner(_)));
            let word =
                |span: Span, loser: bool| Span::new(span.start, span.start + if loser { 5 } else { 6 });
            let mut report = Diagnostic::new(
                Code::RepeatedPart,
                word(span, winner.loser),
                "a file can have only one `winner` or `loser`",
                "a second one",
            );
            let mut written = "winner highest score, then lowest me.number".to_string();
            if let Some(Item { kind: ItemKind::Winner(known), span: place, .. }) = first {
                report = report.also(word(*place, known.loser), "the first");
                let (one, other) = (self.written(*place), self.written(span));
                let compares = matches!(known.by, ast::WinnerBy::Best(_)) && !known.then_last_mover;
                if let Some((_, tie)) =
                    other.split_once(' ').filter(|_| compares && one != "…" && other != "…")
                    && known.loser == winner.loser
                    && !matches!(winner.by, ast::WinnerBy::LastIn)
                {
                    written = format!("{one}, then {tie}");
                }
            }
            self.report(report.help(format!("one line can break ties too: `{written}`")));
            return;
        }
        let by = match &winner.by {
            ast::WinnerBy::LastMover => WinnerBy::LastMover,
            ast::WinnerBy::LastIn => WinnerBy::LastIn,
            ast::WinnerBy::Best(keys) => {
                let keys = keys.iter().map(|(highest, e)| (*highest, self.winner_key(e))).collect();
                WinnerBy::Best(keys)
            }
        };
        self.game.winner = Some(Winner { loser: winner.loser, by, then_last_mover: winner.then_last_mover });
    }

    /// Resolves `score` in a key of `winner`.
    pub(super) fn judged_score(&mut self, name: &str, span: Span) -> Option<Expr> {
        let judging = self.in_winner && self.template.is_none() && name == "score";
        let (slot, ty) = if judging { self.local("me")? } else { return None };
        let me = Expr { kind: ExprKind::Local(slot), ty, span };
        Some(Expr { kind: ExprKind::Score(Box::new(me)), ty: Type::Int, span })
    }

    /// Checks a key of `winner`, in which `score` is short for `me.score`.
    pub(super) fn winner_key(&mut self, e: &'a ast::Expr) -> Lambda {
        self.in_winner = true;
        let key = self.lambda_me(e.span, |this| {
            if let ast::ExprKind::Name(name) = &e.kind
                && !this.globals.contains_key(name)
                && !this.fields.contains_key(name)
                && name != "score"
                && nearest(name, ["score"]).is_some()
            {
                let report = Diagnostic::new(
                    Code::UnknownName,
                    e.span,
                    format!("there is nothing called `{name}`"),
                    "not known here",
                );
                this.report(report.suggest(name, ["score"]));
                return wrong(e.span);
            }
            let found = this.expr(e, None);
            if let ast::ExprKind::Compare(first, links) = &e.kind
                && let [(ast::CompareOp::Equal, value)] = links.as_slice()
                && matches!(&first.kind, ast::ExprKind::Name(name) if name == "score")
            {
                let place = Span::new(first.span.start, value.span.start);
                let message = "the `=` compares here, and so players are ranked by yes and no";
                let value = this.written(value.span);
                let help = format!("leave out `score =`: what is ranked stands alone, `{value}`; or write `score = {value}` on a line of its own");
                this.report(Diagnostic::new(Code::TypeMismatch, place, message, "").help(help));
                return wrong(e.span);
            }
            match found.ty {
                Type::Int | Type::Bool | Type::Wrong => found,
                _ => {
                    this.check_type(&found, &Type::Int);
                    wrong(e.span)
                }
            }
        });
        self.in_winner = false;
        key
    }
}
