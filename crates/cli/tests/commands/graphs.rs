//! `anywarp graph`: the examples, with the commands in their headers, on the CPU and on Vulkan; and the errors for
//! invalid graphs.

use std::fs::OpenOptions;
use std::io::{Write, stderr};

use crate::harness::{CommandOutput, Folder, anywarp, read_png, root};

/// The names of the devices under test: the CPU, and a Vulkan device if there is one.
fn devices() -> Vec<String> {
    let json = anywarp(&["devices", "--json"]).done().json();
    let all = json.as_array().expect("a list");
    let vulkan = all.iter().find(|device| device["backend"] == "vulkan");
    let mut devices = vec!["cpu".to_owned()];
    match vulkan.and_then(|device| device["name"].as_str()) {
        Some(name) => devices.push(name.to_owned()),
        None => skip("no Vulkan device: the examples of graphs run on the CPU alone"),
    }
    devices
}

/// Reports a skipped test, so that the test run counts it.
fn skip(why: &str) {
    let line = format!("SKIPPED: {why}\n");
    let _ = stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = OpenOptions::new().create(true).append(true).open(log);
        let _ = log.and_then(|mut log| log.write_all(line.as_bytes()));
    }
}

/// Runs the command in an example's header, with its picture in `folder`.
fn run_example(name: &str, folder: &Folder, more: &[&str]) -> CommandOutput {
    let example = format!("examples/graphs/{name}.toml");
    let text = std::fs::read_to_string(root().join(&example)).unwrap();
    let command = text
        .lines()
        .find_map(|line| line.strip_prefix("#   cargo run --release -- "))
        .expect("a command in the header");
    let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    assert_eq!(words[..3], ["graph", "run", &example]);
    for word in &mut words {
        if word.ends_with(".png") {
            *word = folder.path(word);
        }
    }
    words.extend(more.iter().map(|word| (*word).to_owned()));
    anywarp(&words).done()
}

/// The 64-bit FNV-1a hash of a picture's bytes.
fn checksum(path: &str) -> u64 {
    let (_, _, _, bytes) = read_png(path);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The picture is the same on every device, with ample and with scarce memory, with and without checks.
fn draws(name: &str, little: &str, expected: u64) {
    let folder = Folder::new(name);
    let picture = folder.path(&format!("{name}.png"));
    for device in devices() {
        run_example(name, &folder, &["--device", &device]);
        assert_eq!(checksum(&picture), expected, "{name} on {device}");
    }
    let more = ["--memory", little, "--check"];
    run_example(name, &folder, &more);
    assert_eq!(checksum(&picture), expected, "{name} with {little} bytes");
}

#[test]
fn quadtree() {
    draws("quadtree", "4000", 0x5e63_6ff4_4462_8190);
}

#[test]
fn tiles() {
    draws("tiles", "2700", 0x716d_9db0_ff92_484f);
}

#[test]
fn downsample() {
    draws("downsample", "260", 0x9a8f_f822_ccb6_c760);
}

#[test]
fn the_picture_of_tiles_is_the_scene() {
    let folder = Folder::new("tiles-scene");
    run_example("tiles", &folder, &[]);
    let (width, height, _, pixels) = read_png(&folder.path("tiles.png"));
    assert_eq!((width, height), (512, 512));
    let at = |x: usize, y: usize| &pixels[(y * 512 + x) * 4..][..3];
    assert_eq!(at(0, 0), [20, 28, 60], "the sky");
    // The centre of the red ball: its colour times 160 / 256.
    assert_eq!(at(120, 160), [125, 53, 38], "a ball");
    assert!(pixels.chunks(4).all(|pixel| pixel[3] == 255), "every pixel");
}

#[test]
fn the_smallest_version_is_the_mean() {
    let folder = Folder::new("downsample-mean");
    run_example("downsample", &folder, &[]);
    let (_, _, _, pixels) = read_png(&folder.path("downsample.png"));
    let at = |x: usize, y: usize, channel: usize| u64::from(pixels[(y * 768 + x) * 4 + channel]);
    for channel in 0..3 {
        let all = (0..512).flat_map(|y| (0..512).map(move |x| (x, y)));
        let sum: u64 = all.map(|(x, y)| at(x, y, channel)).sum();
        let mean = sum / (512 * 512);
        // Nine roundings to nearest, half of them upwards.
        assert!(
            at(512, 510, channel).abs_diff(mean) <= 5,
            "channel {channel}"
        );
    }
}

#[test]
fn plans_are_printed() {
    let text = anywarp(&["graph", "plan", "examples/graphs/quadtree.toml"]).done();
    assert!(text.stdout.starts_with("graph quadtree: 8 levels\n"));
    let plan = ["graph", "plan", "examples/graphs/quadtree.toml", "--json"];
    let json = anywarp(&plan).done().json();
    assert_eq!(json["levels"], 8);
    assert_eq!(json["minimum_bytes"], 332);
    assert_eq!(json["queues"][7]["node"], "leaf");
}

#[test]
fn runs_are_counted() {
    let example = "examples/graphs/tiles.toml";
    let json = anywarp(&["graph", "run", example, "--json"]).done().json();
    assert_eq!(json["sweeps"], 1);
    let stages = json["stages"].as_array().unwrap();
    let count = |stage: usize, key: &str| stages[stage][key].as_u64().unwrap();
    assert_eq!(
        count(0, "records_out"),
        (1..4).map(|stage| count(stage, "records_in")).sum::<u64>()
    );
    // Every tile is shaded once.
    assert_eq!(
        (1..4).map(|stage| count(stage, "groups")).sum::<u64>(),
        1024
    );
}

#[test]
fn steps_show_records() {
    let example = "examples/graphs/quadtree.toml";
    let text = anywarp(&["graph", "step", example, "--records", "1"])
        .done()
        .stdout;
    for line in [
        "sweep 0, level 0\n  split: 1 records, 1 launched, 0 held back\n    0: { corner: (0, 0), size: 512 }\n",
        "sweep 0, level 7\n  leaf: 1168 records, 4096 launched, 0 held back\n",
        "nothing is left after sweep 0\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let one = ["graph", "step", example, "--node", "leaf"];
    assert!(!anywarp(&one).done().stdout.contains("split"));
    let none = ["graph", "step", example, "--node", "tree"];
    anywarp(&none).failed(2, &["--node", "no node `tree`"]);
}

#[test]
fn drawings_have_counts_after_a_run() {
    let example = "examples/graphs/quadtree.toml";
    let plain = anywarp(&["graph", "dot", example]).done().stdout;
    assert!(plain.starts_with("digraph \"quadtree\" {\n"));
    assert!(!plain.contains("records in"));
    let counted = anywarp(&["graph", "dot", example, "--run"]).done().stdout;
    assert!(counted.contains("1168 records in"), "{counted}");
    // Records that only one output can have sent are counted on its arrow.
    assert!(counted.contains("at most 4\\n1556 sent"), "{counted}");

    let svg = ["graph", "dot", example, "--run", "--format", "svg"];
    let svg = anywarp(&svg).done().stdout;
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    assert!(svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<rect ").count(), 2);
    assert!(svg.contains(">1168 records in, 0 out</text>"), "{svg}");
    let drawn = std::fs::read_to_string(root().join("docs/images/quadtree.svg")).unwrap();
    assert_eq!(
        svg, drawn,
        "the documentation has another picture: write this one there"
    );
}

#[test]
fn traces_are_json() {
    let folder = Folder::new("graph-trace");
    let trace = folder.path("trace.json");
    let example = "examples/graphs/downsample.toml";
    anywarp(&["graph", "run", example, "--trace", &trace]).done();
    let text = std::fs::read_to_string(&trace).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let node = |event: &&serde_json::Value| event["cat"] == "node";
    let node = events.iter().find(node).expect("an event of the node");
    assert_eq!(node["name"], "downsample");
    assert_eq!(node["args"]["groups"], 64);
}

const NODE: &str =
    "[[node]]\nname = \"n\"\nlaunch = \"thread\"\nentry = true\nsource = \"n.wgsl\"\n";

#[test]
fn what_is_wrong_is_named() {
    let folder = Folder::new("graph-errors");
    let graph = |toml: &str, wgsl: &str| {
        folder.file("n.wgsl", wgsl);
        folder.file("g.toml", toml)
    };
    let run = |file: &str, more: &[&str]| {
        let mut words = vec!["graph", "run", file];
        words.extend(more);
        anywarp(&words)
    };
    run("no-such.toml", &[]).failed(2, &["cannot read no-such.toml", "no such file"]);
    run("examples", &[]).failed(2, &["cannot read examples", "directory"]);

    let file = graph("[[node]]\nnane = 1\n", "");
    run(&file, &[]).failed(1, &["g.toml:2: `node[0].nane`: unknown field"]);
    let file = graph(&NODE.replace("entry = true\n", ""), "fn n() {}");
    run(&file, &[]).failed(
        1,
        &["g.toml:2: `node[0].name`: node `n`: no node sends to it"],
    );
    let file = graph(NODE, "fn n() { missing(); }");
    run(&file, &[]).failed(1, &["node `n`", "n.wgsl:1:", "missing"]);

    let file = graph(NODE, "fn n() {}");
    run(&file, &["--image", &folder.path("x.png")]).failed(2, &["--image", "has no [image]"]);
    run(&file, &["--device", "no such device"]).failed(2, &["no device matches"]);
    let little = ["--memory", "100"];
    run("examples/graphs/quadtree.toml", &little).failed(2, &["--memory", "at least 332 bytes"]);
    run(&file, &[]).done();
}

#[test]
fn checked_runs_name_node_record_and_rule() {
    let folder = Folder::new("graph-check");
    let record = "[[record]]\nname = \"R\"\nfields = [\"a: array<u32, 2>\"]\n";
    let node = NODE.replace("source", "input = \"R\"\nsource");
    let input = "[[input]]\nnode = \"n\"\nrecords = [{ a = [1, 2] }]\n";
    let file = folder.file("g.toml", [record, &node, input].concat());
    folder.file("n.wgsl", "fn n() { _ = load_input_a(2u); }");
    anywarp(&["graph", "run", &file]).done();
    let words = [
        "node `n`, record 0",
        "used an element beyond the end of an array field",
    ];
    anywarp(&["graph", "run", &file, "--check"]).failed(1, &words);
}

/// Flips a picture vertically, from one texture into another.
const FLIP: &str = r#"
[[node]]
name = "flip"
grid = [1, 2]
workgroup_size = [3]
entry = true
source = "flip.wgsl"

[[input]]
node = "flip"
count = 1

[[texture]]
name = "photo"
binding = 0
file = "photo.png"

[[sampler]]
name = "near"
binding = 1
filter = "nearest"

[[texture]]
name = "flipped"
group = 1
binding = 0
size = [3, 2]
access = "write"

[image]
texture = "flipped"
"#;

const FLIP_WGSL: &str = "
@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var near: sampler;
@group(1) @binding(0) var flipped: texture_storage_2d<rgba8unorm, write>;
fn flip(global_id: vec3<u32>) {
    let at = vec2<f32>((f32(global_id.x) + 0.5) / 3.0, (f32(1u - global_id.y) + 0.5) / 2.0);
    textureStore(flipped, global_id.xy, textureSampleLevel(photo, near, at, 0.0));
}";

/// The picture of [`FLIP`] and the expected one: the rows in reverse order.
fn flip(folder: &Folder, wgsl: &str) -> (String, Vec<u8>) {
    let pixels: Vec<u8> = (0..18).map(|byte| byte * 14).collect();
    let photo = std::fs::File::create(folder.path("photo.png")).unwrap();
    let mut encoder = png::Encoder::new(photo, 3, 2);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    folder.file("flip.wgsl", wgsl);
    let row = |row: &[u8]| -> Vec<u8> {
        let opaque = row.chunks(3).flat_map(|it| [it[0], it[1], it[2], 255]);
        opaque.collect()
    };
    let flipped = pixels.chunks(9).rev().flat_map(row).collect();
    (folder.file("g.toml", FLIP), flipped)
}

fn check_flip(folder: &Folder, file: &str, device: &str, expected: &[u8]) {
    let picture = folder.path("flipped.png");
    anywarp(&[
        "graph", "run", file, "--image", &picture, "--device", device,
    ])
    .done();
    let (width, height, _, found) = read_png(&picture);
    assert_eq!((width, height), (3, 2));
    assert_eq!(found, expected, "{device}");
}

#[test]
fn textures_are_sampled_and_written() {
    let folder = Folder::new("graph-textures");
    let (file, expected) = flip(&folder, FLIP_WGSL);
    // The CPU device has textures but does not support sampling.
    let words = [
        "g.toml",
        "flip:7:41: texture sampling is not supported on the CPU device",
    ];
    anywarp(&["graph", "run", &file, "--device", "cpu"]).failed(1, &words);
    for device in devices().iter().filter(|device| *device != "cpu") {
        check_flip(&folder, &file, device, &expected);
    }
}

#[test]
fn textures_are_loaded_and_written() {
    let folder = Folder::new("graph-texels");
    let loads = FLIP_WGSL.replace(
        "textureSampleLevel(photo, near, at, 0.0)",
        "textureLoad(photo, vec2(global_id.x, 1u - global_id.y), 0)",
    );
    let (file, expected) = flip(&folder, &loads);
    for device in &devices() {
        check_flip(&folder, &file, device, &expected);
    }
}

#[test]
fn breadcrumbs_name_the_node_that_loses_a_device() {
    let folder = Folder::new("graph-breadcrumbs");
    let nodes = NODE.to_owned()
        + "[[node.output]]\nto = \"m\"\nbudget = 1\n\n\
           [[node]]\nname = \"m\"\nlaunch = \"thread\"\nsource = \"m.wgsl\"\n\n\
           [[input]]\nnode = \"n\"\ncount = 1\n\n\
           [[buffer]]\nname = \"b\"\nbinding = 0\nsize = 4\n";
    let file = folder.file("g.toml", nodes);
    folder.file("n.wgsl", "fn n() { count_thread_m(1u); }");
    folder.file(
        "m.wgsl",
        "@group(0) @binding(0) var<storage, read_write> b: atomic<u32>;
         fn m() { loop { if atomicAdd(&b, 1u) == 0xffffffffu { break; } } }",
    );
    let run = ["graph", "run", &file, "--watchdog", "0.1"];
    anywarp(&run).failed(1, &["the device was lost somewhere in levels 0 to 1"]);
    let words = ["the device was lost at level 1 in node `m`"];
    anywarp(&[&run[..], &["--breadcrumbs"]].concat()).failed(1, &words);
    let trace = folder.path("t.json");
    let both = ["--breadcrumbs", "--trace", &trace];
    anywarp(&[&run[..], &both].concat()).failed(2, &["cannot be used with"]);
}

#[test]
fn pictures_are_png_files_alone() {
    let folder = Folder::new("graph-jpg");
    for name in ["q.jpg", "q", "q.png.bmp", ".png"] {
        let picture = folder.path(name);
        let file = "examples/graphs/quadtree.toml";
        let run = anywarp(&["graph", "run", file, "--image", &picture]);
        let run = run.failed(2, &["--image", "ends in .png"]);
        assert_eq!(run.stdout, "", "nothing runs");
        assert!(!std::path::Path::new(&picture).exists());
    }
}

#[test]
fn buffers_are_printed_and_written_by_their_names() {
    let folder = Folder::new("graph-out");
    let graph = ["graph", "run", "examples/graphs/quadtree.toml"];
    let image = folder.path("quadtree.png");
    let bytes = format!("picture={}", folder.path("picture.bin"));
    let picture = format!("picture={}:512x512:rgba8", folder.path("picture.png"));
    let outs = ["discs=print:i32:4", &bytes, &picture];
    let mut command = [&graph[..], &["--image", &image]].concat();
    command.extend(outs.iter().flat_map(|out| ["--out", out]));
    let run = anywarp(&command).done();
    for line in [
        "discs = [256, 256, 150, 1]\n",
        "picture.bin (1048576 bytes)\n",
        "picture.png (512x512 rgba8)\n",
    ] {
        assert!(run.stdout.contains(line), "no `{line}` in {}", run.stdout);
    }
    let (.., pixels) = read_png(&image);
    let words = std::fs::read(folder.path("picture.bin")).unwrap();
    assert!(words == pixels, "the buffer is the picture");
    assert_eq!(read_png(&folder.path("picture.png")).3, pixels);

    let json = anywarp(&[&command[..], &["--json"]].concat()).done().json();
    let first = &json["outputs"][0];
    assert_eq!(
        (&first["name"], &first["binding"]),
        (&"discs".into(), &"0:1".into())
    );
    assert_eq!(
        (&first["type"], &first["values"][2]),
        (&"i32".into(), &150.into())
    );
    assert_eq!(json["outputs"][1]["bytes"], 1_048_576);
}

#[test]
fn outputs_of_graphs_that_cannot_be_are_refused_before_the_run() {
    let out = |text: &str| {
        let file = "examples/graphs/quadtree.toml";
        anywarp(&["graph", "run", file, "--out", text])
    };
    let words = ["--out: the graph has no buffer `disks`; it has `picture`, `discs`"];
    out("disks=print:u32").failed(2, &words);
    let words = ["print:u32:1000 needs 4000 bytes, but buffer `discs` has 192"];
    out("discs=print:u32:1000").failed(2, &words);
    out("picture=a.jpg").failed(2, &["--out", "`a.jpg`"]);
    out("picture=a.png").failed(2, &["FILE.png:WxH:rgba8"]);
    out("picture").failed(2, &["`picture` has no `=`"]);
}

#[test]
fn help_offers_the_engines_that_graphs_take() {
    for command in ["run", "step", "dot"] {
        let help = anywarp(&["graph", command, "--help"]).done().stdout;
        for engine in ["code", "interpret", "avx512", "avx2"] {
            assert!(help.contains(&format!("- {engine}:")), "{help}");
        }
        assert!(!help.contains("- vm"), "{help}");
        assert!(!help.contains("WebAssembly"), "{help}");
    }
    let graph = [
        "graph",
        "run",
        "examples/graphs/downsample.toml",
        "--engine",
    ];
    let vm = anywarp(&[&graph[..], &["vm"]].concat());
    vm.failed(
        2,
        &["invalid value 'vm'", "[possible values: code, interpret"],
    );
    anywarp(&[&graph[..], &["interpreter"]].concat()).done();
    assert!(anywarp(&["run", "--help"]).done().stdout.contains("- vm:"));
}
