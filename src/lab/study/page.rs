//! A study as a self-contained HTML page: its conclusions, figures and pictures, a match to step through, and
//! the rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::elo::{range, signed};
use super::super::picture::svg::{self, escaped};
use super::super::picture::{amount, bars, setting_words};
use super::report::{
    Curve, Distribution, DrawOutcomeUse, DrawUse, Figure, Line, ParameterUse, Report, Row, Rung, Series,
    Sweep, Unit, Usage, ValueUse,
};
use super::sweep::difference_words;
use super::words::{
    BRINGS, SEARCHES, brought, capital, chosen, columns, in_all, likely, shown, subjects, warnings,
};
use crate::explore::thousands;
use crate::play::{
    Look, Match, Record, Rules, SheetFormat, and, page_start, read_json, replay_told, sheet_with,
};

const STYLE: &str = concat!(include_str!("../../play/sheet/page.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("step.js");

/// The width of the drawn table of a match, in columns: as much as fits on a phone.
const TABLE: usize = 36;
/// The colours and dashes of lines, seat by seat, as in the pictures.
const KEYS: [(&str, &str); 6] = [
    ("#0072B2", ""),
    ("#D55E00", "7 4"),
    ("#009E73", "2 3"),
    ("#B0568F", "9 3 2 3"),
    ("#B08A00", ""),
    ("#3A87B7", ""),
];

/// Returns the page of a study. `rules` must be those of the study.
pub fn page(rules: &Arc<Rules>, report: &Report) -> String {
    let mut sections = vec![verdict(report)];
    sections.extend(pictures(report));
    sections.extend(strength(&report.ladder));
    sections.push(figures(report));
    sections.extend(draws(&report.draws));
    sections.extend(usage(&report.usage));
    sections.extend(values(&report.values));
    sections.extend(sample(rules, report));
    sections.push(the_rules(rules, Some(report)));
    sections.push(basis(report));
    whole(
        &format!("{}: a study", report.title),
        &format!("{}; seed {}", report.setting(), report.seed),
        &sections,
    )
}

/// Returns the page of a sweep: how each figure changes between settings.
pub fn page_of_sweep(rules: &Arc<Rules>, sweep: &Sweep) -> String {
    let reports: Vec<&Report> = sweep.rows.iter().filter_map(|row| row.report.as_ref()).collect();
    let mut sections = vec![settings(sweep)];
    let warnings = warnings(sweep);
    if !warnings.is_empty() {
        let lines = warnings.into_iter().map(|(settings, text)| warning(&format!("{settings}: {text}")));
        let list = format!("<ul>\n{}</ul>\n", lines.collect::<String>());
        sections.insert(0, Section::new("verdict", "Verdict", list));
    }
    let mut drawn = String::new();
    let known =
        |key: &str| reports.iter().find_map(|report| report.figure(key).filter(|f| f.value.is_some()));
    let keys = columns(sweep).into_iter().map(|column| column.key).chain(["lead.changes"]);
    for (n, figure) in keys.filter_map(known).enumerate() {
        let id = format!("sweep-{n}");
        let picture = svg::sweep(sweep, &figure.key, &figure.title, &id);
        drawn.push_str(&figure_element(&picture, &figure.title, &common_meaning(&reports, figure)));
    }
    if !drawn.is_empty() {
        sections.push(Section::new(
            "pictures",
            "Pictures",
            format!("<div class=\"figures\">\n{drawn}</div>\n"),
        ));
    }
    let differences = difference_words(sweep);
    if !differences.is_empty() {
        let lines: String = differences.iter().map(|line| format!("<li>{}</li>\n", escaped(line))).collect();
        sections.push(Section::new(
            "differences",
            "Differences between settings",
            format!("<ul>\n{lines}</ul>\n"),
        ));
    }
    if !reports.is_empty() {
        sections.push(the_rules(rules, None));
        sections.push(basis_of_sweep(sweep));
    }
    whole(&format!("{}: a sweep", rules.title()), &format!("by {}", sweep.varied.join(", ")), &sections)
}

/// Returns what the meanings of a figure in all settings have in common, of the clauses that semicolons separate.
fn common_meaning(reports: &[&Report], figure: &Figure) -> String {
    let all: Vec<&Figure> = reports.iter().filter_map(|report| report.figure(&figure.key)).collect();
    let is_common =
        |clause: &&str| all.iter().all(|other| other.meaning.split("; ").any(|own| own == *clause));
    figure.meaning.split("; ").filter(is_common).collect::<Vec<_>>().join("; ")
}

/// A section of the page.
struct Section {
    id: &'static str,
    title: &'static str,
    inside: String,
}

impl Section {
    fn new(id: &'static str, title: &'static str, inside: String) -> Section {
        Section { id, title, inside }
    }
}

/// Returns the page around its sections.
fn whole(title: &str, by: &str, sections: &[Section]) -> String {
    let (title, by) = (escaped(title), escaped(by));
    let links: String =
        sections.iter().map(|part| format!("<li><a href=\"#{}\">{}</a></li>", part.id, part.title)).collect();
    let mut out = page_start(&title, STYLE);
    out.push_str(&format!(
        "<h1>{title}</h1>\n<p class=\"by\">{by}</p>\n<nav aria-label=\"Sections of this \
         page\">\n<ul>{links}</ul>\n</nav>\n"
    ));
    for Section { id, title, inside } in sections {
        out.push_str(&format!(
            "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{title}</h2>\n{inside}</section>\n"
        ));
    }
    out.push_str(&format!("</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
    out
}

fn verdict(report: &Report) -> Section {
    let lines = report.verdict.iter().map(|remark| match remark.warning {
        true => warning(&remark.text),
        false => format!("<li>{}</li>\n", escaped(&remark.text)),
    });
    Section::new("verdict", "Verdict", format!("<ul>\n{}</ul>\n", lines.collect::<String>()))
}

/// Returns an entry of a list that warns of something.
fn warning(text: &str) -> String {
    format!("<li><span class=\"warning\">Warning:</span> {}</li>\n", escaped(text))
}

/// Returns all figures, with a table for each subject.
fn figures(report: &Report) -> Section {
    let mut out = String::from("<p>In brackets: the 95 % confidence interval of each figure.</p>\n");
    for (subject, figures) in subjects(report) {
        let rows: String = figures.iter().map(|figure| figure_row(report, figure)).collect();
        out.push_str(&format!(
            "<table class=\"data\">\n<caption class=\"subject\">{subject}</caption>\n<thead class=\"heard\"><tr><th \
             scope=\"col\">figure</th><th scope=\"col\">value</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n",
        ));
    }
    Section::new("figures", "Figures", out)
}

fn figure_row(report: &Report, figure: &Figure) -> String {
    let shown = shown(figure);
    let value = match shown.split_once(" (") {
        Some((value, interval)) => format!("{value} <small>({interval}</small>"),
        None if figure.value.is_none() => "not available".to_string(),
        None => format!("{shown}<small>{}</small>", in_all(figure)),
    };
    let missing =
        figure.missing.as_ref().map_or(String::new(), |why| format!(". {}", escaped(&capital(why))));
    let series = report.series.iter().find(|series| series.key == figure.series);
    // Best play is found by a search, not by matches of those players.
    let series = series.filter(|_| !figure.key.starts_with("best."));
    let players = series.map_or(String::new(), |series| format!(" ({})", escaped(&series.players)));
    format!(
        "<tr><th scope=\"row\">{}<small>{}{players}{missing}</small></th><td class=\"number\">{value}</td></tr>\n",
        escaped(&figure.title),
        escaped(&figure.meaning)
    )
}

fn pictures(report: &Report) -> Option<Section> {
    let mut out = String::new();
    for (n, one) in report.distributions.iter().filter(|one| !one.bins.is_empty()).enumerate() {
        // A single bar needs no axes.
        let numbers = one.bins.len() > 1 && one.bins.iter().all(|bin| bin.range.is_some());
        out.push_str(&match numbers {
            true => figure_element(&svg::distribution(one, &format!("bars-{n}")), &one.title, &one.meaning),
            false => named_bars(one),
        });
    }
    for (n, one) in report.curves.iter().enumerate() {
        let picture = format!("{}{}", svg::curve(one, &format!("curve-{n}")), keys(one));
        out.push_str(&figure_element(&picture, &one.title, &one.meaning));
    }
    let inside = format!("<div class=\"figures\">\n{out}</div>\n");
    (!out.is_empty()).then(|| Section::new("pictures", "Pictures", inside))
}

/// Returns a distribution of named things: a table with a bar in each row, because names can be long.
fn named_bars(distribution: &Distribution) -> String {
    let rows = bars(distribution).into_iter().map(|bar| {
        let share = amount(Unit::Share, bar.share);
        format!(
            "<tr><th scope=\"row\">{}<span class=\"bar\" style=\"width:{:.1}%\"></span></th><td \
             class=\"number\">{share}</td></tr>\n",
            escaped(&bar.label),
            100.0 * bar.share
        )
    });
    format!(
        "<div><table class=\"data\">\n<caption><b>{}</b> {}</caption>\n<thead class=\"heard\"><tr><th scope=\"col\">what</th><th \
         scope=\"col\">share</th></tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n",
        escaped(&distribution.title),
        escaped(&distribution.meaning),
        rows.collect::<String>()
    )
}

/// Returns a picture with its caption.
fn figure_element(picture: &str, title: &str, meaning: &str) -> String {
    format!(
        "<figure>\n{picture}<figcaption><b>{}</b>{}</figcaption>\n</figure>\n",
        escaped(title),
        escaped(meaning)
    )
}

/// Returns the legend of a curve: the name of each line beside a sample of it.
fn keys(curve: &Curve) -> String {
    if curve.lines.len() < 2 {
        return String::new();
    }
    let key = |(line, (colour, dashes)): (&Line, &(&str, &str))| {
        format!(
            "<li><svg class=\"key\" viewBox=\"0 0 40 10\" aria-hidden=\"true\"><path d=\"M0 5H40\" stroke=\"{colour}\" \
             stroke-width=\"3\" stroke-dasharray=\"{dashes}\" fill=\"none\"/></svg> {}</li>",
            escaped(&line.name)
        )
    };
    let all: String = curve.lines.iter().zip(KEYS.iter().cycle()).map(key).collect();
    format!("<ul class=\"entries\">{all}</ul>\n")
}

fn strength(rungs: &[Rung]) -> Option<Section> {
    if rungs.is_empty() {
        return None;
    }
    let row = |rung: &Rung| {
        let share = match (rung.share, rung.share_interval) {
            (Some(share), Some([low, high])) => {
                format!("{:.0} % <small>({:.0}..{:.0})</small>", 100.0 * share, 100.0 * low, 100.0 * high)
            }
            _ => String::new(),
        };
        let [low, high] = rung.interval;
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{} <small>({})</small></td><td \
             class=\"number\">{share}</td></tr>\n",
            escaped(&rung.bot),
            signed(rung.elo),
            range(low, high)
        )
    };
    let rows: String = rungs.iter().map(row).collect();
    let picture = svg::ladder(rungs, "ladder");
    let meaning =
        "each player's Elo rating with its 95 % confidence interval; 400 points mean ten wins to one";
    let table = format!(
        "<table class=\"data\">\n<caption>the same in numbers</caption>\n<thead><tr><th scope=\"col\">player</th><th scope=\"col\" \
         class=\"number\">Elo</th><th scope=\"col\" class=\"number\">share against the player above</th></tr></thead>\n<tbody>\n{rows}</tbody>\n\
         </table>\n"
    );
    Some(Section::new("strength", "Skill", figure_element(&picture, "Strength of players", meaning) + &table))
}

fn draws(all: &[DrawUse]) -> Option<Section> {
    let row = |draw: &DrawUse, outcome: &DrawOutcomeUse| {
        format!(
            "<tr><th scope=\"row\">{}<small>{}, for {}</small></th><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            escaped(&outcome.value),
            escaped(&draw.name),
            escaped(&draw.whose),
            likely(outcome),
            brought(draw.unit, outcome),
        )
    };
    let rows: String =
        all.iter().flat_map(|draw| draw.outcomes.iter().map(|outcome| row(draw, outcome))).collect();
    let table = format!(
        "<table class=\"data\">\n<caption>{BRINGS}</caption>\n\
         <thead><tr><th scope=\"col\">outcome</th><th scope=\"col\" class=\"number\">likely</th><th scope=\"col\" \
         class=\"number\">brings</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    );
    (!rows.is_empty()).then(|| Section::new("draws", "What draws bring", table))
}

fn usage(all: &[Usage]) -> Option<Section> {
    if all.is_empty() {
        return None;
    }
    let row = |used: &Usage| {
        format!(
            "<tr><th scope=\"row\">{}<small>{}, {} line {}</small></th><td class=\"number\">{}</td><td \
             class=\"number\">{}</td></tr>\n",
            escaped(&used.label),
            escaped(&used.kind),
            escaped(&used.file),
            used.line,
            amount(Unit::Times, used.mean),
            match used.of {
                0 => "no opportunity".to_string(),
                of => amount(Unit::Share, used.ran as f64 / of as f64),
            },
        )
    };
    let rows: String = all.iter().map(row).collect();
    let table = format!(
        "<table class=\"data\">\n<caption>how often each part of the rules was used; for a need, how often it refused \
         something</caption>\n<thead><tr><th scope=\"col\">part</th><th scope=\"col\" class=\"number\">in a match</th><th scope=\"col\" \
         class=\"number\">of its opportunities</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    );
    Some(Section::new("usage", "How the rules were used", table))
}

fn values(all: &[ParameterUse]) -> Option<Section> {
    if all.is_empty() {
        return None;
    }
    let row = |used: &ParameterUse, value: &ValueUse| {
        format!(
            "<tr><th scope=\"row\">{}<small>{}, {}</small></th><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            escaped(&value.value),
            escaped(&used.name),
            escaped(&used.parameter),
            thousands(value.possible),
            chosen(value),
        )
    };
    let rows: String = all.iter().flat_map(|used| used.values.iter().map(|value| row(used, value))).collect();
    let table = format!(
        "<table class=\"data\">\n<caption>how often each value of a parameter was chosen where it was possible</caption>\n\
         <thead><tr><th scope=\"col\">value</th><th scope=\"col\" class=\"number\">choices where it was possible</th><th \
         scope=\"col\" class=\"number\">chosen</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    );
    Some(Section::new("values", "Which values were chosen", table))
}

/// Returns the sample match step by step, with the table after each step.
fn sample(rules: &Arc<Rules>, report: &Report) -> Option<Section> {
    let record = Record::read(&report.sample.as_ref()?.to_string()).ok()?;
    let drawn = |at: &Match| {
        let look = Look { width: TABLE, unicode: true, ..Look::default() };
        at.drawing().map_or(String::new(), |drawing| drawing.text(&look))
    };
    // A joint choice is one step, together with the draws after it.
    let mut tables = Vec::new();
    let replayed = replay_told(Arc::clone(rules), &record, &mut |at| {
        if at.sealed().is_empty() && !at.draw_due() {
            tables.push((at.entries().count(), drawn(at)));
        }
    });
    let played = replayed.ok().filter(|replayed| replayed.broken.is_none())?.played;
    let entries: Vec<_> = played.entries().collect();
    tables.push((entries.len(), drawn(&played)));
    let mut done = 0;
    let mut steps = String::new();
    for (upto, table) in tables {
        let made = entries[done..upto].iter().map(|entry| match entry.player {
            0 => format!("chance: {}", played.entry_words(entry)),
            player => format!("{}: {}", rules.game.seat_name(player - 1), played.entry_words(entry)),
        });
        let made: Vec<String> = made.map(|line| escaped(&line)).collect();
        let made = if made.is_empty() { "the start".to_string() } else { made.join("<br>") };
        steps.push_str(&format!("<li><p>{made}</p>\n<pre>{}</pre></li>\n", escaped(&table)));
        done = upto;
    }
    let words = match played.winners().as_slice() {
        [] => "nobody wins".to_string(),
        winners => {
            let names: Vec<String> = winners.iter().map(|player| rules.game.seat_name(player - 1)).collect();
            format!("{} {}", and(&names), if winners.len() == 1 { "wins" } else { "win" })
        }
    };
    let inside = format!(
        "<p>Played by the strongest players of this study; {}.</p>\n<ol class=\"steps\">\n{steps}</ol>\n",
        escaped(&words)
    );
    Some(Section::new("match", "A sample match", inside))
}

/// Returns the sheet of rules, for the setting of a report.
fn the_rules(rules: &Arc<Rules>, report: Option<&Report>) -> Section {
    let options = report.iter().flat_map(|report| &report.options).filter_map(|(name, json)| {
        let id = rules.option_id(name).ok()?;
        let value = read_json(&rules.game, &rules.game.options[id].form.ty(), json).ok()?;
        Some((id, value))
    });
    let options: BTreeMap<_, _> = options.collect();
    let players = report.map(|report| report.players);
    Section::new("rules", "The rules", sheet_with(rules, &options, players, SheetFormat::HtmlPart(2)))
}

/// Returns the table of the matches that were played.
fn basis(report: &Report) -> Section {
    let row = |series: &Series| {
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            escaped(&series.players),
            thousands(series.matches),
            thousands(series.unfinished)
        )
    };
    let rows: String = report.series.iter().map(row).collect();
    let table = format!(
        "<table class=\"data\">\n<caption>the matches that were played</caption>\n<thead><tr><th scope=\"col\">players</th><th \
         scope=\"col\" class=\"number\">matches</th><th scope=\"col\" class=\"number\">given \
         up</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n<p>{}</p>\n",
        escaped(SEARCHES)
    );
    Section::new("basis", "What this is based on", table + &hash(report))
}

/// Returns the table of the matches that were played in each setting of a sweep.
fn basis_of_sweep(sweep: &Sweep) -> Section {
    let studied = sweep.rows.iter().filter_map(|row| Some((row, row.report.as_ref()?)));
    let one = |(row, report): (&Row, &Report)| {
        let matches = thousands(report.series.iter().map(|series| series.matches).sum());
        let unfinished = thousands(report.series.iter().map(|series| series.unfinished).sum());
        let series = report.series.iter();
        let players: Vec<String> =
            series.map(|series| format!("{} {}", thousands(series.matches), series.players)).collect();
        format!(
            "<tr><th scope=\"row\">{}<small>{}</small></th><td class=\"number\">{matches}</td><td \
             class=\"number\">{unfinished}</td></tr>\n",
            escaped(&setting_words(sweep, row)),
            escaped(&players.join("; "))
        )
    };
    let rows: String = studied.map(one).collect();
    let table = format!(
        "<table class=\"data\">\n<caption>the matches that were played in each setting, and by \
         whom</caption>\n<thead><tr><th scope=\"col\">setting</th><th scope=\"col\" class=\"number\">matches</th><th \
         scope=\"col\" class=\"number\">given up</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    );
    let hash = sweep.rows.iter().find_map(|row| row.report.as_ref()).map(hash);
    Section::new("basis", "What this is based on", table + &hash.unwrap_or_default())
}

/// Returns the line that identifies the rules.
fn hash(report: &Report) -> String {
    let rules = escaped(report.rules.get(..19).unwrap_or(&report.rules));
    format!("<p class=\"legend\">Rules <span class=\"nowrap\">{rules}</span></p>\n")
}

/// Returns the settings of a sweep, with what their studies say first, besides warnings.
fn settings(sweep: &Sweep) -> Section {
    let row = |row: &Row| {
        let told = match (&row.report, &row.refused) {
            (Some(report), _) => {
                let remarks = report.verdict.iter().filter(|remark| !remark.warning);
                remarks.take(3).map(|remark| escaped(&remark.text)).collect()
            }
            (None, Some(why)) => vec![format!("not played: {}", escaped(why))],
            (None, None) => vec!["not played".to_string()],
        };
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            escaped(&setting_words(sweep, row)),
            told.join("<br>")
        )
    };
    let rows: String = sweep.rows.iter().map(row).collect();
    let table = format!(
        "<table class=\"data\">\n<caption>each setting, and what its study says</caption>\n<thead><tr><th \
         scope=\"col\">setting</th><th scope=\"col\">study</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    );
    Section::new("settings", "Settings", table)
}
