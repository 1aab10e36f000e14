//! `anywarp devices`, help and version.

use crate::harness::anywarp;

#[test]
fn ours_comes_first() {
    let text = anywarp(&["devices"]).done().stdout;
    let first: Vec<&str> = text.lines().take(5).collect();
    assert!(first[1].contains("anywarp, CPU"), "{text}");
    for word in [
        "driver",
        "compute",
        "buffers",
        "features",
        "subgroups   of 16",
    ] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn json_has_limits_and_features() {
    let json = anywarp(&["devices", "--json"]).done().json();
    let ours = &json[0];
    assert_eq!(ours["backend"], "anywarp");
    assert_eq!(ours["type"], "CPU");
    assert_eq!(ours["compute"], true);
    assert!(ours["limits"]["max_compute_workgroups_per_dimension"].as_u64() >= Some(65535));
    let features: Vec<&str> = ours["features"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|name| name.as_str())
        .collect();
    assert!(features.contains(&"subgroup") && features.contains(&"subgroup_barrier"));
    assert_eq!(ours["limits"]["subgroup_size"], serde_json::json!([16, 16]));
}

#[test]
fn a_part_of_a_name_is_enough() {
    let json = anywarp(&["devices", "--json"]).done().json();
    let name = json[0]["name"].as_str().unwrap().to_uppercase();
    let part: String = name.chars().take(6).collect();
    let run = [
        "run",
        "examples/matmul.wgsl",
        "--workgroups",
        "0",
        "--json",
        "--device",
        &part,
    ];
    let binds = [
        "--bind",
        "0:0=zeros:4",
        "--bind",
        "0:1=zeros:4",
        "--bind",
        "0:2=zeros:4",
    ];
    let report = anywarp(&[&run[..], &binds].concat()).done().json();
    assert_eq!(report["device"], json[0]["name"]);
}

#[test]
fn help_and_version() {
    let help = anywarp(&["--help"]).done().stdout;
    for word in ["run", "inspect", "translate", "devices", "Exit codes"] {
        assert!(help.contains(word), "{help}");
    }
    let help = anywarp(&["run", "--help"]).done().stdout;
    for word in [
        "zeros:BYTES",
        "fill:TYPE:VALUE:COUNT",
        "sampler[:linear|nearest]",
        "@FILE.json",
        "FILE.png:WxH:heat",
        "--swap",
        "examples/mandelbrot.wgsl",
    ] {
        assert!(help.contains(word), "{help}");
    }
    let version = anywarp(&["--version"]).done().stdout;
    assert!(version.contains(env!("CARGO_PKG_VERSION")));
}
