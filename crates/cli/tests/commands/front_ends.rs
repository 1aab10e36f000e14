//! WGSL that Anywarp accepts although naga alone rejects it, line breaks of every kind, and coloured diagnostics.

use std::process::Command;

use crate::harness::{Folder, anywarp, outcome, run};

/// Pointers into workgroup and storage memory: to whole variables, elements and members, also passed on to other
/// functions.
const POINTERS: &str = "
requires unrestricted_pointer_parameters;
struct Part { count: u32, items: array<u32, 4> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> parts: array<Part, 2>;
var<workgroup> tile: array<u32, 8>;
var<workgroup> other: array<u32, 8>;
var<workgroup> total: atomic<u32>;

fn add(into: ptr<workgroup, atomic<u32>>, value: u32) { atomicAdd(into, value); }
fn fill(p: ptr<workgroup, array<u32, 8>>, i: u32) { (*p)[i] = i * 10u; }
fn twice(p: ptr<workgroup, u32>) -> u32 { let doubled = *p * 2u; *p = doubled; return doubled; }
fn element(p: ptr<workgroup, array<u32, 8>>, i: i32) -> u32 { return twice(&(*p)[i]); }
fn sum(items: ptr<storage, array<u32, 4>>) -> u32 {
    var s = 0u;
    for (var k = 0; k < 4; k++) { s += items[k]; }
    return s;
}
fn of_part(part: ptr<storage, Part>) -> u32 { return part.count + sum(&part.items); }
fn length(numbers: ptr<storage, array<u32>, read_write>) -> u32 { return arrayLength(numbers); }
fn store(numbers: ptr<storage, array<u32>, read_write>, at: u32, value: u32) { numbers[at] = value; }

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    fill(&tile, i);
    fill(&other, i);
    workgroupBarrier();
    let p = &tile[7u - i];
    var result = twice(p);
    result += element(&other, i32(i));
    add(&total, result);
    workgroupBarrier();
    store(&out, i, result + 1000u * of_part(&parts[i % 2u]));
    if i == 0u { store(&out, 8u, atomicLoad(&total)); store(&out, 9u, length(&out)); }
}";

#[test]
fn functions_take_pointers_into_shared_memory() {
    let folder = Folder::new("front_ends_pointers");
    let file = folder.file("pointers.wgsl", POINTERS);
    let bind = [
        "--bind",
        "0:0=zeros:48",
        "--bind",
        "0:1=u32:1,2,3,4,5,6,7,8,9,10",
        "--out",
        "0:0=print:u32",
    ];
    // After doubling, tile and other hold 20 * (7 - i) and 20 * i: 140 together. The parts give 15 and 40.
    let expected =
        "0:0 = [15140, 40140, 15140, 40140, 15140, 40140, 15140, 40140, 1120, 12, 0, 0]\n";
    for engine in ["interpret", "code"] {
        let outcome = run(&file, &[&bind[..], &["--engine", engine]].concat()).done();
        assert_eq!(outcome.stdout, expected, "{engine}");
    }
    for name in ["pointers.spv", "again.wgsl"] {
        let translated = folder.path(name);
        anywarp(&["translate", &file, &translated]).done();
        assert_eq!(run(&translated, &bind).done().stdout, expected, "{name}");
    }
}

#[test]
fn pointers_of_the_wrong_type_are_refused_in_the_users_words() {
    let folder = Folder::new("front_ends_wrong_pointers");
    let text = POINTERS.replace("add(&total, result)", "add(&tile[0], result)");
    let file = folder.file("wrong.wgsl", text);
    run(&file, &[]).failed(
        1,
        &[
            "wrong.wgsl:31:10",
            "argument 1",
            "`ptr<workgroup, atomic<u32>>`",
            "`add`",
        ],
    );
}

#[test]
fn functions_of_literals_are_computed() {
    let folder = Folder::new("front_ends_literals");
    let text = "
        const LOW = 2.0;
        @group(0) @binding(0) var<storage, read_write> out: array<f32, 8>;
        @compute @workgroup_size(1) fn main() {
            const start = mix(2.0, 4.0, 0.5);
            const end = start + 1.5;
            out[0] = f32(u32(mix(1.0, 3.0, 0.5)));
            out[1] = smoothstep(0.0, 1.0, 0.5) + smoothstep(1, 3, 2);
            let vector = mix(vec3(1.0), vec3(LOW), 0.25);
            out[2] = vector.y;
            out[3] = determinant(mat2x2(1.0, 2.0, 3.0, 4.0));
            out[4] = transpose(mat2x2(1.0, 2.0, 3.0, 4.0))[0].y;
            out[5] = mix(LOW, mix(4.0, 8.0, 0.5), 0.5);
            out[6] = end;
            out[7] = mix(out[6], 0.5, 0.5);
        }";
    let file = folder.file("literals.wgsl", text);
    for engine in ["interpret", "code"] {
        let outcome = run(&file, &["--out", "0:0=print:f32", "--engine", engine]).done();
        assert_eq!(outcome.stdout, "0:0 = [2, 1, 1.25, -2, 3, 4, 4.5, 2.5]\n");
    }
    // The names that replace literals are not visible in messages.
    let translated = folder.path("translated.wgsl");
    anywarp(&["translate", &file, &translated]).done();
    let text = std::fs::read_to_string(translated).unwrap();
    assert!(!text.contains("a00"), "{text}");
}

#[test]
fn attributes_of_statements_are_read() {
    let folder = Folder::new("front_ends_attributes");
    let off = "@diagnostic(off, derivative_uniformity)";
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32, 1>;
        {off} @compute @workgroup_size(1) fn main() {off} {{
            {off} if out[0] == 0 {off} {{ out[0] += 1; }} else {off} {{ out[0] += 100; }}
            {off} for (var i = 0; i < 2; i++) {off} {{ out[0] += 1; }}
            {off} while out[0] < 5 {off} {{ out[0] += 1; }}
            {off} loop {off} {{ out[0] += 1; {off} if out[0] > 8 {{ break; }} }}
            {off} switch out[0] {off} {{ case 9 {off} {{ out[0] = 10; }} default {off} {{ }} }}
            {off} {{ out[0] += 1; }}
        }}"
    );
    let file = folder.file("attributes.wgsl", text);
    let outcome = run(&file, &["--out", "0:0=print:u32"]).done();
    assert_eq!(outcome.stdout, "0:0 = [11]\n");
    let file = folder.file("wrong.wgsl", "fn f() { @diagnostic(off) if true {} }");
    run(&file, &[]).failed(1, &["wrong.wgsl:1:"]);
}

#[test]
fn limits_of_naga_are_called_so() {
    let folder = Folder::new("front_ends_limits");
    for (text, place) in [
        ("const x = mix(1.0, 3.0, 0.5);", "a.wgsl:1:11"),
        ("requires linear_indexing;", "a.wgsl:1:10"),
        ("requires uniform_buffer_standard_layout;", "a.wgsl:1:10"),
        (
            "enable f16;\nfn f() { let x: f16 = mix(1.0, 3.0, 0.5); }",
            "a.wgsl:2:",
        ),
    ] {
        let file = folder.file("a.wgsl", text);
        run(&file, &[]).failed(1, &[place, "limit of naga", "not a fault of the program"]);
    }
    // Actual errors are still reported.
    for text in [
        "fn f() { let x = u32(mix(1.0, 3.0, 0.5)); let y: u32 = 1.5; }",
        "requires mind_reading;",
    ] {
        let file = folder.file("a.wgsl", text);
        let outcome = run(&file, &[]).failed(1, &["a.wgsl:1:"]);
        assert!(!outcome.stderr.contains("naga"), "{}", outcome.stderr);
    }
}

#[test]
fn lines_end_where_wgsl_says() {
    let folder = Folder::new("front_ends_lines");
    for end in [
        "\n", "\r\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}",
    ] {
        let text = format!("// a{end}fn f() {{{end}    let x: u32 = 1.5;{end}}}{end}");
        let file = folder.file("lines.wgsl", text);
        let outcome = run(&file, &[]).failed(1, &["lines.wgsl:3:", "3 │     let x: u32 = 1.5;\n"]);
        assert!(!outcome.stderr.contains('?'), "{end:?}: {}", outcome.stderr);
    }
}

#[test]
fn errors_are_coloured_for_terminals_alone() {
    let folder = Folder::new("front_ends_colours");
    let file = folder.file("bad.wgsl", "fn f( {}");
    let with = |arguments: &[&str], variable: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.args(arguments);
        command.envs(variable.map(|name| (name, "1")));
        outcome(&mut command).stderr
    };
    for arguments in [["run", &file], ["run", "no-such-file.wgsl"]] {
        let plain = with(&arguments, None);
        assert!(plain.starts_with("error: "), "{plain}");
        assert!(!plain.contains('\u{1b}'), "{plain}");
        let coloured = with(&arguments, Some("CLICOLOR_FORCE"));
        assert!(coloured.starts_with("\u{1b}["), "{coloured}");
        assert_eq!(with(&arguments, Some("NO_COLOR")), plain);
    }
}
