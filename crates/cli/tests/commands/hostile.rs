//! Small malicious inputs with huge results: each command ends with one error that names the declaration, the limit
//! and the option that raises it.

use crate::harness::{Folder, anywarp};

const MAIN: &str = "@compute @workgroup_size(1) fn main() { o[0] = 1.0; }\n";
const OUT: &str = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n";

/// Constants that are arrays of two copies of the previous constant.
fn doubled(levels: u32) -> String {
    let more = (1..=levels).map(|it| format!("const A{it} = array(A{0}, A{0});\n", it - 1));
    let more: String = more.collect();
    format!("{OUT}const A0 = array(1.0f, 1.0f);\n{more}{MAIN}")
}

#[test]
fn constants_of_constants_are_refused_when_they_are_read() {
    let folder = Folder::new("hostile_constants");
    let file = folder.file("c.wgsl", doubled(26));
    for language in ["wgsl", "glsl", "hlsl", "msl", "spv"] {
        anywarp(&["translate", &file, "-", "--to", language]).failed(1, &["c.wgsl:", "`A18`"]);
    }
    anywarp(&["inspect", &file]).failed(1, &["`A18`", "2097152 parts"]);
}

#[test]
fn long_text_of_constants_is_cut_off() {
    let folder = Folder::new("hostile_text");
    let file = folder.file("c.wgsl", doubled(14));
    for language in ["glsl", "hlsl", "msl"] {
        anywarp(&[
            "translate",
            &file,
            "-",
            "--to",
            language,
            "--max-bytes",
            "100k",
        ])
        .failed(
            1,
            &[
                "takes more than 102400 bytes to write",
                "`--max-bytes`",
                "`A",
            ],
        );
        anywarp(&[
            "translate",
            &file,
            "-",
            "--to",
            language,
            "--max-steps",
            "1k",
        ])
        .failed(1, &["more than 1024 steps of work", "`--max-steps`"]);
        let done = anywarp(&["translate", &file, "-", "--to", language]).done();
        assert!(done.stdout.len() > 100 << 10, "{language}");
    }
    // Anywarp's own writers name shared subexpressions.
    let done = anywarp(&[
        "translate",
        &file,
        "-",
        "--to",
        "wgsl",
        "--max-bytes",
        "10k",
    ])
    .done();
    assert!(done.stdout.contains("array"));
}

/// The clock is read once per 2^14 steps, so that a short program is written whatever the limit.
#[test]
fn a_translation_past_its_time_is_ended_with_the_limit_and_its_option() {
    let folder = Folder::new("hostile_time");
    let file = folder.file("c.wgsl", doubled(16));
    let short = folder.file("short.wgsl", doubled(1));
    let translate = |file: &str, language: &str, time: &str| {
        let output = folder.path(&format!("out.{language}"));
        let outcome = anywarp(&["translate", file, &output, "--max-time", time]);
        (outcome, std::path::PathBuf::from(output))
    };
    for (extension, language) in [("glsl", "GLSL"), ("hlsl", "HLSL"), ("msl", "MSL")] {
        let (outcome, output) = translate(&file, extension, "0.000001");
        let reason = format!("c.wgsl cannot be written as {language}");
        let words = [
            &reason,
            "takes more than 1µs to write",
            "`--max-time`",
            "`A",
        ];
        let outcome = outcome.failed(1, &words);
        assert!(outcome.stdout.is_empty(), "{}", outcome.stdout);
        assert!(!output.exists(), "a part of the output was written");
        for (file, time) in [(&short, "0.000001"), (&file, "600"), (&file, "off")] {
            let (outcome, output) = translate(file, extension, time);
            outcome.done();
            std::fs::remove_file(output).expect("the output was written");
        }
    }
    for wrong in ["0", "soon"] {
        let (outcome, _) = translate(&file, "glsl", wrong);
        outcome.failed(2, &["--max-time", "a positive number of seconds, or off"]);
    }
}

#[test]
fn zero_values_of_large_arrays_are_cut_off() {
    let folder = Folder::new("hostile_zeros");
    let zero = "array<array<array<f32, 500>, 500>, 500>()";
    let texts = [
        (format!("{OUT}const Z = {zero}; {MAIN}"), "`Z`"),
        (
            format!(
                "{OUT}@compute @workgroup_size(1) fn main() {{ var z = {zero}; o[0] = z[0][0][0]; }}"
            ),
            "`main`",
        ),
    ];
    for (text, name) in texts {
        let file = folder.file("z.wgsl", text);
        let words = [
            "z.wgsl cannot be written as GLSL",
            name,
            "67108864 bytes",
            "`--max-bytes`",
        ];
        anywarp(&["translate", &file, "-", "--to", "glsl"]).failed(1, &words);
    }
}

/// naga repeats an element of a composite at each use, with all its components.
#[test]
fn composites_of_elements_are_cut_off() {
    let mut body = String::new();
    for it in 1..=40 {
        let before = it - 1;
        body += &format!("%y{it} = OpCompositeConstruct %pair %x{before} %x{before}\n");
        body += &format!("%x{it} = OpCompositeExtract %f32 %y{it} 1\n");
    }
    let text = format!(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
         OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n\
         OpDecorate %o DescriptorSet 0\nOpDecorate %o Binding 0\n\
         %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%f32 = OpTypeFloat 32\n%u32 = OpTypeInt 32 0\n\
         %zero = OpConstant %u32 0\n%pair = OpTypeStruct %f32 %f32\n%block = OpTypeStruct %f32\n\
         %to_block = OpTypePointer StorageBuffer %block\n%to_f32 = OpTypePointer StorageBuffer %f32\n\
         %o = OpVariable %to_block StorageBuffer\n%main = OpFunction %void None %fn\n%label = OpLabel\n\
         %p = OpAccessChain %to_f32 %o %zero\n%x0 = OpLoad %f32 %p\n{body}OpStore %p %x40\nOpReturn\nOpFunctionEnd\n"
    );
    let folder = Folder::new("hostile_composites");
    let file = folder.file("c.spvasm", text);
    for language in ["wgsl", "glsl", "hlsl", "msl"] {
        let outcome = anywarp(&[
            "translate",
            &file,
            "-",
            "--to",
            language,
            "--max-bytes",
            "1M",
        ]);
        if outcome.code != Some(0) {
            outcome.failed(1, &["`main", "more than 1048576 bytes", "`--max-bytes`"]);
        }
    }
}

#[test]
fn reports_of_many_large_bindings_are_short() {
    let structs = (1..13).map(|it| format!("struct S{it} {{ a: S{0}, b: S{0} }}\n", it - 1));
    let bindings = (0..300)
        .map(|it| format!("@group(0) @binding({it}) var<storage, read_write> b{it}: S12;\n"));
    let uses = (0..300).map(|it| format!("b{it}{} = 1.0;\n", ".a".repeat(13)));
    let text = format!(
        "struct S0 {{ a: f32, b: f32 }}\n{}{}@compute @workgroup_size(1) fn main() {{ {} }}\n",
        structs.collect::<String>(),
        bindings.collect::<String>(),
        uses.collect::<String>()
    );
    let folder = Folder::new("hostile_bindings");
    let file = folder.file("b.wgsl", text);
    let json = anywarp(&["inspect", &file, "--json"]).done().stdout;
    assert!(json.len() < 64 << 20, "{} bytes", json.len());
}

/// Each dispatch is short, but there would be 8^30 records.
#[test]
fn a_graph_that_goes_on_is_ended_by_the_limit_of_the_run() {
    const GRAPH: &str = r#"
name = "e"
[[record]]
name = "C"
fields = ["a: u32"]
[[node]]
name = "s"
launch = "thread"
entry = true
input = "C"
recursion = 30
source = "s.wgsl"
[[node.output]]
to = "s"
name = "q"
record = "C"
budget = 8
[[input]]
node = "s"
records = [{ a = 1 }]
"#;
    const NODE: &str = "fn s() {
        let a = load_input_a();
        if is_valid_q() {
            let q = alloc_thread_q(8u);
            for (var i = 0u; i < 8u; i++) { store_q_a(q, i, a + i); }
            complete_q(q);
        }
    }";
    let folder = Folder::new("hostile_endless_graph");
    let file = folder.file("e.toml", GRAPH);
    folder.file("s.wgsl", NODE);
    let run = anywarp(&["graph", "run", &file, "--limit", "1"]);
    run.failed(
        1,
        &[
            "graph `e`: too much work: records are left after",
            "--limit",
        ],
    );
}

#[test]
fn graphs_name_files_in_their_own_folder_only() {
    let folder = Folder::new("hostile_graph");
    let outside = folder.file("secret.wgsl", "confidential");
    let graph = |source: &str| {
        let text = format!(
            "[[node]]\nname = \"n\"\nlaunch = \"thread\"\nentry = true\nsource = \"{source}\"\n"
        );
        std::fs::create_dir_all(folder.path("graph")).unwrap();
        folder.file("graph/g.toml", text)
    };
    for source in ["/etc/passwd", "../secret.wgsl", &outside] {
        let file = graph(source);
        let outcome = anywarp(&["graph", "run", &file]);
        let outcome = outcome.failed(1, &["g.toml:5", "outside the folder", "`--allow-dir`"]);
        assert!(!outcome.stderr.contains("confidential") && !outcome.stderr.contains("root:"));
    }
    let file = graph("../secret.wgsl");
    let parent = folder.path("");
    anywarp(&["graph", "plan", &file, "--allow-dir", &parent]).done();
    anywarp(&["graph", "plan", &file, "--allow-dir", "no/such/folder"])
        .failed(2, &["--allow-dir", "no/such/folder is not a folder"]);
    let file = folder.file("m.toml", "memory = 17179869184\n");
    anywarp(&["graph", "plan", &file]).failed(1, &["m.toml:1", "`memory`", "`--max-bytes`"]);
}
