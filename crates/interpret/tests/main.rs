//! Tests of the interpreter: kernels, types of all widths, subgroups and textures.

mod kernels;
mod subgroups;
mod textures;
mod widths;
