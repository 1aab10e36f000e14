// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "one",
//       "texture": {
//         "group": 0,
//         "binding": 0
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 3
//       }
//     },
//     {
//       "group": 0,
//       "binding": 1,
//       "name": "two",
//       "texture": {
//         "group": 0,
//         "binding": 1
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 4
//       }
//     },
//     {
//       "group": 0,
//       "binding": 2,
//       "name": "three",
//       "texture": {
//         "group": 0,
//         "binding": 2
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
var one: texture_1d<f32>;
@group(0) @binding(3) 
var one_sampler: sampler;
@group(0) @binding(1) 
var two: texture_2d<f32>;
@group(0) @binding(4) 
var two_sampler: sampler;
@group(0) @binding(2) 
var three: texture_3d<f32>;
@group(0) @binding(5) 
var three_sampler: sampler;

fn main_inner() {
    var c: vec4<f32>;

    let _e2 = uv_1.x;
    let _e5 = textureSample(one, one_sampler, _e2);
    let _e7 = uv_1.x;
    let _e9 = textureSampleLevel(one, one_sampler, _e7, 0f);
    let _e12 = uv_1.x;
    let _e15 = textureSampleGrad(one, one_sampler, _e12, 0.5f, 0.25f);
    c = ((_e5 + _e9) + _e15);
    let _e18 = uv_1;
    let _e24 = textureSample(two, two_sampler, _e18.xy);
    let _e25 = uv_1;
    let _e30 = uv_1.z;
    let _e31 = textureSampleBias(two, two_sampler, _e25.xy, _e30);
    let _e33 = uv_1;
    let _e38 = uv_1.w;
    let _e39 = textureSampleLevel(two, two_sampler, _e33.xy, _e38);
    let _e41 = c;
    c = (_e41 + ((_e24 + _e31) + _e39));
    let _e43 = uv_1;
    let _e47 = uv_1;
    let _e51 = uv_1;
    let _e55 = textureSampleGrad(two, two_sampler, _e43.xy, _e47.xz, _e51.yw);
    let _e56 = uv_1;
    let _e63 = textureSample(two, two_sampler, _e56.xy, vec2<i32>(-8i, 7i));
    let _e65 = c;
    c = (_e65 + (_e55 + _e63));
    let _e67 = uv_1;
    let _e75 = textureSampleBias(two, two_sampler, _e67.xy, 1.5f, vec2<i32>(0i, 0i));
    let _e76 = uv_1;
    let _e84 = textureSampleLevel(two, two_sampler, _e76.xy, 2f, vec2<i32>(1i, 1i));
    let _e86 = c;
    c = (_e86 + (_e75 + _e84));
    let _e88 = uv_1;
    let _e93 = uv_1;
    let _e98 = uv_1;
    let _e109 = textureSampleGrad(three, three_sampler, _e88.xyz, _e93.xyz, _e98.yzw, vec3<i32>(1i, 2i, 3i));
    let _e110 = c;
    c = (_e110 + _e109);
    let _e112 = c;
    colour = _e112;
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
