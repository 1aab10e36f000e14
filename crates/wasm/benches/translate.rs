//! Time and size of the translation of real modules: those of the examples and of the tests, a
//! kernel in a debug build with all of its panics, which has some 50 KB, and a synthetic module of
//! 50 KB without names or data, in which every byte is code.
//!
//! `cargo bench -p anywarp-wasm --bench translate`. The sizes are printed first, as a table.

use std::fmt::Write as _;
use std::hint::black_box;

use anywarp_wasm::{TranslateOptions, translate};
use criterion::{Criterion, criterion_group, criterion_main};

/// Modules that `cargo xtask fixtures` builds.
const IMPORT_MODULES: [(&str, &[u8]); 6] = [
    (
        "helper functions",
        include_bytes!("../tests/fixtures/helpers.wasm"),
    ),
    (
        "a chain of calls",
        include_bytes!("../tests/fixtures/deep_chain.wasm"),
    ),
    ("pixels", include_bytes!("../tests/fixtures/pixels.wasm")),
    (
        "the kernels of the examples",
        include_bytes!("../tests/fixtures/kernels.wasm"),
    ),
    (
        "panics, release",
        include_bytes!("../tests/fixtures/panics_release.wasm"),
    ),
    (
        "panics, debug",
        include_bytes!("../tests/fixtures/panics_debug.wasm"),
    ),
];

/// Functions with loops, memory, 64-bit arithmetic and calls of those before them, about 50 KB in
/// total.
fn module() -> Vec<u8> {
    let mut text = String::from("(module (memory 2)\n");
    for number in 0..420 {
        let _ = write!(
            text,
            r#"(func $f{number} (param $p i32) (param $n i32) (result i32) (local $i i32) (local $sum i64)
                (block $out (loop $next
                    (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
                    (local.set $sum (i64.add (local.get $sum)
                        (i64.mul (i64.extend_i32_u (i32.load offset={offset}
                            (i32.add (local.get $p) (i32.shl (local.get $i) (i32.const 2)))))
                            (i64.const {factor}))))
                    (i32.store offset={offset} (local.get $p) (i32.xor (i32.wrap_i64 (local.get $sum)) (local.get $i)))
                    (local.set $i (i32.add (local.get $i) (i32.const 1)))
                    (br $next)))
                (if (result i32) (i64.lt_s (local.get $sum) (i64.const 1000))
                    (then {call})
                    (else (i32.wrap_i64 (i64.shr_u (local.get $sum) (i64.const 7))))))
            "#,
            offset = number * 8,
            factor = number + 3,
            call = match number {
                0 => "(i32.const 1)".to_owned(),
                _ => format!("(call $f{} (local.get $p) (i32.const 3))", number / 2),
            },
        );
    }
    for number in 0..420 {
        let _ = writeln!(text, "(export \"f{number}\" (func $f{number}))");
    }
    text += ")";
    wat::parse_str(text).expect("valid text")
}

#[expect(clippy::print_stdout, reason = "the sizes are a result")]
fn translation(criterion: &mut Criterion) {
    let made_up = module();
    let modules = IMPORT_MODULES
        .into_iter()
        .chain([("made up", &made_up[..])]);
    let options = TranslateOptions::default();
    println!(
        "| module | bytes | code, bytes | ratio | file, bytes | ratio |\n|---|---|---|---|---|---|"
    );
    for (name, wasm) in modules.clone() {
        let program = translate(wasm, &options).expect("translates").bytecode;
        let (code, file) = (4 * program.code.len(), program.to_bytes().len());
        let ratio = |bytes: usize| bytes as f64 / wasm.len() as f64;
        println!(
            "| {name} | {} | {code} | {:.2} | {file} | {:.2} |",
            wasm.len(),
            ratio(code),
            ratio(file)
        );
    }
    for (name, wasm) in modules {
        criterion.bench_function(&format!("translate {name}"), |bencher| {
            bencher.iter(|| translate(black_box(wasm), &options));
        });
    }
}

criterion_group!(benches, translation);
criterion_main!(benches);
