//! Checks which folders of the crate may name which others.

use std::fs;
use std::path::Path;

/// The folders, and those that they must not name. `module` knows nothing of bytecode, so that
/// another back end can start from a linked module; the executors do not know each other.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "module",
        &[
            "api",
            "bytecode",
            "compile",
            "runtime",
            "vm",
            "gpu",
            "translate",
        ],
    ),
    (
        "bytecode",
        &["api", "compile", "runtime", "vm", "gpu", "translate"],
    ),
    (
        "translate",
        &["api", "compile", "pipeline", "runtime", "vm", "gpu"],
    ),
    (
        "compile",
        &[
            "api",
            "bytecode",
            "pipeline",
            "runtime",
            "vm",
            "gpu",
            "translate",
        ],
    ),
    ("pipeline", &["api", "gpu", "translate"]),
    (
        "runtime",
        &["api", "module", "compile", "vm", "gpu", "translate"],
    ),
    ("vm", &["api", "module", "compile", "gpu", "translate"]),
    ("gpu", &["api", "module", "compile", "vm", "translate"]),
    ("api", &["module"]),
];

/// All Rust files of a folder.
fn files(folder: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&path);
        }
    }
}

/// The lines of a file, without comments, that name a module of the crate's root.
fn naming<'a>(text: &'a str, module: &str) -> Vec<&'a str> {
    let path = format!("crate::{module}");
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let names = |line: &&str| {
        line.match_indices(&path)
            .any(|(at, _)| ends(&line[at + path.len()..]))
    };
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.filter(names).collect()
}

#[test]
fn folders_name_only_those_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (folder, forbidden) in FORBIDDEN {
        let mut count = 0;
        files(&src.join(folder), &mut |path| {
            count += 1;
            let text = fs::read_to_string(path).unwrap();
            for module in *forbidden {
                let found = naming(&text, module);
                assert!(found.is_empty(), "{}: {found:?}", path.display());
            }
        });
        assert!(count > 3, "{folder} has {count} files");
    }
}

#[test]
fn a_use_of_a_module_is_found() {
    let text = "// crate::vm\nuse crate::vm::run;\nuse crate::vmware;\nlet x = crate::vm;\n";
    assert_eq!(
        naming(text, "vm"),
        ["use crate::vm::run;", "let x = crate::vm;"]
    );
}
