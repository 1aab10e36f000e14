//! The library that GPU kernels in plain stable Rust import.
//!
//! The same source compiles for two targets. Natively it runs on the CPU with GPU semantics, under
//! `cargo test` and a debugger; the crate `anywarp-dispatch`, which is re-exported here, runs it.
//! For `wasm32-unknown-unknown` it becomes a module whose functions run on the GPU, and which calls
//! its host through the imports of module `gpu`.
//!
//! - **Values**: WGSL's vectors and matrices under WGSL's names, from glam; its builtin functions
//!   ([`math`]) and operators ([`operators`]) for scalars and vectors alike, with WGSL's results.
//! - **Memory**: [`HostShareable`] gives types WGSL's memory layout; [`StorageBuffer`] is memory
//!   that many invocations may read and write concurrently, with WGSL's atomics. [`Binding`] is a
//!   storage buffer of the host, by group and binding.
//! - **Workgroups**: `global_invocation_id` and the other builtin values, `workgroup_barrier`, and
//!   workgroup variables, by `workgroup!`.
//! - **Derivatives**: `dpdx`, `dpdy`, `fwidth` and their variants. Natively they compare the
//!   fragments of `dispatch_fragments`; on wasm32, where kernels have no fragments, the blocks of
//!   2x2 invocations of a workgroup whose size is even along x and y.
//! - **Kernels**: [`macro@kernel`] exports a function on wasm32 and leaves it an ordinary function.
//! - **Host functions**: [`set_pixel`], [`read_state`], [`time`] and others; natively a
//!   [`host::Host`] implements them.
//!
//! What always holds: results are the same natively and on wasm32; nothing a kernel does with these
//! types is undefined behaviour; out-of-bounds reads of a buffer return zero and out-of-bounds
//! writes do nothing.
//!
//! ```
//! use gpu_sdk::{StorageBuffer, dispatch_workgroups, vec3f, normalize};
//!
//! let points: StorageBuffer<_> = (1..=64).map(|i| vec3f(i as f32, 0.0, 0.0)).collect();
//! dispatch_workgroups((1, 1, 1), (64, 1, 1), |builtins| {
//!     let i = builtins.global_invocation_id.x;
//!     points.store(i, normalize(points.load(i)));
//! });
//! assert_eq!(points.load(63), vec3f(1.0, 0.0, 0.0));
//! ```
//!
//! # Kernels without the standard library
//!
//! On wasm32 the crate needs neither `std` nor an allocator. A `no_std` kernel crate needs a panic
//! handler, which [`panic_handler!`] defines; storage buffers need the feature `alloc` and an
//! allocator there.

#![no_std]
#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]

#[cfg(any(not(target_arch = "wasm32"), feature = "alloc"))]
extern crate alloc;
// The macros' output refers to `::gpu_sdk`, also inside this crate.
extern crate self as gpu_sdk;
#[cfg(not(target_arch = "wasm32"))]
extern crate std;

mod atomic;
mod binding;
#[cfg(any(not(target_arch = "wasm32"), feature = "alloc"))]
mod buffer;
#[cfg(target_arch = "wasm32")]
mod derivative;
#[cfg(target_arch = "wasm32")]
mod grid;
#[cfg(not(target_arch = "wasm32"))]
pub mod host;
#[cfg(target_arch = "wasm32")]
mod imports;
mod index;
mod intrinsics;
mod kernel;
pub mod layout;
pub mod math;
mod text;
mod types;

pub use atomic::{Atomic, AtomicWord, CompareExchange};
pub use binding::Binding;
#[cfg(any(not(target_arch = "wasm32"), feature = "alloc"))]
pub use buffer::StorageBuffer;
#[cfg(target_arch = "wasm32")]
pub use derivative::*;
#[cfg(target_arch = "wasm32")]
pub use grid::{
    Workgroup, global_invocation_id, local_invocation_id, local_invocation_index, num_workgroups,
    storage_barrier, workgroup_barrier, workgroup_id, workgroup_size, workgroup_uniform_load,
};
pub use index::Index;
pub use intrinsics::{
    FileError, atomic_add, print, print_args, queue_pop, queue_push, read_file, read_input,
    read_state, set_pixel, thread_id, time, write_file, write_state,
};
pub use kernel::{KernelResult, KernelValue};
pub use layout::HostShareable;
pub use math::*;
pub use types::*;

// A glob, so that everything that `anywarp-dispatch` exports is available to kernels.
#[cfg(not(target_arch = "wasm32"))]
pub use anywarp_dispatch::*;

/// Implements the memory layout that the same struct has in WGSL, so that it can be an element of a
/// storage buffer. Each member lies at the next multiple of its alignment. `#[gpu(align = ..)]` and
/// `#[gpu(size = ..)]` on a member are WGSL's `@align` and `@size`, in bytes.
///
/// The struct must be `Copy`, and its members `HostShareable`.
///
/// ```
/// use gpu_sdk::layout::Struct;
/// use gpu_sdk::{HostShareable, Vec3f};
///
/// #[derive(Clone, Copy, HostShareable)]
/// struct Light {
///     brightness: f32,
///     position: Vec3f,
///     flicker: f32,
///     #[gpu(align = 16)]
///     colour: [f32; 3],
/// }
///
/// let offsets: Vec<_> = Light::MEMBERS.iter().map(|member| member.offset).collect();
/// assert_eq!(offsets, [0, 16, 28, 32]);
/// assert_eq!((Light::ALIGN, Light::SIZE), (16, 48));
/// ```
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy, gpu_sdk::HostShareable)]
/// struct Switch {
///     is_on: bool,
/// }
/// ```
///
/// ```compile_fail,E0080
/// #[derive(Clone, Copy, gpu_sdk::HostShareable)]
/// struct Narrow {
///     #[gpu(align = 8)]
///     colour: gpu_sdk::Vec4f,
/// }
/// ```
///
/// ```compile_fail
/// #[derive(Clone, Copy, gpu_sdk::HostShareable)]
/// enum Choice {
///     One,
///     Other,
/// }
/// ```
pub use gpu_sdk_macros::HostShareable;

/// Exports a function as a kernel: on wasm32 under its name. Natively it stays an ordinary
/// function, which a dispatch or a test calls.
///
/// Kernels take i32, u32, i64, u64, f32 and f64, and return one of them or nothing.
///
/// ```
/// #[gpu_sdk::kernel]
/// fn square(n: i32) -> i32 {
///     n * n
/// }
///
/// assert_eq!(square(3), 9);
/// ```
///
/// A signature that a WebAssembly function cannot have is an error natively too:
///
/// ```compile_fail,E0277
/// #[gpu_sdk::kernel]
/// fn shade(colour: &[f32]) {}
/// ```
///
/// ```compile_fail,E0277
/// #[gpu_sdk::kernel]
/// fn position(n: i32) -> (i32, i32) {
///     (n, n)
/// }
/// ```
///
/// ```compile_fail
/// #[gpu_sdk::kernel]
/// fn first<T: Copy>(x: i32) {}
/// ```
///
/// ```compile_fail
/// #[gpu_sdk::kernel]
/// async fn later(n: i32) {}
/// ```
///
/// ```compile_fail
/// struct Scene;
/// impl Scene {
///     #[gpu_sdk::kernel]
///     fn draw(&self) {}
/// }
/// ```
pub use gpu_sdk_macros::kernel;

/// Items that the macros' output uses.
#[doc(hidden)]
pub mod __private {
    #[cfg(target_arch = "wasm32")]
    pub use crate::imports::{report_hook, report_panic, report_panic_briefly};
    pub use crate::kernel::{is_argument, is_result};
}

/// Defines the panic handler of a kernel crate without `std`: it passes the message to the host,
/// which ends the invocation. Natively it expands to nothing.
///
/// Formatting takes some kilobytes of code, which runs only in a panic. `panic_handler!(brief)`
/// does not format: it reports the location, and the message if that is a literal.
///
/// ```
/// gpu_sdk::panic_handler!();
/// ```
///
/// A crate with `std` has the panic handler of `std`. `panic_handler!(std)` installs a panic hook
/// that passes the message to the host; without it a panic ends the invocation too, but without a
/// message. The hook is installed before each kernel, so a crate uses the macro once.
#[macro_export]
macro_rules! panic_handler {
    () => {
        $crate::panic_handler!(@ report_panic);
    };
    (brief) => {
        $crate::panic_handler!(@ report_panic_briefly);
    };
    (std) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            extern "C" fn set_hook() {
                ::std::panic::set_hook(::std::boxed::Box::new(|info| {
                    $crate::__private::report_hook(info.location(), info.payload_as_str())
                }));
            }

            // Linkers call the functions of this section before each export.
            #[used]
            #[unsafe(link_section = ".init_array")]
            static SET_HOOK: extern "C" fn() = set_hook;
        };
    };
    (@ $report:ident) => {
        #[cfg(target_arch = "wasm32")]
        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $crate::__private::$report(info)
        }
    };
}
