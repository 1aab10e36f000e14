//! `anywarp devices`: lists every adapter with its limits and features.

use std::fmt::Write;

use anywarp_adapter::is_cpu;
use serde::Serialize;

use super::select;
use crate::cli::DevicesArgs;
use crate::console;
use crate::error::Error;

/// One adapter, as `--json` prints it.
#[derive(Serialize)]
struct DeviceReport {
    name: String,
    backend: String,
    #[serde(rename = "type")]
    kind: &'static str,
    driver: String,
    /// Whether `anywarp run` supports it.
    compute: bool,
    /// Whether it is the embedded CPU device.
    #[serde(skip)]
    is_cpu: bool,
    limits: LimitReport,
    features: Vec<String>,
}

#[derive(Serialize)]
struct LimitReport {
    max_buffer_size: u64,
    max_storage_buffer_binding_size: u64,
    max_uniform_buffer_binding_size: u64,
    max_bind_groups: u32,
    max_storage_buffers_per_shader_stage: u32,
    max_immediate_size: u32,
    max_compute_workgroups_per_dimension: u32,
    max_compute_invocations_per_workgroup: u32,
    max_compute_workgroup_size: [u32; 3],
    max_compute_workgroup_storage_size: u32,
    /// The smallest and the largest subgroup size, if the device has subgroups.
    subgroup_size: Option<[u32; 2]>,
}

/// Runs the command.
pub(crate) fn devices(args: &DevicesArgs) -> Result<(), Error> {
    let reports: Vec<DeviceReport> = select::all().iter().map(report).collect();
    if args.json {
        return console::json(&reports);
    }
    let texts: Vec<String> = reports.iter().map(text).collect();
    console::result(&texts.join("\n\n"))
}

fn report(adapter: &wgpu::Adapter) -> DeviceReport {
    let info = adapter.get_info();
    let limits = adapter.limits();
    let downlevel = adapter.get_downlevel_capabilities().flags;
    DeviceReport {
        backend: backend_name(adapter),
        kind: match info.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete GPU",
            wgpu::DeviceType::IntegratedGpu => "integrated GPU",
            wgpu::DeviceType::VirtualGpu => "virtual GPU",
            wgpu::DeviceType::Cpu => "CPU",
            wgpu::DeviceType::Other => "other",
        },
        driver: format!("{} {}", info.driver, info.driver_info)
            .trim()
            .to_owned(),
        name: info.name,
        is_cpu: is_cpu(adapter),
        compute: downlevel.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS),
        limits: LimitReport {
            max_buffer_size: limits.max_buffer_size,
            max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
            max_uniform_buffer_binding_size: limits.max_uniform_buffer_binding_size,
            max_bind_groups: limits.max_bind_groups,
            max_storage_buffers_per_shader_stage: limits.max_storage_buffers_per_shader_stage,
            max_immediate_size: limits.max_immediate_size,
            max_compute_workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
            max_compute_invocations_per_workgroup: limits.max_compute_invocations_per_workgroup,
            max_compute_workgroup_size: [
                limits.max_compute_workgroup_size_x,
                limits.max_compute_workgroup_size_y,
                limits.max_compute_workgroup_size_z,
            ],
            max_compute_workgroup_storage_size: limits.max_compute_workgroup_storage_size,
            subgroup_size: adapter
                .features()
                .contains(wgpu::Features::SUBGROUP)
                .then_some([info.subgroup_min_size, info.subgroup_max_size]),
        },
        features: adapter
            .features()
            .iter_names()
            .map(|(name, _)| name.to_lowercase())
            .collect(),
    }
}

/// The name of the backend. The CPU device reports wgpu's no-op backend, which would suggest that it does nothing.
fn backend_name(adapter: &wgpu::Adapter) -> String {
    if is_cpu(adapter) {
        "anywarp".to_owned()
    } else {
        adapter.get_info().backend.to_string()
    }
}

fn text(report: &DeviceReport) -> String {
    let limits = &report.limits;
    let [x, y, z] = limits.max_compute_workgroup_size;
    let mut text = format!("{}\n", report.name);
    let mut line = |name: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<11} {value}");
    };
    line("backend", format!("{}, {}", report.backend, report.kind));
    line("driver", report.driver.clone());
    line(
        "compute",
        if !report.compute {
            "none".to_owned()
        } else {
            format!(
                "up to {} workgroups per dimension, {} invocations in {x}x{y}x{z}, {} of workgroup memory",
                limits.max_compute_workgroups_per_dimension,
                limits.max_compute_invocations_per_workgroup,
                bytes(u64::from(limits.max_compute_workgroup_storage_size)),
            )
        },
    );
    line(
        "buffers",
        format!(
            "up to {}, bound as storage {} ({} per stage), as uniform {}",
            bytes(limits.max_buffer_size),
            bytes(limits.max_storage_buffer_binding_size),
            limits.max_storage_buffers_per_shader_stage,
            bytes(limits.max_uniform_buffer_binding_size),
        ),
    );
    line(
        "subgroups",
        match limits.subgroup_size {
            None => "none".to_owned(),
            Some([lanes, most]) if lanes == most && report.is_cpu => {
                format!(
                    "of {lanes} by default, the lanes of a vector here; --subgroup-size sets it"
                )
            }
            Some([least, most]) if least == most => format!("of {least}"),
            Some([least, most]) => format!("of {least} to {most}"),
        },
    );
    line("features", compute_features(&report.features));
    text.trim_end().to_owned()
}

/// Prefixes of the names of features that matter to compute programs.
const BEGINNINGS: [&str; 6] = [
    "shader_",
    "subgroup",
    "timestamp",
    "immediates",
    "texture_",
    "mappable",
];

/// Substrings of the names of features that matter to compute programs.
const PARTS: [&str; 5] = [
    "binding_array",
    "non_uniform",
    "bgra8",
    "clear_texture",
    "stencil8",
];

/// The features that matter to compute programs; the JSON output lists all.
fn compute_features(features: &[String]) -> String {
    let shown: Vec<&str> = features
        .iter()
        .map(String::as_str)
        .filter(|name| {
            let begins = |part: &&str| name.starts_with(*part);
            let contains = |part: &&str| name.contains(*part);
            BEGINNINGS.iter().any(begins) || PARTS.iter().any(contains)
        })
        .filter(|name| !name.starts_with("texture_compression"))
        .collect();
    if shown.is_empty() {
        "the basic set".to_owned()
    } else {
        shown.join(", ")
    }
}

/// A size in the largest unit in which it is at least one, with at most one decimal place.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let text = format!("{value:.1}");
    format!("{} {}", text.trim_end_matches(".0"), UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_read_well() {
        assert_eq!(bytes(12), "12 bytes");
        assert_eq!(bytes(16384), "16 KiB");
        assert_eq!(bytes(1 << 27), "128 MiB");
        assert_eq!(bytes((1 << 32) - 1), "4 GiB");
        assert_eq!(bytes(1 << 62), "4194304 TiB");
    }
}
