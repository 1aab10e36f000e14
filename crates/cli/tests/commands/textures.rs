//! `anywarp run` with textures: sources and outputs of texels.

use crate::harness::{Folder, read_png, run};

/// Writes a PNG of any kind.
fn write_png(
    folder: &Folder,
    name: &str,
    kind: (png::ColorType, png::BitDepth),
    size: [u32; 2],
    data: &[u8],
) -> String {
    let path = folder.path(name);
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = png::Encoder::new(file, size[0], size[1]);
    encoder.set_color(kind.0);
    encoder.set_depth(kind.1);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    path
}

const RGBA8: (png::ColorType, png::BitDepth) = (png::ColorType::Rgba, png::BitDepth::Eight);

/// Rotates a picture by 180 degrees.
const TURN: &str = "
@group(0) @binding(0) var before: texture_2d<f32>;
@group(0) @binding(1) var after: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let last = textureDimensions(before) - 1;
    textureStore(after, last - id.xy, textureLoad(before, id.xy, 0));
}
";

#[test]
fn a_picture_goes_in_and_a_picture_comes_out() {
    let folder = Folder::new("turn");
    let file = folder.file("turn.wgsl", TURN);
    let pixels: Vec<u8> = (0..24).map(|it| it * 10).collect();
    let photo = write_png(&folder, "photo.png", RGBA8, [3, 2], &pixels);
    let turned = folder.path("turned.png");
    let arguments = |bind: &str, out: &str| {
        let arguments = ["--workgroups", "3,2", "--bind", bind, "--out", out];
        run(&file, &arguments)
    };
    let expected: Vec<u8> = pixels.chunks(4).rev().flatten().copied().collect();
    // Without a size, with a size for the picture, and with one for the result.
    for (bind, out) in [
        (format!("0:0={photo}"), format!("0:1={turned}")),
        (format!("0:0={photo}:3x2"), format!("0:1={turned}")),
        (
            format!("0:0={photo}:rgba8unorm"),
            format!("0:1={turned}:3x2"),
        ),
        (
            format!("0:0={photo}:3x2:rgba16float"),
            format!("0:1={turned}:3x2"),
        ),
    ] {
        let line = arguments(&bind, &out).done().stdout;
        assert!(line.contains("turned.png (3x2 rgba8unorm)"), "{line}");
        let (width, height, colour, read) = read_png(&turned);
        assert_eq!((width, height, colour), (3, 2, png::ColorType::Rgba));
        assert_eq!(read, expected, "{bind}");
        std::fs::remove_file(&turned).unwrap();
    }
}

#[test]
fn pictures_of_grey_and_of_16_bits_are_read() {
    let folder = Folder::new("grey");
    let file = folder.file(
        "grey.wgsl",
        "@group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var<storage, read_write> out: vec4f;
        @compute @workgroup_size(1) fn main() { out = textureLoad(t, vec2u(), 0); }",
    );
    let grey = (png::ColorType::Grayscale, png::BitDepth::Sixteen);
    let photo = write_png(&folder, "grey.png", grey, [1, 1], &[0x80, 0x00]);
    let values = |format: &str| {
        let bind = format!("0:0={photo}{format}");
        let out = ["--bind", &bind, "--out", "0:1=print:f32"];
        run(&file, &out).done().stdout
    };
    let eight = f64::from((128.0 / 255.0) as f32) as f32;
    let sixteen = (f64::from(0x8000) / 65535.0) as f32;
    assert_eq!(
        values(""),
        format!("0:1 = [{eight}, {eight}, {eight}, 1]\n")
    );
    assert_eq!(values(":r32float"), format!("0:1 = [{sixteen}, 0, 0, 1]\n"));
    // A load converts sRGB values to linear ones.
    let linear = ((128.0f64 / 255.0 + 0.055) / 1.055).powf(2.4);
    let text = values(":rgba8unorm-srgb");
    let first: f64 = text["0:1 = [".len()..]
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((first - linear).abs() < 1e-3, "{text}");
}

#[test]
fn every_dimension_is_bound() {
    let folder = Folder::new("dimensions");
    let file = folder.file(
        "dimensions.wgsl",
        "@group(0) @binding(0) var a: texture_1d<u32>;
        @group(0) @binding(1) var b: texture_2d<u32>;
        @group(0) @binding(2) var c: texture_2d_array<u32>;
        @group(0) @binding(3) var d: texture_3d<u32>;
        @group(0) @binding(4) var e: texture_cube<f32>;
        @group(0) @binding(5) var f: texture_cube_array<f32>;
        @group(0) @binding(6) var<storage, read_write> out: array<u32, 9>;
        @compute @workgroup_size(1) fn main() {
            out[0] = textureLoad(a, 2u, 0).x;
            out[1] = textureLoad(b, vec2u(1, 1), 0).x;
            out[2] = textureLoad(b, vec2u(0, 0), 1).x;
            out[3] = textureLoad(c, vec2u(1, 0), 1, 0).x;
            out[4] = textureLoad(d, vec3u(0, 1, 1), 0).x;
            out[5] = textureDimensions(e).x;
            out[6] = textureNumLayers(f);
            out[7] = textureNumLevels(b);
            out[8] = textureDimensions(d).z;
        }",
    );
    let outcome = run(
        &file,
        &[
            "--bind",
            "0:0=texture:3:r32uint:u32:1,2,3",
            "--bind",
            "0:1=texture:2x2:r32uint:levels=2:u32:4,5,6,7,8",
            "--bind",
            "0:2=texture:2x1x2:r32uint:u32:9,10,11,12",
            "--bind",
            "0:3=texture:1x2x2:r32uint:u32:13,14,15,16",
            "--bind",
            "0:4=texture:4x4",
            "--bind",
            "0:5=texture:4x4x12",
            "--out",
            "0:6=print:u32",
        ],
    );
    let expected = "0:6 = [3, 7, 8, 12, 16, 4, 2, 2, 2]\n";
    assert_eq!(outcome.done().stdout, expected);
}

/// Stores the position of the texel, in every dimension.
const PLACES: &str = "
@group(0) @binding(0) var a: texture_storage_1d<r32uint, write>;
@group(0) @binding(1) var b: texture_storage_2d_array<r32uint, write>;
@group(0) @binding(2) var c: texture_storage_3d<r32uint, write>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let value = vec4u(id.x + 10u * id.y + 100u * id.z, 0, 0, 0);
    textureStore(a, id.x, value);
    textureStore(b, id.xy, id.z, value);
    textureStore(c, id, value);
}
";

#[test]
fn layers_and_slices_come_back_in_order() {
    let folder = Folder::new("layers");
    let file = folder.file("places.wgsl", PLACES);
    let bytes = folder.path("c.bin");
    let outcome = run(
        &file,
        &[
            "--workgroups",
            "3,2,2",
            "--bind",
            "0:0=texture:3",
            "--bind",
            "0:1=texture:3x2x2",
            "--bind",
            "0:2=texture:3x2x2:fill:5",
            "--out",
            "0:1=print:u32",
            "--out",
            "0:1=print:u32:4",
            "--out",
            &format!("0:2={bytes}"),
        ],
    );
    let places = [0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112u32];
    let text = places.map(|place| place.to_string()).join(", ");
    let outcome = outcome.done().stdout;
    assert!(outcome.contains(&format!("0:1 = [{text}]\n")), "{outcome}");
    assert!(outcome.contains("0:1 = [0, 1, 2, 10]\n"), "{outcome}");
    assert!(outcome.contains("c.bin (48 bytes)"), "{outcome}");
    let expected: Vec<u8> = places
        .iter()
        .flat_map(|place| place.to_le_bytes())
        .collect();
    assert_eq!(std::fs::read(&bytes).unwrap(), expected);

    // Reads the file back in.
    let again = run(
        &file,
        &[
            "--workgroups",
            "0",
            "--bind",
            "0:0=texture:3",
            "--bind",
            "0:1=texture:3x2x2",
            "--bind",
            &format!("0:2=texture:3x2x2:@{bytes}"),
            "--out",
            "0:2=print:u32",
        ],
    );
    assert_eq!(again.done().stdout, format!("0:2 = [{text}]\n"));
}

#[test]
fn textures_change_places_between_runs() {
    let folder = Folder::new("texture_swap");
    let file = folder.file(
        "grow.wgsl",
        "@group(0) @binding(0) var before: texture_2d<u32>;
        @group(0) @binding(1) var after: texture_storage_2d<r32uint, write>;
        @compute @workgroup_size(1)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            textureStore(after, id.xy, textureLoad(before, id.xy, 0) * 2u + 1u);
        }",
    );
    let arguments = |repeat: &'static str| {
        [
            "--workgroups",
            "2",
            "--repeat",
            repeat,
            "--bind",
            "0:0=texture:2x1:r32uint:u32:0,1",
            "--swap",
            "0:0,0:1",
            "--out",
            "0:1=print:u32",
            "--out",
            "0:0=print:u32",
        ]
    };
    let twice = run(&file, &arguments("2")).done();
    assert_eq!(twice.stdout, "0:1 = [3, 7]\n0:0 = [1, 3]\n");
    let four = run(&file, &arguments("4")).done();
    assert_eq!(four.stdout, "0:1 = [15, 31]\n0:0 = [7, 15]\n");
}

#[test]
fn depth_and_samples_are_filled() {
    let folder = Folder::new("samples");
    let file = folder.file(
        "samples.wgsl",
        "@group(0) @binding(0) var a: texture_multisampled_2d<f32>;
        @group(0) @binding(1) var b: texture_depth_2d;
        @group(0) @binding(2) var c: texture_depth_multisampled_2d;
        @group(0) @binding(3) var d: texture_multisampled_2d<u32>;
        @group(0) @binding(4) var e: texture_depth_2d;
        @group(0) @binding(5) var<storage, read_write> out: array<f32, 6>;
        @compute @workgroup_size(1) fn main() {
            out[0] = textureLoad(a, vec2u(1), 3).y;
            out[1] = textureLoad(b, vec2u(1), 0);
            out[2] = textureLoad(c, vec2u(1), 2);
            out[3] = f32(textureLoad(d, vec2u(1), 1).z);
            out[4] = textureLoad(e, vec2u(1, 0), 0);
            out[5] = f32(textureNumSamples(a));
        }",
    );
    let outcome = run(
        &file,
        &[
            "--bind",
            "0:0=texture:2x2:fill:0,1",
            "--bind",
            "0:1=texture:2x2:depth32float:fill:0.25",
            "--bind",
            "0:2=texture:2x2:depth32float:fill:0.75",
            "--bind",
            "0:3=texture:2x2:samples=4:fill:1,2,3",
            "--bind",
            "0:4=texture:2x1:u16:0,65535",
            "--out",
            "0:5=print:f32",
            "--out",
            "0:1=print:f32",
        ],
    );
    assert_eq!(
        outcome.done().stdout,
        "0:5 = [1, 0.25, 0.75, 3, 1, 4]\n0:1 = [0.25, 0.25, 0.25, 0.25]\n"
    );
}

#[test]
fn random_texels_depend_on_the_seed_alone() {
    let folder = Folder::new("random_texels");
    let file = folder.file("turn.wgsl", TURN);
    let texels = |spec: &str| {
        let bind = format!("0:0=texture:5x3:{spec}");
        let out = ["--bind", &bind, "--out", "0:0=print:f32"];
        run(&file, &out).done().stdout
    };
    assert_eq!(texels("random"), texels("random:0"));
    assert_ne!(texels("random"), texels("random:1"));
    // Small texels, with rows that are not whole words.
    assert_ne!(texels("r8unorm:random"), texels("r8unorm:random:1"));
}

#[test]
fn numbers_are_counted_in_textures() {
    let folder = Folder::new("texture_atomics");
    let file = folder.file(
        "count.wgsl",
        "@group(0) @binding(0) var counts: texture_storage_2d<r32uint, atomic>;
        @compute @workgroup_size(8)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            textureAtomicAdd(counts, vec2u(id.x % 3u, 0), 1u);
        }",
    );
    let arguments = ["--bind", "0:0=texture:3x1", "--out", "0:0=print:u32"];
    assert_eq!(run(&file, &arguments).done().stdout, "0:0 = [3, 3, 2]\n");
}
