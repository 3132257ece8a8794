//! `check --fix`: what is fixed, what is left, and what becomes of the file.

use std::fs;

use super::{FIXED, HEAP, broken};
use crate::folder::Folder;

#[test]
fn sure_fixes_are_carried_out() {
    let folder = Folder::new("fix");
    folder.write("bad.game", &broken());
    let (status, out, told) = folder.run(&["check", "bad.game", "--fix", "--dry-run"]);
    assert_eq!((status, folder.read("bad.game")), (1, broken()));
    assert!(out.starts_with("--- a/bad.game\n+++ b/bad.game\n@@ "), "{out}");
    assert!(out.contains("\n-  left: 0..n := n\n+  left: 0..n = n\n }\n"), "{out}");
    assert_eq!(told, "4 errors, 0 warnings, 4 mistakes would be fixed; nothing is changed\n");

    let (status, out, told) = folder.run(&["check", "bad.game", "--fix"]);
    let fixed = FIXED.map(|line| format!("bad.game:{line}\n")).concat();
    assert_eq!((status, out.as_str(), told), (0, "", fixed + "0 errors, 0 warnings, 4 fixed\n"));
    let mended = folder.read("bad.game");
    assert_eq!(
        mended,
        HEAP.replace("left -= count", "left := left - count")
            .replace("count <= left", "count <= left and n >= count")
    );
    assert_eq!(folder.run(&["check", "bad.game", "--fix"]).2, "0 errors, 0 warnings, 0 fixed\n");
    assert_eq!(folder.read("bad.game"), mended);
    // No temporary file may be left in the folder.
    assert_eq!(fs::read_dir(&*folder).unwrap().count(), 1);

    for (args, status) in
        [(vec!["-", "--fix"], 2), (vec!["bad.game", "--dry-run"], 2), (vec!["procession", "--fix"], 0)]
    {
        assert_eq!(folder.run(&[&["check"], &args[..]].concat()).0, status, "{args:?}");
    }
}

#[test]
fn a_name_that_cannot_be_is_renamed_at_all_its_places() {
    let folder = Folder::new("fix-names");
    let text = include_str!("../corpus/lines-as-names.game");
    folder.write("names.game", text);
    let (_, out, _) = folder.run(&["check", "names.game", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found[0]["fix"]["replacement"], "reveal_it");
    assert_eq!(found[0]["fix"]["also"].as_array().unwrap().len(), 3);
    let (status, _, told) = folder.run(&["check", "names.game", "--fix"]);
    assert_eq!(status, 0, "{told}");
    assert!(told.starts_with("names.game:12:6: `reveal` to `reveal_it`, at 4 places\n"), "{told}");
}

/// One report, one correction: each word with its own small letters.
#[test]
fn capital_letters_are_corrected_everywhere() {
    let folder = Folder::new("fix-capitals");
    let capitals =
        [("game \"", "Game \""), ("option", "Option"), ("table", "TABLE"), ("each player", "Each Player")];
    let capitals =
        [&capitals[..], &[("move", "Move"), ("need", "Need"), ("highest", "Highest"), ("until", "Until")]]
            .concat();
    let right = "game \"Heap\" {\n  players 2\n}\n\noption n: 1..9 = 5\n\ntable {\n  left: 0..9 = n\n}\n\neach player {\n  taken: int = 0\n}\n\n\
                 move take(k in 1..2) {\n  need k <= left else \"too many\"\n  left -= k\n  me.taken += k\n}\n\nplay {\n  turns until left = 0 { take }\n}\n\n\
                 winner highest me.taken\n";
    let wrong =
        capitals.iter().fold(right.to_string(), |text, (small, capital)| text.replace(small, capital));
    folder.write("capitals.game", &wrong);
    let (_, out, _) = folder.run(&["check", "capitals.game", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 1, "{out}");
    assert_eq!(found[0]["fix"]["also"][0]["replacement"], "option");
    let (status, _, told) = folder.run(&["check", "capitals.game", "--fix"]);
    assert_eq!((status, folder.read("capitals.game").as_str()), (0, right), "{told}");
}

#[test]
fn a_fix_leaves_the_rest_of_the_file_as_it_is() {
    let folder = Folder::new("fix-bytes");
    let foreign = |text: &str| format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n"));
    folder.write("bad.game", &foreign(&broken()));
    folder.write("right.game", HEAP);
    folder.run(&["check", "right.game", "bad.game", "--fix"]);
    let mended = HEAP
        .replace("left -= count", "left := left - count")
        .replace("count <= left", "count <= left and n >= count");
    assert_eq!(folder.read("bad.game"), foreign(&mended));
    assert_eq!(folder.read("right.game"), HEAP);
}

#[cfg(unix)]
#[test]
fn a_fixed_file_keeps_its_permissions_and_its_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("fix-links");
    folder.write("real/bad.game", &broken());
    let real = folder.join("real/bad.game");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real/bad.game", folder.join("link.game")).unwrap();
    assert_eq!(folder.run(&["check", "link.game", "--fix"]).0, 0);
    assert!(fs::symlink_metadata(folder.join("link.game")).unwrap().file_type().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(folder.read("real/bad.game").contains("left := left - count"));
}

#[test]
fn a_fix_keeps_what_is_meant() {
    let folder = Folder::new("fix-meant");
    let game = |line: &str| {
        format!(
            "game \"Fixed\" {{\n  players 2\n}}\n\ntable {{\n  tiles: set of 1..9 = set(1..9)\n  row: list of 1..9 = [1, 2, 3]\n  \
             x: int = 0\n}}\n\nmove take(k in 1..9) {{\n  {line}\n}}\n\nplay {{\n  turns as t until t > 9 skipping stuck {{ take }}\n}}\n\n\
             winner last mover\n"
        )
    };
    for (said, meant) in [
        ("tiles := tiles minus k", "tiles := without(tiles, {k})"),
        ("row := row without k", "row := without(row, [k])"),
        ("tiles := tiles without row", "tiles := without(tiles, set(row))"),
        ("tiles := {1..5}", "tiles := set(1..5)"),
        ("x := 5 minus k", "x := 5 - k"),
        ("x += k, row += k", "x += k\n  row += k"),
        ("x := 0, shuffle row", "x := 0\n  shuffle row"),
        ("x := number of tiles", "x := size(tiles)"),
        ("need k is bigger than all of row else \"no\"", "need all(y in row: k > y) else \"no\""),
        ("each t in tiles and t > k { x += t }", "each t in tiles where t > k { x += t }"),
    ] {
        folder.write("fixed.game", &game(said));
        let (status, out, told) = folder.run(&["check", "fixed.game", "--fix"]);
        assert_eq!((status, folder.read("fixed.game")), (0, game(meant)), "{said}: {out}{told}");
    }
}

#[test]
fn a_fix_that_brings_a_new_error_is_left() {
    let folder = Folder::new("fix-left");
    // The nearest name is a list, which cannot be compared.
    let text = broken()
        .replace("table {", "table {\n  countts: list of 1..9 = [1]")
        .replace("in 1..3", "in 1..3, more in 1..2");
    let text = text
        .replace("take 3", "take 3 1")
        .replace("take 1", "take 1 1")
        .replace("n >= countt", "countts[1] < more and n >= counttss");
    folder.write("bad.game", &text);
    let (status, out, told) = folder.run(&["check", "bad.game", "--fix", "--format", "plain"]);
    assert_eq!(status, 1, "{told}");
    assert!(out.contains("there is nothing called `counttss`") && out.lines().count() == 1, "{out}");
    let left = "`counttss` to `countts`; not done: it would cause E";
    assert!(told.contains(left) && told.ends_with("1 error, 0 warnings, 3 fixed\n"), "{told}");
    let mended = folder.read("bad.game");
    assert!(mended.contains("<= left and countts[1] < more and n >= counttss"), "{mended}");
    assert!(mended.contains("left := left - count"), "{mended}");
}

#[test]
fn the_game_a_variant_varies_is_fixed_by_its_own_name() {
    let folder = Folder::new("fix-variant");
    folder.write("base.game", &broken());
    let variant = "// Another heap.\n\nvariant \"Wide\" of \"base.game\" { }\n\noption m = 6\n";
    folder.write("wide.game", variant);
    let (status, _, told) = folder.run(&["check", "wide.game", "--fix"]);
    assert_eq!(
        (status, told.lines().last().map(|line| line.ends_with(" 0 fixed"))),
        (1, Some(true)),
        "{told}"
    );
    assert_eq!((folder.read("base.game"), folder.read("wide.game")), (broken(), variant.to_string()));
    assert!(folder.run(&["check", "base.game", "--fix"]).2.ends_with(" 4 fixed\n"));
    // Inherited names must be suggested, too.
    let variant =
        "// Wider.\n\nvariant \"Wider\" of \"base.game\" { }\n\noption nn = 6\ndrop example \"for\"\n";
    folder.write("wide.game", variant);
    let (_, out, told) = folder.run(&["check", "wide.game", "--fix", "--format", "plain"]);
    assert!(told.ends_with("wide.game:5:8: `nn` to `n`\n1 error, 0 warnings, 1 fixed\n"), "{told}");
    assert!(out.contains("did you mean `four`?"), "{out}");
    assert_eq!(folder.read("wide.game"), variant.replace("nn", "n"));
}
