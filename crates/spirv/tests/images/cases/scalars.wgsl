// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "tex",
//       "depth": {
//         "group": 0,
//         "binding": 0
//       },
//       "comparison": {
//         "group": 0,
//         "binding": 3
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
var tex: texture_depth_2d;
@group(0) @binding(3) 
var tex_comparison: sampler_comparison;
@group(0) @binding(1) 
var store: texture_storage_2d<r32float,write>;
@group(0) @binding(2) 
var load: texture_storage_2d<r32float,read>;

fn main_inner() {
    let _e1 = uv_1;
    let _e4 = _e1.xy;
    let _e8 = textureSampleCompare(tex, tex_comparison, _e4, 0.5f);
    let _e9 = vec2<i32>(_e4);
    let _e11 = textureLoad(load, _e9);
    let _e13 = textureLoad(load, _e9);
    let _e14 = _e13.xy;
    let _e17 = ((_e8 + _e11.x) + _e14.y);
    textureStore(store, _e9, vec4<f32>(_e17, 0f, 0f, 0f));
    textureStore(store, _e9, vec4<f32>(_e14, 0f, 0f));
    colour = vec4(_e17);
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
