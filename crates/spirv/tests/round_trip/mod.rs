//! From WGSL to SPIR-V to WGSL to SPIR-V to WGSL: every step does what the first did.
//!
//! The cases of the conformance folder must meet their expectations after every step, on the CPU device
//! where the step is WGSL and on a Vulkan device where it is SPIR-V. Kernels of the repository, whose
//! results nobody wrote down, must give on each device what they gave there at first. Shaders that begin
//! as GLSL go the same way. What came from SPIR-V and is written for WebGPU is shown to Tint.

mod conformance;
mod generated;
mod kernels;
mod steps;
mod tint;

use crate::common::cases;
use crate::execution::values;
use crate::spirv_out::device;
