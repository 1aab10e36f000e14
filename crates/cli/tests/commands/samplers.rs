//! Samplers of `--bind`, on every device except the CPU, which does not support sampling.

use crate::harness::{CommandOutput, Folder, anywarp, report_skip};

/// Samples between and beyond two texels, black and white.
const SAMPLE: &str = "
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var soft: sampler;
@group(0) @binding(2) var<storage, read_write> grey: array<f32, 3>;
@compute @workgroup_size(1)
fn main() {
    grey[0] = textureSampleLevel(picture, soft, vec2f(0.5, 0.5), 0.0).x;
    grey[1] = textureSampleLevel(picture, soft, vec2f(1.25, 0.5), 0.0).x;
    grey[2] = textureSampleLevel(picture, soft, vec2f(1.75, 0.5), 0.0).x;
}
";

/// Compares a depth of a half with others.
const COMPARE: &str = "
@group(0) @binding(0) var depth: texture_depth_2d;
@group(0) @binding(1) var test: sampler_comparison;
@group(0) @binding(2) var<storage, read_write> results: array<f32, 2>;
@compute @workgroup_size(1)
fn main() {
    results[0] = textureSampleCompareLevel(depth, test, vec2f(0.5), 0.25);
    results[1] = textureSampleCompareLevel(depth, test, vec2f(0.5), 0.75);
}
";

/// The name of a device other than the CPU.
fn other_device() -> Option<String> {
    let devices = anywarp(&["devices", "--json"]).done().json();
    let other = devices.as_array().unwrap().get(1);
    let name = other.map(|other| other["name"].as_str().unwrap().to_owned());
    if name.is_none() {
        report_skip("no device that samples textures");
    }
    name
}

fn run_on(device: &str, file: &str, arguments: &[&str]) -> CommandOutput {
    anywarp(&[&["run", file, "--device", device][..], arguments].concat())
}

#[test]
fn a_sampler_filters_and_addresses_as_the_command_says() {
    let Some(device) = other_device() else { return };
    let folder = Folder::new("samplers");
    let file = folder.file("sample.wgsl", SAMPLE);
    let grey = |sampler: &str| {
        let texels = "picture=texture:2x1:rgba8unorm:u32:0xff000000,0xffffffff";
        let arguments = [
            "--bind",
            texels,
            "--bind",
            sampler,
            "--out",
            "grey=print",
            "--json",
        ];
        let json = run_on(&device, &file, &arguments).done().json();
        let values = json["outputs"][0]["value"].as_array().unwrap().clone();
        // Devices may round weights to 8 bits.
        let percent = |it: &serde_json::Value| (it.as_f64().unwrap() * 100.0).round();
        values.iter().map(percent).collect::<Vec<_>>()
    };
    assert_eq!(grey("soft=sampler:linear:clamp"), [50.0, 100.0, 100.0]);
    assert_eq!(grey("soft=sampler:nearest:repeat"), [100.0, 0.0, 100.0]);
    assert_eq!(grey("0:1=sampler:mirror:linear"), [50.0, 100.0, 0.0]);
    assert_eq!(grey("soft=sampler"), [100.0, 100.0, 100.0]);
    let texels = ["--bind", "picture=texture:2x1", "--out", "grey=print"];
    assert_eq!(
        run_on(&device, &file, &texels).done().stdout,
        "grey = [0, 0, 0]\n"
    );
}

#[test]
fn a_comparison_sampler_compares() {
    let Some(device) = other_device() else { return };
    let folder = Folder::new("samplers_compare");
    let file = folder.file("compare.wgsl", COMPARE);
    let results = |sampler: &str| {
        let depth = "depth=texture:1x1:depth16unorm:fill:0.5";
        let arguments = ["--bind", depth, "--bind", sampler, "--out", "results=print"];
        run_on(&device, &file, &arguments).done().stdout
    };
    assert_eq!(results("test=sampler:less"), "results = [1, 0]\n");
    assert_eq!(results("test=sampler:greater"), "results = [0, 1]\n");
    assert_eq!(results("test=sampler:linear:always"), "results = [1, 1]\n");
    assert_eq!(results("test=sampler"), "results = [1, 0]\n");
}

#[test]
fn samplers_that_do_not_fit_are_refused() {
    let folder = Folder::new("samplers_wrong");
    let sample = folder.file("sample.wgsl", SAMPLE);
    let cpu = anywarp(&[
        "run",
        &sample,
        "--bind",
        "0:1=sampler",
        "--bind",
        "0:0=texture:2x1",
    ]);
    cpu.failed(
        1,
        &[
            "0:1",
            "`soft`",
            "cannot bind samplers on the CPU device",
            "--device gpu",
        ],
    );
    let buffer = anywarp(&["run", "examples/life.wgsl", "--bind", "0:0=sampler"]);
    buffer.failed(2, &["0:0", "is a buffer", "is a sampler"]);
    let Some(device) = other_device() else { return };
    let run = |arguments: &[&str]| run_on(&device, &sample, arguments);
    let texture = ["--bind", "0:0=texture:2x1"];
    run(&[&texture[..], &["--bind", "0:1=sampler:less"]].concat()).failed(2, &["0:1", "compares"]);
    run(&[&texture[..], &["--bind", "0:1=zeros:4"]].concat())
        .failed(2, &["0:1", "is not a sampler"]);
    run(&["--bind", "0:0=sampler"]).failed(2, &["0:0", "is not a texture"]);
    let depth = [
        "--bind",
        "0:0=texture:2x1:depth16unorm",
        "--bind",
        "0:1=sampler:linear",
    ];
    run(&depth).failed(2, &["0:0", "depth16unorm", "linear filter"]);
    run(&[&texture[..], &["--out", "soft=print"]].concat()).failed(2, &["soft", "holds no data"]);
}
