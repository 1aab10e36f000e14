//! Devices: lists them, selects one, opens it, and reports its loss.
//!
//! Other modules see only `wgpu` types and do not depend on which device it is.

mod list;
mod select;

pub(crate) use list::devices;
pub(crate) use select::select;
