//! Launches: a kernel over a grid, in as many waves as the device's memory needs.

use std::sync::OnceLock;

use crate::bytecode::{Bytecode, FunctionType, Trap, TrapCode};
use crate::machine::{
    End, Files, Grid, Launch, LaunchError, MemoryMode, Outcome, Resources, Value, trap_at,
};

use super::layout::{H_RUN, H_STATUS, H_TRAP, H_WANTED, Layout, count};
use super::params::Params;
use super::pipelines::Pipelines;
use super::requests::{Piece, Service, gather};
use super::shader::MemoryKind;
use super::wave::{Gpu, Parts, Wave, memory_words};
use super::world;

/// The status of a thread that has ended well.
const DONE: u32 = 1;
/// Threads of a workgroup: one invocation of the device looks after all of them.
const MOST_GROUP_THREADS: u32 = 1 << 14;
/// Pages that a memory can have.
const MOST_PAGES: u32 = 1 << 16;
/// Rounds of a loop that sets threads up.
const MOST_SET_UP: usize = 60_000;

/// How an interpreter divides its work.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Instructions of a thread in one dispatch, rounds of loops inside of instructions included.
    /// Some drivers end loops silently after 65,535 rounds, so it should stay below.
    pub slice: u32,
    /// Requests that are served at once; with more, threads wait.
    pub ring: u32,
    /// Bytes of the largest buffer, where the device's own limit is to be lowered. Launches that need
    /// more run in waves.
    pub most_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            slice: 1 << 14,
            ring: 256,
            most_bytes: u64::MAX,
        }
    }
}

/// The interpreter on a device.
#[derive(Debug)]
pub struct Interpreter {
    pub(super) gpu: Gpu,
    pub(super) options: Options,
    private: Pipelines,
    shared: OnceLock<Pipelines>,
    program: Bytecode,
}

impl Interpreter {
    /// Builds the pipelines.
    pub async fn new(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, LaunchError> {
        Self::with_options(device, queue, Options::default()).await
    }

    /// The same with other options.
    pub async fn with_options(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: Options,
    ) -> Result<Self, LaunchError> {
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let private = Pipelines::new(&device, MemoryKind::Private);
        if let Some(error) = scope.pop().await {
            let what = format!("it refuses the interpreter: {error}");
            return Err(LaunchError::Device { what });
        }
        Ok(Self {
            gpu: Gpu {
                device,
                queue,
                most_bytes: options.most_bytes,
            },
            options,
            private,
            shared: OnceLock::new(),
            program: Bytecode::default(),
        })
    }

    /// The program that launches run from now on.
    pub fn load(&mut self, program: &Bytecode) {
        self.program.clone_from(program);
    }

    pub(super) fn private(&self) -> &Pipelines {
        &self.private
    }

    /// Runs a kernel of the loaded program over a grid.
    pub async fn run(
        &self,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<Outcome, LaunchError> {
        let grid = Grid::new(launch)?;
        if grid.group_threads() > MOST_GROUP_THREADS {
            let what = format!("workgroups have at most {MOST_GROUP_THREADS} threads here");
            return Err(LaunchError::Device { what });
        }
        let kernel = self.kernel(launch)?;
        let mut run = Run {
            interpreter: self,
            launch,
            grid,
            layout: Layout::new(&self.program, launch.max_pages),
            results: &kernel.types.results,
            files: Files::new(&resources.folders),
            outcome: Outcome::default(),
            total: 0,
        };
        match launch.memory {
            MemoryMode::Private => run.private(kernel.launch, resources).await?,
            MemoryMode::Shared { stack } => run.shared(kernel.function, stack, resources).await?,
        }
        run.outcome.instructions = Some(run.total);
        Ok(run.outcome)
    }

    fn kernel(&self, launch: &Launch) -> Result<Kernel<'_>, LaunchError> {
        let program = &self.program;
        let export = program
            .exports
            .iter()
            .rfind(|export| export.name == launch.kernel);
        let export = export.ok_or_else(|| LaunchError::UnknownKernel {
            name: launch.kernel.clone(),
            kernels: program
                .exports
                .iter()
                .map(|export| export.name.clone())
                .collect(),
        })?;
        let function = program.functions.get(export.function as usize);
        let types = function.and_then(|function| program.types.get(function.type_index as usize));
        let types = types.ok_or_else(|| LaunchError::Bytecode {
            word: 0,
            what: format!("export `{}` names no function", export.name),
        })?;
        if types.params.len() != launch.args.len() {
            return Err(LaunchError::ArgumentCount {
                name: launch.kernel.clone(),
                expected: types.params.len(),
                given: launch.args.len(),
            });
        }
        for (index, (&expected, given)) in types.params.iter().zip(&launch.args).enumerate() {
            if expected != given.ty {
                return Err(LaunchError::ArgumentType {
                    name: launch.kernel.clone(),
                    index,
                    expected,
                    given: given.ty,
                });
            }
        }
        for (memory, limits) in program.memories.iter().enumerate() {
            if limits.initial > launch.max_pages {
                return Err(LaunchError::MemorySize {
                    memory,
                    pages: u64::from(limits.initial),
                    allowed: launch.max_pages,
                });
            }
        }
        Ok(Kernel {
            function: export.function,
            launch: export.launch,
            types,
        })
    }
}

struct Kernel<'a> {
    function: u32,
    launch: u32,
    types: &'a FunctionType,
}

/// A launch on its way.
struct Run<'a> {
    interpreter: &'a Interpreter,
    launch: &'a Launch,
    grid: Grid,
    layout: Layout,
    results: &'a [crate::bytecode::Type],
    files: Files,
    outcome: Outcome,
    total: u64,
}

impl Run<'_> {
    fn program(&self) -> &Bytecode {
        &self.interpreter.program
    }

    /// The entry of a function, whose frame has to fit.
    fn entry(&self, function: u32) -> Result<u32, LaunchError> {
        let function = self.program().functions.get(function as usize);
        let function = function.ok_or_else(|| LaunchError::Bytecode {
            word: 0,
            what: "the kernel is no function".to_owned(),
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

    /// What is the same for every wave.
    fn params(&self) -> Params {
        let [groups_x, groups_y, groups_z] = self.grid.workgroups;
        let [size_x, size_y, size_z] = self.grid.size;
        let fuel = self.launch.fuel.unwrap_or(0);
        let initial = self.program().memories.iter().map(|limits| limits.initial);
        Params {
            slice: self.interpreter.options.slice,
            ring: self.interpreter.options.ring,
            stack_slots: self.launch.stack_slots,
            capacity: initial.max().unwrap_or(0),
            may_grow: 1,
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

    /// The program's buffer, with what threads begin with behind it.
    fn program_buffer(
        &self,
        set_up: &[u32],
        params: &mut Params,
    ) -> Result<wgpu::Buffer, LaunchError> {
        if set_up.len() > MOST_SET_UP {
            return Err(LaunchError::Device {
                what: format!(
                    "threads begin with {} words of tables and globals",
                    set_up.len()
                ),
            });
        }
        let mut words = self.layout.words.clone();
        params.set_up = count(words.len());
        params.set_up_words = count(set_up.len());
        words.extend(set_up);
        params.arguments = count(words.len());
        words.extend(self.launch.args.iter().flat_map(|value| value.slots()));
        params.argument_words = count(words.len()) - params.arguments;
        let gpu = &self.interpreter.gpu;
        let buffer = gpu.storage("the program", words.len() as u64)?;
        gpu.write(&buffer, 0, &words);
        Ok(buffer)
    }

    fn thread_words(&self) -> u64 {
        u64::from(self.layout.thread_words) + u64::from(self.launch.stack_slots)
    }

    /// Every thread is an instance of its own.
    async fn private(
        &mut self,
        function: u32,
        resources: &mut Resources,
    ) -> Result<(), LaunchError> {
        let mut params = self.params();
        params.entry = self.entry(function)?;
        let sizes = self.layout.first_sizes(self.program());
        let program = self.program_buffer(&sizes, &mut params)?;
        let per_thread = self
            .thread_words()
            .max(memory_words(&params, params.capacity, 1));
        self.waves(params, program, per_thread, None, resources)
            .await
    }

    /// One memory is set up by one thread, then all threads run on it.
    async fn shared(
        &mut self,
        function: u32,
        stack: u32,
        resources: &mut Resources,
    ) -> Result<(), LaunchError> {
        let stack_pointer = self
            .program()
            .stack_pointer
            .ok_or(LaunchError::NoStackPointer)?;
        // The stack pointer stays aligned.
        let stack = stack.checked_next_multiple_of(16).unwrap_or(!15);
        if stack == 0 {
            return Err(LaunchError::NoStack);
        }
        let bytes = u64::from(stack) * u64::from(self.grid.threads);
        let stack_pages = bytes.div_ceil(1 << 16);
        let (memory, left) = self.set_up(resources).await?;
        let mut params = self.params();
        params.entry = self.entry(function)?;
        // Stacks lie behind what there is, the first thread's first.
        let used = left.first().copied().unwrap_or(0);
        let pages = u64::from(used) + stack_pages;
        let allowed = self.launch.max_pages.min(MOST_PAGES - 1);
        if pages > u64::from(allowed) {
            return Err(LaunchError::Stacks {
                threads: self.grid.threads,
                stack,
                used,
                pages,
                allowed,
            });
        }
        // A memory's own limit does not count the stacks.
        let limit = self.layout.words.get_mut(params.memory_limits as usize);
        if let Some(limit) = limit {
            *limit = limit
                .saturating_add(stack_pages as u32)
                .min(self.launch.max_pages);
        }
        params.stacks = used << 16;
        params.stack_bytes = stack;
        params.stack_pointer = stack_pointer;
        let pages = pages as u32;
        let others = left.get(1..params.memories as usize).unwrap_or(&[]);
        params.capacity = others.iter().copied().fold(pages, u32::max);
        let program = self.program_buffer(&left, &mut params)?;
        let gpu = &self.interpreter.gpu;
        let whole = gpu.storage("memory", memory_words(&params, params.capacity, 1))?;
        let mut encoder = gpu.encoder();
        encoder.copy_buffer_to_buffer(&memory, 0, &whole, 0, memory.size().min(whole.size()));
        gpu.queue.submit([encoder.finish()]);
        let mut sizes = vec![pages];
        sizes.extend(others);
        let per_thread = self.thread_words();
        self.waves(params, program, per_thread, Some((whole, sizes)), resources)
            .await
    }

    /// Runs the program's `inits` once; the memory and what the thread has then.
    async fn set_up(
        &mut self,
        resources: &Resources,
    ) -> Result<(wgpu::Buffer, Vec<u32>), LaunchError> {
        let gpu = &self.interpreter.gpu;
        let mut params = Params {
            count: 1,
            threads: 1,
            group_threads: 1,
            groups_x: 1,
            groups_y: 1,
            groups_z: 1,
            size_x: 1,
            size_y: 1,
            size_z: 1,
            ..self.params()
        };
        let nothing = Resources {
            clock: resources.clock,
            ..Resources::default()
        };
        let words = world::words(&nothing, &self.layout, &mut params)?;
        let world = gpu.storage(
            "what threads act on",
            words.len() as u64 + u64::from(params.group_words),
        )?;
        gpu.write(&world, 0, &words);
        let sizes = self.layout.first_sizes(self.program());
        let program = self.program_buffer(&sizes, &mut params)?;
        params.argument_words = 0;
        let parts = Parts {
            program,
            world,
            thread_words: self.thread_words(),
            memory_threads: 1,
        };
        let mut wave = Wave::new(gpu, &self.interpreter.private, params, parts, None)?;
        for &init in &self.interpreter.program.inits {
            wave.params.entry = self.entry(init)?;
            wave.tell();
            wave.begin();
            wave.params.set_up_words = 0;
            let mut service = Service {
                files: &self.files,
                printed: &mut self.outcome.printed,
            };
            wave.run(&mut service).await?;
            let ended = wave.rows(&Wave::header_rows().collect::<Vec<_>>()).await?;
            if let Some(trap) = trap_of(&self.interpreter.program, &wave, &ended, 0).await? {
                return Err(LaunchError::Init(trap));
            }
        }
        let behind = wave.params.stack - wave.params.sizes;
        let first = u64::from(wave.params.sizes);
        let part = (&wave.threads, first, u64::from(behind));
        let left = gpu.read(gpu.encoder(), &[part]).await?;
        Ok((wave.memory, left))
    }

    /// Runs all workgroups, as many at once as fit.
    async fn waves(
        &mut self,
        mut params: Params,
        program: wgpu::Buffer,
        words_per_thread: u64,
        shared: Option<(wgpu::Buffer, Vec<u32>)>,
        resources: &mut Resources,
    ) -> Result<(), LaunchError> {
        let gpu = self.interpreter.gpu.clone();
        let mut words = world::words(resources, &self.layout, &mut params)?;
        if let Some((_, sizes)) = &shared {
            words[..sizes.len()].copy_from_slice(sizes);
        }
        let most = gpu.most_bytes() / 4;
        let group_words = (words_per_thread * u64::from(params.group_threads)).max(1);
        let for_groups = most.saturating_sub(words.len() as u64);
        let by_memory = for_groups / u64::from(params.group_words.max(1));
        let at_once = (most / group_words)
            .min(by_memory)
            .min(u64::from(self.grid.groups()));
        if at_once == 0 && self.grid.groups() > 0 {
            return Err(LaunchError::Device {
                what: format!(
                    "a workgroup of {} threads needs {} bytes, the device's buffers have at most {}",
                    params.group_threads,
                    group_words * 4,
                    most * 4
                ),
            });
        }
        let at_once = at_once as u32;
        let world = words.len() as u64 + u64::from(at_once) * u64::from(params.group_words);
        let world = gpu.storage("what threads act on", world)?;
        gpu.write(&world, 0, &words);
        let nobody = End::Done(Vec::new());
        self.outcome.threads = vec![nobody; self.grid.threads as usize];
        let mut first = 0;
        while first < self.grid.groups() {
            let groups = at_once.min(self.grid.groups() - first);
            params.first_group = first;
            params.count = groups * params.group_threads;
            let parts = Parts {
                program: program.clone(),
                world: world.clone(),
                thread_words: self.thread_words(),
                memory_threads: if shared.is_some() { 1 } else { params.count },
            };
            let memory = shared.as_ref().map(|(memory, _)| memory.clone());
            self.wave(params, parts, memory).await?;
            first += groups;
            // The next wave's workgroup memory is zero again.
            let at = u64::from(params.group_memory) * 4;
            if first < self.grid.groups() && world.size() > at {
                let mut encoder = gpu.encoder();
                encoder.clear_buffer(&world, at, None);
                gpu.queue.submit([encoder.finish()]);
            }
        }
        let part = (&world, 0, words.len() as u64);
        let left = gpu.read(gpu.encoder(), &[part]).await?;
        world::give_back(&left, &params, resources);
        Ok(())
    }

    async fn wave(
        &mut self,
        params: Params,
        parts: Parts,
        memory: Option<wgpu::Buffer>,
    ) -> Result<(), LaunchError> {
        let interpreter = self.interpreter;
        let pipelines = match memory {
            None => &interpreter.private,
            Some(_) => interpreter.shared_pipelines(),
        };
        let mut wave = Wave::new(&interpreter.gpu, pipelines, params, parts, memory)?;
        wave.begin();
        let mut service = Service {
            files: &self.files,
            printed: &mut self.outcome.printed,
        };
        wave.run(&mut service).await?;
        self.collect(&wave).await
    }

    /// How the threads of a wave ended.
    async fn collect(&mut self, wave: &Wave<'_>) -> Result<(), LaunchError> {
        let slots: u32 = self.results.iter().map(|ty| ty.slots()).sum();
        let headers = Wave::header_rows().count();
        let rows: Vec<_> = Wave::header_rows().chain(wave.result_rows(slots)).collect();
        let rows = wave.rows(&rows).await?;
        for thread in 0..wave.params.count {
            let group = wave.params.first_group + thread / wave.params.group_threads;
            let place = self.grid.place(group, thread % wave.params.group_threads);
            let at = thread as usize;
            if place.number >= self.grid.threads {
                continue;
            }
            let run = [H_RUN, H_RUN + 1].map(|row| u64::from(rows[row as usize][at]));
            self.total += run[0] | run[1] << 32;
            let trap = trap_of(&self.interpreter.program, wave, &rows, at).await?;
            self.outcome.threads[place.number as usize] = match trap {
                Some(trap) => End::Trapped(trap),
                None => {
                    let slots: Vec<_> = rows[headers..].iter().map(|row| row[at]).collect();
                    End::Done(Value::from_slots(self.results, &slots))
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

/// The trap of a thread, if it has one, by the rows of the headers.
pub(super) async fn trap_of(
    program: &Bytecode,
    wave: &Wave<'_>,
    rows: &[Vec<u32>],
    thread: usize,
) -> Result<Option<Trap>, LaunchError> {
    let header = |word: u32| rows[word as usize][thread];
    if header(H_STATUS) == DONE {
        return Ok(None);
    }
    let code = TrapCode::from_number(header(H_TRAP)).unwrap_or(TrapCode::Unreachable);
    let mut message = None;
    if code == TrapCode::Panic {
        let piece = Piece {
            thread: count(thread),
            at: header(H_WANTED),
            bytes: header(H_WANTED + 1),
        };
        let text = gather(wave, &[piece]).await?.concat();
        message = Some(String::from_utf8_lossy(&text).into_owned());
    }
    Ok(Some(trap_at(program, header(H_TRAP + 1), code, message)))
}
