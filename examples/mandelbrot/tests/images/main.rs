//! Images on real devices: against high precision and strict f32, on every device alike, however the
//! work is cut, and the command from outside.

mod bad_input;
mod command;
mod devices;
mod direct;
mod early_results;
mod gpu;
mod limits;
mod looking;
mod perturbation;
mod reordering;
mod sights;
mod truth;
