//! Builds the parts of a file, and types.

use pest::iterators::Pair;

use super::{Builder, inner, last, span};
use crate::ast::*;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::fractions::divisions;
use crate::syntax::grammar::Rule;

impl Builder {
    // ---- items

    pub(super) fn file(&mut self, root: Pair<Rule>) -> File {
        let mut items = Vec::new();
        for pair in root.into_inner() {
            let place = span(&pair);
            match pair.as_rule() {
                Rule::nl | Rule::EOI => {}
                Rule::junk_item => self.junk_item(place),
                _ => {
                    if let Some(kind) = self.item(pair) {
                        let mut doc = self.doc(place);
                        if matches!(kind, ItemKind::Game(_)) {
                            doc = doc.or_else(|| self.head(place));
                        }
                        items.push(Item { kind, span: place, doc });
                    }
                }
            }
        }
        let slashes = std::mem::take(&mut self.slashes);
        self.diagnostics.extend(divisions(&self.masked, slashes));
        File { items, unread: std::mem::take(&mut self.unread), ..File::default() }
    }

    /// Returns the comment at the head of the file, if blank lines separate it from the game.
    fn head(&self, game: Span) -> Option<String> {
        let mut end = self.text.len() - self.text.trim_start().len();
        let mut lines = Vec::new();
        for comment in self.comments.iter().take_while(|comment| comment.span.end < game.start) {
            if !self.text.get(end..comment.span.start)?.trim_matches(' ').is_empty() {
                break;
            }
            lines.extend(Some(comment.text.as_str()).filter(|text| !text.is_empty()));
            end = comment.span.end + 1;
        }
        (!lines.is_empty()).then(|| lines.join(" "))
    }

    pub(super) fn item(&mut self, pair: Pair<Rule>) -> Option<ItemKind> {
        let place = span(&pair);
        let rule = pair.as_rule();
        let mut parts = inner(pair).peekable();
        Some(match rule {
            Rule::game => self.game(parts),
            Rule::option => {
                let name = self.name(parts.next()?);
                let ty = parts.next_if(|p| p.as_rule() == Rule::ty).map(|p| self.ty(p));
                let default = self.expr(parts.next()?);
                ItemKind::Option(OptionDecl { name, ty, default })
            }
            Rule::drop => ItemKind::Drop(self.name(parts.next()?), parts.next().map(|p| self.dropped(p))),
            Rule::constant => ItemKind::Constant(self.name(parts.next()?), self.expr(parts.next()?)),
            Rule::kind => {
                let name = self.name(parts.next()?);
                ItemKind::Kind(name, self.one_ty(parts.next()?))
            }
            Rule::table => ItemKind::Table(self.states(parts)),
            Rule::each_player => ItemKind::EachPlayer(self.states(parts)),
            Rule::show => {
                let shown = self.expr(parts.next()?);
                let drawn = parts.next().map(|word| DrawnAs {
                    word: self.name(word),
                    sides: parts
                        .next()
                        .map_or(Vec::new(), |names| inner(names).map(|p| self.name(p)).collect()),
                });
                ItemKind::Show(shown, drawn)
            }
            Rule::move_item => {
                let secret = parts.next_if(|p| p.as_rule() == Rule::kw_secret).is_some();
                let name = self.name(parts.next()?);
                let params = match parts.next_if(|p| p.as_rule() == Rule::params) {
                    Some(list) => inner(list).map(|p| self.param(p)).collect(),
                    None => Vec::new(),
                };
                let body = self.block(parts.next()?);
                ItemKind::Move(Move { name, secret, params, body })
            }
            Rule::define => {
                let name = self.name(parts.next()?);
                let params = inner(parts.next()?).map(|p| self.name(p)).collect();
                ItemKind::Define(name, params, self.expr(parts.next()?))
            }
            Rule::rule_item => {
                let name = self.name(parts.next()?);
                let params = inner(parts.next()?).map(|p| self.name(p)).collect();
                ItemKind::Rule(name, params, self.block(parts.next()?))
            }
            Rule::play => ItemKind::Play(self.block(parts.next()?)),
            Rule::score => {
                let seat =
                    parts.next_if(|p| matches!(p.as_rule(), Rule::name | Rule::seat_number)).map(|p| {
                        let place = span(&p);
                        match p.as_rule() {
                            Rule::name => SeatRef::Name(self.name(p)),
                            _ => {
                                let number = p.into_inner().find(|p| p.as_rule() == Rule::number);
                                SeatRef::Number(self.number(&number.expect("a number")), place)
                            }
                        }
                    });
                ItemKind::Score(seat, self.expr(parts.next()?))
            }
            Rule::winner => self.winner(parts),
            Rule::standing => ItemKind::Standing(Box::new(self.stmt(parts.next()?))),
            Rule::setup_need => {
                let cond = self.expr(parts.next()?);
                ItemKind::Need(cond, self.reason(parts.next()?))
            }
            Rule::example => self.example(parts, place),
            _ => return None,
        })
    }

    /// Returns the name of what a variant drops: a name, or an example's title.
    fn dropped(&mut self, pair: Pair<Rule>) -> Name {
        let place = span(&pair);
        match pair.as_rule() {
            Rule::string => Name { text: self.plain_text(pair), span: place },
            _ => self.name(pair),
        }
    }

    pub(super) fn game<'i>(&mut self, mut parts: impl Iterator<Item = Pair<'i, Rule>>) -> ItemKind {
        let first = parts.next().expect("a game has a title");
        let (title, of) = match first.as_rule() {
            Rule::variant_of => {
                let mut inside = first.into_inner().filter(|p| p.as_rule() == Rule::string);
                let title = self.text(inside.next().expect("a title"));
                let of = inside.next().map(|p| self.dropped(p));
                (title, of)
            }
            _ => (self.text(first), None),
        };
        let mut header = Header { title, of, by: None, from: None, notes: Vec::new(), players: None };
        for part in parts {
            match part.as_rule() {
                Rule::by => header.by = Some(self.plain_text(last(part))),
                Rule::from => header.from = Some(self.plain_text(last(part))),
                Rule::note => header.notes.push(self.plain_text(last(part))),
                Rule::seats => {
                    let place = span(&part);
                    if let Some(first) = &header.players {
                        let message = "the number of players is given twice";
                        let report = Diagnostic::new(Code::DuplicateName, place, message, "the second time");
                        self.diagnostics.push(report.also(first.span, "the first time"));
                    }
                    header.players = Some(self.seats(part));
                }
                Rule::junk => self.reparse_unreadable(span(&part), Rule::one_game_line),
                _ => {}
            }
        }
        ItemKind::Game(Box::new(header))
    }

    pub(super) fn seats(&mut self, pair: Pair<Rule>) -> Players {
        let place = span(&pair);
        let mut numbers = Vec::new();
        let (mut open, mut called) = (false, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::number => numbers.push(self.number(&part)),
                Rule::at_least => open = true,
                Rule::name => called.push(self.name(part)),
                _ => {}
            }
        }
        let min = numbers[0].clone();
        let max = if open { None } else { Some(numbers.last().cloned().unwrap_or(min.clone())) };
        Players { min, max, called, span: place }
    }

    pub(super) fn states<'i>(&mut self, parts: impl Iterator<Item = Pair<'i, Rule>>) -> Vec<State> {
        let mut states = Vec::new();
        for part in parts {
            let place = span(&part);
            match part.as_rule() {
                Rule::junk => self.reparse_unreadable(place, Rule::one_state),
                Rule::state => states.push(self.state(part)),
                _ => {}
            }
        }
        states
    }

    pub(super) fn state(&mut self, pair: Pair<Rule>) -> State {
        let place = span(&pair);
        let mut parts = inner(pair).peekable();
        let name = self.name(parts.next().expect("a state has a name"));
        let ty = self.ty(parts.next().expect("a state has a type"));
        let init = parts.next_if(|p| matches!(p.as_rule(), Rule::expr | Rule::board));
        let init = init.map(|p| self.value(p));
        let (mut each, mut secrecy) = (None, Vec::new());
        for tag in parts {
            let at = span(&tag);
            let part = last(tag);
            match part.as_rule() {
                Rule::kw_secret => secrecy.push((Secrecy::Secret, at)),
                Rule::kw_hidden => secrecy.push((Secrecy::Hidden, at)),
                _ => each = Some(self.name(part)),
            }
        }
        State { name, ty, init, each, secrecy, doc: self.doc(place), span: place }
    }

    pub(super) fn param(&mut self, pair: Pair<Rule>) -> Param {
        let mut parts = inner(pair).peekable();
        if parts.next_if(|p| p.as_rule() == Rule::kw_given).is_some() {
            let name = self.name(parts.next().expect("a name"));
            return Param { name, domain: None, filter: None, window: None };
        }
        let name = self.name(parts.next().expect("a name"));
        let domain = parts.next().map(|p| match p.as_rule() {
            Rule::or_more => self.or_more(p),
            _ => self.expr(p),
        });
        let filter = parts.next_if(|p| p.as_rule() == Rule::where_part).map(|p| self.expr(last(p)));
        let window = parts.next().map(|p| self.expr(p));
        Param { name, domain, filter, window }
    }

    pub(super) fn winner<'i>(&mut self, parts: impl Iterator<Item = Pair<'i, Rule>>) -> ItemKind {
        let (mut loser, mut best, mut last_mover, mut last_in) = (false, Vec::new(), false, false);
        for part in parts {
            match part.as_rule() {
                Rule::loser => loser = true,
                Rule::last_mover => last_mover = true,
                Rule::last_in => last_in = true,
                Rule::best => {
                    let highest = part.as_str().starts_with("highest");
                    best.push((highest, self.expr(last(part))));
                }
                _ => {}
            }
        }
        let by = match (best.is_empty(), last_in) {
            (_, true) => WinnerBy::LastIn,
            (true, false) => WinnerBy::LastMover,
            (false, false) => WinnerBy::Best(best),
        };
        let then_last_mover = last_mover && matches!(by, WinnerBy::Best(_));
        ItemKind::Winner(Winner { loser, by, then_last_mover })
    }

    // ---- types

    pub(super) fn ty(&mut self, pair: Pair<Rule>) -> Type {
        let place = span(&pair);
        let mut parts = inner(pair);
        let base = self.plain_ty(parts.next().expect("a type"));
        match parts.next() {
            Some(key) => {
                let key = self.ty(key);
                Type { kind: TypeKind::Map(Box::new(base), Box::new(key)), span: place }
            }
            None => base,
        }
    }

    pub(super) fn plain_ty(&mut self, pair: Pair<Rule>) -> Type {
        let place = span(&pair);
        let mut kinds: Vec<Type> = inner(pair).map(|p| self.one_ty(p)).collect();
        match kinds.len() {
            1 => kinds.remove(0),
            _ => Type { kind: TypeKind::Either(kinds), span: place },
        }
    }

    fn part(&mut self, pair: Pair<Rule>) -> TuplePart {
        let mut parts = inner(pair).peekable();
        let name = parts.next_if(|p| p.as_rule() == Rule::name).map(|p| self.name(p));
        TuplePart { name, ty: self.plain_ty(parts.next().expect("a type")) }
    }

    fn one_ty(&mut self, pair: Pair<Rule>) -> Type {
        let place = span(&pair);
        let rule = pair.as_rule();
        if rule == Rule::name {
            return Type { kind: TypeKind::Name(self.name(pair)), span: place };
        }
        let empty = pair.as_str().starts_with("empty");
        let mut parts = inner(pair).peekable();
        let kind = match rule {
            Rule::bool_ty => TypeKind::Bool,
            Rule::range_ty => {
                let low = self.expr(parts.next().expect("a bound"));
                TypeKind::Range(Box::new(low), Box::new(self.expr(parts.next().expect("a bound"))))
            }
            Rule::or_more => TypeKind::AtLeast(Box::new(self.expr(parts.next().expect("a bound")))),
            Rule::symbols_ty | Rule::kind_symbols => TypeKind::Symbols(parts.map(|p| self.name(p)).collect()),
            Rule::tuple_ty => TypeKind::Tuple(parts.map(|p| self.part(p)).collect()),
            Rule::list_ty => {
                let bound = parts
                    .next_if(|p| matches!(p.as_rule(), Rule::at_most | Rule::exactly))
                    .map(|p| if p.as_rule() == Rule::at_most { Bound::AtMost } else { Bound::Exactly });
                let bound = bound.map(|b| (b, Box::new(self.expr(parts.next().expect("a size")))));
                TypeKind::List(bound, Box::new(self.plain_ty(parts.next().expect("a type"))))
            }
            Rule::grid_ty => {
                let rows = Box::new(self.expr(parts.next().expect("rows")));
                let columns = Box::new(self.expr(parts.next().expect("columns")));
                let of = Box::new(self.plain_ty(parts.next().expect("a type")));
                TypeKind::Grid { empty, rows, columns, of }
            }
            _ => {
                let of = Box::new(self.plain_ty(parts.next().expect("a type")));
                match rule {
                    Rule::optional_ty => TypeKind::Optional(of),
                    Rule::set_ty => TypeKind::Set(of),
                    _ => TypeKind::Bag(of),
                }
            }
        };
        Type { kind, span: place }
    }
}
