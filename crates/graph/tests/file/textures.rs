//! Textures and samplers of files: their meaning, their errors, and their use by nodes on devices
//! that support textures.

use anywarp_graph::file::{FileOptions, FileResources, ImageSource, Pixels, TextureAccess};
use anywarp_graph::{GraphFile, GraphOptions, GraphRunner, Input};
use pollster::block_on;

use crate::common::Gpu;
use crate::file::errors::fails;
use crate::file::{EVERYTHING, load, parse};

/// A PNG file of 3x2 pixels, grey from 0 to 250.
pub(crate) fn picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 3, 2);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&[0, 50, 100, 150, 200, 250])
        .unwrap();
    writer.finish().unwrap();
    bytes
}

/// The beginning of one of many pixels.
pub(crate) fn huge_picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = png::Encoder::new(&mut bytes, 30_000, 1_000_000);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::IDAT, &[0x78, 1]).unwrap();
    drop(writer);
    bytes
}

#[test]
fn keys_mean_what_they_say() {
    let file = parse(EVERYTHING).unwrap();
    let [photo, drawn] = file.textures() else {
        panic!("{:?}", file.textures());
    };
    assert_eq!((photo.width, photo.height), (3, 2));
    assert_eq!(photo.format, wgpu::TextureFormat::Rgba8Uint);
    assert_eq!(photo.access, TextureAccess::Sampled);
    assert_eq!(photo.contents.len(), 24);
    assert_eq!(photo.contents[4..8], [50, 50, 50, 255]);
    assert_eq!(
        (drawn.width, drawn.height, drawn.binding_point.group),
        (32, 16, 1)
    );
    assert_eq!(drawn.access, TextureAccess::ReadWrite);
    let [smooth] = file.samplers() else {
        panic!("{:?}", file.samplers());
    };
    assert_eq!(smooth.filter, wgpu::FilterMode::Nearest);
    assert_eq!(smooth.address, wgpu::AddressMode::MirrorRepeat);
    let image =
        "buffer = \"pixels\"\nwidth = 32\nheight = 32\nformat = \"heat\"\nelement = \"f32\"\n";
    let file = parse(&EVERYTHING.replace(image, "texture = \"drawn\"\n")).unwrap();
    let image = file.image().unwrap();
    assert_eq!(image.source, ImageSource::Texture(1));
    assert_eq!(
        (image.width, image.height, image.pixels),
        (32, 16, Pixels::HeatF32)
    );
}

#[test]
fn what_is_wrong_is_named() {
    fails(
        "size = [32, 16]",
        "size = [32]",
        "texture[1].size",
        "give width and height, both more than zero",
    );
    fails(
        "size = [32, 16]",
        "size = [32, 0]",
        "texture[1].size",
        "give width and height, both more than zero",
    );
    fails(
        "size = [32, 16]",
        "size = [32, 16]\nfile = \"p.png\"",
        "texture[1].size",
        "a texture has a `file` or a `size`, not both",
    );
    fails(
        "size = [32, 16]\n",
        "file = \"p.png\"\n",
        "texture[1].file",
        "a picture cannot fill a texture of format r32float, only rgba8unorm, rgba8unorm-srgb or rgba8uint",
    );
    fails(
        "name = \"drawn\"\ngroup = 1\nbinding = 0\nsize = [32, 16]",
        "name = \"drawn\"\ngroup = 1\nbinding = 0",
        "texture[1].name",
        "the texture needs a `file` or a `size`",
    );
    fails(
        "file = \"p.png\"",
        "file = \"q.png\"",
        "texture[0].file",
        "cannot read `q.png`: entity not found",
    );
    fails(
        "file = \"p.png\"",
        "file = \"a.wgsl\"",
        "texture[0].file",
        "cannot read `a.wgsl`: Invalid PNG signature.",
    );
    fails(
        "file = \"p.png\"",
        "file = \"huge.png\"",
        "texture[0].file",
        "cannot read `huge.png`: it has too many pixels, 30000x1000000",
    );
    fails(
        "binding = 2\nfile",
        "binding = 0\nfile",
        "texture[0].binding",
        "another resource has this binding",
    );
    fails(
        "name = \"smooth\"",
        "name = \"photo\"",
        "sampler[0].name",
        "another resource has this name",
    );
    fails(
        "filter = \"nearest\"",
        "filter = \"cubic\"",
        "sampler[0].filter",
        "unknown variant `cubic`, expected `linear` or `nearest`",
    );
    fails(
        "buffer = \"pixels\"",
        "texture = \"drawn\"",
        "image.width+1",
        "is known from the texture",
    );
    fails(
        "buffer = \"pixels\"",
        "buffer = \"pixels\"\ntexture = \"drawn\"",
        "image+-1",
        "an image needs either a `buffer` or a `texture`",
    );
    let error = parse(&EVERYTHING.replace("p.png", "half.png")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`texture[0].file`: cannot read `half.png`: ")
    );
    let error = parse(&EVERYTHING.replace("r32float", "r64float")).unwrap_err();
    let start =
        "`texture[1].format`: is not a format; known formats: rgba8unorm, rgba8unorm-srgb, ";
    assert!(error.to_string().contains(start), "{error}");
}

/// An input texture, an output image, a sampler, and a counter, each accessed by the nodes.
const GRAPH: &str = r#"
[[node]]
name = "draw"
grid = [2, 2]
workgroup_size = [8, 4]
entry = true
source = "draw.wgsl"

[[node.output]]
to = "count"
budget = 1

[[node]]
name = "count"
launch = "thread"
source = "count.wgsl"

[[input]]
node = "draw"
count = 1

[[texture]]
name = "photo"
binding = 0
file = "p.png"

[[sampler]]
name = "smooth"
binding = 1

[[texture]]
name = "picture"
binding = 2
size = [16, 8]
access = "write"

[[texture]]
name = "counts"
group = 1
binding = 0
size = [1, 1]
format = "r32uint"
access = "read_write"

[image]
texture = "picture"
"#;

const DRAW: &str = "
@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var smooth_sampler: sampler;
@group(0) @binding(2) var picture: texture_storage_2d<rgba8unorm, write>;
fn draw(global_id: vec3<u32>, group_id: vec3<u32>) {
    // The centre of the first pixel of the photo is on the left, that of the last one on the right.
    let place = vec2<f32>(1.0 / 6.0 + f32(global_id.x) / 15.0 * 2.0 / 3.0, 0.25);
    let colour = textureSampleLevel(photo, smooth_sampler, place, 0.0);
    textureStore(picture, global_id.xy, vec4<f32>(colour.r, f32(global_id.y) / 255.0, 0.0, 1.0));
    count_group_count(u32(all(group_id == vec3<u32>(1, 1, 0))));
}";

const COUNT: &str = "
@group(1) @binding(0) var counts: texture_storage_2d<r32uint, read_write>;
fn count() {
    let before = textureLoad(counts, vec2<u32>(0, 0)).r;
    textureStore(counts, vec2<u32>(0, 0), vec4<u32>(before + 7u, 0, 0, 0));
}";

fn graph() -> GraphFile {
    graph_of(DRAW)
}

fn graph_of(draw: &str) -> GraphFile {
    let file = GraphFile::parse("g.toml", GRAPH, |file| match file.to_str() {
        Some(name @ "draw.wgsl") => Ok((name.to_owned(), draw.into())),
        Some(name @ "count.wgsl") => Ok((name.to_owned(), COUNT.into())),
        _ => Ok(("p.png".to_owned(), picture())),
    });
    file.unwrap_or_else(|error| panic!("{error}"))
}

/// Texture bytes without row padding.
fn read(gpu: &Gpu, texture: &wgpu::Texture) -> Vec<u8> {
    let buffer = gpu.zeros(64 * u64::from(texture.height()));
    let target = wgpu::TexelCopyBufferInfo {
        buffer: &buffer,
        layout: wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(256),
            rows_per_image: None,
        },
    };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
    gpu.queue.submit([encoder.finish()]);
    let words = gpu.read(&buffer);
    let row = 4 * texture.width() as usize;
    let rows = bytemuck::cast_slice::<u32, u8>(&words).chunks(256);
    rows.flat_map(|bytes| bytes[..row].to_vec()).collect()
}

fn run(gpu: &Gpu, file: &GraphFile) -> FileResources {
    let resources = file.resources(&gpu.device, &gpu.queue);
    let resources = resources.unwrap_or_else(|error| panic!("{}: {error}", gpu.name));
    let layouts: Vec<_> = resources.layouts.iter().collect();
    let options = GraphOptions {
        bind_group_layouts: &layouts,
        ..Default::default()
    };
    let runner = block_on(GraphRunner::new(
        &gpu.device,
        &gpu.queue,
        file.graph(),
        options,
    ));
    let runner = runner.unwrap_or_else(|error| panic!("{}: {error}", gpu.name));
    let groups: Vec<_> = resources.bind_groups.iter().collect();
    let inputs = file.cpu_records();
    block_on(runner.run(&Input::MultiCpu(&inputs), &groups)).unwrap();
    resources
}

#[test]
fn nodes_sample_and_store() {
    let file = graph();
    for gpu in Gpu::vulkan("textures of graphs") {
        let resources = run(&gpu, &file);
        let pixels = read(&gpu, &resources.textures[1]);
        for (place, pixel) in pixels.chunks(4).enumerate() {
            let (x, y) = (place as i32 % 16, place as i32 / 16);
            // From 0 to 100 along 16 pixels.
            let red = i32::from(pixel[0]);
            assert!((red - 100 * x / 15).abs() <= 1, "{x}, {y}: {pixel:?}");
            assert_eq!(pixel[1..], [y as u8, 0, 255]);
        }
        assert_eq!(read(&gpu, &resources.textures[2]), [7, 0, 0, 0]);
    }
}

/// The same on the CPU, where a load takes the place of the sampler.
#[test]
fn nodes_load_and_store_on_the_cpu() {
    let gpu = Gpu::cpu();
    let loads = DRAW.replace(
        "textureSampleLevel(photo, smooth_sampler, place, 0.0)",
        "textureLoad(photo, vec2<u32>(place * vec2<f32>(3.0, 2.0)), 0)",
    );
    let resources = run(&gpu, &graph_of(&loads));
    let photo = read(&gpu, &resources.textures[0]);
    let pixels = read(&gpu, &resources.textures[1]);
    for (place, pixel) in pixels.chunks(4).enumerate() {
        let (x, y) = (place % 16, place / 16);
        // From the first pixel of the photo's first row to the last.
        let column = ((0.5 + x as f32 / 15.0 * 2.0) as usize).min(2);
        assert_eq!(pixel, [photo[column * 4], y as u8, 0, 255], "{x}, {y}");
    }
    assert_eq!(read(&gpu, &resources.textures[2]), [7, 0, 0, 0]);
}

/// The CPU adapter does not support sampling: an error that says so, and no panic. Textures of
/// unsupported sizes are errors too.
#[test]
fn what_the_cpu_lacks_is_named() {
    let gpu = Gpu::cpu();
    let file = graph();
    let resources = file.resources(&gpu.device, &gpu.queue).unwrap();
    let layouts: Vec<_> = resources.layouts.iter().collect();
    let options = GraphOptions {
        bind_group_layouts: &layouts,
        ..Default::default()
    };
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Internal);
    let runner = GraphRunner::new(&gpu.device, &gpu.queue, file.graph(), options);
    drop(block_on(runner));
    let error = block_on(scope.pop())
        .expect("an error of the device")
        .to_string();
    assert!(
        error.contains("texture sampling is not supported on the CPU device"),
        "{error}"
    );
    let wide = parse("[[texture]]\nname = \"t\"\nbinding = 0\nsize = [1, 1000000]\n").unwrap();
    let error = wide.resources(&gpu.device, &gpu.queue).unwrap_err();
    assert_eq!(
        error.to_string(),
        "folder/g.toml:2: the texture `t` has 1x1000000 pixels, but this device allows at most 16384x16384"
    );
}

/// A texture that may be too large for the memory: one error with the line, and no panic.
#[test]
fn a_texture_without_memory_is_named() {
    let text =
        "[[texture]]\nname = \"t\"\nbinding = 0\nformat = \"rgba32float\"\nsize = [16384, 16384]\n";
    let options = FileOptions::default().with_bytes(1 << 33);
    let file = GraphFile::parse_with("folder/g.toml", text, &options, load).unwrap();
    for gpu in Gpu::vulkan("large textures of graphs") {
        if let Err(error) = file.resources(&gpu.device, &gpu.queue) {
            let error = error.to_string();
            assert!(error.starts_with("folder/g.toml:2: "), "{error}");
        }
    }
}
