//! Invalid programs and their diagnostics.
//!
//! Each `tests/diagnostics/NAME.wgsl`, and each `NAME.comp` in GLSL, must be refused with exactly the report in
//! `NAME.txt`. `ANYWARP_BLESS=1` rewrites the reports; review them before committing.

use std::fs;
use std::path::{Path, PathBuf};

use anywarp_program::naga::ShaderStage;
use anywarp_program::{Program, Source};

fn files(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

fn report(path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    let source = Source::new(name, fs::read_to_string(path).unwrap());
    let program = if name.ends_with(".comp") {
        Program::from_glsl_source(source, ShaderStage::Compute)
    } else {
        Program::from_source(source)
    };
    match program {
        Ok(_) => panic!("{name} was accepted"),
        Err(error) => format!("{error}\n"),
    }
}

#[test]
fn bad_programs_are_reported_as_expected() {
    let bless = std::env::var_os("ANYWARP_BLESS").is_some();
    let mut failures = Vec::new();
    for path in files("wgsl").iter().chain(&files("comp")) {
        let actual = report(path);
        let expected_path = path.with_extension("txt");
        if bless {
            fs::write(&expected_path, &actual).unwrap();
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if actual != expected {
            failures.push(format!("--- expected\n{expected}--- actual\n{actual}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_report_belongs_to_a_program() {
    for path in files("txt") {
        let has_program = |extension| path.with_extension(extension).exists();
        assert!(
            has_program("wgsl") || has_program("comp"),
            "{}",
            path.display()
        );
    }
}

/// Text that users must not see: arena indices and naga's own type names.
#[test]
fn reports_hold_no_internals() {
    let internals = [
        "Handle",
        "naga::",
        "Scalar {",
        "Some(",
        "TypeFlags",
        "Vector {",
    ];
    for path in files("txt") {
        let text = fs::read_to_string(&path).unwrap();
        // The source line is the user's own text.
        let ours: Vec<_> = text.lines().filter(|line| !line.contains('│')).collect();
        for line in ours {
            let has_index = line.split('[').skip(1).any(|rest| {
                let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                digits.len() < rest.len() && digits.starts_with(']')
            });
            let leaks = has_index || internals.iter().any(|word| line.contains(word));
            assert!(!leaks, "{}: {line}", path.display());
        }
    }
}
