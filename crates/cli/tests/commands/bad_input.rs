//! Wrong input of every kind: one message that names the object, the right exit code, no panic.

use crate::harness::{Folder, anywarp, run};

/// Needs a buffer of at least 16 bytes at 0:0, a uniform of 8 at 0:1.
const PROGRAM: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<vec4f>;
@group(0) @binding(1) var<uniform> scale: vec2f;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x - 1u] *= scale.x; }
";

fn program(test: &str) -> (Folder, String) {
    let folder = Folder::new(test);
    let file = folder.file("scale.wgsl", PROGRAM);
    (folder, file)
}

#[test]
fn a_file_that_is_not_there() {
    run("missing.wgsl", &[]).failed(2, &["missing.wgsl", "no such file"]);
    anywarp(&["inspect", "missing.wgsl"]).failed(2, &["missing.wgsl", "no such file"]);
    anywarp(&["translate", "missing.wgsl", "out.spv"]).failed(2, &["missing.wgsl"]);
    run("missing.xyz", &[]).failed(2, &["missing.xyz", "no such file"]);
}

#[test]
fn a_file_that_is_no_program() {
    let folder = Folder::new("no_program");
    run(folder.path("").as_str(), &[]).failed(2, &["no_program"]);
    let directory = folder.path("folder.wgsl");
    std::fs::create_dir(&directory).unwrap();
    run(&directory, &[]).failed(2, &["folder.wgsl", "is a directory"]);
    let text = folder.file("notes.txt", "hello");
    run(&text, &[]).failed(2, &["notes.txt", ".txt", ".wgsl, .spv, .spvasm, .comp"]);
    let assembly = folder.file("a.spvasm", "OpNop\n  OpFoo");
    run(&assembly, &[]).failed(1, &["a.spvasm", "line 2, column 3", "`OpFoo`"]);
    let named = folder.file("text.spv", "OpCapability Shader");
    run(&named, &[]).failed(1, &["text.spv", "call it .spvasm"]);
    let words = folder.file("words.bin", 0x0723_0203_u32.to_be_bytes());
    run(&words, &[]).failed(2, &["words.bin", "call it .spv"]);
    let bytes = folder.file("bytes.spvasm", b"OpNop \xff");
    run(&bytes, &[]).failed(2, &["bytes.spvasm", "not UTF-8 at byte 6"]);
    let bare = folder.file("bare", "hello");
    run(&bare, &[]).failed(2, &["bare", "no extension"]);
}

#[test]
fn a_file_that_is_not_utf8() {
    let folder = Folder::new("not_utf8");
    let file = folder.file("bytes.wgsl", b"// fine\n// \xff\n");
    run(&file, &[]).failed(2, &["bytes.wgsl", "not UTF-8 at byte 11"]);
}

#[test]
fn a_file_that_is_not_wgsl() {
    let folder = Folder::new("not_wgsl");
    let syntax = folder.file(
        "syntax.wgsl",
        "@compute @workgroup_size(1)\nfn main() { let x = ; }\n",
    );
    for command in ["run", "inspect"] {
        anywarp(&[command, &syntax]).failed(1, &["syntax.wgsl:2:", "let x = ;", "^"]);
    }
    let types = folder.file(
        "types.wgsl",
        "@compute @workgroup_size(1)\nfn main() { var x: u32 = 1.5; }\n",
    );
    run(&types, &[]).failed(1, &["types.wgsl:2:"]);
    let empty = folder.file("empty.wgsl", "");
    run(&empty, &[]).failed(2, &["empty.wgsl", "no entry point"]);
}

/// naga 30 panics on this valid program; a fixed version runs it.
#[test]
fn a_program_that_naga_panics_on() {
    let folder = Folder::new("naga_panics");
    let file = folder.file(
        "select.wgsl",
        "@compute @workgroup_size(1) fn main() {
             let x = select(vec3(1.0), vec3(2.0), vec3<bool>(vec2<bool>(true, false), true));
         }",
    );
    let outcome = run(&file, &[]);
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert!(matches!(outcome.code, Some(0 | 1)), "{:?}", outcome.code);
}

#[test]
fn a_file_that_is_not_spirv() {
    let folder = Folder::new("not_spirv");
    for (name, bytes) in [
        ("empty.spv", vec![]),
        ("odd.spv", vec![1, 2, 3]),
        ("text.spv", b"fn main() {} ok?".to_vec()),
        (
            "cut.spv",
            vec![
                3, 2, 35, 7, 0, 0, 1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 54, 0, 9, 0,
            ],
        ),
    ] {
        let file = folder.file(name, bytes);
        // A SPIR-V header alone may be a module without an entry point, which is an error in the command.
        let outcome = run(&file, &[]);
        assert!(
            matches!(outcome.code, Some(1 | 2)),
            "{name}: {}",
            outcome.stderr
        );
        let code = outcome.code.unwrap();
        outcome.failed(code, &[name]);
    }
}

#[test]
fn an_entry_point_that_does_not_exist() {
    let (folder, file) = program("unknown_entry");
    run(&file, &["--entry", "other"]).failed(2, &["scale.wgsl", "`other`", "`main`"]);
    let several = folder.file(
        "several.wgsl",
        "@compute @workgroup_size(1) fn one() {} @compute @workgroup_size(1) fn two() {}",
    );
    run(&several, &[]).failed(2, &["several", "--entry", "`one`", "`two`"]);
    let fragment = folder.file(
        "f.wgsl",
        "@fragment fn shade() -> @location(0) vec4f { return vec4f(1); }",
    );
    run(&fragment, &[]).failed(2, &["`shade`", "fragment shader"]);
    run(&fragment, &["--entry", "shade"]).failed(2, &["`shade`", "fragment shader"]);
}

#[test]
fn a_binding_that_is_missing_or_wrong() {
    let (folder, file) = program("bindings");
    run(&file, &[]).failed(2, &["0:0", "`data`", "array<vec4<f32>>", "--bind 0:0="]);
    run(&file, &["--bind", "0:7=zeros:16"]).failed(
        2,
        &["--bind 0:7", "`main`", "0:0 (`data`)", "0:1 (`scale`)"],
    );
    run(&file, &["--out", "1:0=print:f32"]).failed(2, &["--out 1:0", "0:0"]);
    run(&file, &["--bind", "0:0=zeros:16", "--swap", "0:0,3:0"]).failed(2, &["--swap 3:0"]);
    run(&file, &["--bind", "0:0=zeros:16", "--bind", "0:0=zeros:16"])
        .failed(2, &["--bind 0:0", "twice"]);
    let sampler = folder.file(
        "sampler.wgsl",
        "@group(0) @binding(0) var picture: texture_2d<f32>;
        @group(0) @binding(1) var soft: sampler;
        @group(0) @binding(2) var<storage, read_write> color: vec4f;
        @compute @workgroup_size(1)
        fn main() { color = textureSampleLevel(picture, soft, vec2f(), 0.0); }",
    );
    // On the CPU device only, whichever device is under test.
    anywarp(&["run", &sampler, "--bind", "0:0=texture:4x4"]).failed(
        1,
        &[
            "0:1",
            "`soft`",
            "cannot bind samplers on the CPU device",
            "--device gpu",
        ],
    );
}

#[test]
fn an_array_of_bindings() {
    let folder = Folder::new("binding_array");
    let file = folder.file(
        "array.wgsl",
        "enable wgpu_binding_array;
        @group(0) @binding(0) var pictures: binding_array<texture_2d<f32>, 2>;
        @group(0) @binding(1) var<storage, read_write> color: vec4f;
        @compute @workgroup_size(1) fn main() { color = textureLoad(pictures[1], vec2u(), 0); }",
    );
    // Not every device supports them.
    anywarp(&["run", &file]).failed(2, &["0:0", "`pictures`", "cannot bind arrays of bindings"]);
}

#[test]
fn a_bind_smaller_than_the_shader_needs() {
    let (_folder, file) = program("too_small");
    run(&file, &["--bind", "0:0=zeros:12"])
        .failed(2, &["0:0", "`data`", "12 bytes", "at least 16"]);
    run(&file, &["--bind", "0:0=zeros:16", "--bind", "0:1=f32:1"])
        .failed(2, &["0:1", "`scale`", "4 bytes", "at least 8"]);
    run(&file, &["--bind", "0:0=zeros:18"])
        .failed(2, &["--bind 0:0", "18 bytes", "multiples of 4"]);
    run(&file, &["--immediate", "u32:1", "--bind", "0:0=zeros:16"])
        .failed(2, &["`main`", "var<immediate>"]);
}

#[test]
fn a_buffer_larger_than_the_device_takes() {
    let (_folder, file) = program("too_large");
    run(&file, &["--bind", "0:0=zeros:18446744073709551612"])
        .failed(2, &["0:0", "`data`", "18446744073709551612", "limit"]);
    run(&file, &["--bind", "0:0=random:18446744073709551612"]).failed(2, &["0:0", "limit"]);
    run(&file, &["--out", "0:0=print:f32:18446744073709551615"]).failed(2, &["0:0"]);
    run(&file, &["--out", "0:0=a.png:4294967295x4294967295:heat"]).failed(2, &["0:0"]);
    run(
        &file,
        &[
            "--bind",
            "0:0=zeros:16",
            "--bind",
            "0:1=zeros:1152921504606846976",
        ],
    )
    .failed(2, &["0:1", "max_uniform_buffer_binding_size"]);
}

#[test]
fn a_workgroup_count_over_the_limit() {
    let (_folder, file) = program("too_many");
    run(
        &file,
        &["--bind", "0:0=zeros:16", "--workgroups", "1,4294967295"],
    )
    .failed(2, &["--workgroups 1,4294967295,1", "limit of"]);
}

#[test]
fn a_program_that_the_device_refuses() {
    let folder = Folder::new("refused");
    let file = folder.file(
        "large.wgsl",
        "@group(0) @binding(0) var<storage, read_write> x: u32;
        @compute @workgroup_size(1024, 1024) fn main() { x = 1u; }",
    );
    run(&file, &[]).failed(1, &["large.wgsl", "refused"]);
    let group = folder.file(
        "group.wgsl",
        "@group(4294967295) @binding(0) var<storage, read_write> x: u32;
        @compute @workgroup_size(1) fn main() { x = 1u; }",
    );
    run(&group, &[]).failed(1, &["group.wgsl", "4294967295"]);
}

#[test]
fn swapped_bindings_of_different_size() {
    let (_folder, file) = program("swap_sizes");
    run(&file, &["--bind", "0:0=zeros:64", "--swap", "0:0,0:1"])
        .failed(2, &["--swap 0:0,0:1", "64 bytes", "8"]);
}

#[test]
fn a_picture_that_does_not_fit_its_buffer() {
    let (folder, file) = program("misfit");
    let picture = folder.path("p.png");
    let out = format!("0:0={picture}:4x4:heat");
    run(&file, &["--bind", "0:0=zeros:128", "--out", &out])
        .failed(2, &["0:0", "`data`", "64 bytes", "128"]);
    run(&file, &["--bind", "0:0=zeros:32", "--out", &out]).failed(2, &["0:0", "64 bytes", "32"]);
    run(
        &file,
        &["--bind", "0:0=zeros:32", "--out", "0:0=print:f32:9"],
    )
    .failed(2, &["0:0", "36 bytes", "32"]);
    assert!(!std::path::Path::new(&picture).exists());
}

#[test]
fn outputs_that_cannot_be_written() {
    let (folder, file) = program("unwritable");
    let bind = ["--bind", "0:0=zeros:16"];
    let with = |out: &str| {
        run(
            &file,
            &[&bind[..], &["--out", &format!("0:0={out}")]].concat(),
        )
    };
    with(&folder.path("no/such/a.bin")).failed(2, &["no/such/a.bin", "no such file"]);
    std::fs::create_dir(folder.path("taken.bin")).unwrap();
    with(&folder.path("taken.bin")).failed(2, &["taken.bin", "is a directory"]);
    let out = format!("0:0={}", folder.path("same.bin"));
    run(
        &file,
        &[&bind[..], &["--out", &out, "--out", &out]].concat(),
    )
    .failed(2, &["same.bin", "two outputs"]);
    anywarp(&["translate", &file, &folder.path("no/such/a.spv")]).failed(2, &["no/such/a.spv"]);
}

#[test]
fn data_files_that_cannot_be_read() {
    let (folder, file) = program("unreadable");
    run(&file, &["--bind", "0:0=@missing.bin"]).failed(2, &["missing.bin", "no such file"]);
    let here = format!("0:0=@{}", folder.path(""));
    run(&file, &["--bind", &here]).failed(2, &["is a directory"]);
    let empty = format!("0:0=@{}", folder.file("empty.bin", []));
    if cfg!(unix) {
        run(&file, &["--bind", "0:0=@/dev/zero"]).failed(2, &["/dev/zero", "more than"]);
    }
    run(&file, &["--bind", &empty]).failed(2, &["0:0", "0 bytes", "16"]);
}

#[test]
fn arguments_that_do_not_parse() {
    for (option, value, word) in [
        ("--bind", "0=zeros:4", "`0` is not a binding"),
        ("--bind", "0:0=u32:1,x", "`x`"),
        ("--bind", "0:0=zero:64", "did you mean `zeros:64`?"),
        (
            "--bind",
            "0:0=zeros:99999999999G",
            "`99999999999G` is not a count",
        ),
        (
            "--bind",
            "0:0=u64:0..9223372036854775807",
            "268435456 bytes",
        ),
        ("--bind", "0:0=count=", "`count=`"),
        ("--bind", "0:0=sampler:soft", "`soft`"),
        ("--bind", "2bad=zeros", "`2bad` is not a binding"),
        ("--out", "0:0=print:f8", "`f8`"),
        ("--out", "0:0=a.gif", "a.gif"),
        ("--swap", "0:0", "`0:0`"),
        ("--constant", "N", "NAME=VALUE"),
        ("--workgroups", "1,2,3,4", "1,2,3,4"),
        ("--repeat", "0", "0"),
        ("--nonsense", "1", "--nonsense"),
    ] {
        run("examples/mandelbrot.wgsl", &[option, value]).failed(2, &[option, word]);
    }
    anywarp::<&str>(&[]).failed(2, &["Usage"]);
    anywarp(&["fly"]).failed(2, &["fly"]);
}

#[test]
fn a_device_that_does_not_exist() {
    let outcome = anywarp(&[
        "run",
        "examples/mandelbrot.wgsl",
        "--device",
        "no such thing",
    ]);
    outcome.failed(2, &["--device no such thing", "there is"]);
}

#[test]
fn a_program_that_never_ends() {
    let folder = Folder::new("endless");
    let file = folder.file(
        "endless.wgsl",
        "@group(0) @binding(0) var<storage, read_write> x: u32;
        @compute @workgroup_size(1)
        fn main() {
            while x < 1u { x = x * 2u; }
        }",
    );
    let picture = folder.path("x.bin");
    let out = format!("0:0={picture}");
    // Only the CPU device has a watchdog, so this test uses it, whichever device is under test.
    anywarp(&["run", &file, "--watchdog", "0.1", "--out", &out])
        .failed(1, &["lost", "endless.wgsl", "endless", ":4:13"]);
    assert!(!std::path::Path::new(&picture).exists());
    run(&file, &["--watchdog", "0"]).failed(2, &["--watchdog", "positive"]);
}

#[test]
fn a_barrier_that_some_never_reach() {
    let folder = Folder::new("barrier");
    let file = folder.file(
        "barrier.wgsl",
        "@group(0) @binding(0) var<storage, read_write> x: array<u32, 4>;
        @compute @workgroup_size(4)
        fn main(@builtin(local_invocation_index) i: u32) {
            if x[i] == 0u && i > 1u { return; }
            workgroupBarrier();
            x[i] = 1u;
        }",
    );
    anywarp(&["run", &file]).failed(1, &["lost", "barrier.wgsl:5:"]);
    // The interpreter also knows the positions of the others.
    let both = ["lost", "barrier.wgsl:5:", "barrier.wgsl:4:"];
    anywarp(&["run", &file, "--engine", "interpret"]).failed(1, &both);
}

#[test]
fn a_program_nested_as_deeply_as_it_goes() {
    let folder = Folder::new("deep");
    for depth in [100, 400, 5000] {
        let (open, close) = ("(".repeat(depth), ")".repeat(depth));
        let text = format!("@compute @workgroup_size(1) fn main() {{ let x = {open}1u{close}; }}");
        let parentheses = folder.file("parentheses.wgsl", text);
        let (open, close) = ("if x[0] == 0u {".repeat(depth), "}".repeat(depth));
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32, 1>;
            @compute @workgroup_size(1) fn main() {{ {open} x[0] = 1u; {close} }}"
        );
        let blocks = folder.file("blocks.wgsl", text);
        for file in [parentheses, blocks] {
            for arguments in [
                vec!["run", &file],
                vec!["inspect", &file],
                vec!["translate", &file, &folder.path("deep.spv")],
            ] {
                let outcome = anywarp(&arguments);
                assert!(
                    matches!(outcome.code, Some(0 | 1)),
                    "{arguments:?}: {}",
                    outcome.stderr
                );
            }
        }
    }
}
