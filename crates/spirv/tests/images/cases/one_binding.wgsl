// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 3,
//       "name": "tex",
//       "texture": {
//         "group": 0,
//         "binding": 3
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 4
//       }
//     }
//   ]
// }
struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> uv_1: vec4<f32>;
var<private> colour: vec4<f32>;
@group(0) @binding(3) 
var tex: texture_2d<f32>;
@group(0) @binding(4) 
var samp: sampler;

fn main_inner() {
    let _e1 = uv_1;
    let _e7 = textureSample(tex, samp, _e1.xy);
    colour = _e7;
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
