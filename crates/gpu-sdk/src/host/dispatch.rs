//! Runs kernels under a host.

use std::vec::Vec;

use anywarp_dispatch::{ComputeBuiltins, DispatchError, DispatchOptions, FragmentBuiltins};

use super::Host;
use super::current::{Current, Way, keep};

/// The largest workgroup that [`Host::dispatch`] makes.
const MAX_WORKGROUP: u32 = 64;

impl Host {
    /// Calls a kernel once, on this thread. Its `thread_id` is 0.
    ///
    /// An invocation may do so too. The call is then no part of its dispatch: if it waited for the
    /// siblings at a barrier, they would find the wrong host.
    pub fn run<R>(&self, kernel: impl FnOnce() -> R) -> R {
        let current = self.current(Way::Once);
        keep(|| {
            current.enter();
            anywarp_dispatch::outside_of_dispatch(kernel)
        })
    }

    /// Calls a kernel for so many invocations, which differ in their `thread_id`.
    ///
    /// How they are divided into workgroups is left open: a kernel with barriers needs
    /// [`dispatch_workgroups`](Self::dispatch_workgroups).
    ///
    /// # Panics
    ///
    /// Like the invocation that panics, if one does.
    #[track_caller]
    pub fn dispatch(&self, threads: u32, kernel: impl Fn() + Send + Sync) {
        // Whole workgroups, as large as they can be.
        let size = (threads & threads.wrapping_neg()).clamp(1, MAX_WORKGROUP);
        self.dispatch_workgroups((threads / size, 1, 1), (size, 1, 1), |_| kernel());
    }

    /// [`anywarp_dispatch::dispatch_workgroups`] under this host.
    ///
    /// # Panics
    ///
    /// On every [`DispatchError`]; like the invocation that panics, if one does.
    #[track_caller]
    pub fn dispatch_workgroups(
        &self,
        count: (u32, u32, u32),
        size: (u32, u32, u32),
        kernel: impl Fn(ComputeBuiltins) + Send + Sync,
    ) {
        let current = self.current(Way::Dispatched);
        keep(|| {
            anywarp_dispatch::dispatch_workgroups(count, size, |builtins| {
                current.enter();
                kernel(builtins);
            });
        });
    }

    /// [`DispatchOptions::workgroups`] under this host.
    ///
    /// # Errors
    ///
    /// As there.
    #[track_caller]
    pub fn workgroups(
        &self,
        options: &DispatchOptions,
        count: (u32, u32, u32),
        size: (u32, u32, u32),
        kernel: impl Fn(ComputeBuiltins) + Send + Sync,
    ) -> Result<(), DispatchError> {
        let current = self.current(Way::Dispatched);
        keep(|| {
            options.workgroups(count, size, |builtins| {
                current.enter();
                kernel(builtins);
            })
        })
    }

    /// [`anywarp_dispatch::dispatch_fragments`] under this host. A fragment has no `thread_id`.
    ///
    /// # Panics
    ///
    /// On every [`DispatchError`]; like the invocation that panics, if one does.
    #[track_caller]
    pub fn dispatch_fragments<I: Send, O: Send>(
        &self,
        width: u32,
        height: u32,
        input: impl Fn(u32, u32) -> I + Send + Sync,
        shader: impl Fn(FragmentBuiltins, I) -> O + Send + Sync,
    ) -> Vec<Vec<Option<O>>> {
        let current = self.current(Way::Dispatched);
        keep(|| {
            anywarp_dispatch::dispatch_fragments(width, height, input, |builtins, input| {
                current.enter();
                shader(builtins, input)
            })
        })
    }

    fn current(&self, way: Way) -> Current {
        Current {
            host: self.clone(),
            way,
        }
    }
}
