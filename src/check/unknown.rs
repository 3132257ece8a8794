//! Reports unknown names, and suggests what may have been meant.

use super::Checker;
use crate::diag::{Code, Diagnostic};
use crate::ir::Type;
use crate::source::Span;
use crate::syntax::foreign::foreign;

/// The fields that every player has in any game.
pub(super) const OWN_FIELDS: &[&str] = &["score", "others", "next", "previous", "number"];

impl Checker<'_> {
    /// Reports an unknown name; `want` is the type expected in its place.
    pub(super) fn unknown_name(&mut self, name: &str, want: Option<&Type>, span: Span) {
        if self.comes_later(name, span) {
            return;
        }
        let mut report = Diagnostic::new(
            Code::UnknownName,
            span,
            format!("there is nothing called `{name}`"),
            "not known here",
        );
        if self.fields.contains_key(name) {
            report = report.help(match self.somebody_moves() {
                true => format!("each player has a `{name}`: write `me.{name}` or `p.{name}`"),
                false => self.nobodys_field(name),
            });
        } else if self.game.kinds.iter().any(|(kind, _)| kind == name) {
            report = report.help(format!("`{name}` is a kind: `every {name}` is the set of its symbols"));
        } else if self.defines.iter().any(|d| d.name.text == name) {
            report = report.help(format!(
                "`{name}` is a function: write `{name}(…)`, or `{name}()` where it takes nothing"
            ));
        } else if let Some(given) = self.named_in_lines.get(name).copied() {
            // Names bound in a line are in scope until the end of the enclosing block.
            report = report.also(given, "named here").help(format!(
                "`{name}` is known from there to the end of its block, but not in the `until` after that block or in a `define`: pass it as a parameter, or keep it in `table {{ … }}`"
            ));
        } else if self.loops.contains_key(name) {
            report = report.help(format!(
                "`{name}` counts the passes of a loop and is known only in that loop and the moves and rules it uses: pass it as a parameter"
            ));
        } else if OWN_FIELDS.contains(&name) {
            report = report.help(match self.somebody_moves() {
                true => format!("each player has it: write `me.{name}` or `p.{name}`"),
                false => self.nobodys_field(name),
            });
        } else if name == "me" && self.in_example {
            let seat = self.first_seat();
            report = report.help(format!(
                "in an example nobody has the turn: name a player, as in `{seat}.points`; for everybody, write `all(p in players: p.points >= 0)`"
            ));
        } else if name == "me" {
            let (seat, field) = (self.first_seat(), self.field_after(span).unwrap_or("score"));
            report = report.help(format!(
                "nobody is moving here; `me` is known only in moves, turns and scores: name a player, as in `{seat}.{field}`, or go through them all: `[p in players: p.{field}]`"
            ));
        } else if let Some(foreign) = foreign(name) {
            report = report.help(foreign.says);
            // Foreign words for functions and types have no value to suggest.
            if let Some(value) =
                foreign.here.filter(|here| matches!(*here, "yes" | "no" | "none" | "me" | "players"))
            {
                report = report.fix(value);
            }
        } else if let Some(near) = self.near_name(name) {
            report = report.help(format!("did you mean `{near}`?")).fix(near);
        } else if let Some(Type::Symbol(ids)) = want {
            let known: Vec<String> = ids.iter().map(|id| format!("`{}`", self.game.symbols[*id])).collect();
            report = report.help(format!("it is one of {}", known.join(", ")));
        }
        self.report(report);
    }

    /// Whether `me` can be used here. A function that mentions it takes it from its callers.
    fn somebody_moves(&self) -> bool {
        self.template.is_some() || self.frame.locals.iter().any(|local| local.name == "me")
    }

    /// Returns the name of the first seat, as the file writes it.
    fn first_seat(&self) -> &str {
        self.game.seats.roles.first().map_or("seat(1)", String::as_str)
    }

    /// Returns the field that the author wrote after a name and a dot.
    fn field_after(&self, name: Span) -> Option<&str> {
        let rest = self.source?.text.get(name.end..)?.strip_prefix('.')?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(&rest[..end]).filter(|field| !field.is_empty())
    }

    /// Returns advice for what each player has, where nobody is moving.
    fn nobodys_field(&self, name: &str) -> String {
        let seat = self.first_seat();
        format!(
            "each player has a `{name}`: write `{seat}.{name}` for one of them, or `[p in players: p.{name}]` for all"
        )
    }
}
