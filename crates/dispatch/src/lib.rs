//! Shaders as native Rust: runs a closure over workgroups or 2x2 quads with GPU semantics.
//!
//! This crate is an internal part of `gpu-sdk`: its interface changes in any release. Depend on `gpu-sdk` instead.
//!
//! In: a closure and a grid. Out: what the closure wrote, or a [`DispatchError`]. Barriers
//! synchronize the workgroup, derivatives compare neighbouring fragments, and everything else is
//! ordinary Rust: `println!`, breakpoints and `cargo test` work as usual.
//!
//! What always holds:
//! - A workgroup, or a quad, stays on one thread. Its invocations are scheduled cooperatively: one
//!   that reaches a barrier is suspended on its own stack (a fiber, or stackful coroutine) and the
//!   next one runs. So any workgroup size runs on any number of threads without deadlock. An
//!   invocation that reaches no barrier costs a function call.
//! - Workgroups run in parallel on threads of this crate, never on a rayon worker. A rayon worker
//!   that waits runs other tasks on top of a suspended invocation, and those would see its ids and
//!   its barriers. So rayon works inside an invocation.
//! - Whatever a kernel does in safe Rust, with this crate and the standard library, is defined
//!   behaviour. Crates that keep a pointer to the stack in a thread-local variable and rely on
//!   nested scopes, such as `scoped-tls`, are an exception: a barrier inside such a scope lets
//!   another invocation of the same thread leave its scope first.
//!
//! What it does not do: bind buffers, sample textures, rasterise. `gpu-sdk` adds the API that
//! kernels import.
//!
//! ```
//! use anywarp_dispatch::{dispatch_workgroups, workgroup, workgroup_barrier};
//! use std::sync::atomic::{AtomicU32, Ordering};
//!
//! workgroup! { static TILE: [u32; 64]; }
//!
//! let sums: Vec<AtomicU32> = (0..4).map(|_| AtomicU32::new(0)).collect();
//! dispatch_workgroups((4, 1, 1), (64, 1, 1), |builtins| {
//!     let i = builtins.local_invocation_index as usize;
//!     TILE.store(i, builtins.global_invocation_id.x);
//!     let mut half = 32;
//!     while half > 0 {
//!         workgroup_barrier();
//!         if i < half {
//!             TILE.store(i, TILE.load(i) + TILE.load(i + half));
//!         }
//!         half /= 2;
//!     }
//!     if i == 0 {
//!         sums[builtins.workgroup_id.x as usize].store(TILE.load(0), Ordering::Relaxed);
//!     }
//! });
//! assert_eq!(sums[1].load(Ordering::Relaxed), (64..128).sum());
//! ```

mod barrier;
mod builtins;
mod derivative;
mod error;
mod fiber;
mod fragments;
mod group;
mod options;
mod permutation;
mod quad;
mod scheduler;
mod stack;
mod stack_overflow;
mod thread_pool;
mod variable;
mod watchdog;
mod workgroups;

pub use barrier::{
    UniformLoad, storage_barrier, texture_barrier, workgroup_barrier, workgroup_uniform_load,
};
pub use builtins::{
    ComputeBuiltins, FragmentBuiltins, compute_builtins, global_invocation_id, is_helper,
    local_invocation_id, local_invocation_index, num_workgroups, outside_of_dispatch, workgroup_id,
    workgroup_size,
};
pub use derivative::{
    Derivative, dpdx, dpdx_coarse, dpdx_fine, dpdy, dpdy_coarse, dpdy_fine, fwidth, fwidth_coarse,
    fwidth_fine,
};
// Other names of the same trait, one for each function.
#[doc(hidden)]
pub use derivative::{
    Derivative as DerivativeBuiltinDpdx, Derivative as DerivativeBuiltinDpdxCoarse,
    Derivative as DerivativeBuiltinDpdxFine, Derivative as DerivativeBuiltinDpdy,
    Derivative as DerivativeBuiltinDpdyCoarse, Derivative as DerivativeBuiltinDpdyFine,
    Derivative as DerivativeBuiltinFwidth, Derivative as DerivativeBuiltinFwidthCoarse,
    Derivative as DerivativeBuiltinFwidthFine,
};
pub use error::{DispatchError, Panic, SourceLocation};
pub use fragments::{discard, dispatch_fragments, dispatch_image};
pub use options::{DispatchOptions, Schedule, StuckInvocation, Watchdog};
pub use quad::{QuadValue, quad_broadcast, quad_swap_diagonal, quad_swap_x, quad_swap_y};
pub use variable::{Workgroup, WorkgroupInteger};
pub use workgroups::dispatch_workgroups;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_send_and_sync() {
        fn check<T: Send + Sync>() {}
        check::<DispatchOptions>();
        check::<DispatchError>();
        check::<Panic>();
        check::<StuckInvocation>();
        check::<Watchdog>();
        check::<Workgroup<u32>>();
    }
}
