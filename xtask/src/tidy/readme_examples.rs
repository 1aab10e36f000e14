//! Checks that examples in the READMEs of crates are those of the crates' documentation, which are tested.
//!
//! In: `crates/NAME/README.md` and `crates/NAME/src/lib.rs`. Out: an error for each Rust block of the README that is not
//! an example of the page of the crate without its hidden lines. A README that the crate includes as documentation is
//! tested itself.

use super::{Finding, Repository};

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let readmes = repository.with_extension("md").filter_map(|readme| {
        let krate = readme.path.strip_suffix("/README.md")?;
        let library = repository.file(&format!("{krate}/src/lib.rs"))?;
        Some((readme, library))
    });
    readmes
        .filter(|(_, library)| !library.text.contains("include_str!(\"../README.md\")"))
        .flat_map(|(readme, library)| {
            let page: Vec<&str> = library
                .text
                .lines()
                .filter_map(|line| line.strip_prefix("//!"))
                .map(|line| line.strip_prefix(' ').unwrap_or(line))
                .collect();
            let tested: Vec<_> = blocks(page.into_iter()).map(|(_, code)| code).collect();
            let shown = blocks(readme.text.lines());
            shown.filter_map(move |(line, code)| {
                let message = format!("this example is not in {}", library.path);
                (!tested.contains(&code)).then(|| Finding::error(readme, line, message))
            })
        })
        .collect()
}

/// The Rust blocks of a text, each with the number of its first line and without hidden and empty lines.
fn blocks<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = (usize, Vec<&'a str>)> {
    let mut all = Vec::new();
    let mut block: Option<(usize, bool, Vec<&str>)> = None;
    for (number, line) in (1..).zip(lines) {
        match (line.strip_prefix("```"), &mut block) {
            (Some(language), None) => {
                let is_rust = language != "text" && (language.is_empty() || is_rust(language));
                block = Some((number, is_rust, Vec::new()));
            }
            (Some(_), Some(_)) => {
                let (number, is_rust, code) = block.take().unwrap_or_default();
                if is_rust {
                    all.push((number, code));
                }
            }
            (None, Some((_, _, code))) => {
                let is_hidden = line.starts_with("# ") || line == "#";
                if !is_hidden && !line.is_empty() {
                    code.push(line);
                }
            }
            (None, None) => {}
        }
    }
    all.into_iter()
}

fn is_rust(language: &str) -> bool {
    ["rust", "no_run", "compile_fail"]
        .iter()
        .any(|word| language.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    #[test]
    fn examples_that_are_not_tested_are_found() {
        let library = "//! A page.\n//!\n//! ```\n//! # hidden();\n//! shown();\n//! ```\n";
        let included = "#[doc = include_str!(\"../README.md\")]\nstruct Readme;\n";
        let repository = repository(&[
            ("a/src/lib.rs", library),
            (
                "a/README.md",
                "# a\n\n```rust\nshown();\n```\n\n```sh\nls\n```\n",
            ),
            ("b/src/lib.rs", library),
            ("b/README.md", "# b\n\n```rust\nother();\n```\n"),
            ("c/src/lib.rs", included),
            ("c/README.md", "```rust\nother();\n```\n"),
        ]);
        let found = check(&repository);
        let places: Vec<_> = found
            .iter()
            .map(|finding| (finding.path.as_str(), finding.line))
            .collect();
        assert_eq!(places, [("b/README.md", 3)]);
    }
}
