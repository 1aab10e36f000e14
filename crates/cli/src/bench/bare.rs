//! A benchmark task on the CPU executor without wgpu.
//!
//! Only the dispatches are timed, one directly after another. The difference to the CPU device's time is the overhead
//! of wgpu and the adapter.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anywarp_cpu::{
    Access, BindGroup, BoundBuffer, BoundGroup, Buffer, Executor, ExecutorOptions, Kernel,
    KernelOptions, OffsetKind, ResolvedBindings, Runner, resolve_bindings,
};

use super::contender::{Prepared, failed, kernel};
use super::task::{Contents, Pass, Task};
use crate::error::Error;

const LABEL: &str = "the bare engine";

/// A task with its kernels and buffers.
pub(super) struct Bare<'a> {
    task: &'a Task,
    kernels: Vec<Kernel>,
    buffers: Vec<Buffer>,
    executor: Executor,
}

impl<'a> Bare<'a> {
    /// Compiles shaders and fills buffers.
    pub(super) fn new(task: &'a Task, options: KernelOptions) -> Result<Self, Error> {
        let kernels = task.shaders.iter().map(|text| kernel(text, options));
        let kernels = kernels.collect::<Result<_, _>>();
        let buffers = task.buffers.iter().map(buffer).collect::<Result<_, _>>();
        Ok(Self {
            task,
            kernels: kernels.map_err(|error| failed(task.name, LABEL, error))?,
            buffers: buffers.map_err(|error| failed(task.name, LABEL, error))?,
            executor: Executor::new(&ExecutorOptions::default()),
        })
    }

    fn bind(&self, pass: &Pass) -> BindGroup {
        let bound = |(binding, buffer): (u32, &usize)| BoundBuffer {
            binding,
            buffer: self.buffers[*buffer].clone(),
            offset: 0,
            size: self.buffers[*buffer].size(),
            offset_kind: OffsetKind::Fixed,
        };
        BindGroup::new((0..).zip(&pass.buffers).map(bound).collect())
    }
}

impl Prepared for Bare<'_> {
    fn run(&mut self) -> Result<Duration, Error> {
        let error = |it: &dyn std::fmt::Display| failed(self.task.name, LABEL, it);
        let groups: Vec<BindGroup> = self
            .task
            .passes
            .iter()
            .map(|pass| self.bind(pass))
            .collect();
        let mut bound: Vec<ResolvedBindings<'_>> = Vec::new();
        for (pass, group) in self.task.passes.iter().zip(&groups) {
            let mut views = ResolvedBindings::default();
            let set = [Some(BoundGroup {
                group,
                dynamic_offsets: &[],
            })];
            let kernel = &self.kernels[pass.shader];
            resolve_bindings(kernel.resources(), &set, &mut views).map_err(|it| error(&it))?;
            bound.push(views);
        }
        let mut runners: Vec<Runner<'_>> = self.kernels.iter().map(Runner::new).collect();
        let begin = Instant::now();
        for (pass, views) in self.task.passes.iter().zip(&bound) {
            let arguments = views.arguments(&[], pass.grid);
            let done = self
                .executor
                .dispatch(&mut runners[pass.shader], &arguments);
            done.map_err(|it| error(&it))?;
        }
        Ok(begin.elapsed())
    }

    fn read(&mut self, buffer: usize) -> Result<Vec<u32>, Error> {
        let load = |word: &AtomicU32| word.load(Ordering::Relaxed);
        Ok(words(&self.buffers[buffer], Access::Read)
            .iter()
            .map(load)
            .collect())
    }
}

fn words(buffer: &Buffer, access: Access) -> &[AtomicU32] {
    buffer.words(0..buffer.size(), access)
}

fn buffer(contents: &Contents) -> Result<Buffer, anywarp_cpu::OutOfMemory> {
    let buffer = Buffer::new(contents.bytes())?;
    if let Contents::Words(given) = contents {
        for (word, given) in words(&buffer, Access::ReadWrite).iter().zip(given) {
            word.store(*given, Ordering::Relaxed);
        }
    }
    Ok(buffer)
}
