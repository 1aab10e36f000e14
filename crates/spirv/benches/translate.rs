//! Benchmark of the SPIR-V reader and the writers against naga's: prints one table.
//!
//! The modules are generated GLSL shaders of several kinds, compiled by glslang, each in three sizes: time should be
//! linear in the size. `naga` is naga's own reader or writer on the same module with the same options; both sides
//! validate with naga.
//!
//! Reading is single-threaded on both sides, and so is everything in naga. Our writers split large programs among
//! threads: WGSL is written function by function on all of them; SPIR-V is written by naga's writer on one. The scan of
//! a program that the SPIR-V writer needs runs on up to four threads when the program is read, and is included in
//! `read, validated`. Writers are measured twice: with one thread per core, in wall-clock time, and as `one thread`.
//! The latter and everything else is measured in CPU time of this process, which other processes do not affect; they
//! do affect wall-clock time.
//!
//! Each number is the better of two rounds, which alternate between ours and naga's, in MB of SPIR-V per second.
//! Arguments select modules by name. No function is called `f16`: the WGSL of a module that shadows predeclared
//! identifiers is written twice.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::fmt::Write;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anywarp_program::Program;
use anywarp_program::naga;
use anywarp_spirv::{ReadOptions, SpirvOptions};
use anywarp_wgsl_writer::WgslOptions;
use naga::back::{spv as spirv_writer, wgsl as wgsl_writer};
use naga::front::spv as spirv_reader;

/// Approximate sizes of the modules in bytes.
const SIZES: [usize; 3] = [40_000, 400_000, 4_000_000];

/// Minimal duration of a round.
const ROUND: Duration = Duration::from_millis(300);

/// Stack size: naga recurses over nested statements.
const STACK: usize = 512 << 20;

const HEAD: &str = "#version 450\nlayout(local_size_x = 64) in;\n\
    layout(binding = 0, std430) buffer Data { vec4 data[]; };\n";

/// The name of a kind of shader, and its source with a given number of parts.
type Kind = (&'static str, fn(usize) -> String);

const KINDS: [Kind; 4] = [
    ("many functions", many_functions),
    ("one function", one_function),
    ("types and globals", types_and_globals),
    ("deep control flow", deep_control_flow),
];

/// Functions of a few dozen instructions each, with loops and switches.
fn many_functions(parts: usize) -> String {
    let mut text = String::from(HEAD);
    for part in 0..parts {
        let _ = writeln!(
            text,
            "vec4 part{part}(vec4 v, int n) {{\n\
             for (int i = 0; i < n; i++) {{\n\
             if (v.x > {part}.5) v = v.yzwx * 0.5 + vec4(i); else v.y -= dot(v, v);\n\
             switch (i & 3) {{ case 0: v.z += 1.0; break; case 1: v.w *= 2.0; break; default: v.x -= 3.0; }}\n\
             for (int k = i; k < 3; k++) {{ if (v.w > 7.0) break; v += data[k] * float({part}); }}\n\
             }}\nreturn v;\n}}"
        );
    }
    text.push_str("void main() {\nvec4 v = data[0];\n");
    for part in 0..parts {
        let _ = writeln!(text, "v = part{part}(v, {});", part % 5);
    }
    text.push_str("data[0] = v;\n}\n");
    text
}

/// Straight-line code with a few short branches.
fn one_function(parts: usize) -> String {
    let mut text =
        format!("{HEAD}void main() {{\nvec4 v = data[gl_GlobalInvocationID.x];\nuint n = 1u;\n");
    for part in 0..parts {
        let _ = writeln!(
            text,
            "v = sin(v) * data[{part}] + vec4(float(n), v.zyx * {part}.25);\n\
             n = (n << 3u) ^ floatBitsToUint(v.w) + {part}u;\n\
             if (n > {part}u) v.x = max(v.y, {part}.0);"
        );
    }
    text.push_str("data[gl_GlobalInvocationID.x] = v;\n}\n");
    text
}

/// Structures, buffers, constants and private variables, each used once.
fn types_and_globals(parts: usize) -> String {
    let mut text = String::from(HEAD);
    for part in 0..parts {
        let _ = writeln!(
            text,
            "struct S{part} {{ vec3 position; float mass; mat3x2 turn; vec4 list[{}]; }};\n\
             layout(set = {}, binding = {}, std430) buffer B{part} {{ S{part} one{part}; uint count{part}; S{part} many{part}[]; }};\n\
             vec4 state{part} = vec4({part}.5, 1, 2, 3);\n\
             const vec4 table{part}[4] = vec4[](vec4({part}.25), vec4(1), vec4(2), vec4(3));",
            part + 1,
            part % 4,
            part / 4 + 1
        );
    }
    text.push_str("void main() {\nvec4 v = data[0];\nuint i = gl_LocalInvocationIndex;\n");
    for part in 0..parts {
        let _ = writeln!(
            text,
            "v += many{part}[i].list[0] * one{part}.mass + state{part} + table{part}[i & 3u];"
        );
    }
    text.push_str("data[0] = v;\n}\n");
    text
}

/// Functions with loops, branches and switches nested twelve deep.
fn deep_control_flow(parts: usize) -> String {
    let mut text = String::from(HEAD);
    for part in 0..parts {
        let _ = writeln!(text, "float part{part}(float x, int n) {{");
        for depth in 0..12 {
            let _ = match depth % 3 {
                0 => writeln!(
                    text,
                    "for (int i{depth} = 0; i{depth} < n; i{depth}++) {{ x += 1.0;"
                ),
                1 => writeln!(
                    text,
                    "if (x > {depth}.0) {{ x *= 0.5; if (x < 0.0) return x;"
                ),
                _ => writeln!(
                    text,
                    "switch (n) {{ case 1: x -= 1.0; break; default: if (x == 3.0) break;"
                ),
            };
        }
        text.push_str("x = x * x;\n");
        for depth in (0..12).rev() {
            text.push_str(if depth % 3 == 0 {
                "if (x > 99.0) break; }\n"
            } else {
                "}\n"
            });
        }
        text.push_str("return x;\n}\n");
    }
    text.push_str("void main() {\nfloat x = data[0].x;\n");
    for part in 0..parts {
        let _ = writeln!(text, "x = part{part}(x, {});", part % 5);
    }
    text.push_str("data[0].x = x;\n}\n");
    text
}

fn compile(text: &str) -> Option<Vec<u8>> {
    let name = format!("anywarp-bench-{}", std::process::id());
    let folder = std::env::temp_dir();
    let (input, output) = (folder.join(&name).with_extension("comp"), folder.join(name));
    std::fs::write(&input, text).ok()?;
    let run = Command::new("glslangValidator")
        .arg("-V")
        .arg("-o")
        .args([&output, &input])
        .output();
    let bytes = run
        .ok()
        .filter(|run| run.status.success())
        .and_then(|_| std::fs::read(&output).ok());
    let _ = (std::fs::remove_file(input), std::fs::remove_file(output));
    bytes
}

/// A module of approximately `size` bytes.
fn module((_, text): Kind, size: usize) -> Option<Vec<u8>> {
    let (few, more) = (compile(&text(8))?.len(), compile(&text(16))?.len());
    compile(&text(
        size.saturating_sub(few) / (more - few).max(1) * 8 + 8,
    ))
}

/// A competitor in a race: its clock and its work.
type Runner<'a> = (fn() -> Duration, &'a dyn Fn());

/// The throughput of each runner in MB/s: the better of two alternating rounds.
fn race<const COUNT: usize>(bytes: usize, runners: [Runner<'_>; COUNT]) -> [f64; COUNT] {
    let mut best = [0.0_f64; COUNT];
    for _ in 0..2 {
        for (best, (time, run)) in best.iter_mut().zip(runners) {
            let (start, mut runs) = (time(), 0);
            let spent = loop {
                run();
                runs += 1;
                let spent = time() - start;
                if spent >= ROUND {
                    break spent;
                }
            };
            *best = best.max((bytes * runs) as f64 / 1e6 / spent.as_secs_f64());
        }
    }
    best
}

/// Wall-clock time.
fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// The CPU time of this process on Linux, with a resolution of 10 ms; elsewhere wall-clock time.
fn computing() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").ok();
    let spent = stat.and_then(|stat| {
        // The program name is in parentheses and may contain any characters.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 10))
    });
    spent.unwrap_or_else(clock)
}

/// The options for naga's writer that match [`SpirvOptions::default`]: names, and no loop counters.
fn naga_spirv_options() -> spirv_writer::Options<'static> {
    let flags = spirv_writer::WriterFlags::DEBUG | spirv_writer::WriterFlags::LABEL_VARYINGS;
    spirv_writer::Options {
        lang_version: (1, 3),
        flags,
        force_loop_bounding: false,
        ..Default::default()
    }
}

fn measure(name: &str, bytes: &[u8]) {
    let words = anywarp_spirv::words(bytes).expect("whole words");
    let options = ReadOptions::default();
    let naga_options = spirv_reader::Options {
        adjust_coordinate_space: false,
        ..Default::default()
    };
    let by_naga = || {
        let parser = spirv_reader::Frontend::new(words.iter().copied(), &naga_options);
        parser.parse().expect("naga reads it")
    };
    let size = bytes.len();
    let ours = || {
        drop(black_box(
            anywarp_spirv::read_module(black_box(&words), &options).expect("read"),
        ));
    };
    let theirs = || drop(black_box(by_naga()));
    let read = race(size, [(computing, &ours), (computing, &theirs)]);
    let ours = || {
        drop(black_box(
            anywarp_spirv::read_words(black_box(&words), &options).expect("read"),
        ));
    };
    let theirs = || drop(black_box(Program::from_module(by_naga()).expect("valid")));
    let read_valid = race(size, [(computing, &ours), (computing, &theirs)]);
    // Both write the module that our reader returned: naga's reader puts every constant of a module into every
    // function. The module from naga's reader is the next row.
    let program = anywarp_spirv::read_words(&words, &options)
        .expect("read")
        .program;
    let wgsl = race_wgsl(size, &program);
    let spirv = race_spirv(size, &program);
    print!("| {name} | {} KB |", size / 1000);
    for [ours, theirs] in [read, read_valid] {
        print!(" {ours:.1} | {theirs:.1} |");
    }
    for [ours, theirs, alone, theirs_alone] in [wgsl, spirv] {
        print!(" {ours:.1} | {theirs:.1} | {alone:.1} | {theirs_alone:.1} |");
    }
    println!();
    // The cost of a function must not depend on constants that it does not use.
    let program = Program::from_module(by_naga()).expect("valid");
    let [ours, theirs, alone, theirs_alone] = race_wgsl(size, &program);
    print!("| {name}, read by naga | {} KB | | | | |", size / 1000);
    println!(" {ours:.1} | {theirs:.1} | {alone:.1} | {theirs_alone:.1} | | | | |");
}

/// Ours on all cores and naga's in wall-clock time, then ours on one core and naga's in CPU time.
fn race_writer(size: usize, write: impl Fn(Option<NonZeroUsize>), theirs: impl Fn()) -> [f64; 4] {
    let (ours, alone) = (|| write(None), || write(Some(NonZeroUsize::MIN)));
    race(
        size,
        [
            (clock, &ours),
            (clock, &theirs),
            (computing, &alone),
            (computing, &theirs),
        ],
    )
}

fn race_wgsl(size: usize, program: &Program) -> [f64; 4] {
    let write = |threads| {
        let mut options = WgslOptions::default();
        options.threads = threads;
        drop(black_box(
            anywarp_wgsl_writer::write_wgsl(program, &options).expect("WGSL"),
        ));
    };
    let theirs = || {
        let flags = wgsl_writer::WriterFlags::empty();
        let text = wgsl_writer::write_string(program.module(), program.info(), flags);
        drop(black_box(text.expect("WGSL")));
    };
    race_writer(size, write, theirs)
}

fn race_spirv(size: usize, program: &Program) -> [f64; 4] {
    let write = |threads| {
        let mut options = SpirvOptions::default();
        options.threads = threads;
        drop(black_box(
            anywarp_spirv::write_spirv(program, &options).expect("SPIR-V"),
        ));
    };
    let theirs = || {
        let options = naga_spirv_options();
        let words = spirv_writer::write_vec(program.module(), program.info(), &options, None);
        drop(black_box(words.expect("SPIR-V")));
    };
    race_writer(size, write, theirs)
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|it| !it.starts_with("--"))
        .collect();
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    println!("{cores} cores\n");
    let written = "WGSL | naga | one thread | naga | SPIR-V | naga | one thread | naga";
    println!("| module | size | read | naga | read, validated | naga | {written} |");
    println!("{}|", "|---".repeat(14));
    let measured = || {
        for kind in KINDS {
            if !wanted.is_empty() && !wanted.iter().any(|it| kind.0.contains(it.as_str())) {
                continue;
            }
            for size in SIZES {
                match module(kind, size) {
                    Some(bytes) => measure(kind.0, &bytes),
                    None => println!("| {} | SKIPPED: no glslangValidator |", kind.0),
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, measured).expect("a thread");
    });
}
