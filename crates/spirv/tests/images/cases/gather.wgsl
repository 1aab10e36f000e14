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
//       "sampler": {
//         "group": 0,
//         "binding": 4
//       }
//     },
//     {
//       "group": 0,
//       "binding": 1,
//       "name": "ints",
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
//       "name": "shadow",
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
//       "texture": {
//         "group": 0,
//         "binding": 3
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 7
//       }
//     }
//   ]
// }
struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> uv_1: vec3<f32>;
var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var tex: texture_2d<f32>;
@group(0) @binding(4) 
var tex_sampler: sampler;
@group(0) @binding(3) 
var sky: texture_cube<f32>;
@group(0) @binding(7) 
var sky_sampler: sampler;
@group(0) @binding(1) 
var ints: texture_2d<i32>;
@group(0) @binding(5) 
var ints_sampler: sampler;
@group(0) @binding(2) 
var shadow: texture_depth_2d;
@group(0) @binding(6) 
var shadow_comparison: sampler_comparison;

fn main_inner() {
    var c: vec4<f32>;

    let _e1 = uv_1;
    let _e7 = textureGather(0, tex, tex_sampler, _e1.xy);
    let _e8 = uv_1;
    let _e12 = textureGather(3, tex, tex_sampler, _e8.xy);
    let _e14 = uv_1;
    let _e17 = textureGather(2, sky, sky_sampler, _e14);
    c = ((_e7 + _e12) + _e17);
    let _e20 = uv_1;
    let _e27 = textureGather(1, tex, tex_sampler, _e20.xy, vec2<i32>(3i, 4i));
    let _e28 = uv_1;
    let _e34 = textureGather(1, ints, ints_sampler, _e28.xy);
    let _e37 = c;
    c = (_e37 + (_e27 + vec4<f32>(_e34)));
    let _e39 = uv_1;
    let _e42 = _e39.xy;
    let _e46 = textureGather(2, tex, tex_sampler, _e42, vec2<i32>(0i, 0i));
    let _e51 = textureGather(2, tex, tex_sampler, _e42, vec2<i32>(1i, 0i));
    let _e56 = textureGather(2, tex, tex_sampler, _e42, vec2<i32>(0i, -8i));
    let _e61 = textureGather(2, tex, tex_sampler, _e42, vec2<i32>(7i, 7i));
    let _e64 = c;
    c = (_e64 + vec4<f32>(_e46.w, _e51.w, _e56.w, _e61.w));
    let _e66 = uv_1;
    let _e71 = uv_1.z;
    let _e74 = textureGatherCompare(shadow, shadow_comparison, _e66.xy, _e71);
    let _e75 = uv_1;
    let _e78 = _e75.xy;
    let _e80 = uv_1.z;
    let _e84 = textureGatherCompare(shadow, shadow_comparison, _e78, _e80, vec2<i32>(0i, 0i));
    let _e89 = textureGatherCompare(shadow, shadow_comparison, _e78, _e80, vec2<i32>(1i, 0i));
    let _e94 = textureGatherCompare(shadow, shadow_comparison, _e78, _e80, vec2<i32>(0i, -8i));
    let _e99 = textureGatherCompare(shadow, shadow_comparison, _e78, _e80, vec2<i32>(7i, 7i));
    let _e103 = c;
    c = (_e103 + (_e74 + vec4<f32>(_e84.w, _e89.w, _e94.w, _e99.w)));
    let _e105 = c;
    colour = _e105;
    return;
}

@fragment 
fn main(@location(0) uv: vec3<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
