//! GLSL as input of `run`, `inspect` and `translate`.

use crate::harness::{Folder, anywarp, anywarp_with_input, run};

const COMPUTE: &str = "#version 450
#define SQUARE(x) ((x) * (x))
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
shared uint tile[4];
void main() {
    uint i = gl_LocalInvocationID.x;
    tile[i] = SQUARE(numbers[i]);
    barrier();
    numbers[i] = tile[3u - i];
}
";

const BIND: [&str; 4] = ["--bind", "0:0=u32:1,2,3,4", "--out", "0:0=print:u32"];

#[test]
fn compute_shaders_run() {
    let folder = Folder::new("glsl_run");
    let pragma = COMPUTE.replace("450\n", "450\n#pragma shader_stage(compute)\n");
    for file in [
        folder.file("squares.comp", COMPUTE),
        folder.file("squares.comp.glsl", COMPUTE),
        folder.file("pragma.glsl", pragma),
        folder.file("crlf.comp", COMPUTE.replace('\n', "\r\n")),
    ] {
        for engine in ["interpret", "code"] {
            let options = [&BIND[..], &["--engine", engine]].concat();
            let outcome = run(&file, &options).done();
            assert_eq!(outcome.stdout, "0:0 = [16, 9, 4, 1]\n", "{file} {engine}");
        }
    }
    let outcome =
        anywarp_with_input(&[&["run", "-"][..], &BIND].concat(), COMPUTE.as_bytes()).done();
    assert_eq!(outcome.stdout, "0:0 = [16, 9, 4, 1]\n");
}

#[test]
fn shaders_are_inspected_and_translated() {
    let folder = Folder::new("glsl_translate");
    let vertex = folder.file(
        "triangle.vert",
        "#version 450\nlayout(location = 0) in vec2 corner;\n\
         void main() { gl_Position = vec4(corner, 0.0, 1.0); }\n",
    );
    let outcome = anywarp(&["inspect", &vertex]).done();
    assert!(
        outcome.stdout.contains("vertex `main`"),
        "{}",
        outcome.stdout
    );
    let fragment = folder.file(
        "triangle.frag",
        "#version 450\nlayout(location = 0) out vec4 colour;\nvoid main() { colour = vec4(1.0); }\n",
    );
    for (file, stage) in [(&vertex, "@vertex"), (&fragment, "@fragment")] {
        let output = folder.path("triangle.wgsl");
        anywarp(&["translate", file, &output]).done();
        let text = std::fs::read_to_string(output).unwrap();
        assert!(text.contains(stage), "{text}");
    }
    // In folders, two stages with one name are two programs.
    let (input, output) = (folder.path(""), folder.path("out"));
    let outcome = anywarp(&["translate", &input, &output, "--to", "spv"]).done();
    assert!(
        outcome.stdout.contains("3 of 3 files"),
        "{}",
        outcome.stdout
    );
    assert!(std::path::Path::new(&folder.path("out/triangle.vert.spv")).exists());
    assert!(std::path::Path::new(&folder.path("out/triangle.frag.spv")).exists());
}

#[test]
fn cases_fall_through_in_every_language() {
    let folder = Folder::new("glsl_switch");
    let switches = [
        (
            "case 0: case 1: r += 1u; case 2: r += 2u; break; default: r = 9u;",
            "3, 3, 2, 9",
        ),
        (
            "case 2: case 0: break; case 3: default: r += 1u; case 5: case 4: r += 2u;",
            "0, 3, 0, 3",
        ),
        (
            "case 0: case 1: r += 1u; case 2: case 3: r += 2u; break; default: r = 9u;",
            "3, 3, 2, 2",
        ),
        (
            "case 0: switch (int(i)) { case 3: case 0: r += 4u; case 1: r += 8u; } case 1: r += 1u; default: r += 2u;",
            "15, 3, 2, 2",
        ),
    ];
    for (cases, expected) in switches {
        let text = format!(
            "#version 450\nlayout(local_size_x = 4) in;\n\
             layout(set = 0, binding = 0) buffer Numbers {{ uint numbers[]; }};\n\
             void main() {{ uint i = gl_LocalInvocationID.x; uint r = 0u;\n\
             switch (int(i)) {{ {cases} }}\n numbers[i] = r; }}\n"
        );
        let glsl = folder.file("switch.comp", text);
        let (spirv, wgsl) = (folder.path("switch.spv"), folder.path("switch.wgsl"));
        anywarp(&["translate", &glsl, &spirv]).done();
        anywarp(&["translate", &glsl, &wgsl]).done();
        for file in [&glsl, &spirv, &wgsl] {
            let outcome = run(file, &BIND).done();
            assert_eq!(
                outcome.stdout,
                format!("0:0 = [{expected}]\n"),
                "{file}: {cases}"
            );
        }
    }
}

#[test]
fn errors_name_file_line_and_column() {
    let folder = Folder::new("glsl_errors");
    let file = folder.file("bad.comp", "#version 450\nvoid main() {\n    x = 1;\n}\n");
    run(&file, &[]).failed(1, &["bad.comp:3:5", "`x`", "3 │     x = 1;", "│     ^"]);
    let file = folder.file("bad2.comp", "#version 450\nvoid main() { int a = 1 }\n");
    run(&file, &[]).failed(1, &["bad2.comp:2:25", "`;`", "found `}`"]);
    let file = folder.file("none.glsl", "#version 450\nvoid main() {}\n");
    run(&file, &[]).failed(2, &["none.glsl", "stage", ".comp, .vert or .frag"]);
    let file = folder.file("old.comp", "#version 110\nvoid main() {}\n");
    run(&file, &[]).failed(1, &["old.comp", "version 110"]);
}
