@group(0) @binding(0) 
var _rgba32f: texture_storage_2d<rgba32float,write>;
@group(0) @binding(1) 
var _rgba16f: texture_storage_2d<rgba16float,write>;
@group(0) @binding(2) 
var _r32f: texture_storage_2d<r32float,write>;
@group(0) @binding(3) 
var _rgba8_: texture_storage_2d<rgba8unorm,write>;
@group(0) @binding(4) 
var _rgba8_snorm: texture_storage_2d<rgba8snorm,write>;
@group(0) @binding(5) 
var _rg32f: texture_storage_2d<rg32float,write>;
@group(0) @binding(6) 
var _rg16f: texture_storage_2d<rg16float,write>;
@group(0) @binding(7) 
var _r11f_g11f_b10f: texture_storage_2d<rg11b10ufloat,write>;
@group(0) @binding(8) 
var _r16f: texture_storage_2d<r16float,write>;
@group(0) @binding(9) 
var _rgba16_: texture_storage_2d<rgba16unorm,write>;
@group(0) @binding(10) 
var _rgb10_a2_: texture_storage_2d<rgb10a2unorm,write>;
@group(0) @binding(11) 
var _rg16_: texture_storage_2d<rg16unorm,write>;
@group(0) @binding(12) 
var _rg8_: texture_storage_2d<rg8unorm,write>;
@group(0) @binding(13) 
var _r16_: texture_storage_2d<r16unorm,write>;
@group(0) @binding(14) 
var _r8_: texture_storage_2d<r8unorm,write>;
@group(0) @binding(15) 
var _rgba16_snorm: texture_storage_2d<rgba16snorm,write>;
@group(0) @binding(16) 
var _rg16_snorm: texture_storage_2d<rg16snorm,write>;
@group(0) @binding(17) 
var _rg8_snorm: texture_storage_2d<rg8snorm,write>;
@group(0) @binding(18) 
var _r16_snorm: texture_storage_2d<r16snorm,write>;
@group(0) @binding(19) 
var _r8_snorm: texture_storage_2d<r8snorm,write>;
@group(0) @binding(20) 
var _rgba32i: texture_storage_2d<rgba32sint,write>;
@group(0) @binding(21) 
var _rgba16i: texture_storage_2d<rgba16sint,write>;
@group(0) @binding(22) 
var _rgba8i: texture_storage_2d<rgba8sint,write>;
@group(0) @binding(23) 
var _r32i: texture_storage_2d<r32sint,write>;
@group(0) @binding(24) 
var _rg32i: texture_storage_2d<rg32sint,write>;
@group(0) @binding(25) 
var _rg16i: texture_storage_2d<rg16sint,write>;
@group(0) @binding(26) 
var _rg8i: texture_storage_2d<rg8sint,write>;
@group(0) @binding(27) 
var _r16i: texture_storage_2d<r16sint,write>;
@group(0) @binding(28) 
var _r8i: texture_storage_2d<r8sint,write>;
@group(0) @binding(29) 
var _rgba32ui: texture_storage_2d<rgba32uint,write>;
@group(0) @binding(30) 
var _rgba16ui: texture_storage_2d<rgba16uint,write>;
@group(0) @binding(31) 
var _rgba8ui: texture_storage_2d<rgba8uint,write>;
@group(0) @binding(32) 
var _r32ui: texture_storage_2d<r32uint,write>;
@group(0) @binding(33) 
var _rgb10_a2ui: texture_storage_2d<rgb10a2uint,write>;
@group(0) @binding(34) 
var _rg32ui: texture_storage_2d<rg32uint,write>;
@group(0) @binding(35) 
var _rg16ui: texture_storage_2d<rg16uint,write>;
@group(0) @binding(36) 
var _rg8ui: texture_storage_2d<rg8uint,write>;
@group(0) @binding(37) 
var _r16ui: texture_storage_2d<r16uint,write>;
@group(0) @binding(38) 
var _r8ui: texture_storage_2d<r8uint,write>;

fn main_inner() {
    textureStore(_rgba32f, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rgba16f, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_r32f, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rgba8_, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rgba8_snorm, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rg32f, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rg16f, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_r11f_g11f_b10f, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_r16f, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rgba16_, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rgb10_a2_, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rg16_, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rg8_, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_r16_, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_r8_, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rgba16_snorm, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rg16_snorm, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rg8_snorm, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_r16_snorm, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_r8_snorm, vec2<i32>(0i, 0i), vec4<f32>(1f, 1f, 1f, 1f));
    textureStore(_rgba32i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_rgba16i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_rgba8i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_r32i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_rg32i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_rg16i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_rg8i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_r16i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_r8i, vec2<i32>(0i, 0i), vec4<i32>(1i, 1i, 1i, 1i));
    textureStore(_rgba32ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_rgba16ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_rgba8ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_r32ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_rgb10_a2ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_rg32ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_rg16ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_rg8ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_r16ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    textureStore(_r8ui, vec2<i32>(0i, 0i), vec4<u32>(1u, 1u, 1u, 1u));
    return;
}

@compute @workgroup_size(1, 1, 1) 
fn main() {
    main_inner();
    return;
}
