//! Procedural macros of `gpu-sdk`, which documents and re-exports them.
//!
//! This crate is an internal part of `gpu-sdk`: its interface changes in any release. Depend on `gpu-sdk` instead.
//!
//! In: a function or a struct. Out: the same item with generated code after it, or one spanned
//! error for each invalid part. Generated code refers to `::gpu_sdk`, so that crate must be a
//! dependency under its own name.

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
