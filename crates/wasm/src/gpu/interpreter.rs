//! Launches on a device: a kernel over a grid, in as many waves as the device's memory requires.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::bytecode::{Bytecode, Trap, TrapCode};
use crate::runtime::{
    DEFAULT_WATCHDOG, Files, Grid, Launch, LaunchError, LaunchOutcome, MAX_PAGES, MAX_PANIC_BYTES,
    MAX_TEXT_BYTES, MemoryMode, PrintLog, Resources, ThreadEnd, WasmValue, check, function_type,
    trap_at, truncated_text,
};

use super::layout::{H_RUN, H_STATUS, H_TRAP, H_WANTED, HEADER, Layout};
use super::memories::Memories;
use super::params::Params;
use super::pipelines::Pipelines;
use super::requests::{HostCalls, gather, text_piece};
use super::resources::{self, InitialState};
use super::shader::MemoryKind;
use super::single::SingleThread;
use super::watchdog::Clock;
use super::wave::{Gpu, Parts, Wave, too_large};

/// The status of a thread that has returned.
const DONE: u32 = 1;
/// The status of a thread that has trapped.
const TRAPPED: u32 = 2;
/// Maximum threads of a workgroup: one invocation of the `schedule` pass handles all of them.
const MAX_GROUP_THREADS: u32 = 1 << 14;

/// Options of the GPU interpreter.
#[derive(Clone, Copy, Debug)]
pub struct InterpreterOptions {
    /// Instructions of a thread in one dispatch, iterations of loops inside instructions included.
    /// Some drivers silently end loops after 65,535 iterations, so it should stay below that.
    pub slice: u32,
    /// Capacity of the host call ring: with more pending host calls, threads retry later.
    pub ring: u32,
    /// Limit on the size of a buffer in bytes, to lower the device's own limit. Launches that need
    /// more run in waves.
    pub max_buffer_bytes: u64,
    /// The watchdog: a launch is aborted if no thread has ended for this long; 10 seconds by
    /// default, `None` disables it. Wall-clock time; with more than 1,024 threads proportionally
    /// longer: they run concurrently, so each of them ends later.
    pub watchdog: Option<Duration>,
    /// The maximum time of a launch; unlimited by default.
    pub limit: Option<Duration>,
}

impl Default for InterpreterOptions {
    fn default() -> Self {
        Self {
            slice: 1 << 14,
            ring: 256,
            max_buffer_bytes: u64::MAX,
            watchdog: Some(DEFAULT_WATCHDOG),
            limit: None,
        }
    }
}

/// The bytecode interpreter on a wgpu device.
#[derive(Debug)]
pub struct Interpreter {
    pub(super) gpu: Gpu,
    pub(super) options: InterpreterOptions,
    private: Pipelines,
    shared: OnceLock<Pipelines>,
    loaded: Loaded,
}

/// A program on the device.
#[derive(Debug)]
struct Loaded {
    program: Bytecode,
    layout: Layout,
    /// The program buffer, or an error if the device has not enough memory.
    buffer: Result<wgpu::Buffer, LaunchError>,
}

impl Interpreter {
    /// Creates an interpreter with default options. Compiles the pipelines.
    pub async fn new(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, LaunchError> {
        Self::with_options(device, queue, InterpreterOptions::default()).await
    }

    /// Creates an interpreter. Compiles the pipelines.
    pub async fn with_options(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: InterpreterOptions,
    ) -> Result<Self, LaunchError> {
        for (name, value) in [("slice", options.slice), ("ring", options.ring)] {
            if value == 0 {
                let what = format!("the interpreter's option `{name}` is 0: nothing would run");
                return Err(LaunchError::Device { what });
            }
        }
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let private = Pipelines::new(&device, MemoryKind::Private);
        if let Some(error) = scope.pop().await {
            let what = format!("the interpreter is rejected: {error}");
            return Err(LaunchError::Device { what });
        }
        let gpu = Gpu {
            device,
            queue,
            max_buffer_bytes: options.max_buffer_bytes,
            staging: Arc::default(),
        };
        let loaded = Loaded {
            program: Bytecode::default(),
            layout: Layout::default(),
            buffer: gpu.storage("the program", 0),
        };
        Ok(Self {
            gpu,
            options,
            private,
            shared: OnceLock::new(),
            loaded,
        })
    }

    /// Loads the program that launches run from now on. Its words are uploaded at once; if the
    /// device has not enough memory for them, launches return the error.
    pub fn load(&mut self, program: &Bytecode) {
        let loaded = &mut self.loaded;
        loaded.program.clone_from(program);
        loaded.layout = match Layout::new(program) {
            Ok(layout) => layout,
            Err(error) => {
                loaded.buffer = Err(error);
                return;
            }
        };
        let words = &loaded.layout.words;
        let has_room = |buffer: &wgpu::Buffer| buffer.size() / 4 >= words.len() as u64;
        if !loaded.buffer.as_ref().is_ok_and(has_room) {
            loaded.buffer = self.gpu.storage("the program", words.len() as u64);
        }
        if let Ok(buffer) = &loaded.buffer {
            self.gpu.write(buffer, 0, words);
        }
    }

    pub(super) fn private(&self) -> &Pipelines {
        &self.private
    }

    /// Runs a kernel of the loaded program over a grid.
    pub async fn run(
        &self,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<LaunchOutcome, LaunchError> {
        let files = Files::open(&resources.folders)?;
        let grid = Grid::new(launch)?;
        if grid.group_threads() > MAX_GROUP_THREADS {
            let what = format!("workgroups have at most {MAX_GROUP_THREADS} threads on GPUs");
            return Err(LaunchError::Device { what });
        }
        let loaded = &self.loaded;
        let kernel = check(&loaded.program, launch, &grid, resources)?;
        let mut run = Run {
            interpreter: self,
            launch,
            grid,
            program: &loaded.program,
            layout: &loaded.layout,
            words: loaded.buffer.as_ref().map_err(LaunchError::clone)?,
            results: &function_type(&loaded.program, kernel.function)?.results,
            files,
            printed: PrintLog::default(),
            clock: Clock::new(self.options.watchdog, self.options.limit, grid.threads),
            panic_bytes_left: MAX_PANIC_BYTES,
            outcome: LaunchOutcome::default(),
            total: 0,
        };
        match launch.memory {
            MemoryMode::Private => run.private(kernel.launch, resources).await?,
            MemoryMode::Shared { stack } => run.shared(kernel.function, stack, resources).await?,
        }
        run.outcome.printed = run.printed.take();
        run.outcome.instructions = Some(run.total);
        Ok(run.outcome)
    }
}

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
struct Run<'a> {
    interpreter: &'a Interpreter,
    launch: &'a Launch,
    grid: Grid,
    program: &'a Bytecode,
    layout: &'a Layout,
    words: &'a wgpu::Buffer,
    results: &'a [crate::bytecode::Type],
    files: Files,
    printed: PrintLog,
    clock: Clock,
    /// Bytes that panic messages may still take.
    panic_bytes_left: usize,
    outcome: LaunchOutcome,
    total: u64,
}

impl Run<'_> {
    /// The entry address of a function. Its frame must fit into the stack.
    fn entry(&self, function: u32) -> Result<u32, LaunchError> {
        let function = self.program.functions.get(function as usize);
        let function = function.ok_or_else(|| LaunchError::Bytecode {
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
    async fn private(
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
    async fn shared(
        &mut self,
        function: u32,
        stack: u32,
        resources: &mut Resources,
    ) -> Result<(), LaunchError> {
        let stack_pointer = self.program.stack_pointer;
        let stack_pointer = stack_pointer.ok_or(LaunchError::NoStackPointer)?;
        // The stack pointer stays aligned.
        let stack = stack.checked_next_multiple_of(16).unwrap_or(!15);
        if stack == 0 {
            return Err(LaunchError::NoStack);
        }
        let bytes = u64::from(stack) * u64::from(self.grid.threads);
        let stack_pages = bytes.div_ceil(1 << 16);
        let (parts, left) = self.initialize(resources).await?;
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
        let memories = self.first_memories();
        let memories = memories.with_pages(&sizes, stack_pages as u32, self.launch.max_pages);
        let gpu = &self.interpreter.gpu;
        let whole = gpu.storage("memory", memories.words(1))?;
        let mut encoder = gpu.encoder();
        parts
            .memories
            .copy(&parts.memory, &memories, &whole, 1, &mut encoder);
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
    ) -> Result<(Parts, Vec<u32>), LaunchError> {
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
        let mut wave = single.wave(gpu, &interpreter.private, self.layout, words)?;
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
        let part = (&wave.parts.threads, first, length);
        let left = gpu.read(gpu.encoder(), &[part]).await?;
        if resources::can_change(resources, self.layout) {
            let words = u64::from(wave.params.group_memory);
            let part = (&wave.parts.resource_buffer, 0, words);
            let words = gpu.read(gpu.encoder(), &[part]).await?;
            resources::give_back(&words, &wave.params, resources);
        }
        Ok((wave.parts, left))
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
        let nobody = ThreadEnd::Done(Vec::new());
        self.outcome.threads = vec![nobody; self.grid.threads as usize];
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
            resources::give_back(&left, &params, resources);
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
        let at_once = by_threads.min(by_memory).min(by_total);
        let at_once = at_once.min(u64::from(self.grid.groups()));
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
                (&interpreter.private, buffer, memories, params.count)
            }
            WaveMemory::Shared {
                buffer, memories, ..
            } => (interpreter.shared_pipelines(), buffer.clone(), memories, 1),
        };
        let parts = Parts {
            program: self.words.clone(),
            resource_buffer: resource_buffer.clone(),
            threads,
            memory: buffer,
            memories: memories.clone(),
            memory_threads,
        };
        let mut wave = Wave::new(gpu, pipelines, params, parts)?;
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
                buffer: wave.parts.memory,
                memories: wave.parts.memories,
                sizes,
            },
        })
    }

    /// Collects how the threads of a wave ended.
    async fn collect(&mut self, wave: &Wave<'_>) -> Result<(), LaunchError> {
        let slots: u32 = self.results.iter().map(|ty| ty.slots()).sum();
        let rows = wave.rows(&[Wave::header(), wave.results(slots)]).await?;
        let room = &mut self.panic_bytes_left;
        let traps = traps(self.program, wave, &rows, wave.params.count, room).await?;
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
                    ThreadEnd::Done(WasmValue::from_slots(self.results, &slots))
                }
            };
        }
        Ok(())
    }
}

impl Interpreter {
    fn shared_pipelines(&self) -> &Pipelines {
        self.shared
            .get_or_init(|| Pipelines::new(&self.gpu.device, MemoryKind::Shared))
    }
}

/// Whether a thread has ended, from the rows of the headers.
pub(super) fn has_ended(rows: &[Vec<u32>], thread: usize) -> bool {
    matches!(rows[H_STATUS as usize][thread], DONE | TRAPPED)
}

/// The trap of the first thread, if it has one, from the rows of the headers.
pub(super) async fn trap_of(
    program: &Bytecode,
    wave: &Wave<'_>,
    rows: &[Vec<u32>],
) -> Result<Option<Trap>, LaunchError> {
    let mut room = MAX_PANIC_BYTES;
    Ok(traps(program, wave, rows, 1, &mut room)
        .await?
        .pop()
        .flatten())
}

/// The traps of the first threads. Panic messages are read in one batch, up to the limit.
async fn traps(
    program: &Bytecode,
    wave: &Wave<'_>,
    rows: &[Vec<u32>],
    threads: u32,
    room: &mut usize,
) -> Result<Vec<Option<Trap>>, LaunchError> {
    let header = |word: u32, thread: u32| rows[word as usize][thread as usize];
    let code = |thread: u32| {
        let number = header(H_TRAP, thread);
        let code = TrapCode::from_number(number).unwrap_or(TrapCode::Unreachable);
        (header(H_STATUS, thread) != DONE).then_some(code)
    };
    let panicked = (0..threads).filter(|&thread| code(thread) == Some(TrapCode::Panic));
    let length = |thread: u32| header(H_WANTED + 1, thread);
    let has_room = |thread: &u32| {
        let bytes = length(*thread).min(MAX_TEXT_BYTES) as usize;
        let left = room.checked_sub(bytes);
        *room = left.unwrap_or(0);
        left.is_some()
    };
    let panicked: Vec<_> = panicked.take_while(has_room).collect();
    let piece = |&thread: &u32| text_piece(thread, header(H_WANTED, thread), length(thread));
    let pieces: Vec<_> = panicked.iter().map(piece).collect();
    let texts = gather(wave, &pieces).await?;
    let texts = texts.iter().zip(&panicked);
    let mut texts = texts.map(|(text, &thread)| truncated_text(text, length(thread)));
    let trap = |thread: u32| {
        let code = code(thread)?;
        let message = (code == TrapCode::Panic).then(|| texts.next()).flatten();
        Some(trap_at(program, header(H_TRAP + 1, thread), code, message))
    };
    Ok((0..threads).map(trap).collect())
}
