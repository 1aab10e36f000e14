//! The stages of a compilation, in order, and the second attempt with calls.

use std::time::Instant;

use anywarp_codegen::{Code, CompileError, Compiler};
use anywarp_execution::{ArgumentIndex, Interface, ResourceClass, locate};
use anywarp_lanes::bounds::{self, BoundsError, Extents};
use anywarp_lanes::ir::{Function, Op};
use anywarp_lanes::pass::{self, PassOptions, Subgroups};
use anywarp_lanes::verify::verify;
use anywarp_lanes::{CallPolicy, Callee, LowerError, LoweredKernel, lower_within};
use anywarp_program::Program;
use anywarp_program::work::{Meter, OverBudget};

use crate::stack::{MAX_STACK, stack_bytes};
use crate::{
    CompileFailure, CompileOptions, CompileTimes, CompiledCallee, CompiledKernel, IrStage,
    MAX_FRAME_BYTES, Observer, SubgroupCalls,
};

/// Words of a cache line.
const LINE_WORDS: u32 = 16;

/// Compiles an entry point. If the work or the stack is over a limit, it is compiled again with calls instead of
/// inlining.
///
/// # Panics
///
/// In builds with debug assertions, if a verifier rejects the IR or the code, which is a bug of ours.
pub fn compile(
    program: &Program,
    interface: &Interface,
    options: &CompileOptions,
    observer: &mut dyn Observer,
) -> Result<CompiledKernel, CompileFailure> {
    let mut attempt = |calls| {
        let mut compilation = Compilation {
            program,
            interface,
            options,
            meter: Meter::new(options.work),
            observer: &mut *observer,
            times: CompileTimes::default(),
        };
        compilation.run(calls)
    };
    match attempt(options.calls) {
        Err(FailedAttempt {
            inlined: true,
            failure,
        }) if failure.is_over_limit() => attempt(CallPolicy::All),
        other => other,
    }
    .map_err(|failed| failed.failure)
}

/// A failed attempt.
struct FailedAttempt {
    failure: CompileFailure,
    /// Whether functions were inlined that could be called.
    inlined: bool,
}

impl From<LowerError> for FailedAttempt {
    fn from(error: LowerError) -> Self {
        let inlined = matches!(error, LowerError::OverBudget { inlines: true, .. });
        Self {
            failure: error.into(),
            inlined,
        }
    }
}

/// One attempt to compile an entry point.
struct Compilation<'a> {
    program: &'a Program,
    interface: &'a Interface,
    options: &'a CompileOptions,
    meter: Meter,
    observer: &'a mut dyn Observer,
    times: CompileTimes,
}

impl Compilation<'_> {
    fn run(&mut self, calls: CallPolicy) -> Result<CompiledKernel, FailedAttempt> {
        let begin = Instant::now();
        let machine = self.options.target.vectors();
        let (program, name) = (self.program, &self.interface.name);
        let lowered = lower_within(program, name, machine, calls, &self.meter)?;
        self.times.lower = begin.elapsed();
        let inlined = lowered.inlines;
        self.generate(lowered)
            .map_err(|failure| FailedAttempt { failure, inlined })
    }

    /// Everything after lowering.
    fn generate(&mut self, mut lowered: LoweredKernel) -> Result<CompiledKernel, CompileFailure> {
        let extents = self.extents(&lowered);
        let subgroup_calls = self.run_passes(&mut lowered)?;
        self.verify(&lowered, &extents)?;
        let (code, codes) = self.generate_code(&lowered)?;

        let entry = (&lowered.function, &code);
        let stack = stack_bytes(entry, &lowered.callees, &codes);
        if stack > MAX_STACK {
            let (bytes, limit) = (stack, MAX_STACK);
            return Err(CompileFailure::Stack { bytes, limit });
        }
        let frame_bytes = codes
            .iter()
            .map(Code::frame_bytes)
            .fold(code.frame_bytes(), u32::max);
        let mut codes = codes.into_iter();
        let callees = lowered
            .callees
            .iter()
            .map(|callee| match callee.function() {
                Some(_) => codes.next().map(CompiledCallee::Function),
                None => Some(CompiledCallee::Host),
            });
        let Some(callees) = callees.collect() else {
            unreachable!("each function has code")
        };
        let kernel = CompiledKernel {
            name: self.interface.name.clone(),
            code,
            callees,
            host_calls: lowered.host_calls,
            buffers: lowered.buffers,
            workgroup_words: lowered.workgroup_words,
            immediate_words: lowered.immediate_words,
            constants: lowered.constants,
            subgroup_calls,
            frame_bytes,
            uses_subgroups: lowered.uses_subgroups,
            has_non_temporal_stores: has_non_temporal_stores(&lowered.function),
            loops: lowered.loops,
            barriers: lowered.barriers,
            times: self.times,
            steps: self.meter.steps(),
        };
        self.check_frames(kernel)
    }

    /// The minimum sizes of a kernel's memories, which the caller of the code checks before each run.
    fn extents(&self, lowered: &LoweredKernel) -> Extents {
        let resources = &self.interface.resources;
        Extents::of(lowered, |group, binding| {
            let found = locate(resources, (group, binding), ResourceClass::Buffer);
            let (index, resource) = found.ok()?;
            let words = u32::try_from(resource.min_size.div_ceil(4)).ok()?;
            Some((words, matches!(index, ArgumentIndex::Array(_))))
        })
    }

    fn run_passes(&mut self, lowered: &mut LoweredKernel) -> Result<SubgroupCalls, CompileFailure> {
        self.observe(IrStage::Lowered, lowered);
        let begin = Instant::now();
        let invocations: u32 = lowered.workgroup_size.iter().product();
        let subgroups = invocations.div_ceil(self.options.target.lanes());
        let passes = PassOptions {
            aliasing: pass::alias::BufferAliasing::Written,
            subgroups: if lowered.loops_over_subgroups {
                Subgroups::Looped(subgroups)
            } else {
                Subgroups::Called(subgroups)
            },
            fills_lines: lowered.workgroup_size[0].is_multiple_of(LINE_WORDS),
        };
        let callees = lowered.callees.iter_mut().map(|callee| match callee {
            Callee::Function(function) => Some(function),
            _ => None,
        });
        let mut callees: Vec<_> = callees.collect();
        let function = &mut lowered.function;
        let run = pass::run_kernel_within(
            function,
            &mut callees,
            &passes,
            &self.meter,
            &mut |name, callee, function| {
                self.observer.ir(IrStage::Pass(name), callee, function);
            },
        )
        .map_err(|limit| self.over_budget(limit))?;
        if let Some(change) = self.options.after_passes {
            change(&mut lowered.function);
        }
        self.times.passes = begin.elapsed();
        self.observe(IrStage::Final, lowered);
        Ok(match run {
            Subgroups::Called(_) => SubgroupCalls::PerSubgroup { subgroups },
            _ => SubgroupCalls::Once,
        })
    }

    fn observe(&mut self, stage: IrStage, lowered: &LoweredKernel) {
        self.observer.ir(stage, None, &lowered.function);
        for (number, callee) in lowered.callees.iter().enumerate() {
            if let Some(function) = callee.function() {
                self.observer.ir(stage, Some(number), function);
            }
        }
    }

    /// Checks that the IR is well-formed, and proves its memory accesses.
    fn verify(&mut self, lowered: &LoweredKernel, extents: &Extents) -> Result<(), CompileFailure> {
        let begin = Instant::now();
        let by_number: Vec<_> = lowered.callees.iter().map(Callee::function).collect();
        let functions =
            || std::iter::once(&lowered.function).chain(by_number.iter().copied().flatten());
        let steps = functions().map(pass::size).sum();
        let ticked = self.meter.tick(steps);
        ticked.map_err(|limit| self.over_budget(limit))?;
        for function in functions() {
            verify(function).map_err(|error| self.rejected(&error))?;
        }
        bounds::check(&lowered.function, &by_number, extents, &self.meter).map_err(|error| {
            match error {
                BoundsError::OverBudget(limit) => self.over_budget(limit),
                other => self.rejected(&other),
            }
        })?;
        self.times.bounds = begin.elapsed();
        Ok(())
    }

    /// The code of the entry point, and of the callees that are functions.
    fn generate_code(
        &mut self,
        lowered: &LoweredKernel,
    ) -> Result<(Code, Vec<Code>), CompileFailure> {
        let mut compiler = Compiler::default();
        let code = self.generate_function(&mut compiler, None, &lowered.function)?;
        let mut codes = Vec::new();
        for (number, callee) in lowered.callees.iter().enumerate() {
            if let Some(function) = callee.function() {
                codes.push(self.generate_function(&mut compiler, Some(number), function)?);
            }
        }
        Ok((code, codes))
    }

    fn generate_function(
        &mut self,
        compiler: &mut Compiler,
        callee: Option<usize>,
        function: &Function,
    ) -> Result<Code, CompileFailure> {
        let generated = compiler.compile_within(function, self.options.target, &self.meter);
        let code = generated.map_err(|error| match error {
            CompileError::OverBudget(limit) => self.over_budget(limit),
            CompileError::Internal(_) => self.rejected(&error),
            other => CompileFailure::Codegen(other),
        })?;
        self.times.add(&code);
        self.observer.code(callee, &code);
        Ok(code)
    }

    /// The kernel, if its frame memory is within the limit.
    fn check_frames(&self, kernel: CompiledKernel) -> Result<CompiledKernel, CompileFailure> {
        let bytes = u64::from(kernel.frames()) * u64::from(kernel.frame_bytes);
        let limit = self.options.max_frame_bytes.min(MAX_FRAME_BYTES);
        if bytes > limit {
            return Err(CompileFailure::FrameMemory { bytes, limit });
        }
        Ok(kernel)
    }

    fn over_budget(&self, limit: OverBudget) -> CompileFailure {
        CompileFailure::OverBudget {
            entry_point: self.interface.name.clone(),
            limit,
        }
    }

    /// A verifier rejected the IR or the code: a bug in a pass would be wrong code. In builds with debug assertions this
    /// is a panic like any other of the compiler, so that tests see it.
    fn rejected(&self, error: &dyn std::error::Error) -> CompileFailure {
        let name = &self.interface.name;
        if cfg!(debug_assertions) {
            panic!("`{name}` is rejected: {error}");
        }
        CompileFailure::internal(name, error.to_string())
    }
}

/// Whether a function has non-temporal stores.
fn has_non_temporal_stores(function: &Function) -> bool {
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| matches!(inst.op, Op::StoreRowNonTemporal(_)))
}
