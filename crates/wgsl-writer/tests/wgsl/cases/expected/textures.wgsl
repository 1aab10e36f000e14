@group(0) @binding(0) var t1: texture_1d<f32>;
@group(0) @binding(1) var t2: texture_2d<f32>;
@group(0) @binding(2) var t2a: texture_2d_array<f32>;
@group(0) @binding(3) var t3: texture_3d<f32>;
@group(0) @binding(4) var tc: texture_cube<f32>;
@group(0) @binding(5) var tca: texture_cube_array<f32>;
@group(0) @binding(6) var tm: texture_multisampled_2d<f32>;
@group(0) @binding(7) var ti: texture_2d<i32>;
@group(0) @binding(8) var tu: texture_2d<u32>;
@group(1) @binding(0) var d2: texture_depth_2d;
@group(1) @binding(1) var d2a: texture_depth_2d_array;
@group(1) @binding(2) var dc: texture_depth_cube;
@group(1) @binding(3) var dca: texture_depth_cube_array;
@group(1) @binding(4) var dm: texture_depth_multisampled_2d;
@group(2) @binding(0) var w: texture_storage_2d<rgba8unorm, write>;
@group(2) @binding(1) var r: texture_storage_2d_array<r32float, read>;
@group(2) @binding(2) var rw: texture_storage_3d<r32uint, read_write>;
@group(3) @binding(0) var s: sampler;
@group(3) @binding(1) var sc: sampler_comparison;

@fragment
fn sampled(@location(0) uv: vec2<f32>, @location(1) @interpolate(flat) layer: i32) -> @location(0) vec4<f32> {
    var c = textureSample(t2, s, uv);
    c += textureSample(t1, s, uv.x) + textureSample(t3, s, uv.xyx) + textureSample(tc, s, uv.xyy);
    c += textureSample(t2a, s, uv, layer, vec2<i32>(1, -1)) + textureSample(tca, s, uv.xyx, layer);
    c += textureSampleBias(t2, s, uv, 0.5) + textureSampleBias(t2a, s, uv, layer, 1.5, vec2<i32>(2, 3));
    c += textureSampleLevel(t2, s, uv, 2.0) + textureSampleLevel(t2, s, uv, 0.0, vec2<i32>(1, 1));
    c += textureSampleGrad(t2, s, uv, dpdx(uv), dpdyFine(uv)) + textureSampleBaseClampToEdge(t2, s, uv);
    c += textureGather(2, t2, s, uv) + textureGather(d2, s, uv) + textureGatherCompare(d2a, sc, uv, layer, 0.5);
    c.x += textureSampleCompare(d2, sc, uv, 0.25) + textureSampleCompareLevel(dc, sc, uv.xyx, 0.5) + textureSampleLevel(d2, s, uv, 1) + textureSample(dca, s, uv.xyx, layer);
    c += textureLoad(t2, vec2<i32>(uv), 1) + textureLoad(tm, vec2<u32>(1u, 2u), 3) + vec4<f32>(textureLoad(ti, vec2<i32>(0, 1), 0)) + vec4<f32>(textureLoad(tu, vec2<i32>(0, 1), 0));
    c.y += textureLoad(d2, vec2<i32>(1, 2), 0) + textureLoad(dm, vec2<i32>(1, 2), 1) + fwidthCoarse(uv.x);
    return c;
}

@compute @workgroup_size(8, 8)
fn stored(@builtin(global_invocation_id) id: vec3<u32>) {
    let value = textureLoad(r, id.xy, id.z);
    textureStore(w, id.xy, value);
    textureStore(rw, id, textureLoad(rw, id) + vec4<u32>(1u));
    textureBarrier();
    var n = textureDimensions(t2, 1).x + textureDimensions(t3).z + textureNumLayers(t2a) + textureNumLevels(t2) + textureNumSamples(tm);
    n += textureDimensions(w).y;
    textureStore(rw, id, vec4<u32>(n, 0u, 0u, 0u));
}
