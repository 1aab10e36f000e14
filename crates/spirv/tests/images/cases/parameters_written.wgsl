enable wgpu_binding_array;

var<private> gl_GlobalInvocationID_1: vec3<u32>;
@group(0) @binding(0) 
var a: texture_storage_2d<rgba32float,write>;
@group(0) @binding(1) 
var b: binding_array<texture_storage_2d<rgba32float,write>, 3>;
@group(0) @binding(2) 
var c: texture_storage_2d<rgba32float,read>;

fn put(at: vec2<i32>, value: vec4<f32>) {
    textureStore(a, at, value);
    return;
}

fn twice(at_1: vec2<i32>) {
    put(at_1, vec4<f32>(1f, 1f, 1f, 1f));
    put((at_1 + vec2(1i)), vec4<f32>(2f, 2f, 2f, 2f));
    return;
}

fn put_1(to: i32, at_2: vec2<i32>, value_1: vec4<f32>) {
    textureStore(b[to], at_2, value_1);
    return;
}

fn twice_1(to_1: i32, at_3: vec2<i32>) {
    put_1(to_1, at_3, vec4<f32>(1f, 1f, 1f, 1f));
    put_1(to_1, (at_3 + vec2(1i)), vec4<f32>(2f, 2f, 2f, 2f));
    return;
}

fn get_(from_: texture_storage_2d<rgba32float,read>, at_4: vec2<i32>) -> vec4<f32> {
    let _e2 = textureLoad(from_, at_4);
    return _e2;
}

fn put_2(at_5: vec2<i32>, value_2: vec4<f32>) {
    textureStore(b[2], at_5, value_2);
    return;
}

fn main_inner() {
    var at_6: vec2<i32>;

    let _e1 = gl_GlobalInvocationID_1;
    at_6 = vec2<i32>(_e1.xy);
    let _e7 = at_6;
    twice(_e7);
    let _e9 = at_6.x;
    let _e10 = at_6;
    twice_1(_e9, _e10);
    let _e11 = at_6;
    let _e13 = get_(c, _e11);
    let _e14 = at_6;
    put_2(_e14, _e13);
    return;
}

@compute @workgroup_size(8, 1, 1) 
fn main(@builtin(global_invocation_id) gl_GlobalInvocationID: vec3<u32>) {
    gl_GlobalInvocationID_1 = gl_GlobalInvocationID;
    main_inner();
    return;
}
