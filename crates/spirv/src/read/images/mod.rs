//! Images and samplers of the module: what they are used for, and the variables that they become.
//!
//! In: the module's variables of class `UniformConstant`, and every instruction that uses one. Out:
//! variables of naga, their bindings, and the functions that take images or samplers. What always
//! holds: whether an image is compared with depths, and whether a storage image is read or written, is
//! decided for a variable from everything that the module does with it, through calls as well.
//!
//! naga and WGSL keep apart what SPIR-V has in one, so a variable may have several *faces*:
//!
//! - a combined image and sampler is a texture and a sampler;
//! - a sampler that is used with and without comparison is two;
//! - an image that is compared, and also sampled with a bias, with gradients or at a fraction of a
//!   level, is two textures, because depth textures allow none of these.
//!
//! [`binding_assignment`] says which bindings they get.

mod binding_assignment;
mod faces;
mod formats;
mod parameters;
mod uses;

pub(crate) use binding_assignment::BindingAssignment;
pub(crate) use faces::Faces;
pub(crate) use parameters::Passing;
pub(crate) use uses::{Images, Level, Sampling, Uses, level, sampling};
