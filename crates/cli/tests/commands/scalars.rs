//! `anywarp run` with every type of number.

use crate::harness::{Folder, anywarp, read_png, run};

/// Adds each number to itself.
fn twice(element: &str) -> String {
    let enable = match element {
        "f16" => "enable f16;",
        "i16" | "u16" => "enable wgpu_int16;",
        _ => "",
    };
    format!(
        "{enable}
        @group(0) @binding(0) var<storage, read_write> data: array<{element}>;
        @compute @workgroup_size(1)
        fn main(@builtin(global_invocation_id) id: vec3u) {{ data[id.x] = data[id.x] + data[id.x]; }}"
    )
}

#[test]
fn numbers_of_every_type_go_in_and_come_out() {
    let folder = Folder::new("every_type");
    for (element, given, printed) in [
        ("f16", "0.1,-2,40000,6e-8", "0.2, -4, inf, 1e-7"),
        ("f32", "0.1,-2,3e38,1", "0.2, -4, inf, 2"),
        ("f64", "0.1,-2,1e308,1e-320", "0.2, -4, inf, 2e-320"),
        ("i16", "-1,16384,0x7fff,5", "-2, -32768, -2, 10"),
        ("u16", "1,32768,0xffff,5", "2, 0, 65534, 10"),
        (
            "i64",
            "-1,4611686018427387904,0x7fffffffffffffff,5",
            "-2, -9223372036854775808, -2, 10",
        ),
        (
            "u64",
            "1,0x8000000000000000,18446744073709551615,5",
            "2, 0, 18446744073709551614, 10",
        ),
    ] {
        let file = folder.file(&format!("{element}.wgsl"), twice(element));
        let outcome = run(
            &file,
            &[
                "--workgroups",
                "4",
                "--bind",
                &format!("0:0={element}:{given}"),
                "--out",
                &format!("0:0=print:{element}"),
            ],
        );
        assert_eq!(outcome.done().stdout, format!("0:0 = [{printed}]\n"));
    }
}

#[test]
fn files_and_counts_are_by_the_size_of_the_type() {
    let folder = Folder::new("wide_files");
    let file = folder.file("i64.wgsl", twice("i64"));
    let numbers: Vec<u8> = [3i64, -4, 1 << 40].map(i64::to_le_bytes).concat();
    let input = folder.file("in.bin", &numbers);
    let output = folder.path("out.bin");
    let outcome = run(
        &file,
        &[
            "--workgroups",
            "3",
            "--bind",
            &format!("0:0=@{input}"),
            "--out",
            &format!("0:0={output}"),
            "--out",
            "0:0=print:i64:2",
        ],
    );
    assert!(outcome.done().stdout.ends_with("0:0 = [6, -8]\n"));
    let expected: Vec<u8> = [6i64, -8, 1 << 41].map(i64::to_le_bytes).concat();
    assert_eq!(std::fs::read(output).unwrap(), expected);
    // Without --bind, the count gives the size of the buffer.
    let sized = run(&file, &["--out", "0:0=print:i64:3"]).done();
    assert_eq!(sized.stdout, "0:0 = [0, 0, 0]\n");
    run(
        &file,
        &["--bind", "0:0=i64:1,2", "--out", "0:0=print:i64:3"],
    )
    .failed(2, &["0:0", "24 bytes", "16"]);
}

#[test]
fn heat_maps_are_of_every_type() {
    let folder = Folder::new("wide_heat");
    for (element, given) in [
        ("f16", "-1,0,1,0"),
        ("f64", "-1,0,1,0"),
        ("i16", "-1,0,1,0"),
        ("u16", "1,2,3,2"),
        ("i64", "-4000000000,0,4000000000,0"),
        ("u64", "0,9000000000,18000000000,9000000000"),
    ] {
        let file = folder.file(&format!("{element}.wgsl"), twice(element));
        let picture = folder.path(&format!("{element}.png"));
        run(
            &file,
            &[
                "--workgroups",
                "0",
                "--bind",
                &format!("0:0={element}:{given}"),
                "--out",
                &format!("0:0={picture}:2x2:heat"),
            ],
        )
        .done();
        let (.., pixels) = read_png(&picture);
        assert_eq!(pixels[..3], [0, 0, 4], "{element}");
        assert_eq!(pixels[3..6], [186, 54, 85], "{element}");
        assert_eq!(pixels[6..9], [252, 255, 164], "{element}");
    }
}

#[test]
fn types_that_are_no_whole_words() {
    let folder = Folder::new("half_words");
    let file = folder.file(
        "three.wgsl",
        "enable f16;
        @group(0) @binding(0) var<storage, read_write> data: array<f16, 3>;
        @compute @workgroup_size(1) fn main() { data[2] += data[0] * data[1]; }",
    );
    let out = ["--out", "0:0=print:f16"];
    let given = run(&file, &[&["--bind", "0:0=f16:2,3,4"], &out[..]].concat());
    assert_eq!(given.done().stdout, "0:0 = [2, 3, 10]\n");
    assert_eq!(run(&file, &out).done().stdout, "0:0 = [0, 0, 0]\n");
    // A runtime-sized array has as many elements as its buffer, which consists of whole words.
    let open = folder.file("open.wgsl", twice("f16"));
    run(&open, &["--bind", "0:0=f16:1,2,3"]).failed(2, &["--bind 0:0", "6 bytes", "of 4"]);
}

#[test]
fn json_has_whole_numbers() {
    let folder = Folder::new("wide_json");
    let file = folder.file("u64.wgsl", twice("u64"));
    let bind = ["--bind", "0:0=u64:9223372036854775807"];
    let rest = ["--out", "0:0=print:u64", "--json"];
    let json = run(
        &file,
        &[bind, [rest[0], rest[1]], ["--json", "--time"]].concat(),
    );
    let json = json.done().json();
    assert_eq!(json["outputs"][0]["type"], "u64");
    let values = serde_json::json!([18_446_744_073_709_551_614_u64]);
    assert_eq!(json["outputs"][0]["values"], values);
}

#[test]
fn kernels_have_them_too_and_no_textures() {
    let folder = Folder::new("scalars-kernel");
    let module = r#"(module (import "gpu" "buffer_len" (func $len (param i32) (result i32)))
        (func (export "main") (param i32) (result i32)
            (i32.add (call $len (i32.const 0)) (call $len (i32.const 1)))))"#;
    let wasm = &*folder.file("lengths.wasm", wat::parse_str(module).unwrap());
    let outcome = anywarp(&[
        "run",
        wasm,
        "--args",
        "3",
        "--bind",
        "0:0=u64:18446744073709551615",
        "--bind",
        "0:1=f16:0.5,-1",
        "--out",
        "0:0=print:u64",
        "--out",
        "0:1=print:f16",
    ]);
    let text = outcome.done().stdout;
    assert!(text.contains("0:0 = [18446744073709551615]\n"), "{text}");
    assert!(text.contains("0:1 = [0.5, -1]\n"), "{text}");
    let run = |option: &str, value: &str| anywarp(&["run", wasm, "--args", "3", option, value]);
    run("--bind", "0:0=texture:4x4").failed(2, &["texture:4x4", "no textures"]);
    run("--bind", "0:0=a.png").failed(2, &["a.png", "no textures"]);
    run("--bind", "0:0=f16:1").failed(2, &["--bind", "2 bytes"]);
    run("--out", "0:0=a.png").failed(2, &["--out 0:0", "a.png", "WxH"]);
}
