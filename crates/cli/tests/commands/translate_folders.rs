//! `anywarp translate` of folders.

use std::path::Path;

use crate::harness::{Folder, anywarp};

const FINE: &str = "@compute @workgroup_size(1) fn main() {}";

fn filled(test: &str) -> Folder {
    let folder = Folder::new(test);
    std::fs::create_dir_all(folder.path("in/deep/er")).unwrap();
    folder.file("in/a.wgsl", FINE);
    folder.file("in/deep/er/b.wgsl", FINE);
    folder.file("in/notes.txt", "not a shader");
    folder
}

#[test]
fn files_keep_their_names() {
    let folder = filled("folder_names");
    let (input, output) = (folder.path("in"), folder.path("out"));
    let outcome = anywarp(&["translate", &input, &output, "--to", "spv"]).done();
    assert!(outcome.stdout.contains("2 of 2 files translated to SPIR-V"));
    assert_eq!(outcome.stdout.lines().count(), 1);
    for name in ["out/a.spv", "out/deep/er/b.spv"] {
        let bytes = std::fs::read(folder.path(name)).unwrap();
        assert_eq!(bytes[..4], 0x0723_0203_u32.to_le_bytes());
    }
    assert!(!Path::new(&folder.path("out/notes.txt")).exists());
    // Translates the result back.
    let back = folder.path("back");
    anywarp(&["translate", &output, &back, "--to", "wgsl"]).done();
    let text = std::fs::read_to_string(folder.path("back/deep/er/b.wgsl")).unwrap();
    assert!(text.contains("fn main"), "{text}");
}

#[test]
fn one_that_fails_does_not_keep_the_others() {
    let folder = filled("folder_fails");
    folder.file("in/bad.wgsl", "fn main( {}");
    folder.file("in/worse.spv", [1, 2, 3]);
    let (input, output) = (folder.path("in"), folder.path("out"));
    let outcome = anywarp(&["translate", &input, &output, "--to", "spvasm"])
        .failed(1, &["bad.wgsl", "worse.spv", "2 of 4 files could not"]);
    assert!(
        outcome.stdout.contains("2 of 4 files"),
        "{}",
        outcome.stdout
    );
    assert!(Path::new(&folder.path("out/deep/er/b.spvasm")).exists());
}

#[test]
fn inputs_are_never_written_over() {
    let folder = filled("folder_over");
    folder.file(
        "in/c.spvasm",
        "; Version: 1.3\nOpCapability Shader\nOpMemoryModel Logical GLSL450",
    );
    folder.file("in/c.wgsl", "// mine\n");
    let input = folder.path("in");
    anywarp(&["translate", &input, &input, "--to", "wgsl"]).failed(
        1,
        &[
            "a.wgsl: it is one of the inputs",
            "c.wgsl: it is one of the inputs",
        ],
    );
    assert_eq!(
        std::fs::read_to_string(folder.path("in/a.wgsl")).unwrap(),
        FINE
    );
    assert_eq!(
        std::fs::read_to_string(folder.path("in/c.wgsl")).unwrap(),
        "// mine\n"
    );
    // Two inputs with one output name.
    let output = folder.path("out");
    anywarp(&["translate", &input, &output, "--to", "spv"]).failed(1, &["c.spv", "two outputs"]);
    // An output folder below the input folder is not read on the next run.
    let inner = folder.path("in/inner");
    for _ in 0..2 {
        let outcome = anywarp(&["translate", &input, &inner, "--to", "msl"]);
        assert!(outcome.stdout.contains("of 4 files"), "{}", outcome.stdout);
    }
    let file = folder.path("in/a.wgsl");
    anywarp(&["translate", &file, &file]).failed(2, &["a.wgsl", "it is the input"]);
}

#[test]
fn folders_and_files_do_not_mix() {
    let folder = filled("folder_mix");
    let (input, file) = (folder.path("in"), folder.path("in/a.wgsl"));
    anywarp(&["translate", &input, &file, "--to", "spv"]).failed(2, &["a.wgsl", "is a file"]);
    anywarp(&["translate", &input, &folder.path("out")]).failed(2, &["folder", "--to"]);
    anywarp(&["translate", &file, &input, "--to", "spv"]).failed(2, &["it is a folder"]);
    let map = folder.path("map.json");
    let arguments = [
        "translate",
        &input,
        &folder.path("o"),
        "--to",
        "spv",
        "--bindings",
        &map,
    ];
    anywarp(&arguments).failed(2, &["--bindings", "one file"]);
    std::fs::create_dir(folder.path("empty")).unwrap();
    let empty = folder.path("empty");
    anywarp(&["translate", &empty, &folder.path("o"), "--to", "spv"]).failed(
        2,
        &[
            "empty",
            "no .wgsl, .spv, .spvasm, .comp, .vert or .frag file",
        ],
    );
}
