//! Launches on a device: a kernel over a grid, in as many waves as the device's memory requires.
//!
//! In: a checked [`Launch`] of the interpreter's program. Out: a [`LaunchOutcome`], and the changed
//! resources. With shared memory one thread initializes it first.

use crate::bytecode::{Bytecode, Export, Type};
use crate::runtime::{
    Files, Grid, Launch, LaunchError, LaunchOutcome, MAX_PAGES, MAX_PANIC_BYTES, PrintLog,
    Resources, ThreadEnd, Value, function_type,
};

use super::interpreter::{Interpreter, InterpreterOptions, LoadedProgram};
use super::layout::Layout;
use super::memories::Memories;
use super::params::Params;
use super::protocol::{H_RUN, HEADER};
use super::requests::HostCalls;
use super::resources::{self, InitialState};
use super::single::SingleThread;
use super::traps::{trap_of, traps};
use super::watchdog::LaunchClock;
use super::wave::{Wave, WaveBuffers};
use crate::runtime::too_large;

/// The memory of a wave's threads.
enum WaveMemory {
    /// Each thread has its own memories, which begin like these.
    Private(Memories),
    /// All threads share the memories, with these initial sizes in pages.
    Shared {
        buffer: wgpu::Buffer,
        memories: Memories,
        sizes: Vec<u32>,
    },
}

/// A launch in progress.
pub(super) struct LaunchState<'a> {
    interpreter: &'a Interpreter,
    launch: &'a Launch,
    grid: Grid,
    program: &'a Bytecode,
    layout: &'a Layout,
    words: &'a wgpu::Buffer,
    results: &'a [Type],
    files: Files,
    printed: PrintLog,
    clock: LaunchClock,
    /// Bytes that panic messages may still take.
    panic_bytes_left: usize,
    outcome: LaunchOutcome,
    total: u64,
}

impl<'a> LaunchState<'a> {
    pub(super) fn new(
        interpreter: &'a Interpreter,
        loaded: &'a LoadedProgram,
        launch: &'a Launch,
        grid: Grid,
        files: Files,
        kernel: &Export,
    ) -> Result<Self, LaunchError> {
        let InterpreterOptions {
            watchdog, limit, ..
        } = interpreter.options;
        Ok(Self {
            interpreter,
            launch,
            grid,
            program: &loaded.program,
            layout: &loaded.layout,
            words: loaded.buffer.as_ref().map_err(LaunchError::clone)?,
            results: &function_type(&loaded.program, kernel.function)?.results,
            files,
            printed: PrintLog::default(),
            clock: LaunchClock::new(watchdog, limit, grid.threads),
            panic_bytes_left: MAX_PANIC_BYTES,
            outcome: LaunchOutcome::default(),
            total: 0,
        })
    }

    /// The results.
    pub(super) fn finish(self) -> LaunchOutcome {
        LaunchOutcome {
            printed: self.printed.take(),
            instructions: Some(self.total),
            ..self.outcome
        }
    }

    /// The entry address of a function. Its frame must fit into the stack.
    fn entry(&self, function: u32) -> Result<u32, LaunchError> {
        let function = self
            .program
            .functions
            .get(function as usize)
            .ok_or_else(|| LaunchError::Bytecode {
                word: 0,
                what: "the kernel is not a function".to_owned(),
            })?;
        if function.frame.saturating_add(2) > self.launch.stack_slots {
            return Err(LaunchError::StackSlots {
                name: self.launch.kernel.clone(),
                slots: self.launch.stack_slots,
                frame: function.frame.saturating_add(2),
            });
        }
        Ok(function.entry)
    }

    /// The parameters that are the same for every wave.
    fn params(&self) -> Params {
        let [groups_x, groups_y, groups_z] = self.grid.workgroups;
        let [size_x, size_y, size_z] = self.grid.size;
        let fuel = self.launch.fuel.unwrap_or(0);
        Params {
            slice: self.interpreter.options.slice,
            ring: self.interpreter.options.ring,
            stack_slots: self.launch.stack_slots,
            groups_x,
            groups_y,
            groups_z,
            size_x,
            size_y,
            size_z,
            group_threads: self.grid.group_threads(),
            threads: self.grid.threads,
            fuel_low: fuel as u32,
            fuel_high: (fuel >> 32) as u32,
            has_fuel: u32::from(self.launch.fuel.is_some()),
            ..self.layout.params
        }
    }

    fn thread_words(&self) -> u64 {
        u64::from(self.layout.thread_words) + u64::from(self.launch.stack_slots)
    }

    fn first_memories(&self) -> Memories {
        Memories::new(
            self.program,
            self.launch.max_pages,
            self.launch.max_total_pages,
        )
    }

    /// Runs a launch in which every thread has its own instance.
    pub(super) async fn private(
        &mut self,
        function: u32,
        resources: &mut Resources,
    ) -> Result<(), LaunchError> {
        let mut params = self.params();
        params.entry = self.entry(function)?;
        let sizes = self.layout.first_sizes(self.program);
        let memory = WaveMemory::Private(self.first_memories());
        self.waves(params, &sizes, memory, resources).await
    }

    /// Runs a launch with shared memory: one thread initializes it, then all threads run.
    pub(super) async fn shared(
        &mut self,
        function: u32,
        stack: u32,
        resources: &mut Resources,
    ) -> Result<(), LaunchError> {
        let stack_pointer = self
            .program
            .stack_pointer
            .ok_or(LaunchError::NoStackPointer)?;
        // The stack pointer stays aligned.
        let stack = stack.checked_next_multiple_of(16).unwrap_or(!15);
        if stack == 0 {
            return Err(LaunchError::NoStack);
        }
        let bytes = u64::from(stack) * u64::from(self.grid.threads);
        let stack_pages = bytes.div_ceil(1 << 16);
        let (buffers, left) = self.initialize(resources).await?;
        let mut params = self.params();
        params.entry = self.entry(function)?;
        // The stacks follow the memory in use, the first thread's first.
        let used = left.first().copied().unwrap_or(0);
        let pages = u64::from(used) + stack_pages;
        let allowed = self.launch.max_pages.min(MAX_PAGES - 1);
        if pages > u64::from(allowed) {
            return Err(LaunchError::Stacks {
                threads: self.grid.threads,
                stack,
                used,
                pages,
                allowed,
            });
        }
        params.stacks = used << 16;
        params.stack_bytes = stack;
        params.stack_pointer = stack_pointer;
        let mut sizes = left[..params.memories as usize].to_vec();
        sizes[0] = pages as u32;
        // A memory's own limit does not include the stacks.
        let memories =
            self.first_memories()
                .with_pages(&sizes, stack_pages as u32, self.launch.max_pages);
        let gpu = &self.interpreter.gpu;
        let whole = gpu.storage("memory", memories.words(1))?;
        let mut encoder = gpu.encoder();
        buffers
            .memories
            .copy(&buffers.memory, &memories, &whole, 1, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
        let memory = WaveMemory::Shared {
            buffer: whole,
            memories,
            sizes,
        };
        self.waves(params, &left, memory, resources).await
    }

    /// Runs the program's `inits` once, as the first thread of the grid; returns the memory and the
    /// thread's state.
    async fn initialize(
        &mut self,
        resources: &mut Resources,
    ) -> Result<(WaveBuffers, Vec<u32>), LaunchError> {
        let interpreter = self.interpreter;
        let gpu = &interpreter.gpu;
        let sizes = self.layout.first_sizes(self.program);
        let single = SingleThread {
            params: self.params(),
            resources,
            init_words: &sizes,
            memories: self.first_memories(),
        };
        let words = self.words.clone();
        let mut wave = single.wave(gpu, interpreter.private(), self.layout, words)?;
        for &init in &self.program.inits {
            wave.params.entry = self.entry(init)?;
            wave.upload_params();
            wave.begin();
            wave.params.init_word_count = 0;
            let mut host_calls = HostCalls {
                files: &self.files,
                printed: &mut self.printed,
                clock: &mut self.clock,
                program: self.program,
            };
            wave.run(&mut host_calls).await?;
            let ended = wave.rows(&[Wave::header()]).await?;
            if let Some(trap) = trap_of(self.program, &wave, &ended).await? {
                return Err(LaunchError::Init(trap));
            }
        }
        let first = u64::from(wave.params.sizes);
        let length = u64::from(wave.params.stack) - first;
        let part = (&wave.buffers.threads, first, length);
        let left = gpu.read(gpu.encoder(), &[part]).await?;
        if resources::can_change(resources, self.layout) {
            let words = u64::from(wave.params.group_memory);
            let part = (&wave.buffers.resource_buffer, 0, words);
            let words = gpu.read(gpu.encoder(), &[part]).await?;
            resources::read_back(&words, &wave.params, resources);
        }
        Ok((wave.buffers, left))
    }

    /// Runs all workgroups, in waves.
    async fn waves(
        &mut self,
        mut params: Params,
        init_words: &[u32],
        mut memory: WaveMemory,
        resources: &mut Resources,
    ) -> Result<(), LaunchError> {
        let gpu = self.interpreter.gpu.clone();
        let initial = InitialState {
            init_words,
            args: &self.launch.args,
        };
        let mut words = resources::words(resources, self.layout, &initial, &mut params)?;
        if let WaveMemory::Shared { sizes, .. } = &memory {
            words[..sizes.len()].copy_from_slice(sizes);
        }
        let at_once = self.groups_at_once(&params, words.len() as u64, &memory)?;
        if at_once < self.grid.groups() && self.layout.uses.work {
            let groups = self.grid.groups();
            let what = format!(
                "threads that wait for work need all {groups} workgroups on the device at once, but \
                 there is room for {at_once}"
            );
            return Err(LaunchError::Device { what });
        }
        let resource_buffer =
            words.len() as u64 + u64::from(at_once) * u64::from(params.group_words);
        let resource_buffer = gpu.storage("the memory of the grid", resource_buffer)?;
        gpu.write(&resource_buffer, 0, &words);
        let unset = ThreadEnd::Done(Vec::new());
        self.outcome.threads = vec![unset; self.grid.threads as usize];
        let mut first = 0;
        while first < self.grid.groups() {
            let groups = at_once.min(self.grid.groups() - first);
            params.first_group = first;
            params.count = groups * params.group_threads;
            memory = self.wave(params, &resource_buffer, memory).await?;
            first += groups;
            // Workgroup memory is zeroed for the next wave.
            let at = u64::from(params.group_memory) * 4;
            if first < self.grid.groups() && resource_buffer.size() > at {
                let mut encoder = gpu.encoder();
                encoder.clear_buffer(&resource_buffer, at, None);
                gpu.queue.submit([encoder.finish()]);
            }
        }
        if resources::can_change(resources, self.layout) {
            let part = (&resource_buffer, 0, words.len() as u64);
            let left = gpu.read(gpu.encoder(), &[part]).await?;
            resources::read_back(&left, &params, resources);
        }
        Ok(())
    }

    /// How many workgroups fit into the device's buffers and the launch's memory limit.
    fn groups_at_once(
        &self,
        params: &Params,
        world_words: u64,
        memory: &WaveMemory,
    ) -> Result<u32, LaunchError> {
        let max = self.interpreter.gpu.max_buffer_bytes() / 4;
        let (thread_words, pages) = match memory {
            WaveMemory::Private(memories) => {
                let words = self.thread_words().max(memories.words(1));
                (words, memories.pages())
            }
            WaveMemory::Shared { .. } => (self.thread_words(), 0),
        };
        let threads = params.group_threads;
        let group_words = thread_words.saturating_mul(u64::from(threads)).max(1);
        let by_threads = max / group_words;
        if by_threads == 0 {
            let what = format!("a workgroup of {threads} threads");
            return Err(too_large(&what, group_words.saturating_mul(4), max * 4));
        }
        let memory_words = u64::from(params.group_words);
        let for_groups = max.saturating_sub(world_words);
        let by_memory = for_groups / memory_words.max(1);
        if by_memory == 0 {
            let bytes = (world_words + memory_words) * 4;
            let what = "the memory of the grid, including one workgroup,";
            return Err(too_large(what, bytes, max * 4));
        }
        let group_pages = pages.saturating_mul(u64::from(threads));
        let total = u64::from(self.launch.max_total_pages);
        let by_total = total.checked_div(group_pages).unwrap_or(u64::MAX).max(1);
        let at_once = by_threads
            .min(by_memory)
            .min(by_total)
            .min(u64::from(self.grid.groups()));
        Ok(at_once as u32)
    }

    /// Runs a wave; returns the memory of the next one.
    async fn wave(
        &mut self,
        params: Params,
        resource_buffer: &wgpu::Buffer,
        memory: WaveMemory,
    ) -> Result<WaveMemory, LaunchError> {
        let interpreter = self.interpreter;
        let gpu = &interpreter.gpu;
        let threads = u64::from(params.count) * self.thread_words();
        let threads = gpu.storage("the threads' state", threads)?;
        let (pipelines, buffer, memories, memory_threads) = match &memory {
            WaveMemory::Private(memories) => {
                let buffer = gpu.storage("memory", memories.words(params.count))?;
                (interpreter.private(), buffer, memories, params.count)
            }
            WaveMemory::Shared {
                buffer, memories, ..
            } => (interpreter.shared_pipelines(), buffer.clone(), memories, 1),
        };
        let buffers = WaveBuffers {
            program: self.words.clone(),
            resource_buffer: resource_buffer.clone(),
            threads,
            memory: buffer,
            memories: memories.clone(),
            memory_threads,
        };
        let mut wave = Wave::new(gpu, pipelines, params, buffers)?;
        wave.begin();
        let mut host_calls = HostCalls {
            files: &self.files,
            printed: &mut self.printed,
            clock: &mut self.clock,
            program: self.program,
        };
        wave.run(&mut host_calls).await?;
        self.clock.end_wave(params.count);
        self.collect(&wave).await?;
        Ok(match memory {
            WaveMemory::Private(memories) => WaveMemory::Private(memories),
            WaveMemory::Shared { sizes, .. } => WaveMemory::Shared {
                buffer: wave.buffers.memory,
                memories: wave.buffers.memories,
                sizes,
            },
        })
    }

    /// Collects how the threads of a wave ended.
    async fn collect(&mut self, wave: &Wave<'_>) -> Result<(), LaunchError> {
        let slots: u32 = self.results.iter().map(|ty| ty.slots()).sum();
        let rows = wave.rows(&[Wave::header(), wave.results(slots)]).await?;
        let bytes_left = &mut self.panic_bytes_left;
        let traps = traps(self.program, wave, &rows, wave.params.count, bytes_left).await?;
        for (thread, trap) in (0..).zip(traps) {
            let group = wave.params.first_group + thread / wave.params.group_threads;
            let ids = self
                .grid
                .thread_ids(group, thread % wave.params.group_threads);
            let at = thread as usize;
            if ids.number >= self.grid.threads {
                continue;
            }
            let run = [H_RUN, H_RUN + 1].map(|row| u64::from(rows[row as usize][at]));
            self.total += run[0] | run[1] << 32;
            self.outcome.threads[ids.number as usize] = match trap {
                Some(trap) => ThreadEnd::Trapped(trap),
                None => {
                    let slots: Vec<_> = rows[HEADER as usize..].iter().map(|row| row[at]).collect();
                    ThreadEnd::Done(Value::from_slots(self.results, &slots))
                }
            };
        }
        Ok(())
    }
}
