enable wgpu_binding_array;

var<private> gl_GlobalInvocationID_1: vec3<u32>;
@group(0) @binding(0) 
var a: texture_storage_2d<rgba32float,write>;
@group(0) @binding(1) 
var b: binding_array<texture_storage_2d<rgba32float,write>, 3>;
@group(0) @binding(2) 
var c: texture_storage_2d<rgba32float,read>;

fn put(at: ptr<function, vec2<i32>>, value: ptr<function, vec4<f32>>) {
    let _e1 = (*at);
    let _e3 = (*value);
    textureStore(a, _e1, _e3);
    return;
}

fn twice(at_1: ptr<function, vec2<i32>>) {
    var param: vec2<i32>;
    var param_1: vec4<f32>;
    var param_2: vec2<i32>;
    var param_3: vec4<f32>;

    let _e1 = (*at_1);
    param = _e1;
    param_1 = vec4<f32>(1f, 1f, 1f, 1f);
    put((&param), (&param_1));
    let _e5 = (*at_1);
    param_2 = (_e5 + vec2(1i));
    param_3 = vec4<f32>(2f, 2f, 2f, 2f);
    put((&param_2), (&param_3));
    return;
}

fn put_1(to: i32, at_2: ptr<function, vec2<i32>>, value_1: ptr<function, vec4<f32>>) {
    let _e1 = (*at_2);
    let _e3 = (*value_1);
    textureStore(b[to], _e1, _e3);
    return;
}

fn twice_1(to_1: i32, at_3: ptr<function, vec2<i32>>) {
    var param_4: vec2<i32>;
    var param_5: vec4<f32>;
    var param_6: vec2<i32>;
    var param_7: vec4<f32>;

    let _e1 = (*at_3);
    param_4 = _e1;
    param_5 = vec4<f32>(1f, 1f, 1f, 1f);
    put_1(to_1, (&param_4), (&param_5));
    let _e6 = (*at_3);
    param_6 = (_e6 + vec2(1i));
    param_7 = vec4<f32>(2f, 2f, 2f, 2f);
    put_1(to_1, (&param_6), (&param_7));
    return;
}

fn get_(from_: texture_storage_2d<rgba32float,read>, at_4: ptr<function, vec2<i32>>) -> vec4<f32> {
    let _e1 = (*at_4);
    let _e3 = textureLoad(from_, _e1);
    return _e3;
}

fn put_2(at_5: ptr<function, vec2<i32>>, value_2: ptr<function, vec4<f32>>) {
    let _e1 = (*at_5);
    let _e3 = (*value_2);
    textureStore(b[2], _e1, _e3);
    return;
}

fn main_inner() {
    var at_6: vec2<i32>;
    var param_8: vec2<i32>;
    var param_9: vec2<i32>;
    var param_10: vec2<i32>;
    var param_11: vec2<i32>;
    var param_12: vec4<f32>;

    let _e1 = gl_GlobalInvocationID_1;
    at_6 = bitcast<vec2<i32>>(_e1.xy);
    let _e7 = at_6;
    param_8 = _e7;
    twice((&param_8));
    let _e10 = at_6.x;
    let _e11 = at_6;
    param_9 = _e11;
    twice_1(_e10, (&param_9));
    let _e13 = at_6;
    param_10 = _e13;
    let _e16 = get_(c, (&param_10));
    let _e17 = at_6;
    param_11 = _e17;
    param_12 = _e16;
    put_2((&param_11), (&param_12));
    return;
}

@compute @workgroup_size(8, 1, 1) 
fn main(@builtin(global_invocation_id) gl_GlobalInvocationID: vec3<u32>) {
    gl_GlobalInvocationID_1 = gl_GlobalInvocationID;
    main_inner();
    return;
}
