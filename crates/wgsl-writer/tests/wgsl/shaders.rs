//! Programs compiled from GLSL through SPIR-V: constant expressions that WGSL front ends would evaluate, variables for
//! every value, derivatives in branches.
//!
//! `shaders` contains one small shader per topic. Each is read and written as WGSL, which must parse and be stable, and
//! as SPIR-V, which must be valid for each version.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anywarp_program::Program;
use anywarp_spirv::{ReadOptions, SpirvOptions, read, write_spirv};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

fn skip(what: &str) {
    use std::io::Write;
    let line = format!("SKIPPED: {what}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(log);
        let _ = log.and_then(|mut log| log.write_all(line.as_bytes()));
    }
}

fn run(tool: &str, arguments: &[&str]) -> Option<Result<(), String>> {
    let output = Command::new(tool)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    Some(if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into())
    })
}

/// The shaders that the reader accepts, by name. Empty if glslang is not installed.
pub(crate) fn programs() -> Vec<(String, Program)> {
    static PROGRAMS: OnceLock<Vec<(String, Program)>> = OnceLock::new();
    PROGRAMS.get_or_init(compiled).clone()
}

/// The words of a shader; `None` if glslang is not installed.
pub(crate) fn words(path: &Path) -> Option<Vec<u8>> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let scratch = Scratch::new(&name);
    let input = path.to_str().unwrap();
    let arguments = ["-V", "--target-env", "vulkan1.2", "-o", &scratch.0, input];
    match run("glslangValidator", &arguments) {
        None => {
            skip("shaders from GLSL: there is no glslangValidator");
            None
        }
        Some(compiled) => {
            compiled.unwrap_or_else(|error| panic!("{name}: {error}"));
            Some(std::fs::read(&scratch.0).unwrap())
        }
    }
}

fn compiled() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl/shaders");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let scratch = Scratch::new("shaders");
    let mut programs = Vec::new();
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let input = path.to_str().unwrap();
        let arguments = ["-V", "--target-env", "vulkan1.2", "-o", &scratch.0, input];
        match run("glslangValidator", &arguments) {
            None => {
                skip("shaders from GLSL: there is no glslangValidator");
                return Vec::new();
            }
            Some(compiled) => compiled.unwrap_or_else(|error| panic!("{name}: {error}")),
        }
        let bytes = std::fs::read(&scratch.0).unwrap();
        if let Ok(reading) = read(&bytes, &ReadOptions::default()) {
            programs.push((name, reading.program));
        }
    }
    assert!(
        programs.len() >= 50,
        "only {} of {} shaders were read",
        programs.len(),
        paths.len()
    );
    programs
}

/// A temporary file, removed on drop.
struct Scratch(String);

impl Scratch {
    fn new(what: &str) -> Self {
        let name = format!("anywarp-{what}-{}.spv", std::process::id());
        Self(std::env::temp_dir().join(name).display().to_string())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn shaders_are_read_again_and_written_the_same() {
    let options = WgslOptions::new(Dialect::Naga);
    for (name, program) in programs() {
        let text = match write_wgsl(&program, &options) {
            Ok(text) => text,
            Err(error) => {
                assert_eq!(name, "base.vert", "{error}");
                continue;
            }
        };
        let again =
            Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(write_wgsl(&again, &options).unwrap(), text, "{name}");
    }
}

#[test]
fn shaders_are_valid_as_spirv() {
    let scratch = Scratch::new("written");
    for (name, program) in programs() {
        for (minor, environment) in [
            (0, "vulkan1.0"),
            (1, "vulkan1.1"),
            (2, "vulkan1.1"),
            (3, "vulkan1.1"),
            (4, "vulkan1.1spv1.4"),
            (5, "vulkan1.2"),
            (6, "vulkan1.3"),
        ] {
            let mut options = SpirvOptions::default();
            options.version = (1, minor);
            let words = match write_spirv(&program, &options) {
                Ok(words) => words,
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.ends_with("needs SPIR-V 1.3"), "{name}: {error}");
                    continue;
                }
            };
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            std::fs::write(&scratch.0, bytes).unwrap();
            match run("spirv-val", &["--target-env", environment, &scratch.0]) {
                None => return skip("written SPIR-V is not validated: there is no spirv-val"),
                Some(checked) => checked.unwrap_or_else(|error| panic!("{name}: {error}")),
            }
        }
    }
}

/// SPIR-V stores results of builtin functions in variables, but WGSL cannot name their types.
#[test]
fn results_of_builtin_functions_are_kept_in_structures_of_the_text() {
    let program = Program::from_wgsl(
        "@group(0) @binding(0) var<storage, read_write> out: vec4<f32>;
        var<workgroup> count: atomic<u32>;
        fn parts(x: f32) -> f32 { var a = modf(x); a.fract += 1.0; return a.fract + a.whole; }
        @compute @workgroup_size(1) fn main() {
            var b = frexp(out.y);
            b.exp += 1;
            var c = atomicCompareExchangeWeak(&count, 1u, 2u);
            if c.exchanged { c.old_value = 3u; }
            out = vec4<f32>(parts(out.x), b.fract, f32(b.exp), f32(c.old_value));
        }",
    )
    .unwrap();
    let words = write_spirv(&program, &SpirvOptions::default()).unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let program = read(&bytes, &ReadOptions::default()).unwrap().program;
    let options = WgslOptions::default();
    let text = write_wgsl(&program, &options).unwrap();
    for piece in [
        "let e1 = frexp(",
        "_frexp_result_f32(e1.fract, e1.exp)",
        "struct _modf_result_f32",
    ] {
        assert!(text.contains(piece), "no {piece} in\n{text}");
    }
    let again = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(write_wgsl(&again, &options).unwrap(), text);
}
