//! Options of the CPU adapter.

use std::num::NonZeroUsize;
use std::time::Duration;

use anywarp_cpu::{
    COMPILE_LIMITS, CallPolicy, Engine, ExecutorOptions, Floats, KernelOptions, MAX_FRAME_BYTES,
    Schedule, SubgroupSize, WorkLimits,
};

/// Options of the CPU adapter.
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
    /// The number of threads on which each device runs workgroups. By default the number of cores; at most 1024.
    pub threads: Option<NonZeroUsize>,
    /// A dispatch counts as endless, and the device is lost, if no workgroup of it has finished for this long. Ten
    /// seconds by default; `None` waits forever.
    ///
    /// The unit is CPU time where threads have clocks (Linux, Android): time that other processes take does not count.
    /// Elsewhere it is wall-clock time, measured so that a busy machine matters little.
    pub watchdog: Option<Duration>,
    /// The time limit of one dispatch, all its workgroups together. Over it, the dispatch counts as too much work and
    /// the device is lost. Measured like [`watchdog`](Self::watchdog), on the busiest thread. No limit by default.
    pub dispatch_limit: Option<Duration>,
    /// The limit on loop iterations of one workgroup, all its invocations together, over which it counts as endless.
    /// Unlike time this does not depend on the machine. No limit by default.
    pub loop_iterations: Option<u64>,
    /// The subgroup size of every pipeline. `None`, the default, is the number of lanes of the engine's vectors: 16
    /// with AVX-512 and on the interpreter, 8 with AVX2.
    pub subgroup_size: Option<SubgroupSize>,
    /// Which execution engine runs kernels: by default the best machine code for this CPU. Iteration limits, random
    /// schedules and misbehaviour always use the interpreter.
    pub engine: Engine,
    /// Floating-point contraction, how sums of products are rounded: once, as on GPUs, by default.
    pub floats: Floats,
    /// Which functions of a shader are compiled once and called; all others are inlined. By default those that are large
    /// and have several call sites.
    pub calls: CallPolicy,
    /// Limits on the work of compiling one kernel. Over a limit, small functions are called rather than inlined; then
    /// the kernel is interpreted. By default a second or two on a fast machine, counted in steps.
    pub compile_limits: WorkLimits,
    /// The limit on frame memory of each thread in bytes: private and function variables and spilled values of the
    /// invocations of a workgroup. 1 GiB by default, which is also the largest value. A kernel whose machine code needs
    /// more is interpreted; a pipeline that cannot be interpreted within the limit either is refused.
    pub max_frame_bytes: u64,
    /// The order of workgroups, and of the invocations of a workgroup between two barriers: in order, by default. A
    /// random order finds missing barriers. Kernels are then interpreted, on one thread; each dispatch of a device has
    /// an order of its own; and the same calls with the same seed give the same results.
    pub schedule: Schedule,
    /// Where the reason of a device loss is written; [`lost_message`](crate::lost_message) returns it in any case.
    pub loss_report: LossReport,
    /// Breaks guarantees of WebGPU on purpose, for tests. `None` by default: submissions run one after the other, as
    /// WebGPU specifies.
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
            calls: CallPolicy::default(),
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

    /// The engine that runs kernels: the interpreter if another option requires it.
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

/// Where the reason of a device loss is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossReport {
    /// The log, as an error; standard error if no logger is installed.
    #[default]
    LogOrStderr,
    /// Only the log, for programs that show [`lost_message`](crate::lost_message) themselves.
    Log,
}

/// A reordering queue: it overlaps and reorders submissions, by seed.
///
/// **This breaks WebGPU's guarantee on purpose.** A queue of WebGPU makes the effects of each submission visible to the
/// next ones. Code that claims not to need this order, because it locks or because its work commutes, can prove it
/// here: run it under many seeds, and compare.
///
/// # What happens
///
/// Up to [`overlap`](Self::overlap) submissions are open at a time. One of them, chosen at random, makes one or more
/// steps, then another. A step is one workgroup, or one command other than a dispatch: a copy, a clear, a query. So a
/// submission may run before, after or in the middle of an earlier one.
///
/// What still holds:
/// - A submission's commands run in their order, each after the previous one has ended. The workgroups of one dispatch
///   run in any order, as always.
/// - A workgroup runs from its beginning to its end without another one in between.
/// - Work is done when wgpu reports it, in the order of submission: a submission that ended early counts as unfinished
///   until all earlier ones have ended. So a mapped buffer is not written, and work that a program has waited for is
///   over before its next submission.
/// - Device loss, the watchdog and the limits work as always. The watchdog ends a submission that waits in a loop for
///   another one.
///
/// `Queue::write_buffer` is a copy at the start of the next submission, and part of it; another submission may run
/// before it. The same holds for the initial contents of a buffer that was mapped at creation, and for the zeros that
/// wgpu writes into a buffer before its first use if the program has written nothing. So **initialise shared buffers,
/// submit, and wait** before the part that is under test: `queue.submit([])`, then
/// `device.poll(PollType::wait_indefinitely())`.
///
/// # What a seed determines
///
/// Everything runs on the queue's one thread, independently of [`AdapterOptions::threads`], and only in response to
/// calls of the program. A submission over the overlap first runs the others until one ends. A wait runs them until the
/// work that it waits for is done. A query of the fence makes a few steps, sometimes none and at most until one
/// submission ends, and is answered after them; every `Device::poll` and every `Queue::submit` ends with one. So a
/// program that calls from one thread, and does not depend on the clock, gets the same schedule from the same seed on
/// any machine. Calls from several threads happen in an order that no seed controls. Each device starts from the seed
/// again.
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
///     // Run the program, and compare its results.
///     # drop(adapter);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misbehaviour {
    /// The seed of the schedule. Zero by default.
    pub seed: u64,
    /// The number of submissions that are open at once: begun, or free to begin, and not ended. Four by default. With
    /// one (or zero, which counts as one) submissions keep their order.
    pub overlap: usize,
    /// The probability, from 0 to 1, that `atomicCompareExchangeWeak` fails spuriously although the values are equal,
    /// as WGSL allows: it returns the old value, `exchanged` is false, and nothing is stored. 0 by default. With 1 it
    /// never succeeds, and the watchdog ends a loop around it.
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
