var<private> gl_GlobalInvocationID_1: vec3<u32>;
@group(0) @binding(0) 
var counts: texture_storage_2d<r32uint,atomic>;
@group(0) @binding(1) 
var signed: texture_storage_2d_array<r32sint,atomic>;

fn main_inner() {
    var at: vec2<i32>;

    let _e1 = gl_GlobalInvocationID_1;
    at = bitcast<vec2<i32>>(_e1.xy);
    let _e8 = at;
    textureAtomicAdd(counts, _e8, 3u);
    let _e12 = at;
    textureAtomicMax(counts, _e12, 7u);
    let _e15 = at;
    textureAtomicOr(counts, _e15, 8u);
    let _e18 = at;
    let _e22 = vec3<i32>(_e18, 1i);
    textureAtomicMin(signed, _e22.xy, _e22.z, -7i);
    let _e28 = at;
    let _e31 = vec3<i32>(_e28, 1i);
    textureAtomicXor(signed, _e31.xy, _e31.z, 1i);
    return;
}

@compute @workgroup_size(8, 1, 1) 
fn main(@builtin(global_invocation_id) gl_GlobalInvocationID: vec3<u32>) {
    gl_GlobalInvocationID_1 = gl_GlobalInvocationID;
    main_inner();
    return;
}
