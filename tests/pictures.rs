//! Pictures and pages: a drawing must be to scale, fit the screen, and have words for people who listen; a
//! page must be complete, self-contained and accessible, and work in a browser, if there is one.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;
use parlour::lab::picture::{bars, svg, terminal};
use parlour::lab::study::{Bin, Curve, Distribution, Line, Point, Rung, Unit};
use parlour::play::Look;

/// A dice game for three players, with points and with characters that are special in HTML.
const DICE: &str = r#"// Throw, and keep it or not; "most" > all & sundry.

game "Dice <&> Luck" {
  players 3
}

option turns_each: 1..5 = 2

each player {
  total: int = 0
  thrown: 0..6 = 0
}

show "{[p in players: p.total]}"

move keep {
  me.total += me.thrown
}

move leave {
  need me.thrown < 4 else "a {me.thrown} & more is kept"
}

play {
  turns as t until t > turns_each * 3 {
    chance die in 1..6
    me.thrown := die
    keep or leave
  }
}

winner highest me.total
"#;

// ---- pictures

fn numbers(counts: &[u64]) -> Distribution {
    let bin = |(n, count): (usize, &u64)| {
        let n = n as i64 + 5;
        Bin { label: n.to_string(), range: Some([n, n]), count: *count }
    };
    Distribution {
        key: "length.choices".into(),
        title: "length".into(),
        meaning: "how many matches had each number of choices".into(),
        unit: Some(Unit::Choices),
        series: "strong".into(),
        matches: counts.iter().sum(),
        bins: counts.iter().enumerate().map(bin).collect(),
    }
}

fn curve(unit: Unit, lines: &[(&str, &[f64])]) -> Curve {
    let line = |(name, values): &(&str, &[f64])| {
        let last = (values.len() - 1) as f64;
        let point = |(n, value): (usize, &f64)| Point {
            at: n as f64 / last,
            value: *value,
            interval: [value - 0.1, value + 0.1],
        };
        Line { name: name.to_string(), points: values.iter().enumerate().map(point).collect() }
    };
    Curve {
        key: "width".into(),
        title: "legal moves".into(),
        meaning: "how many players choose from".into(),
        unit,
        series: "strong".into(),
        lines: lines.iter().map(line).collect(),
    }
}

fn rung(bot: &str, elo: f64) -> Rung {
    let interval = [elo - 50.0, elo + 50.0];
    Rung { bot: bot.into(), playouts: None, elo, interval, share: None, share_interval: None, matches: 10 }
}

fn looks(width: usize) -> [Look; 3] {
    let plain = Look { width, ..Look::default() };
    [plain, Look { unicode: true, ..plain }, Look { plain: true, ..plain }]
}

#[test]
fn bars_are_as_long_as_their_shares() {
    let [ascii, unicode, words] = looks(30);
    let shown = numbers(&[10, 0, 5, 25]);
    assert_eq!(
        terminal::distribution(&shown, &ascii),
        ["5 | ####### 25.0 %", "6 | 0.0 %", "7 | #### 12.5 %", "8 | ################## 62.5 %"]
    );
    let drawn = terminal::distribution(&shown, &unicode);
    assert_eq!(drawn[2], "7 │ ███▋ 12.5 %");
    assert_eq!(terminal::distribution(&shown, &words), ["5: 25.0 %; 7: 12.5 %; 8: 62.5 %"]);
    // Many values are grouped into bars, and none is lost.
    let many: Vec<u64> = (0..100).collect();
    let bars = bars(&numbers(&many));
    assert_eq!((bars.len(), bars[0].label.as_str(), bars[14].label.as_str()), (15, "5..11", "103..104"));
    assert!((bars.iter().map(|bar| bar.share).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!((bars[0].share - 21.0 / 4950.0).abs() < 1e-9);
}

#[test]
fn curves_and_intervals_stand_where_their_values_are() {
    let [ascii, unicode, words] = looks(40);
    let falling = curve(Unit::Moves, &[("", &[8.0, 4.0, 0.0])]);
    let drawn = terminal::curve(&falling, &unicode);
    assert!(drawn[0].starts_with("8 ┤──"), "{drawn:#?}");
    assert!(
        drawn[4].starts_with("4 ┤") && drawn[8].starts_with("0 ┤") && drawn[8].ends_with('╰'),
        "{drawn:#?}"
    );
    assert!(drawn[4].contains("╰─"), "{drawn:#?}");
    // Between two points, the value is that of the first.
    let told = "8 at the first choice, 8 a quarter through, 4 halfway, 4 three quarters through, 0 at the last choice";
    assert_eq!(terminal::curve(&falling, &words), [told]);
    let two = curve(Unit::Share, &[("x", &[0.0, 1.0]), ("o", &[1.0, 0.0])]);
    let drawn = terminal::curve(&two, &ascii);
    assert!(drawn[1].starts_with("x  00") && drawn[1].ends_with("09  100 %"), "{drawn:#?}");
    assert!(drawn[2].starts_with("o  99") && drawn[2].ends_with("90  0.0 %"), "{drawn:#?}");
    // A line begins where it has its first point.
    let mut late = curve(Unit::Share, &[("", &[0.5, 0.5, 1.0])]);
    late.lines[0].points.remove(0);
    assert_eq!(
        terminal::curve(&late, &words),
        ["50.0 % halfway, 50.0 % three quarters through, 100 % at the end"]
    );
    let drawn = terminal::curve(&late, &ascii);
    let half = drawn.iter().find(|line| line.contains('-')).unwrap();
    assert!(half.find('-').unwrap() > 20, "{drawn:#?}");
    let rungs = [rung("random", -100.0), rung("greedy", 100.0)];
    let drawn = terminal::ladder(&rungs, &ascii);
    let columns: Vec<[usize; 3]> = drawn
        .iter()
        .map(|line| {
            [line.find('|'), line.find('o').map(|_| line.rfind('o').unwrap()), line.rfind('|')]
                .map(Option::unwrap)
        })
        .collect();
    assert!(columns[0][2] < columns[1][0], "{drawn:#?}");
    assert!(columns.iter().all(|[low, middle, high]| low < middle && middle < high), "{drawn:#?}");
    assert_eq!(
        terminal::ladder(&rungs, &words),
        ["random: -100 Elo (-150..-50); greedy: +100 Elo (+50..+150)"]
    );
}

#[test]
fn pictures_fit_the_screen_and_its_signs() {
    let values: Vec<f64> = (0..40).map(|n| f64::from(n * 37 % 23)).collect();
    let counts: Vec<u64> = (0..300).map(|n| n * 7919 % 1000).collect();
    for width in [40, 60, 80, 120] {
        for look in looks(width).into_iter().take(2) {
            let mut lines = terminal::distribution(&numbers(&counts), &look);
            lines.extend(terminal::curve(&curve(Unit::Points, &[("", &values)]), &look));
            lines.extend(terminal::curve(
                &curve(Unit::Points, &[("a rather long name", &values), ("b", &values)]),
                &look,
            ));
            lines.extend(terminal::ladder(&[rung("random", -1234.0), rung("mcts:1000000", 2345.0)], &look));
            for line in &lines {
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert!(look.unicode || line.is_ascii(), "{line}");
            }
        }
    }
}

#[test]
fn svg_shows_the_data_and_tells_it() {
    let picture = svg::distribution(&numbers(&[10, 0, 5, 25]), "a");
    assert!(picture.contains("<desc id=\"a-desc\">5: 25.0 %; 7: 12.5 %; 8: 62.5 %</desc>"), "{picture}");
    // The columns are as high as the shares: 25 to 12.5 to 62.5, from the same baseline.
    let heights: Vec<f64> = picture
        .split("<rect ")
        .skip(1)
        .map(|rect| rect.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
        .collect();
    let nth = |n: usize| heights[n] / heights.iter().copied().fold(0.0, f64::max);
    assert!((nth(0) - 0.4).abs() < 0.02 && nth(1) < 0.02 && (nth(2) - 0.2).abs() < 0.02, "{heights:?}");
    // A single value has a column, too.
    let alone = svg::distribution(&numbers(&[10]), "c");
    let width = alone
        .split("<rect ")
        .nth(1)
        .and_then(|rect| rect.split("width=\"").nth(1)?.split('"').next())
        .unwrap();
    assert!(width.parse::<i32>().unwrap() > 100, "{alone}");
    let picture = svg::curve(&curve(Unit::Share, &[("x <y>", &[0.2, 0.8]), ("o", &[0.8, 0.2])]), "b");
    // There is one line per series, with an interval around it.
    assert_eq!(picture.matches("<polygon").count(), 2);
    assert!(picture.contains("#0072B2") && picture.contains("#D55E00"));
    assert!(picture.contains("x &lt;y&gt;: 20.0 % at the first choice"), "{picture}");
    assert_eq!(Page::read(&picture), Ok(()), "{picture}");
}

// ---- pages

/// A start tag or an end tag.
struct Tag<'t> {
    name: &'t str,
    attributes: Vec<(&'t str, &'t str)>,
    ends: bool,
    closed: bool,
}

/// Reads a page as strictly as XML, except for elements without end tags.
struct Page;

impl Page {
    /// Returns all tags in order; the error is a sentence.
    fn tags(text: &str) -> Result<Vec<Tag<'_>>, String> {
        let mut tags = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            let outside = &rest[..at];
            if outside.contains('>')
                && !tags.last().is_some_and(|tag: &Tag| matches!(tag.name, "style" | "script"))
            {
                return Err(format!("a stray sign in `{outside}`"));
            }
            let end = rest[at..].find('>').ok_or("a tag without an end")?;
            let inside = &rest[at + 1..at + end];
            rest = &rest[at + end + 1..];
            if inside.starts_with('!') {
                continue;
            }
            let (ends, inside) = (inside.starts_with('/'), inside.trim_start_matches('/'));
            let (closed, inside) = (inside.ends_with('/'), inside.trim_end_matches('/'));
            let (name, mut more) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
            let mut attributes = Vec::new();
            while let Some((key, value)) = more.trim_start().split_once("=\"") {
                let (value, behind) =
                    value.split_once('"').ok_or(format!("`{inside}` has a quote too few"))?;
                attributes.push((key, value));
                more = behind;
            }
            if !more.trim().is_empty() {
                return Err(format!("`{inside}` has `{more}`"));
            }
            tags.push(Tag { name, attributes, ends, closed });
            if matches!(name, "style" | "script") && !ends {
                rest = &rest[rest.find("</").ok_or("a style without an end")?..];
            }
        }
        Ok(tags)
    }

    /// Checks that elements are nested correctly, and that ids are unique and references exist.
    fn read(text: &str) -> Result<(), String> {
        let tags = Page::tags(text)?;
        let (mut open, mut ids, mut referred) = (Vec::new(), BTreeSet::new(), Vec::new());
        for tag in &tags {
            if tag.ends {
                if open.pop() != Some(tag.name) {
                    return Err(format!("</{}> ends something else", tag.name));
                }
            } else if !tag.closed && !matches!(tag.name, "meta" | "br") {
                open.push(tag.name);
            }
            for (key, value) in &tag.attributes {
                match *key {
                    "id" if !ids.insert(*value) => return Err(format!("`{value}` is there twice")),
                    "aria-labelledby" => referred.extend(value.split(' ')),
                    "href" => {
                        referred.push(value.strip_prefix('#').ok_or(format!("`{value}` is elsewhere"))?)
                    }
                    "src" => return Err(format!("`{value}` is elsewhere")),
                    _ => {}
                }
            }
        }
        match (open.last(), referred.into_iter().find(|id| !ids.contains(id))) {
            (Some(open), _) => Err(format!("<{open}> has no end")),
            (_, Some(id)) => Err(format!("nothing is called `{id}`")),
            _ => Ok(()),
        }
    }
}

/// Runs `parlour study` in a folder with the dice game, and returns the page that it writes.
fn page_of(folder: &Folder, words: &str) -> String {
    folder.write("dice.game", DICE);
    let (status, _, told) = folder.type_in(&format!("study {words} --html page.html"));
    assert_eq!(status, 0, "{told}");
    folder.read("page.html")
}

#[test]
fn pages_are_whole_and_can_be_read_by_all() {
    let folder = Folder::new("whole");
    for words in [
        "dice.game --playouts 2 --games 6",
        "tic-tac-toe --playouts 2 --games 6",
        "dice.game --playouts 2 --games 4 --sweep turns_each=1..2",
    ] {
        let page = page_of(&folder, words);
        assert_eq!(Page::read(&page), Ok(()), "{words}");
        assert!(!page.contains("http"), "{words}: it refers to something outside");
        assert!(
            page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">") && page.contains("name=\"viewport\"")
        );
        let tags = Page::tags(&page).unwrap();
        let opened: Vec<&Tag> = tags.iter().filter(|tag| !tag.ends).collect();
        let count = |name: &str| opened.iter().filter(|tag| tag.name == name).count();
        let has = |tag: &Tag, key: &str, value: &str| tag.attributes.contains(&(key, value));
        // Headings are in order: one of the first level, and no level is skipped.
        assert_eq!(count("h1"), 1, "{words}");
        let level = |tag: &&Tag| tag.name.strip_prefix('h').and_then(|level| level.parse::<u32>().ok());
        let levels: Vec<u32> = opened.iter().filter_map(level).collect();
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{words}: {levels:?}");
        // Data tables have captions, and their headings have scopes; boards of the sheet are drawings.
        let data = opened.iter().filter(|tag| tag.name == "table" && has(tag, "class", "data")).count();
        assert!(data >= 2 && data == count("caption"), "{words}");
        let heads = opened.iter().filter(|tag| tag.name == "th" && !tag.attributes.is_empty());
        assert!(
            heads.clone().count() >= 8
                && heads.clone().all(|tag| has(tag, "scope", "col") || has(tag, "scope", "row"))
        );
        // Pictures have descriptions.
        let pictures: Vec<&&Tag> =
            opened.iter().filter(|tag| tag.name == "svg" && !has(tag, "aria-hidden", "true")).collect();
        assert!(pictures.len() >= 3 && pictures.iter().all(|tag| has(tag, "role", "img")), "{words}");
        assert_eq!(count("desc"), pictures.len());
        // The author's text is escaped.
        if words.starts_with("dice") {
            assert!(page.contains("Dice &lt;&amp;&gt; Luck"), "{words}");
        }
        // The same command writes the same page.
        assert_eq!(page_of(&folder, words), page);
    }
}

#[test]
fn colours_can_be_told_from_their_ground() {
    let folder = Folder::new("colours");
    let page = page_of(&folder, "tic-tac-toe --playouts 1 --games 2");
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    // The light theme, then the dark one, which inherits the colours that it does not redefine.
    let themes: Vec<&str> = style.split(":root {").skip(1).take(2).collect();
    for theme in themes {
        let theme = theme.split('}').next().unwrap();
        let colour = |name: &str| {
            let value =
                theme.split(&format!("--{name}: #")).nth(1).unwrap_or_else(|| panic!("{name}: {theme}"));
            luminance(&value[..6])
        };
        let paper = colour("paper");
        for (name, least) in [("ink", 4.5), ("faint", 4.5), ("accent", 4.5)] {
            assert!(
                contrast(colour(name), paper) >= least,
                "{name} on paper: {}",
                contrast(colour(name), paper)
            );
        }
        // Lines and bars are not text: WCAG 2.2 requires a contrast of 3 to 1.
        for line in ["0072b2", "d55e00", "009e73", "b0568f", "b08a00", "3a87b7"] {
            assert!(contrast(luminance(line), paper) >= 3.0, "{line}: {}", contrast(luminance(line), paper));
        }
    }
}

/// Returns the relative luminance of a colour, as defined by the Web Content Accessibility Guidelines.
fn luminance(hex: &str) -> f64 {
    let part = |at: usize| {
        let part = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
}

fn contrast(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

// ---- in a browser

/// Returns a browser, if this machine has one.
fn browser() -> Option<&'static str> {
    let known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    known.into_iter().find(|path| Path::new(path).exists())
}

#[test]
fn a_browser_shows_the_page_on_a_phone_and_steps_through_the_match() {
    let Some(browser) = browser() else {
        // Written past the capture of what tests print, which shows nothing of a test that passes.
        let skipped =
            "SKIPPED: a page in a browser, since there is none; `apt-get install chromium` brings one";
        writeln!(std::io::stderr(), "{skipped}").unwrap();
        return;
    };
    let folder = Folder::new("browser");
    page_of(&folder, "dice.game --playouts 2 --games 6");
    // A page around it, as wide as a phone, that inspects the inner page and reports what it finds.
    let around = r#"<html><body><iframe id="page" src="page.html" style="width:360px;height:800px;border:0"></iframe><pre id="found"></pre>
<script>
addEventListener("load", () => {
  const page = document.getElementById("page").contentDocument;
  const shown = () => [...page.querySelectorAll(".steps > li")].map((step, n) => step.offsetHeight > 0 ? n : -1).filter((n) => n >= 0);
  const press = (name) => [...page.querySelectorAll("button")].find((button) => button.textContent === name).click();
  const found = [page.documentElement.scrollWidth - page.documentElement.clientWidth, page.querySelectorAll(".steps > li").length];
  found.push(shown().join("+"));
  press("Next"); press("Next"); found.push(shown().join("+"));
  press("Back"); found.push(shown().join("+"));
  press("End"); found.push(shown().join("+"), page.querySelector("[role=status]").textContent);
  found.push([...page.querySelectorAll("svg.plot")].filter((svg) => svg.getBoundingClientRect().width < 250).length);
  document.getElementById("found").textContent = found.join("|");
});
</script></body></html>"#;
    folder.write("around.html", around);
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", folder.join("around.html").display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = dom
        .split("<pre id=\"found\">")
        .nth(1)
        .and_then(|rest| rest.split("</pre>").next())
        .unwrap_or_default();
    // Six choices, each with its throw: nothing is too wide, one step shows at a time, none is too narrow.
    assert_eq!(found, "0|7|0|2|1|6|6 of 6|0", "{}", String::from_utf8_lossy(&output.stderr));
}
