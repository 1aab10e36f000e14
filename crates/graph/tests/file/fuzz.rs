//! Fuzzing: no text makes the parser panic, and every error is one line.

use proptest::prelude::*;

use crate::file::{EVERYTHING, parse};

fn check(text: &str) {
    if let Err(error) = parse(text) {
        assert!(!error.to_string().contains('\n'), "{error:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text(text in "\\PC*") {
        check(&text);
    }

    /// A valid file in which some bytes are replaced, doubled or removed.
    #[test]
    fn damaged_files(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, "[ -~\n]"), 1..6)) {
        let mut text: Vec<char> = EVERYTHING.chars().collect();
        for (place, kind, other) in edits {
            let at = place.index(text.len());
            let other = other.chars().next().unwrap_or(' ');
            match kind {
                0 => text[at] = other,
                1 => text.insert(at, other),
                2 => drop(text.remove(at)),
                _ => text.insert(at, text[at]),
            }
        }
        check(&text.into_iter().collect::<String>());
    }

    /// A valid file with one number replaced by another.
    #[test]
    fn other_numbers(place in any::<prop::sample::Index>(), value in any::<i64>()) {
        let digits: Vec<_> = EVERYTHING.match_indices(|letter: char| letter.is_ascii_digit()).collect();
        let (at, digit) = digits[place.index(digits.len())];
        let text = [&EVERYTHING[..at], &value.to_string(), &EVERYTHING[at + digit.len()..]].concat();
        check(&text);
    }

    /// Reorders lines.
    #[test]
    fn moved_lines(from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
        let mut lines: Vec<_> = EVERYTHING.lines().collect();
        let line = lines.remove(from.index(lines.len()));
        lines.insert(to.index(lines.len()), line);
        check(&lines.join("\n"));
    }
}
