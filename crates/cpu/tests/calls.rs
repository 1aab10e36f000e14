//! Called and inlined functions: machine code against the interpreter, with every choice of calls.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anywarp_cpu::{
    Access, BindGroup, BoundBuffer, BoundGroup, Buffer, CallPolicy, DispatchError, Engine,
    Executor, ExecutorOptions, Kernel, KernelOptions, OffsetKind, ResolvedBindings, Runner,
    SubgroupSize, Target, resolve_bindings,
};
use anywarp_program::Program;

/// Words of each buffer.
const WORDS: u64 = 512;

/// Runs `main` over buffers that hold small numbers; gives what they hold afterwards.
fn run(text: &str, options: KernelOptions, time: Duration) -> Result<Vec<Vec<u32>>, DispatchError> {
    let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kernel = Kernel::with_options(&program, "main", options).unwrap();
    if options.engine != Engine::Interpreter {
        kernel
            .code()
            .unwrap_or_else(|reason| panic!("{reason}\n{text}"));
    }
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        watchdog: Some(time),
        ..Default::default()
    });
    let mut buffers = Vec::new();
    for resource in kernel.resources() {
        let buffer = Buffer::new(WORDS * 4).unwrap();
        for (place, word) in buffer
            .words(0..WORDS * 4, Access::ReadWrite)
            .iter()
            .enumerate()
        {
            word.store(place as u32 * 7 % 23, Ordering::Relaxed);
        }
        assert_eq!(resource.group, 0);
        buffers.push(BoundBuffer {
            binding: resource.binding,
            size: buffer.size(),
            buffer,
            offset: 0,
            offset_kind: OffsetKind::Fixed,
        });
    }
    let group = BindGroup::new(buffers.clone());
    let groups = [Some(BoundGroup {
        group: &group,
        dynamic_offsets: &[],
    })];
    let mut views = ResolvedBindings::default();
    resolve_bindings(kernel.resources(), &groups, &mut views)?;
    let arguments = views.arguments(&[], [2, 1, 1]);
    executor.dispatch(&mut Runner::new(&kernel), &arguments)?;
    let read = |bound: &BoundBuffer| {
        let words = bound.buffer.words(0..WORDS * 4, Access::Read);
        words
            .iter()
            .map(|word| word.load(Ordering::Relaxed))
            .collect()
    };
    Ok(buffers.iter().map(read).collect())
}

/// Code of each width, with and without calls, against the interpreter.
fn agree(name: &str, text: &str) {
    for target in Target::all() {
        let options = |engine, calls| KernelOptions {
            engine,
            // The interpreter gets the subgroup size of the code that it is compared with.
            subgroup_size: SubgroupSize::new(target.lanes()),
            calls,
            ..KernelOptions::default()
        };
        let time = Duration::from_secs(20);
        let expected = run(text, options(Engine::Interpreter, CallPolicy::Large), time).unwrap();
        for calls in [CallPolicy::Large, CallPolicy::All] {
            let found = run(text, options(Engine::Code(target), calls), time).unwrap();
            assert_eq!(expected, found, "{name} on {target}, {calls:?}");
        }
    }
}

/// The conformance cases about functions, with other inputs than theirs.
#[test]
fn cases_of_functions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let mut count = 0;
    for family in ["calls", "functions"] {
        for entry in fs::read_dir(folder.join(family)).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            if !text.contains("//: fails") {
                agree(&path.display().to_string(), &text);
                count += 1;
            }
        }
    }
    assert!(count > 15, "only {count} cases");
}

/// Each function calls the previous one twice: with full inlining, the first would exist 2^n times.
fn nested(functions: u32) -> String {
    let mut text = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        var<private> calls: u32;
        fn step0(x: u32, y: u32) -> u32 {
          calls++;
          var a = x;
          var b = y;
          for (var i = 0u; i < x % 3u; i++) { a = a * 5u + b; b = b ^ (a >> 3u); }
          if a % 7u == 3u { return b; }
          return a + b;
        }\n"
    .to_owned();
    for number in 1..functions {
        let before = number - 1;
        let body =
            format!("  a = a * {number}u + (b ^ 77u); b = (b << 3u) | (b >> 29u);\n").repeat(60);
        text += &format!(
            "fn step{number}(x: u32, y: u32) -> u32 {{
               var a = x; var b = y;
               if a % 5u == 4u {{ return b - {number}u; }}
             {body}
               a = step{before}(a, b);
               if b % 4u != 0u {{ b = step{before}(b, a); }}
               return a ^ b;
             }}\n"
        );
    }
    text + &format!(
        "@compute @workgroup_size(50) fn main(@builtin(global_invocation_id) g: vec3<u32>) {{
           data[2u * g.x] = step{}(data[g.x], g.x);
           data[2u * g.x + 1u] = calls;
         }}",
        functions - 1
    )
    .replace("data[g.x]", "g.x * 31u")
}

#[test]
fn nested_functions() {
    for functions in [2, 5, 9] {
        agree(&format!("{functions} functions"), &nested(functions));
    }
}

/// Without calls, forty functions would never be compiled. They would not end either: the watchdog ends them where no
/// loop is.
#[test]
fn calls_without_end_are_ended() {
    let text = nested(40).replace("if a % 5u == 4u", "if a == 0xfffffffu");
    for target in Target::all() {
        let options = KernelOptions {
            engine: Engine::Code(target),
            ..Default::default()
        };
        let begin = Instant::now();
        let error = run(&text, options, Duration::from_millis(300)).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("endless"), "{message}");
        assert!(begin.elapsed() < Duration::from_secs(60), "{message}");
    }
}

/// A loop without end in a function that another one calls.
#[test]
fn endless_loops_in_functions_are_ended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/faults");
    let text = fs::read_to_string(folder.join("endless_in_nested.wgsl")).unwrap();
    let text = text.replace("twice(n)", "twice(n | 1u)");
    for target in Target::all() {
        let options = KernelOptions {
            engine: Engine::Code(target),
            calls: CallPolicy::All,
            ..Default::default()
        };
        let error = run(&text, options, Duration::from_millis(300)).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("endless loop"), "{message}");
    }
}
