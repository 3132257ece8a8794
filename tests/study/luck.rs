//! What draws bring, by how much the first is ahead in the end, and which settings differ.

use serde_json::{Value as Json, json};

use super::{distribution, figure, holds, interval, missing, run, run_at, says, study, value, verdict};

/// Returns a text with all its white space as single spaces.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn draw<'r>(report: &'r Json, name: &str) -> &'r Json {
    report["draws"].as_array().unwrap().iter().find(|draw| draw["name"] == name).unwrap()
}

fn outcome<'r>(report: &'r Json, name: &str, value: &str) -> &'r Json {
    let all = draw(report, name)["outcomes"].as_array().unwrap();
    all.iter().find(|outcome| outcome["value"] == value).unwrap()
}

#[test]
fn what_an_outcome_brings_is_what_was_planted() {
    let report = study("wheel.game --playouts 20 --games 200 --within 0.001");
    // The first seat wins after a 4, and half of the matches otherwise: 5/8. So a 4 takes 3/8 from the other, who chooses
    // next, and any other outcome brings 1/8.
    assert_eq!(draw(&report, "turned")["whose"], "the player who has just chosen");
    for (side, gain) in [("1", -0.125), ("2", -0.125), ("3", -0.125), ("4", 0.375)] {
        let found = outcome(&report, "turned", side);
        assert_eq!((&found["gain"], &found["likely"]), (&json!(gain), &json!(0.25)), "{side}: {found}");
    }
    // The variance is 3/4 · 1/64 + 1/4 · 9/64 = 3/64 for the wheel and 1/4 for the coin, but 0 for it after a 4.
    assert!((value(&report, "chance.draw.turned") - (3.0_f64 / 64.0).sqrt()).abs() < 1e-5);
    holds(&report, "chance.draw.turned", (3.0_f64 / 64.0).sqrt());
    holds(&report, "chance.draw.coin", (3.0_f64 / 16.0).sqrt());
    assert!(interval(&report, "chance.draw.coin")[0] > 0.35);
    let ends = ["1", "0"].map(|side| outcome(&report, "coin", side)["interval"].clone());
    assert!(ends[0][1].as_f64() < Some(-0.2) && ends[1][0].as_f64() > Some(0.2), "{ends:?}");
    // Both are drawn in each match, and each side of the wheel in about a quarter of them.
    let matches = draw(&report, "coin")["matches"].as_u64().unwrap();
    assert_eq!(
        (draw(&report, "coin")["mean"].as_f64(), draw(&report, "turned")["mean"].as_f64()),
        (Some(1.0), Some(1.0))
    );
    let drawn: Vec<u64> = ["1", "2", "3", "4"]
        .iter()
        .map(|side| outcome(&report, "turned", side)["drawn"].as_u64().unwrap())
        .collect();
    assert_eq!(drawn.iter().sum::<u64>(), matches);
    assert!(drawn.iter().all(|drawn| *drawn > matches / 8), "{drawn:?}");
    assert!(says(&report, "each draw of `turned` typically moves 22 % "), "{:#?}", verdict(&report));
    let lucky = "of the win; for the player who has just chosen, the luckiest is 4 (+38 % (";
    assert!(says(&report, lucky), "{:#?}", verdict(&report));
}

#[test]
fn high_throws_are_lucky_in_a_race() {
    let report = study("dash.game --playouts 60 --games 60 --within 0.2");
    assert_eq!(draw(&report, "d")["whose"], "the player who has just chosen");
    let gain = |side: &str| outcome(&report, "d", side)["gain"].as_f64().unwrap();
    assert!(gain("1") < -0.05 && gain("6") > 0.05 && gain("2") < gain("5"), "{}", draw(&report, "d"));
    assert!(
        says(&report, "the luckiest is 6") && says(&report, "the unluckiest is 1"),
        "{:#?}",
        verdict(&report)
    );
    let (_, text, _) = run_at("70", "dash.game --playouts 5 --games 16");
    assert!(text.contains("\nWhat each draw brings\n"), "{text}");
    assert!(flat(&text).contains("per match, for the player who has just chosen: 1 (17 %): "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 70));
}

#[test]
fn where_draws_are_hidden_their_luck_is_not_searched() {
    let report = study("../equilibrium/kuhn.game --playouts 2 --games 16");
    let figures = report["figures"].as_array().unwrap().iter();
    let luck: Vec<&Json> =
        figures.filter(|figure| figure["key"].as_str().unwrap().starts_with("chance.draw.")).collect();
    assert!(!luck.is_empty());
    for figure in luck {
        assert!(missing(&report, figure["key"].as_str().unwrap()).contains("something is hidden"));
    }
}

#[test]
fn a_coin_that_changes_nothing_moves_nothing() {
    let report = study("duds.game --playouts 2 --games 40");
    for draw in report["draws"].as_array().unwrap() {
        let key = format!("chance.draw.{}", draw["name"].as_str().unwrap());
        let found = figure(&report, &key);
        assert!(found["value"].as_f64().is_none_or(|swing| swing < 0.05), "{found}");
    }
}

#[test]
fn the_lead_at_the_end_is_counted() {
    let report = study("palette.game --playouts 20 --games 60 --within 0.001");
    let bins = distribution(&report, "seat.1.lead");
    let number = |bin: &Json| (bin["range"][0].as_i64().unwrap(), bin["count"].as_u64().unwrap());
    let (matches, ahead): (u64, i64) = bins
        .iter()
        .map(number)
        .fold((0, 0), |(matches, ahead), (lead, count)| (matches + count, ahead + lead.abs() * count as i64));
    assert_eq!(matches, figure(&report, "margin.winner")["matches"].as_u64().unwrap());
    let mean = ahead as f64 / matches as f64;
    assert!((value(&report, "margin.winner") - mean).abs() < 1e-6, "{mean}: {bins:?}");
    // Leads are the differences of scores.
    let score = |seat: usize| value(&report, &format!("seat.{seat}.score"));
    let lead =
        bins.iter().map(number).map(|(lead, count)| lead * count as i64).sum::<i64>() as f64 / matches as f64;
    assert!((score(1) - score(2) - lead).abs() < 1e-5, "{lead}");
    let alone = study("alone.game --playouts 2 --games 8");
    assert!(alone["figures"].as_array().unwrap().iter().all(|figure| figure["key"] != "margin.winner"));
}

#[test]
fn settings_that_differ_are_told_from_those_that_do_not() {
    let differ = "dash.game --sweep goal=10,12,60 --playouts 5 --games 40";
    let (status, text, _) = run_at("100", differ);
    assert_eq!(status, 0);
    let (_, told) = text.split_once("Differences between settings\n").unwrap();
    assert!(
        told.starts_with("  choices: 3 of 3 pairs of settings differ beyond chance, most of all "),
        "{told}"
    );
    assert!(told.contains("with goal=60") && flat(told).contains("in nineteen sweeps of twenty"), "{told}");
    let (_, out, _) = run(&format!("{differ} --json"));
    let sweep: Json = serde_json::from_str(&out).unwrap();
    let all = sweep["differences"].as_array().unwrap();
    let length = all.iter().filter(|one| one["key"] == "length.choices");
    assert!(length.clone().count() == 3 && length.clone().all(|one| one["differs"] == true), "{all:?}");
    let (_, text, _) = run_at("100", "label.game --sweep tag=1..5 --playouts 5 --games 24");
    assert!(text.contains("choices: no two settings differ beyond chance (10 pairs)"), "{text}");
    assert!(!text.contains("settings differ beyond chance, most"), "{text}");
}
