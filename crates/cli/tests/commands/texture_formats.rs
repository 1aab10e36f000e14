//! `anywarp run` with storage textures of many formats, as numbers and as pictures.

use crate::harness::{Folder, anywarp, read_png, run};

/// Stores a value into the only texel, or into all texels of 2x1.
fn program(format: &str, value: &str) -> String {
    format!(
        "@group(0) @binding(0) var t: texture_storage_2d<{format}, write>;
        @compute @workgroup_size(1)
        fn main(@builtin(global_invocation_id) id: vec3u) {{ textureStore(t, id.xy, {value}); }}"
    )
}

/// Format, stored value, type of the channels, value read back.
const STORED: &[(&str, &str, &str, &str)] = &[
    ("rgba8unorm", "vec4f(0.2, 2, -1, 1)", "f32", "0.2, 1, 0, 1"),
    ("rgba8snorm", "vec4f(1, -2, 0, -1)", "f32", "1, -1, 0, -1"),
    ("rgba8uint", "vec4u(1, 2, 255, 0)", "u32", "1, 2, 255, 0"),
    (
        "rgba8sint",
        "vec4i(1, -2, 127, -128)",
        "i32",
        "1, -2, 127, -128",
    ),
    (
        "rgba16uint",
        "vec4u(1, 2, 65535, 0)",
        "u32",
        "1, 2, 65535, 0",
    ),
    (
        "rgba16sint",
        "vec4i(1, -2, 32767, 0)",
        "i32",
        "1, -2, 32767, 0",
    ),
    (
        "rgba16float",
        "vec4f(1, -2.5, 0.5, 0)",
        "f32",
        "1, -2.5, 0.5, 0",
    ),
    ("r32uint", "vec4u(4294967295, 0, 0, 0)", "u32", "4294967295"),
    ("r32sint", "vec4i(-7, 0, 0, 0)", "i32", "-7"),
    ("r32float", "vec4f(1e30, 0, 0, 0)", "f32", "1e30"),
    ("rg32uint", "vec4u(1, 2, 0, 0)", "u32", "1, 2"),
    ("rg32sint", "vec4i(1, -2, 0, 0)", "i32", "1, -2"),
    ("rg32float", "vec4f(1, -2, 0, 0)", "f32", "1, -2"),
    ("rgba32uint", "vec4u(1, 2, 3, 4)", "u32", "1, 2, 3, 4"),
    ("rgba32sint", "vec4i(1, -2, 3, 4)", "i32", "1, -2, 3, 4"),
    ("rgba32float", "vec4f(1, -2, 3, 4)", "f32", "1, -2, 3, 4"),
];

/// Formats that not every device can store.
const STORED_HERE: &[(&str, &str, &str, &str)] = &[
    ("r8unorm", "vec4f(1, 0, 0, 0)", "f32", "1"),
    ("r8snorm", "vec4f(-1, 0, 0, 0)", "f32", "-1"),
    ("rg8uint", "vec4u(1, 2, 0, 0)", "u32", "1, 2"),
    ("rg8sint", "vec4i(-1, 2, 0, 0)", "i32", "-1, 2"),
    ("r16float", "vec4f(0.5, 0, 0, 0)", "f32", "0.5"),
    ("rg16unorm", "vec4f(1, 0, 0, 0)", "f32", "1, 0"),
    ("bgra8unorm", "vec4f(1, 0, 0.2, 0)", "f32", "1, 0, 0.2, 0"),
    (
        "rgb10a2uint",
        "vec4u(1023, 1, 2, 3)",
        "u32",
        "1023, 1, 2, 3",
    ),
    ("rgb10a2unorm", "vec4f(1, 0, 0, 1)", "f32", "1, 0, 0, 1"),
    ("rg11b10ufloat", "vec4f(1, 0.5, 2, 0)", "f32", "1, 0.5, 2"),
];

#[test]
fn every_format_is_stored_and_printed() {
    let folder = Folder::new("formats");
    for (format, value, element, printed) in STORED {
        let file = folder.file(&format!("{format}.wgsl"), program(format, value));
        let out = format!("0:0=print:{element}");
        let arguments = ["--bind", "0:0=texture:1x1", "--out", &out];
        let text = run(&file, &arguments).done().stdout;
        assert_eq!(text, format!("0:0 = [{printed}]\n"), "{format}");
    }
}

#[test]
fn the_cpu_stores_more_formats() {
    let folder = Folder::new("more_formats");
    for (format, value, element, printed) in STORED_HERE {
        let file = folder.file(&format!("{format}.wgsl"), program(format, value));
        let out = format!("0:0=print:{element}");
        let arguments = ["run", &file, "--bind", "0:0=texture:1x1", "--out", &out];
        let text = anywarp(&arguments).done().stdout;
        assert_eq!(text, format!("0:0 = [{printed}]\n"), "{format}");
    }
    let file = folder.file(
        "r64uint.wgsl",
        "@group(0) @binding(0) var t: texture_storage_2d<r64uint, atomic>;
        @compute @workgroup_size(1) fn main() { textureAtomicMax(t, vec2u(), 5000000000lu); }",
    );
    let arguments = ["--bind", "0:0=texture:1x1:fill:3", "--out", "0:0=print:u64"];
    let text = anywarp(&[&["run", file.as_str()], &arguments[..]].concat());
    assert_eq!(text.done().stdout, "0:0 = [5000000000]\n");
}

#[test]
fn pictures_follow_from_the_format() {
    use png::ColorType::{Grayscale, Rgb, Rgba};
    let folder = Folder::new("format_pictures");
    // The stored value, and the bytes of one pixel: clamped or unchanged.
    for (format, value, colour, pixel) in [
        (
            "rgba8unorm",
            "vec4f(0.2, 2, -1, 1)",
            Rgba,
            &[51, 255, 0, 255][..],
        ),
        ("rgba8snorm", "vec4f(1, -1, 0, 0)", Rgba, &[255, 0, 0, 0]),
        ("rgba8uint", "vec4u(1, 2, 255, 7)", Rgba, &[1, 2, 255, 7]),
        (
            "rgba8sint",
            "vec4i(1, -2, 127, -128)",
            Rgba,
            &[1, 0, 127, 0],
        ),
        (
            "rgba16uint",
            "vec4u(1, 2, 65535, 256)",
            Rgba,
            &[0, 1, 0, 2, 255, 255, 1, 0],
        ),
        (
            "rgba16float",
            "vec4f(0.5, 2, 0, 1)",
            Rgba,
            &[128, 255, 0, 255],
        ),
        (
            "rgba32float",
            "vec4f(0.5, -2, 0, 1)",
            Rgba,
            &[128, 0, 0, 255],
        ),
        (
            "rgba32uint",
            "vec4u(1, 256, 0, 255)",
            Rgba,
            &[1, 255, 0, 255],
        ),
        ("rg32float", "vec4f(1, 0.5, 9, 9)", Rgb, &[255, 128, 0]),
        ("r32float", "vec4f(0.5, 9, 9, 9)", Grayscale, &[128]),
        ("r32sint", "vec4i(-7, 0, 0, 0)", Grayscale, &[0]),
    ] {
        let file = folder.file(&format!("{format}.wgsl"), program(format, value));
        let picture = folder.path(&format!("{format}.png"));
        let out = format!("0:0={picture}");
        let arguments = ["--workgroups", "2", "--bind", "0:0=texture:2x1"];
        let text = run(&file, &[&arguments[..], &["--out", &out]].concat()).done();
        assert!(
            text.stdout.contains(&format!("(2x1 {format})")),
            "{}",
            text.stdout
        );
        let (width, height, found, pixels) = read_png(&picture);
        assert_eq!((width, height, found), (2, 1, colour), "{format}");
        assert_eq!(pixels, [pixel, pixel].concat(), "{format}");
    }
}

#[test]
fn a_heat_map_of_a_texture() {
    let folder = Folder::new("texture_heat");
    let file = folder.file(
        "heat.wgsl",
        program("r32uint", "vec4u(1000u * id.x, 0, 0, 0)"),
    );
    let picture = folder.path("heat.png");
    for out in [
        format!("0:0={picture}:heat"),
        format!("0:0={picture}:3x1:heat"),
    ] {
        let arguments = [
            "--workgroups",
            "3",
            "--bind",
            "0:0=texture:3x1",
            "--out",
            &out,
        ];
        let text = run(&file, &arguments).done().stdout;
        assert!(text.contains("heat.png (3x1 heat, 0 to 2000)"), "{text}");
        let (.., pixels) = read_png(&picture);
        assert_eq!(pixels, [0, 0, 4, 186, 54, 85, 252, 255, 164]);
    }
}

#[test]
fn json_says_the_format() {
    let folder = Folder::new("texture_json");
    let file = folder.file("json.wgsl", program("rg32float", "vec4f(1, 2, 0, 0)"));
    let picture = folder.path("a.png");
    let out = format!("0:0={picture}");
    let arguments = ["--bind", "0:0=texture:1x1", "--out", &out, "--json"];
    let json = run(
        &file,
        &[&arguments[..], &["--out", "0:0=print:f32"]].concat(),
    );
    let json = json.done().json();
    assert_eq!(json["outputs"][0]["pixels"], "rg32float");
    assert_eq!(json["outputs"][0]["width"], 1);
    assert_eq!(json["outputs"][1]["values"], serde_json::json!([1.0, 2.0]));
}
