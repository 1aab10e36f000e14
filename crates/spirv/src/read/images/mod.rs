//! Images and samplers: usage analysis and the naga variables for them.
//!
//! In: the `UniformConstant` variables of the module, and all instructions that use them. Out: naga variables, their
//! bindings, and the passing of image and sampler parameters. Whether an image is a depth texture, and the access of a
//! storage image, are decided for each variable from all its uses in the module, including those through calls.
//!
//! WGSL separates what SPIR-V has in one variable, so a variable may have several *parts*:
//!
//! - a combined image-sampler has a texture and a sampler;
//! - a sampler used with and without comparison has two samplers;
//! - an image that is compared, and also sampled with a bias, with gradients or at a fractional level,
//!   has two textures, because depth textures do not support these.
//!
//! [`binding_assignment`] assigns their bindings.

mod binding_assignment;
mod formats;
mod parameters;
mod split_resources;
mod uses;

pub(crate) use binding_assignment::BindingAssignment;
pub(crate) use parameters::ArgumentPassing;
pub(crate) use split_resources::ResourceParts;
pub(crate) use uses::{ImageUsage, LevelOfDetail, ResourceUses, Sampling, level, sampling};
