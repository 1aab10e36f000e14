//! Textures that are read and written in one kernel, in functions, after barriers, and far out of bounds.

use anywarp_cpu::CallPolicy;
use anywarp_texture::{Format, Kind};

use super::run::agree;

/// The body of a kernel, from one texture to another.
fn try_case(from: &str, to: &str, sampled: Format, rest: &str) {
    let text = format!(
        "@group(0) @binding(0) var t: {from};
        @group(0) @binding(1) var o: {to};
        {rest}"
    );
    agree(&text, sampled, &[CallPolicy::Large, CallPolicy::All]);
}

const MAIN: &str =
    "@compute @workgroup_size(16, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>)";

#[test]
fn read_and_written() {
    let rest = format!(
        "{MAIN} {{
            if id.z > 0u {{ return; }}
            for (var i = 0u; i < 5u; i++) {{
                let old = textureLoad(o, id.xy);
                textureStore(o, id.xy, old * 3u + textureLoad(t, id.xy + i) + i);
                let again = textureLoad(o, id.xy);
                textureStore(o, id.xy, again ^ old);
            }}
        }}"
    );
    let from = "texture_storage_2d<r32uint, read>";
    let to = "texture_storage_2d<r32uint, read_write>";
    try_case(from, to, Format::R32Uint, &rest);
}

#[test]
fn behind_barriers() {
    let rest = "
        @compute @workgroup_size(16, 2) fn main(
            @builtin(global_invocation_id) id: vec3<u32>,
            @builtin(local_invocation_id) l: vec3<u32>,
            @builtin(workgroup_id) w: vec3<u32>,
        ) {
            textureStore(o, id.xy, textureLoad(t, id.xy) + id.x);
            textureBarrier();
            let at = w.xy * vec2(16u, 2u) + vec2(15u - l.x, 1u - l.y);
            let other = textureLoad(o, at);
            textureBarrier();
            textureStore(o, id.xy, other * 2u);
        }";
    let from = "texture_storage_2d<r32uint, read>";
    let to = "texture_storage_2d<r32uint, read_write>";
    try_case(from, to, Format::R32Uint, rest);
}

#[test]
fn in_functions() {
    let rest = format!(
        "fn fetch(at: vec2<i32>) -> vec4<f32> {{
            if at.x % 3 == 1 {{ return vec4(0.25); }}
            return textureLoad(t, at, 0) + textureLoad(t, at.yx, 0);
        }}
        fn put(at: vec2<i32>, v: vec4<f32>) {{
            if at.y % 3 != 1 {{ textureStore(o, at, v); }}
            if at.x % 5 == 1 {{ return; }}
            textureStore(o, at + vec2(1, 0), v.bgra);
        }}
        {MAIN} {{
            if id.x == 9u || id.z > 0u {{ return; }}
            var i = 0;
            loop {{
                if i > i32(id.x) % 4 {{ break; }}
                let v = fetch(vec2<i32>(id.xy) + i - 2);
                if id.x % 2u == 0u {{ put(vec2<i32>(id.xy * 2u), v); }}
                i++;
            }}
        }}"
    );
    for format in [Format::R16Float, Format::Rgba8UnormSrgb, Format::Rg16Snorm] {
        let to = "texture_storage_2d<bgra8unorm, write>";
        try_case("texture_2d<f32>", to, format, &rest);
    }
}

#[test]
fn far_outside() {
    let rest = format!(
        "{MAIN} {{
            textureStore(o, vec2(id.x, id.y * 0x10000000u), textureLoad(t, vec2(id.x * 0x8000000u, id.y), 0));
            let far = id.y * 0x1bacf915u + 1u;
            textureStore(o, vec2(id.x, far), textureLoad(t, vec2(id.x, far), 0));
            textureStore(o, vec2(id.x + 0x7ffffff0u, id.y), vec4(1.0));
            textureStore(o, vec2(id.x + 0xfffffff8u, id.y), vec4(2.0));
        }}"
    );
    let to = "texture_storage_2d<r32float, write>";
    try_case("texture_2d<f32>", to, Format::Rgba8Unorm, &rest);
}

/// If several lanes store to one texel, the highest lane wins.
#[test]
fn at_one_texel() {
    let rest = format!(
        "{MAIN} {{
            textureStore(o, id.xy / 2u, vec4(f32(id.x)));
            textureStore(o, id.xy / 3u, vec4(f32(id.y)));
        }}"
    );
    let to = "texture_storage_2d<rg32float, write>";
    try_case("texture_2d<f32>", to, Format::Rgba8Unorm, &rest);
}

#[test]
fn depth_as_a_color() {
    let rest = format!("{MAIN} {{ textureStore(o, id.xy, textureLoad(t, id.yx, 0)); }}");
    for format in [Format::Depth32Float, Format::Depth16Unorm] {
        let to = "texture_storage_2d<rgba32float, write>";
        try_case("texture_2d<f32>", to, format, &rest);
    }
}

/// Loads that are hoisted out of a loop without stores are correct for whichever format is bound.
#[test]
fn in_a_loop_without_stores() {
    let rest = "
        @compute @workgroup_size(16, 2) fn main(
            @builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>,
        ) {
            var sum = vec4<f32>();
            for (var i = 0u; i < n.x; i++) { sum += textureLoad(t, id.xy, 2) * f32(i); }
            textureStore(o, id.xy, sum);
        }";
    let formats = Format::ALL
        .iter()
        .filter(|format| format.kind() == Kind::Float);
    for &format in formats {
        let to = "texture_storage_2d<rgba8snorm, write>";
        try_case("texture_2d<f32>", to, format, rest);
    }
}
