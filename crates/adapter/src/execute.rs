//! The execution of recorded commands on the queue's thread.
//!
//! In: the recordings of one submission, in order. Out: their effects, or an error that names the failed command and
//! the reason. A failure ends the submission.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use anywarp_cpu::{
    Access, Arguments, BoundGroup, DispatchError, Executor, ResolvedBindings, Runner,
    SpuriousFailures, resolve_bindings, workgroups,
};
use anywarp_program::panic_message;
use wgpu::hal;

use crate::clock;
use crate::command::{Command, Recording};
use crate::error::CommandError;
use crate::resources::{Buffer, Pipeline, QuerySet};

/// The size in bytes from which on moving a buffer's memory is cheaper than a copy.
const WORTH_MOVING: u64 = 1 << 20;

/// How the content of an upload buffer that fills a whole buffer gets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uploads {
    /// By moving its memory, which requires that no other submission is running.
    Moved,
    Copied,
}

/// The state of a running submission.
pub(crate) struct CommandRunner<'a> {
    executor: &'a Executor,
    /// The limit of workgroups per dimension; an indirect dispatch over it does nothing.
    max_workgroups: u32,
    uploads: Uploads,
    debug_groups: Vec<&'a str>,
    pass: Pass<'a>,
}

/// The state that the commands of a compute pass have set.
#[derive(Default)]
struct Pass<'a> {
    pipeline: Option<(&'a Pipeline, Runner<'a>)>,
    groups: [Option<BoundGroup<'a>>; hal::MAX_BIND_GROUPS],
    immediates: Vec<u32>,
    /// The resolved bindings; `None` after the pipeline or a group has changed.
    views: Option<ResolvedBindings<'a>>,
}

impl<'a> CommandRunner<'a> {
    pub(crate) fn new(executor: &'a Executor, max_workgroups: u32, uploads: Uploads) -> Self {
        Self {
            executor,
            max_workgroups,
            uploads,
            debug_groups: Vec::new(),
            pass: Pass::default(),
        }
    }

    /// Runs one recording.
    pub(crate) fn run(&mut self, recording: &'a Recording) -> Result<(), CommandError> {
        for command in &recording.commands {
            if let Some(count) = self.apply(recording, command) {
                self.dispatch(count)?;
            }
        }
        Ok(())
    }

    /// Executes one command, except for a dispatch: its grid is returned to the caller.
    pub(crate) fn apply(
        &mut self,
        recording: &'a Recording,
        command: &'a Command,
    ) -> Option<[u32; 3]> {
        let words = |range: &Range<usize>| &recording.words[range.clone()];
        match command {
            Command::ClearBuffer { buffer, range } => clear(self.executor, buffer, range.clone()),
            Command::CopyBuffer {
                source,
                target,
                region,
            } => self.copy(source, target, region),
            Command::Texture(command) => command.run(self.executor),
            Command::BeginComputePass => self.pass = Pass::default(),
            Command::SetPipeline(pipeline) => self.pass.set_pipeline(&pipeline.shared),
            Command::SetBindGroup {
                index,
                group,
                dynamic_offsets,
            } => {
                let group = BoundGroup {
                    group: &group.group,
                    dynamic_offsets: words(dynamic_offsets),
                };
                self.pass.set_group(*index as usize, group);
            }
            Command::SetImmediates { offset, values } => {
                self.pass.set_immediates(*offset, words(values));
            }
            Command::Dispatch(count) => return Some(*count),
            Command::DispatchIndirect { buffer, offset } => {
                return Some(self.indirect_count(buffer, *offset));
            }
            Command::WriteTimestamp { queries, index } => {
                queries.values[*index as usize].store(clock::now(), Ordering::Relaxed);
            }
            Command::ResetQueries { queries, range } => reset_queries(queries, range),
            Command::CopyQueryResults {
                queries,
                range,
                target,
                offset,
                stride,
            } => copy_query_results(queries, range, target, *offset, *stride),
            Command::PushDebugGroup(label) => self.debug_groups.push(label),
            Command::PopDebugGroup => {
                self.debug_groups.pop();
            }
        }
        None
    }

    /// Runs one workgroup of a dispatch, by its number in the grid.
    pub(crate) fn run_workgroup(
        &mut self,
        count: [u32; 3],
        number: u64,
        failures: &SpuriousFailures,
    ) -> Result<(), CommandError> {
        let executor = self.executor;
        let result = self.pass.prepare(count).and_then(|(runner, arguments)| {
            executor.run_workgroup(runner, &arguments, number, Some(failures))
        });
        result.map_err(|error| self.dispatch_failed(error))
    }

    /// The number of workgroups of a dispatch.
    pub(crate) fn workgroups(&self, count: [u32; 3]) -> Result<u64, CommandError> {
        workgroups(count).map_err(|error| self.dispatch_failed(error))
    }

    fn dispatch(&mut self, count: [u32; 3]) -> Result<(), CommandError> {
        let executor = self.executor;
        let prepared = self.pass.prepare(count);
        let result = prepared.and_then(|(runner, arguments)| executor.dispatch(runner, &arguments));
        result.map_err(|error| self.dispatch_failed(error))
    }

    /// The error of a dispatch with what the user knows about it: its pipeline and its debug group.
    fn dispatch_failed(&self, source: DispatchError) -> CommandError {
        CommandError::Dispatch {
            pipeline: match &self.pass.pipeline {
                Some((pipeline, _)) => pipeline.to_string(),
                None => "a dispatch without a pipeline".to_owned(),
            },
            debug_group: self.debug_groups.last().map(|group| (*group).to_owned()),
            source: Box::new(source),
        }
    }

    fn copy(&mut self, source: &Buffer, target: &Buffer, region: &hal::BufferCopy) {
        let (from, to, size) = (region.src_offset, region.dst_offset, region.size.get());
        let (source_memory, target_memory) = (&source.memory, &target.memory);
        let is_whole = size == source_memory.size() && size == target_memory.size();
        if is_whole && size >= WORTH_MOVING && source.is_upload && self.uploads == Uploads::Moved {
            // The last pass may hold words of the target.
            self.pass = Pass::default();
            // SAFETY: as in `clear`; wgpu-core copies from an upload buffer once, no other submission is running with a
            // pass that could hold words of the target, and the host requests the address of a buffer each time it maps
            // it.
            unsafe { target_memory.move_from(source_memory) };
        } else {
            // SAFETY: as in `clear`.
            unsafe {
                self.executor
                    .copy(target_memory, to, source_memory, from, size);
            }
        }
    }

    /// The grid of an indirect dispatch; empty if it is over the limit.
    fn indirect_count(&self, buffer: &Buffer, offset: u64) -> [u32; 3] {
        let words = buffer.memory.words(offset..offset + 12, Access::Read);
        let count = [0, 1, 2].map(|axis| words[axis].load(Ordering::Relaxed));
        if count.iter().any(|axis| *axis > self.max_workgroups) {
            return [0; 3];
        }
        count
    }
}

impl<'a> Pass<'a> {
    fn set_pipeline(&mut self, pipeline: &'a Pipeline) {
        let same = |(current, _): &(&Pipeline, _)| std::ptr::eq(*current, pipeline);
        // Programs often set the same pipeline again; its runner is kept.
        if !self.pipeline.as_ref().is_some_and(same) {
            self.pipeline = Some((pipeline, Runner::new(&pipeline.kernel)));
            self.views = None;
        }
    }

    fn set_group(&mut self, index: usize, group: BoundGroup<'a>) {
        self.groups[index] = Some(group);
        self.views = None;
    }

    fn set_immediates(&mut self, offset: usize, values: &[u32]) {
        let end = offset + values.len();
        if self.immediates.len() < end {
            self.immediates.resize(end, 0);
        }
        self.immediates[offset..end].copy_from_slice(values);
    }

    /// The runner and the arguments of a dispatch.
    fn prepare(
        &mut self,
        count: [u32; 3],
    ) -> Result<(&mut Runner<'a>, Arguments<'_>), DispatchError> {
        let Some((pipeline, runner)) = &mut self.pipeline else {
            unreachable!("wgpu-core demands a pipeline before a dispatch")
        };
        let views = match &mut self.views {
            Some(views) => views,
            none => {
                let mut views = ResolvedBindings::default();
                resolve_bindings(pipeline.kernel.resources(), &self.groups, &mut views)?;
                none.insert(views)
            }
        };
        Ok((runner, views.arguments(&self.immediates, count)))
    }
}

/// Runs commands, and catches panics. After a failure what the commands use must not be used again.
pub(crate) fn catch_panic<T>(
    commands: impl FnOnce() -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    // Unwind safety: after a panic the state of the submission is dropped and the device is lost.
    catch_unwind(AssertUnwindSafe(commands))
        .unwrap_or_else(|panic| Err(CommandError::Internal(panic_message(&*panic))))
}

fn clear(executor: &Executor, buffer: &Buffer, range: Range<u64>) {
    // SAFETY: this is the only thread that runs commands of the device, dispatches have joined their
    // threads before the next command, and wgpu-core submits nothing that uses a mapped buffer.
    unsafe { executor.clear(&buffer.memory, range) };
}

fn reset_queries(queries: &QuerySet, range: &Range<u32>) {
    for value in &queries.values[range.start as usize..range.end as usize] {
        value.store(0, Ordering::Relaxed);
    }
}

fn copy_query_results(
    queries: &QuerySet,
    range: &Range<u32>,
    target: &Buffer,
    offset: u64,
    stride: u64,
) {
    let values = &queries.values[range.start as usize..range.end as usize];
    for (index, value) in (0..).zip(values) {
        let start = offset + index * stride;
        let words = target.memory.words(start..start + 8, Access::ReadWrite);
        let value = value.load(Ordering::Relaxed);
        words[0].store(value as u32, Ordering::Relaxed);
        words[1].store((value >> 32) as u32, Ordering::Relaxed);
    }
}
