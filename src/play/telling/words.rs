//! Words that tellings are made of: what somebody does, several of a thing, the same once more.

/// What a move is called as what somebody does: `permute` is `permutes`, `place_wall` is `places wall`.
pub fn phrased(name: &str) -> String {
    let words = name.replace('_', " ");
    let (verb, rest) = words.split_once(' ').map_or((words.as_str(), ""), |(verb, rest)| (verb, rest));
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    let stem = verb.strip_suffix('y').filter(|stem| !stem.ends_with(vowel) && !stem.is_empty());
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| verb.ends_with(end));
    let verb = match stem {
        Some(stem) => format!("{stem}ies"),
        None if hisses || verb.ends_with('o') => format!("{verb}es"),
        None => format!("{verb}s"),
    };
    format!("{verb} {rest}").trim_end().to_string()
}

/// Says once what stands several times in a row, and how often.
pub(super) fn gather(sentences: &mut Vec<String>) {
    let mut out: Vec<(String, usize)> = Vec::new();
    for sentence in sentences.drain(..) {
        match out.last_mut() {
            Some((last, times)) if *last == sentence => *times += 1,
            _ => out.push((sentence, 1)),
        }
    }
    let once = |(sentence, times): (String, usize)| match times {
        1 => sentence,
        2 => format!("{sentence} (twice)"),
        times => format!("{sentence} ({times} times)"),
    };
    sentences.extend(out.into_iter().map(once));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_what_somebody_does() {
        let told = [
            ("permute", "permutes"),
            ("pass", "passes"),
            ("fetch", "fetches"),
            ("carry", "carries"),
            ("play", "plays"),
            ("go", "goes"),
            ("place_wall", "places wall"),
            ("y", "ys"),
        ];
        for (name, words) in told {
            assert_eq!(phrased(name), words);
        }
    }

    #[test]
    fn what_stands_several_times_is_said_once() {
        let mut said = ["a", "a", "b", "a", "a", "a"].map(String::from).to_vec();
        gather(&mut said);
        assert_eq!(said, ["a (twice)", "b", "a (3 times)"]);
    }
}
