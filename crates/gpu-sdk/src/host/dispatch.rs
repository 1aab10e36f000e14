//! Runs kernels with a host as the current host of each invocation.

use std::vec::Vec;

use anywarp_dispatch::{ComputeBuiltins, DispatchError, DispatchOptions, FragmentBuiltins};

use super::Host;
use super::current::{CallMode, Current, preserving};

/// The maximum workgroup size that [`Host::dispatch`] chooses.
const MAX_WORKGROUP: u32 = 64;

impl Host {
    /// Calls a kernel once, on this thread. Its `thread_id` is 0.
    ///
    /// An invocation may do so too. The call is then not part of its dispatch: if it waited at a
    /// barrier, the other invocations would find the wrong host.
    pub fn run<R>(&self, kernel: impl FnOnce() -> R) -> R {
        let current = self.current(CallMode::Once);
        preserving(|| {
            current.enter();
            anywarp_dispatch::outside_of_dispatch(kernel)
        })
    }

    /// Calls a kernel for this number of invocations, which differ in their `thread_id`.
    ///
    /// The workgroup size is unspecified: a kernel with barriers needs
    /// [`dispatch_workgroups`](Self::dispatch_workgroups).
    ///
    /// # Panics
    ///
    /// If an invocation panics, with its panic.
    #[track_caller]
    pub fn dispatch(&self, threads: u32, kernel: impl Fn() + Send + Sync) {
        // Whole workgroups with the largest possible size.
        let size = (threads & threads.wrapping_neg()).clamp(1, MAX_WORKGROUP);
        self.dispatch_workgroups((threads / size, 1, 1), (size, 1, 1), |_| kernel());
    }

    /// [`anywarp_dispatch::dispatch_workgroups`] with this host.
    ///
    /// # Panics
    ///
    /// On every [`DispatchError`]; if an invocation panics, with its panic.
    #[track_caller]
    pub fn dispatch_workgroups(
        &self,
        count: (u32, u32, u32),
        size: (u32, u32, u32),
        kernel: impl Fn(ComputeBuiltins) + Send + Sync,
    ) {
        let current = self.current(CallMode::Dispatched);
        preserving(|| {
            anywarp_dispatch::dispatch_workgroups(count, size, |builtins| {
                current.enter();
                kernel(builtins);
            });
        });
    }

    /// [`DispatchOptions::workgroups`] with this host.
    ///
    /// # Errors
    ///
    /// As [`DispatchOptions::workgroups`].
    #[track_caller]
    pub fn workgroups(
        &self,
        options: &DispatchOptions,
        count: (u32, u32, u32),
        size: (u32, u32, u32),
        kernel: impl Fn(ComputeBuiltins) + Send + Sync,
    ) -> Result<(), DispatchError> {
        let current = self.current(CallMode::Dispatched);
        preserving(|| {
            options.workgroups(count, size, |builtins| {
                current.enter();
                kernel(builtins);
            })
        })
    }

    /// [`anywarp_dispatch::dispatch_fragments`] with this host. A fragment has no `thread_id`.
    ///
    /// # Panics
    ///
    /// On every [`DispatchError`]; if an invocation panics, with its panic.
    #[track_caller]
    pub fn dispatch_fragments<I: Send, O: Send>(
        &self,
        width: u32,
        height: u32,
        input: impl Fn(u32, u32) -> I + Send + Sync,
        shader: impl Fn(FragmentBuiltins, I) -> O + Send + Sync,
    ) -> Vec<Vec<Option<O>>> {
        let current = self.current(CallMode::Dispatched);
        preserving(|| {
            anywarp_dispatch::dispatch_fragments(width, height, input, |builtins, input| {
                current.enter();
                shader(builtins, input)
            })
        })
    }

    fn current(&self, mode: CallMode) -> Current {
        Current {
            host: self.clone(),
            mode,
        }
    }
}
