//! Mutates inputs at random.
//!
//! In: valid files. Out: one of them, mutated: parts removed, exchanged or taken from another file, numbers replaced
//! by extreme ones, and most often parts repeated, in order to find costs that double with each repetition. What
//! always holds: the result has at most [`MAX_BYTES`].

use anywarp_test_support::Random;

/// The input size that one unit of the resource limits covers.
pub(crate) const MAX_BYTES: usize = 64 << 10;

/// Numbers at which implementations tend to change behaviour.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "15",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "255",
    "256",
    "1023",
    "1024",
    "65535",
    "65536",
    "1000000",
    "16777216",
    "268435456",
    "1073741824",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-1",
    "1e38",
    "0x7fffffff",
];

/// A file with some changes that keep most tokens intact.
pub(crate) fn mutate_text(random: &mut Random, files: &[Vec<u8>]) -> Vec<u8> {
    let mut text = random.pick(files).clone();
    for _ in 0..random.between(1, 5) {
        change(random, &mut text, files);
        text.truncate(MAX_BYTES);
    }
    text
}

fn change(random: &mut Random, text: &mut Vec<u8>, files: &[Vec<u8>]) {
    let (begin, end) = part(random, text);
    match random.below(9) {
        0 => drop(text.drain(begin..end)),
        1 => repeat(random, text, begin, end),
        2 => replace_number(random, text),
        3 => {
            let other = random.pick(files);
            let (first, last) = part(random, other);
            text.splice(begin..end, other[first..last].iter().copied());
        }
        4 | 5 => {
            let (first, last) = token(random, text);
            let moved = text[first..last].to_vec();
            let (first, last) = token(random, text);
            text.splice(first..last, moved);
        }
        6 => {
            let (first, last) = token(random, text);
            repeat(random, text, first, last);
        }
        7 if !text.is_empty() => {
            let at = random.below(text.len());
            text[at] = *random.pick(b"(){}[]<>;,:.@+-*/%&|!=_\"\n 0aux#\\\x00\xff");
        }
        _ => repeat(random, text, begin, end),
    }
}

/// Repeats a part up to 2^10 times, up to the size limit.
fn repeat(random: &mut Random, text: &mut Vec<u8>, begin: usize, end: usize) {
    let part = text[begin..end].to_vec();
    let room = MAX_BYTES.saturating_sub(text.len()) / part.len().max(1);
    let times = (1 << random.below(11)).min(room);
    text.splice(end..end, part.repeat(times));
}

/// A range of whole lines, usually few.
fn part(random: &mut Random, text: &[u8]) -> (usize, usize) {
    let mut ends: Vec<usize> = vec![0];
    let lines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.extend(lines.map(|(at, _)| at + 1));
    ends.push(text.len());
    let first = random.below(ends.len());
    let longest = 1 << random.below(5);
    let last = (first + random.between(1, longest)).min(ends.len() - 1);
    (ends[first.min(last)], ends[last])
}

/// A word, or a single other character.
fn token(random: &mut Random, text: &[u8]) -> (usize, usize) {
    if text.is_empty() {
        return (0, 0);
    }
    let at = random.below(text.len());
    let is_word = |at: &usize| text[*at].is_ascii_alphanumeric() || text[*at] == b'_';
    if !is_word(&at) {
        return (at, at + 1);
    }
    let before = (0..at).rev().take_while(is_word).count();
    let after = (at..text.len()).take_while(is_word).count();
    (at - before, at + after)
}

fn replace_number(random: &mut Random, text: &mut Vec<u8>) {
    let digits: Vec<usize> = (0..text.len())
        .filter(|at| text[*at].is_ascii_digit())
        .collect();
    if digits.is_empty() {
        return;
    }
    let at = *random.pick(&digits);
    let is_digit = |at: &usize| text[*at].is_ascii_digit();
    let before = (0..at).rev().take_while(is_digit).count();
    let after = (at..text.len()).take_while(is_digit).count();
    let number = random.pick(NUMBERS).bytes();
    text.splice(at - before..at + after, number);
}

/// Tokens of the files in random order.
pub(crate) fn token_soup(random: &mut Random, files: &[Vec<u8>]) -> Vec<u8> {
    let mut text = b"@compute @workgroup_size(1) fn main() { ".to_vec();
    for _ in 0..random.between(1, 60) {
        let file = random.pick(files);
        let (begin, end) = token(random, file);
        text.extend_from_slice(&file[begin..end]);
        text.push(b' ');
    }
    text.push(b'}');
    text
}

/// A binary module with some words changed.
pub(crate) fn mutate_words(random: &mut Random, module: &[u8]) -> Vec<u8> {
    let mut words: Vec<[u8; 4]> = module.as_chunks::<4>().0.to_vec();
    for _ in 0..random.between(1, 4) {
        if words.is_empty() {
            break;
        }
        let (at, from) = (random.below(words.len()), random.below(words.len()));
        match random.below(9) {
            0 => words[at] = (random.bits() as u32).to_le_bytes(),
            1 => words[at] = (random.below(300) as u32).to_le_bytes(),
            2 => words[at][random.below(4)] ^= 1 << random.below(8),
            3 => words[at] = words[from],
            4 => words.truncate(at.max(5)),
            5 => drop(words.remove(at)),
            6 => words.insert(at, words[from]),
            7 => {
                let end = (at + random.between(1, 16)).min(words.len());
                let part = words[at..end].to_vec();
                let room = (MAX_BYTES / 4).saturating_sub(words.len()) / part.len();
                let times = (1 << random.below(8)).min(room);
                words.splice(end..end, part.repeat(times));
            }
            _ => words.swap(at, from),
        }
    }
    words.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_are_never_too_long() {
        let files = vec![b"one 2 three\nfour\n\nfive 66666\n".to_vec(), Vec::new()];
        let mut changed = 0;
        for seed in 0..2000 {
            let text = mutate_text(&mut Random::new(seed), &files);
            assert!(text.len() <= MAX_BYTES);
            changed += usize::from(!files.contains(&text));
            let words = mutate_words(&mut Random::new(seed), &[7; 80]);
            assert!(words.len() <= MAX_BYTES);
        }
        assert!(changed > 500, "{changed}");
    }
}
