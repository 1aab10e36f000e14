//! Loads from every format, of every dimension.

use anywarp_cpu::CallPolicy;
use anywarp_texture::{Format, Kind};

use super::run::{GRID, agree};

/// The formats that a texture of a dimension can have.
fn formats(is_flat: bool) -> impl Iterator<Item = Format> {
    let all = Format::ALL.iter().copied();
    all.filter(move |format| is_flat || format.kind() != Kind::Depth && *format != Format::Stencil8)
}

/// Loads a texel into `out`: `load` is the statement that defines `texel`, from a texture `t` and coordinates `x`, `y`
/// and `z`, some of them out of bounds.
fn kernel(dimension: &str, format: Format, load: &str) -> String {
    let [width, height, _] = GRID;
    let (ty, number, value) = match format.kind() {
        Kind::Float => (format!("texture_{dimension}<f32>"), "f32", "texel"),
        Kind::Sint => (format!("texture_{dimension}<i32>"), "i32", "texel"),
        Kind::Uint => (format!("texture_{dimension}<u32>"), "u32", "texel"),
        Kind::Depth => (format!("texture_depth_{dimension}"), "f32", "vec4(texel)"),
    };
    format!(
        "@group(0) @binding(0) var t: {ty};
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<{number}>>;
        @compute @workgroup_size(16, 2) fn main(
            @builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>,
        ) {{
            let x = i32(id.x) - 2; let y = i32(id.y) - 1; let z = i32(id.z);
            {load}
            out[(id.z * {height}u + id.y) * {width}u + id.x] = {value};
        }}"
    )
}

#[test]
fn every_format_and_level() {
    for format in formats(true) {
        // There is no such level as the last.
        for level in [0, 1, 2, 9] {
            let load = format!("let texel = textureLoad(t, vec2(x, y), {level});");
            agree(&kernel("2d", format, &load), format, &[CallPolicy::Large]);
        }
    }
}

/// Loads that are hoisted out of a loop are correct for whichever format is bound.
#[test]
fn every_format_in_a_loop() {
    for level in [0, 2] {
        let load = format!(
            "var texel = textureLoad(t, vec2(y, x), {level});
            for (var i = 0u; i < n.x; i++) {{ texel += textureLoad(t, vec2(x, y), {level}); }}"
        );
        for format in formats(true) {
            agree(&kernel("2d", format, &load), format, &[CallPolicy::Large]);
        }
    }
}

#[test]
fn every_format_where_some_lanes_take_part() {
    let load = "
        if (id.x + id.y) % 5u == 3u { return; }
        let texel = textureLoad(t, vec2(x, y), 0);";
    for format in formats(true) {
        agree(&kernel("2d", format, load), format, &[CallPolicy::Large]);
    }
}

#[test]
fn every_dimension() {
    for (dimension, place) in [
        ("1d", "x, 1"),
        ("2d_array", "vec2(x, y), z, 1"),
        ("2d_array", "vec2(x, y), x - 2, 0"),
        ("3d", "vec3(x, y, z), 0"),
        ("3d", "vec3(x, y, x % 7), 1"),
        ("3d", "vec3(x, y, x * 0x10000001), 1"),
        ("2d_array", "vec2(x, y), x * 0x10000001, 0"),
    ] {
        let load = format!("let texel = textureLoad(t, {place});");
        for format in formats(false) {
            agree(
                &kernel(dimension, format, &load),
                format,
                &[CallPolicy::Large],
            );
        }
    }
}

/// More texel accesses in one kernel than the code does itself.
#[test]
fn many_texels() {
    let one = |number: i32| {
        format!(
            "texel += textureLoad(t, vec2(x + {}, y + {}), 0);\n",
            number % 7,
            number % 3
        )
    };
    let loads: String = (0..100).map(one).collect();
    let load = format!("var texel = vec4<f32>();\n{loads}");
    let format = Format::Rgba8Unorm;
    agree(&kernel("2d", format, &load), format, &[CallPolicy::Large]);
}
