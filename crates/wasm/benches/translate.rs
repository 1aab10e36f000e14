//! What translation costs in time and space: a module of some 50 KB.
//!
//! `cargo bench -p anywarp-wasm --bench translate`. The ratio of sizes is printed first.

use std::fmt::Write as _;
use std::hint::black_box;

use anywarp_wasm::{Options, translate};
use criterion::{Criterion, criterion_group, criterion_main};

/// Functions with loops, memory, 64-bit arithmetic and calls of those before them, about 50 KB of
/// them.
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

#[expect(
    clippy::print_stdout,
    reason = "the ratio is a result of the benchmark"
)]
fn translation(criterion: &mut Criterion) {
    let wasm = module();
    let options = Options::default();
    let program = translate(&wasm, &options).expect("translates").bytecode;
    let code = 4 * program.code.len();
    let whole = code + 12 * program.debug.positions.len();
    println!(
        "module {} bytes; code {code} bytes, {:.2} times as much; with positions {whole} bytes, {:.2} times",
        wasm.len(),
        code as f64 / wasm.len() as f64,
        whole as f64 / wasm.len() as f64,
    );
    criterion.bench_function("translate 50 KB", |bencher| {
        bencher.iter(|| translate(black_box(&wasm), &options));
    });
}

criterion_group!(benches, translation);
criterion_main!(benches);
