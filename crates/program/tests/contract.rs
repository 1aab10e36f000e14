//! Floating-point contraction: programs before and after.
//!
//! Each `tests/contract/NAME.wgsl` must become exactly the program in `NAME.txt`, as written by naga. `ANYWARP_BLESS=1`
//! rewrites the expected files; review them before committing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anywarp_program::{Program, naga};

fn files(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract");
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

fn text(program: &Program) -> String {
    let flags = naga::back::wgsl::WriterFlags::empty();
    naga::back::wgsl::write_string(program.module(), program.info(), flags).unwrap()
}

fn contracted(wgsl: &str) -> Program {
    let program = Program::from_wgsl(wgsl).unwrap_or_else(|error| panic!("{error}"));
    program.contracted().unwrap()
}

#[test]
fn programs_become_what_is_expected() {
    let bless = std::env::var_os("ANYWARP_BLESS").is_some();
    let mut failures = Vec::new();
    for path in files("wgsl") {
        let actual = text(&contracted(&fs::read_to_string(&path).unwrap()));
        let expected_path = path.with_extension("txt");
        if bless {
            fs::write(&expected_path, &actual).unwrap();
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if actual != expected {
            let name = path.display();
            failures.push(format!(
                "{name}\n--- expected\n{expected}--- actual\n{actual}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_result_belongs_to_a_program() {
    for path in files("txt") {
        assert!(path.with_extension("wgsl").exists(), "{}", path.display());
    }
}

/// The result is valid, and contracting it again changes nothing.
#[test]
fn twice_is_once() {
    for path in files("wgsl") {
        let once = contracted(&fs::read_to_string(&path).unwrap());
        let checked = Program::from_module(once.module().clone());
        let checked = checked.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let twice = checked.contracted().unwrap();
        assert_eq!(text(&once), text(&twice), "{}", path.display());
    }
}

/// A program without such sums keeps its module, without a copy.
#[test]
fn what_has_nothing_to_fuse_stays() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract/left_alone.wgsl");
    let program = Program::from_wgsl(&fs::read_to_string(path).unwrap()).unwrap();
    let same = program.contracted().unwrap();
    assert!(std::ptr::eq(program.module(), same.module()));
}

#[test]
fn what_was_found_is_kept() {
    let program = Program::from_wgsl("fn f(a: f32) -> f32 { return a * a + a; }").unwrap();
    let [first, second] = [program.contracted().unwrap(), program.contracted().unwrap()];
    assert!(std::ptr::eq(first.module(), second.module()));
    assert!(!std::ptr::eq(first.module(), program.module()));
}

/// The maximal nesting depth, on a thread with a small stack.
#[test]
fn deep_programs() {
    let open = "if a > 0.0 { a = a * a + 1.0; ".repeat(100);
    let wgsl = format!("fn f() {{ var a = 2.0; {open}{} }}", "}".repeat(100));
    let chain = " + a * a".repeat(200);
    let wgsl = format!("{wgsl} fn g(a: f32) -> f32 {{ return a{chain}; }}");
    assert_eq!(text(&contracted(&wgsl)).matches("fma(").count(), 300);
}

fn ladder(lines: usize) -> Program {
    let body = "x = x * x - 1.0; x = y * x + 1.0 - x * 0.5;\n".repeat(lines);
    Program::from_wgsl(&format!(
        "fn f(a: f32) -> f32 {{ var x = a; let y = a; {body} return x; }}"
    ))
    .unwrap()
}

/// Not quadratic: eight times the size takes less than forty times as long. A busy machine can interrupt any run, so
/// the shortest of several runs counts, and more of them are made while they are too long.
#[test]
fn time_grows_with_the_program() {
    const RUNS: usize = 5;
    const MAX_RUNS: usize = 50;
    let time = |lines| {
        let program = ladder(lines);
        let begin = Instant::now();
        program.contracted().unwrap();
        begin.elapsed()
    };
    let (mut short, mut long) = (Duration::MAX, Duration::MAX);
    let is_linear = (0..MAX_RUNS).any(|run| {
        short = short.min(time(250)).max(Duration::from_micros(20));
        long = long.min(time(2000));
        run + 1 >= RUNS && long < short * 40
    });
    assert!(is_linear, "{short:?} and {long:?}");
}
