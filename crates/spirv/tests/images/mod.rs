//! Snapshot tests of images and samplers.
//!
//! `cases/` contains small shaders in GLSL and SPIR-V assembly. Next to each is the expected WGSL, preceded by the
//! binding map if bindings are split, or the expected error. `ANYWARP_BLESS=1` rewrites the expected files, for review
//! before they are committed.

mod bindings;
mod execution;
mod mutations;
mod tools;

use std::path::{Path, PathBuf};

use anywarp_program::naga::back::wgsl::{WriterFlags, write_string};
use anywarp_spirv::{ReadOptions, read};

use tools::Tools;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/images/cases")
}

/// The inputs, sorted by name.
fn cases() -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path());
    let is_input = |path: &PathBuf| {
        let extension = path.extension().and_then(|it| it.to_str());
        matches!(extension, Some("frag" | "vert" | "comp" | "spvasm"))
    };
    let mut cases: Vec<_> = files.filter(is_input).collect();
    cases.sort();
    assert!(cases.len() > 20, "cases are missing");
    cases
}

/// The translated text of an input, or its error.
fn translated(bytes: &[u8]) -> String {
    let reading = match read(bytes, &ReadOptions::default()) {
        Ok(reading) => reading,
        Err(error) => return format!("{error}\n"),
    };
    let program = &reading.program;
    let mut text = String::new();
    if !reading.bindings.bindings.is_empty() {
        for line in reading.bindings.to_json().unwrap().lines() {
            text += &format!("// {line}\n");
        }
    }
    text + &write_string(program.module(), program.info(), WriterFlags::empty()).unwrap()
}

#[test]
fn every_case_becomes_what_stands_beside_it() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let bless = std::env::var_os("ANYWARP_BLESS").is_some();
    let mut wrong = Vec::new();
    for case in cases() {
        let found = translated(&tools.spirv(&case));
        let expected = case.with_extension("wgsl");
        if bless {
            std::fs::write(&expected, &found).unwrap();
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if found != wanted {
            wrong.push(format!(
                "{}:\n{found}\ninstead of\n{wanted}",
                case.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
