//! Runs kernels in machine code, subgroup by subgroup.
//!
//! In: a kernel that `anywarp-compile` has compiled, and the resources of its entry point. Out: a [`CodeKernel`]; a
//! [`CodeRunner`] runs its workgroups. What always holds: code can access only memory that is bound, workgroup memory
//! is zero at the start of a workgroup, and a workgroup that does not end is ended through the cancel flag of its
//! limits.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::AtomicU32;

use anywarp_codegen::store_fence;
use anywarp_compile::{CompiledCallee, CompiledKernel, SubgroupCalls};
use anywarp_execution::{
    Arguments, CancelFlag, CancelReason, ExecutionError, Limits, Resource, SourceLocation,
    TimeLimit,
};
use anywarp_lanes::ir::{CallOutcome, Context, PollSite};
use anywarp_program::Program;
use anywarp_program::naga::Span;

use crate::buffer_table::{BufferSlots, BufferTable};
use crate::error::LinkError;
use crate::host_calls::{HostCallHandler, PreparedHostCalls, handle_host_call};
use crate::kernel::check_cancelled;

/// A compute entry point in machine code, linked to the resources of its kernel.
#[derive(Debug)]
pub(crate) struct CodeKernel {
    compiled: CompiledKernel,
    functions: FunctionTable,
    host_calls: PreparedHostCalls,
    buffers: BufferSlots,
    program: Program,
}

/// The addresses of the functions that code calls, by number.
#[derive(Debug)]
struct FunctionTable(Vec<*const c_void>);

// SAFETY: the addresses are of code that is never written, and that lives as long as the kernel that it belongs to.
unsafe impl Send for FunctionTable {}
// SAFETY: as above.
unsafe impl Sync for FunctionTable {}

impl FunctionTable {
    fn new(callees: &[CompiledCallee]) -> Self {
        let addresses = callees.iter().map(|callee| match callee {
            CompiledCallee::Function(code) => code.address(),
            CompiledCallee::Host => handle_host_call as *const c_void,
        });
        Self(addresses.collect())
    }
}

impl CodeKernel {
    /// Links compiled code to the resources of its kernel.
    pub(crate) fn new(
        program: &Program,
        resources: &[Resource],
        compiled: CompiledKernel,
    ) -> Result<Self, LinkError> {
        let lanes = compiled.code.target().lanes();
        Ok(Self {
            functions: FunctionTable::new(&compiled.callees),
            host_calls: PreparedHostCalls::new(resources, &compiled.host_calls, lanes)?,
            buffers: BufferSlots::new(resources, &compiled.buffers)?,
            program: program.clone(),
            compiled,
        })
    }

    /// The compiled kernel.
    pub(crate) fn compiled(&self) -> &CompiledKernel {
        &self.compiled
    }

    /// The error of a workgroup that did not finish.
    fn error(
        &self,
        outcome: CallOutcome,
        workgroup: [u32; 3],
        limits: &Limits<'_>,
    ) -> ExecutionError {
        let entry_point = self.compiled.name.clone();
        let Some(site) = outcome.cancelled_at() else {
            return ExecutionError::BarrierMissed {
                entry_point,
                workgroup,
                location: self.barrier(outcome),
            };
        };
        let location = |number: u32| self.location(&self.compiled.loops, number);
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
        self.location(&self.compiled.barriers, number)
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
        let compiled = &kernel.compiled;
        let frame_words = compiled.frame_bytes as usize / 4;
        Self {
            kernel,
            workgroup: cache_lines(compiled.workgroup_words as usize),
            frames: cache_lines(frame_words * compiled.frames() as usize),
            immediates: vec![0; compiled.immediate_words as usize],
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
        let compiled = &kernel.compiled;
        let _store_fence = compiled.has_non_temporal_stores.then_some(StoreFenceOnDrop);
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
            constants: compiled.constants.as_ptr(),
            buffers,
            functions: kernel.functions.0.as_ptr(),
            data: ptr::from_ref(&handler).cast(),
        };
        for id in workgroups {
            check_cancelled(&compiled.name, id, limits)?;
            // Word by word, as the code reads them. A wide load of words that were just stored one by one cannot be
            // forwarded from the store buffer: it waits until all stores of the previous workgroup are in the cache,
            // which doubles the time of kernels with non-temporal stores.
            let [x, y, z] = id;
            context.workgroup_id = [x, y, z];
            if compiled.workgroup_words > 0 {
                self.workgroup.fill(CacheLine([0; 16]));
            }
            let outcome = match compiled.subgroup_calls {
                SubgroupCalls::Once => self.call(&context, 0, 0),
                SubgroupCalls::PerSubgroup { subgroups } => {
                    self.run_in_phases(subgroups, &mut context, limits)
                }
            };
            handler.resume_panic();
            if outcome != CallOutcome::FINISHED {
                return Err(kernel.error(outcome, id, limits));
            }
        }
        Ok(())
    }

    /// Runs every subgroup to the next barrier, until all are finished. Code polls the cancel flag in long calls, not
    /// at their beginning or end, so the flag is also polled between calls.
    fn run_in_phases(
        &mut self,
        subgroups: u32,
        context: &mut Context,
        limits: &Limits<'_>,
    ) -> CallOutcome {
        let mut resume = 0;
        loop {
            let mut next = None;
            for subgroup in 0..subgroups {
                if limits.cancel.is_some_and(|flag| flag.reason().is_some()) {
                    return CallOutcome::cancelled(CallOutcome::OUTSIDE_LOOPS);
                }
                context.subgroup = subgroup;
                let outcome = self.call(context, subgroup as usize, resume);
                if outcome != CallOutcome::FINISHED && outcome.is_last() {
                    return outcome;
                }
                // Some subgroups wait at a barrier that others do not reach.
                if let Some(CallOutcome(other)) = next.filter(|first| *first != outcome) {
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
        let stride = self.kernel.compiled.frame_bytes as usize / size_of::<CacheLine>();
        let frame = self.frames[subgroup * stride..].as_mut_ptr();
        // SAFETY: the context holds pointers to memory that lives until the call returns: buffers as large as their
        // entries say and no smaller than the program's variables, entries of mip levels that describe their words,
        // workgroup memory, immediates and constants of the sizes that the lowering requested, zeros, and a frame of
        // its own for each subgroup. A resume number comes from the previous call.
        unsafe {
            self.kernel
                .compiled
                .code
                .call(context, frame.cast(), resume)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicU32, Ordering};

    use anywarp_lanes::ir::{Function, Op, Row};

    use super::*;
    use crate::{BufferView, Executor, ExecutorOptions, Kernel, KernelOptions, Runner};

    thread_local! {
        /// Whether kernels that this thread compiles lose the limits of their stores.
        static LOSES_LIMITS: Cell<bool> = const { Cell::new(false) };
    }

    /// Simulates a faulty pass.
    pub(crate) fn break_function(function: &mut Function) {
        if !LOSES_LIMITS.get() {
            return;
        }
        for inst in function
            .blocks
            .iter_mut()
            .flat_map(|block| &mut block.insts)
        {
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
        let reason = kernel.code().unwrap_err().to_string();
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
        let written = words.iter().map(|word| word.load(Ordering::Relaxed));
        assert!(written.eq(5..12));
    }
}
