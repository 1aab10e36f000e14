//! The macros of `gpu-sdk`, which documents them and exports them again.
//!
//! In: a function or a struct. Out: the same item and what belongs to it, or one error for each thing
//! that is wrong, at its place. What is generated names `::gpu_sdk`, so that crate must be a
//! dependency under its own name.

#![forbid(unsafe_code)]

mod host_shareable;
mod kernel;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemFn, parse_macro_input};

/// Makes a function a kernel: documented at `gpu_sdk::kernel`.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    kernel::expand(&arguments.into(), &function).into()
}

/// Gives a struct WGSL's layout: documented at `gpu_sdk::HostShareable`.
#[proc_macro_derive(HostShareable, attributes(gpu))]
pub fn host_shareable(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    host_shareable::expand(&item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
