//! Wrong input for textures: one message with the binding and the position, the right exit code, no panic.

use crate::harness::{Folder, anywarp, run};

/// A texture of each kind, and a buffer.
const PROGRAM: &str = "
@group(0) @binding(0) var flat: texture_2d<f32>;
@group(0) @binding(1) var solid: texture_3d<u32>;
@group(0) @binding(2) var stored: texture_storage_2d<r32float, read_write>;
@group(0) @binding(3) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(1) fn main() {
    textureStore(stored, vec2u(), textureLoad(flat, vec2u(), 0));
    out[0] = textureLoad(solid, vec3u(), 0).x;
}
";

/// Runs the program with 4x4 textures, except for those given.
fn with(file: &str, arguments: &[&str]) -> crate::harness::CommandOutput {
    let mut all: Vec<&str> = arguments.to_vec();
    for bind in ["0:0=texture:4x4", "0:1=texture:4x4x4", "0:2=texture:4x4"] {
        let is_given = |pair: &[&str]| pair[0] == "--bind" && pair[1].starts_with(&bind[..4]);
        if !arguments.windows(2).any(is_given) {
            all.extend(["--bind", bind]);
        }
    }
    run(file, &all)
}

fn program(test: &str) -> (Folder, String) {
    let folder = Folder::new(test);
    let file = folder.file("all.wgsl", PROGRAM);
    (folder, file)
}

#[test]
fn the_program_itself_runs() {
    let (_folder, file) = program("good_textures");
    let outcome = with(&file, &["--out", "0:3=print:u32"]);
    assert_eq!(outcome.done().stdout, "0:3 = [0, 0, 0, 0]\n");
}

#[test]
fn sizes_that_are_none_or_too_large() {
    let (_folder, file) = program("texture_sizes");
    for (bind, words) in [
        (
            "0:0=texture:0x4",
            &["0:0=texture:0x4", "`0x4` is not a texture's size"][..],
        ),
        ("0:0=texture:", &["is not a texture's size"]),
        ("0:0=texture:4x4x4x4", &["`4x4x4x4`"]),
        ("0:0=texture:4294967296x1", &["`4294967296x1`"]),
        (
            "0:0=texture:4",
            &["0:0", "`flat`", "texture_2d<f32>", "WxH", "not 4"],
        ),
        ("0:0=texture:4x4x4", &["0:0", "`flat`", "WxH", "not 4x4x4"]),
        ("0:1=texture:4x4", &["0:1", "`solid`", "WxHxD", "not 4x4"]),
        (
            "0:0=texture:99999x4",
            &[
                "0:0",
                "`flat`",
                "99999x4",
                "limit of",
                "max_texture_dimension_2d",
            ],
        ),
        (
            "0:0=texture:4294967295x4294967295:rgba32float",
            &["0:0", "`flat`", "4294967295x4294967295", "limit of"],
        ),
        (
            "0:1=texture:4x4x99999",
            &["0:1", "`solid`", "limit of", "max_texture_dimension_3d"],
        ),
        ("0:0=texture:4x4:levels=0", &["`0` is not a count"]),
        (
            "0:0=texture:4x4:levels=4",
            &["0:0", "`flat`", "4x4", "at most 3 levels, not 4"],
        ),
        (
            "0:0=texture:4x4:samples=4",
            &["0:0", "`flat`", "one sample"],
        ),
    ] {
        with(&file, &["--bind", bind]).failed(2, words);
    }
}

#[test]
fn formats_that_do_not_fit() {
    let (_folder, file) = program("texture_formats");
    for (bind, words) in [
        (
            "0:0=texture:4x4:r32uint",
            &["0:0", "`flat`", "a float format", "not r32uint"][..],
        ),
        (
            "0:1=texture:4x4x4:rgba8unorm",
            &["0:1", "`solid`", "unsigned integer format"],
        ),
        (
            "0:2=texture:4x4:rgba8unorm",
            &["0:2", "`stored`", "takes r32float", "not rgba8unorm"],
        ),
        (
            "0:0=texture:4x4:bc1-rgba-unorm",
            &["`bc1-rgba-unorm` is neither a format"],
        ),
        (
            "0:0=docs/images/life.png:r32uint",
            &["0:0", "`flat`", "not r32uint"],
        ),
        (
            "0:0=docs/images/life.png:depth32float",
            &["0:0", "`flat`", "cannot be a depth32float"],
        ),
    ] {
        with(&file, &["--bind", bind]).failed(2, words);
    }
}

#[test]
fn texels_that_do_not_fill_the_texture() {
    let (folder, file) = program("texels");
    let short = folder.file("short.bin", [0; 60]);
    let long = folder.file("long.bin", [0; 68]);
    for (texels, words) in [
        (
            "f32:1,2".to_owned(),
            &["0:0", "`flat`", "8 bytes", "4x4 rgba8unorm", "64"][..],
        ),
        (format!("@{short}"), &["0:0", "60 bytes", "64"]),
        (format!("@{long}"), &["0:0", "long.bin", "64 bytes"]),
        (
            "@missing.bin".to_owned(),
            &["0:0", "missing.bin", "no such file"],
        ),
        ("fill:1,2,3,4,5".to_owned(), &["`1,2,3,4,5`"]),
        ("f32:".to_owned(), &["no values"]),
        ("random:x".to_owned(), &["`x`"]),
    ] {
        let bind = format!("0:0=texture:4x4:{texels}");
        with(&file, &["--bind", &bind]).failed(2, words);
    }
}

#[test]
fn pictures_that_cannot_be_used() {
    let (folder, file) = program("bad_pictures");
    let text = folder.file("text.png", "no picture");
    let picture = std::fs::read(crate::harness::root().join("docs/images/life.png")).unwrap();
    let cut = folder.file("cut.png", &picture[..picture.len() / 2]);
    for (bind, words) in [
        (
            "0:0=missing.png".to_owned(),
            &["0:0", "`flat`", "missing.png", "no such file"][..],
        ),
        (format!("0:0={text}"), &["0:0", "`flat`", "text.png"]),
        (format!("0:0={cut}"), &["0:0", "`flat`", "cut.png"]),
        (
            "0:0=docs/images/life.png:4x4".to_owned(),
            &["0:0", "`flat`", "life.png is 256x256", "not 4x4"],
        ),
        (
            "0:0=docs/images/life.png:0x4".to_owned(),
            &["`0x4` is not a picture size"],
        ),
        ("0:0=docs/images/life.png:grey".to_owned(), &["`grey`"]),
        (
            "0:1=docs/images/life.png".to_owned(),
            &["0:1", "`solid`", "texture_3d<u32>", "two dimensions"],
        ),
        (
            "0:3=docs/images/life.png".to_owned(),
            &["0:3", "`out`", "array<u32, 4>", "buffer"],
        ),
        ("0:3=texture:4x4".to_owned(), &["0:3", "`out`", "buffer"]),
        (
            "0:0=zeros:64".to_owned(),
            &["0:0", "`flat`", "texture_2d<f32>", "texture:SIZE"],
        ),
        ("0:0=photo.jpg".to_owned(), &["photo.jpg", "FILE.png"]),
    ] {
        with(&file, &["--bind", &bind]).failed(2, words);
    }
}

#[test]
fn a_texture_of_which_nothing_is_known() {
    let (_folder, file) = program("unknown_texture");
    run(&file, &[]).failed(
        2,
        &[
            "0:0",
            "`flat`",
            "has no size",
            "--bind 0:0=texture:",
            "FILE.png",
        ],
    );
    run(&file, &["--bind", "0:0=texture:4x4"]).failed(2, &["0:1", "`solid`", "WxHxD"]);
}

#[test]
fn outputs_that_a_texture_cannot_be() {
    let (folder, file) = program("texture_outs");
    let picture = folder.path("out.png");
    let out = |text: &str| text.replace("PNG", &picture);
    for (destination, words) in [
        (
            "0:2=print:u32",
            &["0:2", "`stored`", "4x4 r32float", "are f32"][..],
        ),
        ("0:2=print:f32:17", &["0:2", "`stored`", "16 values"]),
        ("0:2=PNG:5x4", &["0:2", "`stored`", "4x4 r32float"]),
        ("0:2=PNG:4x4:rgba8", &["0:2", "`stored`", "heat"]),
        ("0:1=PNG", &["0:1", "`solid`", "two-dimensional"]),
        ("0:3=PNG", &["--out 0:3", "WxH:rgba8"]),
        ("0:3=PNG:2x2", &["--out 0:3", "WxH:rgba8"]),
    ] {
        with(&file, &["--out", &out(destination)]).failed(2, words);
    }
    assert!(!std::path::Path::new(&picture).exists());
    let samples = folder.file(
        "samples.wgsl",
        "@group(0) @binding(0) var t: texture_multisampled_2d<f32>;
        @group(0) @binding(1) var d: texture_depth_2d;
        @group(0) @binding(2) var<storage, read_write> out: f32;
        @compute @workgroup_size(1)
        fn main() { out = textureLoad(t, vec2u(), 0).x + textureLoad(d, vec2u(), 0); }",
    );
    let binds = [
        "--bind",
        "0:0=texture:4x4",
        "--bind",
        "0:1=texture:4x4:depth24plus",
    ];
    let run_samples = |rest: &[&str]| run(&samples, &[&binds[..], rest].concat());
    run_samples(&["--out", "0:2=print:f32"]).done();
    run_samples(&["--out", "0:0=print:f32"]).failed(2, &["0:0", "`t`", "cannot be read back"]);
    run_samples(&["--out", "0:1=print:f32"]).failed(2, &["0:1", "`d`", "cannot be read back"]);
    let bind = |bind: &str| run(&samples, &["--bind", bind, "--bind", "0:1=texture:4x4"]);
    bind("0:0=texture:4x4:random").failed(2, &["0:0", "`t`", "several samples"]);
    bind("0:0=texture:4x4:samples=1").failed(2, &["0:0", "`t`", "several samples"]);
    bind("0:0=texture:4x4:samples=3").failed(1, &["0:0", "`t`", "3 samples", "device `"]);
    bind("0:0=docs/images/life.png").failed(2, &["0:0", "`t`", "one sample"]);
    let depth = [
        "--bind",
        "0:0=texture:4x4",
        "--bind",
        "0:1=texture:4x4:depth32float:random",
    ];
    run(&samples, &depth).failed(2, &["0:1", "`d`", "depth32float", "fill"]);
}

#[test]
fn textures_that_cannot_change_places() {
    let (folder, file) = program("texture_swaps");
    with(&file, &["--swap", "0:0,0:2"])
        .failed(2, &["--swap 0:0,0:2", "4x4 rgba8unorm", "4x4 r32float"]);
    with(&file, &["--swap", "0:0,0:3"]).failed(2, &["--swap 0:0,0:3", "buffer", "texture"]);
    // Without a size of their own they take the size of their swap partner, if possible.
    let one = ["--bind", "0:0=texture:4x4", "--swap", "0:0,0:1"];
    run(&file, &one).failed(2, &["0:1", "`solid`", "unsigned integer format"]);
    let other = [
        "--bind",
        "0:1=texture:4x4x4:r32uint",
        "--bind",
        "0:2=texture:4x4",
        "--swap",
        "0:0,0:1",
    ];
    run(&file, &other).failed(2, &["0:0", "`flat`", "a float format"]);
    let samples = folder.file(
        "samples.wgsl",
        "@group(0) @binding(0) var one: texture_2d<f32>;
        @group(0) @binding(1) var several: texture_multisampled_2d<f32>;
        @group(0) @binding(2) var<storage, read_write> out: f32;
        @compute @workgroup_size(1)
        fn main() { out = textureLoad(one, vec2u(), 0).x + textureLoad(several, vec2u(), 0).x; }",
    );
    let arguments = ["--bind", "0:0=texture:4x4", "--swap", "0:0,0:1"];
    run(&samples, &arguments).failed(2, &["0:1", "`several`", "swap partner", "4x4 rgba8unorm"]);
}

#[test]
fn a_texture_for_which_there_is_no_memory() {
    let (_folder, file) = program("texture_memory");
    // Only the CPU device accepts such a size at this point.
    let outcome = anywarp(&[
        "run",
        &file,
        "--bind",
        "0:0=texture:4x4",
        "--bind",
        "0:1=texture:2048x2048x2048:rgba32uint",
    ]);
    outcome.failed(
        1,
        &["0:1", "`solid`", "2048x2048x2048 rgba32uint", "memory"],
    );
}
