struct Out { @location(0) color: vec4<f32>, @builtin(sample_mask) mask: u32 }
@fragment fn both(@builtin(sample_mask) mask: u32, @builtin(sample_index) index: u32) -> Out {
    if mask == 0u { return Out(vec4<f32>(0.0), 1u); }
    return Out(vec4<f32>(1.0), mask & (1u << index));
}
@fragment fn only_in(@builtin(sample_mask) mask: u32) -> @location(0) vec4<f32> {
    return vec4<f32>(f32(mask));
}
@fragment fn only_out() -> @builtin(sample_mask) u32 { return 5u; }
