// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "shadow",
//       "depth": {
//         "group": 0,
//         "binding": 0
//       },
//       "comparison": {
//         "group": 0,
//         "binding": 4
//       }
//     },
//     {
//       "group": 0,
//       "binding": 1,
//       "name": "sky",
//       "depth": {
//         "group": 0,
//         "binding": 1
//       },
//       "comparison": {
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
var shadow: texture_depth_2d;
@group(0) @binding(4) 
var shadow_comparison: sampler_comparison;
@group(0) @binding(1) 
var sky: texture_depth_cube;
@group(0) @binding(5) 
var sky_comparison: sampler_comparison;
@group(0) @binding(2) 
var apart: texture_depth_2d;
@group(0) @binding(3) 
var compare: sampler_comparison;

fn main_inner() {
    var c: f32;

    let _e1 = uv_1;
    let _e5 = _e1.xyz;
    let _e10 = textureSampleCompare(shadow, shadow_comparison, _e5.xy, _e5.z);
    let _e11 = uv_1;
    let _e15 = _e11.xyz;
    let _e18 = textureSampleCompareLevel(shadow, shadow_comparison, _e15.xy, _e15.z);
    let _e20 = uv_1;
    let _e25 = textureSampleCompare(sky, sky_comparison, _e20.xyz, _e20.w);
    c = ((_e10 + _e18) + _e25);
    let _e28 = uv_1;
    let _e32 = _e28.xyz;
    let _e38 = textureSampleCompare(shadow, shadow_comparison, _e32.xy, _e32.z, vec2<i32>(1i, -1i));
    let _e39 = c;
    c = (_e39 + _e38);
    let _e41 = uv_1;
    let _e45 = _e41.xyz;
    let _e50 = textureSampleCompare(apart, compare, _e45.xy, _e45.z);
    let _e51 = c;
    c = (_e51 + _e50);
    let _e53 = c;
    let _e54 = uv_1;
    let _e59 = textureGatherCompare(shadow, shadow_comparison, _e54.xy, 0.5f);
    let _e62 = uv_1;
    let _e68 = textureLoad(apart, vec2<i32>(_e62.xy), 0i);
    colour = ((vec4(_e53) + _e59) + vec4<f32>(_e68, 0f, 0f, 1f));
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
