//! A builtin function compiled to machine code for one target, applied to arrays of numbers.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, anyhow};
use anywarp_cpu::{
    Access, BindGroup, BoundBuffer, BoundGroup, Buffer, Engine, Executor, ExecutorOptions, Kernel,
    KernelOptions, OffsetKind, ResolvedBindings, Runner, Target, resolve_bindings,
};
use anywarp_program::Program;

/// The largest number of arguments in one dispatch.
pub(super) const CHUNK: usize = 1 << 15;

const WORKGROUP: u32 = 256;

/// The machine code of a function.
#[derive(Debug)]
pub(super) struct Machine {
    kernel: Kernel,
}

impl Machine {
    pub(super) fn new(function: &str, target: Target) -> Result<Self> {
        let program = Program::from_wgsl(&format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<f32, {CHUNK}>;
             @compute @workgroup_size({WORKGROUP})
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 data[id.x] = {function}(data[id.x]);
             }}"
        ))?;
        let options = KernelOptions {
            engine: Engine::Code(target),
            ..Default::default()
        };
        let kernel = Kernel::with_options(&program, "main", options)?;
        let code = kernel.code().map(|_| ());
        code.map_err(|reason| anyhow!("`{function}` has no code for {target}: {reason}"))?;
        Ok(Self { kernel })
    }
}

/// The executor and buffer that one thread needs to run functions.
#[derive(Debug)]
pub(super) struct Bench {
    executor: Executor,
    buffer: Buffer,
    group: BindGroup,
}

impl Bench {
    pub(super) fn new() -> Result<Self> {
        let buffer = Buffer::new(CHUNK as u64 * 4)?;
        let group = BindGroup::new(vec![BoundBuffer {
            binding: 0,
            buffer: buffer.clone(),
            offset: 0,
            size: buffer.size(),
            offset_kind: OffsetKind::Fixed,
        }]);
        let options = ExecutorOptions {
            threads: NonZeroUsize::new(1),
            ..Default::default()
        };
        Ok(Self {
            executor: Executor::new(&options),
            buffer,
            group,
        })
    }

    /// The function's results for each argument, as bits. At most [`CHUNK`] arguments.
    pub(super) fn apply(&self, machine: &Machine, inputs: &[u32]) -> Result<Vec<u32>> {
        let words = self.buffer.words(0..self.buffer.size(), Access::ReadWrite);
        for (word, input) in words.iter().zip(inputs) {
            word.store(*input, Ordering::Relaxed);
        }
        let groups = [Some(BoundGroup {
            group: &self.group,
            dynamic_offsets: &[],
        })];
        let mut views = ResolvedBindings::default();
        resolve_bindings(machine.kernel.resources(), &groups, &mut views)?;
        let workgroups = (inputs.len() as u32).div_ceil(WORKGROUP);
        let arguments = views.arguments(&[], [workgroups, 1, 1]);
        let done = self
            .executor
            .dispatch(&mut Runner::new(&machine.kernel), &arguments);
        done.context("a function of one number failed")?;
        let results = words.iter().take(inputs.len());
        Ok(results
            .map(|result| result.load(Ordering::Relaxed))
            .collect())
    }
}
