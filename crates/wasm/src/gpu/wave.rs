//! A wave: the threads that are resident on the device at the same time, their buffers, and the
//! loop that runs them to their end.
//!
//! In: the words of the program and of the resources, and [`Params`]. Out: the same buffers, in
//! which every thread has ended. Host calls of the threads are handled between slices.

use std::ops::Range;
use std::time::Duration;

use web_time::Instant;
use wgpu::BufferUsages as Usage;

use crate::bytecode::{Bytecode, TrapCode};
use crate::runtime::{Gpu, Grid, LaunchError, trap_at};

use super::layout::count;
use super::memories::Memories;
use super::params::Params;
use super::pipelines::{Pipelines, groups};
use super::protocol::{
    H_PC, H_STATUS, HEADER, QUEUE_CLOSED, REPORT_COUNTS, REPORT_REQUESTS, REPORT_RING,
    REPORT_WANTED, REQUEST_WORDS, Status, WANTED_PAGES,
};
use super::requests::HostCalls;
use super::watchdog::{SubmissionSize, Verdict};

/// Number of threads in each state.
#[derive(Clone, Copy, Debug)]
struct StatusCounts {
    ended: u32,
    ready: u32,
    waiting_for_work: u32,
    left: u32,
}

/// The buffers of a wave.
#[derive(Debug)]
pub(super) struct Wave<'a> {
    pub(super) gpu: Gpu,
    pub(super) pipelines: &'a Pipelines,
    pub(super) params: Params,
    pub(super) buffers: WaveBuffers,
    uniform: wgpu::Buffer,
    report: wgpu::Buffer,
    idle: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    is_beginning: bool,
    /// The requested slice length; the current one in the parameters may be shorter.
    longest_slice: u32,
}

/// The buffers from which a wave is created.
#[derive(Clone, Debug)]
pub(super) struct WaveBuffers {
    pub(super) program: wgpu::Buffer,
    pub(super) resource_buffer: wgpu::Buffer,
    pub(super) threads: wgpu::Buffer,
    pub(super) memory: wgpu::Buffer,
    pub(super) memories: Memories,
    /// How many threads have memories of their own: 1 if they are shared.
    pub(super) memory_threads: u32,
}

impl<'a> Wave<'a> {
    pub(super) fn new(
        gpu: &Gpu,
        pipelines: &'a Pipelines,
        params: Params,
        buffers: WaveBuffers,
    ) -> Result<Self, LaunchError> {
        let uniform_words = (size_of::<Params>() as u64).div_ceil(16) * 4;
        let uniform = gpu.buffer(
            "the parameters",
            uniform_words,
            Usage::UNIFORM | Usage::COPY_DST,
        )?;
        let report = u64::from(REPORT_RING + params.ring * REQUEST_WORDS);
        let report = gpu.storage("the request ring", report)?;
        let idle = gpu.storage("nothing", 4)?;
        let bindings = bind(gpu, pipelines, &buffers, [&uniform, &report, &idle]);
        let mut wave = Self {
            gpu: gpu.clone(),
            pipelines,
            params,
            buffers,
            uniform,
            report,
            idle,
            bindings,
            is_beginning: false,
            longest_slice: params.slice,
        };
        wave.upload_memories();
        Ok(wave)
    }

    /// Replaces parameters and buffers.
    pub(super) fn exchange(&mut self, params: Params, buffers: WaveBuffers) {
        self.params = params;
        self.longest_slice = params.slice;
        self.buffers = buffers;
        self.bindings = self.bind_transfer(&self.idle);
        self.upload_memories();
    }

    /// Uploads the parameters.
    pub(super) fn upload_params(&mut self) {
        let bytes = bytemuck::bytes_of(&self.params);
        self.gpu.queue.write_buffer(&self.uniform, 0, bytes);
    }

    /// Uploads the length of the next slices only: other parameters may have been changed for
    /// later.
    fn upload_slice(&mut self, slice: u32) {
        if self.params.slice != slice {
            self.params.slice = slice;
            let at = std::mem::offset_of!(Params, slice) as u64;
            let bytes = slice.to_le_bytes();
            self.gpu.queue.write_buffer(&self.uniform, at, &bytes);
        }
    }

    /// Uploads the parameters and the layout of the memories.
    fn upload_memories(&mut self) {
        let memories = &self.buffers.memories;
        let rows = memories.rows();
        let at = u64::from(self.params.memory_rows);
        self.gpu.write(&self.buffers.resource_buffer, at, &rows);
        self.params.pages_allocated = u32::try_from(memories.pages()).unwrap_or(u32::MAX);
        self.params.max_pages_allocated = memories
            .max_pages_per_thread(self.gpu.max_buffer_bytes() / 4, self.buffers.memory_threads);
        self.upload_params();
    }

    /// The bindings with another transfer buffer.
    pub(super) fn bind_transfer(&self, transfer: &wgpu::Buffer) -> wgpu::BindGroup {
        let own = [&self.uniform, &self.report, transfer];
        bind(&self.gpu, self.pipelines, &self.buffers, own)
    }

    pub(super) fn pass(
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::ComputePipeline,
        bindings: &wgpu::BindGroup,
        [x, y]: [u32; 2],
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, bindings, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }

    /// Starts all threads with the next slice. Memory and stacks are zero.
    pub(super) fn begin(&mut self) {
        self.is_beginning = true;
    }

    /// Runs until all threads have ended.
    pub(super) async fn run(&mut self, host_calls: &mut HostCalls<'_>) -> Result<(), LaunchError> {
        let mut submission = SubmissionSize::new(self.params.count, self.longest_slice);
        loop {
            self.upload_slice(submission.slice);
            let begun = Instant::now();
            let report = self.slices(submission.slices).await?;
            submission = submission.after(begun.elapsed());
            let count = |status: Status| report[(REPORT_COUNTS + status as u32) as usize];
            let unfinished = Status::ALL.iter().filter(|status| !status.is_final());
            let counts = StatusCounts {
                ended: count(Status::Done) + count(Status::Trapped),
                ready: count(Status::Ready),
                waiting_for_work: count(Status::WaitWork),
                left: unfinished.map(|&status| count(status)).sum(),
            };
            if counts.left == 0 {
                return Ok(());
            }
            if let Verdict::Endless(limit) = host_calls.clock.check(counts.ended, counts.ready)? {
                return Err(self.still_running(host_calls.program, limit).await?);
            }
            let requests = report[REPORT_REQUESTS as usize].min(self.params.ring);
            let wanted = report[REPORT_WANTED as usize];
            if requests > 0 {
                submission.slices = 1;
                let ring = &report[REPORT_RING as usize..][..(requests * REQUEST_WORDS) as usize];
                host_calls.serve(self, ring).await?;
                self.gpu
                    .write(&self.report, u64::from(REPORT_REQUESTS), &[0]);
            } else if wanted > 0 {
                self.grow(wanted)?;
            } else if counts.ready == 0 {
                if counts.waiting_for_work == 0 {
                    return Err(LaunchError::Device {
                        what: format!(
                            "deadlock: {} threads wait, and nothing can wake them",
                            counts.left
                        ),
                    });
                }
                // No running thread is left that could add work: the queue is closed.
                self.gpu.write(
                    &self.buffers.resource_buffer,
                    u64::from(self.params.queue + QUEUE_CLOSED),
                    &[1],
                );
            }
        }
    }

    /// The watchdog error for a thread that is still running.
    async fn still_running(
        &self,
        program: &Bytecode,
        limit: Duration,
    ) -> Result<LaunchError, LaunchError> {
        let rows = self.rows(&[Self::header()]).await?;
        let is_final = |status: u32| Status::from_number(status).is_some_and(Status::is_final);
        let status = &rows[H_STATUS as usize];
        let ready = status
            .iter()
            .position(|&status| status == Status::Ready as u32);
        let found = ready.or_else(|| status.iter().position(|&status| !is_final(status)));
        let index = found.unwrap_or(0);
        let word = rows[H_PC as usize][index];
        let at = trap_at(program, word, TrapCode::FuelExhausted, None);
        Ok(LaunchError::Watchdog {
            thread: self.number(count(index)),
            function: at.function,
            offset: at.offset,
            limit,
        })
    }

    /// The linear index in the grid of a thread of the wave.
    fn number(&self, index: u32) -> u32 {
        let params = &self.params;
        let grid = Grid {
            workgroups: [params.groups_x, params.groups_y, params.groups_z],
            size: [params.size_x, params.size_y, params.size_z],
            threads: params.threads,
        };
        let group = params.first_group + index / params.group_threads;
        grid.thread_ids(group, index % params.group_threads).number
    }

    /// Runs one slice, and reads rows of the threads' state.
    pub(super) async fn slice(&self, rows: &[Range<u32>]) -> Result<Vec<Vec<u32>>, LaunchError> {
        let mut encoder = self.gpu.encoder();
        let threads = groups(self.params.count);
        Self::pass(&mut encoder, &self.pipelines.run, &self.bindings, threads);
        self.rows_after(encoder, rows).await
    }

    /// Runs slices; returns the report buffer.
    async fn slices(&mut self, slices: u32) -> Result<Vec<u32>, LaunchError> {
        let mut encoder = self.gpu.encoder();
        let threads = groups(self.params.count);
        if std::mem::take(&mut self.is_beginning) {
            Self::pass(&mut encoder, &self.pipelines.begin, &self.bindings, threads);
        }
        let workgroups = groups(self.params.count / self.params.group_threads);
        for _ in 0..slices {
            Self::pass(&mut encoder, &self.pipelines.run, &self.bindings, threads);
            let counts = u64::from(REPORT_WANTED) * 4;
            encoder.clear_buffer(
                &self.report,
                counts,
                Some(u64::from(REPORT_RING) * 4 - counts),
            );
            Self::pass(
                &mut encoder,
                &self.pipelines.schedule,
                &self.bindings,
                workgroups,
            );
        }
        let words = self.report.size() / 4;
        self.gpu.read(encoder, &[(&self.report, 0, words)]).await
    }

    /// Grows the capacity of a memory that a thread waits for. The shader has checked that it is
    /// possible.
    fn grow(&mut self, wanted: u32) -> Result<(), LaunchError> {
        let which = wanted >> WANTED_PAGES;
        let pages = wanted & ((1 << WANTED_PAGES) - 1);
        let capacity = self.buffers.memories.capacity(which);
        // More than requested, if others can still grow then.
        let max = self.buffers.memories.max_pages(which);
        let doubled = pages.max(capacity.saturating_mul(2).min(max));
        let is_modest =
            self.params.pages_allocated - capacity + doubled <= self.params.max_pages_allocated / 2;
        let mut memories = self.buffers.memories.clone();
        memories.set_capacity(which, if is_modest { doubled } else { pages });
        self.buffers.memory = self.moved(&memories, 0)?;
        self.buffers.memories = memories;
        self.bindings = self.bind_transfer(&self.idle);
        self.upload_memories();
        Ok(())
    }

    /// Copies the memories to a new buffer of at least that many bytes, with larger capacities.
    pub(super) fn moved(
        &self,
        memories: &Memories,
        bytes: u64,
    ) -> Result<wgpu::Buffer, LaunchError> {
        let buffers = &self.buffers;
        let threads = buffers.memory_threads;
        let words = memories.words(threads);
        let bytes = bytes.min(self.gpu.max_buffer_bytes());
        let memory = self.gpu.storage("memory", words.max(bytes / 4))?;
        let mut encoder = self.gpu.encoder();
        buffers
            .memories
            .copy(&buffers.memory, memories, &memory, threads, &mut encoder);
        self.gpu.queue.submit([encoder.finish()]);
        Ok(memory)
    }

    /// Reads rows of the threads' state: word i of every thread, concatenated.
    pub(super) async fn rows(&self, rows: &[Range<u32>]) -> Result<Vec<Vec<u32>>, LaunchError> {
        self.rows_after(self.gpu.encoder(), rows).await
    }

    /// As [`Self::rows`], after some commands.
    async fn rows_after(
        &self,
        encoder: wgpu::CommandEncoder,
        rows: &[Range<u32>],
    ) -> Result<Vec<Vec<u32>>, LaunchError> {
        let count = u64::from(self.params.count);
        let part = |rows: &Range<u32>| {
            let words = u64::from(rows.end - rows.start) * count;
            (&self.buffers.threads, u64::from(rows.start) * count, words)
        };
        let parts: Vec<_> = rows.iter().map(part).collect();
        let words = self.gpu.read(encoder, &parts).await?;
        Ok(words.chunks(count as usize).map(<[u32]>::to_vec).collect())
    }

    /// The rows of the results: the first slots of the stack after the link slots.
    pub(super) fn results(&self, slots: u32) -> Range<u32> {
        let first = self.params.stack + 2;
        first..first + slots
    }

    /// The rows of the header.
    pub(super) fn header() -> Range<u32> {
        0..HEADER
    }
}

fn bind(
    gpu: &Gpu,
    pipelines: &Pipelines,
    buffers: &WaveBuffers,
    [uniform, report, transfer]: [&wgpu::Buffer; 3],
) -> wgpu::BindGroup {
    let buffers = [
        uniform,
        &buffers.program,
        &buffers.threads,
        &buffers.memory,
        &buffers.resource_buffer,
        report,
        transfer,
    ];
    let numbered = (0..).zip(buffers);
    let entries: Vec<_> = numbered
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("wasm interpreter"),
        layout: &pipelines.layout,
        entries: &entries,
    })
}
