//! Who may see what: scores and shows are public, and a need may read only what the mover sees.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::diag::{Code, Diagnostic};
use crate::ir::{
    Domain, Effect, Expr, ExprKind, Game, MoveCheck, Op, Scoring, Sight, Slot, State, StateId, Type,
    WinnerBy, children, hides_size, legality_parts, public_sizes, read_for_size,
};
use crate::source::{Source, Span};

/// Returns where an expression first reads something that changes during play, if it does.
pub(super) fn reads_state(game: &Game, e: &Expr) -> Option<Span> {
    let mut found = None;
    let mut seen = HashSet::new();
    visit(game, e, &mut seen, &mut |part| {
        let changes = matches!(
            part.kind,
            ExprKind::Table(_)
                | ExprKind::Own(..)
                | ExprKind::Standing
                | ExprKind::IsIn(_)
                | ExprKind::Score(_)
        );
        if changes && found.is_none() {
            found = Some(part.span);
        }
    });
    // A read inside a function is located at the call.
    found.map(|span| if e.span.start <= span.start && span.end <= e.span.end { span } else { e.span })
}

/// Reports public values that read secrets, and needs that read what the mover cannot see.
pub(super) fn check(game: &Game, source: Option<&Source>, diagnostics: &mut Vec<Diagnostic>) {
    let sizes = public_sizes(game);
    let beside = |read: &SecretRead| beside(game, read, sizes.contains(&read.state));
    let score = |read: &SecretRead| in_points(game, source, read);
    let mut reads = Reads { game, sizes: &sizes, functions: HashMap::new() };
    let mut public = |e: &Expr, what: &str, help: &dyn Fn(&SecretRead) -> String| {
        if let Some(read) = reads.first(e, &BTreeSet::new()) {
            let help = help(&read);
            diagnostics.push(secret_report(game, Code::SecretShown, read, what, help));
        }
    };
    for line in &game.show {
        public(&line.text.body, "what is shown is public", &beside);
    }
    match &game.scoring {
        Scoring::Each(lambda) => public(&lambda.body, "scores are public", &score),
        Scoring::Named(lambdas) => {
            lambdas.iter().for_each(|lambda| public(&lambda.body, "scores are public", &score))
        }
        Scoring::None | Scoring::Awards => {}
    }
    // The winner is announced at the end, so a key may read the secrets of the seat it is evaluated for, but
    // nothing that is hidden from everybody.
    if let Some(winner) = &game.winner
        && let WinnerBy::Best(keys) = &winner.by
    {
        for (_, key) in keys {
            if let Some(read) = reads.first(&key.body, &BTreeSet::from([0])) {
                let help = "copy it to public state at the end of `play`".to_string();
                diagnostics.push(secret_report(game, Code::SecretShown, read, "who wins is public", help));
            }
        }
    }
    // A `say` has its moment: if the state is revealed somewhere, only play can tell whether that has
    // happened yet.
    let mut places = HashSet::new();
    for op in &game.code {
        let Op::Do(Effect::Say(text, to), _) = op else { continue };
        let mine = match to.as_ref().map(|to| &to.kind) {
            Some(ExprKind::Local(slot)) => BTreeSet::from([*slot]),
            _ => BTreeSet::new(),
        };
        if let Some(read) = reads.first(text, &mine)
            && !revealed(game, read.state)
            && places.insert(read.span)
        {
            let (what, help) = match to {
                Some(_) => (
                    "this is told to somebody who may not know it",
                    "copy it first to a secret of theirs, `me.answer := …`, and tell them that",
                ),
                None => ("what is said is public", "`reveal` it first, or say only what everybody may know"),
            };
            diagnostics.push(secret_report(game, Code::SecretShown, read, what, help.to_string()));
        }
    }
    for mv in &game.moves {
        let mine = BTreeSet::from([mv.me]);
        let domains = mv.params.iter().flat_map(|param| param.domain.iter().chain(&param.sampling_domain));
        let squares: Vec<&Expr> = domains.filter_map(read_for_squares).collect();
        for part in legality_parts(mv) {
            if squares.iter().any(|grid| std::ptr::eq(*grid, part)) {
                continue;
            }
            if let Some(read) = reads.first(part, &mine) {
                let what = "a player must be able to tell which moves are legal";
                let help = beside(&read);
                diagnostics.push(secret_report(game, Code::NeedReadsSecret, read, what, help));
            }
        }
        for reason in mv.checks.iter().filter_map(MoveCheck::reason) {
            if let Some(read) = reads.first(reason, &mine) {
                let what = "the player whose move is refused reads this";
                let help = "say only what that player can see".to_string();
                diagnostics.push(secret_report(game, Code::NeedReadsSecret, read, what, help));
            }
        }
    }
}

/// Whether some `reveal` in the file is of this state.
fn revealed(game: &Game, state: StateId) -> bool {
    game.code.iter().any(|op| matches!(op, Op::Do(Effect::Reveal(place), _) if place.state == state))
}

/// A secret that an expression reads.
#[derive(Debug, Clone, Copy)]
struct SecretRead {
    state: StateId,
    span: Span,
    /// Whether only how much it holds is read, which is secret too.
    of_size: bool,
}

/// Says how to read what everybody may know of a secret; `counted` if everybody knows how much it holds.
fn beside(game: &Game, read: &SecretRead, counted: bool) -> String {
    let State { name, form, per_player, sight, .. } = &game.state[read.state];
    let size = format!("`size({}{name})`", if *per_player { "p." } else { "" });
    let kept = format!("copy what everybody may know of `{name}` into public state, and read that");
    let kept = match form.ty().is_collection() {
        true if counted => format!("everybody may read {size}; {kept}"),
        true if read.of_size => format!("{kept}; {size} is as secret here, because secrets decide it"),
        _ => kept,
    };
    match (sight, per_player) {
        (Sight::Nobody, true) => {
            format!(
                "what each player may see of their own is declared `secret`, not `hidden`; otherwise {kept}"
            )
        }
        _ => kept,
    }
}

/// Says how to count a secret in the end: a score is seen all the time.
fn in_points(game: &Game, source: Option<&Source>, read: &SecretRead) -> String {
    let State { name, sight, .. } = &game.state[read.state];
    let last = format!(
        "give the points once everybody may see `{name}`, at the end of `play` and without `score`: `reveal {name}`, then `each p in players {{ award … to p }}`"
    );
    let value = match &game.scoring {
        Scoring::Each(lambda) => source.map_or("…", |source| source.slice(lambda.body.span)),
        _ => "…",
    };
    match sight {
        // Not even the winner may depend on it.
        Sight::Nobody => format!("a score is seen all the time: {last}"),
        _ => format!(
            "a score is seen all the time: {last}; or decide without points: `winner highest {value}` may read what is the player's own, because the match is over then"
        ),
    }
}

fn secret_report(game: &Game, code: Code, read: SecretRead, what: &str, help: String) -> Diagnostic {
    let SecretRead { state, span, of_size } = read;
    let hides = of_size.then(|| hides_size(game, state)).flatten();
    let (read, state) = (state, &game.state[state]);
    let who = match state.sight {
        Sight::Owner => "only its owner sees it",
        _ => "nobody sees it",
    };
    let report = Diagnostic::new(code, span, format!("this reads `{}`, but {who}", state.name), what)
        .also(state.span, "declared here")
        .help(help);
    let Some(hides) = hides else { return report };
    let State { name, per_player, .. } = &game.state[hides.state];
    let whole = if *per_player { format!("me.{name}") } else { name.clone() };
    let depends = match hides.state == read {
        true => String::new(),
        false => format!(", and what `{}` holds depends on it", state.name),
    };
    match hides.takes_out {
        true => {
            let label = format!("others cannot tell whether this takes anything out of `{name}`{depends}");
            let mut report = report.also(hides.place, label);
            let cure = format!(
                "everybody knows what leaves if it is written `send x from {whole} to …`, or if x is known to be there: chosen by \
                 `x in {whole}`, or asked for by `need x in {whole}`"
            );
            match report.help.take() {
                Some(help) => report.help(format!("{cure}; otherwise {help}")),
                None => report.help(cure),
            }
        }
        false => report.also(
            hides.place,
            format!("others cannot tell how many this adds to `{name}` or takes out{depends}"),
        ),
    }
}

/// Finds secrets that expressions read. What a function reads is kept, because helpers may call each other
/// many times.
struct Reads<'g> {
    game: &'g Game,
    /// The hidden collections whose sizes everybody knows.
    sizes: &'g BTreeSet<StateId>,
    /// What each function reads, given the parameters that are the reader's own seat.
    functions: HashMap<(usize, BTreeSet<Slot>), Option<SecretRead>>,
}

impl Reads<'_> {
    /// Returns the first secret an expression reads, other than those owned by a seat in one of the slots `mine`.
    fn first(&mut self, e: &Expr, mine: &BTreeSet<Slot>) -> Option<SecretRead> {
        let of_size = match read_for_size(e) {
            Some((state, owner)) if self.sizes.contains(&state) => {
                return owner.and_then(|owner| self.first(owner, mine));
            }
            read => read.is_some(),
        };
        match &e.kind {
            ExprKind::Table(state) if self.game.state[*state].sight != Sight::Public => {
                return Some(SecretRead { state: *state, span: e.span, of_size: false });
            }
            ExprKind::Own(state, owner) => {
                let own = matches!(owner.kind, ExprKind::Local(slot) if mine.contains(&slot));
                let hidden = match self.game.state[*state].sight {
                    Sight::Nobody => true,
                    Sight::Owner => !own,
                    Sight::Public => false,
                };
                if hidden {
                    return Some(SecretRead { state: *state, span: e.span, of_size: false });
                }
            }
            ExprKind::Call(function, args) => {
                let own = |arg: &Expr| matches!(arg.kind, ExprKind::Local(slot) if mine.contains(&slot));
                let own = args.iter().enumerate().filter(|(_, arg)| own(arg)).map(|(at, _)| at).collect();
                if let Some(read) = self.of_function(*function, own) {
                    return Some(SecretRead { span: e.span, ..read });
                }
            }
            _ => {}
        }
        let (mut found, shapes) = (None, read_for_shape(e));
        children(e, &mut |child| {
            if found.is_none() && !shapes.iter().any(|grid| std::ptr::eq(*grid, child)) {
                found = self.first(child, mine);
            }
        });
        found.map(|read| SecretRead { of_size: read.of_size || of_size, ..read })
    }

    fn of_function(&mut self, function: usize, own: BTreeSet<Slot>) -> Option<SecretRead> {
        if let Some(known) = self.functions.get(&(function, own.clone())) {
            return *known;
        }
        let game = self.game;
        let found = self.first(&game.functions[function].lambda.body, &own);
        self.functions.insert((function, own), found);
        found
    }
}

/// Returns the grid whose squares a domain lists: which squares it has is no secret.
fn read_for_squares(domain: &Domain) -> Option<&Expr> {
    match domain {
        Domain::Where(_, of, _) => read_for_squares(of),
        Domain::Values(of) => Some(of).filter(|of| is_whole_grid(of)),
        _ => None,
    }
}

/// Returns the grids of which an expression reads only the squares, and not what is on them.
pub(super) fn read_for_shape(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Builtin(builtin, args) if builtin.traits().of_shape => {
            args.first().filter(|grid| is_whole_grid(grid)).into_iter().collect()
        }
        ExprKind::Fold(fold) => {
            fold.sources.iter().filter_map(|source| read_for_squares(&source.domain)).collect()
        }
        ExprKind::In(_, domain) | ExprKind::Listed(domain) => read_for_squares(domain).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn is_whole_grid(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Table(_) | ExprKind::Own(..)) && matches!(e.ty, Type::Grid(..))
}

fn visit<'g>(game: &'g Game, e: &'g Expr, seen: &mut HashSet<usize>, on: &mut impl FnMut(&Expr)) {
    on(e);
    if let ExprKind::Call(function, _) = &e.kind
        && seen.insert(*function)
        && let Some(function) = game.functions.get(*function)
    {
        visit(game, &function.lambda.body, seen, on);
    }
    let mut parts = Vec::new();
    children(e, &mut |child| parts.push(child));
    for part in parts {
        visit(game, part, seen, on);
    }
}
