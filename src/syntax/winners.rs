//! Reports for `winner` and `loser` lines as people say them: `winner most coins, then fewest cards`,
//! `winner the player with the highest score`.

use super::grammar::{Rule, reads};
use super::habits::{Mistake, innermost};
use super::kinds::symbols_of;
use super::phrases::operand;
use super::report::end_of_part;
use super::sentences::{by_key_help, holds_several};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// Words for the lowest of several.
const LOWEST: &[&str] = &["fewest", "least", "lowest", "smallest"];

/// What people call the things that each player has.
const THINGS: &[&str] =
    &["cards", "tiles", "tokens", "pieces", "stones", "counters", "dice", "chips", "numbers"];

/// Words for a place behind the best one.
const ORDINALS: &[&str] = &["second", "third", "fourth", "2nd", "3rd", "4th", "middle", "median"];

/// How a sentence goes on with what breaks ties.
const TIES: &[&str] =
    &[" wins ties by ", " with ties broken by ", " ties broken by ", " breaks ties by ", " ties by "];

/// Diagnoses who wins, in words; `report` says what the grammar expected.
pub fn winner_line(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    winner_in_words(mistake, report).or_else(|| best_player(mistake)).or_else(|| best_of(mistake, report))
}

/// `winner the player with most coins`, `loser whoever has the fewest points`, `winner last player`: what is compared is a
/// word of the sentence.
fn winner_in_words(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let first = mistake.first;
    let line = mistake.masked[mistake.part.start..mistake.part.end].lines().next()?.trim();
    let said = line.strip_prefix(first)?.trim().trim_start_matches([':', '=']).trim();
    let plain = said.chars().all(|c| c.is_alphanumeric() || " _.'’,".contains(c));
    let compares = matches!(first, "winner" | "loser") && matches!(mistake.word(), "highest" | "lowest");
    if compares && mistake.before.ends_with(',') && innermost(mistake.before).is_none() {
        let (before, rest) = (mistake.before.trim(), mistake.onwards().trim());
        let help = format!("each further part breaks ties: write `{before} then {rest}`");
        let place = Span::new(mistake.token.start, mistake.token.start);
        return Some(mistake.says(report, "expected `then`", help).fix_of(place, "then "));
    }
    let alone = mistake.word() == "," || mistake.word() == "then";
    if mistake.rule == Rule::one_item && mistake.before.trim() == format!("{first} last in") && alone {
        let more = said.strip_prefix("last in").unwrap_or("").trim_start_matches([',', ' ']);
        let more = more.strip_prefix("then ").unwrap_or(more);
        let more =
            if more.starts_with("highest ") || more.starts_with("lowest ") { more } else { "highest score" };
        let best = if first == "winner" { "highest" } else { "lowest" };
        let help = format!(
            "`{first} last in` stands alone; to compare further, write `{first} {best} if me is in then 1 else 0, then {more}`"
        );
        return Some(mistake.says(report, "expected the end of the line", help));
    }
    let judges = matches!(first, "winner" | "loser") && mistake.rule == Rule::one_item;
    if let Some(help) = with_condition(first, said).filter(|_| judges) {
        return Some(mistake.says(report, "", help));
    }
    if !matches!(first, "winner" | "loser") || !plain || mistake.rule != Rule::one_item {
        return None;
    }
    let words: Vec<&str> = said.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let says = |word: &str| words.contains(&word);
    let cannot = says("stuck") || says("cannot") || says("can't") || says("can’t") || says("unable");
    if let Some(help) = of_a_team(&words) {
        return Some(mistake.says(report, "", help));
    }
    // A tie-break follows `then`: each part is compared in its turn.
    if let Some(written) = parts_of_winner(said, mistake.masked) {
        return Some(mistake.says(report, "", format!("write `{first} {written}`")));
    }
    if words.iter().any(|word| ORDINALS.contains(word)) {
        let value = "if count(p in players where p.score > me.score) = 1 then 1 else 0";
        let help = format!(
            "only the highest and the lowest of a value win; the second highest score, for example, is `{first} highest {value}`"
        );
        return Some(mistake.says(report, "", help));
    }
    // `not last mover`, `last mover loses`: the last mover comes last.
    let loses = says("not") || says("loses") || says("lose");
    let best = match (loses, first) {
        (false, first) => first,
        (true, "winner") => "loser",
        (true, _) => "winner",
    };
    let last = says("mover") || says("last") && (says("player") || says("move") || says("moved"));
    let help = match words.first() {
        _ if cannot => {
            let other = if first == "loser" { "winner" } else { "loser" };
            format!(
                "`turns until stuck {{ … }}` ends when somebody cannot move; then it is `{other} last mover`"
            )
        }
        _ if last
            && words.iter().any(|word| *word == "then" || LOWEST.contains(word) || *word == "highest") =>
        {
            format!(
                "write `{best} last mover`; there is only one last mover, so no tie is left for another part to break"
            )
        }
        _ if last => format!("write `{best} last mover`"),
        Some(&("is" | "the" | "player" | "whoever" | "first")) => {
            "who wins by a rule of play is written there, or at the left edge: `win p when C`".to_string()
        }
        _ => return None,
    };
    Some(mistake.says(report, "", help))
}

/// Returns help for a winner that is a team: `team with most points`, `team of last mover`.
fn of_a_team(words: &[&str]) -> Option<String> {
    let teams = ["team", "teams", "pair", "side", "partners"];
    words.iter().any(|word| teams.contains(word)).then_some(())?;
    let last = is_last_mover(words);
    let score = if last {
        "`score = if team(me) = team(mover) then 1 else 0`, with `mover := me` in the move and `mover: player = seat(1)` in `table`"
    } else {
        "`score = sum(p in players where team(p) = team(me): p.…)`"
    };
    Some(format!(
        "a team wins together where its players have the same score: define `team(p)`, write {score}, and then `winner highest score`"
    ))
}

/// Returns help for a sentence that says who wins: `Whoever has the most points wins.`
pub fn winner_of_sentence(line: &str, masked: &str) -> Option<String> {
    let line = line.trim_end_matches('.');
    let (who, first, rest) = [(" wins", "winner"), (" win", "winner"), (" loses", "loser")]
        .into_iter()
        .find_map(|(verb, first)| {
            let (who, rest) = line.split_once(verb)?;
            (rest.is_empty() || rest.starts_with(' ')).then_some((who, first, rest.trim()))
        })?;
    let condition = ["if ", "when ", "as soon as "].iter().find_map(|word| rest.strip_prefix(word));
    let all = ["everybody", "everyone", "all players", "the players", "all"];
    if let Some(condition) =
        condition.filter(|_| first == "winner" && all.contains(&who.to_lowercase().as_str()))
    {
        return Some(format!("all win together in `play`: `win players when C`, with C for “{condition}”"));
    }
    let written = parts_of_winner(&who.to_lowercase(), masked).filter(|_| rest.is_empty())?;
    Some(format!("who wins is a line at the left edge: `{first} {written}`"))
}

/// Returns help for a line that compares only some of the players: `highest me.purse where me is in`.
fn with_condition(first: &str, said: &str) -> Option<String> {
    let (compared, condition) =
        [" where ", " if ", " among those who ", " when "].iter().find_map(|word| said.split_once(word))?;
    let (best, value) = compared.split_once(' ').filter(|(best, _)| matches!(*best, "highest" | "lowest"))?;
    if condition.contains(" else ") || value.contains(',') || condition.contains(',') {
        return None;
    }
    let comes_first = if first == "winner" { "highest" } else { "lowest" };
    Some(format!(
        "those for whom a condition holds come first by a part of their own: `{first} {comes_first} if {condition} then 1 else 0, then {best} {value}`"
    ))
}

/// Returns how a winner line goes on whose parts each name what is compared: `most coins, then fewest cards`.
fn parts_of_winner(said: &str, masked: &str) -> Option<String> {
    const HIGHEST: &[&str] = &["most", "highest", "largest", "greatest", "biggest", "best", "more"];
    const FILLERS: &[&str] = &["the", "of", "number", "amount", "total", "value", "sum", "his", "their", "a"];
    const POINTS: &[&str] = &["point", "points", "score", "scores", "total", "totals"];
    let said = TIES.iter().fold(said.replace(',', " then "), |said, tie| said.replace(tie, " then most "));
    let said = [" and ", " or else ", " else ", " otherwise ", " or "]
        .iter()
        .fold(said, |said, word| said.replace(word, " then "));
    let parts: Vec<&str> = said.split("then ").filter(|part| !part.trim().is_empty()).collect();
    let parts: Option<Vec<String>> = parts
        .iter()
        .enumerate()
        .map(|(at, part)| {
            let words: Vec<&str> = part.split_whitespace().collect();
            // Only one player moved last, so that no tie is left behind it.
            if at > 0 && at + 1 == parts.len() && is_last_mover(&words) {
                return Some("last mover".to_string());
            }
            if words.iter().any(|word| ORDINALS.contains(word) || *word == "mover") {
                return None;
            }
            let names = |at: usize| HIGHEST.contains(&words[at]) || LOWEST.contains(&words[at]);
            let at = (0..words.len()).find(|at| names(*at) && (*at == 0 || words[at - 1] != "at"))?;
            let best = if LOWEST.contains(&words[at]) { "lowest" } else { "highest" };
            if (at + 1..words.len()).any(names) {
                return None;
            }
            let own = words[at + 1..].iter().find(|word| has_own(masked, word));
            let of = own.or_else(|| words[at + 1..].iter().find(|word| !FILLERS.contains(*word)))?;
            if !of.starts_with(char::is_alphabetic) {
                return None;
            }
            Some(match POINTS.contains(of) && !has_own(masked, of) {
                true => format!("{best} {}", points(masked)),
                false => format!("{best} {}", compared_of(masked, of.trim_start_matches("me."))),
            })
        })
        .collect();
    parts.map(|parts| parts.join(", then "))
}

/// Whether words say that the player who moved last comes first.
fn is_last_mover(words: &[&str]) -> bool {
    let says = |word: &str| words.contains(&word);
    !says("cannot") && says("last") && ["mover", "player", "move", "moved"].iter().any(|word| says(word))
}

/// `winner player with most points`, `award 1 to player with the highest bid`.
fn best_player(mistake: &Mistake) -> Option<Diagnostic> {
    let begins = mistake.word() == "player" && mistake.rest().starts_with(" with ");
    let whole = match begins {
        true => mistake.onwards(),
        false => {
            let goes_on = mistake.last.0 == "with" && mistake.before.ends_with("player with");
            let start = mistake.last.1.start.checked_sub("player ".len()).filter(|_| goes_on)?;
            mistake.masked[start..mistake.part.end].lines().next()?
        }
    };
    if let Some(help) = looked_for(whole).filter(|_| !matches!(mistake.first, "winner" | "loser")) {
        return Some(mistake.about(whole.trim_end(), help));
    }
    let lowest = whole.split(' ').any(|word| LOWEST.contains(&word));
    let (best, function) = if lowest { ("lowest", "smallest") } else { ("highest", "largest") };
    let help = match mistake.first {
        first @ ("winner" | "loser") => match points(mistake.masked) {
            points if points != "score" => format!("write `{first} {best} {points}`"),
            _ => format!("write `{first} {best} score`, or `{first} {best} me.…`"),
        },
        _ => format!(
            "the first player who has the {best} bid is `first(p in players where p.bid = {function}(q in players: q.bid))`"
        ),
    };
    Some(mistake.about(whole.trim_end(), help))
}

/// Returns how a player is found by what a sentence says: `player with most votes`, `player with p.bid = top`.
fn looked_for(said: &str) -> Option<String> {
    let said = said.trim().strip_prefix("player with ")?;
    let said = said.strip_prefix("the ").unwrap_or(said);
    let (word, key) = said.split_once(' ')?;
    let best = ["most", "highest", "largest", "greatest", "biggest", "best"].contains(&word);
    if !best && !LOWEST.contains(&word) {
        let compares = [" = ", " != ", " < ", " > ", " <= ", " >= "].iter().any(|sign| said.contains(sign));
        let about = said.starts_with("p.") && compares && reads(Rule::one_expr, said);
        return about
            .then(|| format!("the first player for whom it holds is `first(p in players where {said})`"));
    }
    let key = key.strip_prefix("p.").unwrap_or(key);
    let key = operand(key)
        .filter(|key| *key == key.trim() && key.chars().all(|c| c.is_alphanumeric() || c == '_'))?;
    by_key_help(if best { "largest" } else { "smallest" }, "players", key)
}

/// `traitor wins`, for a symbol: those who have it win.
pub fn symbol_wins(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let line = masked[part.start..part.end].lines().next()?.trim().trim_end_matches([';', '}']).trim();
    let said = line
        .strip_prefix("win ")
        .or_else(|| line.strip_suffix(" wins"))
        .or_else(|| line.strip_suffix(" win"));
    let symbol = said.filter(|_| rule == Rule::one_statement)?.trim();
    let symbol = symbol.strip_prefix("the ").unwrap_or(symbol);
    let symbol = symbol.strip_prefix("all ").unwrap_or(symbol);
    let symbol = symbol.strip_suffix(" players").unwrap_or(symbol);
    let named =
        symbol.chars().all(|c| c.is_alphanumeric() || c == '_') && symbol.starts_with(char::is_alphabetic);
    let lists = |ty: &str| {
        let inside =
            ty.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(inside, _)| inside);
        let of_kind = ty.split([' ', '=']).flat_map(|word| symbols_of(masked, word));
        of_kind.chain(inside.split(',').map(str::trim)).any(|name| name == symbol)
    };
    let own = own_block(masked)?.lines().filter_map(|line| line.trim().split_once(": "));
    let (state, _) = { own }.find(|(_, ty)| named && lists(ty))?;
    let written = format!("win [p in players where p.{state} = {symbol}]");
    let at = line.as_ptr() as usize - masked.as_ptr() as usize;
    let report = Diagnostic::new(
        Code::Unexpected,
        Span::new(at, at + line.len()),
        format!("`{line}` is written in another way"),
        "",
    );
    Some(report.help(format!("players win, here those whose `{state}` it is: `{written}`")).fix(written))
}

/// `winner most money`, `winner fewest cards`.
fn best_of(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let begins = mistake.before.trim() == mistake.first && matches!(mistake.first, "winner" | "loser");
    let best = match mistake.word() {
        "most" | "best" | "greatest" | "largest" | "biggest" | "max" | "maximum" => "highest",
        "min" | "minimum" => "lowest",
        word if LOWEST.contains(&word) => "lowest",
        _ => return None,
    };
    if mistake.before.ends_with(" then") && matches!(mistake.first, "winner" | "loser") {
        let (before, of) = (mistake.before.trim(), mistake.rest().trim());
        let of = if operand(of) == Some(of) {
            compared_of(mistake.masked, of.trim_start_matches("me."))
        } else {
            "…".into()
        };
        return Some(mistake.says(
            report,
            "expected `highest` or `lowest`",
            format!("write `{before} {best} {of}`"),
        ));
    }
    begins.then(|| {
        let of = mistake.rest().trim();
        let of = if operand(of) == Some(of) && !of.is_empty() { of } else { "…" };
        if matches!(of, "score" | "points" | "total") && !has_own(mistake.masked, of) {
            let written = format!("write `{} {best} {}`", mistake.first, points(mistake.masked));
            return mistake.says(report, "", written);
        }
        let of = compared_of(mistake.masked, of.trim_start_matches("me."));
        let score = if counts_points(mistake.masked) {
            format!(", or `{} {best} score`", mistake.first)
        } else {
            String::new()
        };
        mistake.says(report, "", format!("write `{} {best} {of}`{score}", mistake.first))
    })
}

/// Returns what is compared of each player: what is declared with a name, or how much of it there is. Things without a
/// name of their own are those in the only collection that each player has.
fn compared_of(masked: &str, name: &str) -> String {
    let own = own_block(masked).unwrap_or(masked);
    let declared = |name: &str| own.contains(&format!(" {name}: "));
    let other = [format!("{name}s"), name.trim_end_matches('s').to_string()];
    let name = match other.iter().find(|other| !declared(name) && declared(other)) {
        Some(other) => other,
        None => name,
    };
    match holds_several(masked, name) {
        true => format!("size(me.{name})"),
        false if name == "…" || declared(name) => format!("me.{name}"),
        false => match only_collection(masked).filter(|_| THINGS.contains(&name)) {
            Some(held) => format!("size(me.{held})"),
            None => format!("me.{name}"),
        },
    }
}

/// Whether each player has something of this name.
pub(super) fn has_own(masked: &str, name: &str) -> bool {
    own_block(masked).is_some_and(|own| own.contains(&format!(" {name}: ")))
}

/// Whether a text counts points as the language does, which `score` stands for.
fn counts_points(masked: &str) -> bool {
    masked.contains("award ") || masked.lines().any(|line| line.starts_with("score"))
}

/// Returns how the points of a player are written: those that the rules award, or else the only number that each player
/// has.
fn points(masked: &str) -> String {
    let numbers = || {
        let block = own_block(masked)?;
        let declared = block.split(['\n', '{']).filter_map(|line| line.trim().split_once(": "));
        let mut numbers =
            declared.filter(|(_, ty)| ty.starts_with("int") || ty.starts_with(|c: char| c.is_ascii_digit()));
        let (name, _) = numbers.next()?;
        numbers.next().is_none().then(|| format!("me.{name}"))
    };
    let own = ["points", "score", "total"].into_iter().find(|name| has_own(masked, name));
    match own {
        _ if counts_points(masked) => "score".to_string(),
        Some(own) => format!("me.{own}"),
        None => numbers().unwrap_or_else(|| "score".to_string()),
    }
}

/// Returns what a text declares for each player.
fn own_block(masked: &str) -> Option<&str> {
    let (_, block) = masked.split_once("each player {")?;
    Some(&block[..end_of_part(block, |_, _| false)?])
}

/// Returns the name of the only list, set or bag that each player has.
pub(super) fn only_collection(masked: &str) -> Option<&str> {
    let block = own_block(masked)?;
    let mut names = block.lines().filter_map(|line| {
        let (name, ty) = line.trim().split_once(": ")?;
        ["list of ", "set of ", "bag of "].iter().any(|kind| ty.starts_with(kind)).then_some(name)
    });
    let name = names.next()?;
    names.next().is_none().then_some(name)
}
