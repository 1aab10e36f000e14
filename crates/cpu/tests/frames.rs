//! The limit on frame memory: large private and function variables are interpreted or refused, in every engine.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_cpu::{
    Arguments, BufferView, DispatchError, Engine, Executor, ExecutorOptions, FrameLimitError,
    Kernel, KernelOptions, MAX_FRAME_BYTES, Runner, Target,
};
use anywarp_program::Program;

/// Words of the variable of each invocation.
const WORDS: u64 = 10_000;
const INVOCATIONS: u64 = 64;
/// Bytes of the variables of a workgroup.
const VARIABLES: u64 = WORDS * 4 * INVOCATIONS;

fn engines() -> impl Iterator<Item = Engine> {
    Target::all().map(Engine::Code).chain([Engine::Interpreter])
}

/// A kernel in which each invocation has a large variable, across a barrier or not.
fn kernel(engine: Engine, barrier: &str, max_frame_bytes: u64) -> Kernel {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32, {INVOCATIONS}>;
         @compute @workgroup_size({INVOCATIONS})
         fn main(@builtin(local_invocation_index) i: u32) {{
             var v: array<u32, {WORDS}>;
             v[data[i]] = i + 1u;
             {barrier}
             data[i] = v[i * 7u % 5u] + v[data[i]];
         }}"
    );
    let program = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}"));
    let options = KernelOptions {
        engine,
        max_frame_bytes,
        ..KernelOptions::default()
    };
    Kernel::with_options(&program, "main", options).unwrap_or_else(|error| panic!("{error}"))
}

fn run(kernel: &Kernel, options: ExecutorOptions) -> Result<Vec<u32>, DispatchError> {
    let words: Vec<AtomicU32> = (0..INVOCATIONS)
        .map(|word| AtomicU32::new(word as u32))
        .collect();
    let arguments = Arguments {
        buffers: &[BufferView { words: &words }],
        textures: &[],
        arrays: &[],
        immediates: &[],
        workgroup_count: [1, 1, 1],
    };
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        ..options
    });
    executor.dispatch(&mut Runner::new(kernel), &arguments)?;
    Ok(words
        .iter()
        .map(|word| word.load(Ordering::Relaxed))
        .collect())
}

#[test]
fn a_kernel_over_the_limit_is_refused_in_every_engine() {
    for engine in engines() {
        let free = kernel(engine, "workgroupBarrier();", MAX_FRAME_BYTES);
        let expected = run(&free, ExecutorOptions::default()).unwrap();
        let tight = kernel(engine, "workgroupBarrier();", 1 << 20);
        let error = tight.check_frames().unwrap_err();
        let FrameLimitError {
            entry_point,
            bytes,
            limit,
        } = &error;
        assert_eq!((entry_point.as_str(), *limit), ("main", 1 << 20));
        assert!((VARIABLES..VARIABLES * 11 / 10).contains(bytes), "{bytes}");
        let text = format!(
            "over a limit: entry point `main`: frame memory of {bytes} bytes on each thread, the limit is 1048576 (max_frame_bytes)"
        );
        let refused = run(&tight, ExecutorOptions::default()).unwrap_err();
        assert_eq!(refused, DispatchError::Frames(error.clone()));
        assert_eq!(refused.to_string(), text);
        // With the limit that the error names it runs, with the same results.
        let enough = kernel(engine, "workgroupBarrier();", *bytes);
        enough.check_frames().unwrap();
        assert_eq!(run(&enough, ExecutorOptions::default()).unwrap(), expected);
    }
}

/// Without barriers the interpreter runs one invocation after the other, in the memory of one.
#[test]
fn a_kernel_whose_code_is_over_the_limit_is_interpreted() {
    for target in Target::all() {
        let free = kernel(Engine::Code(target), "", MAX_FRAME_BYTES);
        assert!(free.code().is_ok(), "{:?}", free.code().err());
        let tight = kernel(Engine::Code(target), "", 100_000);
        let reason = tight.code().unwrap_err().to_string();
        let (start, end) = (
            "machine code needs ",
            "the limit is 100000 (max_frame_bytes)",
        );
        assert!(
            reason.starts_with(start) && reason.ends_with(end),
            "{reason}"
        );
        tight.check_frames().unwrap();
        let options = ExecutorOptions::default;
        assert_eq!(
            run(&tight, options()).unwrap(),
            run(&free, options()).unwrap()
        );
    }
}

/// Counted iterations are interpreted, whatever code there is.
#[test]
fn a_dispatch_that_has_to_be_interpreted_has_the_same_limit() {
    let counted = || ExecutorOptions {
        workgroup_iterations: Some(1 << 40),
        ..ExecutorOptions::default()
    };
    for target in Target::all() {
        // Vector code keeps this variable in registers; the bound of the interpreter counts all values.
        let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32, 64>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
                let x = data[i] * 3u; workgroupBarrier(); data[i] = x + i;
            }";
        let program = Program::from_wgsl(text).unwrap();
        let options = |max_frame_bytes| KernelOptions {
            engine: Engine::Code(target),
            max_frame_bytes,
            ..KernelOptions::default()
        };
        let kernel = |bytes| Kernel::with_options(&program, "main", options(bytes)).unwrap();
        let tight = kernel(8 << 10);
        assert!(tight.code().is_ok(), "{:?}", tight.code().err());
        tight.check_frames().unwrap();
        run(&tight, ExecutorOptions::default()).unwrap();
        let error = run(&tight, counted()).unwrap_err();
        assert!(matches!(error, DispatchError::Frames(_)), "{error}");
        run(&kernel(1 << 20), counted()).unwrap();
    }
}

#[test]
fn the_default_is_the_largest_limit() {
    assert_eq!(KernelOptions::default().max_frame_bytes, MAX_FRAME_BYTES);
    let kernel = kernel(Engine::Fastest, "workgroupBarrier();", u64::MAX);
    kernel.check_frames().unwrap();
}
