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
//         "binding": 3
//       }
//     },
//     {
//       "group": 0,
//       "binding": 2,
//       "name": "sky",
//       "texture": {
//         "group": 0,
//         "binding": 2
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 4
//       }
//     }
//   ]
// }
struct Buffer {
    tint: vec4<f32>,
}

struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> colour: vec4<f32>;
@group(0) @binding(1) 
var<uniform> global: Buffer;
var<private> uv_1: vec3<f32>;
@group(0) @binding(0) 
var tex: texture_2d<f32>;
@group(0) @binding(3) 
var tex_sampler: sampler;
@group(0) @binding(2) 
var sky: texture_cube<f32>;
@group(0) @binding(4) 
var sky_sampler: sampler;

fn main_inner() {
    let _e2 = global.tint;
    let _e4 = uv_1;
    let _e10 = textureSample(tex, tex_sampler, _e4.xy);
    let _e12 = uv_1;
    let _e15 = textureSample(sky, sky_sampler, _e12);
    colour = ((_e2 * _e10) + _e15);
    return;
}

@fragment 
fn main(@location(0) uv: vec3<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
