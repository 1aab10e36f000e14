//! Round trips from WGSL to SPIR-V to WGSL to SPIR-V to WGSL: all steps have the same semantics.
//!
//! The conformance cases must meet their expectations after each step, on the CPU device for WGSL and on a Vulkan
//! device for SPIR-V. Kernels of the repository, which have no expected results, must give the same result on a device
//! as before. Generated GLSL shaders are translated likewise. WGSL from SPIR-V for WebGPU is validated with Tint.

mod conformance;
mod generated;
mod kernels;
mod steps;
mod tint;

use crate::common::cases;
use crate::execution::values;
use crate::spirv_out::device;
