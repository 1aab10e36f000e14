//! Stores to every format that shaders store to.

use anywarp_cpu::CallPolicy;
use anywarp_texture::{Format, Kind};

use super::run::agree;

/// Formats that shaders store to.
const STORED: &[Format] = &[
    Format::Rgba8Unorm,
    Format::Bgra8Unorm,
    Format::Rgba8Snorm,
    Format::Rgba8Uint,
    Format::Rgba8Sint,
    Format::R16Float,
    Format::Rg16Float,
    Format::Rgba16Float,
    Format::Rgba16Uint,
    Format::R32Float,
    Format::R32Uint,
    Format::R32Sint,
    Format::Rg32Float,
    Format::Rg32Uint,
    Format::Rg32Sint,
    Format::Rgba32Float,
    Format::Rgba32Uint,
    Format::Rgba32Sint,
    Format::R8Unorm,
    Format::Rgb10a2Unorm,
];

/// Stores numbers of all kinds, some of them outside the texture.
fn kernel(dimension: &str, format: Format, condition: &str, place: &str) -> String {
    let name = format.name();
    let value = match format.kind() {
        Kind::Sint => "bitcast<vec4<i32>>(bits)",
        Kind::Uint => "bits",
        _ => {
            "select(bitcast<vec4<f32>>(bits & vec4(0xbf7fffffu)), vec4<f32>(bits % 511u) / 510.0, id.x % 3u == 0u)"
        }
    };
    format!(
        "@group(0) @binding(0) var t: texture_storage_{dimension}<{name}, write>;
        @compute @workgroup_size(16, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let at = vec3<i32>(id) - vec3(2, 1, 0);
            let bits = (vec4(1u, 2u, 3u, 4u) + id.x * 4u + id.y * 1000u + id.z * 77777u) * 0x9e3779b9u;
            if {condition} {{ textureStore(t, {place}, {value}); }}
        }}"
    )
}

#[test]
fn every_format_and_place() {
    for (dimension, place) in [
        // Side by side, and not.
        ("2d", "id.xy"),
        ("2d", "at.xy"),
        ("2d", "id.yx"),
        ("2d", "vec2(id.x, id.y / 2u * 2u + id.x % 2u)"),
        ("1d", "at.x + i32(id.y) * 16"),
        ("2d_array", "at.xy, at.z"),
        ("2d_array", "at.xy, id.x % 3u"),
        ("3d", "at"),
        ("3d", "at.xzy"),
    ] {
        for &format in STORED {
            for condition in ["true", "(id.x + id.y) % 5u != 3u"] {
                let text = kernel(dimension, format, condition, place);
                agree(&text, format, &[CallPolicy::Large]);
            }
        }
    }
}

/// Numbers next to each midpoint between two multiples of 1/255, and values outside 0 to 1, infinities and NaN.
#[test]
fn fractions_are_rounded_once() {
    let text = "
        @group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, write>;
        @compute @workgroup_size(16, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let n = id.x + id.y * 37u;
            let half = bitcast<u32>((f32(n) + 0.5) / 255.0);
            let odd = array(bitcast<f32>(0x7fc00000u), bitcast<f32>(0xff800000u), bitcast<f32>(0x7f800000u), -0.0);
            let last = select(bitcast<f32>(half + 2u), odd[n % 4u], n > 170u);
            textureStore(t, id.xy, vec4(bitcast<f32>(half - 1u), bitcast<f32>(half), bitcast<f32>(half + 1u), last));
        }";
    agree(text, Format::Rgba8Unorm, &[CallPolicy::Large]);
}
