// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 4,
//       "name": "combined",
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

var<private> at_1: vec4<i32>;
var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var one: texture_1d<f32>;
@group(0) @binding(1) 
var two: texture_2d<u32>;
@group(0) @binding(2) 
var three: texture_3d<i32>;
@group(0) @binding(3) 
var samples: texture_multisampled_2d<f32>;
@group(0) @binding(4) 
var combined: texture_2d<f32>;
@group(0) @binding(5) 
var combined_sampler: sampler;

fn main_inner() {
    var c: vec4<f32>;

    let _e2 = at_1.x;
    let _e4 = at_1.y;
    let _e6 = textureLoad(one, _e2, _e4);
    let _e7 = at_1;
    let _e13 = textureLoad(two, _e7.xy, 1i);
    c = (_e6 + vec4<f32>(_e13));
    let _e17 = at_1;
    let _e23 = at_1.w;
    let _e25 = textureLoad(three, _e17.xyz, _e23);
    let _e27 = at_1;
    let _e32 = at_1.z;
    let _e34 = textureLoad(samples, _e27.xy, _e32);
    let _e36 = c;
    c = (_e36 + (vec4<f32>(_e25) + _e34));
    let _e38 = at_1;
    let _e46 = textureLoad(combined, (_e38.xy + vec2<i32>(3i, -7i)), 0i);
    let _e47 = c;
    c = (_e47 + _e46);
    let _e49 = c;
    colour = _e49;
    return;
}

@fragment 
fn main(@location(0) @interpolate(flat) at: vec4<i32>) -> main_result {
    at_1 = at;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
