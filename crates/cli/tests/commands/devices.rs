//! `anywarp devices`, help and version.

use std::process::Command;

use anywarp_adapter::Target;

use crate::harness::{anywarp, outcome};

/// The default subgroup size of this machine: the number of vector lanes, or 16 without a code generator.
fn lanes() -> u32 {
    Target::detect().map_or(16, Target::lanes)
}

#[test]
fn ours_comes_first() {
    let text = anywarp(&["devices"]).done().stdout;
    let first: Vec<&str> = text.lines().take(5).collect();
    assert!(first[1].contains("anywarp, CPU"), "{text}");
    let subgroups = format!(
        "subgroups   of {} by default, the lanes of a vector",
        lanes()
    );
    for word in ["driver", "compute", "buffers", "features", &subgroups] {
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
    let size = serde_json::json!([lanes(), lanes()]);
    assert_eq!(ours["limits"]["subgroup_size"], size);
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

/// Mesa's device-select layer prints warnings without a desktop. Without Mesa this tests nothing.
#[test]
fn no_desktop_is_no_message() {
    let devices = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
        for name in [
            "XDG_RUNTIME_DIR",
            "NODEVICE_SELECT",
            "MESA_VK_DEVICE_SELECT",
        ] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied()).arg("devices");
        outcome(&mut command).done()
    };
    assert_eq!(devices(&[]).stderr, "");
    assert_eq!(devices(&[("XDG_RUNTIME_DIR", "")]).stderr, "");
    // The user's setting is kept: here the layer itself prints its list of devices.
    let listed = devices(&[("MESA_VK_DEVICE_SELECT", "list")]);
    let has_layer = std::path::Path::new(LAYER).exists();
    assert_eq!(
        listed.stderr.contains("selectable devices:"),
        has_layer,
        "{}",
        listed.stderr
    );
}

/// The manifest of Mesa's layer on Debian.
const LAYER: &str = "/usr/share/vulkan/implicit_layer.d/VkLayer_MESA_device_select.json";
