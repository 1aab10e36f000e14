//! One random kernel over buffers between guard pages, on every target.
//!
//! In: a seed. Out: a panic if machine code and the interpreter differ, or if words beside a buffer were written; the
//! process ends by a signal if a guard page was touched. `tests/src/fuzz/bounds.rs` includes this file too.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_cpu::{
    Arguments, BufferView, Engine, Executor, ExecutorOptions, Kernel, KernelOptions, Runner, Target,
};
use anywarp_program::Program;

use super::generator::{RESULTS, WORKGROUP, generate};
use super::guarded::{Guarded, Honesty, Side};
use super::random::Random;

const WORKGROUPS: u32 = 2;

pub(super) fn kernel(program: &Program, engine: Engine) -> Kernel {
    let options = KernelOptions {
        engine,
        ..Default::default()
    };
    Kernel::with_options(program, "main", options).unwrap()
}

/// The contents of the buffers, in the kernel's order: of the smallest size that is allowed, or a little larger, not
/// always by a whole element. Words are small, so that they are valid indices now and then, or random.
fn contents(kernel: &Kernel, random: &mut Random) -> Vec<Vec<u32>> {
    let mut contents = Vec::new();
    for resource in kernel.resources() {
        let least = resource.min_size.div_ceil(4) as usize;
        let more = match resource.binding {
            RESULTS => (WORKGROUP * WORKGROUPS) as usize - random.below(30) as usize,
            _ => random.below(30) as usize,
        };
        let word = |random: &mut Random| match random.below(2) {
            0 => random.below(60),
            _ => random.word(),
        };
        contents.push((0..least + more).map(|_| word(random)).collect());
    }
    contents
}

fn run(kernel: &Kernel, buffers: &[&[AtomicU32]]) {
    let views: Vec<_> = buffers.iter().map(|words| BufferView { words }).collect();
    let arguments = Arguments {
        buffers: &views,
        textures: &[],
        arrays: &[],
        immediates: &[],
        workgroup_count: [WORKGROUPS, 1, 1],
    };
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        ..Default::default()
    });
    let done = executor.dispatch(&mut Runner::new(kernel), &arguments);
    done.unwrap_or_else(|error| panic!("{error}"));
}

/// The results.
fn results(kernel: &Kernel, buffers: &[&[AtomicU32]]) -> Vec<u32> {
    let place = kernel
        .resources()
        .iter()
        .position(|resource| resource.binding == RESULTS);
    let words = buffers[place.unwrap()].iter();
    words.map(|word| word.load(Ordering::Relaxed)).collect()
}

fn expected(program: &Program, contents: &[Vec<u32>]) -> Vec<u32> {
    let kernel = kernel(program, Engine::Interpreter);
    let atomics = |words: &Vec<u32>| words.iter().copied().map(AtomicU32::new).collect();
    let memory: Vec<Vec<AtomicU32>> = contents.iter().map(atomics).collect();
    let buffers: Vec<&[AtomicU32]> = memory.iter().map(Vec::as_slice).collect();
    run(&kernel, &buffers);
    results(&kernel, &buffers)
}

/// Runs one seed on all targets.
///
/// # Panics
///
/// If a result differs from the interpreter's, or words beside a buffer were written.
pub(crate) fn try_seed(seed: u64, honesty: Honesty) {
    let wgsl = generate(seed);
    let program = Program::from_wgsl(&wgsl).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    // Each target, with and without its optional instruction-set extensions.
    for target in Target::all().flat_map(|target| [target, target.plain()]) {
        let kernel = kernel(&program, Engine::Code(target));
        if let Err(reason) = kernel.code() {
            panic!("seed {seed} has no code for {target}: {reason}\n{wgsl}");
        }
        let contents = contents(&kernel, &mut Random::new(!seed));
        let expected = expected(&program, &contents);
        for side in [Side::Start, Side::End] {
            let guard = |words: &Vec<u32>| Guarded::new(words, side, honesty);
            let memory: Vec<Guarded> = contents.iter().map(guard).collect();
            let buffers: Vec<&[AtomicU32]> = memory.iter().map(Guarded::words).collect();
            run(&kernel, &buffers);
            let what = format!("seed {seed} with {target} at {side:?}\n{wgsl}");
            let untouched = memory.iter().all(Guarded::is_rest_untouched);
            assert!(untouched, "something beside a buffer was written: {what}");
            assert_eq!(results(&kernel, &buffers), expected, "{what}");
        }
    }
}
