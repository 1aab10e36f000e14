//! Layouts of buffer types: `inspect` shows them, `--bind` takes values by member name, `--out` prints them.

use crate::harness::{Folder, anywarp, run};

/// Copies a scene with padding between its members.
const SCENE: &str = "
struct Light { position: vec3f, radius: f32, at: mat3x2f }
struct Scene { count: u32, lights: array<Light, 2>, tail: vec2<i32> }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read_write> copy: Scene;
@group(0) @binding(2) var<storage, read_write> open: array<Light>;
@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) id: vec3u) {
    copy = scene;
    open[id.x].radius += scene.lights[id.x].radius;
}
";

fn scene(test: &str) -> (Folder, String) {
    let folder = Folder::new(test);
    let file = folder.file("scene.wgsl", SCENE);
    (folder, file)
}

#[test]
fn inspect_shows_every_member() {
    let (_folder, file) = scene("members_inspect");
    let text = anywarp(&["inspect", &file]).done().stdout;
    let expected = "  0:0 `scene`: Scene, uniform, 128 bytes
    .count: u32 at 0, size 4
    .lights: array<Light, 2> at 16, size 96, stride 48
      .position: vec3<f32> at 0, size 12
      .radius: f32 at 12, size 4
      .at: mat3x2<f32> at 16, size 24, column stride 8
    .tail: vec2<i32> at 112, size 8
";
    assert!(text.contains(expected), "{text}");
    let open = "  0:2 `open`: array<Light>, storage, read_write, at least 48 bytes, 48 per element
    .position: vec3<f32> at 0, size 12
";
    assert!(text.contains(open), "{text}");
}

#[test]
fn inspect_has_layouts_as_json() {
    let (_folder, file) = scene("members_json");
    let json = anywarp(&["inspect", &file, "--json"]).done().json();
    let bindings = &json["entry_points"][0]["bindings"];
    let lights = &bindings[0]["layout"]["members"][1];
    assert_eq!(lights["name"], "lights");
    assert_eq!(lights["offset"], 16);
    assert_eq!(lights["size"], 96);
    assert_eq!(lights["stride"], 48);
    assert_eq!(lights["length"], 2);
    let radius = &lights["element"]["members"][1];
    assert_eq!(radius["name"], "radius");
    assert_eq!(radius["offset"], 12);
    assert_eq!(radius["type"], "f32");
    let open = &bindings[2]["layout"];
    assert_eq!(open["stride"], 48);
    assert!(open["size"].is_null() && open["length"].is_null());
}

#[test]
fn values_are_given_by_member_name() {
    let (_folder, file) = scene("members_inline");
    let bind = "0:0=count=3,lights[1].radius=2.5,lights[0].position=[1,2,3],lights[0].at[2].y=-4,tail.y=-7";
    let outcome = run(&file, &["--bind", bind, "--out", "copy=print"]).done();
    assert_eq!(
        outcome.stdout,
        "copy = {count: 3, lights: [{position: [1, 2, 3], radius: 0, at: [[0, 0], [0, 0], [0, -4]]}, \
        {position: [0, 0, 0], radius: 2.5, at: [[0, 0], [0, 0], [0, 0]]}], tail: [0, -7]}\n"
    );
}

#[test]
fn values_are_given_as_json() {
    let (folder, file) = scene("members_json_file");
    let data = r#"{ "count": 3, "lights": [{ "radius": "inf" }, { "position": [0.5, 0, 1e3] }], "tail": [-1, 2] }"#;
    let bind = format!("scene=@{}", folder.file("scene.json", data));
    let outcome = run(&file, &["--bind", &bind, "--out", "0:1=print", "--json"]).done();
    let json = outcome.json();
    let value = &json["outputs"][0]["value"];
    assert_eq!(value["count"], 3);
    assert_eq!(value["lights"][0]["radius"], "inf");
    assert_eq!(
        value["lights"][1]["position"],
        serde_json::json!([0.5, 0.0, 1000.0])
    );
    assert_eq!(value["tail"], serde_json::json!([-1, 2]));
    assert_eq!(json["outputs"][0]["binding"], "0:1");
    assert_eq!(json["outputs"][0]["name"], "copy");
}

#[test]
fn runtime_sized_arrays_have_the_elements_that_are_given() {
    let (folder, file) = scene("members_runtime");
    let scene = "scene=lights[0].radius=1,lights[1].radius=2";
    let radii = |bind: &str| {
        let outcome = run(
            &file,
            &[
                "--bind",
                scene,
                "--bind",
                bind,
                "--out",
                "open=print",
                "--json",
            ],
        );
        let json = outcome.done().json();
        let lights = json["outputs"][0]["value"].as_array().unwrap().clone();
        lights
            .iter()
            .map(|it| it["radius"].as_f64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(radii("open=[3].radius=10"), [1.0, 2.0, 0.0, 10.0]);
    // The grid accesses two elements.
    assert_eq!(radii("open=[0].radius=10"), [11.0, 2.0]);
    let data = folder.file("open.json", r#"[{}, {}, {"radius": 5}]"#);
    assert_eq!(radii(&format!("open=@{data}")), [1.0, 2.0, 5.0]);
}

#[test]
fn immediates_have_members_too() {
    let folder = Folder::new("members_immediate");
    let file = folder.file(
        "both.wgsl",
        "struct Both { a: u32, b: f32 }
        var<immediate> both: Both;
        @group(0) @binding(0) var<storage, read_write> data: array<f32, 2>;
        @compute @workgroup_size(1) fn main() { data[0] = f32(both.a); data[1] = both.b; }",
    );
    let outcome = run(&file, &["--immediate", "a=3,b=2.5", "--out", "data=print"]);
    assert_eq!(outcome.done().stdout, "data = [3, 2.5]\n");
    run(&file, &["--immediate", "c=3"])
        .failed(2, &["--immediate", "`both`", "no member `c`", "`a`, `b`"]);
    run(&file, &["--immediate", "a=3,b=1,a=4"])
        .failed(2, &["--immediate", "`both`", "`a` is given twice"]);
}

#[test]
fn a_value_that_does_not_fit_is_named_with_its_path() {
    let (folder, file) = scene("members_wrong");
    for (values, words) in [
        (
            "size=1",
            &[
                "0:0",
                "`scene`",
                "Scene has no member `size`",
                "`count`, `lights`, `tail`",
            ][..],
        ),
        (
            "lights[1].colour=1",
            &["`lights[1]`", "Light has no member `colour`", "`radius`"],
        ),
        (
            "lights[2].radius=1",
            &["`lights`", "[2] is out of bounds", "2 elements"],
        ),
        ("count=-1", &["`count`", "`-1` is not a number of type u32"]),
        ("count=1.5", &["`count`", "`1.5`"]),
        ("lights[0].radius=1e39", &["`lights[0].radius`", "f32"]),
        (
            "tail=[1,2,3]",
            &["`tail`", "vec2<i32> takes 2 values, 3 are given"],
        ),
        ("tail=5", &["`tail`", "[2 numbers]"]),
        ("lights=1", &["`lights`", "takes an array"]),
        ("count.x=1", &["`count`", "u32 has no member `x`"]),
    ] {
        let bind = format!("0:0={values}");
        run(&file, &["--bind", &bind]).failed(2, words);
    }
    let bind = "open=[1152921504606846976].radius=1";
    run(&file, &["--bind", bind]).failed(2, &["open", "beyond every buffer"]);
    let bind = "open=[11529215046068469].radius=1";
    run(&file, &["--bind", bind]).failed(2, &["open", "which values can set"]);
    let json = folder.file(
        "wrong.json",
        "{ \"count\": 1, \"lights\": [{}, {\"radius\": true}] }",
    );
    let bind = format!("0:0=@{json}");
    run(&file, &["--bind", &bind]).failed(2, &["wrong.json", "`lights[1].radius`", "`true`"]);
    let text = folder.file("text.json", "{ \"count\": ");
    let bind = format!("0:0=@{text}");
    run(&file, &["--bind", &bind]).failed(2, &["text.json", "line 1"]);
    run(&file, &["--out", "copy=print:2"]).failed(2, &["copy", "print:2", "Scene"]);
}

#[test]
fn types_that_contain_each_other_many_times_over_are_short() {
    let folder = Folder::new("members_huge");
    let mut text = "struct S0 { a: u32 }".to_owned();
    for depth in 1..14 {
        let inner = depth - 1;
        text += &format!("struct S{depth} {{ a: S{inner}, b: array<S{inner}, 2> }}");
    }
    text += "@group(0) @binding(0) var<storage, read_write> v: S13;
        @compute @workgroup_size(1) fn main() { v.a.a.b[1].a.b[0].a.a.a.a.a.a.a.a.a = 1u; }";
    let file = folder.file("huge.wgsl", text);
    let text = anywarp(&["inspect", &file]).done().stdout;
    assert!(text.lines().count() < 120, "{text}");
    let json = anywarp(&["inspect", "--json", &file]).done().stdout;
    assert!(json.len() < 16 << 20 && json.contains("\"truncated\": true"));
}
