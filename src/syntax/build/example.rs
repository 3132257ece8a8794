//! Builds worked examples and typed moves.

use pest::iterators::Pair;

use super::{Builder, inner, only, span};
use crate::ast::*;
use crate::source::Span;
use crate::syntax::grammar::Rule;

impl Builder {
    pub(super) fn example<'i>(
        &mut self,
        mut parts: impl Iterator<Item = Pair<'i, Rule>>,
        place: Span,
    ) -> ItemKind {
        let title = parts.next().map(|p| self.plain_text(p)).unwrap_or_default();
        let (mut settings, mut lines) = (Vec::new(), Vec::new());
        for part in parts {
            match part.as_rule() {
                Rule::settings => {
                    for setting in part.into_inner().filter(|p| p.as_rule() == Rule::setting) {
                        let mut inside = inner(setting);
                        let name = self.name(inside.next().expect("a name"));
                        settings.push((name, self.expr(inside.next().expect("a value"))));
                    }
                }
                Rule::junk => self.reparse_unreadable(span(&part), Rule::one_example_line),
                Rule::example_line => lines.push(self.example_line(part)),
                _ => {}
            }
        }
        ItemKind::Example(Example { title, settings, lines, span: place })
    }

    pub(super) fn example_line(&mut self, pair: Pair<Rule>) -> ExampleLine {
        let place = span(&pair);
        let (mut step, mut checks) = (None, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::scene_board => {
                    let (name, rows) = self.drawn_board(part);
                    step = Some(Step::Board(name, rows));
                }
                Rule::scene => {
                    let mut inside = inner(part).filter(|p| p.as_rule() != Rule::kw_given);
                    let target = self.reference(inside.next().expect("a place"));
                    step = Some(Step::Scene(target, self.shown(inside.next().expect("a value"))));
                }
                Rule::step => step = Some(self.step(part)),
                Rule::checks => {
                    for check in part.into_inner().filter(|p| p.as_rule() == Rule::check) {
                        checks.push(self.check(check));
                    }
                }
                _ => {}
            }
        }
        ExampleLine { step, checks, span: place }
    }

    /// Builds a value that may be written as it is shown: `[red 3, black 1]` for `[(red, 3), (black, 1)]`.
    fn shown(&mut self, pair: Pair<Rule>) -> Expr {
        let (place, rule) = (span(&pair), pair.as_rule());
        if rule == Rule::expr {
            return self.expr(pair);
        }
        if !matches!(rule, Rule::shown_list | Rule::shown_set | Rule::shown_tuple) {
            return self.primary(pair);
        }
        let items: Vec<Expr> = inner(pair).map(|part| self.shown(part)).collect();
        let inside = |items| Inside { items, ..Inside::default() };
        let kind = match rule {
            Rule::shown_list => ExprKind::List(inside(items)),
            Rule::shown_set => ExprKind::Set(inside(items)),
            _ => ExprKind::Tuple(items),
        };
        Expr { kind, span: place }
    }

    /// Returns a grid's name and the rows of its picture.
    fn drawn_board(&mut self, pair: Pair<Rule>) -> (Name, Vec<Name>) {
        let mut parts = inner(pair).filter(|p| p.as_rule() != Rule::kw_given);
        let name = self.name(parts.next().expect("a name"));
        (name, self.rows(parts.next().expect("a board")))
    }

    /// Returns the rows of a drawn board, or the lines of what is shown.
    pub(super) fn rows(&mut self, board: Pair<Rule>) -> Vec<Name> {
        board.into_inner().filter(|p| p.as_rule() == Rule::picture).map(|p| self.picture(p)).collect()
    }

    /// Returns a row of a picture, without trailing blanks.
    fn picture(&mut self, pair: Pair<Rule>) -> Name {
        let mut row = self.name(pair);
        row.text.truncate(row.text.trim_end().len());
        row
    }

    pub(super) fn step(&mut self, pair: Pair<Rule>) -> Step {
        let mut parts = inner(pair);
        let first = parts.next().expect("a step");
        match first.as_rule() {
            Rule::kw_start => Step::Start,
            Rule::seat => {
                let seat = self.seat(first);
                let name = self.name(parts.next().expect("a move"));
                Step::Move(seat, name, self.words(parts.next().expect("words")))
            }
            _ => {
                // `chance die 4`
                let name = self.name(first);
                Step::Chance(name, self.words(parts.next().expect("words")))
            }
        }
    }

    pub(super) fn seat(&mut self, pair: Pair<Rule>) -> SeatRef {
        let place = span(&pair);
        let part = only(pair);
        match part.as_rule() {
            Rule::number => SeatRef::Number(self.number(&part), place),
            Rule::kw_next => SeatRef::Next,
            _ => SeatRef::Name(self.name(part)),
        }
    }

    pub(super) fn words(&mut self, pair: Pair<Rule>) -> Vec<Word> {
        let mut words = Vec::new();
        for part in pair.into_inner() {
            let place = span(&part);
            match part.as_rule() {
                Rule::named_word => {
                    let mut inside = inner(part);
                    let name = self.name(inside.next().expect("a name"));
                    let value = self.word_value(inside.next().expect("a value"));
                    words.push(Word { name: Some(name), value, span: place });
                }
                Rule::word_value => {
                    words.push(Word { name: None, value: self.word_value(part), span: place })
                }
                _ => {}
            }
        }
        words
    }

    pub(super) fn word_value(&mut self, pair: Pair<Rule>) -> WordValue {
        let part = only(pair);
        match part.as_rule() {
            Rule::word_list => WordValue::List(inner(part).map(|p| self.word_value(p)).collect()),
            Rule::signed => WordValue::Number(part.as_str().parse().expect("the grammar reads digits")),
            Rule::boolean => WordValue::Bool(part.as_str() == "yes"),
            Rule::name => WordValue::Text(self.name(part).text),
            _ => WordValue::Text(part.as_str().to_string()),
        }
    }

    pub(super) fn check(&mut self, pair: Pair<Rule>) -> Check {
        let place = span(&pair);
        let part = only(pair);
        let rule = part.as_rule();
        let none = part.clone().into_inner().any(|p| p.as_rule() == Rule::kw_no);
        let mut parts = inner(part);
        let kind = match rule {
            Rule::shows => match parts.next() {
                Some(board) if board.as_rule() == Rule::board => CheckKind::ShowsDrawn(self.rows(board)),
                text => CheckKind::Shows(text.map(|p| self.plain_text(p)).unwrap_or_default()),
            },
            Rule::refused => CheckKind::Refused(parts.next().map(|p| self.plain_text(p))),
            Rule::scores => CheckKind::Scores(
                parts.map(|p| p.as_str().parse().expect("the grammar reads digits")).collect(),
            ),
            Rule::expect => match parts.next().expect("a value") {
                board if board.as_rule() == Rule::expect_board => {
                    let (name, rows) = self.drawn_board(board);
                    CheckKind::Board(name, rows)
                }
                value => CheckKind::Expect(self.expr(value)),
            },
            Rule::over => CheckKind::Over,
            _ if none => CheckKind::Winners(Vec::new()),
            _ => CheckKind::Winners(
                parts.filter(|p| p.as_rule() == Rule::seat).map(|p| self.seat(p)).collect(),
            ),
        };
        Check { kind, span: place }
    }
}
