//! Tests of `build`: golden files, and what is refused.
//!
//! `golden` has modules in the text format, and beside each the IR of its exported functions, or
//! why they are refused. `ANYWARP_BLESS=1` writes the expected files.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::build;
use crate::compile::ir::{Function, Op, Terminator, verify};
use crate::compile::{CompileError, CompileOptions};
use crate::module::{Definitions, LinkedModule, Module, decode};
use wasmparser::ExternalKind;

/// Builds the exported functions of a module, in order.
fn build_all(wasm: &[u8]) -> Vec<(String, Result<Function, CompileError>)> {
    let module = decode(wasm).unwrap();
    let mut definitions = Definitions::default();
    let linked = LinkedModule::link(&module, &mut definitions).unwrap();
    let options = CompileOptions::default();
    let exports = functions(&module);
    let built = exports.map(|(name, function)| {
        let built = build(&linked, &definitions, function, &options);
        if let Ok(ir) = &built {
            assert_eq!(verify(ir), Ok(()), "{name}\n{ir}");
        }
        (name.to_owned(), built)
    });
    built.collect()
}

fn functions<'a>(module: &'a Module<'_>) -> impl Iterator<Item = (&'a str, u32)> {
    let exports = module.exports.iter();
    exports
        .filter(|export| matches!(export.kind, ExternalKind::Func))
        .map(|export| (export.name, export.index))
}

fn built(wat: &str) -> Result<Function, CompileError> {
    let wasm = wat::parse_str(wat).unwrap();
    build_all(&wasm).remove(0).1
}

fn error(wat: &str) -> String {
    built(wat).unwrap_err().to_string()
}

fn text(wasm: &[u8]) -> String {
    let mut text = String::new();
    for (name, built) in build_all(wasm) {
        match built {
            Ok(ir) => writeln!(text, "{ir}").unwrap(),
            Err(error) => writeln!(text, "no kernel {name}: {error}\n").unwrap(),
        }
    }
    text
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compile/build/golden")
}

/// Compares a text with a golden file.
pub(super) fn compare(name: &str, text: &str) {
    let path = golden().join(name);
    if std::env::var_os("ANYWARP_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{} differs (ANYWARP_BLESS=1 writes it):\n{text}",
        path.display()
    );
}

#[test]
fn golden_files() {
    let mut count = 0;
    for entry in fs::read_dir(golden()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "wat") {
            continue;
        }
        count += 1;
        let wasm = wat::parse_file(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        compare(&format!("{name}.ir"), &text(&wasm));
    }
    assert!(count > 10);
}

/// One row for each kernel: instructions, blocks and traps, or why it is refused.
#[test]
fn kernels_of_the_repository() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files: Vec<_> = fs::read_dir(fixtures)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .collect();
    files.sort();
    let mut table = String::new();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        for (kernel, built) in build_all(&fs::read(&file).unwrap()) {
            write!(table, "{name:17} {kernel:17} ").unwrap();
            match built {
                Ok(ir) => {
                    let blocks = ir.blocks.iter();
                    let insts: usize = blocks.map(|block| block.insts.len()).sum();
                    let sites = ir.traps.len();
                    let blocks = ir.blocks.len();
                    writeln!(
                        table,
                        "{insts} instructions, {blocks} blocks, {sites} sites"
                    )
                }
                Err(error) => writeln!(table, "{error}"),
            }
            .unwrap();
        }
    }
    compare("kernels.txt", &table);
}

#[test]
fn recursion_is_refused_with_its_cycle() {
    let cycle = error(
        r#"(module
        (func (export "main") (call $ping (i32.const 3)))
        (func $ping (param i32) (if (local.get 0) (then (call $pong (local.get 0)))))
        (func $pong (param i32) (call $ping (local.get 0))))"#,
    );
    let expected =
        "recursion: `ping` -> `pong` -> `ping`: only the bytecode tier runs recursive kernels";
    assert_eq!(cycle, expected);
    let table = error(
        r#"(module (type $t (func (param i32)))
        (table 1 funcref) (elem (i32.const 0) $loop)
        (func (export "main") (param i32) (call $loop (local.get 0)))
        (func $loop (param i32) (call_indirect (type $t) (local.get 0) (local.get 0))))"#,
    );
    let expected = "recursion: `loop` -> `loop`: only the bytecode tier runs recursive kernels";
    assert_eq!(table, expected);
}

/// A panic handler that formats its message, and formatting that may panic.
#[test]
fn the_way_to_a_panic_may_recurse() {
    let ir = built(
        r#"(module
        (import "gpu" "panic" (func $host_panic (param i32 i32)))
        (memory 1) (data (i32.const 0) "no")
        (func (export "main") (param i32) (if (local.get 0) (then (call $panic (local.get 0)) unreachable)))
        (func $panic (param i32) (call $handler) unreachable)
        (func $handler (call $format (i32.const 3)) (call $host_panic (i32.const 0) (i32.const 2)) unreachable)
        (func $format (param i32) (if (i32.eqz (local.get 0)) (then (call $panic (i32.const 1)) unreachable))))"#,
    )
    .unwrap();
    let site = &ir.traps[0];
    assert_eq!(site.code, crate::TrapCode::Panic);
    assert_eq!((site.function.as_str(), site.message), ("main", Some(2)));
    let words = ir.blocks.iter().find_map(|block| match &block.terminator {
        Terminator::Trap { words, .. } => Some(words.clone()),
        _ => None,
    });
    assert_eq!(ir.op(words.unwrap()[0]), &Op::Argument(0));
}

/// Nothing that others see is lost before a panic.
#[test]
fn effects_before_a_panic_stay() {
    let ir = built(
        r#"(module
        (import "gpu" "panic" (func $host_panic (param i32 i32)))
        (import "gpu" "write_state" (func $write (param i32 i32)))
        (memory 1)
        (func (export "main") (call $fail) unreachable)
        (func $fail (call $write (i32.const 0) (i32.const 1)) (call $host_panic (i32.const 0) (i32.const 2)) unreachable))"#,
    )
    .unwrap();
    assert!(ir.to_string().contains("write_state 0, 1"), "{ir}");
}

/// A builder of hostile modules.
fn timed(wat: &str) -> Result<Function, CompileError> {
    let wasm = wat::parse_str(wat).unwrap();
    let start = Instant::now();
    let built = build_all(&wasm).remove(0).1;
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(10), "{taken:?}");
    built
}

#[test]
fn deep_nesting_takes_linear_time() {
    let depth = 50_000;
    let blocks = "block ".repeat(depth);
    let ends = "end ".repeat(depth);
    let set = "local.get 0 i32.const 1 i32.add local.set 0 local.get 0 br_if 40000 ";
    let ir = timed(&format!(
        r#"(module (func (export "main") (param i32) (result i32) {blocks} {set} {ends} local.get 0))"#
    ));
    assert!(ir.unwrap().blocks.len() < 10);
    let loops = "loop local.get 0 br_if 0 ".repeat(depth);
    let ir = timed(&format!(
        r#"(module (func (export "main") (param i32) {loops} {set} {ends}))"#
    ));
    assert_eq!(ir.unwrap().blocks.len(), 2 * depth + 2);
    let ifs = "local.get 0 if ".repeat(depth);
    timed(&format!(
        r#"(module (func (export "main") (param i32) {ifs} {ends}))"#
    ))
    .unwrap();
}

#[test]
fn large_tables_of_branches_take_linear_time() {
    let locals = "i32 ".repeat(1_000);
    let sets: String = (1..1_000)
        .map(|local| format!("local.get 0 local.set {local} "))
        .collect();
    let targets = "0 1 ".repeat(5_000);
    let ir = timed(&format!(
        r#"(module (func (export "main") (param i32) (local {locals})
            block block {sets} local.get 0 br_table {targets} 1 end {sets} end))"#
    ));
    ir.unwrap();
    // Distinct targets, each with many variables: too large, but soon.
    let (blocks, ends) = ("block ".repeat(10_000), "end ".repeat(10_000));
    let targets: String = (0..10_000).map(|depth| format!("{depth} ")).collect();
    let error = timed(&format!(
        r#"(module (func (export "main") (param i32) (local {locals})
            {blocks} {sets} local.get 0 br_table {targets} {ends}))"#
    ));
    assert!(matches!(error, Err(CompileError::TooLarge { .. })));
}

#[test]
fn long_functions_take_linear_time() {
    let body = "local.get 0 i32.const 3 i32.mul local.set 0 ".repeat(50_000);
    let ir = timed(&format!(
        r#"(module (func (export "main") (param i32) (result i32) {body} local.get 0))"#
    ));
    assert_eq!(ir.unwrap().blocks[0].insts.len(), 50_000);
    let longer = body.repeat(3);
    let error = timed(&format!(
        r#"(module (func (export "main") (param i32) (result i32) {longer} local.get 0))"#
    ));
    let text = error.unwrap_err().to_string();
    assert!(text.contains("more than 100000 instructions"), "{text}");
}

#[test]
fn calls_that_double_are_too_large() {
    let mut functions = String::new();
    for level in 0..40 {
        let callee = level + 1;
        write!(
            functions,
            "(func $f{level} (call $f{callee}) (call $f{callee}))"
        )
        .unwrap();
    }
    let error = timed(&format!(
        r#"(module (func (export "main") (call $f0)) {functions} (func $f40))"#
    ));
    assert!(matches!(error, Err(CompileError::TooLarge { .. })));
    // A long chain of calls needs no stack.
    let chain: String = (0..20_000)
        .map(|level| format!("(func $f{level} (call $f{}))", level + 1))
        .collect();
    timed(&format!(
        r#"(module (func (export "main") (call $f0)) {chain} (func $f20000))"#
    ))
    .unwrap();
}
