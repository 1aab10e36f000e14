// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "a",
//       "texture": {
//         "group": 0,
//         "binding": 0
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 6
//       }
//     },
//     {
//       "group": 0,
//       "binding": 1,
//       "name": "b",
//       "texture": {
//         "group": 0,
//         "binding": 1
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 7
//       }
//     },
//     {
//       "group": 0,
//       "binding": 3,
//       "name": "s",
//       "sampler": {
//         "group": 0,
//         "binding": 3
//       },
//       "comparison": {
//         "group": 0,
//         "binding": 9
//       }
//     },
//     {
//       "group": 0,
//       "binding": 4,
//       "name": "shadow",
//       "depth": {
//         "group": 0,
//         "binding": 4
//       },
//       "comparison": {
//         "group": 0,
//         "binding": 8
//       }
//     }
//   ]
// }
enable wgpu_binding_array;

struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> uv_1: vec3<f32>;
var<private> i_1: i32;
var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var a: texture_2d<f32>;
@group(0) @binding(6) 
var a_sampler: sampler;
@group(0) @binding(1) 
var b: binding_array<texture_2d<f32>, 2>;
@group(0) @binding(7) 
var b_sampler: binding_array<sampler, 2>;
@group(0) @binding(2) 
var t: texture_2d<f32>;
@group(0) @binding(3) 
var s: sampler;
@group(0) @binding(9) 
var s_comparison: sampler_comparison;
@group(0) @binding(5) 
var depths: texture_depth_2d;
@group(0) @binding(4) 
var shadow: texture_depth_2d;
@group(0) @binding(8) 
var shadow_comparison: sampler_comparison;

fn combined(p: texture_2d<f32>, p_sampler: sampler) -> vec4<f32> {
    let _e1 = uv_1;
    let _e7 = textureSample(p, p_sampler, _e1.xy);
    return _e7;
}

fn deeper(at: ptr<function, vec2<f32>>, p_1: texture_2d<f32>, p_sampler_1: sampler) -> vec4<f32> {
    let _e2 = combined(p_1, p_sampler_1);
    let _e4 = (*at);
    let _e5 = textureSample(p_1, p_sampler_1, _e4);
    return (_e2 * _e5);
}

fn apart(p_2: texture_2d<f32>) -> vec4<f32> {
    let _e1 = uv_1;
    let _e7 = textureSample(p_2, s, _e1.xy);
    return _e7;
}

fn apart_1(p_3: texture_depth_2d) -> vec4<f32> {
    let _e1 = uv_1;
    let _e7 = textureSample(p_3, s, _e1.xy);
    return vec4<f32>(_e7, 0f, 0f, 1f);
}

fn one_of(k: ptr<function, i32>) -> vec4<f32> {
    let _e1 = (*k);
    let _e3 = uv_1;
    let _e11 = textureSample(b[_e1], b_sampler[_e1], _e3.xy);
    return _e11;
}

fn compared(p_4: texture_depth_2d, p_sampler_2: sampler_comparison) -> f32 {
    let _e1 = uv_1;
    let _e6 = textureSampleCompare(p_4, p_sampler_2, _e1.xy, _e1.z);
    return _e6;
}

fn main_inner() {
    var c: vec4<f32>;
    var param: vec2<f32>;
    var param_1: vec2<f32>;
    var param_2: i32;

    let _e1 = uv_1;
    param = _e1.yz;
    let _e8 = deeper((&param), a, a_sampler);
    let _e10 = i_1;
    let _e11 = uv_1;
    param_1 = _e11.zx;
    let _e20 = deeper((&param_1), b[_e10], b_sampler[_e10]);
    let _e24 = combined(b[1], b_sampler[1]);
    c = ((_e8 + _e20) + _e24);
    let _e28 = apart(t);
    let _e30 = apart_1(depths);
    let _e32 = i_1;
    param_2 = _e32;
    let _e34 = one_of((&param_2));
    let _e38 = compared(shadow, shadow_comparison);
    let _e41 = c;
    c = (_e41 + (((_e28 + _e30) + _e34) + vec4(_e38)));
    let _e43 = c;
    let _e44 = uv_1;
    let _e48 = textureSampleCompare(depths, s_comparison, _e44.xy, _e44.z);
    colour = (_e43 + vec4(_e48));
    return;
}

@fragment 
fn main(@location(0) uv: vec3<f32>, @location(1) @interpolate(flat) i: i32) -> main_result {
    uv_1 = uv;
    i_1 = i;
    main_inner();
    let _e5 = colour;
    return main_result(_e5);
}
