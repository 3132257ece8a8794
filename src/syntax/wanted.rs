//! What the grammar expected at the place of a mistake, in words for people.

use pest::error::{Error, ErrorVariant};

use super::grammar::Rule;

/// What could stand at the place of the mistake.
pub struct Wanted {
    /// The expected items, in words.
    pub nouns: Vec<String>,
    /// Whether a name was expected.
    pub name: bool,
    /// Whether words or signs were expected, so that the form of the whole line helps.
    pub form: bool,
    /// Whether an assignment could follow.
    pub assigns: bool,
    /// Whether the line could end.
    pub end: bool,
}

/// The noun for the end of a line.
const END: &str = "the end of the line";
/// What may follow almost anywhere, but seldom does.
const RARE: &[&str] = &["`for`", "`try`", "`called`", "`,`", "`until`", "`secret`, `hidden` or `each`"];

impl Wanted {
    /// Extracts what the grammar expected from its error.
    pub fn of(error: &Error<Rule>) -> Wanted {
        let positives = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives.as_slice(),
            ErrorVariant::CustomError { .. } => &[],
        };
        use Rule as R;
        let name = positives.iter().any(|rule| {
            matches!(
                rule,
                R::name | R::param | R::params | R::pattern | R::state | R::choice | R::choices | R::setting
            )
        });
        let assigns = positives.contains(&R::assign);
        // Almost any value may continue; that is not worth mentioning where something is missing.
        let goes_on = positives.contains(&R::plus);
        let mut nouns: Vec<String> =
            positives.iter().filter(|r| !goes_on || !continues(**r)).filter_map(|r| noun(*r)).collect();
        // The same holds for what may follow but hardly ever does.
        let inside = nouns.iter().any(|noun| matches!(noun.as_str(), "`)`" | "`]`" | "`}`"));
        let rare = |noun: &String| RARE.contains(&noun.as_str()) && !(inside && noun == "`,`");
        if nouns.iter().any(|noun| !rare(noun)) {
            nouns.retain(|noun| !rare(noun));
        }
        if inside {
            nouns.retain(|noun| !matches!(noun.as_str(), "`:`" | "`where`" | "`while`"));
        }
        if nouns.iter().any(|noun| noun == "a check") {
            nouns = vec!["a value".to_string(), "a check such as `shows`".to_string()];
        }
        let end = nouns.iter().any(|noun| noun == END);
        // At a possible line end `as` is possible too, but is not what is missing.
        nouns.retain(|noun| !(goes_on && end && noun == "`as`"));
        let only_the_end = nouns.iter().all(|noun| noun == END);
        if goes_on && only_the_end {
            nouns.push("an operator".to_string());
        }
        nouns.sort_by_key(|noun| (noun.starts_with('`'), noun.clone()));
        nouns.dedup();
        let form =
            !inside && nouns.iter().any(|noun| noun != "a value" && noun != "an operator" && noun != END);
        // A list of nearly everything would be useless.
        if nouns.len() > 5 {
            nouns.retain(|noun| !noun.starts_with('`'));
        }
        if nouns.len() > 5 {
            nouns.clear();
        }
        Wanted { nouns, name, form, assigns, end }
    }

    /// Whether a value has just ended and nothing in particular is expected.
    pub fn only_operator(&self) -> bool {
        self.nouns.iter().all(|noun| noun == "an operator" || noun == "`..`")
    }

    /// Returns the text of a label: `expected …`.
    pub fn label(&self) -> String {
        match self.nouns.as_slice() {
            [] => String::new(),
            [one] => format!("expected {one}"),
            [most @ .., last] => format!("expected {} or {last}", most.join(", ")),
        }
    }
}

/// Whether a rule only continues a value.
fn continues(rule: Rule) -> bool {
    use Rule as R;
    is_operator(rule)
        || matches!(
            rule,
            R::open_call
                | R::open_index
                | R::dot
                | R::index
                | R::field
                | R::kw_in
                | R::kw_or
                | R::kw_and
                | R::kw_is
                | R::kw_div
                | R::kw_mod
                | R::kw_divides
                | R::kw_with
        )
}

fn is_operator(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
        R::plus
            | R::minus
            | R::times
            | R::power
            | R::join
            | R::quotient
            | R::modulo
            | R::copies_of
            | R::copies_of_each
            | R::each_copies
            | R::and
            | R::or
            | R::not_in
            | R::element_of
            | R::divides
            | R::equal
            | R::not_equal
            | R::at_most_op
            | R::at_least_op
            | R::less
            | R::greater
            | R::range
            | R::is_test
            | R::with_part
            | R::slash
            | R::stars
            | R::percent
            | R::foreign
            | R::ampersands
            | R::bars
    )
}

/// Returns the noun for a rule of the grammar; `None` if it is not worth mentioning.
fn noun(rule: Rule) -> Option<String> {
    use Rule as R;
    let noun = match rule {
        R::name | R::pattern => "a name",
        R::number => "a number",
        R::string | R::plain => "a text in quotes",
        R::expr
        | R::arith
        | R::if_expr
        | R::case_expr
        | R::reference
        | R::call
        | R::group
        | R::list_literal
        | R::set_literal
        | R::boolean
        | R::nothing
        | R::every
        | R::negative
        | R::not
        | R::bang
        | R::signed
        | R::square
        | R::word_list
        | R::word_value
        | R::words
        | R::named_word => "a value",
        R::ty
        | R::plain_ty
        | R::optional_ty
        | R::list_ty
        | R::set_ty
        | R::bag_ty
        | R::grid_ty
        | R::bool_ty
        | R::symbols_ty
        | R::tuple_ty
        | R::range_ty => "a type",
        R::block | R::open_brace => "`{`",
        R::close_brace => "`}`",
        R::open_paren | R::open_call | R::params | R::names => "`(`",
        R::close_paren => "`)`",
        R::open_bracket | R::open_index => "`[`",
        R::close_bracket => "`]`",
        R::comma => "`,`",
        R::colon | R::body_part => "`:`",
        R::equals => "`=`",
        R::assign | R::add_to | R::take_from | R::join_to | R::assignment => "`:=`",
        R::nl | R::EOI => END,
        R::reason => "`else`",
        R::from_part => "`from`",
        R::as_part => "`as`",
        R::where_part => "`where`",
        R::while_part => "`while`",
        R::until_part => "`until`",
        R::at_least | R::kw_more => "`or more`",
        R::last_mover => "`last mover`",
        R::at_most => "`at most`",
        R::exactly => "`exactly`",
        R::tag => "`secret`, `hidden` or `each`",
        R::choice | R::choices => "a move",
        R::part => "a part such as `rank: 1..9`",
        R::param => "a parameter such as `k in 1..9`",
        R::state => "a piece of state",
        R::seat => "a player",
        R::check | R::checks | R::shows | R::refused | R::scores | R::expect | R::over | R::winners => {
            "a check"
        }
        R::best => "`highest`, `lowest`",
        R::picture => "a row of the board, such as `| 1 2 3`",
        R::arm => "a case",
        R::arm_else | R::else_choice => "`else`",
        rule if is_operator(rule) => "an operator",
        // `kw_else` is `else`.
        rule => return format!("{rule:?}").strip_prefix("kw_").map(|word| format!("`{word}`")),
    };
    Some(noun.to_string())
}
