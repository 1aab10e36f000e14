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
    let _e73 = c;
    c = (_e73 + ((_e48 + _e61) + _e70));
    let _e76 = uv_1;
    let _e80 = _e76.xyz;
    let _e86 = textureSampleLevel(two, two_sampler, (_e80.xy / vec2(_e80.z)), 1f);
    let _e87 = uv_1;
    let _e91 = _e87.xyz;
    let _e92 = uv_1;
    let _e96 = uv_1;
    let _e104 = textureSampleGrad(two, two_sampler, (_e91.xy / vec2(_e91.z)), _e92.xy, _e96.zw);
    let _e107 = c;
    c = (_e107 + (_e86 + _e104));
    let _e110 = uv_1;
    let _e114 = _e110.xyz;
    let _e122 = textureSample(two, two_sampler, (_e114.xy / vec2(_e114.z)), vec2<i32>(1i, 2i));
    let _e124 = c;
    c = (_e124 + _e122);
    let _e127 = uv_1;
    let _e134 = _e127.xyww;
    let _e142 = textureSampleCompare(shadow, shadow_comparison, (_e134.xy / vec2(_e134.z)), (_e127.z / _e134.z));
    let _e143 = uv_1;
    let _e150 = _e143.xyww;
    let _e156 = textureSampleCompareLevel(shadow, shadow_comparison, (_e150.xy / vec2(_e150.z)), (_e143.z / _e150.z));
    let _e159 = c;
    c = (_e159 + vec4((_e142 + _e156)));
    let _e164 = c;
    colour = _e164;
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
