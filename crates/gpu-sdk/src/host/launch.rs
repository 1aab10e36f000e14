//! Launches: a native kernel over a grid of workgroups.

use anywarp_dispatch::{DispatchError, DispatchOptions};

use super::{Host, Resources};

/// A launch of a native kernel: a builder that can run any number of times.
///
/// It has the methods of `anywarp_wasm::Kernel`, and takes the same [`Resources`], so that a program
/// runs its kernels natively, on the virtual machine or on a GPU with the same data:
///
/// ```
/// use gpu_sdk::host::{Launch, Resources};
/// use gpu_sdk::{set_pixel, thread_id};
///
/// #[gpu_sdk::kernel]
/// fn gradient(width: i32) {
///     let (x, y) = (thread_id() % width, thread_id() / width);
///     set_pixel(x, y, x as f32 / width as f32, 0.0, 0.0, 1.0);
/// }
///
/// let mut data = Resources::new().picture(8, 4);
/// Launch::new().workgroups([4, 1, 1]).workgroup_size([8, 1, 1]).run(&mut data, || gradient(8))?;
/// assert_eq!(data.picture.unwrap().pixels[8 + 4], [0.5, 0.0, 0.0, 1.0]);
/// # Ok::<(), gpu_sdk::DispatchError>(())
/// ```
///
/// Text that the kernel prints goes to standard output; [`Host`] can redirect it.
#[derive(Clone, Debug)]
pub struct Launch {
    workgroups: [u32; 3],
    workgroup_size: [u32; 3],
    options: DispatchOptions,
}

impl Default for Launch {
    fn default() -> Self {
        Self::new()
    }
}

impl Launch {
    /// A launch of one invocation.
    #[must_use]
    pub fn new() -> Self {
        Self {
            workgroups: [1; 3],
            workgroup_size: [1; 3],
            options: DispatchOptions::default(),
        }
    }

    /// Sets the number of workgroups in each dimension; 1 by default.
    #[must_use]
    pub fn workgroups(self, workgroups: [u32; 3]) -> Self {
        Self { workgroups, ..self }
    }

    /// Sets the workgroup size in each dimension; 1 by default.
    #[must_use]
    pub fn workgroup_size(self, workgroup_size: [u32; 3]) -> Self {
        Self {
            workgroup_size,
            ..self
        }
    }

    /// Sets the number of threads, the order of invocations, and a watchdog.
    #[must_use]
    pub fn options(self, options: DispatchOptions) -> Self {
        Self { options, ..self }
    }

    /// Calls the kernel for each invocation, and blocks until all have ended. The resources then
    /// have what the invocations have written, also after an error.
    ///
    /// # Errors
    ///
    /// If the grid is too large, an invocation panics, or a barrier is not reached by all
    /// invocations of its workgroup.
    #[track_caller]
    pub fn run(
        &self,
        data: &mut Resources,
        kernel: impl Fn() + Send + Sync,
    ) -> Result<(), DispatchError> {
        let host = Host::new(data);
        let (count, size) = (self.workgroups.into(), self.workgroup_size.into());
        let result = host.workgroups(&self.options, count, size, |_| kernel());
        *data = host.resources();
        result
    }
}
