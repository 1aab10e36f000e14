//! Procedural macros of `gpu-sdk`, which documents and re-exports them.
//!
//! This crate is an internal part of `gpu-sdk`: its interface changes in any release. Depend on `gpu-sdk` instead.
//!
//! In: a function or a struct. Out: the same item with generated code after it, or one spanned
//! error for each invalid part. Generated code refers to `::gpu_sdk`, so that crate must be a
//! dependency under its own name.
//!
//! ```
//! use gpu_sdk::host::Host;
//! use gpu_sdk::prelude::*;
//!
//! #[derive(Clone, Copy, HostShareable)]
//! struct Ball {
//!     position: Vec3f,
//!     radius: f32,
//! }
//!
//! static BALLS: Binding<Ball> = Binding::new(0, 0);
//!
//! /// Built for wasm32, this is the kernel `grow` of the module. Here it is a function.
//! #[gpu_sdk::kernel]
//! fn grow(factor: f32) {
//!     let i = global_invocation_id().x;
//!     let ball = BALLS.load(i);
//!     BALLS.store(i, Ball { radius: ball.radius * factor, ..ball });
//! }
//!
//! let ball = Ball { position: vec3f(1.0, 2.0, 3.0), radius: 2.0 };
//! let host = Host::builder().buffer(0, 0, &[ball]).build();
//! host.dispatch(1, || grow(1.5));
//! assert_eq!(host.buffer::<Ball>(0, 0)[0].radius, 3.0);
//! ```

#![forbid(unsafe_code)]

mod host_shareable;
mod kernel;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemFn, parse_macro_input};

/// Exports a function as a kernel: documented at `gpu_sdk::kernel`.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    kernel::expand(&arguments.into(), &function).into()
}

/// Implements WGSL's memory layout for a struct: documented at `gpu_sdk::HostShareable`.
#[proc_macro_derive(HostShareable, attributes(gpu))]
pub fn host_shareable(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    host_shareable::expand(&item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
