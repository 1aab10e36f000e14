//! What a user can choose about the CPU adapter.

use std::num::NonZeroUsize;
use std::time::Duration;

use anywarp_cpu::{
    COMPILE_LIMITS, Calls, Engine, ExecutorOptions, Floats, KernelOptions, MAX_FRAME_BYTES,
    Schedule, SubgroupSize, WorkLimits,
};

/// How the CPU adapter runs programs.
///
/// ```
/// use std::time::Duration;
/// let instance = anywarp_adapter::instance_with(anywarp_adapter::AdapterOptions {
///     threads: std::num::NonZeroUsize::new(2),
///     watchdog: Some(Duration::from_millis(200)),
///     ..Default::default()
/// });
/// # drop(instance);
/// ```
#[derive(Clone, Debug)]
pub struct AdapterOptions {
    /// Threads on which each device runs workgroups; as many as there are cores by default, and
    /// 1024 at most.
    pub threads: Option<NonZeroUsize>,
    /// A dispatch of which no workgroup has finished for this long counts as endless, and the device is lost. Ten
    /// seconds by default; `None` waits for ever.
    ///
    /// This is processor time where threads have clocks (Linux, Android): what a busy machine keeps from the dispatch
    /// does not count. Elsewhere it is time on the wall, which a busy machine stretches only a little.
    pub watchdog: Option<Duration>,
    /// Time that one dispatch may take, all its workgroups together, before it counts as too much work and the device
    /// is lost; measured like [`watchdog`](Self::watchdog), on the thread that works most. No limit by default.
    pub dispatch_limit: Option<Duration>,
    /// Loop iterations that one workgroup may spend, all its invocations together, before it counts
    /// as endless. Unlike time this does not depend on the machine. No limit by default.
    pub loop_iterations: Option<u64>,
    /// Lanes of a subgroup, in every pipeline. `None`, the default, stands for the lanes of the engine's vectors: 16 with
    /// AVX-512 and on the interpreter, 8 with AVX2.
    pub subgroup_size: Option<SubgroupSize>,
    /// Which engine runs kernels: the best machine code there is, by default. Counted iterations, random schedules and
    /// misbehaviour have them interpreted, whatever is asked for.
    pub engine: Engine,
    /// How sums of products are rounded: once, as on GPUs, by default.
    pub floats: Floats,
    /// Which functions of a shader are compiled once and called; all others are inlined. By default those that are large
    /// and have several call sites.
    pub calls: Calls,
    /// Limits of the work for compiling one kernel. Over a limit, small functions are called rather than inlined; then the
    /// kernel is interpreted. By default a second or two of a fast machine, counted in steps.
    pub compile_limits: WorkLimits,
    /// Bytes of frame memory that each thread may take: private and function variables and spilled values of the
    /// invocations of a workgroup. 1 GiB by default, which is also the most. A kernel whose machine code needs more is
    /// interpreted; a pipeline that cannot be interpreted within the limit either is refused.
    pub max_frame_bytes: u64,
    /// The order of workgroups, and of the invocations of a workgroup between two barriers: in order, by default. An
    /// order that is drawn from a seed finds missing barriers. Then kernels are interpreted, on one thread, each
    /// dispatch of a device has an order of its own, and the same calls with the same seed give the same results.
    pub schedule: Schedule,
    /// Where the reason of a loss is written; [`lost_message`](crate::lost_message) has it in any case.
    pub loss_report: LossReport,
    /// Breaks promises of WebGPU on purpose, for tests. `None` by default: then submissions run one
    /// after the other, as WebGPU says.
    pub misbehaviour: Option<Misbehaviour>,
}

impl Default for AdapterOptions {
    fn default() -> Self {
        Self {
            threads: None,
            watchdog: Some(Duration::from_secs(10)),
            dispatch_limit: None,
            loop_iterations: None,
            subgroup_size: None,
            engine: Engine::default(),
            floats: Floats::default(),
            calls: Calls::default(),
            compile_limits: COMPILE_LIMITS,
            max_frame_bytes: MAX_FRAME_BYTES,
            schedule: Schedule::default(),
            loss_report: LossReport::default(),
            misbehaviour: None,
        }
    }
}

impl AdapterOptions {
    pub(crate) fn kernels(&self) -> KernelOptions {
        KernelOptions {
            engine: self.effective_engine(),
            subgroup_size: Some(self.effective_subgroup_size()),
            floats: self.floats,
            calls: self.calls,
            work: self.compile_limits,
            max_frame_bytes: self.max_frame_bytes,
        }
    }

    /// The engine that runs kernels: the interpreter where only it can do what is asked for.
    fn effective_engine(&self) -> Engine {
        let is_interpreted = self.loop_iterations.is_some()
            || self.schedule != Schedule::InOrder
            || self.misbehaviour.is_some();
        if is_interpreted {
            Engine::Interpreter
        } else {
            self.engine
        }
    }

    /// The subgroup size that the adapter reports and every kernel has.
    pub(crate) fn effective_subgroup_size(&self) -> SubgroupSize {
        let default = || self.effective_engine().default_subgroup_size();
        self.subgroup_size.unwrap_or_else(default)
    }

    pub(crate) fn executor(&self) -> ExecutorOptions {
        ExecutorOptions {
            threads: self.threads,
            watchdog: self.watchdog,
            dispatch_limit: self.dispatch_limit,
            workgroup_iterations: self.loop_iterations,
            schedule: self.schedule,
        }
    }
}

/// Where the reason of a loss is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossReport {
    /// To the log, as an error; to standard error where no logger is installed.
    #[default]
    LogOrStderr,
    /// To the log alone, for programs that show [`lost_message`](crate::lost_message) themselves.
    Log,
}

/// A queue that is allowed to misbehave: it overlaps and reorders submissions, by seed.
///
/// **This breaks WebGPU's promise on purpose.** A queue of WebGPU makes each submission see what the
/// ones before it did. Code that claims to need no such order, because it locks or because its work
/// commutes, can show it here: run it under many seeds, and compare.
///
/// # What happens
///
/// Up to [`overlap`](Self::overlap) submissions are open at a time. One of them, chosen by chance,
/// makes a step or several, then another. A step is one workgroup, or one command outside of
/// dispatches: a copy, a clear, a query. So a submission may run before, after or in the middle of an
/// earlier one.
///
/// What still holds:
/// - A submission's commands run in their order, each after the one before has ended. The workgroups
///   of one dispatch come in any order, as they always may.
/// - A workgroup runs from its beginning to its end without another in between.
/// - Work is done when wgpu says so. It says so in the order of submission: a submission that ended
///   early counts as unfinished until all before it have ended. So a buffer that is mapped is not
///   written, and what a program waited for is over before what it submits next.
/// - The loss of the device, the watchdog and the limits work as always. A submission that waits in a
///   loop for another to do something is ended by the watchdog.
///
/// `Queue::write_buffer` is a copy at the start of the next submission, and part of it; another
/// submission may come before it. The same holds for what a program wrote into a buffer mapped at its
/// creation, and for the zeros that wgpu writes into a buffer before its first use where the program
/// has written nothing. So **initialise shared buffers, submit, and wait** before the part that is
/// under test: `queue.submit([])`, then `device.poll(PollType::wait_indefinitely())`.
///
/// # What a seed determines
///
/// Everything runs on the queue's one thread, whatever [`AdapterOptions::threads`] says, and moves only
/// when the program calls. A submission that finds no room first makes the others go on until one
/// ends. A wait makes them go on until what it waits for is done. A look at what is done makes a few
/// steps, sometimes none and at most until one submission ends, and is answered after them; every
/// `Device::poll` and every `Queue::submit` ends with one. A program that calls from one thread, and does not act on the clock, therefore gets
/// the same schedule from the same seed, on any machine. Calls from several threads happen in an
/// order that no seed controls. Each device starts from the seed anew.
///
/// ```
/// use anywarp_adapter::{AdapterOptions, Misbehaviour};
/// for seed in 0..3 {
///     let adapter = anywarp_adapter::adapter(AdapterOptions {
///         misbehaviour: Some(Misbehaviour {
///             seed,
///             spurious_failures: 0.25,
///             ..Default::default()
///         }),
///         ..Default::default()
///     });
///     // The program, and a look at its results.
///     # drop(adapter);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misbehaviour {
    /// Chooses one schedule out of all. Zero by default, which is as good as any.
    pub seed: u64,
    /// Submissions that are open at once: begun, or free to begin, and not ended. Four by default.
    /// With one (or zero, which counts as one) submissions keep their order.
    pub overlap: usize,
    /// The probability, from 0 to 1, that `atomicCompareExchangeWeak` fails although the values are
    /// equal, as WGSL allows: it gives the old value, `exchanged` is false, and nothing is stored.
    /// None by default. With 1 it never succeeds, and a loop around it ends by the watchdog.
    pub spurious_failures: f64,
}

impl Default for Misbehaviour {
    fn default() -> Self {
        Self {
            seed: 0,
            overlap: 4,
            spurious_failures: 0.0,
        }
    }
}
