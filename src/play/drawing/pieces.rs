//! The values shown on the table, now and before the last choice, with what the rules say about each: whether
//! it has a value per seat, whether it is a hand, and how its elements are typed.

use std::collections::BTreeSet;

use super::maker::owned_by;
use crate::diag::Code;
use crate::eval::{Fault, Position, elements, text::words};
use crate::ir::{
    Builtin, Domain, DrawnAs, Effect, Expr, ExprKind, FoldKind, Game, Grid, Lambda, Op, Scoring, Sight,
    State, StateId, TextPart, Type, Value, changes, children, legality_parts, public_sizes,
};
use crate::play::Match;

/// A line of the table: text and values, and how the author wants it drawn.
pub struct Shown {
    pub bits: Vec<Bit>,
    pub drawn: Option<DrawnAs>,
}

impl Shown {
    /// Creates a line of one value without a name.
    pub fn of(ty: &Type, value: &Value) -> Shown {
        Shown { bits: vec![Bit::Piece(Piece::of(ty, value))], drawn: None }
    }

    /// Returns the lines of text shown if nothing is drawn.
    pub fn written(&self, game: &Game) -> Vec<String> {
        let bits = self.bits.iter().map(|bit| match bit {
            Bit::Chars(chars) => chars.clone(),
            Bit::Piece(piece) => words(game, &piece.value),
        });
        bits.collect::<String>().split('\n').map(|line| line.trim_end().to_string()).collect()
    }
}

impl Piece {
    /// Creates a piece for a value without a name.
    pub fn of(ty: &Type, value: &Value) -> Piece {
        Piece {
            name: String::new(),
            ty: ty.clone(),
            value: value.clone(),
            before: None,
            by_seat: false,
            hand: false,
            places: Vec::new(),
        }
    }
}

/// A part of a line.
pub enum Bit {
    Chars(String),
    Piece(Piece),
}

/// A value that is shown.
pub struct Piece {
    /// Its name in the rules; empty if it has none.
    pub name: String,
    /// Its type; the element type if `by_seat` is set.
    pub ty: Type,
    /// The current value.
    pub value: Value,
    /// The value before the last choice.
    pub before: Option<Value>,
    /// Whether it is a list with one value per seat.
    pub by_seat: bool,
    /// Whether its elements are dealt, drawn or played from it, as cards are.
    pub hand: bool,
    /// The names by which the elements of a list are typed.
    pub places: Vec<String>,
}

/// What the rules of a game imply for how things are drawn.
pub struct DrawHints {
    /// Whether columns have letters, because squares are typed as `b3`; otherwise they have numbers.
    pub letters: bool,
    /// Whether the fields of its boards have six neighbours.
    pub hexes: bool,
    /// The state that elements are dealt, drawn or played from.
    hands: BTreeSet<StateId>,
    /// The types of elements dealt or drawn there; a plain number is not a card elsewhere.
    cards: Vec<Type>,
    /// The hidden hands and piles whose sizes everybody knows.
    counted: BTreeSet<StateId>,
}

impl DrawHints {
    /// Derives the hints from a game.
    pub fn of(game: &Game) -> DrawHints {
        let params = || game.moves.iter().flat_map(|mv| &mv.params).map(|param| &param.ty);
        let squares = params().any(|ty| mentions(ty, &Type::Square))
            || game.state.iter().any(|state| mentions(&state.form.ty(), &Type::Square));
        let dealt = dealt(game);
        let held = dealt.iter().filter_map(|id| elements_of(&game.state[*id].form.ty()).cloned());
        let cards = held.filter(|ty| matches!(ty, Type::Symbol(_) | Type::Tuple(_))).collect();
        let mut hints = DrawHints {
            letters: squares || !params().any(|ty| mentions(ty, &Type::Int)),
            hexes: asks_for_hexes(game),
            hands: dealt.union(&chosen_from(game)).copied().collect(),
            cards,
            counted: BTreeSet::new(),
        };
        let sizes = public_sizes(game).into_iter();
        hints.counted = sizes.filter(|id| hints.is_hand(game, *id)).collect();
        hints
    }

    /// Whether a piece of state is hidden but everybody knows its size.
    pub fn is_counted(&self, id: StateId) -> bool {
        self.counted.contains(&id)
    }

    /// Whether the elements of a piece of state are dealt, drawn or played, or have the type of cards.
    pub fn is_hand(&self, game: &Game, id: StateId) -> bool {
        let ty = game.state[id].form.ty();
        match elements_of(&ty) {
            Some(of) => self.hands.contains(&id) || self.cards.contains(of),
            None => self.is_card(&ty),
        }
    }

    /// Whether values of a type are dealt or drawn anywhere.
    fn is_card(&self, ty: &Type) -> bool {
        match ty {
            Type::Optional(of) => self.is_card(of),
            ty => self.cards.contains(ty),
        }
    }
}

/// Returns the element type of a collection.
fn elements_of(ty: &Type) -> Option<&Type> {
    match ty {
        Type::List(of) | Type::Set(of) | Type::Bag(of) => Some(of),
        _ => None,
    }
}

/// Whether a type is `wanted` or contains it.
fn mentions(ty: &Type, wanted: &Type) -> bool {
    match ty {
        ty if ty == wanted => true,
        Type::Optional(of) | Type::List(of) | Type::Set(of) | Type::Bag(of) | Type::Either(_, of) => {
            mentions(of, wanted)
        }
        Type::Tuple(parts) => parts.iter().any(|part| mentions(part, wanted)),
        _ => false,
    }
}

fn asks_for_hexes(game: &Game) -> bool {
    fn found(e: &Expr) -> bool {
        let mut any = matches!(e.kind, ExprKind::Builtin(Builtin::Hexes, _));
        children(e, &mut |child| any = any || found(child));
        any
    }
    let functions = game.functions.iter().map(|function| &function.lambda.body);
    let scores = match &game.scoring {
        Scoring::None | Scoring::Awards => Vec::new(),
        Scoring::Each(lambda) => vec![&lambda.body],
        Scoring::Named(lambdas) => lambdas.iter().map(|lambda| &lambda.body).collect(),
    };
    let code = game.code.iter().filter_map(|op| match op {
        Op::Unless(cond, _) => Some(vec![cond]),
        Op::Do(Effect::Let(_, value), _) => Some(vec![value]),
        Op::Do(Effect::Assign(_, values), _) => Some(values.iter().collect()),
        _ => None,
    });
    let moves = game.moves.iter().flat_map(legality_parts);
    functions.chain(scores).chain(moves).chain(code.flatten()).any(found)
}

/// Returns the state that holds cards: elements are shuffled, dealt, drawn or sent there.
fn dealt(game: &Game) -> BTreeSet<StateId> {
    let mut found = BTreeSet::new();
    for op in &game.code {
        let places = match op {
            Op::Do(Effect::Assign(..), _) => continue,
            op => changes(op).into_iter().map(|(place, _)| place),
        };
        found.extend(places.filter(|place| place.path.is_empty()).map(|place| place.state));
    }
    found
}

/// Returns the state that parameters of moves are chosen from directly.
fn chosen_from(game: &Game) -> BTreeSet<StateId> {
    let domains = game.moves.iter().flat_map(|mv| &mv.params).filter_map(|param| param.domain.as_ref());
    let state = domains.filter_map(|domain| match domain {
        Domain::Values(e) => state_of(e),
        _ => None,
    });
    state.collect()
}

/// Returns the piece of state that an expression reads as a whole.
fn state_of(e: &Expr) -> Option<StateId> {
    match &e.kind {
        ExprKind::Table(id) | ExprKind::Own(id, _) => Some(*id),
        _ => None,
    }
}

/// Returns what a match shows: the `show` lines (without any, all public state), and countable hidden cards.
pub fn shown(played: &Match, hints: &DrawHints) -> Result<Vec<Shown>, Fault> {
    let game = &played.machine().game;
    let mut lines = shown_lines(played, hints)?;
    let others = unwritten(game, hints).into_iter();
    lines.extend(others.map(|id| public(played, hints, id, &game.state[id])));
    lines.extend(backs(played, hints));
    Ok(lines)
}

/// Returns what the `show` lines show.
pub fn shown_lines(played: &Match, hints: &DrawHints) -> Result<Vec<Shown>, Fault> {
    let game = &played.machine().game;
    let line = |show: &crate::ir::Show| {
        let frame = show.text.frame;
        let bits = match &show.text.body.kind {
            ExprKind::Text(parts) => {
                let bit = |part: &TextPart| match part {
                    TextPart::Chars(chars) => Ok(Bit::Chars(chars.clone())),
                    TextPart::Value(e) => piece(played, hints, e, frame).map(Bit::Piece),
                };
                parts.iter().map(bit).collect::<Result<Vec<_>, Fault>>()?
            }
            _ => vec![Bit::Piece(piece(played, hints, &show.text.body, frame)?)],
        };
        Ok(Shown { bits, drawn: show.drawn.clone() })
    };
    game.show.iter().map(line).collect()
}

/// Returns how the author wants a piece of state drawn.
pub fn drawn_as(game: &Game, id: StateId) -> Option<DrawnAs> {
    let line = game.show.iter().find(|line| reads(&line.text.body, id));
    line.and_then(|line| line.drawn.clone())
}

/// Whether a `show` line reads a piece of state.
fn is_shown(game: &Game, id: StateId) -> bool {
    game.show.iter().any(|line| reads(&line.text.body, id))
}

/// Returns the grids on the table.
pub fn grids_on_table(played: &Match) -> impl Iterator<Item = &Grid> {
    let game = &played.machine().game;
    let position = played.position();
    let on_table = move |id: &StateId| game.show.is_empty() || is_shown(game, *id);
    (0..game.state.len()).filter(on_table).filter_map(|id| {
        match &position.cells[played.machine().setup.bases[id]] {
            Value::Grid(grid) => Some(&**grid),
            _ => None,
        }
    })
}

/// Returns the state that is shown although no `show` line reads it: public hands, since players choose from
/// them; all public state if the rules have no `show` lines.
pub fn unwritten(game: &Game, hints: &DrawHints) -> Vec<StateId> {
    let open = |(id, state): &(StateId, &State)| {
        let hand = || state.per_player && hints.is_hand(game, *id) && !is_shown(game, *id);
        state.sight == Sight::Public && (game.show.is_empty() || hand())
    };
    game.state.iter().enumerate().filter(open).map(|(id, _)| id).collect()
}

/// Returns the hidden hands and piles that everybody can count.
fn backs(played: &Match, hints: &DrawHints) -> Vec<Shown> {
    let game = &played.machine().game;
    let state = game.state.iter().enumerate();
    let mut counted: Vec<(StateId, &State)> = state.filter(|(id, _)| hints.is_counted(*id)).collect();
    // Hands come first, so that they join the table of seats above them.
    counted.sort_by_key(|(_, state)| !state.per_player);
    counted.into_iter().map(|(id, state)| public(played, hints, id, state)).collect()
}

/// Replaces the elements of a hidden collection by the same number of face-down cards.
pub fn face_down(value: &Value) -> Value {
    match value {
        Value::List(_) | Value::Set(_) | Value::Bag(_) => {
            Value::list(vec![Value::Unset; elements(value).len()])
        }
        value => value.clone(),
    }
}

/// Evaluates a shown value, now and before the last choice.
fn piece(played: &Match, hints: &DrawHints, e: &Expr, frame: usize) -> Result<Piece, Fault> {
    let game = &played.machine().game;
    let now = played.position();
    let before = played.before();
    let seated = by_seat(e);
    let state = state_of(seated.map_or(e, |(_, body)| body));
    let value = |position: &Position| match seated {
        None => eval(played, position, e, frame, None),
        Some((slot, body)) => {
            let seats = 0..played.players();
            let each = seats.map(|seat| eval(played, position, body, frame, Some((slot, seat))));
            Ok(Value::list(each.collect::<Result<_, Fault>>()?))
        }
    };
    let current = value(now)?;
    let name = match (state, seated.map_or(&e.kind, |(_, body)| &body.kind)) {
        (Some(id), _) => game.state[id].name.replace('_', " "),
        (None, ExprKind::Score(_)) => "score".to_string(),
        (None, ExprKind::Call(id, _)) => game.functions[*id].name.replace('_', " "),
        _ => String::new(),
    };
    // Of several boards with one name, each is told by its owner.
    let owner = match &e.kind {
        ExprKind::Own(_, owner) if matches!(e.ty, Type::Grid(_)) => eval(played, now, owner, frame, None)?,
        _ => Value::None,
    };
    let name = match owner {
        Value::Player(seat) => owned_by(&name, &game.seat_name(seat)),
        _ => name,
    };
    Ok(Piece {
        name,
        ty: seated.map_or(&e.ty, |(_, body)| &body.ty).clone(),
        // Used for marks only; a value that was unset before gets none.
        before: before.and_then(|position| value(position).ok()),
        by_seat: seated.is_some(),
        hand: state.is_some_and(|id| hints.is_hand(game, id)),
        places: places(played, e, frame, &current)?,
        value: current,
    })
}

/// Evaluates an expression, with a seat in a slot if given; unset state yields `Unset`.
fn eval(
    played: &Match,
    position: &Position,
    e: &Expr,
    frame: usize,
    seat: Option<(usize, usize)>,
) -> Result<Value, Fault> {
    let mut args = Vec::new();
    if let Some((slot, seat)) = seat {
        args.resize(slot + 1, Value::Unset);
        args[slot] = Value::Player(seat);
    }
    let lambda = Lambda { params: args.len(), frame: frame.max(args.len()), body: e.clone() };
    match played.machine().ask(position, |env| env.call(&lambda, args)) {
        Err(fault) if fault.code == Code::Unset => Ok(Value::Unset),
        value => value,
    }
}

/// Recognises a list with a value per seat, `[p in players: p.purse]`; returns the seat's slot and the value.
pub fn by_seat(e: &Expr) -> Option<(usize, &Expr)> {
    let ExprKind::Fold(fold) = &e.kind else { return None };
    let [source] = fold.sources.as_slice() else { return None };
    let all = matches!(&source.domain, Domain::Values(of) if matches!(of.kind, ExprKind::Players));
    let plain = fold.kind == FoldKind::List && fold.filter.is_none() && fold.stop.is_none();
    match source.slots.as_slice() {
        [slot] if all && plain => Some((*slot, &fold.body)),
        _ => None,
    }
}

/// Returns the names of a list's elements: the keys that `[k in mine: pits[k]]` reads, else numbers from 1.
fn places(played: &Match, e: &Expr, frame: usize, value: &Value) -> Result<Vec<String>, Fault> {
    let game = &played.machine().game;
    if let ExprKind::Fold(fold) = &e.kind
        && let ExprKind::Index(_, key) = &fold.body.kind
        && let ExprKind::Local(slot) = key.kind
        && fold.sources.iter().any(|source| source.slots == [slot])
    {
        let mut keys = fold.clone();
        keys.body = (**key).clone();
        let ty = Type::List(Box::new(key.ty.clone()));
        let keys = Expr { kind: ExprKind::Fold(keys), ty, span: e.span };
        let keys = eval(played, played.position(), &keys, frame, None)?;
        return Ok(elements(&keys).iter().map(|key| words(game, key)).collect());
    }
    Ok(match value {
        Value::Map(map) => map.keys().map(|key| words(game, key)).collect(),
        Value::List(items) => (1..=items.len()).map(|k| k.to_string()).collect(),
        _ => Vec::new(),
    })
}

/// Whether an expression reads a piece of state.
fn reads(e: &Expr, id: StateId) -> bool {
    let mut any = state_of(e) == Some(id);
    children(e, &mut |child| any = any || reads(child, id));
    any
}

/// Returns the public grids on the table with their names, as the author wants them drawn.
pub fn grids(played: &Match, hints: &DrawHints) -> Vec<(String, Shown)> {
    let game = &played.machine().game;
    let open = |(_, state): &(StateId, &State)| {
        !state.per_player && state.sight == Sight::Public && matches!(state.form.ty(), Type::Grid(_))
    };
    let drawn = |(id, state): (StateId, &State)| {
        // A rules sheet marks no changes.
        let mut shown = public(played, hints, id, state);
        shown.drawn = drawn_as(game, id);
        shown.bits.iter_mut().for_each(|bit| {
            if let Bit::Piece(piece) = bit {
                piece.before = None;
            }
        });
        (state.name.clone(), shown)
    };
    game.state.iter().enumerate().filter(open).map(drawn).collect()
}

/// Shows a piece of state after its name; hidden collections are face down.
fn public(played: &Match, hints: &DrawHints, id: StateId, state: &State) -> Shown {
    let base = played.machine().setup.bases[id];
    let cell = |position: &Position, owner: usize| {
        let value = &position.cells[base + owner];
        match state.sight == Sight::Public || position.revealed[base + owner] {
            true => value.clone(),
            false => face_down(value),
        }
    };
    let cells = |position: &Position| match state.per_player {
        true => Value::list((0..played.players()).map(|owner| cell(position, owner)).collect()),
        false => cell(position, 0),
    };
    let name = state.name.replace('_', " ");
    let piece = Piece {
        name: name.clone(),
        ty: state.form.ty(),
        value: cells(played.position()),
        before: played.before().map(cells),
        by_seat: state.per_player,
        hand: hints.is_hand(&played.machine().game, id),
        places: Vec::new(),
    };
    Shown { bits: vec![Bit::Chars(format!("{name}: ")), Bit::Piece(piece)], drawn: None }
}
