//! The conformance suite on rewritten programs.
//!
//! Each program of the suite is written as WGSL and parsed again; the result must meet the expectations of the case,
//! including expected faults.

use std::path::Path;

use anywarp_program::Program;
use anywarp_tests::{Case, Interpreter, check_all};
use anywarp_wgsl_writer::{Dialect, WgslOptions, WriteError, write_wgsl};

/// The conformance cases with their programs rewritten, below the lines of expectations.
fn rewritten(dialect: Dialect) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let mut found = Vec::new();
    crate::repository::files(&folder, &mut found);
    found.sort();
    found
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let name = path.strip_prefix(&folder).unwrap().display().to_string();
            let needs_more = !Case::parse(&name, &text).unwrap().needs().is_empty();
            let program = Program::from_wgsl(&text).unwrap();
            let written = match write_wgsl(&program, &WgslOptions::new(dialect)) {
                // WebGPU lacks some features of naga.
                Err(WriteError::Unsupported { .. }) if needs_more && dialect == Dialect::WebGpu => {
                    return None;
                }
                written => written.unwrap(),
            };
            let header: String = text
                .lines()
                .filter(|line| line.starts_with("//"))
                .flat_map(|line| [line, "\n"])
                .collect();
            Some(Case::parse(&name, &(header + &written)).unwrap())
        })
        .collect()
}

#[test]
fn written_programs_conform() {
    for dialect in [Dialect::WebGpu, Dialect::Naga] {
        let cases = rewritten(dialect);
        assert!(cases.len() > 200, "only {} programs", cases.len());
        check_all(&cases, &Interpreter);
    }
}
