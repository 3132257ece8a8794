//! Pictures as SVG for a page, drawn by plotters: axes and lines have fixed colours, which the page's style
//! replaces in dark mode; each picture has a title and a description for screen readers.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{
    Interval, amount, bars, curve_words, distribution_words, estimate, ladder_words, setting_words, span,
    sweep_rows, unit_words,
};
use crate::explore::decimals;
use crate::lab::study::{Curve, Distribution, Line, Point, Rung, Sweep, Unit};

/// The size of a picture with axes; it is scaled to the page. All text is large, because it shrinks to less
/// than half on a phone.
const SIZE: (u32, u32) = (880, 520);
/// The width of a picture of rows, and the height of a row.
const ROW: (u32, u32) = (880, 100);
const TEXT: u32 = 40;

/// The colours of text and axes, of grid lines, and of bars, as in the style of the page.
const INK: RGBColor = RGBColor(0x23, 0x21, 0x1d);
const GRID: RGBColor = RGBColor(0xd9, 0xd3, 0xc5);
const BAR: RGBColor = RGBColor(0x00, 0x72, 0xb2);
/// The colours of the seats' lines, from a palette that colour-blind people can distinguish (M. Okabe and K.
/// Ito, 2002), darkened for a light page.
const SEATS: [RGBColor; 6] = [
    BAR,
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xb0, 0x56, 0x8f),
    RGBColor(0xb0, 0x8a, 0x00),
    RGBColor(0x3a, 0x87, 0xb7),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Drawing into a `String` cannot fail.
type Drawn = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

/// Draws a distribution, with a column for each bar. `id` is unique on the page.
pub fn distribution(distribution: &Distribution, id: &str) -> String {
    let (bars, told) = (bars(distribution), distribution_words(distribution));
    picture(id, &distribution.title, &told, SIZE, |root| {
        let highest = bars.iter().map(|bar| bar.share).fold(0.0, f64::max);
        // A range of a single bar has no width, so leave room on both sides.
        let room = i32::from(bars.len() == 1);
        let mut chart = ChartBuilder::on(root)
            .margin(14)
            .x_label_area_size(104)
            .y_label_area_size(112)
            .build_cartesian_2d(
                (-room..bars.len() as i32 - 1 + room).into_segmented(),
                0.0..highest.max(1e-9) * 1.05,
            )?;
        let label = |at: &SegmentValue<i32>| bar_label(&bars, at);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .x_labels(bars.len() + 1 + 2 * room as usize)
            .x_label_formatter(&label)
            .y_labels(5)
            .y_label_formatter(&|share| format!("{:.0} %", 100.0 * share))
            .label_style(style())
            .x_desc(distribution.unit.map_or("", unit_words))
            .draw()?;
        chart.draw_series(bars.iter().enumerate().map(|(n, bar)| {
            let n = n as i32;
            let ends = [(SegmentValue::Exact(n), 0.0), (SegmentValue::Exact(n + 1), bar.share)];
            let mut column = Rectangle::new(ends, BAR.filled());
            column.set_margin(0, 0, 3, 3);
            column
        }))?;
        Ok(())
    })
}

/// Draws values in the course of a match, each line with its interval around it.
pub fn curve(curve: &Curve, id: &str) -> String {
    picture(id, &curve.title, &curve_words(curve), SIZE, |root| {
        let points = curve.lines.iter().flat_map(|line| &line.points);
        let (low, high) = span(curve.unit, points.flat_map(|point| point.interval));
        let mut chart = ChartBuilder::on(root)
            .margin(14)
            .margin_right(56)
            .x_label_area_size(104)
            .y_label_area_size(120)
            .build_cartesian_2d(0.0..1.0, low..high)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .x_labels(3)
            .x_label_formatter(&|at| format!("{:.0} %", 100.0 * at))
            .y_labels(5)
            .y_label_formatter(&|value| axis(curve.unit, *value))
            .label_style(style())
            .x_desc("of a match")
            .draw()?;
        for (line, colour) in curve.lines.iter().zip(SEATS.iter().cycle()) {
            let lower = steps(line, |point| point.interval[0]);
            let upper = steps(line, |point| point.interval[1]);
            let around: Vec<(f64, f64)> = lower.into_iter().chain(upper.into_iter().rev()).collect();
            chart.draw_series([Polygon::new(around, colour.mix(0.18).filled())])?;
        }
        for (line, colour) in curve.lines.iter().zip(SEATS.iter().cycle()) {
            chart.draw_series(LineSeries::new(steps(line, |point| point.value), colour.stroke_width(5)))?;
        }
        Ok(())
    })
}

/// Returns the corners of a line that keeps the value of each point up to the next.
fn steps(line: &Line, value: impl Fn(&Point) -> f64) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for point in &line.points {
        corners.extend(corners.last().map(|(_, before)| (point.at, *before)));
        corners.push((point.at, value(point)));
    }
    corners
}

/// Draws a ladder of players: each rating with its interval.
pub fn ladder(rungs: &[Rung], id: &str) -> String {
    let rows: Vec<Interval> = rungs.iter().map(|rung| (rung.bot.clone(), rung.elo, rung.interval)).collect();
    intervals("Strength of players in Elo", &ladder_words(rungs), Unit::Elo, &rows, id)
}

/// Draws one figure in all settings of a sweep.
pub fn sweep(sweep: &Sweep, key: &str, title: &str, id: &str) -> String {
    let (unit, rows) = sweep_rows(sweep, key);
    let told: Vec<String> = rows
        .iter()
        .map(|(setting, value, interval)| format!("{setting}: {}", estimate(unit, *value, *interval)))
        .collect();
    let left_out: Vec<String> =
        sweep.rows.iter().filter(|row| row.report.is_none()).map(|row| setting_words(sweep, row)).collect();
    let mut told = told.join("; ");
    if !left_out.is_empty() {
        told.push_str(&format!("; not played: {}", left_out.join(", ")));
    }
    intervals(title, &told, unit, &rows, id)
}

/// Formats a number on an axis.
fn axis(unit: Unit, value: f64) -> String {
    if unit == Unit::Share { format!("{} %", decimals(100.0 * value, 0)) } else { amount(unit, value) }
}

/// Returns the label below the middle of a column; some are left out so that they do not overlap.
fn bar_label(bars: &[super::Bar], at: &SegmentValue<i32>) -> String {
    let SegmentValue::CenterOf(n) = at else { return String::new() };
    let n = usize::try_from(*n).unwrap_or(usize::MAX);
    let longest = bars.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(1);
    let apart = (bars.len() * (longest + 1)).div_ceil(36).max(1);
    match bars.get(n) {
        Some(bar) if n.is_multiple_of(apart) => bar.label.clone(),
        _ => String::new(),
    }
}

/// Draws rows with a name, a value and its interval, over a common axis.
fn intervals(title: &str, told: &str, unit: Unit, rows: &[Interval], id: &str) -> String {
    picture(id, title, told, rows_size(rows.len()), |root| {
        let (low, high) = span(unit, rows.iter().flat_map(|(_, value, [low, high])| [*value, *low, *high]));
        let x = |value: f64| 16 + ((value - low) / (high - low) * f64::from(ROW.0 - 32)).round() as i32;
        for (n, (name, value, [from, to])) in rows.iter().enumerate() {
            let top = 4 + n as i32 * ROW.1 as i32;
            let told = format!("{name}: {}", estimate(unit, *value, [*from, *to]));
            root.draw(&Text::new(told, (4, top), style()))?;
            let middle = top + 66;
            root.draw(&PathElement::new([(x(low), middle), (x(high), middle)], GRID.stroke_width(2)))?;
            root.draw(&PathElement::new([(x(*from), middle), (x(*to), middle)], BAR.stroke_width(6)))?;
            root.draw(&Circle::new((x(*value), middle), 10, BAR.filled()))?;
        }
        Ok(())
    })
}

fn rows_size(rows: usize) -> (u32, u32) {
    (ROW.0, ROW.1 * rows.max(1) as u32)
}

fn style() -> TextStyle<'static> {
    ("sans-serif", TEXT).into_font().color(&INK)
}

/// Returns a complete `svg` element: the drawing, with its title and a description for screen readers.
fn picture(id: &str, title: &str, told: &str, size: (u32, u32), draw: impl FnOnce(&Area) -> Drawn) -> String {
    let mut drawn = String::new();
    {
        let root = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
        if draw(&root).and_then(|()| root.present()).is_err() {
            return String::new();
        }
    }
    let inside = drawn.split_once('>').map_or("", |(_, rest)| rest);
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n<title \
         id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>{inside}",
        size.0,
        size.1,
        escaped(title),
        escaped(told),
    )
}

/// Escapes a text for HTML or SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
