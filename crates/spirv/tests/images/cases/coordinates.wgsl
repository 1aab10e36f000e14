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
//         "binding": 2
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
@group(0) @binding(2) 
var tex_sampler: sampler;
@group(0) @binding(1) 
var ints: texture_2d_array<u32>;

fn main_inner() {
    let _e1 = uv_1;
    let _e5 = textureSample(tex, tex_sampler, _e1.xy);
    let _e10 = textureSample(tex, tex_sampler, _e1.xy, vec2<i32>(-1i, 2i));
    let _e15 = textureSample(tex, tex_sampler, _e1.xy, vec2<i32>(0i, 0i));
    let _e20 = vec3<u32>(_e1.xyz);
    let _e26 = textureLoad(tex, (_e20.xy + bitcast<vec2<u32>>(vec2<i32>(1i, -1i))), 2u);
    let _e31 = textureLoad(ints, _e20.xy, _e20.z, 1i);
    colour = ((((_e5 + _e10) + _e15) + _e26) + vec4<f32>(_e31));
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
