//! Kernels as machine code: the pipeline that compiles them, and the loop that runs them, subgroup by subgroup.
//!
//! In: a program and the resources of its kernel. Out: a [`CodeKernel`], or the reason why the kernel cannot be
//! compiled; a [`CodeRunner`] runs its workgroups. The stages are lowering to vector IR, passes, verification, bounds
//! proof, and code generation. What always holds: code can access only memory that is bound, workgroup memory is zero
//! at the start of a workgroup, and a workgroup that does not end is ended through the cancel flag of its limits.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use anywarp_codegen::{Code, CompileError, Compiler, Target, store_fence};
use anywarp_interpret::{
    Arguments, CancelFlag, CancelReason, ExecutionError, Limits, Resource, SourceLocation,
    TimeLimit,
};
use anywarp_lanes::bounds::{self, BoundsError, Extents};
use anywarp_lanes::ir::{CallOutcome, Context, Function, Op, PollSite};
use anywarp_lanes::verify::verify;
use anywarp_lanes::{CallPolicy, Callee, LowerError, LoweredKernel, lower_within, pass};
use anywarp_program::Program;
use anywarp_program::naga::Span;
use anywarp_program::work::{Meter, OverBudget, WorkLimits};

use crate::buffer_table::{BindingClass, BindingIndex, BufferSlots, BufferTable, locate};
use crate::host_calls::{HostCallHandler, PreparedHostCalls, handle_host_call};
use crate::kernel::{MAX_FRAME_BYTES, check_cancelled, internal_error};

/// The largest stack of a kernel, called functions included: a thread may not have more.
const MAX_STACK: usize = 512 * 1024;

/// Words of a cache line.
const LINE_WORDS: u32 = 16;

/// The time that each stage of compilation took.
#[derive(Clone, Copy, Debug)]
pub struct CompileTimes {
    /// Lowering from the program to vector IR.
    pub lower: Duration,
    /// Optimisation passes on the vector IR.
    pub passes: Duration,
    /// The bounds verifier: the proof that memory accesses of the vector IR are in bounds.
    pub bounds: Duration,
    /// Instruction selection.
    pub select: Duration,
    /// Register allocation.
    pub allocate: Duration,
    /// Encoding and mapping as executable memory.
    pub emit: Duration,
    /// Translation validation of the machine code.
    pub scan: Duration,
}

impl CompileTimes {
    /// The sum of all stages.
    pub fn total(&self) -> Duration {
        let before = self.lower + self.passes + self.bounds;
        before + self.select + self.allocate + self.emit + self.scan
    }
}

/// A compute entry point in machine code.
#[derive(Debug)]
pub(crate) struct CodeKernel {
    code: Code,
    /// The code of called functions.
    called: Vec<Code>,
    table: FunctionTable,
    host_calls: PreparedHostCalls,
    lower: Duration,
    passes: Duration,
    verify_bounds: Duration,
    /// Steps of work of compilation.
    steps: u64,
    name: String,
    buffers: BufferSlots,
    workgroup_words: usize,
    immediate_words: usize,
    /// Words of constant tables.
    constants: Vec<u32>,
    subgroups: usize,
    /// Bytes of the frame of a subgroup, or of all subgroups that one call runs; a multiple of 64.
    frame_bytes: usize,
    /// The number of frames that are alive at once.
    frames: usize,
    uses_subgroups: bool,
    program: Program,
    /// Source spans of loops, by loop number.
    loops: Vec<Span>,
    /// Source spans of barriers; the first barrier has the number 1.
    barriers: Vec<Span>,
    has_barriers: bool,
    /// Whether it has non-temporal stores, after which a store fence is needed.
    has_non_temporal_stores: bool,
}

/// The addresses of the functions that code calls, by number.
#[derive(Debug)]
struct FunctionTable(Vec<*const c_void>);

// SAFETY: the addresses are of code that is never written, and that lives as long as the kernel that it belongs to.
unsafe impl Send for FunctionTable {}
// SAFETY: as above.
unsafe impl Sync for FunctionTable {}

/// The callees that are vector IR.
fn functions(callees: &mut [Callee]) -> Vec<&mut Function> {
    let functions = callees.iter_mut().filter_map(|it| match it {
        Callee::Function(function) => Some(function),
        _ => None,
    });
    functions.collect()
}

/// The callees by number; `None` is a host function.
fn by_number(callees: &mut [Callee]) -> Vec<Option<&mut Function>> {
    let functions = callees.iter_mut().map(|it| match it {
        Callee::Function(function) => Some(function),
        _ => None,
    });
    functions.collect()
}

/// Whether a function has non-temporal stores.
fn has_non_temporal_stores(function: &Function) -> bool {
    let mut insts = function.blocks.iter().flat_map(|it| &it.insts);
    insts.any(|it| matches!(it.op, Op::StoreRowNonTemporal(_)))
}

/// The addresses of callees by number. `called` is the compiled vector IR among them, in the same order.
fn table(callees: &[Callee], called: &[Code]) -> Result<FunctionTable, String> {
    let mut called = called.iter().map(Code::address);
    let addresses = callees.iter().map(|callee| match callee {
        Callee::Function(_) => called.next(),
        Callee::HostCall => Some(handle_host_call as *const c_void),
        _ => None,
    });
    let addresses = addresses.collect::<Option<_>>();
    let missing = || "a called function has no code".to_owned();
    addresses.map(FunctionTable).ok_or_else(missing)
}

/// Bytes of stack of a kernel, called functions included. Functions come after those that they call.
fn stack(entry: (&Function, &Code), callees: &[Callee], codes: &[Code]) -> usize {
    /// Saved registers and alignment of one frame.
    const AROUND: usize = 256;
    /// A generous bound for the handler of a host call.
    const HOST_CALL: usize = 16 * 1024;
    let of = |function: &Function, code: &Code, all: &[usize]| {
        let insts = function.blocks.iter().flat_map(|it| &it.insts);
        let inside = insts.filter_map(|it| match it.op {
            Op::Call(number, _) => all.get(number as usize).copied(),
            _ => None,
        });
        code.size().spill_bytes + AROUND + inside.max().unwrap_or(0)
    };
    let mut all: Vec<usize> = Vec::with_capacity(callees.len());
    let mut codes = codes.iter();
    for callee in callees {
        let own = match callee {
            Callee::Function(function) => codes.next().map(|code| of(function, code, &all)),
            _ => Some(HOST_CALL),
        };
        all.push(own.unwrap_or(0));
    }
    of(entry.0, entry.1, &all)
}

/// The reason why an entry point cannot be compiled.
enum CompileFailure {
    /// The work or the stack is over a limit. `inlines_nothing`: compiling again with calls would not help.
    OverLimit {
        reason: String,
        inlines_nothing: bool,
    },
    /// Anything else.
    Other(String),
}

impl CompileFailure {
    fn over(limit: OverBudget, entry_point: &str, lowered_all: bool) -> Self {
        Self::OverLimit {
            reason: format!("compiling `{entry_point}` takes {limit}"),
            inlines_nothing: lowered_all,
        }
    }

    fn reason(self) -> String {
        match self {
            Self::OverLimit { reason, .. } | Self::Other(reason) => reason,
        }
    }
}

impl From<String> for CompileFailure {
    fn from(reason: String) -> Self {
        Self::Other(reason)
    }
}

impl From<LowerError> for CompileFailure {
    fn from(error: LowerError) -> Self {
        let reason = error.to_string();
        match error {
            LowerError::OverBudget { inlines, .. } => Self::OverLimit {
                reason,
                inlines_nothing: !inlines,
            },
            _ => Self::Other(reason),
        }
    }
}

impl CodeKernel {
    /// Compiles an entry point. If the work or the stack is over a limit, it is compiled again with calls instead of
    /// inlining.
    pub(crate) fn new(
        program: &Program,
        entry_point: &str,
        resources: &[Resource],
        target: Target,
        (calls, limits, max_frame_bytes): (CallPolicy, WorkLimits, u64),
    ) -> Result<Self, String> {
        let compile = |calls| {
            let meter = Meter::new(limits);
            let within = (calls, &meter, max_frame_bytes);
            Self::compile(program, entry_point, resources, target, within)
        };
        let compiled = match compile(calls) {
            Err(CompileFailure::OverLimit {
                inlines_nothing: false,
                ..
            }) => compile(CallPolicy::All),
            other => other,
        };
        compiled.map_err(CompileFailure::reason)
    }

    fn compile(
        program: &Program,
        entry_point: &str,
        resources: &[Resource],
        target: Target,
        (calls, meter, max_frame_bytes): (CallPolicy, &Meter, u64),
    ) -> Result<Self, CompileFailure> {
        let begin = Instant::now();
        let lowered = lower_within(program, entry_point, target.vectors(), calls, meter)?;
        let over = |limit| CompileFailure::over(limit, entry_point, !lowered.inlines);
        let lower = begin.elapsed();
        let extents = extents(&lowered, resources);
        let (mut function, mut callees) = (lowered.function, lowered.callees);
        let invocations: u32 = lowered.workgroup_size.iter().product();
        let subgroups = invocations.div_ceil(target.lanes());
        let options = pass::PassOptions {
            aliasing: pass::alias::BufferAliasing::Written,
            subgroups: match lowered.loops_over_subgroups {
                true => pass::Subgroups::Looped(subgroups),
                false => pass::Subgroups::Called(subgroups),
            },
            fills_lines: lowered.workgroup_size[0].is_multiple_of(LINE_WORDS),
        };
        let callees_by_number = &mut by_number(&mut callees);
        let subgroups_run =
            pass::run_kernel_within(&mut function, callees_by_number, &options, meter);
        let subgroups_run = subgroups_run.map_err(over)?;
        #[cfg(test)]
        tests::break_function(&mut function);
        let passes = begin.elapsed() - lower;
        let called: Vec<_> = callees.iter().filter_map(Callee::function).collect();
        let sizes = called.iter().map(|it| pass::size(it));
        meter
            .tick(pass::size(&function) + sizes.sum::<u64>())
            .map_err(over)?;
        for it in std::iter::once(&function).chain(called.iter().copied()) {
            verify(it).map_err(|error| rejected(entry_point, &error))?;
        }
        let by_number: Vec<_> = callees.iter().map(Callee::function).collect();
        bounds::check(&function, &by_number, &extents, meter).map_err(|error| match error {
            BoundsError::OverBudget(limit) => over(limit),
            other => rejected(entry_point, &other).into(),
        })?;
        let verify_bounds = begin.elapsed() - lower - passes;
        let mut compiler = Compiler::default();
        let mut compiled = |it: &Function| {
            let code = compiler.compile_within(it, target, meter);
            code.map_err(|it| match it {
                CompileError::OverBudget(limit) => over(limit),
                CompileError::Stack { .. } => CompileFailure::OverLimit {
                    reason: it.to_string(),
                    inlines_nothing: !lowered.inlines,
                },
                CompileError::Internal(_) => rejected(entry_point, &it).into(),
                other => CompileFailure::Other(other.to_string()),
            })
        };
        let code = compiled(&function)?;
        let called = functions(&mut callees).into_iter();
        let called: Vec<_> = called.map(|it| compiled(it)).collect::<Result<_, _>>()?;
        let stack = stack((&function, &code), &callees, &called);
        if stack > MAX_STACK {
            return Err(
                format!("nested calls need {stack} bytes of stack, more than {MAX_STACK}").into(),
            );
        }
        let table = table(&callees, &called)?;
        let frames = match subgroups_run {
            pass::Subgroups::Called(_) => subgroups as usize,
            _ => 1,
        };
        let sizes = called.iter().map(Code::frame_bytes);
        let frame_bytes = sizes.fold(code.frame_bytes(), u32::max) as usize;
        let bytes = frames as u64 * frame_bytes as u64;
        let limit = max_frame_bytes.min(MAX_FRAME_BYTES);
        if bytes > limit {
            return Err(format!(
                "machine code needs {bytes} bytes of frame memory on each thread, the limit is {limit} (max_frame_bytes)"
            )
            .into());
        }
        Ok(Self {
            table,
            host_calls: PreparedHostCalls::new(resources, &lowered.host_calls, target.lanes())?,
            code,
            called,
            lower,
            passes,
            verify_bounds,
            steps: meter.steps(),
            name: entry_point.to_owned(),
            buffers: BufferSlots::new(resources, &lowered.buffers)?,
            workgroup_words: lowered.workgroup_words as usize,
            immediate_words: lowered.immediate_words as usize,
            constants: lowered.constants,
            subgroups: subgroups as usize,
            frame_bytes,
            frames,
            uses_subgroups: lowered.uses_subgroups,
            program: program.clone(),
            loops: lowered.loops,
            barriers: lowered.barriers,
            has_barriers: matches!(subgroups_run, pass::Subgroups::Called(_)),
            has_non_temporal_stores: has_non_temporal_stores(&function),
        })
    }

    /// The code.
    pub(crate) fn code(&self) -> &Code {
        &self.code
    }

    /// Steps of work of compilation.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether it behaves like a kernel with this subgroup size.
    pub(crate) fn fits(&self, subgroup_size: u32) -> bool {
        !self.uses_subgroups || self.code.target().lanes() == subgroup_size
    }

    /// The time of each stage, over all functions.
    pub(crate) fn times(&self) -> CompileTimes {
        let codes = || std::iter::once(&self.code).chain(&self.called);
        let times = || codes().map(Code::times);
        CompileTimes {
            lower: self.lower,
            passes: self.passes,
            bounds: self.verify_bounds,
            select: times().map(|it| it.select).sum(),
            allocate: times().map(|it| it.allocate).sum(),
            emit: times().map(|it| it.emit + it.map).sum(),
            scan: times().map(|it| it.scan).sum(),
        }
    }

    /// The fault of a workgroup that did not finish.
    fn fault(
        &self,
        outcome: CallOutcome,
        workgroup: [u32; 3],
        limits: &Limits<'_>,
    ) -> ExecutionError {
        let entry_point = self.name.clone();
        let Some(site) = outcome.cancelled_at() else {
            return ExecutionError::BarrierMissed {
                entry_point,
                workgroup,
                location: self.barrier(outcome),
            };
        };
        let location = |number: u32| self.location(&self.loops, number);
        match limits.cancel.and_then(CancelFlag::reason) {
            Some(CancelReason::OutOfTime(TimeLimit::Progress(limit))) => match site {
                PollSite::Loop(number) => ExecutionError::Endless {
                    entry_point,
                    workgroup,
                    location: location(number),
                    limit,
                },
                PollSite::AfterLoop(_) | PollSite::Unknown => ExecutionError::Unfinished {
                    entry_point,
                    workgroup,
                    location: match site {
                        PollSite::AfterLoop(number) => location(number),
                        _ => None,
                    },
                    limit,
                },
            },
            Some(CancelReason::OutOfTime(limit)) => {
                ExecutionError::not_started(&entry_point, workgroup, limit)
            }
            _ => ExecutionError::Cancelled { entry_point },
        }
    }

    /// The source location of the barrier that some subgroups did not reach.
    fn barrier(&self, outcome: CallOutcome) -> SourceLocation {
        let number = outcome.diverged_at()?.checked_sub(1)?;
        self.location(&self.barriers, number)
    }

    fn location(&self, spans: &[Span], number: u32) -> SourceLocation {
        let span = spans.get(number as usize)?;
        self.program.locate(*span).map(Box::new)
    }

    /// Whether the bindings meet the code's assumptions about sizes.
    pub(crate) fn accepts(&self, arguments: &Arguments<'_>) -> bool {
        self.buffers.accepts(arguments)
    }
}

/// A kernel that a verifier rejects is interpreted: a bug in a pass would be wrong code. In builds with debug
/// assertions this is a panic like any other of the compiler, so that tests see it.
fn rejected(entry_point: &str, error: &dyn std::error::Error) -> String {
    if cfg!(debug_assertions) {
        panic!("`{entry_point}` is rejected: {error}");
    }
    internal_error(entry_point, &error.to_string())
}

/// The minimum sizes of a kernel's memories, as [`BufferSlots::accepts`] checks them before a run.
fn extents(lowered: &LoweredKernel, resources: &[Resource]) -> Extents {
    Extents::of(lowered, |group, binding| {
        let (source, resource) = locate(resources, (group, binding), BindingClass::Buffer).ok()?;
        let words = u32::try_from(resource.min_size.div_ceil(4)).ok()?;
        Some((words, matches!(source, BindingIndex::Array(_))))
    })
}

/// Memory aligned to a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct CacheLine([u32; 16]);

fn cache_lines(words: usize) -> Vec<CacheLine> {
    vec![CacheLine([0; 16]); words.div_ceil(16).max(1)]
}

/// The memory that pointers to missing resources point to.
#[repr(C, align(64))]
struct Zeros([u32; Context::ZEROS / 4]);

/// A cancel flag that is never set.
static NEVER: AtomicU32 = AtomicU32::new(0);

static ZEROS: Zeros = Zeros([0; Context::ZEROS / 4]);

/// Issues a store fence when dropped, however the run ended: non-temporal stores of this thread are then visible to
/// other threads.
struct StoreFenceOnDrop;

impl Drop for StoreFenceOnDrop {
    fn drop(&mut self) {
        store_fence();
    }
}

/// A kernel with the memory of one thread that runs it.
#[derive(Debug)]
pub(crate) struct CodeRunner<'k> {
    kernel: &'k CodeKernel,
    workgroup: Vec<CacheLine>,
    frames: Vec<CacheLine>,
    immediates: Vec<u32>,
    table: BufferTable,
}

impl<'k> CodeRunner<'k> {
    pub(crate) fn new(kernel: &'k CodeKernel) -> Self {
        let frame_words = kernel.frame_bytes / 4;
        Self {
            kernel,
            workgroup: cache_lines(kernel.workgroup_words),
            frames: cache_lines(frame_words * kernel.frames),
            immediates: vec![0; kernel.immediate_words],
            table: BufferTable::default(),
        }
    }

    /// Runs workgroups to their ends, one after the other. The bindings must be accepted ([`CodeKernel::accepts`]).
    pub(crate) fn run(
        &mut self,
        arguments: &Arguments<'_>,
        workgroups: impl Iterator<Item = [u32; 3]>,
        limits: &Limits<'_>,
    ) -> Result<(), ExecutionError> {
        let kernel = self.kernel;
        let _store_fence = kernel.has_non_temporal_stores.then_some(StoreFenceOnDrop);
        let buffers = self.table.fill(&kernel.buffers, arguments);
        for (index, word) in self.immediates.iter_mut().enumerate() {
            *word = arguments.immediates.get(index).copied().unwrap_or(0);
        }
        let handler = HostCallHandler::new(&kernel.host_calls, arguments);
        let mut context = Context {
            workgroup_id: [0; 3],
            workgroup_count: arguments.workgroup_count,
            subgroup: 0,
            padding: 0,
            cancelled: limits.cancel.map_or(&NEVER, CancelFlag::word).as_ptr(),
            workgroup: self.workgroup.as_mut_ptr().cast(),
            zeros: ptr::from_ref(&ZEROS).cast(),
            immediates: self.immediates.as_ptr(),
            constants: kernel.constants.as_ptr(),
            buffers,
            functions: kernel.table.0.as_ptr(),
            data: ptr::from_ref(&handler).cast(),
        };
        for id in workgroups {
            check_cancelled(&kernel.name, id, limits)?;
            // Word by word, as the code reads them. A wide load of words that were just stored one by one cannot be
            // forwarded from the store buffer: it waits until all stores of the previous workgroup are in the cache,
            // which doubles the time of kernels with non-temporal stores.
            let [x, y, z] = id;
            context.workgroup_id = [x, y, z];
            if kernel.workgroup_words > 0 {
                self.workgroup.fill(CacheLine([0; 16]));
            }
            let outcome = match kernel.has_barriers {
                false => self.call(&context, 0, 0),
                true => self.run_in_phases(&mut context, limits),
            };
            handler.resume_panic();
            if outcome != CallOutcome::FINISHED {
                return Err(kernel.fault(outcome, id, limits));
            }
        }
        Ok(())
    }

    /// Runs every subgroup to the next barrier, until all are finished. Code polls the cancel flag in long calls, not
    /// at their beginning or end, so the flag is also polled between calls.
    fn run_in_phases(&mut self, context: &mut Context, limits: &Limits<'_>) -> CallOutcome {
        let mut resume = 0;
        loop {
            let mut next = None;
            for subgroup in 0..self.kernel.subgroups {
                if limits.cancel.is_some_and(|flag| flag.reason().is_some()) {
                    return CallOutcome::cancelled(CallOutcome::OUTSIDE_LOOPS);
                }
                context.subgroup = subgroup as u32;
                let outcome = self.call(context, subgroup, resume);
                if outcome != CallOutcome::FINISHED && outcome.is_last() {
                    return outcome;
                }
                // Some subgroups wait at a barrier that others do not reach.
                if let Some(CallOutcome(other)) = next.filter(|it| *it != outcome) {
                    return CallOutcome::diverged(other.max(outcome.0));
                }
                next = Some(outcome);
            }
            match next {
                Some(CallOutcome::FINISHED) | None => return CallOutcome::FINISHED,
                Some(CallOutcome(barrier)) => resume = barrier,
            }
        }
    }

    fn call(&mut self, context: &Context, subgroup: usize, resume: u32) -> CallOutcome {
        let stride = self.kernel.frame_bytes / size_of::<CacheLine>();
        let frame = self.frames[subgroup * stride..].as_mut_ptr();
        // SAFETY: the context holds pointers to memory that lives until the call returns: buffers as large as their
        // entries say and no smaller than the program's variables, entries of mip levels that describe their words,
        // workgroup memory, immediates and constants of the sizes that the lowering requested, zeros, and a frame of
        // its own for each subgroup. A resume number comes from the previous call.
        unsafe { self.kernel.code.call(context, frame.cast(), resume) }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicU32, Ordering};

    use anywarp_lanes::ir::Row;

    use super::*;
    use crate::{BufferView, Executor, ExecutorOptions, Kernel, KernelOptions, Runner};

    thread_local! {
        /// Whether kernels that this thread compiles lose the limits of their stores.
        static LOSES_LIMITS: Cell<bool> = const { Cell::new(false) };
    }

    /// Simulates a faulty pass.
    pub(super) fn break_function(function: &mut Function) {
        if !LOSES_LIMITS.get() {
            return;
        }
        for inst in function.blocks.iter_mut().flat_map(|it| &mut it.insts) {
            if let Op::StoreRow(row) = inst.op
                && row.is_limited
            {
                inst.operands.remove(3);
                inst.op = Op::StoreRow(Row {
                    is_limited: false,
                    ..row
                });
            }
        }
    }

    #[test]
    fn a_kernel_that_is_rejected_is_interpreted() {
        let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(60) fn main(@builtin(local_invocation_index) i: u32) { out[i] = i + 5; }";
        let program = Program::from_wgsl(text).unwrap();
        let options = KernelOptions::default();
        let compile = || Kernel::with_options(&program, "main", options).unwrap();
        if compile().code().is_err() {
            // This machine has no code generator.
            return;
        }
        LOSES_LIMITS.set(true);
        let kernel = compile();
        LOSES_LIMITS.set(false);
        let reason = kernel.code().err().unwrap_or("it has code");
        assert!(reason.contains("internal error"), "{reason}");
        assert!(reason.contains("not shown to stay inside"), "{reason}");

        let words: Vec<AtomicU32> = (0..7).map(|_| AtomicU32::new(0)).collect();
        let arguments = Arguments {
            buffers: &[BufferView { words: &words }],
            textures: &[],
            arrays: &[],
            immediates: &[],
            workgroup_count: [1, 1, 1],
        };
        let executor = Executor::new(&ExecutorOptions {
            threads: NonZeroUsize::new(1),
            ..ExecutorOptions::default()
        });
        let done = executor.dispatch(&mut Runner::new(&kernel), &arguments);
        done.unwrap_or_else(|error| panic!("{error}"));
        let written = words.iter().map(|it| it.load(Ordering::Relaxed));
        assert!(written.eq(5..12));
    }
}
