//! Images on all devices, compared with high precision, with strict f32 and with each other, for any division into
//! batches; the command; and the examples in the documents.

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
