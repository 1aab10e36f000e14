//! What the CPU adapter reports: name, features, limits, downlevel flags.
//!
//! wgpu-core refuses calls that need anything not reported here, with an error that names it. So only what works is
//! reported.

use anywarp_cpu::SubgroupSize;
use anywarp_program::units::MAX_BINDING_SIZE;
use wgpu::{hal, wgt};

use crate::api::Api;
use crate::cpu_name::cpu_name;

/// Name and type of the adapter, and its fixed subgroup size.
pub(crate) fn info(subgroup_size: SubgroupSize) -> wgt::AdapterInfo {
    wgt::AdapterInfo {
        name: cpu_name().to_owned(),
        driver: "anywarp".to_owned(),
        driver_info: env!("CARGO_PKG_VERSION").to_owned(),
        subgroup_min_size: subgroup_size.get(),
        subgroup_max_size: subgroup_size.get(),
        ..wgt::AdapterInfo::new(wgt::DeviceType::Cpu, <Api as hal::Api>::VARIANT)
    }
}

/// Optional features beyond WebGPU's core.
pub(crate) fn features() -> wgt::Features {
    wgt::Features::TIMESTAMP_QUERY
        | wgt::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
        | wgt::Features::TIMESTAMP_QUERY_INSIDE_PASSES
        | wgt::Features::IMMEDIATES
        | wgt::Features::MAPPABLE_PRIMARY_BUFFERS
        | wgt::Features::SHADER_F16
        | wgt::Features::SHADER_F64
        | wgt::Features::SHADER_I16
        | wgt::Features::SHADER_INT64
        | wgt::Features::SHADER_INT64_ATOMIC_MIN_MAX
        | wgt::Features::SHADER_INT64_ATOMIC_ALL_OPS
        | wgt::Features::SHADER_FLOAT32_ATOMIC
        | wgt::Features::SUBGROUP
        | wgt::Features::SUBGROUP_BARRIER
        // No value is cached between accesses: all memory is coherent and volatile.
        | wgt::Features::MEMORY_DECORATION_COHERENT
        | wgt::Features::MEMORY_DECORATION_VOLATILE
        | texture_features()
}

/// Features of textures and binding arrays.
fn texture_features() -> wgt::Features {
    wgt::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES
        | wgt::Features::TEXTURE_FORMAT_16BIT_NORM
        | wgt::Features::TEXTURE_ATOMIC
        | wgt::Features::TEXTURE_INT64_ATOMIC
        | wgt::Features::CLEAR_TEXTURE
        | wgt::Features::BGRA8UNORM_STORAGE
        | wgt::Features::DEPTH32FLOAT_STENCIL8
        | wgt::Features::TEXTURE_BINDING_ARRAY
        | wgt::Features::BUFFER_BINDING_ARRAY
        | wgt::Features::STORAGE_RESOURCE_BINDING_ARRAY
        | wgt::Features::UNIFORM_BUFFER_BINDING_ARRAYS
        | wgt::Features::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING
        | wgt::Features::STORAGE_TEXTURE_ARRAY_NON_UNIFORM_INDEXING
        | wgt::Features::PARTIALLY_BOUND_BINDING_ARRAY
        | wgt::Features::MULTISAMPLE_ARRAY
}

/// Limits, alignments and downlevel flags.
pub(crate) fn capabilities() -> hal::Capabilities {
    hal::Capabilities {
        limits: limits(),
        alignments: alignments(),
        downlevel: wgt::DownlevelCapabilities {
            flags: downlevel_flags(),
            limits: wgt::DownlevelLimits {},
            shader_model: wgt::ShaderModel::Sm5,
        },
        cooperative_matrix_properties: Vec::new(),
    }
}

/// WebGPU's defaults, raised for buffers and compute.
fn limits() -> wgt::Limits {
    wgt::Limits {
        max_texture_dimension_1d: 16384,
        max_texture_dimension_2d: 16384,
        max_texture_array_layers: 2048,
        max_sampled_textures_per_shader_stage: 128,
        max_samplers_per_shader_stage: 64,
        max_storage_textures_per_shader_stage: 64,
        max_binding_array_elements_per_shader_stage: 500_000,
        max_binding_array_sampler_elements_per_shader_stage: 1000,
        max_bind_groups: hal::MAX_BIND_GROUPS as u32,
        max_dynamic_uniform_buffers_per_pipeline_layout: 64,
        max_dynamic_storage_buffers_per_pipeline_layout: 64,
        max_storage_buffers_per_shader_stage: 64,
        max_uniform_buffers_per_shader_stage: 64,
        max_buffers_and_acceleration_structures_per_shader_stage: 128,
        max_uniform_buffer_binding_size: MAX_BINDING_SIZE.0,
        max_storage_buffer_binding_size: MAX_BINDING_SIZE.0,
        // Whether there is enough memory shows when a buffer is created.
        max_buffer_size: 1 << 40,
        min_uniform_buffer_offset_alignment: 32,
        min_storage_buffer_offset_alignment: 32,
        max_compute_workgroup_storage_size: 64 << 10,
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_size_x: 1024,
        max_compute_workgroup_size_y: 1024,
        max_compute_workgroup_size_z: 1024,
        max_immediate_size: 256,
        ..wgt::Limits::defaults()
    }
}

fn alignments() -> hal::Alignments {
    let none = wgt::BufferSize::MIN;
    hal::Alignments {
        buffer_copy_offset: none,
        buffer_copy_pitch: none,
        // Views consist of whole words.
        uniform_bounds_check_alignment: wgt::BufferSize::new(4).unwrap_or(none),
        raw_tlas_instance_size: 0,
        ray_tracing_scratch_buffer_alignment: 1,
        ray_tracing_pipeline_group_data_size: 1,
        ray_tracing_pipeline_group_data_alignment: 1,
        ray_tracing_pipeline_data_offset_alignment: 1,
    }
}

fn downlevel_flags() -> wgt::DownlevelFlags {
    use wgt::DownlevelFlags as Flags;
    let compute = Flags::COMPUTE_SHADERS
        | Flags::INDIRECT_EXECUTION
        | Flags::BUFFER_BINDINGS_NOT_16_BYTE_ALIGNED
        | Flags::UNRESTRICTED_INDEX_BUFFER
        | Flags::NONBLOCKING_QUERY_RESOLVE
        | Flags::SHADER_F16_IN_F32;
    // Compute programs often make bindings visible to all stages. The flags permit such layouts; pipelines with those
    // stages cannot be created.
    let visibility =
        Flags::VERTEX_STORAGE | Flags::FRAGMENT_STORAGE | Flags::FRAGMENT_WRITABLE_STORAGE;
    let textures = Flags::WEBGPU_TEXTURE_FORMAT_SUPPORT
        | Flags::NON_POWER_OF_TWO_MIPMAPPED_TEXTURES
        | Flags::CUBE_ARRAY_TEXTURES
        | Flags::DEPTH_TEXTURE_AND_BUFFER_COPIES
        | Flags::VIEW_FORMATS;
    // A comparison sampler can be created and bound; a pipeline that samples cannot. A pass that only clears may
    // declare its depth read-only.
    let harmless = Flags::COMPARISON_SAMPLERS | Flags::READ_ONLY_DEPTH_STENCIL;
    compute | visibility | textures | harmless
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_at_least_the_defaults() {
        assert!(wgt::Limits::defaults().check_limits(&limits()));
    }
}
