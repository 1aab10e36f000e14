//! Kernels: the choice of the execution engine. This is the only module that knows which engines exist.
//!
//! Products and sums are contracted first, if requested, so that every engine runs the same program. A kernel runs as
//! machine code if this machine has a code generator, the program has only operations that can be compiled, and
//! compilation stays within its limits; otherwise it is interpreted.
//!
//! Only the kernel's interface is computed in any case. The interpreter's bytecode is made when the kernel is created
//! if there is no machine code, so that an unsupported program fails then; else it is made when a dispatch first needs
//! it (counted iterations, spurious failures of compare-exchanges, random schedules, bindings that code does not
//! accept).

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anywarp_codegen::{Code, Target};
pub use anywarp_compile::{COMPILE_LIMITS, MAX_FRAME_BYTES};
use anywarp_compile::{CompileFailure, CompileOptions, CompileTimes, Observer, compile};
use anywarp_execution::{
    Arguments, CancelFlag, CancelReason, ExecutionError, Interface, KernelError, Limits, Resource,
    Schedule, SubgroupSize,
};
use anywarp_interpret as interpret;
use anywarp_lanes::CallPolicy;
use anywarp_program::work::{Meter, WorkLimits};
use anywarp_program::{Program, panic_message};

use crate::error::{DispatchError, FrameLimitError, WhyInterpreted};
use crate::interpreter_memory::interpreter_bytes;
use crate::machine_code::{CodeKernel, CodeRunner};

/// Which execution engine runs a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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

/// Options of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    interface: Interface,
    /// The machine code, or the reason why there is none.
    code: Result<CodeKernel, WhyInterpreted>,
    interpreter: Interpreter,
    /// The last measured time per workgroup in nanoseconds; zero before the first measurement.
    pace: AtomicU64,
}

/// The interpreter's form of a kernel, made when first needed.
#[derive(Debug)]
struct Interpreter {
    program: Program,
    work: WorkLimits,
    subgroup_size: SubgroupSize,
    /// The error if the interpreter needs more frame memory than the limit.
    frames: Result<(), FrameLimitError>,
    kernel: OnceLock<Result<interpret::Kernel, KernelError>>,
}

impl Interpreter {
    fn kernel(&self, interface: &Interface) -> Result<&interpret::Kernel, KernelError> {
        let translate = || {
            let meter = Meter::new(self.work);
            let kernel =
                interpret::Kernel::with_interface(&self.program, interface.clone(), &meter)?;
            Ok(kernel.with_subgroup_size(self.subgroup_size))
        };
        self.kernel
            .get_or_init(translate)
            .as_ref()
            .map_err(Clone::clone)
    }
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
        Self::with_observer(program, entry_point, options, &mut ())
    }

    /// [`Self::with_options`] with an observer, which sees the vector IR after each pass, and the machine code.
    pub fn with_observer(
        program: &Program,
        entry_point: &str,
        options: KernelOptions,
        observer: &mut dyn Observer,
    ) -> Result<Self, KernelError> {
        let default_size = || options.engine.default_subgroup_size();
        let subgroup_size = options.subgroup_size.unwrap_or_else(default_size);
        let program = options.floats.apply(program);
        let interface = Interface::new(&program, entry_point)?;
        let code = machine_code(&program, &interface, subgroup_size, &options, observer);
        log_engine(entry_point, &code);
        let limit = options.max_frame_bytes;
        let kernel = Self {
            code,
            interpreter: Interpreter {
                frames: check_interpreter_frames(&program, entry_point, limit),
                program: program.into_owned(),
                work: options.work,
                subgroup_size,
                kernel: OnceLock::new(),
            },
            interface,
            pace: AtomicU64::new(0),
        };
        if kernel.code.is_err() {
            kernel.interpreter.kernel(&kernel.interface)?;
        }
        Ok(kernel)
    }

    /// Steps of work of compilation, if the kernel has machine code.
    pub fn compile_steps(&self) -> Option<u64> {
        let code = self.code.as_ref().ok()?;
        Some(code.compiled().steps)
    }

    /// The machine code, or the reason why the kernel is interpreted.
    pub fn code(&self) -> Result<&Code, &WhyInterpreted> {
        self.code.as_ref().map(|code| &code.compiled().code)
    }

    /// An error if neither engine can run it within [`KernelOptions::max_frame_bytes`]; dispatches then fail with
    /// [`DispatchError::Frames`].
    pub fn check_frames(&self) -> Result<(), FrameLimitError> {
        match self.code {
            Ok(_) => Ok(()),
            Err(_) => self.interpreter.frames.clone(),
        }
    }

    /// The times of compilation, if the kernel has machine code.
    pub fn compile_times(&self) -> Option<CompileTimes> {
        let code = self.code.as_ref().ok()?;
        Some(code.compiled().times)
    }

    /// The entry point's name.
    pub fn name(&self) -> &str {
        &self.interface.name
    }

    /// Invocations of a workgroup along x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.interface.workgroup_size()
    }

    /// The buffers that the entry point uses, in the order in which
    /// [`Arguments::buffers`] must give them.
    pub fn resources(&self) -> &[Resource] {
        &self.interface.resources
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

/// The machine code of a kernel for the engine of the options, or why it is interpreted.
fn machine_code(
    program: &Program,
    interface: &Interface,
    subgroup_size: SubgroupSize,
    options: &KernelOptions,
    observer: &mut dyn Observer,
) -> Result<CodeKernel, WhyInterpreted> {
    let target = options.engine.target().ok_or(match options.engine {
        Engine::Interpreter => WhyInterpreted::Requested,
        Engine::Fastest | Engine::Code(_) => WhyInterpreted::NoCodeGenerator,
    })?;
    let mut compile_options = CompileOptions::new(target);
    compile_options.calls = options.calls;
    compile_options.work = options.work;
    compile_options.max_frame_bytes = options.max_frame_bytes;
    #[cfg(test)]
    {
        compile_options.after_passes = Some(crate::machine_code::tests::break_function);
    }
    let compile = || compile(program, interface, &compile_options, observer);
    // Unwind safety: the program is immutable, and what was made of it is gone.
    let compiled = catch_unwind(AssertUnwindSafe(compile)).unwrap_or_else(|panic| {
        // Tests that request machine code would silently compare the interpreter with itself.
        if cfg!(debug_assertions) && options.engine != Engine::Fastest {
            resume_unwind(panic);
        }
        let message = panic_message(&*panic);
        Err(CompileFailure::internal(&interface.name, message))
    })?;
    let lanes = subgroup_size.get();
    if !compiled.fits_subgroup_size(lanes) {
        return Err(WhyInterpreted::SubgroupSize { lanes });
    }
    Ok(CodeKernel::new(program, &interface.resources, compiled)?)
}

fn log_engine(entry_point: &str, code: &Result<CodeKernel, WhyInterpreted>) {
    match code {
        Ok(code) => {
            let compiled = code.compiled();
            let (lanes, times) = (compiled.code.target().lanes(), compiled.times);
            let total = times.total();
            log::info!(
                "entry point `{entry_point}` is machine code with {lanes} lanes, compiled in {total:.3?}"
            );
            log::debug!("entry point `{entry_point}`: {times:.3?}");
        }
        Err(reason) => log::info!("entry point `{entry_point}` is interpreted: {reason}"),
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
    let bytes = interpreter_bytes(program, entry_point);
    if bytes <= limit {
        return Ok(());
    }
    Err(FrameLimitError {
        entry_point: entry_point.to_owned(),
        bytes,
        limit,
    })
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

    /// Prepares the engine of a dispatch. An error if the engine needs more frame memory than the kernel's limit, or if
    /// it is the interpreter and the kernel cannot be prepared for it.
    pub(crate) fn prepare(
        &self,
        arguments: &Arguments<'_>,
        limits: &Limits<'_>,
    ) -> Result<(), DispatchError> {
        let kernel = self.kernel;
        if kernel.code_for(arguments, limits).is_none() {
            kernel.interpreter.frames.clone()?;
            // Unwind safety: a panic leaves the cell of the kernel empty, and nothing else is changed.
            let translate = || kernel.interpreter.kernel(&kernel.interface).map(|_| ());
            catch_unwind(AssertUnwindSafe(translate)).map_err(|panic| {
                DispatchError::Internal {
                    entry_point: kernel.name().to_owned(),
                    workgroup: [0; 3],
                    message: panic_message(&*panic),
                }
            })??;
        }
        Ok(())
    }

    /// Runs workgroups to their ends, one after the other, until a time limit cancels the run.
    pub(crate) fn run(
        &mut self,
        arguments: &Arguments<'_>,
        workgroups: impl Iterator<Item = [u32; 3]>,
        limits: &Limits<'_>,
    ) -> Result<(), DispatchError> {
        let kernel = self.kernel;
        if let (Some(runner), Some(_)) = (&mut self.code, kernel.code_for(arguments, limits)) {
            return Ok(runner.run(arguments, workgroups, limits)?);
        }
        let worker = match &mut self.interpreter {
            Some(worker) => worker,
            none => none.insert(interpret::Worker::new(
                kernel.interpreter.kernel(&kernel.interface)?,
            )),
        };
        for id in workgroups {
            check_cancelled(kernel.name(), id, limits)?;
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
