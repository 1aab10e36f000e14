var<private> gl_GlobalInvocationID_1: vec3<u32>;
@group(0) @binding(0) 
var counts: texture_storage_2d<r32uint,atomic>;
@group(0) @binding(1) 
var signed: texture_storage_2d_array<r32sint,atomic>;

fn main_inner() {
    var at: vec2<i32>;

    let _e1 = gl_GlobalInvocationID_1;
    at = vec2<i32>(_e1.xy);
    let _e7 = at;
    textureAtomicAdd(counts, _e7, 3u);
    let _e10 = at;
    textureAtomicMax(counts, _e10, 7u);
    let _e12 = at;
    textureAtomicOr(counts, _e12, 8u);
    let _e14 = at;
    let _e18 = vec3<i32>(_e14, 1i);
    textureAtomicMin(signed, _e18.xy, _e18.z, -7i);
    let _e23 = at;
    let _e26 = vec3<i32>(_e23, 1i);
    textureAtomicXor(signed, _e26.xy, _e26.z, 1i);
    return;
}

@compute @workgroup_size(8, 1, 1) 
fn main(@builtin(global_invocation_id) gl_GlobalInvocationID: vec3<u32>) {
    gl_GlobalInvocationID_1 = gl_GlobalInvocationID;
    main_inner();
    return;
}
