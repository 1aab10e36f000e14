//! `anywarp run` with valid commands.

use crate::harness::{Folder, anywarp, read_png, run};

/// Doubles a buffer of words in place.
const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4)
fn double(@builtin(global_invocation_id) id: vec3u) { data[id.x] *= 2u; }
";

/// Adds `from` and `offset` into `to`.
const SHIFT: &str = "
struct Shift { offset: i32, pad: i32 }
@group(0) @binding(0) var<storage, read> from_: array<i32>;
@group(0) @binding(1) var<storage, read_write> to: array<i32>;
@group(1) @binding(3) var<uniform> shift: Shift;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) { to[id.x] = from_[id.x] + shift.offset; }
";

/// One pixel for each invocation.
const PIXELS: &str = "
@group(0) @binding(0) var<storage, read_write> floats: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> bytes: array<u32>;
@group(0) @binding(2) var<storage, read_write> heat: array<f32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.y * 3u + id.x;
    floats[i] = vec4f(f32(id.x), f32(id.y), 0.5, 1.0);
    bytes[i] = 0xff000000u | (i << 8u) | 7u;
    heat[i] = f32(i) - 2.5;
}
";

#[test]
fn values_go_in_and_come_out() {
    let folder = Folder::new("values");
    let file = folder.file("double.wgsl", DOUBLE);
    let outcome = run(
        &file,
        &[
            "--bind",
            "0:0=u32:1,2,0x10,4294967295",
            "--out",
            "0:0=print:u32",
        ],
    );
    assert_eq!(outcome.done().stdout, "0:0 = [2, 4, 32, 4294967294]\n");
}

#[test]
fn words_print_as_each_type() {
    let folder = Folder::new("types");
    let file = folder.file("double.wgsl", DOUBLE);
    let outcome = run(
        &file,
        &[
            "--workgroups",
            "0",
            "--bind",
            "0:0=f32:1,-0.1,NaN,1e30",
            "--out",
            "0:0=print:f32",
            "--out",
            "0:0=print:i32:2",
            "--out",
            "0:0=print:u32:1",
        ],
    )
    .done();
    assert_eq!(
        outcome.stdout,
        "0:0 = [1, -0.1, NaN, 1e30]\n0:0 = [1065353216, -1110651699]\n0:0 = [1065353216]\n"
    );
}

#[test]
fn a_uniform_in_another_group_and_swaps() {
    let folder = Folder::new("swap");
    let file = folder.file("shift.wgsl", SHIFT);
    let arguments = |repeat: &'static str| {
        [
            "--workgroups",
            "3",
            "--bind",
            "0:0=i32:1,2,3",
            "--bind",
            "1:3=i32:10,0",
            "--swap",
            "0:0,0:1",
            "--repeat",
            repeat,
            "--out",
            "0:1=print:i32",
            "--out",
            "0:0=print:i32",
        ]
    };
    run(&file, &arguments("1")).failed(2, &["--swap 0:0,0:1", "--repeat of 2 or more"]);
    let twice = run(&file, &arguments("2")).done();
    assert_eq!(twice.stdout, "0:1 = [21, 22, 23]\n0:0 = [11, 12, 13]\n");
    let many = run(&file, &arguments("101")).done();
    assert_eq!(
        many.stdout,
        "0:1 = [1011, 1012, 1013]\n0:0 = [1001, 1002, 1003]\n"
    );
}

#[test]
fn three_buffers_go_round_with_two_swaps() {
    let folder = Folder::new("round");
    let file = folder.file(
        "round.wgsl",
        "@group(0) @binding(0) var<storage, read_write> a: u32;
        @group(0) @binding(1) var<storage, read_write> b: u32;
        @group(0) @binding(2) var<storage, read_write> c: u32;
        @compute @workgroup_size(1) fn main() { a += 100u + b * 0u + c * 0u; }",
    );
    let outcome = run(
        &file,
        &[
            "--bind",
            "0:0=u32:1",
            "--bind",
            "0:1=u32:2",
            "--bind",
            "0:2=u32:3",
            "--swap",
            "0:0,0:1",
            "--swap",
            "0:1,0:2",
            "--repeat",
            "4",
            "--out",
            "0:0=print:u32",
            "--out",
            "0:1=print:u32",
            "--out",
            "0:2=print:u32",
        ],
    );
    // The runs read 1, 2, 3 and again 1 at binding 0; the fourth run has the bindings of the first.
    assert_eq!(
        outcome.done().stdout,
        "0:0 = [201]\n0:1 = [102]\n0:2 = [103]\n"
    );
}

#[test]
fn constants_change_the_program() {
    let folder = Folder::new("constants");
    let file = folder.file(
        "constants.wgsl",
        "override SIZE: u32;
        override SCALE: f32 = 1.5;
        @id(7) override ON: bool = false;
        @group(0) @binding(0) var<storage, read_write> data: array<f32>;
        @compute @workgroup_size(SIZE)
        fn main(@builtin(local_invocation_index) i: u32) { data[i] = select(-1.0, SCALE, ON); }",
    );
    let out = ["--out", "0:0=print:f32:3"];
    let by_name = run(
        &file,
        &[&["--constant", "SIZE=2", "--constant", "ON=true"], &out[..]].concat(),
    );
    assert_eq!(by_name.done().stdout, "0:0 = [1.5, 1.5, 0]\n");
    let by_id = run(
        &file,
        &[
            &[
                "--constant",
                "SIZE=3",
                "--constant",
                "7=1",
                "--constant",
                "SCALE=-2",
            ],
            &out[..],
        ]
        .concat(),
    );
    assert_eq!(by_id.done().stdout, "0:0 = [-2, -2, -2]\n");
    run(&file, &out).failed(2, &["SIZE"]);
    run(&file, &["--constant", "SIZE=2", "--constant", "NO=1"]).failed(
        2,
        &[
            "constants.wgsl",
            "no constant `NO`",
            "`SIZE`",
            "`SCALE`",
            "`ON`",
        ],
    );
    run(&file, &["--constant", "SIZE=2", "--constant", "SIZE=3"]).failed(2, &["SIZE", "twice"]);
}

#[test]
fn immediates_are_given_or_zero() {
    let folder = Folder::new("immediates");
    let file = folder.file(
        "immediates.wgsl",
        "struct Both { a: u32, b: f32 }
        var<immediate> both: Both;
        @group(0) @binding(0) var<storage, read_write> data: array<f32, 2>;
        @compute @workgroup_size(1) fn main() { data[0] = f32(both.a); data[1] = both.b; }",
    );
    let out = ["--out", "0:0=print:f32"];
    assert_eq!(run(&file, &out).done().stdout, "0:0 = [0, 0]\n");
    let bytes = folder.file(
        "both.bin",
        [&3u32.to_le_bytes()[..], &2.5f32.to_le_bytes()].concat(),
    );
    let given = run(
        &file,
        &[&["--immediate", &format!("@{bytes}")], &out[..]].concat(),
    );
    assert_eq!(given.done().stdout, "0:0 = [3, 2.5]\n");
    run(&file, &["--immediate", "u32:1"]).failed(2, &["--immediate", "4 bytes", "`both`", "8"]);
}

#[test]
fn files_in_and_out() {
    let folder = Folder::new("files");
    let file = folder.file("double.wgsl", DOUBLE);
    let input = folder.file("in.bin", [1u8, 0, 0, 0, 0, 1, 0, 0]);
    let output = folder.path("out.bin");
    let outcome = run(
        &file,
        &[
            "--bind",
            &format!("0:0=@{input}"),
            "--out",
            &format!("0:0={output}"),
        ],
    );
    assert!(outcome.done().stdout.contains("(8 bytes)"));
    assert_eq!(std::fs::read(output).unwrap(), [2u8, 0, 0, 0, 0, 2, 0, 0]);
}

#[test]
fn pictures_of_all_kinds() {
    let folder = Folder::new("pictures");
    let file = folder.file("pixels.wgsl", PIXELS);
    let [floats, bytes, heat] = ["floats.png", "bytes.png", "heat.png"].map(|n| folder.path(n));
    let outcome = run(
        &file,
        &[
            "--workgroups",
            "3,2",
            "--out",
            &format!("0:0={floats}:3x2:f32x4"),
            "--out",
            &format!("0:1={bytes}:3x2:rgba8"),
            "--out",
            &format!("0:2={heat}:3x2:heat"),
        ],
    )
    .done();
    assert!(
        outcome.stdout.contains("heat.png (3x2 heat, -2.5 to 2.5)"),
        "{}",
        outcome.stdout
    );

    let (width, height, colour, pixels) = read_png(&floats);
    assert_eq!((width, height, colour), (3, 2, png::ColorType::Rgba));
    assert_eq!(pixels[..8], [0, 0, 128, 255, 255, 0, 128, 255]);
    assert_eq!(pixels[12..16], [0, 255, 128, 255]);

    let (.., pixels) = read_png(&bytes);
    assert_eq!(pixels[..8], [7, 0, 0, 255, 7, 1, 0, 255]);
    assert_eq!(pixels[20..], [7, 5, 0, 255]);

    let (.., colour, pixels) = read_png(&heat);
    assert_eq!(colour, png::ColorType::Rgb);
    assert_eq!(pixels[..3], [0, 0, 4]);
    assert_eq!(pixels[15..], [252, 255, 164]);
}

#[test]
fn sizes_come_from_types_and_outputs() {
    let folder = Folder::new("sizes");
    let file = folder.file(
        "sizes.wgsl",
        "@group(0) @binding(0) var<storage, read_write> lengths: array<u32, 2>;
        @group(0) @binding(1) var<storage, read_write> open: array<u32>;
        @compute @workgroup_size(1) fn main() { lengths[0] = arrayLength(&open); lengths[1] = 9u; }",
    );
    let outcome = run(
        &file,
        &["--out", "0:0=print:u32", "--out", "0:1=print:u32:5"],
    );
    assert_eq!(
        outcome.done().stdout,
        "0:0 = [5, 9]\n0:1 = [0, 0, 0, 0, 0]\n"
    );
}

#[test]
fn random_data_depends_on_its_seed() {
    let folder = Folder::new("random");
    let file = folder.file("double.wgsl", DOUBLE);
    let words = |spec: &str| {
        let bind = format!("0:0={spec}");
        run(&file, &["--bind", &bind, "--out", "0:0=print:u32"])
            .done()
            .stdout
    };
    assert_eq!(words("random:16"), words("random:16:0"));
    assert_ne!(words("random:16"), words("random:16:1"));
}

#[test]
fn only_what_the_entry_point_uses_is_needed() {
    let folder = Folder::new("entries");
    let file = folder.file(
        "entries.wgsl",
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(2) @binding(1) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(1) fn one() { a[0] = 1u; }
        @compute @workgroup_size(1) fn two() { b[0] = 2u; }",
    );
    let one = run(&file, &["--entry", "one", "--out", "0:0=print:u32:1"]);
    assert_eq!(one.done().stdout, "0:0 = [1]\n");
    let two = run(&file, &["--entry", "two", "--out", "2:1=print:u32:1"]);
    assert_eq!(two.done().stdout, "2:1 = [2]\n");
}

#[test]
fn json_says_it_all() {
    let folder = Folder::new("json");
    let file = folder.file("pixels.wgsl", PIXELS);
    let picture = folder.path("heat.png");
    let outcome = run(
        &file,
        &[
            "--workgroups",
            "3,2",
            "--repeat",
            "2",
            "--time",
            "--json",
            "--bind",
            "0:0=zeros:96",
            "--bind",
            "0:1=zeros:24",
            "--out",
            "0:0=print:f32:4",
            "--out",
            &format!("0:2={picture}:3x2:heat"),
        ],
    );
    let json = outcome.done().json();
    assert_eq!(json["entry"], "main");
    assert_eq!(json["workgroups"], serde_json::json!([3, 2, 1]));
    assert_eq!(json["repeat"], 2);
    let values = &json["outputs"][0];
    assert_eq!(values["binding"], "0:0");
    assert_eq!(values["name"], "floats");
    assert_eq!(values["type"], "f32");
    assert_eq!(values["values"], serde_json::json!([0.0, 0.0, 0.5, 1.0]));
    assert_eq!(json["outputs"][1]["range"], serde_json::json!([-2.5, 2.5]));
    assert!(json["time"]["run_median_ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn time_is_a_message_and_not_a_result() {
    let folder = Folder::new("time");
    let file = folder.file("double.wgsl", DOUBLE);
    let outcome = run(
        &file,
        &[
            "--bind",
            "0:0=u32:1",
            "--repeat",
            "3",
            "--time",
            "--out",
            "0:0=print:u32",
        ],
    )
    .done();
    assert_eq!(outcome.stdout, "0:0 = [8]\n");
    for word in ["compile", "3 runs", "minimum", "median", "read back"] {
        assert!(outcome.stderr.contains(word), "{}", outcome.stderr);
    }
}

#[test]
fn thousands_of_runs_are_quick() {
    let folder = Folder::new("thousands");
    let file = folder.file(
        "count.wgsl",
        "@group(0) @binding(0) var<storage, read_write> count: u32;
        @compute @workgroup_size(1) fn main() { count += 1u; }",
    );
    let outcome = run(&file, &["--repeat", "5000", "--out", "0:0=print:u32"]);
    assert_eq!(outcome.done().stdout, "0:0 = [5000]\n");
}

#[test]
fn subgroups_have_the_size_that_the_command_says() {
    let folder = Folder::new("subgroups");
    let file = folder.file(
        "count.wgsl",
        "enable subgroups;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(20)
        fn main(@builtin(local_invocation_index) i: u32) {
            let lanes = subgroupAdd(1u);
            if i == 19u { data[0] = lanes; }
        }",
    );
    let lanes = |options: &[&str]| {
        let io = [
            "run",
            &file,
            "--out",
            "0:0=print:u32",
            "--bind",
            "0:0=zeros:4",
        ];
        anywarp(&[&io[..], options].concat())
    };
    assert_eq!(lanes(&[]).done().stdout, "0:0 = [4]\n");
    assert_eq!(
        lanes(&["--subgroup-size", "4"]).done().stdout,
        "0:0 = [4]\n"
    );
    assert_eq!(
        lanes(&["--subgroup-size", "8"]).done().stdout,
        "0:0 = [4]\n"
    );
    assert_eq!(
        lanes(&["--subgroup-size", "32"]).done().stdout,
        "0:0 = [20]\n"
    );
    lanes(&["--subgroup-size", "24"]).failed(2, &["--subgroup-size", "4, 8, 16, 32, 64 or 128"]);
}
