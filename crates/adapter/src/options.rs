//! Options of the CPU adapter.
//!
//! In: what the caller sets. Out: the options of kernels and of the executor. What always holds: options that only the
//! interpreter honours select it, whatever the engine is.

use std::num::NonZeroUsize;
use std::time::Duration;

use anywarp_cpu::{
    COMPILE_LIMITS, CallPolicy, Engine, ExecutorOptions, Floats, KernelOptions, MAX_FRAME_BYTES,
    Schedule, SubgroupSize, WorkLimits,
};

use crate::Misbehaviour;

/// Options of the CPU adapter.
///
/// ```
/// use std::time::Duration;
/// use anywarp_adapter::{AdapterOptions, Engine, instance_with};
///
/// let options = AdapterOptions::default().threads(2).engine(Engine::Interpreter);
/// let instance = instance_with(options.watchdog(Duration::from_millis(200)));
/// # drop(instance);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// and have several call sites. For tests.
    #[doc(hidden)]
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
    #[doc(hidden)]
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
    /// Sets the number of threads of each device, at most 1024; 0 is the number of cores.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self {
            threads: NonZeroUsize::new(threads),
            ..self
        }
    }

    /// Sets the time without a finished workgroup after which a dispatch counts as endless; `None` waits forever.
    #[must_use]
    pub fn watchdog(self, watchdog: impl Into<Option<Duration>>) -> Self {
        Self {
            watchdog: watchdog.into(),
            ..self
        }
    }

    /// Sets the time limit of one dispatch; `None` disables it.
    #[must_use]
    pub fn dispatch_limit(self, limit: impl Into<Option<Duration>>) -> Self {
        Self {
            dispatch_limit: limit.into(),
            ..self
        }
    }

    /// Sets the limit on loop iterations of one workgroup; `None` disables it.
    #[must_use]
    pub fn loop_iterations(self, iterations: impl Into<Option<u64>>) -> Self {
        Self {
            loop_iterations: iterations.into(),
            ..self
        }
    }

    /// Sets the subgroup size; `None` is the number of lanes of the engine's vectors.
    #[must_use]
    pub fn subgroup_size(self, size: impl Into<Option<SubgroupSize>>) -> Self {
        Self {
            subgroup_size: size.into(),
            ..self
        }
    }

    /// Sets the execution engine.
    #[must_use]
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// Sets floating-point contraction.
    #[must_use]
    pub fn floats(self, floats: Floats) -> Self {
        Self { floats, ..self }
    }

    /// Sets which functions are compiled once and called.
    #[doc(hidden)]
    #[must_use]
    pub fn calls(self, calls: CallPolicy) -> Self {
        Self { calls, ..self }
    }

    /// Sets the limits on the work of compiling one kernel.
    #[must_use]
    pub fn compile_limits(self, compile_limits: WorkLimits) -> Self {
        Self {
            compile_limits,
            ..self
        }
    }

    /// Sets the limit on frame memory of each thread in bytes.
    #[must_use]
    pub fn max_frame_bytes(self, max_frame_bytes: u64) -> Self {
        Self {
            max_frame_bytes,
            ..self
        }
    }

    /// Sets the order of workgroups and invocations.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// Sets where the reason of a device loss is written.
    #[must_use]
    pub fn loss_report(self, loss_report: LossReport) -> Self {
        Self {
            loss_report,
            ..self
        }
    }

    /// Breaks guarantees of WebGPU on purpose, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn misbehaviour(self, misbehaviour: impl Into<Option<Misbehaviour>>) -> Self {
        Self {
            misbehaviour: misbehaviour.into(),
            ..self
        }
    }

    /// The options of kernels.
    #[doc(hidden)]
    #[must_use]
    pub fn kernels(&self) -> KernelOptions {
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

    /// The options of the executor.
    #[doc(hidden)]
    #[must_use]
    pub fn executor(&self) -> ExecutorOptions {
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
#[non_exhaustive]
pub enum LossReport {
    /// The log, as an error; standard error if no logger is installed.
    #[default]
    LogOrStderr,
    /// Only the log, for programs that show [`lost_message`](crate::lost_message) themselves.
    Log,
}
