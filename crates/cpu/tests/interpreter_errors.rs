//! Errors that only the translation for the interpreter raises, on kernels with and without machine code.
//!
//! The interpreter has limits that machine code has not. Without machine code they are errors of the kernel's creation;
//! with it, of the first dispatch that needs the interpreter, before anything has run.

use std::sync::atomic::Ordering;

use anywarp_cpu::{
    Access, BindGroup, BoundBuffer, BoundGroup, Buffer, DispatchError, Engine, Executor,
    ExecutorOptions, Kernel, KernelOptions, OffsetKind, ResolvedBindings, Runner, Target,
    resolve_bindings,
};
use anywarp_program::{Program, Source};
use anywarp_test_support::report_skip;

/// A program that writes 7 to the first word, with more workgroup memory than the interpreter has.
const REFUSED: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
    var<workgroup> a: array<u32, 4000000>;
    var<workgroup> b: array<u32, 4000000>;
    var<workgroup> c: array<u32, 4000000>;
    var<workgroup> d: array<u32, 4000000>;
    var<workgroup> e: array<u32, 4000000>;
    @compute @workgroup_size(1) fn main() {
        let i = data[1];
        a[i] = 1u; b[i] = 1u; c[i] = 1u; d[i] = 1u; e[i] = 3u;
        data[0] = a[i] + b[i] + c[i] + d[i] + e[i];
    }";

const MESSAGE: &str =
    "k.wgsl:6:5: `e`: variables of more than 67108864 bytes is not supported on the CPU device";

fn kernel(wgsl: &str, engine: Engine) -> Result<Kernel, String> {
    let program = Program::from_source(Source::new("k.wgsl", wgsl)).unwrap();
    let options = KernelOptions {
        engine,
        ..KernelOptions::default()
    };
    Kernel::with_options(&program, "main", options).map_err(|error| error.to_string())
}

/// The first word after a dispatch of one workgroup, and the result of the dispatch.
fn dispatch(kernel: &Kernel, iterations: Option<u64>) -> (u32, Result<(), DispatchError>) {
    let buffer = Buffer::new(16).unwrap();
    let group = BindGroup::new(vec![BoundBuffer {
        binding: 0,
        buffer: buffer.clone(),
        offset: 0,
        size: 16,
        offset_kind: OffsetKind::Fixed,
    }]);
    let groups = [Some(BoundGroup {
        group: &group,
        dynamic_offsets: &[],
    })];
    let mut views = ResolvedBindings::default();
    resolve_bindings(kernel.resources(), &groups, &mut views).unwrap();
    let executor = Executor::new(&ExecutorOptions {
        workgroup_iterations: iterations,
        ..ExecutorOptions::default()
    });
    let result = executor.dispatch(&mut Runner::new(kernel), &views.arguments(&[], [1, 1, 1]));
    let word = buffer.words(0..4, Access::Read)[0].load(Ordering::Relaxed);
    (word, result)
}

#[test]
fn without_machine_code_it_is_an_error_of_the_creation() {
    assert_eq!(kernel(REFUSED, Engine::Interpreter).unwrap_err(), MESSAGE);
}

#[test]
fn with_machine_code_it_is_an_error_of_a_dispatch_that_needs_the_interpreter() {
    if Target::detect().is_none() {
        return report_skip("a kernel with machine code: no code generator for this machine");
    }
    let kernel = kernel(REFUSED, Engine::Fastest).unwrap();
    assert!(kernel.code().is_ok(), "{:?}", kernel.code().err());
    assert_eq!(dispatch(&kernel, None), (7, Ok(())));
    // Counted iterations need the interpreter.
    let (word, result) = dispatch(&kernel, Some(1000));
    let error = result.unwrap_err();
    assert!(matches!(error, DispatchError::Kernel(_)), "{error:?}");
    assert_eq!(error.to_string(), MESSAGE);
    assert_eq!(word, 0, "nothing has run");
    // Another dispatch does not need it.
    assert_eq!(dispatch(&kernel, None), (7, Ok(())));
}
