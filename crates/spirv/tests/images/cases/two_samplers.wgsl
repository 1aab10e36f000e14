// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "tex",
//       "texture": {
//         "group": 0,
//         "binding": 0
//       },
//       "depth": {
//         "group": 0,
//         "binding": 6
//       }
//     },
//     {
//       "group": 0,
//       "binding": 1,
//       "name": "apart",
//       "sampler": {
//         "group": 0,
//         "binding": 1
//       },
//       "comparison": {
//         "group": 0,
//         "binding": 7
//       }
//     },
//     {
//       "group": 0,
//       "binding": 4,
//       "name": "other",
//       "texture": {
//         "group": 0,
//         "binding": 4
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 5
//       }
//     }
//   ]
// }
struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> uv_1: vec4<f32>;
var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var tex: texture_2d<f32>;
@group(0) @binding(6) 
var tex_depth: texture_depth_2d;
@group(0) @binding(1) 
var apart: sampler;
@group(0) @binding(7) 
var apart_comparison: sampler_comparison;
@group(0) @binding(4) 
var other: texture_2d<f32>;
@group(0) @binding(5) 
var other_sampler: sampler;

fn compared() -> f32 {
    let _e1 = uv_1;
    let _e5 = _e1.xyz;
    let _e10 = textureSampleCompare(tex_depth, apart_comparison, _e5.xy, _e5.z);
    return _e10;
}

fn main_inner() {
    let _e1 = uv_1;
    let _e8 = textureSampleBias(tex, apart, _e1.xy, 0.5f);
    let _e9 = compared();
    let _e12 = uv_1;
    let _e18 = textureSample(other, other_sampler, _e12.xy);
    colour = ((_e8 + vec4(_e9)) + _e18);
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
