//! Devices: finding, listing, opening, and learning that one is gone.
//!
//! Everything above this module sees `wgpu` types only; which device it is makes no difference.

mod list;
mod open;
mod select;

pub(crate) use list::devices;
pub(crate) use open::Session;
pub(crate) use select::select;
