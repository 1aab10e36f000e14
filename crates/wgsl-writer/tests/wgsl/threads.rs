//! Large programs written by several threads: text, words and errors must equal those of a single thread.

use std::fmt::Write;
use std::num::NonZeroUsize;

use anywarp_program::Program;
use anywarp_spirv::{SpirvOptions, write_spirv};
use anywarp_wgsl_writer::{Dialect, WgslOptions, WriteError, write_wgsl};

/// Number of functions, enough for several threads. Each calls the previous one.
const FUNCTIONS: usize = 2000;

/// The tested numbers of threads.
const THREADS: [usize; 4] = [1, 2, 3, 16];

/// A program with a distinct text per function, given its number, and an entry point after all functions.
fn program(own: impl Fn(usize) -> String, entry_point: &str) -> Program {
    let mut text = String::from(
        "enable f16;
        struct Cell { weight: f32, values: array<vec4<f32>, 4> }
        @group(0) @binding(0) var<storage, read_write> cells: array<Cell>;
        fn part_0(v: f32, n: u32) -> f32 { return v; }\n",
    );
    for number in 1..FUNCTIONS {
        let _ = write!(
            text,
            "fn part_{number}(v: f32, n: u32) -> f32 {{
                var sum = v;
                for (var i = 0u; i < n; i++) {{
                    if cells[i].weight != {number}.5 && sum > 2.0 {{ sum += cells[i].values[n & 3u].y; }}
                    switch i {{ case 1u, 2u: {{ sum *= 0.5; }} default: {{ sum -= vec2(sum, v).y; }} }}
                }}
                {}
                return part_{}(sum, n);
            }}\n",
            own(number),
            number - 1
        );
    }
    text.push_str(entry_point);
    let program = Program::from_wgsl(&text).expect("valid");
    let functions = program.module().functions.iter();
    let expressions: usize = functions.map(|(_, it)| it.expressions.len()).sum();
    assert!(
        expressions > 70_000,
        "{expressions} are too few for threads"
    );
    program
}

const COMPUTE: &str = "@compute @workgroup_size(1) fn main() {
    cells[0].weight = part_1999(cells[1].weight, 3u);
}";

fn wgsl(program: &Program, dialect: Dialect) -> Vec<Result<String, WriteError>> {
    let write = |threads| {
        let mut options = WgslOptions::new(dialect);
        options.threads = NonZeroUsize::new(threads);
        write_wgsl(program, &options)
    };
    THREADS.into_iter().map(write).collect()
}

fn assert_all_same<T: PartialEq + std::fmt::Debug>(all: &[T]) {
    for (one, threads) in all.iter().zip(THREADS) {
        // Not `assert_eq`, which would print the long texts.
        assert!(*one == all[0], "{threads} threads do something else");
    }
}

#[test]
fn texts_do_not_depend_on_threads() {
    // An extension that only the last piece needs is enabled at the start of the text.
    let half = |number| match number {
        1990 => "sum += f32(f16(sum) * 2.0h);".to_owned(),
        _ => String::new(),
    };
    let program = program(half, COMPUTE);
    for dialect in [Dialect::WebGpu, Dialect::Naga] {
        let texts = wgsl(&program, dialect);
        assert_all_same(&texts);
        let text = texts[0].as_ref().expect("written");
        assert!(text.starts_with("enable f16;\n"), "{}", &text[..200]);
        assert_eq!(text.matches("fn part_").count(), FUNCTIONS);
        assert!(!text.contains("\n\n\n"));
    }
}

#[test]
fn the_first_error_is_told() {
    let wide = |number| match number {
        40 => "sum += f32(u64(n) + 1lu);".to_owned(),
        1500 => "sum += f32(f64(n));".to_owned(),
        _ => String::new(),
    };
    let errors = wgsl(&program(wide, COMPUTE), Dialect::WebGpu);
    assert_all_same(&errors);
    let error = errors[0].as_ref().expect_err("not sayable").to_string();
    assert!(error.contains("`part_40`"), "{error}");
}

#[test]
fn rules_are_broken_across_threads() {
    // The first function uses a derivative, the last is called in non-uniform control flow.
    let derive = |number| match number {
        1 => "sum += dpdx(sum);".to_owned(),
        _ => String::new(),
    };
    let fragment = "@fragment fn main(@location(0) x: f32) -> @location(0) vec4<f32> {
        var sum = 0.0;
        if x > 1.0 { sum = part_1999(x, 2u); }
        return vec4(sum);
    }";
    let program = program(derive, fragment);
    let texts = wgsl(&program, Dialect::WebGpu);
    assert_all_same(&texts);
    let text = texts[0].as_ref().expect("written");
    assert!(
        text.starts_with("diagnostic(off, derivative_uniformity);\n"),
        "{}",
        &text[..200]
    );
}

#[test]
fn words_do_not_depend_on_threads() {
    // Unchanged; with an unused function; with a pointer to a part of a variable as an argument.
    let handed = "fn add(cell: ptr<function, f32>) { *cell += 1.0; }
        @compute @workgroup_size(1) fn main() {
            var cells_here: array<f32, 4>;
            add(&cells_here[2]);
            cells[0].weight = part_1999(cells_here[2], 3u);
        }";
    let short = COMPUTE.replace("part_1999", "part_1998");
    for entry_point in [COMPUTE, &short, handed] {
        let program = program(|_| String::new(), entry_point);
        for debug_names in [true, false] {
            let words = THREADS.map(|threads| {
                let mut options = SpirvOptions::default();
                options.debug_names = debug_names;
                options.threads = NonZeroUsize::new(threads);
                write_spirv(&program, &options)
            });
            assert!(words[0].is_ok());
            assert_all_same(&words);
        }
    }
}
