// {
//   "bindings": [
//     {
//       "group": 0,
//       "binding": 0,
//       "name": "one",
//       "texture": {
//         "group": 0,
//         "binding": 0
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 8
//       }
//     },
//     {
//       "group": 0,
//       "binding": 1,
//       "name": "two",
//       "texture": {
//         "group": 0,
//         "binding": 1
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 9
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
//         "binding": 10
//       }
//     },
//     {
//       "group": 0,
//       "binding": 3,
//       "name": "samples",
//       "texture": {
//         "group": 0,
//         "binding": 3
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 11
//       }
//     },
//     {
//       "group": 0,
//       "binding": 4,
//       "name": "shadow",
//       "depth": {
//         "group": 0,
//         "binding": 4
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 12
//       }
//     },
//     {
//       "group": 0,
//       "binding": 7,
//       "name": "cube",
//       "texture": {
//         "group": 0,
//         "binding": 7
//       },
//       "sampler": {
//         "group": 0,
//         "binding": 13
//       }
//     }
//   ]
// }
struct main_result {
    @location(0) size: vec4<i32>,
}

var<private> size: vec4<i32>;
var<private> level_1: i32;
@group(0) @binding(0) 
var one: texture_1d<f32>;
@group(0) @binding(8) 
var one_sampler: sampler;
@group(0) @binding(1) 
var two: texture_2d_array<f32>;
@group(0) @binding(9) 
var two_sampler: sampler;
@group(0) @binding(2) 
var sky: texture_cube_array<f32>;
@group(0) @binding(10) 
var sky_sampler: sampler;
@group(0) @binding(3) 
var samples: texture_multisampled_2d<f32>;
@group(0) @binding(11) 
var samples_sampler: sampler;
@group(0) @binding(4) 
var shadow: texture_depth_2d;
@group(0) @binding(12) 
var shadow_sampler: sampler;
@group(0) @binding(7) 
var cube: texture_cube<f32>;
@group(0) @binding(13) 
var cube_sampler: sampler;
@group(0) @binding(5) 
var image: texture_storage_2d_array<r32float,write>;
@group(0) @binding(6) 
var cubes: texture_storage_2d_array<r32float,write>;

fn main_inner() {
    let _e1 = level_1;
    let _e3 = textureDimensions(one, _e1);
    let _e7 = textureDimensions(two, 0i);
    let _e8 = textureNumLayers(two);
    let _e10 = bitcast<vec3<i32>>(vec3<u32>(_e7, _e8));
    size = vec4<i32>(bitcast<i32>(_e3), _e10);
    let _e16 = level_1;
    let _e18 = textureDimensions(sky, _e16);
    let _e19 = textureNumLayers(sky);
    let _e21 = bitcast<vec3<i32>>(vec3<u32>(_e18, _e19));
    let _e22 = textureNumLevels(sky);
    let _e28 = size;
    size = (_e28 + vec4<i32>(_e21, bitcast<i32>(_e22)));
    let _e31 = textureDimensions(samples);
    let _e32 = bitcast<vec2<i32>>(_e31);
    let _e33 = textureNumSamples(samples);
    let _e36 = textureNumLevels(shadow);
    let _e41 = size;
    size = (_e41 + vec4<i32>(_e32, bitcast<i32>(_e33), bitcast<i32>(_e36)));
    let _e44 = textureDimensions(shadow, 1i);
    let _e45 = bitcast<vec2<i32>>(_e44);
    let _e47 = textureDimensions(cube, 0i);
    let _e48 = bitcast<vec2<i32>>(_e47);
    let _e54 = size;
    size = (_e54 + vec4<i32>(_e45, _e48));
    let _e57 = textureDimensions(image);
    let _e58 = textureNumLayers(image);
    let _e60 = bitcast<vec3<i32>>(vec3<u32>(_e57, _e58));
    let _e66 = textureDimensions(cubes);
    let _e67 = textureNumLayers(cubes);
    let _e71 = bitcast<vec3<i32>>(vec3<u32>(_e66, (_e67 / 6u)));
    let _e77 = size;
    size = (_e77 + (vec4<i32>(_e60, 0i) + vec4<i32>(_e71, 0i)));
    return;
}

@fragment 
fn main(@location(0) @interpolate(flat) level: i32) -> main_result {
    level_1 = level;
    main_inner();
    let _e3 = size;
    return main_result(_e3);
}
