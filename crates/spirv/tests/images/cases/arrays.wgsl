// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "combined",
//       "texture": {
//         "group": 0,
//         "binding": 0
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 6
//       }
//     }
//   ]
// }
enable wgpu_binding_array;

struct Colours {
    tint: vec4<f32>,
}

struct Numbers {
    count: atomic<u32>,
    data: array<f32>,
}

struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> uv_1: vec2<f32>;
var<private> i_1: i32;
@group(0) @binding(3) 
var<uniform> uniforms: binding_array<Colours, 2>;
@group(0) @binding(4) 
var<storage, read_write> buffers: binding_array<Numbers>;
var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var combined: binding_array<texture_2d<f32>, 4>;
@group(0) @binding(6) 
var combined_sampler: binding_array<sampler, 4>;
@group(0) @binding(1) 
var textures: binding_array<texture_2d<f32>>;
@group(0) @binding(2) 
var samplers: binding_array<sampler, 3>;
@group(0) @binding(5) 
var images: binding_array<texture_storage_2d<rgba8unorm,write>, 2>;

fn main_inner() {
    var c: vec4<f32>;

    let _e1 = uv_1;
    let _e6 = textureSample(combined[1], combined_sampler[1], _e1);
    let _e8 = i_1;
    let _e9 = uv_1;
    let _e12 = textureSample(combined[_e8], combined_sampler[_e8], _e9);
    c = (_e6 + _e12);
    let _e15 = i_1;
    let _e18 = i_1;
    let _e19 = uv_1;
    let _e24 = textureSample(textures[(_e15 + 1i)], samplers[_e18], _e19);
    let _e25 = c;
    c = (_e25 + _e24);
    let _e30 = uniforms[1].tint;
    let _e31 = i_1;
    let _e34 = uniforms[_e31].tint;
    let _e36 = c;
    c = (_e36 + (_e30 + _e34));
    let _e38 = i_1;
    let _e39 = i_1;
    let _e44 = buffers[_e38].data[_e39];
    let _e52 = c;
    c = (_e52 + vec4((_e44 + f32(i32(bitcast<u32>(arrayLength((&buffers[2].data))))))));
    let _e55 = i_1;
    let _e59 = atomicAdd((&buffers[_e55].count), 1u);
    let _e60 = i_1;
    let _e61 = uv_1;
    let _e63 = c;
    textureStore(images[_e60], vec2<i32>(_e61), _e63);
    let _e66 = c;
    colour = _e66;
    return;
}

@fragment 
fn main(@location(0) uv: vec2<f32>, @location(1) @interpolate(flat) i: i32) -> main_result {
    uv_1 = uv;
    i_1 = i;
    main_inner();
    let _e5 = colour;
    return main_result(_e5);
}
