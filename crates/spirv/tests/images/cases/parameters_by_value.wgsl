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
//     }
//   ]
// }
struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> uv_1: vec4<f32>;
var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var tex: texture_2d<f32>;
@group(0) @binding(3) 
var tex_sampler: sampler;
@group(0) @binding(1) 
var t: texture_2d<f32>;
@group(0) @binding(2) 
var s: sampler;

fn by_value(p: texture_2d<f32>, p_sampler: sampler, param: vec2<f32>) -> vec4<f32> {
    let _e3 = textureSample(p, p_sampler, param);
    return _e3;
}

fn by_pointer(param_1: vec2<f32>, pp: texture_2d<f32>, pp_sampler: sampler) -> vec4<f32> {
    let _e3 = by_value(pp, pp_sampler, param_1);
    return _e3;
}

fn apart(pi: texture_2d<f32>, ps: sampler) -> vec4<f32> {
    let _e1 = uv_1;
    let _e7 = textureSample(pi, ps, _e1.xy);
    return _e7;
}

fn main_inner() {
    let _e1 = uv_1;
    let _e4 = _e1.xy;
    let _e7 = by_value(tex, tex_sampler, _e4);
    let _e8 = by_pointer(_e4, tex, tex_sampler);
    let _e11 = apart(t, s);
    colour = ((_e7 + _e8) + _e11);
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
