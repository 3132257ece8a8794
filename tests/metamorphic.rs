//! Rules written otherwise.

mod files;
mod rewrites;

use parlour::play::{Rules, bundled, bundled_source};

#[test]
fn the_examples_of_the_kinds_come_out_as_they_say() {
    let failed: Vec<String> = rewrites::kinds().iter().filter_map(|kind| kind.shown().err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn check() {
    let mut failed = 0;
    let sources =
        bundled().into_iter().map(|(name, _)| bundled_source(&name).unwrap()).chain(files::language());
    for source in sources {
        let text = rewrites::printed(&source);
        if let Err(found) = Rules::load(text.clone()) {
            println!("printed {}\n{}\n{found:#?}", source.name, text.text);
            failed += 1;
            continue;
        }
        for kind in rewrites::kinds() {
            let Some(text) = kind.rewrite(&source) else { continue };
            if let Err(found) = Rules::load(text.clone()) {
                failed += 1;
                println!("==== {} {}", source.name, kind.name);
                for d in found {
                    println!(
                        "   {}  at {}",
                        d.message,
                        text.text[..d.span().start].rsplit('\n').next().unwrap_or("").to_string()
                            + text.text[d.span().start..].lines().next().unwrap_or("")
                    );
                }
            }
        }
    }
    println!("{failed} failed");
    assert!(failed == 0);
}
