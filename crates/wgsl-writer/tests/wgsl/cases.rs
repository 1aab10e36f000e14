//! Snapshot tests: small programs with their expected text.
//!
//! `cases/NAME.wgsl` must be written as `cases/expected/NAME.wgsl`. `ANYWARP_BLESS=1` rewrites the expected texts, for
//! review before they are committed.

use std::fs;
use std::path::Path;

use anywarp_program::Program;
use anywarp_wgsl_writer::{WgslOptions, write_wgsl};

/// The name and the text of each case.
pub(crate) fn cases() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl/cases");
    let mut cases: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    cases.sort();
    cases
}

#[test]
fn each_case_is_written_as_expected() {
    let bless = std::env::var_os("ANYWARP_BLESS").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl/cases/expected");
    let cases = cases();
    assert!(cases.len() >= 15);
    for (name, text) in &cases {
        let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = write_wgsl(&program, &WgslOptions::default()).unwrap();
        let path = folder.join(name);
        if bless {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &written).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == expected,
            "{name} is written differently:\n{written}"
        );
    }
}
