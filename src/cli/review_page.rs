//! A review as one self-contained HTML page: a picture of the curve, the turning points, and a table of all
//! steps.

use std::collections::BTreeMap;

use crate::bots::{Bot, Measure};
use crate::lab::{Review, ReviewedChoice, Reviewer};
use crate::play::{Look, Match, and, page_start};
use crate::repl::played_by;
use crate::repl::review::{
    amount, basis, curve_by_side, heading, left_out, names, reasons, scale, sides, summary, table_before,
    totals, turned,
};

const STYLE: &str = concat!(include_str!("../play/sheet/page.css"), include_str!("review.css"));

/// The size of the picture, and the frame of the curve within it: left, right, top and bottom.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 250.0;
const FRAME: (f64, f64, f64, f64) = (54.0, 625.0, 22.0, 212.0);
/// The number of different line styles for seats.
const LINES: usize = 6;

/// Returns the page; `bots` are the seats (from 1) that bots played.
pub fn page(reviewer: &Reviewer, review: &Review, bots: &BTreeMap<usize, Bot>) -> String {
    let whole = reviewer.whole;
    let title = escaped(&whole.rules.game.title);
    let turning = review.turning_points();
    let seated = played_by(&whole.rules.game, bots);
    let by = std::iter::once(heading(whole)).chain(seated).collect::<Vec<_>>().join("; ");
    let mut out = page_start(&format!("{title}: a review"), STYLE);
    out.push_str(&format!(
        "<h1>{title}: a review</h1>\n<p class=\"by\">{}</p>\n<p class=\"lead\">{}</p>\n",
        escaped(&by),
        escaped(summary(whole, review).trim_end_matches(':')),
    ));
    if let Some(sentence) = totals(whole, review) {
        out.push_str(&format!("<p class=\"lead\">{}</p>\n", escaped(&sentence)));
    }
    out.push_str(&picture(whole, review, &turning));
    if !turning.is_empty() {
        let title = match review.measure {
            Measure::Share => "Turning points",
            Measure::Score { .. } => "Choices that made the score worse",
        };
        out.push_str(&format!("<section>\n<h2>{title}</h2>\n<ol class=\"turns\">\n"));
        for (step, judged) in &turning {
            let look = Look { width: 60, unicode: true, ..Look::default() };
            let reasons = reasons(reviewer, *step, judged);
            let reasons: String = reasons.iter().map(|reason| format!("; {}", quoted(reason))).collect();
            out.push_str(&format!(
                "<li><b>Step {step}</b>: {}{reasons}\n<pre>{}</pre></li>\n",
                quoted(&turned(whole, judged)),
                escaped(&table_before(reviewer, *step, look))
            ));
        }
        out.push_str("</ol>\n</section>\n");
    }
    out.push_str(&steps(reviewer, review));
    for sentence in left_out(reviewer).into_iter().chain([basis(reviewer, review)]) {
        out.push_str(&format!("<p class=\"legend\">{}</p>\n", escaped(&sentence)));
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// Draws the curve of each side; for two sides only that of the first, since the other is its complement.
fn picture(whole: &Match, review: &Review, turning: &[(usize, &ReviewedChoice)]) -> String {
    let (points, ended, measure) = (curve_by_side(whole, review), review.end.is_some(), review.measure);
    let names = &*sides(whole);
    let side_of = |player: usize| {
        let sides = whole.machine().interests.sides(whole.players());
        sides.iter().position(|side| side.contains(&(player - 1))).unwrap_or(0)
    };
    let (Some((first, begun)), Some((last, over)), true) = (points.first(), points.last(), points.len() > 1)
    else {
        return String::new();
    };
    let (left, right, top, bottom) = FRAME;
    let x = |n: usize| left + (right - left) * n as f64 / (points.len() - 1) as f64;
    let (low, high) = scale(measure, &points);
    let y = |value: f64| bottom - (bottom - top) * (value - low) / (high - low);
    let drawn = if names.len() == 2 && !review.hidden { 1 } else { names.len() };
    let told = |values: &[Option<f64>]| {
        let each = names.iter().zip(values);
        let each = each.filter_map(|(name, value)| Some(format!("{name} {}", amount(measure, (*value)?))));
        each.collect::<Vec<_>>().join(", ")
    };
    let when = if ended { "at the end".to_string() } else { format!("before step {last}") };
    let mut steps: Vec<usize> = turning.iter().map(|(step, _)| *step).collect();
    steps.sort_unstable();
    steps.dedup();
    let turns = match steps.len() {
        0 => String::new(),
        1 => format!(" The match turns at step {}.", steps[0]),
        _ => format!(" The match turns at steps {}.", and(&steps)),
    };
    let described = format!(
        "Before step {first}: {}; {when}: {}.{turns} The table below lists all steps.",
        told(begun),
        told(over)
    );
    let mut out = format!(
        "<figure>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"curve-title curve-desc\">\n<title \
         id=\"curve-title\">How each player stood, step by step</title>\n<desc id=\"curve-desc\">{}</desc>\n",
        escaped(&described)
    );
    for value in [low, (low + high) / 2.0, high] {
        out.push_str(&format!(
            "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\n<text x=\"{1:.1}\" y=\"{2:.1}\" \
             text-anchor=\"end\">{3}</text>\n",
            y(value),
            left - 6.0,
            y(value) + 4.0,
            amount(measure, value)
        ));
    }
    let end = if ended { "end".to_string() } else { last.to_string() };
    for (at, label, anchor) in [(left, first.to_string(), "start"), (right, end, "end")] {
        out.push_str(&format!(
            "<text x=\"{at}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{label}</text>\n",
            bottom + 20.0
        ));
    }
    for seat in 0..drawn {
        let line: Vec<String> = points
            .iter()
            .enumerate()
            .filter_map(|(n, (_, values))| Some(format!("{:.1},{:.1}", x(n), y(values[seat]?))))
            .collect();
        out.push_str(&format!(
            "<polyline class=\"curve seat{}\" points=\"{}\"><title>{}</title></polyline>\n",
            seat % LINES,
            line.join(" "),
            escaped(&names[seat])
        ));
    }
    for (rank, (step, judged)) in turning.iter().enumerate() {
        let Some(n) = points.iter().position(|(number, _)| number == step) else { continue };
        let seat = if drawn == 1 { 0 } else { side_of(judged.entry.player) };
        let Some(value) = points[n].1[seat] else { continue };
        let (at, height) = (x(n), y(value));
        let above = if height < top + 24.0 { height + 20.0 } else { height - 9.0 };
        out.push_str(&format!(
            "<circle class=\"mark\" cx=\"{at:.1}\" cy=\"{height:.1}\" r=\"4\"><title>step {step}</title></circle>\n<text class=\"rank\" \
             x=\"{at:.1}\" y=\"{above:.1}\">{}</text>\n",
            rank + 1
        ));
    }
    out.push_str("</svg>\n");
    let caption = match names {
        _ if review.hidden && names.len() > 1 => {
            "each player's share of the win before each step, as that player saw it".to_string()
        }
        [one, other] => format!("{one}'s share of the win before each step; {other} has the rest"),
        [one] if measure != Measure::Share => format!("the score that {one} could expect before each step"),
        [_] => "the chance to win before each step".to_string(),
        _ => "each player's share of the win before each step".to_string(),
    };
    out.push_str(&format!("<figcaption>{}", escaped(&caption)));
    if drawn > 1 {
        for (seat, name) in names.iter().enumerate() {
            out.push_str(&format!(
                "<br><svg viewBox=\"0 0 40 8\" style=\"display:inline;width:40px\" aria-hidden=\"true\"><path class=\"curve seat{}\" \
                 d=\"M0 4H40\"/></svg> {}",
                seat % LINES,
                escaped(name)
            ));
        }
    }
    out.push_str("</figcaption>\n</figure>\n");
    out
}

/// Returns the table of all choices.
fn steps(reviewer: &Reviewer, review: &Review) -> String {
    let whole = reviewer.whole;
    let (names, sides, curve) = (names(whole), sides(whole), curve_by_side(whole, review));
    let columns: String = sides
        .iter()
        .map(|name| format!("<th scope=\"col\" class=\"number\">{}</th>", escaped(name)))
        .collect();
    let cost = match review.measure {
        Measure::Share => "as a share of the win",
        Measure::Score { .. } => "in points",
    };
    let mut out = format!(
        "<section>\n<h2>Step by step</h2>\n<div class=\"wide\">\n<table class=\"steps\">\n<caption>What \
         was chosen, what it cost {cost}, and what each player could expect before \
         it</caption>\n<thead><tr><th scope=\"col\" \
         class=\"number\">step</th><th scope=\"col\">who</th><th scope=\"col\">chose</th><th scope=\"col\">better</th><th scope=\"col\" \
         class=\"number\">cost</th>{columns}</tr></thead>\n<tbody>\n"
    );
    for stop in &review.stops {
        for judged in &stop.choices {
            let turning = judged.is_turning();
            let better = judged.better.as_ref().filter(|_| turning).map(|better| whole.entry_words(better));
            let cost = match &judged.played {
                None => "?".to_string(),
                Some(_) if turning => amount(review.measure, judged.cost()),
                Some(_) => String::new(),
            };
            let values = curve.iter().find(|(step, _)| *step == stop.step).map(|(_, values)| values);
            let each = (0..sides.len()).map(|side| {
                let value = match values.map(|values| values[side]) {
                    Some(Some(value)) => amount(review.measure, value),
                    Some(None) => "–".to_string(),
                    None => "?".to_string(),
                };
                format!("<td class=\"number\">{value}</td>")
            });
            out.push_str(&format!(
                "<tr{}><th scope=\"row\" class=\"number\">{}</th><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{cost}</td>{}</tr>\n",
                if turning { " class=\"turning\"" } else { "" },
                stop.step,
                escaped(&names[judged.entry.player - 1]),
                escaped(&whole.entry_words(&judged.entry)),
                escaped(&better.unwrap_or_default()),
                each.collect::<String>()
            ));
        }
    }
    out.push_str("</tbody>\n</table>\n</div>\n</section>\n");
    out
}

/// Converts a sentence with moves in backquotes to HTML.
fn quoted(text: &str) -> String {
    let parts = escaped(text);
    let parts = parts.split('`').enumerate();
    parts
        .map(|(n, part)| if n % 2 == 1 { format!("<code>{part}</code>") } else { part.to_string() })
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
