//! Constructs that other translators reject or translate incorrectly: one input each, with text expected in the WGSL.
//!
//! Lines `// expect: TEXT` (`; expect: TEXT` in assembly) in an input require that text in the translation, `refuse:`
//! in the error. White space at both ends is ignored.

use std::fs;
use std::io::{Write, stderr};
use std::path::Path;
use std::process::Command;

use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    let run = Command::new(name).args(arguments).output().ok()?;
    let said = [run.stdout, run.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(run.status.success(), "{name} {arguments:?}: {said}");
    Some(said)
}

fn skip(what: &str) {
    let line = format!("SKIPPED: {what}\n");
    let _ = stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = fs::OpenOptions::new().append(true).create(true).open(log);
        let _ = log.and_then(|mut log| log.write_all(line.as_bytes()));
    }
}

fn compile(input: &Path, output: &Path) -> Option<()> {
    let (input_name, output_name) = (input.to_str()?, output.to_str()?);
    match input.extension()?.to_str()? {
        "spvasm" => tool(
            "spirv-as",
            &["--target-env", "spv1.4", input_name, "-o", output_name],
        )?,
        _ => tool(
            "glslangValidator",
            &[
                "-V",
                "--target-env",
                "vulkan1.2",
                "-o",
                output_name,
                input_name,
            ],
        )?,
    };
    Some(())
}

#[test]
fn what_others_refuse_or_get_wrong() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/listed/inputs");
    let output = std::env::temp_dir().join(format!("anywarp-listed-{}.spv", std::process::id()));
    let mut wrong = Vec::new();
    let mut inputs: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    inputs.sort();
    for input in inputs {
        if compile(&input, &output).is_none() {
            return skip("translations of listed inputs: no glslangValidator or spirv-as");
        }
        let name = input.file_name().unwrap().to_string_lossy().into_owned();
        let source = fs::read_to_string(&input).unwrap();
        let marked = |mark: &'static str| {
            let lines = source.lines().filter_map(move |line| line.split_once(mark));
            lines
                .map(|(_, text)| text.trim())
                .filter(|text| !text.is_empty())
        };
        let bytes = fs::read(&output).unwrap();
        let text = match anywarp_spirv::read(&bytes, &Default::default()) {
            Ok(reading) => written(&reading.program),
            Err(error) => format!("error: {error}"),
        };
        let marks = marked("expect:").chain(marked("refuse:"));
        let missing: Vec<_> = marks.filter(|mark| !text.contains(mark)).collect();
        let is_refused = text.starts_with("error:");
        if !missing.is_empty() || is_refused != (marked("refuse:").count() > 0) {
            wrong.push(format!("{name}: {missing:#?} not in\n{text}"));
        }
        assert!(
            source.contains("expect:") || source.contains("refuse:"),
            "{name} tests nothing"
        );
    }
    let _ = fs::remove_file(output);
    assert!(
        wrong.is_empty(),
        "{} inputs:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Inputs whose translation is shown in the documentation.
const SHOWN: [&str; 3] = ["document_example.frag", "lit.vert", "lit.frag"];

/// `ANYWARP_BLESS=1` rewrites the page.
#[test]
fn the_documentation_shows_what_comes_out() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = std::env::temp_dir().join(format!("anywarp-shown-{}.spv", std::process::id()));
    let mut page = "# From GLSL by SPIR-V to WGSL\n
The founding document's example, then a richer pair of shaders, compiled by glslang and translated by
`anywarp translate IN.spv OUT.wgsl`. A test compares this page with what comes out.\n"
        .to_owned();
    for name in SHOWN {
        let input = manifest.join("tests/listed/inputs").join(name);
        if compile(&input, &output).is_none() {
            return skip("the documented translations: no glslangValidator");
        }
        let bytes = fs::read(&output).unwrap();
        let reading = anywarp_spirv::read(&bytes, &Default::default()).unwrap();
        let text = write_wgsl(&reading.program, &WgslOptions::default()).unwrap();
        let source = fs::read_to_string(&input).unwrap();
        let lines = source.lines().filter(|line| !line.contains("expect:"));
        let source: String = lines.map(|line| format!("{line}\n")).collect();
        page += &format!("\n## {name}\n\n```glsl\n{source}```\n\n```wgsl\n{text}```\n");
    }
    let _ = fs::remove_file(output);
    let file = manifest.join("../../docs/spirv-example.md");
    if std::env::var_os("ANYWARP_BLESS").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, page, "docs/spirv-example.md is not what comes out");
}

fn written(program: &anywarp_program::Program) -> String {
    let options = WgslOptions::new(Dialect::Naga);
    write_wgsl(program, &options).unwrap_or_else(|error| format!("not written: {error}"))
}
