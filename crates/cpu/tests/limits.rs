//! Time limits end any kernel soon, whatever its work consists of: long bodies, loops in sequence, calls, barriers,
//! copies.
//!
//! Each kernel would run for minutes. The asserted times leave margin for a busy machine; that the work between two
//! polls is bounded is asserted by the passes themselves in builds with debug assertions.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use anywarp_cpu::{
    BindGroup, BoundBuffer, BoundGroup, Buffer, DispatchError, Engine, ExecutionError, Executor,
    ExecutorOptions, Kernel, KernelOptions, OffsetKind, ResolvedBindings, Runner, Target,
    TimeLimit, resolve_bindings,
};
use anywarp_program::Program;

/// The time limit of dispatches.
const LIMIT: Duration = Duration::from_millis(300);
/// The time after which a test fails; most of it is for other processes.
const PATIENCE: Duration = Duration::from_secs(20);

/// The interpreter, and machine code of each width.
fn engines() -> Vec<Engine> {
    let codes = Target::all().map(Engine::Code);
    codes.chain([Engine::Interpreter]).collect()
}

/// Two statements that no pass can remove.
const PAIR: &str = "a = a * 1664525u + b; b = (b ^ a) + 0x9e3779b9u;\n";

/// A kernel with a workgroup of 1024, two variables and some functions.
fn kernel(functions: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         var<workgroup> shared_word: u32;
         {functions}
         @compute @workgroup_size(1024) fn main(@builtin(local_invocation_index) i: u32) {{
            var a = i;
            var b = data[i];
            {body}
            data[i] = a ^ b;
         }}"
    )
}

/// Compiles a kernel for an engine.
fn compile(engine: Engine, text: &str) -> Kernel {
    let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let chosen = KernelOptions {
        engine,
        ..KernelOptions::default()
    };
    let kernel = Kernel::with_options(&program, "main", chosen).unwrap();
    if engine != Engine::Interpreter {
        assert!(kernel.code().is_ok(), "{:?}", kernel.code().err());
    }
    kernel
}

/// Runs two workgroups of a kernel, one after the other, which must end by a limit.
fn end(kernel: &Kernel, options: &ExecutorOptions) -> DispatchError {
    let buffer = Buffer::new(4096).unwrap();
    let group = BindGroup::new(vec![BoundBuffer {
        binding: 0,
        size: buffer.size(),
        buffer,
        offset: 0,
        offset_kind: OffsetKind::Fixed,
    }]);
    let groups = [Some(BoundGroup {
        group: &group,
        dynamic_offsets: &[],
    })];
    let mut views = ResolvedBindings::default();
    resolve_bindings(kernel.resources(), &groups, &mut views).unwrap();
    let arguments = views.arguments(&[], [2, 1, 1]);
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        ..options.clone()
    });
    let begin = Instant::now();
    let error = executor
        .dispatch(&mut Runner::new(kernel), &arguments)
        .expect_err("it would run for minutes");
    let took = begin.elapsed();
    assert!(took < PATIENCE, "{took:?}: {error}");
    error
}

fn watched() -> ExecutorOptions {
    ExecutorOptions {
        watchdog: Some(LIMIT),
        ..ExecutorOptions::default()
    }
}

fn limited() -> ExecutorOptions {
    ExecutorOptions {
        watchdog: None,
        dispatch_limit: Some(LIMIT),
        ..ExecutorOptions::default()
    }
}

/// A loop with a known trip count, which is small, and a body that is not.
#[test]
fn a_counted_loop_with_a_long_body_is_ended_and_named() {
    // Long enough that no engine passes the loop once within the limit, by far.
    let body = PAIR.repeat(4_000);
    let text = kernel(
        "",
        &format!("for (var n = 0u; n < 65535u; n++) {{\n{body}}}"),
    );
    for engine in engines() {
        let kernel = compile(engine, &text);
        let error = end(&kernel, &watched());
        let message = error.to_string();
        let start = "endless loop: the loop at shader.wgsl:7:13 did not end within 0.3 s (";
        assert!(message.starts_with(start), "{engine:?}: {message}");
        assert_eq!(error.time_limit(), Some(TimeLimit::Progress(LIMIT)));
        let error = end(&kernel, &limited());
        assert_eq!(error.time_limit(), Some(TimeLimit::Total(LIMIT)));
    }
}

/// Each loop is short, and all of them together are not.
#[test]
fn loops_in_sequence_are_ended() {
    let one = format!(
        "for (var n = 0u; n < 65535u; n++) {{ {} }}\n",
        PAIR.repeat(8)
    );
    let text = kernel("", &one.repeat(60));
    for engine in engines() {
        let kernel = compile(engine, &text);
        let error = end(&kernel, &limited());
        let message = error.to_string();
        let start =
            "too much work: the dispatch of entry point `main` did not end within 0.3 s; 0 of";
        assert!(message.starts_with(start), "{engine:?}: {message}");
        let error = end(&kernel, &watched());
        assert_eq!(error.time_limit(), Some(TimeLimit::Progress(LIMIT)));
        // The loop that was passed last is named.
        let message = error.to_string();
        assert!(message.contains("shader.wgsl:"), "{engine:?}: {message}");
    }
}

/// Functions that double the work without any loop.
#[test]
fn calls_that_double_are_ended() {
    let mut functions = String::new();
    let body = PAIR.repeat(20);
    writeln!(
        functions,
        "fn f0(x: u32) -> u32 {{ var a = x; var b = 1u;\n{body} return a ^ b; }}"
    )
    .unwrap();
    for level in 1..30 {
        let inner = level - 1;
        writeln!(
            functions,
            "fn f{level}(x: u32) -> u32 {{ return f{inner}(x) + f{inner}(x + 1u); }}"
        )
        .unwrap();
    }
    let text = kernel(&functions, "a = f29(b);");
    for engine in engines() {
        let error = end(&compile(engine, &text), &watched());
        let message = error.to_string();
        assert!(
            message.starts_with("too much work: "),
            "{engine:?}: {message}"
        );
        assert_eq!(error.time_limit(), Some(TimeLimit::Progress(LIMIT)));
        let is_code = matches!(
            error,
            DispatchError::Execution(ExecutionError::Unfinished { .. })
        );
        assert_eq!(is_code, engine != Engine::Interpreter, "{message}");
    }
}

/// One iteration runs all subgroups between barriers.
#[test]
fn loops_around_barriers_are_ended() {
    let body = PAIR.repeat(100);
    let turn = format!("{body}shared_word = a; workgroupBarrier(); b += shared_word;\n{body}");
    let text = kernel(
        "",
        &format!("for (var n = 0u; n < 65535u; n++) {{\n{turn}}}").repeat(3),
    );
    for engine in engines() {
        let error = end(&compile(engine, &text), &watched());
        assert_eq!(error.time_limit(), Some(TimeLimit::Progress(LIMIT)));
    }
}

/// An assignment that copies 64 K words, in a loop with few iterations, by each invocation of many.
#[test]
fn copies_of_huge_values_are_ended() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            var one: array<u32, 65536>;
            var other: array<u32, 65536>;
            for (var n = 0u; n < 60000u; n++) {
                one[i] = n;
                other = one;
                one = other;
            }
            data[i] = one[i + data[i]];
        }";
    let error = end(&compile(Engine::Interpreter, text), &watched());
    assert_eq!(error.time_limit(), Some(TimeLimit::Progress(LIMIT)));
}
