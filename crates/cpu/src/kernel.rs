//! Kernels: the choice of the execution engine. This is the only module that knows which engines exist.
//!
//! Products and sums are contracted first, if requested, so that every engine runs the same program. A kernel runs as
//! machine code if this machine has a code generator, the program has only operations that can be compiled, and
//! compilation stays within its limits; otherwise it is interpreted. The interpreter is always present: it determines
//! the resources of a kernel, and it runs dispatches that machine code does not support (counted iterations, spurious
//! failures of compare-exchanges, random schedules).

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anywarp_codegen::{Code, Target};
use anywarp_interpret::{
    self as interpret, Arguments, CancelFlag, CancelReason, ExecutionError, KernelError, Limits,
    Resource, Schedule, SubgroupSize,
};
use anywarp_lanes::CallPolicy;
use anywarp_program::Program;
use anywarp_program::work::{Meter, WorkLimits};

use crate::error::FrameLimitError;
use crate::frames::interpreted_bytes;
use crate::machine_code::{CodeKernel, CodeRunner, CompileTimes};
use crate::panic_message;

/// Which execution engine runs a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The best machine code for this CPU, or the interpreter if there is none.
    #[default]
    Fastest,
    /// The interpreter.
    Interpreter,
    /// Machine code for a target, or the interpreter if the kernel cannot be compiled.
    Code(Target),
}

impl Engine {
    /// The target of the engine's code; `None` for the interpreter, and where this machine has no code generator.
    pub fn target(self) -> Option<Target> {
        match self {
            Self::Fastest => Target::detect(),
            Self::Interpreter => None,
            Self::Code(target) => Some(target),
        }
    }

    /// The default subgroup size: the lanes of the engine's vectors, because subgroup operations can be compiled only
    /// if a subgroup is one vector. 16 for the interpreter.
    pub fn default_subgroup_size(self) -> SubgroupSize {
        let of_vector = |target: Target| SubgroupSize::new(target.lanes());
        self.target().and_then(of_vector).unwrap_or_default()
    }
}

/// Floating-point contraction: how sums of products are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Floats {
    /// A product of `f32` and the sum that uses it are one operation, which rounds once (fused multiply-add), as on
    /// GPUs. Every engine contracts the same ones ([`Program::contracted`]), so results agree bit for bit.
    #[default]
    Fused,
    /// Every operation rounds.
    Strict,
}

impl Floats {
    /// The program to run. If contraction fails, which is a bug of ours, the program itself.
    fn apply(self, program: &Program) -> Cow<'_, Program> {
        match self {
            Self::Strict => Cow::Borrowed(program),
            Self::Fused => match program.contracted() {
                Ok(fused) => Cow::Owned(fused),
                Err(error) => {
                    log::error!("products are not contracted into sums: {error}");
                    Cow::Borrowed(program)
                }
            },
        }
    }
}

/// The default limits on the work of compiling one kernel: a second or two on a machine of 2023. Ordinary kernels take
/// a hundredth of them.
pub const COMPILE_LIMITS: WorkLimits = WorkLimits::UNLIMITED
    .with_steps(1 << 26)
    .with_bytes(1 << 28);

/// The default and the largest value of [`KernelOptions::max_frame_bytes`]: 1 GiB. Neither engine takes more.
pub const MAX_FRAME_BYTES: u64 = 1 << 30;

/// Options of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelOptions {
    /// The execution engine.
    pub engine: Engine,
    /// The subgroup size; `None` for [`Engine::default_subgroup_size`].
    pub subgroup_size: Option<SubgroupSize>,
    /// Floating-point contraction.
    pub floats: Floats,
    /// Which functions machine code calls rather than inlines.
    pub calls: CallPolicy,
    /// Limits on the work of compilation, [`COMPILE_LIMITS`] by default. Over a limit, the kernel is compiled again
    /// with calls instead of inlining where possible; then it is interpreted ([`Kernel::code`] gives the reason). The
    /// preparation for the interpreter has the same limits; over them, creating the kernel fails.
    pub work: WorkLimits,
    /// The limit on frame memory of one thread in bytes: private and function variables and spilled values of the
    /// invocations of a workgroup. [`MAX_FRAME_BYTES`] by default; larger values count as that. A kernel whose machine
    /// code needs more is interpreted; [`Kernel::check_frames`] fails if the interpreter needs more, too.
    ///
    /// Below the default, the need of the interpreter is an upper bound, computed from the types of all values.
    pub max_frame_bytes: u64,
}

impl Default for KernelOptions {
    fn default() -> Self {
        Self {
            engine: Engine::default(),
            subgroup_size: None,
            floats: Floats::default(),
            calls: CallPolicy::default(),
            work: COMPILE_LIMITS,
            max_frame_bytes: MAX_FRAME_BYTES,
        }
    }
}

/// A compute entry point in executable form. Immutable and shared by any number of runners.
#[derive(Debug)]
pub struct Kernel {
    interpreter: interpret::Kernel,
    /// The machine code, or the reason why there is none.
    code: Result<CodeKernel, String>,
    /// The error if the interpreter needs more frame memory than the limit.
    interpreter_frames: Result<(), FrameLimitError>,
    /// The last measured time per workgroup in nanoseconds; zero before the first measurement.
    pace: AtomicU64,
}

impl Kernel {
    /// Prepares a compute entry point of a program without overrides (see [`Program::specialize`]), with default
    /// options.
    pub fn new(program: &Program, entry_point: &str) -> Result<Self, KernelError> {
        Self::with_options(program, entry_point, KernelOptions::default())
    }

    /// Prepares a compute entry point with options.
    pub fn with_options(
        program: &Program,
        entry_point: &str,
        options: KernelOptions,
    ) -> Result<Self, KernelError> {
        let KernelOptions {
            engine,
            subgroup_size,
            floats,
            calls,
            work,
            max_frame_bytes,
        } = options;
        let subgroup_size = subgroup_size.unwrap_or_else(|| engine.default_subgroup_size());
        let program = &*floats.apply(program);
        let interpreter = interpret::Kernel::within(program, entry_point, &Meter::new(work))?;
        let interpreter_frames = check_interpreter_frames(program, entry_point, max_frame_bytes);
        let target = engine.target().ok_or_else(|| match engine {
            Engine::Interpreter => "the interpreter was asked for".to_owned(),
            _ => "no code generator for this machine".to_owned(),
        });
        let code = target.and_then(|target| {
            let resources = interpreter.resources();
            let within = (calls, work, max_frame_bytes);
            let compile = || CodeKernel::new(program, entry_point, resources, target, within);
            // Unwind safety: the program is immutable, and what was made of it is gone.
            let compiled = catch_unwind(AssertUnwindSafe(compile));
            compiled.unwrap_or_else(|panic| {
                // Tests that request machine code would silently compare the interpreter with itself.
                if cfg!(debug_assertions) && engine != Engine::Fastest {
                    resume_unwind(panic);
                }
                Err(internal_error(entry_point, &panic_message(&*panic)))
            })
        });
        let code = code.and_then(|code| match code.fits(subgroup_size.get()) {
            true => Ok(code),
            false => Err(format!(
                "no vector code for subgroups of {} lanes",
                subgroup_size.get()
            )),
        });
        match &code {
            Ok(code) => {
                let lanes = code.code().target().lanes();
                let times = code.times();
                let total = times.total();
                log::info!(
                    "entry point `{entry_point}` is machine code with {lanes} lanes, compiled in {total:.3?}"
                );
                log::debug!("entry point `{entry_point}`: {times:.3?}");
            }
            Err(reason) => log::info!("entry point `{entry_point}` is interpreted: {reason}"),
        }
        Ok(Self {
            interpreter: interpreter.with_subgroup_size(subgroup_size),
            code,
            interpreter_frames,
            pace: AtomicU64::new(0),
        })
    }

    /// Steps of work of compilation, if the kernel has machine code.
    pub fn compile_steps(&self) -> Option<u64> {
        self.code.as_ref().ok().map(CodeKernel::steps)
    }

    /// The machine code, or the reason why the kernel is interpreted.
    pub fn code(&self) -> Result<&Code, &str> {
        self.code
            .as_ref()
            .map(CodeKernel::code)
            .map_err(String::as_str)
    }

    /// An error if neither engine can run it within [`KernelOptions::max_frame_bytes`]; dispatches then fail with
    /// [`DispatchError::Frames`](crate::DispatchError::Frames).
    pub fn check_frames(&self) -> Result<(), FrameLimitError> {
        match self.code {
            Ok(_) => Ok(()),
            Err(_) => self.interpreter_frames.clone(),
        }
    }

    /// The times of compilation, if the kernel has machine code.
    pub fn compile_times(&self) -> Option<CompileTimes> {
        self.code.as_ref().ok().map(CodeKernel::times)
    }

    /// The entry point's name.
    pub fn name(&self) -> &str {
        self.interpreter.name()
    }

    /// Invocations of a workgroup along x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.interpreter.workgroup_size()
    }

    /// The buffers that the entry point uses, in the order in which
    /// [`Arguments::buffers`] must give them.
    pub fn resources(&self) -> &[Resource] {
        self.interpreter.resources()
    }

    /// The machine code, if it can run a dispatch.
    fn code_for(&self, arguments: &Arguments<'_>, limits: &Limits<'_>) -> Option<&CodeKernel> {
        let is_plain = limits.iterations == u64::MAX
            && limits.spurious_failures.is_none()
            && limits.schedule == Schedule::InOrder;
        let code = self.code.as_ref().ok().filter(|_| is_plain);
        code.filter(|code| code.accepts(arguments))
    }

    /// The last measured time per workgroup, if there is one.
    pub(crate) fn pace(&self) -> Option<Duration> {
        let nanoseconds = self.pace.load(Ordering::Relaxed);
        (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
    }

    /// Records the time that some workgroups took. Each measurement replaces the one before.
    pub(crate) fn set_pace(&self, elapsed: Duration, workgroups: u64) {
        let nanoseconds = elapsed.as_nanos() / u128::from(workgroups.max(1));
        let nanoseconds = u64::try_from(nanoseconds).unwrap_or(u64::MAX).max(1);
        self.pace.store(nanoseconds, Ordering::Relaxed);
    }
}

/// Compares the upper bound of the interpreter's frame memory with a limit. The interpreter itself checks
/// [`MAX_FRAME_BYTES`], exactly.
fn check_interpreter_frames(
    program: &Program,
    entry_point: &str,
    limit: u64,
) -> Result<(), FrameLimitError> {
    if limit >= MAX_FRAME_BYTES {
        return Ok(());
    }
    let bytes = interpreted_bytes(program, entry_point);
    if bytes <= limit {
        return Ok(());
    }
    Err(FrameLimitError {
        entry_point: entry_point.to_owned(),
        bytes,
        limit,
    })
}

/// Logs a bug of the compiler. The kernel is interpreted instead.
pub(crate) fn internal_error(entry_point: &str, message: &str) -> String {
    log::error!("internal error while compiling `{entry_point}`: {message}");
    format!("internal error while compiling: {message}")
}

/// A kernel with the memory of one thread that runs it: registers, frames and workgroup memory.
#[derive(Debug)]
pub struct Runner<'k> {
    kernel: &'k Kernel,
    code: Option<CodeRunner<'k>>,
    /// Created when first needed.
    interpreter: Option<interpret::Worker<'k>>,
}

impl<'k> Runner<'k> {
    /// Allocates the memory of one workgroup.
    pub fn new(kernel: &'k Kernel) -> Self {
        Self {
            kernel,
            code: kernel.code.as_ref().ok().map(CodeRunner::new),
            interpreter: None,
        }
    }

    /// The kernel that it runs.
    pub fn kernel(&self) -> &'k Kernel {
        self.kernel
    }

    /// An error if the engine that runs a dispatch needs more frame memory than the kernel's limit.
    pub(crate) fn check_frames(
        &self,
        arguments: &Arguments<'_>,
        limits: &Limits<'_>,
    ) -> Result<(), FrameLimitError> {
        match self.kernel.code_for(arguments, limits) {
            Some(_) => Ok(()),
            None => self.kernel.interpreter_frames.clone(),
        }
    }

    /// Runs workgroups to their ends, one after the other, until a time limit cancels the run. Call
    /// [`check_frames`](Self::check_frames) before.
    pub(crate) fn run(
        &mut self,
        arguments: &Arguments<'_>,
        workgroups: impl Iterator<Item = [u32; 3]>,
        limits: &Limits<'_>,
    ) -> Result<(), ExecutionError> {
        if let (Some(runner), Some(_)) = (&mut self.code, self.kernel.code_for(arguments, limits)) {
            return runner.run(arguments, workgroups, limits);
        }
        let make = || interpret::Worker::new(&self.kernel.interpreter);
        let worker = self.interpreter.get_or_insert_with(make);
        for id in workgroups {
            check_cancelled(self.kernel.name(), id, limits)?;
            worker.run(arguments, id, limits)?;
        }
        Ok(())
    }
}

/// Returns an error if the run is cancelled before a workgroup begins.
pub(crate) fn check_cancelled(
    entry_point: &str,
    workgroup: [u32; 3],
    limits: &Limits<'_>,
) -> Result<(), ExecutionError> {
    match limits.cancel.and_then(CancelFlag::reason) {
        None => Ok(()),
        Some(CancelReason::Stopped) => Err(ExecutionError::Cancelled {
            entry_point: entry_point.to_owned(),
        }),
        Some(CancelReason::OutOfTime(limit)) => {
            Err(ExecutionError::not_started(entry_point, workgroup, limit))
        }
    }
}
