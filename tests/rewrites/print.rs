//! Prints a syntax tree as a rule file, without comments and examples, and with no needless brackets.

use parlour::ast::*;

/// How tightly expressions bind, from the loosest; the operators are in the order of the grammar.
mod tight {
    pub const OPEN: u8 = 0; // `if`, `case`
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const NOT: u8 = 3;
    pub const COMPARE: u8 = 4;
    pub const WITH: u8 = 5;
    pub const RANGE: u8 = 6;
    pub const JOIN: u8 = 7;
    pub const COPIES: u8 = 8;
    pub const ADD: u8 = 9;
    pub const TIMES: u8 = 10;
    pub const NEGATIVE: u8 = 11;
    pub const POWER: u8 = 12;
    pub const WORD: u8 = 13;
}

/// Prints a whole file except for its examples.
pub fn file(file: &File) -> String {
    file.items.iter().filter_map(|part| item(&part.kind)).collect::<Vec<_>>().join("\n")
}

/// Prints a value.
pub fn expr(e: &Expr) -> String {
    at_least(tight::OPEN, e)
}

/// Prints a value in a position where an unbracketed `if` would be misread.
fn closed(e: &Expr) -> String {
    at_least(tight::OR, e)
}

// ---- parts of a file

fn item(kind: &ItemKind) -> Option<String> {
    Some(match kind {
        ItemKind::Game(header) => game(header),
        ItemKind::Option(option) => {
            let ty = option.ty.as_ref().map_or(String::new(), |of| format!(": {}", ty(of)));
            format!("option {}{ty} = {}\n", option.name.text, closed(&option.default))
        }
        ItemKind::Constant(name, value) => format!("let {} = {}\n", name.text, expr(value)),
        ItemKind::Kind(name, of) => match &of.kind {
            TypeKind::Symbols(symbols) => format!("kind {}: {}\n", name.text, names(symbols)),
            _ => format!("kind {}: {}\n", name.text, ty(of)),
        },
        ItemKind::Table(states) => format!("table {{\n{}}}\n", lines(states.iter().map(state))),
        ItemKind::EachPlayer(states) => format!("each player {{\n{}}}\n", lines(states.iter().map(state))),
        ItemKind::Show(value, drawn) => {
            let drawn = drawn.as_ref().map_or(String::new(), |drawn| match drawn.sides.as_slice() {
                [] => format!(" as {}", drawn.word.text),
                sides => format!(" as {}({})", drawn.word.text, names(sides)),
            });
            format!("show {}{drawn}\n", closed(value))
        }
        ItemKind::Move(mv) => {
            let secret = if mv.secret { "secret " } else { "" };
            let params: Vec<String> = mv.params.iter().map(param).collect();
            let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
            format!("{secret}move {}{params} {}\n", mv.name.text, block(&mv.body))
        }
        ItemKind::Define(name, params, body) => {
            format!("define {}({}) = {}\n", name.text, names(params), expr(body))
        }
        ItemKind::Rule(name, params, body) => {
            format!("rule {}({}) {}\n", name.text, names(params), block(body))
        }
        ItemKind::Play(body) => format!("play {}\n", block(body)),
        ItemKind::Score(seat, value) => {
            let seat = seat.as_ref().map_or(String::new(), |seat| format!("{} ", seat.words()));
            format!("score {seat}= {}\n", expr(value))
        }
        ItemKind::Winner(winner) => format!("{}\n", decided(winner)),
        ItemKind::Standing(rule) => format!("{}\n", stmt(rule)),
        ItemKind::Need(cond, reason) => format!("need {} else {}\n", closed(cond), expr(reason)),
        ItemKind::Example(_) => return None,
        ItemKind::Drop(..) => unreachable!("a variant's tree is that of the whole game"),
    })
}

fn lines(all: impl Iterator<Item = String>) -> String {
    all.map(|line| format!("  {}\n", line.replace('\n', "\n  "))).collect()
}

fn names(all: &[Name]) -> String {
    all.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ")
}

fn game(header: &Header) -> String {
    let mut inside = Vec::new();
    inside.extend(header.by.iter().map(|by| format!("by {}", quoted(by))));
    inside.extend(header.from.iter().map(|from| format!("from {}", quoted(from))));
    inside.extend(header.notes.iter().map(|note| format!("note {}", quoted(note))));
    if let Some(Players { min, max, called, .. }) = &header.players {
        let count = match max {
            None => format!("{min} or more"),
            Some(max) if max == min => min.to_string(),
            Some(max) => format!("{min} to {max}"),
        };
        let called = if called.is_empty() { String::new() } else { format!(" called {}", names(called)) };
        inside.push(format!("players {count}{called}"));
    }
    format!("game {} {{\n{}}}\n", expr(&header.title), lines(inside.into_iter()))
}

fn state(state: &State) -> String {
    let init = state.init.as_ref().map_or(String::new(), |init| format!(" = {}", closed(init)));
    let each = state.each.as_ref().map_or(String::new(), |each| format!(" each {}", each.text));
    let secrecy: String = state
        .secrecy
        .iter()
        .map(|(secrecy, _)| if *secrecy == Secrecy::Secret { " secret" } else { " hidden" })
        .collect();
    format!("{}: {}{init}{each}{secrecy}", state.name.text, ty(&state.ty))
}

fn ty(of: &Type) -> String {
    let bound = |e: &Expr| at_least(tight::JOIN, e);
    match &of.kind {
        TypeKind::Name(name) => name.text.clone(),
        TypeKind::Range(low, high) => format!("{}..{}", bound(low), bound(high)),
        TypeKind::AtLeast(low) => format!("{} or more", bound(low)),
        TypeKind::Bool => "yes or no".to_string(),
        TypeKind::Symbols(symbols) => format!("{{{}}}", names(symbols)),
        TypeKind::Optional(of) => format!("optional {}", ty(of)),
        TypeKind::List(None, of) => format!("list of {}", ty(of)),
        TypeKind::List(Some((Bound::AtMost, n)), of) => format!("list of at most {} of {}", bound(n), ty(of)),
        TypeKind::List(Some((Bound::Exactly, n)), of) => {
            format!("list of exactly {} of {}", bound(n), ty(of))
        }
        TypeKind::Set(of) => format!("set of {}", ty(of)),
        TypeKind::Bag(of) => format!("bag of {}", ty(of)),
        TypeKind::Grid { empty, rows, columns, of } => {
            let empty = if *empty { "empty " } else { "" };
            format!("{empty}grid {} by {} of {}", bound(rows), bound(columns), ty(of))
        }
        TypeKind::Tuple(parts) => {
            let part = |part: &TuplePart| match &part.name {
                Some(name) => format!("{}: {}", name.text, ty(&part.ty)),
                None => ty(&part.ty),
            };
            format!("({})", parts.iter().map(part).collect::<Vec<_>>().join(", "))
        }
        TypeKind::Either(kinds) => kinds.iter().map(ty).collect::<Vec<_>>().join(" or "),
        TypeKind::Map(value, key) => format!("{} for each {}", ty(value), ty(key)),
    }
}

fn param(param: &Param) -> String {
    let name = &param.name.text;
    let Some(domain) = &param.domain else { return format!("given {name}") };
    let tried = param.window.iter().map(|window| format!(" try {}", closed(window))).collect::<String>();
    format!("{name} in {}{}{tried}", closed(domain), which(param.filter.as_ref()))
}

/// Prints the filter on a domain.
fn which(filter: Option<&Expr>) -> String {
    filter.map(|filter| format!(" where {}", closed(filter))).unwrap_or_default()
}

fn decided(winner: &Winner) -> String {
    let word = if winner.loser { "loser" } else { "winner" };
    match &winner.by {
        WinnerBy::LastMover => format!("{word} last mover"),
        WinnerBy::LastIn => format!("{word} last in"),
        WinnerBy::Best(best) => {
            let best: Vec<String> = best
                .iter()
                .map(|(highest, e)| format!("{} {}", if *highest { "highest" } else { "lowest" }, closed(e)))
                .collect();
            let last = if winner.then_last_mover { ", then last mover" } else { "" };
            format!("{word} {}{last}", best.join(", then "))
        }
    }
}

// ---- statements

fn block(block: &Block) -> String {
    format!("{{\n{}}}", lines(block.stmts.iter().map(stmt)))
}

fn pattern(pattern: &Pattern) -> String {
    match pattern.names.as_slice() {
        [one] => one.text.clone(),
        many => format!("({})", names(many)),
    }
}

fn choices(choices: &Choices) -> String {
    let list = |of: &[Choice]| {
        let one = |choice: &Choice| match &choice.given {
            None => choice.name.text.clone(),
            Some(given) => format!("{}({})", choice.name.text, values(given)),
        };
        of.iter().map(one).collect::<Vec<_>>().join(" or ")
    };
    let if_possible = if choices.if_possible { " if possible" } else { "" };
    match choices.otherwise.as_slice() {
        [] => format!("{}{if_possible}", list(&choices.first)),
        otherwise => format!("{} else {}{if_possible}", list(&choices.first), list(otherwise)),
    }
}

fn until(until: Option<&Until>) -> String {
    match until {
        None => String::new(),
        Some(Until::Stuck(_)) => " until stuck".to_string(),
        Some(Until::Cond(cond)) => format!(" until {}", closed(cond)),
    }
}

/// Prints a statement, with the statements of its blocks on lines of their own.
pub fn stmt(stmt: &Stmt) -> String {
    let filter =
        |filter: &Option<Expr>| filter.as_ref().map_or(String::new(), |c| format!(" where {}", closed(c)));
    let label =
        |label: &Option<Name>| label.as_ref().map_or(String::new(), |name| format!(" as {}", name.text));
    match &stmt.kind {
        StmtKind::Let(names, value) => format!("let {} = {}", pattern(names), expr(value)),
        StmtKind::Need(cond, reason) => format!("need {} else {}", closed(cond), expr(reason)),
        StmtKind::NeedIfPossible(cond, reason) => {
            let reason = reason.as_ref().map_or(String::new(), |reason| format!(" else {}", expr(reason)));
            format!("need if possible {}{reason}", closed(cond))
        }
        StmtKind::Award(amount, to, why) => {
            let why = why.as_ref().map_or(String::new(), |why| format!(" for {}", expr(why)));
            format!("award {} to {}{why}", closed(amount), closed(to))
        }
        StmtKind::Say(text, to) => {
            let to = to.as_ref().map_or(String::new(), |to| format!(" to {}", closed(to)));
            format!("say {}{to}", expr(text))
        }
        StmtKind::Send(what, from, to) => {
            format!("send {} from {} to {}", closed(what), expr(from), expr(to))
        }
        StmtKind::Reveal(what) => format!("reveal {}", expr(what)),
        StmtKind::Conceal(what) => format!("conceal {}", expr(what)),
        StmtKind::Out(who) => format!("out {}", closed(who)),
        StmtKind::Again => "again".to_string(),
        StmtKind::If(arms, otherwise) => {
            let arms: Vec<String> =
                arms.iter().map(|(cond, body)| format!("if {} {}", closed(cond), block(body))).collect();
            let otherwise = otherwise.as_ref().map_or(String::new(), |body| format!(" else {}", block(body)));
            format!("{}{otherwise}", arms.join(" else "))
        }
        StmtKind::Each { pattern: names, source, filter: cond, label: name, body } => {
            let (cond, name) = (filter(cond), label(name));
            format!("each {} in {}{cond}{name} {}", pattern(names), closed(source), block(body))
        }
        StmtKind::Cycle { pattern: names, source, filter: cond, label: name, until: end, body } => {
            let (cond, name, end) = (filter(cond), label(name), until(end.as_ref()));
            format!("cycle {} in {}{cond}{name}{end} {}", pattern(names), closed(source), block(body))
        }
        StmtKind::Repeat { count, label: name, body, until: end } => {
            let count = count.as_ref().map_or(String::new(), |count| format!(" {}", closed(count)));
            format!("repeat{count}{} {}{}", label(name), block(body), until(end.as_ref()))
        }
        StmtKind::Turns { by, from, label: name, before, stuck, body, after } => {
            let by = by.as_ref().map_or(String::new(), |by| format!(" by {}", closed(by)));
            let from = from.as_ref().map_or(String::new(), |from| format!(" from {}", closed(from)));
            let stuck = match stuck {
                None => "",
                Some(Stuck::Skip) => " skipping stuck",
                Some(Stuck::Drop) => " dropping stuck",
            };
            let (before, after) = (until(before.as_ref()), until(after.as_ref()));
            format!("turns{by}{from}{}{before}{stuck} {}{after}", label(name), block(body))
        }
        StmtKind::Ask(who, offers) => format!("ask {} to {}", closed(who), choices(offers)),
        StmtKind::Together(who, offers) => format!("together {} {{ {} }}", closed(who), choices(offers)),
        StmtKind::TogetherAsk(asks) => {
            let asks: Vec<String> = asks
                .iter()
                .map(|(who, offers)| format!("ask {} to {}\n", closed(who), choices(offers)))
                .collect();
            format!("together {{\n{}}}", asks.concat())
        }
        StmtKind::Choose(offers) => choices(offers),
        StmtKind::Chance(name, domain, filter) => {
            format!("chance {} in {}{}", name.text, closed(domain), which(filter.as_ref()))
        }
        StmtKind::Shuffle(what) => format!("shuffle {}", expr(what)),
        StmtKind::Draw(name, from) => format!("draw {} from {}", name.text, expr(from)),
        StmtKind::Deal(count, from, to) => {
            format!("deal {} from {} to {}", closed(count), expr(from), expr(to))
        }
        StmtKind::Phase(name, body) => format!("phase {} {}", name.text, block(body)),
        StmtKind::EndWhen(cond) => format!("end when {}", closed(cond)),
        StmtKind::WinWhen(who, cond) => format!("win {} when {}", closed(who), closed(cond)),
        StmtKind::Win(who) => format!("win {}", closed(who)),
        StmtKind::End => "end".to_string(),
        StmtKind::Assign(target, op, value) => {
            let op = match op {
                Assign::Set => ":=",
                Assign::Add => "+=",
                Assign::Take => "-=",
                Assign::Join => "++=",
            };
            format!("{} {op} {}", expr(target), expr(value))
        }
        StmtKind::Wrong => unreachable!("only files that can be read are rewritten"),
    }
}

// ---- values

fn values(all: &[Expr]) -> String {
    all.iter().map(expr).collect::<Vec<_>>().join(", ")
}

/// Prints a value, in brackets if it binds less tightly than `tightness`.
fn at_least(tightness: u8, e: &Expr) -> String {
    let (own, text) = written(e);
    if own < tightness { format!("({text})") } else { text }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' | '{' | '}' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}

fn inside(inside: &Inside) -> String {
    let mut out = values(&inside.items);
    if let Some(filter) = &inside.filter {
        out.push_str(&format!(" where {}", closed(filter)));
    }
    if let Some(stop) = &inside.stop {
        out.push_str(&format!(" while {}", closed(stop)));
    }
    if let Some(body) = &inside.body {
        out.push_str(&format!(": {}", expr(body)));
    }
    out
}

/// Returns how tightly a value binds, and its text.
fn written(e: &Expr) -> (u8, String) {
    use tight as t;
    match &e.kind {
        ExprKind::Number(n) => (if n.is_negative() { t::NEGATIVE } else { t::WORD }, n.to_string()),
        ExprKind::Text(parts) => {
            let part = |part: &TextPart| match part {
                TextPart::Chars(chars) => escaped(chars),
                TextPart::Filled(value) => format!("{{{}}}", expr(value)),
            };
            (t::WORD, format!("\"{}\"", parts.iter().map(part).collect::<String>()))
        }
        ExprKind::Board(rows) => {
            (t::WORD, rows.iter().map(|row| format!("\n      {}", row.text)).collect::<String>())
        }
        ExprKind::AtLeast(low) => (t::OR, format!("{} or more", at_least(t::JOIN, low))),
        ExprKind::Bool(true) => (t::WORD, "yes".to_string()),
        ExprKind::Bool(false) => (t::WORD, "no".to_string()),
        ExprKind::None => (t::WORD, "none".to_string()),
        ExprKind::Every(name) => (t::WORD, format!("every {}", name.text)),
        ExprKind::Name(name) => (t::WORD, name.clone()),
        ExprKind::Call(name, args) => (t::WORD, format!("{}({})", name.text, inside(args))),
        ExprKind::Tuple(parts) => (t::WORD, format!("({})", values(parts))),
        ExprKind::List(all) => (t::WORD, format!("[{}]", inside(all))),
        ExprKind::Set(all) => (t::WORD, format!("{{{}}}", inside(all))),
        ExprKind::Index(base, at) => (t::WORD, format!("{}[{}]", at_least(t::WORD, base), values(at))),
        ExprKind::Field(base, name) => (t::WORD, format!("{}.{}", at_least(t::WORD, base), name.text)),
        ExprKind::Not(a) => (t::NOT, format!("not {}", at_least(t::NOT, a))),
        ExprKind::Negative(a) => (t::NEGATIVE, format!("-{}", at_least(t::POWER, a))),
        ExprKind::Binary(op, a, b) => {
            let (own, left, sign, right) = match op {
                BinaryOp::Or => (t::OR, t::OR, " or ", t::AND),
                BinaryOp::And => (t::AND, t::AND, " and ", t::NOT),
                BinaryOp::Range => (t::RANGE, t::JOIN, "..", t::JOIN),
                BinaryOp::Join => (t::JOIN, t::JOIN, " ++ ", t::COPIES),
                BinaryOp::Copies => (t::COPIES, t::ADD, " copies of ", t::ADD),
                BinaryOp::CopiesOfEach => {
                    let range = matches!(b.kind, ExprKind::Binary(BinaryOp::Range, ..));
                    (t::COPIES, t::ADD, " copies of each of ", if range { t::RANGE } else { t::ADD })
                }
                BinaryOp::Add => (t::ADD, t::ADD, " + ", t::TIMES),
                BinaryOp::Sub => (t::ADD, t::ADD, " - ", t::TIMES),
                BinaryOp::Mul => (t::TIMES, t::TIMES, " * ", t::NEGATIVE),
                BinaryOp::Div => (t::TIMES, t::TIMES, " div ", t::NEGATIVE),
                BinaryOp::Mod => (t::TIMES, t::TIMES, " mod ", t::NEGATIVE),
                BinaryOp::Pow => (t::POWER, t::WORD, " ^ ", t::POWER),
            };
            (own, format!("{}{sign}{}", at_least(left, a), at_least(right, b)))
        }
        ExprKind::Compare(first, links) => {
            let mut out = at_least(t::WITH, first);
            for (op, e) in links {
                let sign = match op {
                    CompareOp::Equal => "=",
                    CompareOp::NotEqual => "!=",
                    CompareOp::Less => "<",
                    CompareOp::AtMost => "<=",
                    CompareOp::Greater => ">",
                    CompareOp::AtLeast => ">=",
                    CompareOp::In => "in",
                    CompareOp::NotIn => "not in",
                    CompareOp::Divides => "divides",
                };
                out.push_str(&format!(" {sign} {}", at_least(t::WITH, e)));
            }
            (t::COMPARE, out)
        }
        ExprKind::Is(a, negated, test) => {
            let test = match test {
                IsTest::None => "none",
                IsTest::In => "in",
                IsTest::Out => "out",
                IsTest::Predicate(name) => &name.text,
            };
            let not = if *negated { "not " } else { "" };
            (t::COMPARE, format!("{} is {not}{test}", at_least(t::WITH, a)))
        }
        ExprKind::With(base, at, value) => {
            let (base, value) = (at_least(t::RANGE, base), at_least(t::JOIN, value));
            (t::WITH, format!("{base} with [{}] = {value}", values(at)))
        }
        ExprKind::If(arms, otherwise) => {
            let arm =
                |(cond, value): &(Expr, Expr)| format!("if {} then {} else ", closed(cond), closed(value));
            (t::OPEN, format!("{}{}", arms.iter().map(arm).collect::<String>(), closed(otherwise)))
        }
        ExprKind::Case(subject, arms, otherwise) => {
            let arms = arms.iter().map(|(labels, value)| format!("{}: {}", values(labels), closed(value)));
            let otherwise = otherwise.iter().map(|value| format!("else: {}", closed(value)));
            (t::OPEN, format!("case {} {{\n{}}}", closed(subject), lines(arms.chain(otherwise))))
        }
        ExprKind::Wrong => unreachable!("only files that can be read are rewritten"),
    }
}
