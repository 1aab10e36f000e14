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

fn deeper(at: vec2<f32>, p_1: texture_2d<f32>, p_sampler_1: sampler) -> vec4<f32> {
    let _e2 = combined(p_1, p_sampler_1);
    let _e4 = textureSample(p_1, p_sampler_1, at);
    return (_e2 * _e4);
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

fn one_of(k: i32) -> vec4<f32> {
    let _e2 = uv_1;
    let _e10 = textureSample(b[k], b_sampler[k], _e2.xy);
    return _e10;
}

fn compared(p_4: texture_depth_2d, p_sampler_2: sampler_comparison) -> f32 {
    let _e1 = uv_1;
    let _e6 = textureSampleCompare(p_4, p_sampler_2, _e1.xy, _e1.z);
    return _e6;
}

fn main_inner() {
    var c: vec4<f32>;

    let _e1 = uv_1;
    let _e7 = deeper(_e1.yz, a, a_sampler);
    let _e9 = i_1;
    let _e10 = uv_1;
    let _e18 = deeper(_e10.zx, b[_e9], b_sampler[_e9]);
    let _e22 = combined(b[1], b_sampler[1]);
    c = ((_e7 + _e18) + _e22);
    let _e26 = apart(t);
    let _e28 = apart_1(depths);
    let _e30 = i_1;
    let _e31 = one_of(_e30);
    let _e35 = compared(shadow, shadow_comparison);
    let _e38 = c;
    c = (_e38 + (((_e26 + _e28) + _e31) + vec4(_e35)));
    let _e40 = c;
    let _e41 = uv_1;
    let _e45 = textureSampleCompare(depths, s_comparison, _e41.xy, _e41.z);
    colour = (_e40 + vec4(_e45));
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
