// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "ints",
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
struct Out {
    texel: vec4<u32>,
}

@group(0) @binding(1) 
var<storage, read_write> global: Out;
@group(0) @binding(0) 
var ints: texture_2d_array<u32>;
@group(0) @binding(2) 
var ints_sampler: sampler;

fn main_inner() {
    let _e5 = i32(round(vec3<f32>(0.25f, 0.5f, 1f).z));
    let _e8 = textureDimensions(ints, 0i);
    let _e9 = vec2<f32>(_e8);
    let _e15 = ((floor((vec3<f32>(0.25f, 0.5f, 1f).xy * _e9)) + vec2(1f)) / _e9);
    let _e16 = textureGather(0, ints, ints_sampler, _e15, _e5);
    let _e18 = textureGather(1, ints, ints_sampler, _e15, _e5);
    let _e20 = textureGather(2, ints, ints_sampler, _e15, _e5);
    let _e22 = textureGather(3, ints, ints_sampler, _e15, _e5);
    global.texel = vec4<u32>(_e16.w, _e18.w, _e20.w, _e22.w);
    return;
}

@compute @workgroup_size(1, 1, 1) 
fn main() {
    main_inner();
    return;
}
