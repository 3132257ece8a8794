//! The code that the compiler generates, as `dump --stage mir` prints it.

use crate::files;
use parlour::jit::Compiled;
use parlour::play::{Rules, bundled, bundled_source};

/// Two dumps of the same rules are equal: where data lie in memory does not show.
#[test]
fn the_same_rules_give_the_same_code() {
    let written = [files::language(), files::engines(), files::in_folders(&["tests/engines"])].concat();
    let shipped = bundled().into_iter().map(|(name, _)| bundled_source(&name).unwrap());
    for source in written.into_iter().chain(shipped) {
        let name = source.name.clone();
        let rules = Rules::load(source).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        let options = rules.read_options([]).unwrap();
        let machine = || rules.machine(&options, rules.default_players()).unwrap();
        // Data of both lie in memory at the same time, so at different places.
        let dumps = [(); 2].map(|()| Compiled::interpreting(machine()));
        let [one, other] = dumps.each_ref().map(|compiled| compiled.text().unwrap_or_default());
        let differs = one.lines().zip(other.lines()).find(|(one, other)| one != other);
        assert!(one == other, "{name}: {differs:?}");
    }
}
