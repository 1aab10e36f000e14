//! Differential tests of images: the same pixels and buffers before and after translation.
//!
//! Each expression is compiled from GLSL twice: once with separate textures and samplers, which a Vulkan device runs
//! unchanged, and once with combined image samplers, which is translated. The bindings of the first are those that the
//! translation assigns to the second, so both use the same bind group.

mod device;
mod storage;

use std::collections::HashSet;

use anywarp_spirv::{ReadOptions, read};

use crate::images::tools::Tools;
use device::Device;

/// The start of both versions of a shader. `APART` selects separate textures and samplers.
const HEAD: &str = "#version 450
#extension GL_EXT_samplerless_texture_functions : require
#ifdef APART
#define TEXTURE(NUMBER, SAMPLER, TYPE, KIND, NAME) \\
    layout(set = 0, binding = NUMBER) uniform TYPE NAME##_texture; \\
    layout(set = 0, binding = SAMPLER) uniform KIND NAME##_sampler;
TEXTURE(0, 7, texture2D, sampler, flat_)
TEXTURE(1, 8, texture2DArray, sampler, layers_)
TEXTURE(2, 9, texture3D, sampler, solid_)
TEXTURE(3, 10, textureCube, sampler, sky_)
TEXTURE(4, 11, texture2D, samplerShadow, shadow_)
TEXTURE(5, 12, itexture2D, sampler, ints_)
TEXTURE(6, 13, textureCubeArray, sampler, skies_)
#define flat sampler2D(flat__texture, flat__sampler)
#define layers sampler2DArray(layers__texture, layers__sampler)
#define solid sampler3D(solid__texture, solid__sampler)
#define sky samplerCube(sky__texture, sky__sampler)
#define shadow sampler2DShadow(shadow__texture, shadow__sampler)
#define ints isampler2D(ints__texture, ints__sampler)
#define skies samplerCubeArray(skies__texture, skies__sampler)
#else
layout(set = 0, binding = 0) uniform sampler2D flat_;
layout(set = 0, binding = 1) uniform sampler2DArray layers;
layout(set = 0, binding = 2) uniform sampler3D solid;
layout(set = 0, binding = 3) uniform samplerCube sky;
layout(set = 0, binding = 4) uniform sampler2DShadow shadow;
layout(set = 0, binding = 5) uniform isampler2D ints;
layout(set = 0, binding = 6) uniform samplerCubeArray skies;
#define flat flat_
#endif
layout(location = 0) in vec4 uv;
layout(location = 0) out vec4 color;
";

/// A shader evaluates [`COLUMNS`] expressions: pixel column `i` shows expression `i % COLUMNS`.
const EXPRESSIONS: &[&str] = &[
    "texture(flat, uv.xy)",
    "texture(flat, uv.xy * 3.0, 1.25)",
    "texture(flat, uv.xy * uv.xy, -0.75)",
    "textureLod(flat, uv.xy, uv.z * 4.0)",
    "textureLod(flat, uv.xy, 0.0)",
    "textureGrad(flat, uv.xy, uv.zw * 0.3, uv.wz * 0.1)",
    "textureOffset(flat, uv.xy, ivec2(3, -5))",
    "textureLodOffset(flat, uv.xy, 1.5, ivec2(-8, 7))",
    "textureGradOffset(flat, uv.xy, uv.zw * 0.2, uv.wz * 0.4, ivec2(1, 2))",
    "textureProj(flat, vec3(uv.xy, uv.z + 0.5))",
    "textureProj(flat, vec4(uv.xy, 9.0, uv.z + 0.5), 0.5)",
    "textureProjLod(flat, vec3(uv.xy, uv.z - 2.0), 1.0)",
    "textureProjGrad(flat, vec4(uv.xyw, 0.7), uv.xy * 0.1, uv.zw * 0.2)",
    "textureProjOffset(flat, vec3(uv.xy, 2.0), ivec2(2, 1))",
    "texture(layers, vec3(uv.xy, uv.z * 5.0 - 1.0))",
    "texture(layers, vec3(uv.xy, 0.5))",
    "texture(layers, vec3(uv.xy, 1.5))",
    "texture(layers, vec3(uv.xy, 2.5))",
    "texture(layers, vec3(uv.xy, -7.0))",
    "texture(layers, vec3(uv.xy, 100.0))",
    "textureLod(layers, vec3(uv.xy, 2.0), 1.5)",
    "texture(solid, uv.xyz)",
    "textureLod(solid, uv.zyx, 1.0)",
    "textureOffset(solid, uv.xyz, ivec3(1, -1, 2))",
    "textureProj(solid, vec4(uv.xyz, uv.w + 1.0))",
    "texture(sky, uv.xyz - 0.5)",
    "textureLod(sky, uv.zxy - vec3(0.5, 0.2, 0.7), 1.0)",
    "texture(skies, vec4(uv.xyz - 0.5, uv.w * 2.0))",
    "vec4(texture(shadow, uv.xyz))",
    "vec4(textureLod(shadow, uv.xyz, 0.0))",
    "vec4(textureOffset(shadow, uv.xyz, ivec2(1, 2)))",
    "vec4(textureProj(shadow, vec4(uv.xyz, uv.w + 0.5)))",
    "textureGather(shadow, uv.xy, uv.z)",
    "textureGatherOffset(shadow, uv.xy, uv.z, ivec2(1, -2))",
    "textureGather(flat, uv.xy)",
    "textureGather(flat, uv.xy, 3)",
    "textureGatherOffset(flat, uv.xy, ivec2(-3, 4), 1)",
    "textureGatherOffset(flat, uv.xy, ivec2(uv.zw * 40.0) - 20, 1)",
    "textureGatherOffset(shadow, uv.xy, uv.z, ivec2(uv.wz * 9.0))",
    "textureGatherOffset(layers, vec3(uv.xy, 2.0), ivec2(uv.wz * 9.0), 3)",
    "textureGatherOffsets(flat, uv.xy, \
     ivec2[](ivec2(0, 1), ivec2(-2, 3), ivec2(5, 0), ivec2(7, -8)), 2)",
    "textureGather(sky, uv.xyz - 0.5, 1)",
    "textureGather(layers, vec3(uv.xy, 1.6), 2)",
    "vec4(textureGather(ints, uv.xy, 2))",
    "texelFetch(flat, ivec2(uv.xy * 16.0), 0)",
    "texelFetch(flat, ivec2(uv.xy * 4.0), 2)",
    "texelFetchOffset(flat, ivec2(uv.xy * 8.0), 0, ivec2(3, 4))",
    "texelFetch(layers, ivec3(uv.xyz * 4.0), 1)",
    "texelFetch(solid, ivec3(uv.xyz * 8.0), 0)",
    "vec4(texelFetch(ints, ivec2(uv.xy * 16.0), 0))",
    "vec4(textureLod(ints, uv.xy * 3.0 - 1.0, 0.0))",
    "vec4(textureLodOffset(ints, uv.xy * 3.0 - 1.0, 0.0, ivec2(2, -3)))",
    "vec4(textureLod(ints, (floor(uv.xy * 40.0) + 0.5) / 16.0, 0.0))",
    "vec4(textureSize(flat, 1), textureSize(sky, 2))",
    "vec4(textureSize(layers, 0), textureQueryLevels(flat))",
    "vec4(textureSize(solid, 1), textureQueryLevels(solid))",
    "vec4(textureSize(skies, 0), textureQueryLevels(shadow))",
    "vec4(textureSize(shadow, 0), textureSize(ints, 0))",
    "GET(uv.xy)",
];

/// Sampling in functions, with combined and with separate parameters.
const CALLS: &str = "
#ifdef APART
vec4 get(vec2 at) { return texture(flat, at) * textureLod(flat, at.yx, 1.0); }
#define GET(AT) get(AT)
#else
vec4 inner(sampler2D from, vec2 at) { return textureLod(from, at, 1.0); }
vec4 get(sampler2D from, vec2 at) { return texture(from, at) * inner(from, at.yx); }
#define GET(AT) get(flat, AT)
#endif
";

/// Expressions per shader.
const COLUMNS: usize = 8;

/// Tolerance of projective coordinates: Vulkan does not specify the precision of their division.
const PROJECTION: f32 = 1e-5;

fn shader(expressions: &[&str]) -> String {
    let numbered = expressions.iter().enumerate();
    let lines = numbered.map(|(column, it)| format!("    columns[{column}] = {it};\n"));
    let lines: String = lines.collect();
    format!(
        "{HEAD}{CALLS}void main() {{\n    vec4 columns[{COLUMNS}];\n{lines}    \
         color = columns[int(gl_FragCoord.x) % {COLUMNS}];\n}}\n"
    )
}

/// The difference in the columns of an expression, if there is one.
fn difference(
    before: &[[f32; 4]],
    after: &[[f32; 4]],
    column: usize,
    allowed: f32,
) -> Option<String> {
    let is_there = |(index, _): &(usize, _)| index % COLUMNS == column;
    let pairs = before.iter().zip(after).enumerate().filter(is_there);
    let is_same = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a - b).abs() <= allowed;
    let differ: Vec<_> = pairs
        .filter(|(_, (a, b))| a.iter().zip(*b).any(|(a, b)| !is_same(*a, *b)))
        .collect();
    let (_, (before, after)) = differ.first()?;
    Some(format!(
        "{} pixels differ, the first: {before:?}, {after:?}",
        differ.len()
    ))
}

#[test]
fn pixels_are_the_same() {
    let (Some(tools), Some(device)) = (Tools::find(), Device::vulkan()) else {
        return;
    };
    // The binding map assigns samplers as if every shader used all resources.
    let options = ReadOptions::default().bindings(device::bindings());
    let mut wrong = Vec::new();
    let mut seen = HashSet::new();
    for expressions in EXPRESSIONS.chunks(COLUMNS) {
        let source = shader(expressions);
        let before = device.render_spirv(&tools.compile(&source, "frag", &["APART"]));
        let reading = read(&tools.compile(&source, "frag", &[]), &options);
        let reading = reading.unwrap_or_else(|error| panic!("{error}\n{source}"));
        let after = device.render(&reading.program);
        for (column, expression) in expressions.iter().enumerate() {
            let allowed = if expression.contains("Proj") {
                PROJECTION
            } else {
                0.0
            };
            let difference = difference(&before, &after, column, allowed);
            wrong.extend(difference.map(|it| format!("{expression}: {it}")));
            let pixels = before.iter().skip(column).step_by(COLUMNS);
            seen.insert(pixels.map(|it| it.map(f32::to_bits)).collect::<Vec<_>>());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // If all images were equal, the test would prove nothing.
    assert!(
        seen.len() > EXPRESSIONS.len() * 9 / 10,
        "{} different images",
        seen.len()
    );
}

/// Storage images that are read, written or both, also in functions.
const STORAGE: &str = "#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform image2D source;
layout(set = 0, binding = 1, rgba16f) uniform image2DArray layers;
layout(set = 0, binding = 2, r32ui) uniform uimage2D both;
layout(set = 0, binding = 3, rgba32i) uniform writeonly iimage3D solid;
layout(set = 0, binding = 4) uniform image2D plain;
layout(set = 0, binding = 5) uniform image2D other;
void put(image2D to, ivec2 at, vec4 value) { imageStore(to, at, value); }
void twice(image2D to, ivec2 at, vec4 value) { put(to, at, value); put(to, 15 - at, value.wzyx); }
vec4 get(image2D from, ivec2 at) { return imageLoad(from, at); }
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 texel = imageLoad(source, at);
    imageStore(layers, ivec3(at, 0), texel.bgra);
    imageStore(layers, ivec3(at.yx, 1), texel + vec4(imageSize(layers), 0));
    for (uint i = 0u; i < 3u; i++) {
        imageStore(both, at, imageLoad(both, at) * 3u + i);
    }
    imageStore(solid, ivec3(at, at.x & 1), ivec4(texel * 255.0) - 128);
    if (at.x < 8) {
        twice(plain, at, get(other, at.yx) + texel);
    }
}";

#[test]
fn storage_images_are_the_same() {
    let (Some(tools), Some(device)) = (Tools::find(), Device::vulkan()) else {
        return;
    };
    let bytes = tools.compile(STORAGE, "comp", &[]);
    let before = device.compute_spirv(&bytes);
    let reading = read(&bytes, &ReadOptions::default()).unwrap();
    let after = device.compute(&reading.program);
    for (binding, (before, after)) in before.iter().zip(&after).enumerate() {
        assert!(before == after, "binding {binding} differs");
        // All written images must have changed.
        let is_read = binding == 0 || binding == 5;
        assert_eq!(
            device.storage_before(binding) == *after,
            is_read,
            "binding {binding}"
        );
    }
}
