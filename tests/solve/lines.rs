//! Lines of best play, and what the position is worth after each outcome of a draw that comes first.

use crate::folder::Folder;
use serde_json::{Value as Json, json};

fn solved(name: &str, text: &str) -> (Json, String) {
    let folder = Folder::new(name);
    folder.write("game.game", text);
    let (_, printed, errors) = folder.type_in("solve game.game --json --engine reference");
    let json = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{errors}"));
    (json, folder.type_in("solve game.game --engine reference").1)
}

#[test]
fn the_line_of_a_puzzle_is_a_shortest_one() {
    // Ten from nothing by ones and threes: at least four steps, and the first move alone would take ten.
    let (json, words) = solved(
        "puzzle",
        "game \"Steps\" { players 1 }\ntable { at: 0..10 = 0 }\n\
         move one { need at < 10 else \"too far\"\n at += 1 }\nmove three { need at < 8 else \"too far\"\n at += 3 }\n\
         play { repeat { ask seat(1) to one or three } until at = 10\n win seat(1) }\n",
    );
    assert_eq!((&json["value"], json["line"]["moves"].as_array().unwrap().len()), (&json!([1]), 4));
    assert!(words.contains("over, after the fewest"), "{words}");
}

#[test]
fn each_outcome_of_the_first_draw_has_its_value() {
    // Nine stones, of which one to three are taken: whoever begins wins, and a die with four sides says who.
    let (json, words) = solved(
        "begin",
        "game \"Begin\" { players 2 }\ntable { left: 0..9 = 9 }\n\
         move take(count in 1..3) { need count <= left else \"too many\"\n left -= count }\n\
         play {\n chance die in 1..4\n if die = 4 { turns from seat(2) until stuck { take } }\n\
         else { turns from seat(1) until stuck { take } }\n}\nwinner last mover\n",
    );
    assert_eq!((&json["value"], &json["exact"]), (&json!([0.5, -0.5]), &json!(["1/2", "-1/2"])));
    let draws: Vec<(&Json, &Json, &Json)> = json["draws"]
        .as_array()
        .unwrap()
        .iter()
        .map(|draw| (&draw["drawn"], &draw["of"], &draw["value"]))
        .collect();
    let (first, second) = (json!([1, -1]), json!([-1, 1]));
    let all = [1, 2, 3, 4].map(|side| json!(side));
    let worth = [&first, &first, &first, &second];
    assert_eq!(draws, (0..4).map(|at| (&all[at], &json["draws"][0]["of"], worth[at])).collect::<Vec<_>>());
    assert!(words.contains("after what is drawn first:") && words.contains("4 (1 of 4)  loses"), "{words}");
}
