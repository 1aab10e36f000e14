//! The features that a case may need beyond the core of WebGPU, by name.

/// An optional device feature.
#[derive(Debug, PartialEq, Eq)]
pub struct Feature {
    /// The name that cases use.
    pub name: &'static str,
    /// The wgpu features to request; empty if every device supports it and the name is only a row of the table.
    pub requested: wgpu::Features,
}

const fn feature(name: &'static str, requested: wgpu::Features) -> Feature {
    Feature { name, requested }
}

const TABLE: &[Feature] = &[
    feature("f16", wgpu::Features::SHADER_F16),
    feature("f64", wgpu::Features::SHADER_F64),
    feature("int16", wgpu::Features::SHADER_I16),
    feature("int64", wgpu::Features::SHADER_INT64),
    feature("int64_atomics", wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
    feature("int64_min_max", wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX),
    feature("f32_atomics", wgpu::Features::SHADER_FLOAT32_ATOMIC),
    feature("subgroups", wgpu::Features::SUBGROUP),
    feature("subgroup_barrier", wgpu::Features::SUBGROUP_BARRIER),
    feature(
        "memory_decorations",
        wgpu::Features::MEMORY_DECORATION_COHERENT
            .union(wgpu::Features::MEMORY_DECORATION_VOLATILE),
    ),
    feature("textures", wgpu::Features::empty()),
    feature("texture_atomics", wgpu::Features::TEXTURE_ATOMIC),
    feature(
        "texture_int64_atomics",
        wgpu::Features::TEXTURE_INT64_ATOMIC,
    ),
    feature(
        "texture_16bit_norm",
        wgpu::Features::TEXTURE_FORMAT_16BIT_NORM,
    ),
    feature("bgra8_storage", wgpu::Features::BGRA8UNORM_STORAGE),
    feature(
        "depth32float_stencil8",
        wgpu::Features::DEPTH32FLOAT_STENCIL8,
    ),
    feature("texture_arrays", wgpu::Features::TEXTURE_BINDING_ARRAY),
    feature(
        "buffer_arrays",
        wgpu::Features::BUFFER_BINDING_ARRAY.union(wgpu::Features::STORAGE_RESOURCE_BINDING_ARRAY),
    ),
    feature(
        "storage_texture_arrays",
        wgpu::Features::TEXTURE_BINDING_ARRAY.union(wgpu::Features::STORAGE_RESOURCE_BINDING_ARRAY),
    ),
    feature(
        "uniform_arrays",
        wgpu::Features::BUFFER_BINDING_ARRAY.union(wgpu::Features::UNIFORM_BUFFER_BINDING_ARRAYS),
    ),
    feature(
        "non_uniform_arrays",
        wgpu::Features::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING,
    ),
    feature(
        "texture_formats",
        wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES,
    ),
];

impl Feature {
    /// The feature with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|feature| feature.name == name)
    }
}
