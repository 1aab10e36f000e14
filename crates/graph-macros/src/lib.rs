//! The derive macro of `anywarp-graph`, which documents and re-exports it.
//!
//! This crate is an internal part of `anywarp-graph`: its interface changes in any release. Depend on `anywarp-graph` instead.
//!
//! In: a struct. Out: its declaration as a record, or one spanned error for the first invalid part.
//! Generated code refers to `::anywarp_graph`, or to the path of `#[record(crate = path)]`.
//!
//! ```
//! use anywarp_graph::Record;
//! use bytemuck::{Pod, Zeroable};
//!
//! #[derive(Clone, Copy, Pod, Zeroable, Record)]
//! #[repr(C)]
//! struct Tile {
//!     #[record(grid)]
//!     size: [u16; 2],
//!     corner: [f32; 3],
//! }
//! assert_eq!(Tile::NAME, "Tile");
//! assert_eq!(Tile::FIELDS[1].ty.to_string(), "vec3<f32>");
//! ```

#![forbid(unsafe_code)]

mod attributes;
mod record;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Declares a struct as a record of a graph: documented at `anywarp_graph::Record`.
#[proc_macro_derive(Record, attributes(record))]
pub fn record(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    record::expand(&item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
