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
    let _e26 = c;
    c = (_e26 + _e24);
    let _e32 = uniforms[1].tint;
    let _e33 = i_1;
    let _e36 = uniforms[_e33].tint;
    let _e39 = c;
    c = (_e39 + (_e32 + _e36));
    let _e42 = i_1;
    let _e43 = i_1;
    let _e48 = buffers[_e42].data[_e43];
    let _e57 = c;
    c = (_e57 + vec4((_e48 + f32(bitcast<i32>(bitcast<u32>(arrayLength((&buffers[2].data))))))));
    let _e61 = i_1;
    let _e65 = atomicAdd((&buffers[_e61].count), 1u);
    let _e66 = i_1;
    let _e67 = uv_1;
    let _e70 = c;
    textureStore(images[_e66], vec2<i32>(_e67), _e70);
    let _e74 = c;
    colour = _e74;
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
