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
//         "binding": 1
//       }
//     }
//   ]
// }
struct main_result {
    @location(0) c: vec4<f32>,
}

var<private> c: vec4<f32>;
var<private> uv_1: vec2<f32>;
@group(0) @binding(0) 
var tex: texture_2d<f32>;
@group(0) @binding(1) 
var tex_sampler: sampler;

fn main_inner() {
    let _e1 = uv_1;
    let _e2 = uv_1;
    let _e8 = textureDimensions(tex, 0i);
    let _e9 = vec2<f32>(_e8);
    let _e20 = textureGather(0, tex, tex_sampler, (((floor(((_e1 * _e9) - vec2(0.5f))) + vec2<f32>(vec2<i32>(_e2))) + vec2(1f)) / _e9));
    c = _e20;
    return;
}

@fragment 
fn main(@location(0) uv: vec2<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = c;
    return main_result(_e3);
}
