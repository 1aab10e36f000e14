//! Checks that every file of integration tests is compiled.
//!
//! In: the crates with one program of tests, `tests/main.rs`. Out: an error for each `tests/NAME.rs` and `tests/NAME/mod.rs` that
//! is neither a module of it nor a test program of its own in `Cargo.toml`: cargo would silently leave it out.

use super::{File, Finding, Repository};

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let roots = repository.with_extension("rs").filter_map(|main| {
        let krate = main.path.strip_suffix("/tests/main.rs")?;
        Some((main, krate))
    });
    roots
        .flat_map(|(main, krate)| {
            let manifest = repository.file(&format!("{krate}/Cargo.toml"));
            let manifest = manifest.map_or("", |manifest| manifest.text.as_str());
            let files = repository.with_extension("rs");
            files.filter_map(move |file| {
                let name = module_name(file, krate)?;
                let is_compiled = has_line(&main.text, &format!("mod {name};"))
                    || has_line(manifest, &format!("name = \"{name}\""));
                let message = format!("is not a module of {}", main.path);
                (!is_compiled).then(|| Finding::error(file, 0, message))
            })
        })
        .collect()
}

/// The name of the module that a file of a crate's tests would be.
fn module_name<'a>(file: &'a File, krate: &str) -> Option<&'a str> {
    let path = file.path.strip_prefix(krate)?.strip_prefix("/tests/")?;
    let name = path
        .strip_suffix("/mod.rs")
        .or_else(|| path.strip_suffix(".rs"))?;
    (name != "main" && !name.contains('/')).then_some(name)
}

fn has_line(text: &str, wanted: &str) -> bool {
    text.lines().any(|line| line.trim() == wanted)
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    #[test]
    fn a_file_that_is_not_compiled_is_found() {
        let repository = repository(&[
            ("a/Cargo.toml", "[[test]]\nname = \"memory\"\n"),
            ("a/tests/main.rs", "mod one;\nmod two;\n"),
            ("a/tests/one.rs", ""),
            ("a/tests/two/mod.rs", ""),
            ("a/tests/two/part.rs", ""),
            ("a/tests/memory.rs", ""),
            ("a/tests/lost.rs", ""),
            ("a/tests/away/mod.rs", ""),
            ("b/tests/own.rs", ""),
        ]);
        let found = check(&repository);
        let paths: Vec<_> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(paths, ["a/tests/lost.rs", "a/tests/away/mod.rs"]);
    }
}
