//! Phrases that are hard to read or to search for, each with the wording to use instead.
//!
//! In: comments of Rust and WGSL files, and Markdown. Out: an error for each banned phrase. Code, string literals, console blocks and
//! the changelog are not searched. The list is short on purpose: each entry was found many times in this repository.

use super::{File, Finding, Repository};

/// A phrase, in lower case, and what to write instead.
struct Phrase {
    text: &'static str,
    instead: &'static str,
    /// Words before the phrase with which it is right.
    unless_after: &'static [&'static str],
    /// Words after the phrase with which it is right.
    unless_before: &'static [&'static str],
}

const fn phrase(text: &'static str, instead: &'static str) -> Phrase {
    Phrase {
        text,
        instead,
        unless_after: &[],
        unless_before: &[],
    }
}

/// Adjectives that make "is no" a comparison: "is no longer", "is no larger than".
const COMPARATIVES: &[&str] = &[
    "longer",
    "more",
    "less",
    "larger",
    "smaller",
    "greater",
    "fewer",
    "later",
    "earlier",
    "better",
    "worse",
    "slower",
    "faster",
    "wider",
    "different",
    "deeper",
    "higher",
    "lower",
    "other",
];

/// "there is no X" is plain English; "X is no Y" is "X is not a Y".
const fn negation(text: &'static str, instead: &'static str) -> Phrase {
    Phrase {
        text,
        instead,
        unless_after: &["there", "where", "if"],
        unless_before: COMPARATIVES,
    }
}

const PHRASES: &[Phrase] = &[
    phrase(
        "so many",
        "name the number: \"a fixed count of\", \"that number of\"",
    ),
    phrase("inside of", "\"inside\""),
    phrase("outside of", "\"outside\""),
    phrase("whoever", "name the caller, the thread or the user"),
    phrase(
        "without leave",
        "\"although it is disabled\", \"without permission\"",
    ),
    phrase("that nobody", "name the reader or the writer"),
    phrase("stands behind", "\"follows\", \"comes after\""),
    phrase("run behind", "\"run after\""),
    phrase("runs behind", "\"runs after\""),
    phrase("comes behind", "\"comes after\""),
    phrase("come behind", "\"come after\""),
    phrase("lies behind", "\"lies after\""),
    phrase("lie behind", "\"lie after\""),
    phrase("goes behind", "\"goes after\""),
    phrase("what is told", "\"the arguments\", \"the parameters\""),
    phrase("is told of", "\"receives\", \"is given\""),
    negation("is no", "\"is not a\""),
    negation("are no", "\"are not\""),
];

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let rust = repository.with_extension("rs").flat_map(comments);
    let wgsl = repository.with_extension("wgsl").flat_map(comments);
    let markdown = repository.with_extension("md").flat_map(prose);
    let lines = rust.chain(wgsl).chain(markdown);
    lines
        .flat_map(|(file, number, text)| {
            let text = text.to_lowercase();
            let found = PHRASES.iter().filter(move |phrase| phrase.is_in(&text));
            found.map(move |phrase| {
                let Phrase { text, instead, .. } = phrase;
                Finding::error(file, number, format!("\"{text}\": write {instead}"))
            })
        })
        .collect()
}

impl Phrase {
    /// Whether a line in lower case has the phrase, as whole words, where it is not right.
    fn is_in(&self, line: &str) -> bool {
        line.match_indices(self.text).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + self.text.len()..]);
            let is_letter = |c: char| c.is_alphanumeric() || c == '_';
            !before.ends_with(is_letter)
                && !after.starts_with(is_letter)
                && !self.unless_after.contains(&last_word(before))
                && !self.unless_before.contains(&first_word(after))
        })
    }
}

fn last_word(text: &str) -> &str {
    let end = text.trim_end();
    let start = end
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(0, |at| at + 1);
    end.get(start..).unwrap_or("")
}

fn first_word(text: &str) -> &str {
    let start = text.trim_start();
    let end = start.find(|c: char| !c.is_alphanumeric());
    &start[..end.unwrap_or(start.len())]
}

/// The comments of a file in Rust. This file quotes what it bans.
fn comments(file: &File) -> Vec<(&File, usize, &str)> {
    if file.path.ends_with("tidy/phrases.rs") {
        return Vec::new();
    }
    let lines = file.text.lines().zip(1..);
    let comments = lines.filter_map(|(line, number)| {
        let at = line.trim_start().starts_with("//").then_some(0);
        let at = at.or_else(|| line.find(" // "))?;
        Some((file, number, &line[at..]))
    });
    comments.collect()
}

/// The lines of a document that are not in a code block. The changelog is history.
fn prose(file: &File) -> Vec<(&File, usize, &str)> {
    if file.path == "CHANGELOG.md" {
        return Vec::new();
    }
    let mut is_code = false;
    let lines = file.text.lines().zip(1..);
    let prose = lines.filter(|(line, _)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    prose.map(|(line, number)| (file, number, line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repository;

    fn found(path: &str, text: &str) -> Vec<String> {
        let repository = repository(&[(path, text)]);
        check(&repository)
            .into_iter()
            .map(|finding| finding.to_string())
            .collect()
    }

    #[test]
    fn phrases_in_comments_and_documents_are_found() {
        let rust = found(
            "a.rs",
            "fn a() {} // Inside of a loop.\n/// A cycle is no loop.\n",
        );
        assert_eq!(
            rust,
            [
                "error: a.rs:1: \"inside of\": write \"inside\"",
                "error: a.rs:2: \"is no\": write \"is not a\""
            ]
        );
        assert_eq!(found("a.md", "Whoever calls.\n").len(), 1);
    }

    #[test]
    fn code_and_plain_english_pass() {
        let right = "// There is no such thing, it is no longer so, and it is no larger.\nlet a = \"so many\";\n";
        assert_eq!(found("a.rs", right), Vec::<String>::new());
        assert_eq!(found("a.md", "```\nso many\n```\n"), Vec::<String>::new());
        assert_eq!(found("a.rs", "// Is nonsense.\n"), Vec::<String>::new());
    }
}
