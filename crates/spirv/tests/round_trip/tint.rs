//! Validates WGSL from SPIR-V with Tint.
//!
//! In: the modules in the folders of the other tests, and generated shaders, written for WebGPU.

use std::path::{Path, PathBuf};

use anywarp_spirv::{ReadOptions, read};
use anywarp_test_support::tint::{Rejection, rejections};
use anywarp_wgsl_writer::{WgslOptions, write_wgsl};

use crate::common::say;
use crate::common::tools::{Tools, bytes};
use crate::round_trip::values::{self, Extras};

/// Errors about extensions that the installed browser cannot enable are ignored.
const NOT_HERE: &[&str] = &[
    "not allowed in the current environment",
    // Some browsers lack immediates.
    "var<immediate>",
    "'immediate'",
];

/// The names and words of all modules in the folders.
fn modules(tools: &Tools) -> Vec<(String, Vec<u32>)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut found = Vec::new();
    for folder in ["images/cases", "listed/inputs", "render/cases"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(tests.join(folder))
            .unwrap()
            .map(|it| it.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let name = format!("{folder}/{}", file.file_name().unwrap().to_string_lossy());
            let source = std::fs::read_to_string(&file).unwrap_or_default();
            let stage = file.extension().and_then(|it| it.to_str()).unwrap_or("");
            match stage {
                "spvasm" => found.push((name, tools.assemble(&source))),
                "vert" | "frag" | "comp" => {
                    found.push((name, tools.compile(&source, stage, &[])));
                }
                "glsl" => {
                    let source = source.split_once('\n').unwrap().1;
                    let vertex = tools.compile(source, "vert", &["VERTEX"]);
                    found.push((format!("{name}, vertex"), vertex));
                    let fragment = tools.compile(source, "frag", &["FRAGMENT"]);
                    found.push((format!("{name}, fragment"), fragment));
                }
                _ => {}
            }
        }
    }
    for seed in 0..8 {
        let made = values::shader(seed, Extras::default());
        found.push((
            format!("values {seed}"),
            tools.compile(&made.source, "comp", &[]),
        ));
    }
    found
}

#[test]
fn tint_takes_what_came_from_spirv() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let (mut written, mut refused) = (Vec::new(), 0);
    for (name, words) in modules(&tools) {
        // Constructs that WebGPU lacks give errors, which other tests check.
        let reading = read(&bytes(&words), &ReadOptions::default());
        let text = reading
            .ok()
            .and_then(|it| write_wgsl(&it.program, &WgslOptions::default()).ok());
        match text {
            Some(text) => written.push((name, text)),
            None => refused += 1,
        }
    }
    let Some(rejected) = rejections("Tint on WGSL from SPIR-V", &written) else {
        return;
    };
    let accepted = written.len() - rejected.len();
    let is_fault = |rejection: &&Rejection| {
        let text = written.iter().find(|(name, _)| *name == rejection.name);
        let uses_immediates = text.is_some_and(|(_, text)| text.contains("var<immediate>"));
        let is_of_browser = NOT_HERE.iter().any(|part| rejection.message.contains(part));
        !is_of_browser && !uses_immediates
    };
    let wrong: Vec<_> = rejected.iter().filter(is_fault).collect();
    say(&format!(
        "Tint takes {accepted} of {}; {refused} modules are not for WebGPU\n",
        written.len()
    ));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(accepted > 100, "only {accepted}");
}
