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
    at = bitcast<vec2<i32>>(_e1.xy);
    let _e8 = at;
    let _e10 = at;
    let _e12 = textureLoad(read_, _e10);
    textureStore(written, _e8, _e12);
    let _e15 = at;
    let _e17 = at;
    let _e19 = textureLoad(both, _e17);
    textureStore(both, _e15, (_e19 * vec4(2u)));
    let _e25 = at.x;
    let _e27 = textureDimensions(unread);
    let _e28 = bitcast<vec2<i32>>(_e27);
    textureStore(one, _e25, vec4<i32>(_e28, 0i, 0i));
    let _e35 = at;
    textureStore(three, vec3<i32>(_e35, 1i), vec4<f32>(1f, 1f, 1f, 1f));
    let _e43 = at;
    let _e47 = vec3<i32>(_e43, 2i);
    textureStore(layers, _e47.xy, _e47.z, vec4<f32>(0.5f, 0.5f, 0.5f, 0.5f));
    let _e53 = at;
    let _e57 = vec3<i32>(_e53, 3i);
    textureStore(sky, _e57.xy, _e57.z, vec4<i32>(-1i, -1i, -1i, -1i));
    let _e63 = at;
    textureStore(any_, _e63, vec4<u32>(7u, 7u, 7u, 7u));
    return;
}

@compute @workgroup_size(8, 8, 1) 
fn main(@builtin(global_invocation_id) gl_GlobalInvocationID: vec3<u32>) {
    gl_GlobalInvocationID_1 = gl_GlobalInvocationID;
    main_inner();
    return;
}
