//! An instance on a device: one thread with persistent state.
//!
//! Initialization is explicit: call the module's `inits` function. Host functions see a grid of one
//! thread, and no resources.

use crate::bytecode::{Bytecode, TrapCode};
use crate::runtime::{
    Files, Footprint, Grid, InstanceLimits, InvokeError, LaunchError, MAX_PAGES, MemoryMode,
    PrintLog, Resources, Value, check_sizes, check_store, trap_at,
};

use super::interpreter::Interpreter;
use super::layout::{Layout, count};
use super::memories::Memories;
use super::params::Params;
use super::protocol::{H_FP, H_PC, HEADER};
use super::requests::HostCalls;
use super::single::SingleThread;
use super::traps::{has_ended, trap_of};
use super::watchdog::LaunchClock;
use super::wave::{Wave, WaveBuffers};
use crate::runtime::Gpu;

/// Slots of an instance's stack.
const STACK: u32 = 1 << 16;
/// Minimum size of the memory buffer, in bytes, once a second module has been added.
const MIN_MEMORY: u64 = 16 << 16;

/// An instance of a program: its memories, tables and globals persist between calls.
#[derive(Debug)]
pub struct Instance<'a> {
    interpreter: &'a Interpreter,
    program: Bytecode,
    layout: Layout,
    wave: Wave<'a>,
    /// The thread buffer before the last extension, for reuse.
    spare: Option<wgpu::Buffer>,
    files: Files,
    limits: InstanceLimits,
}

impl<'a> Instance<'a> {
    /// Creates an instance with zeroed memories and globals and null tables.
    pub fn new(interpreter: &'a Interpreter, program: &Bytecode) -> Result<Self, LaunchError> {
        Self::with_limits(interpreter, program, InstanceLimits::default())
    }

    /// As [`Self::new`], with other limits.
    pub fn with_limits(
        interpreter: &'a Interpreter,
        program: &Bytecode,
        limits: InstanceLimits,
    ) -> Result<Self, LaunchError> {
        check_program(program, &limits)?;
        let gpu = &interpreter.gpu;
        let layout = Layout::new(program)?;
        let words = upload_with_spare_capacity(gpu, "the program", &layout.words, None)?;
        let memories = Memories::new(program, limits.max_pages, limits.max_total_pages);
        let nothing = Resources::default();
        let single = single_thread(interpreter, &layout, memories, &nothing);
        let wave = single.wave(gpu, interpreter.private(), &layout, words)?;
        let sizes = layout.first_sizes(program);
        gpu.write(&wave.buffers.threads, u64::from(HEADER), &sizes);
        Ok(Self {
            interpreter,
            program: program.clone(),
            layout,
            wave,
            spare: None,
            files: Files::default(),
            limits,
        })
    }

    /// Replaces the program by one that extends it (see [`Translator`](crate::Translator)). The existing
    /// state is kept.
    pub fn extend(&mut self, program: &Bytecode) -> Result<(), LaunchError> {
        check_program(program, &self.limits)?;
        let gpu = &self.interpreter.gpu;
        let layout = Layout::new(program)?;
        let InstanceLimits {
            max_pages,
            max_total_pages,
            ..
        } = self.limits;
        let memories = Memories::new(program, max_pages, max_total_pages)
            .with_capacity_of(&self.wave.buffers.memories);
        let bytes = memories.words(1) * 4;
        let memory = if bytes > self.wave.buffers.memory.size() {
            // With spare capacity for the modules that follow.
            self.wave.moved(&memories, (2 * bytes).max(MIN_MEMORY))?
        } else {
            self.wave.buffers.memory.clone()
        };
        let nothing = Resources::default();
        let single = single_thread(self.interpreter, &layout, memories.clone(), &nothing);
        let (params, resource_buffer) = single.words(gpu, &layout)?;
        let threads = self.moved(&layout)?;
        let buffers = &self.wave.buffers;
        let buffers = WaveBuffers {
            program: upload_with_spare_capacity(
                gpu,
                "the program",
                &layout.words,
                Some(&buffers.program),
            )?,
            resource_buffer: upload_with_spare_capacity(
                gpu,
                "the memory of the grid",
                &resource_buffer,
                Some(&buffers.resource_buffer),
            )?,
            threads,
            memory,
            memories,
            memory_threads: 1,
        };
        self.write_sizes(program, &layout, &buffers.threads);
        self.spare = Some(self.wave.buffers.threads.clone());
        self.wave.exchange(params, buffers);
        self.layout = layout;
        self.program.clone_from(program);
        Ok(())
    }

    /// Copies the thread's state to the offsets of another layout, in another buffer. Stacks are
    /// empty between calls.
    fn moved(&mut self, layout: &Layout) -> Result<wgpu::Buffer, LaunchError> {
        let gpu = &self.interpreter.gpu;
        let words = u64::from(layout.thread_words) + u64::from(STACK);
        let spare = self.spare.take().filter(|spare| spare.size() / 4 >= words);
        let target = match spare {
            Some(spare) => spare,
            None => gpu.storage("the threads' state", words + u64::from(STACK) / 4)?,
        };
        let [old, new] = [&self.layout.params, &layout.params];
        let mut encoder = gpu.encoder();
        encoder.clear_buffer(&target, 0, Some(u64::from(new.stack) * 4));
        let mut copy = |from: u32, to: u32, length: u32| {
            if length > 0 {
                let [from, to, bytes] = [from, to, length].map(|words| u64::from(words) * 4);
                let source = &self.wave.buffers.threads;
                encoder.copy_buffer_to_buffer(source, from, &target, to, bytes);
            }
        };
        let tables = count(self.program.tables.len());
        copy(old.sizes, new.sizes, old.memories);
        copy(old.sizes + old.memories, new.sizes + new.memories, tables);
        copy(old.globals, new.globals, self.program.globals);
        let mut from = old.tables;
        let mut to = new.tables;
        for (&had, &has) in self
            .layout
            .table_capacity
            .iter()
            .zip(&layout.table_capacity)
        {
            copy(from, to, had.min(has));
            from += had;
            to += has;
        }
        // The dropped flags of data segments, then those of element segments.
        let data = old.data_segments / 32;
        copy(old.dropped, new.dropped, data);
        let elements = old.globals - old.dropped - data;
        copy(
            old.dropped + data,
            new.dropped + new.data_segments / 32,
            elements,
        );
        gpu.queue.submit([encoder.finish()]);
        Ok(target)
    }

    /// Writes the initial sizes of the memories and tables that the program adds.
    fn write_sizes(&self, program: &Bytecode, layout: &Layout, threads: &wgpu::Buffer) {
        let gpu = &self.interpreter.gpu;
        let sizes = layout.first_sizes(program);
        let (memories, tables) = sizes.split_at(layout.params.memories as usize);
        let memories = &memories[self.program.memories.len().min(memories.len())..];
        let tables = &tables[self.program.tables.len()..];
        let sizes_end = u64::from(layout.params.dropped);
        let first_table = sizes_end - tables.len() as u64;
        let middle = u64::from(layout.params.sizes) + u64::from(layout.params.memories);
        let first_memory = middle - memories.len() as u64;
        for (first, sizes) in [(first_memory, memories), (first_table, tables)] {
            if !sizes.is_empty() {
                gpu.write(threads, first, sizes);
            }
        }
    }

    /// Calls a function by index. Missing arguments are 0.
    pub async fn invoke(
        &mut self,
        function: u32,
        args: &[Value],
    ) -> Result<Vec<Value>, InvokeError> {
        let called = self.program.functions.get(function as usize).copied();
        let types = called.and_then(|called| self.program.types.get(called.type_index as usize));
        let (Some(called), Some(types)) = (called, types) else {
            let trap = trap_at(&self.program, 0, TrapCode::UndefinedElement, None);
            return Err(InvokeError::Trap(trap));
        };
        let gpu = &self.interpreter.gpu;
        let mut header = [0; HEADER as usize];
        header[H_PC as usize] = called.entry;
        header[H_FP as usize] = 2;
        let threads = &self.wave.buffers.threads;
        gpu.write(threads, 0, &header);
        let slots: u32 = types.params.iter().map(|ty| ty.slots()).sum();
        let mut stack = vec![0, 2];
        stack.extend(args.iter().flat_map(|value| value.slots()));
        stack.resize(slots as usize + 2, 0);
        gpu.write(threads, u64::from(self.wave.params.stack), &stack);
        let slots: u32 = types.results.iter().map(|ty| ty.slots()).sum();
        let rows = [Wave::header(), self.wave.results(slots)];
        // Most calls end in the first slice.
        let mut ended = self.wave.slice(&rows).await?;
        if !has_ended(&ended, 0) {
            let mut printed = PrintLog::default();
            let mut host_calls = HostCalls {
                files: &self.files,
                printed: &mut printed,
                clock: &mut LaunchClock::new(self.limits.watchdog, None, 1),
                program: &self.program,
            };
            self.wave.run(&mut host_calls).await?;
            ended = self.wave.rows(&rows).await?;
        }
        if let Some(trap) = trap_of(&self.program, &self.wave, &ended).await? {
            return Err(InvokeError::Trap(trap));
        }
        let slots: Vec<_> = ended[HEADER as usize..].iter().map(|row| row[0]).collect();
        Ok(Value::from_slots(&types.results, &slots))
    }

    /// Reads a slot of the globals.
    pub async fn global(&self, slot: u32) -> Result<Option<u32>, LaunchError> {
        if slot >= self.program.globals {
            return Ok(None);
        }
        let at = u64::from(self.wave.params.globals) + u64::from(slot);
        let gpu = &self.interpreter.gpu;
        let part = (&self.wave.buffers.threads, at, 1);
        let words = gpu.read(gpu.encoder(), &[part]).await?;
        Ok(words.first().copied())
    }
}

fn check_program(program: &Bytecode, limits: &InstanceLimits) -> Result<(), LaunchError> {
    const GRID: Grid = Grid {
        workgroups: [1; 3],
        size: [1; 3],
        threads: 1,
    };
    check_sizes(&program.memories, limits.max_pages.min(MAX_PAGES))?;
    check_store(program)?;
    Footprint::new(program, MemoryMode::Private).check(&GRID, limits.max_total_pages)
}

/// A single thread without resources.
fn single_thread<'a>(
    interpreter: &Interpreter,
    layout: &Layout,
    memories: Memories,
    nothing: &'a Resources,
) -> SingleThread<'a> {
    SingleThread {
        params: Params {
            slice: interpreter.options.slice,
            ring: 1,
            stack_slots: STACK,
            groups_x: 1,
            groups_y: 1,
            groups_z: 1,
            size_x: 1,
            size_y: 1,
            size_z: 1,
            ..layout.params
        },
        resources: nothing,
        init_words: &[],
        memories,
    }
}

/// Writes words to the existing buffer, or to a new one with spare capacity if they do not fit.
fn upload_with_spare_capacity(
    gpu: &Gpu,
    label: &'static str,
    words: &[u32],
    kept: Option<&wgpu::Buffer>,
) -> Result<wgpu::Buffer, LaunchError> {
    let length = words.len() as u64;
    let kept = kept.filter(|kept| kept.size() / 4 >= length);
    let buffer = match kept {
        Some(kept) => kept.clone(),
        None => gpu.storage(
            label,
            (length * 2).min(gpu.max_buffer_bytes() / 4).max(length),
        )?,
    };
    gpu.write(&buffer, 0, words);
    Ok(buffer)
}
