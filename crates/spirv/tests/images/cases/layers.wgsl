// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "layers",
//       "texture": {
//         "group": 0,
//         "binding": 0
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 4
//       }
//     },
//     {
//       "group": 0,
//       "binding": 1,
//       "name": "cubes",
//       "texture": {
//         "group": 0,
//         "binding": 1
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 5
//       }
//     },
//     {
//       "group": 0,
//       "binding": 2,
//       "name": "shadows",
//       "depth": {
//         "group": 0,
//         "binding": 2
//       },
//       "comparison": {
//         "group": 0,
//         "binding": 6
//       }
//     },
//     {
//       "group": 0,
//       "binding": 3,
//       "name": "sky",
//       "depth": {
//         "group": 0,
//         "binding": 3
//       },
//       "comparison": {
//         "group": 0,
//         "binding": 7
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
var layers: texture_2d_array<f32>;
@group(0) @binding(4) 
var layers_sampler: sampler;
@group(0) @binding(1) 
var cubes: texture_cube_array<f32>;
@group(0) @binding(5) 
var cubes_sampler: sampler;
@group(0) @binding(2) 
var shadows: texture_depth_2d_array;
@group(0) @binding(6) 
var shadows_comparison: sampler_comparison;
@group(0) @binding(3) 
var sky: texture_depth_cube_array;
@group(0) @binding(7) 
var sky_comparison: sampler_comparison;

fn main_inner() {
    var c: vec4<f32>;

    let _e1 = uv_1;
    let _e5 = _e1.xyz;
    let _e12 = textureSample(layers, layers_sampler, _e5.xy, i32(round(_e5.z)));
    let _e13 = uv_1;
    let _e17 = _e13.xyz;
    let _e23 = textureSampleLevel(layers, layers_sampler, _e17.xy, i32(round(_e17.z)), 1f);
    let _e25 = uv_1;
    let _e32 = textureSample(cubes, cubes_sampler, _e25.xyz, i32(round(_e25.w)));
    c = ((_e12 + _e23) + _e32);
    let _e35 = uv_1;
    let _e39 = _e35.xyz;
    let _e40 = uv_1;
    let _e44 = uv_1;
    let _e52 = textureSampleGrad(layers, layers_sampler, _e39.xy, i32(round(_e39.z)), _e40.xy, _e44.zw);
    let _e53 = uv_1;
    let _e57 = _e53.xyz;
    let _e62 = textureGather(1, layers, layers_sampler, _e57.xy, i32(round(_e57.z)));
    let _e64 = c;
    c = (_e64 + (_e52 + _e62));
    let _e66 = uv_1;
    let _e74 = textureSampleCompare(shadows, shadows_comparison, _e66.xy, i32(round(_e66.z)), _e66.w);
    let _e75 = uv_1;
    let _e83 = textureSampleCompare(sky, sky_comparison, _e75.xyz, i32(round(_e75.w)), 0.5f);
    let _e85 = c;
    c = (_e85 + vec4((_e74 + _e83)));
    let _e88 = uv_1;
    let _e93 = vec3<i32>(_e88.xyz);
    let _e97 = textureLoad(layers, _e93.xy, _e93.z, 2i);
    let _e98 = c;
    c = (_e98 + _e97);
    let _e100 = c;
    colour = _e100;
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
