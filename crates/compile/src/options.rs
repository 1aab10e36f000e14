//! Options and limits of a compilation.

use anywarp_codegen::Target;
use anywarp_lanes::CallPolicy;
use anywarp_lanes::ir::Function;
use anywarp_program::work::WorkLimits;

/// The default limits on the work of compiling one kernel: a second or two on a machine of 2023. Ordinary kernels take
/// a hundredth of them.
pub const COMPILE_LIMITS: WorkLimits = WorkLimits::UNLIMITED
    .with_steps(1 << 26)
    .with_bytes(1 << 28);

/// The largest value of [`CompileOptions::max_frame_bytes`]: 1 GiB.
pub const MAX_FRAME_BYTES: u64 = 1 << 30;

/// Options of a compilation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CompileOptions {
    /// The target.
    pub target: Target,
    /// Which functions are called rather than inlined.
    pub calls: CallPolicy,
    /// Limits on the work, [`COMPILE_LIMITS`] by default.
    pub work: WorkLimits,
    /// The limit on frame memory of one thread in bytes. [`MAX_FRAME_BYTES`] by default; larger values count as that.
    pub max_frame_bytes: u64,
    /// Changes the entry point after all passes and before the verifiers. Tests simulate a faulty pass with it.
    #[doc(hidden)]
    pub after_passes: Option<fn(&mut Function)>,
}

impl CompileOptions {
    /// The default options for a target.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            calls: CallPolicy::default(),
            work: COMPILE_LIMITS,
            max_frame_bytes: MAX_FRAME_BYTES,
            after_passes: None,
        }
    }
}
