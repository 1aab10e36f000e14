//! Checks that documents name only existing files.
//!
//! In: the Markdown files. Checked are the targets of links, the sources of pictures, the text between backticks, and
//! the words of code blocks. Paths are: link targets and picture sources that are not URLs, and elsewhere words with
//! a slash in them whose first part is a folder at the root, or which end like a source file.

use super::{File, Finding, Repository};

/// Extensions that make a word with a slash a path even if its first folder does not exist.
const ENDINGS: &[&str] = &[".rs", ".md", ".toml", ".wgsl"];

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let documents = repository.with_extension("md");
    documents
        .flat_map(|document| check_document(repository, document))
        .collect()
}

fn check_document(repository: &Repository, document: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_code_block = false;
    for (index, line) in document.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code_block = !is_code_block;
            continue;
        }
        let named: Vec<_> = if is_code_block {
            line.split_whitespace()
                .filter(|word| is_path(repository, word))
                .collect()
        } else {
            let quoted = backticked(line).filter(|word| is_path(repository, word));
            let linked = after(line, "](", ')').chain(after(line, "src=\"", '"'));
            quoted.chain(linked).collect()
        };
        for path in named
            .into_iter()
            .filter(|path| !exists(repository, document, path))
        {
            let message = format!("`{path}` is not there");
            findings.push(Finding::error(document, index + 1, message));
        }
    }
    findings
}

/// The texts between backticks. A test is written as `path::function`; only its path is returned.
fn backticked(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.map(|text| text.split("::").next().unwrap_or(text))
}

/// The texts between `begin` and `end` that point into the repository, without their anchors.
fn after<'a>(line: &'a str, begin: &'a str, end: char) -> impl Iterator<Item = &'a str> {
    let targets = line
        .split(begin)
        .skip(1)
        .filter_map(move |rest| rest.split(end).next());
    let targets =
        targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
    let paths = targets.map(|target| target.split('#').next().unwrap_or(target));
    paths.filter(|path| !path.is_empty())
}

fn is_path(repository: &Repository, word: &str) -> bool {
    let is_plain = word
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let Some((first, rest)) = word.split_once('/').filter(|_| is_plain) else {
        return false;
    };
    let is_ours = !first.is_empty() && first != ".." && repository.contains(first);
    let looks_like_source = ENDINGS.iter().any(|ending| rest.ends_with(ending));
    is_ours || (looks_like_source && first != "target")
}

/// Whether the path exists, relative to the root or to the document.
fn exists(repository: &Repository, document: &File, path: &str) -> bool {
    let folder = document
        .path
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    repository.contains(path.trim_start_matches("./")) || repository.contains(&parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    const GOOD: &str = "See `src/a.rs`, [here](src/a.rs#L1), [there](https://b.c/d.rs), `u32/f32`,
        <img src=\"src/a.rs\"> <img src=\"https://b.c/d.png\"> `docs/`, `--bind G:B=SPEC`, `target/x.rs`, `src/a.rs::a_test`, `../src/a.rs`.
```
run src/a.rs --out x/y.png 3/4
```
";

    #[test]
    fn paths_that_exist_and_words_that_are_none_pass() {
        let repository = repository(&[("docs/a.md", GOOD), ("src/a.rs", ""), ("b.md", "")]);
        assert_eq!(check(&repository), []);
    }

    #[test]
    fn paths_that_are_gone_are_found() {
        let bad = "`src/gone.rs`\n[x](gone.md)\n`gone/x.rs::test`\n```\nrun src/gone\n```\n<img src=\"x.png\">\n";
        let repository = repository(&[("a.md", bad), ("src/a.rs", "")]);
        let lines: Vec<_> = check(&repository).iter().map(|f| f.line).collect();
        assert_eq!(lines, [1, 2, 3, 5, 7]);
    }
}
