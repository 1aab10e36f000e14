//! The library that GPU kernels in plain stable Rust import.
//!
//! The same source compiles for two targets. Natively it runs on the CPU with GPU semantics, under
//! `cargo test` and a debugger; the crate `anywarp-dispatch` runs it.
//! For `wasm32-unknown-unknown` it becomes a module whose functions run on the GPU, and which calls
//! its host through the imports of module `gpu`.
//!
//! - **Values**: WGSL's vectors and matrices under WGSL's names, from glam; its builtin functions
//!   ([`math`]) and operators ([`operators`]) for scalars and vectors alike, with WGSL's results.
//! - **Memory**: [`Binding`] is a storage buffer, by group and binding, with WGSL's atomics;
//!   [`HostShareable`] gives its elements WGSL's memory layout. [`HostBuffer`] has the same accesses
//!   for memory of the process, which closures of a native dispatch share.
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
//! use gpu_sdk::host::Host;
//! use gpu_sdk::prelude::*;
//!
//! static POINTS: Binding<Vec3f> = Binding::new(0, 0);
//!
//! /// Built for wasm32, this is the kernel `unit` of the module. Here it is a function.
//! #[gpu_sdk::kernel]
//! fn unit() {
//!     let i = global_invocation_id().x;
//!     POINTS.store(i, normalize(POINTS.load(i)));
//! }
//!
//! let points = [vec3f(2.0, 0.0, 0.0), vec3f(0.0, 3.0, 4.0)];
//! let host = Host::builder().buffer(0, 0, &points).build();
//! host.dispatch(2, unit);
//! assert_eq!(host.buffer::<Vec3f>(0, 0), [Vec3f::X, vec3f(0.0, 0.6, 0.8)]);
//! ```
//!
//! [`prelude`] has the names that most kernels use.
//!
//! # Kernels without the standard library
//!
//! On wasm32 the crate needs neither `std` nor an allocator. A `no_std` kernel crate needs a panic
//! handler, which [`panic_handler!`] defines; [`HostBuffer`] needs the feature `alloc` and an
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
pub mod prelude;
mod text;
mod types;

pub use atomic::{Atomic, AtomicWord, CompareExchange};
pub use binding::Binding;
#[cfg(any(not(target_arch = "wasm32"), feature = "alloc"))]
pub use buffer::HostBuffer;
#[cfg(any(not(target_arch = "wasm32"), feature = "alloc"))]
#[doc(hidden)]
#[expect(deprecated, reason = "the former name")]
pub use buffer::StorageBuffer;
#[cfg(target_arch = "wasm32")]
pub use derivative::{
    Derivative, dpdx, dpdx_coarse, dpdx_fine, dpdy, dpdy_coarse, dpdy_fine, fwidth, fwidth_coarse,
    fwidth_fine,
};
// Other names of the same trait, one for each function.
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub use derivative::{
    Derivative as DerivativeBuiltinDpdx, Derivative as DerivativeBuiltinDpdxCoarse,
    Derivative as DerivativeBuiltinDpdxFine, Derivative as DerivativeBuiltinDpdy,
    Derivative as DerivativeBuiltinDpdyCoarse, Derivative as DerivativeBuiltinDpdyFine,
    Derivative as DerivativeBuiltinFwidth, Derivative as DerivativeBuiltinFwidthCoarse,
    Derivative as DerivativeBuiltinFwidthFine,
};
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
pub use math::{
    Components, Float, Frexp, Integer, IntegerScalar, Matrix, Modf, Number, NumberScalar, Signed,
    SignedScalar, Spread, Vector, Word,
};
pub use math::{
    abs, acos, acosh, all, any, asin, asinh, atan, atan2, atanh, bitcast, ceil, clamp, cos, cosh,
    count_leading_zeros, count_one_bits, count_trailing_zeros, cross, degrees, determinant,
    distance, dot, dot4_i8_packed, dot4_u8_packed, exp, exp2, extract_bits, face_forward,
    first_leading_bit, first_trailing_bit, floor, fma, fract, frexp, insert_bits, inverse_sqrt,
    ldexp, length, log, log2, max, min, mix, modf, normalize, operators, pack2x16float,
    pack2x16snorm, pack2x16unorm, pack4x_i8, pack4x_i8_clamp, pack4x_u8, pack4x_u8_clamp,
    pack4x8snorm, pack4x8unorm, pow, quantize_to_f16, radians, reflect, refract, reverse_bits,
    round, saturate, select, sign, sin, sinh, smoothstep, sqrt, step, tan, tanh, transpose, trunc,
    unpack2x16float, unpack2x16snorm, unpack2x16unorm, unpack4x_i8, unpack4x_u8, unpack4x8snorm,
    unpack4x8unorm,
};
pub use types::{
    Mat2x2f, Mat3x3f, Mat4x4f, Vec2b, Vec2f, Vec2i, Vec2u, Vec3b, Vec3f, Vec3i, Vec3u, Vec4b,
    Vec4f, Vec4i, Vec4u, mat2x2f, mat3x3f, mat4x4f, vec2b, vec2f, vec2i, vec2u, vec3b, vec3f,
    vec3i, vec3u, vec4b, vec4f, vec4i, vec4u,
};

// What kernels use natively; the modules `grid` and `derivative` have the same names on wasm32.
#[cfg(not(target_arch = "wasm32"))]
pub use anywarp_dispatch::{
    Derivative, Workgroup, WorkgroupInteger, dpdx, dpdx_coarse, dpdx_fine, dpdy, dpdy_coarse,
    dpdy_fine, fwidth, fwidth_coarse, fwidth_fine, global_invocation_id, local_invocation_id,
    local_invocation_index, num_workgroups, storage_barrier, workgroup, workgroup_barrier,
    workgroup_id, workgroup_size, workgroup_uniform_load,
};
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub use anywarp_dispatch::{
    DerivativeBuiltinDpdx, DerivativeBuiltinDpdxCoarse, DerivativeBuiltinDpdxFine,
    DerivativeBuiltinDpdy, DerivativeBuiltinDpdyCoarse, DerivativeBuiltinDpdyFine,
    DerivativeBuiltinFwidth, DerivativeBuiltinFwidthCoarse, DerivativeBuiltinFwidthFine,
};
// Fragments exist only natively.
#[cfg(not(target_arch = "wasm32"))]
pub use anywarp_dispatch::{
    FragmentBuiltins, QuadValue, UniformLoad, discard, is_helper, quad_broadcast,
    quad_swap_diagonal, quad_swap_x, quad_swap_y, texture_barrier,
};
// What starts kernels natively.
#[cfg(not(target_arch = "wasm32"))]
pub use anywarp_dispatch::{
    ComputeBuiltins, DispatchError, DispatchOptions, Panic, Schedule, SourceLocation,
    StuckInvocation, Watchdog, compute_builtins, dispatch_fragments, dispatch_image,
    dispatch_workgroups, outside_of_dispatch,
};

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

/// The Rust examples of the document, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust-kernels.md")]
struct Document;
