var<private> gl_GlobalInvocationID_1: vec3<u32>;
@group(0) @binding(1) 
var written: texture_storage_2d<rgba16float,write>;
@group(0) @binding(0) 
var read_: texture_storage_2d<rgba8unorm,read>;
@group(0) @binding(2) 
var both: texture_storage_2d<r32uint,read_write>;
@group(0) @binding(4) 
var one: texture_storage_1d<r32sint,write>;
@group(0) @binding(3) 
var unread: texture_storage_2d<rgba8unorm,read>;
@group(0) @binding(5) 
var three: texture_storage_3d<rgba32float,write>;
@group(0) @binding(6) 
var layers: texture_storage_2d_array<rgba8snorm,write>;
@group(0) @binding(7) 
var sky: texture_storage_2d_array<rgba8sint,write>;
@group(0) @binding(8) 
var any_: texture_storage_2d<rgba32uint,write>;

fn main_inner() {
    var at: vec2<i32>;

    let _e1 = gl_GlobalInvocationID_1;
    at = vec2<i32>(_e1.xy);
    let _e7 = at;
    let _e8 = at;
    let _e10 = textureLoad(read_, _e8);
    textureStore(written, _e7, _e10);
    let _e12 = at;
    let _e13 = at;
    let _e15 = textureLoad(both, _e13);
    textureStore(both, _e12, (_e15 * vec4(2u)));
    let _e20 = at.x;
    let _e22 = textureDimensions(unread);
    let _e23 = bitcast<vec2<i32>>(_e22);
    textureStore(one, _e20, vec4<i32>(_e23, 0i, 0i));
    let _e29 = at;
    textureStore(three, vec3<i32>(_e29, 1i), vec4<f32>(1f, 1f, 1f, 1f));
    let _e36 = at;
    let _e40 = vec3<i32>(_e36, 2i);
    textureStore(layers, _e40.xy, _e40.z, vec4<f32>(0.5f, 0.5f, 0.5f, 0.5f));
    let _e45 = at;
    let _e49 = vec3<i32>(_e45, 3i);
    textureStore(sky, _e49.xy, _e49.z, vec4<i32>(-1i, -1i, -1i, -1i));
    let _e54 = at;
    textureStore(any_, _e54, vec4<u32>(7u, 7u, 7u, 7u));
    return;
}

@compute @workgroup_size(8, 8, 1) 
fn main(@builtin(global_invocation_id) gl_GlobalInvocationID: vec3<u32>) {
    gl_GlobalInvocationID_1 = gl_GlobalInvocationID;
    main_inner();
    return;
}
