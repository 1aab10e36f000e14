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
//         "binding": 4
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
//         "binding": 5
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
//         "binding": 6
//       }
//     },
//     {
//       "group": 0,
//       "binding": 3,
//       "name": "shadow",
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
var one: texture_1d<f32>;
@group(0) @binding(4) 
var one_sampler: sampler;
@group(0) @binding(1) 
var two: texture_2d<f32>;
@group(0) @binding(5) 
var two_sampler: sampler;
@group(0) @binding(2) 
var three: texture_3d<f32>;
@group(0) @binding(6) 
var three_sampler: sampler;
@group(0) @binding(3) 
var shadow: texture_depth_2d;
@group(0) @binding(7) 
var shadow_comparison: sampler_comparison;

fn main_inner() {
    var c: vec4<f32>;

    let _e1 = uv_1;
    let _e4 = _e1.xy;
    let _e10 = textureSample(one, one_sampler, (_e4.x / _e4.y));
    let _e11 = uv_1;
    let _e17 = _e11.xwzw;
    let _e21 = textureSample(one, one_sampler, (_e17.x / _e17.y));
    let _e23 = uv_1;
    let _e27 = _e23.xyz;
    let _e34 = textureSample(two, two_sampler, (_e27.xy / vec2(_e27.z)));
    c = ((_e10 + _e21) + _e34);
    let _e37 = uv_1;
    let _e43 = _e37.xyww;
    let _e48 = textureSample(two, two_sampler, (_e43.xy / vec2(_e43.z)));
    let _e49 = uv_1;
    let _e55 = _e49.xyww;
    let _e61 = textureSampleBias(two, two_sampler, (_e55.xy / vec2(_e55.z)), 0.5f);
    let _e63 = uv_1;
    let _e70 = textureSample(three, three_sampler, (_e63.xyz / vec3(_e63.w)));
    let _e72 = c;
    c = (_e72 + ((_e48 + _e61) + _e70));
    let _e74 = uv_1;
    let _e78 = _e74.xyz;
    let _e84 = textureSampleLevel(two, two_sampler, (_e78.xy / vec2(_e78.z)), 1f);
    let _e85 = uv_1;
    let _e89 = _e85.xyz;
    let _e90 = uv_1;
    let _e94 = uv_1;
    let _e102 = textureSampleGrad(two, two_sampler, (_e89.xy / vec2(_e89.z)), _e90.xy, _e94.zw);
    let _e104 = c;
    c = (_e104 + (_e84 + _e102));
    let _e106 = uv_1;
    let _e110 = _e106.xyz;
    let _e118 = textureSample(two, two_sampler, (_e110.xy / vec2(_e110.z)), vec2<i32>(1i, 2i));
    let _e119 = c;
    c = (_e119 + _e118);
    let _e121 = uv_1;
    let _e128 = _e121.xyww;
    let _e136 = textureSampleCompare(shadow, shadow_comparison, (_e128.xy / vec2(_e128.z)), (_e121.z / _e128.z));
    let _e137 = uv_1;
    let _e144 = _e137.xyww;
    let _e150 = textureSampleCompareLevel(shadow, shadow_comparison, (_e144.xy / vec2(_e144.z)), (_e137.z / _e144.z));
    let _e152 = c;
    c = (_e152 + vec4((_e136 + _e150)));
    let _e155 = c;
    colour = _e155;
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
