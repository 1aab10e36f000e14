//! `anywarp doctor`: what this machine has, what runs as machine code on it, and what to install for the rest.
//!
//! In: the CPU, the adapters of wgpu, programs on the path. Out: one [`Finding`] for each capability. What always
//! holds: machine code and devices count as there only if a kernel with a known result has run on them.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anywarp::{Device, Shader, ShaderError};
use anywarp_adapter::{AdapterOptions, Engine, LossReport, Target};
use serde::Serialize;

use crate::cli::DoctorArgs;
use crate::console;
use crate::error::Error;

/// A shader with a barrier and workgroup memory, whose result is known.
const PROBE: &str = "
    var<workgroup> tile: array<u32, 64>;
    @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
    @compute @workgroup_size(64)
    fn reverse(@builtin(local_invocation_index) index: u32) {
        tile[index] = numbers[index] * 3u;
        workgroupBarrier();
        numbers[index] = tile[63u - index];
    }";

/// Executables of browsers with WebGPU.
const BROWSERS: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// What was found out about one capability.
#[derive(Serialize)]
struct Finding {
    capability: &'static str,
    /// Whether it is there and works.
    works: bool,
    found: String,
    /// What to do if it does not work.
    advice: Option<&'static str>,
}

/// Runs the command.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<(), Error> {
    let mut findings = vec![cpu(), machine_code()];
    findings.extend(drivers());
    findings.extend([cargo(), wasm_target(), browser()]);
    findings.extend(consequences(&findings));
    if args.json {
        return console::json(&findings);
    }
    let lines: Vec<String> = findings.iter().map(text).collect();
    console::result(&lines.join("\n"))
}

fn text(finding: &Finding) -> String {
    let mark = if finding.works { "ok" } else { "--" };
    let advice = match finding.advice {
        Some(advice) => format!("\n{:21}{advice}", ""),
        None => String::new(),
    };
    format!(
        "{mark}  {:<16} {}{advice}",
        finding.capability, finding.found
    )
}

fn cpu() -> Finding {
    let name = Device::cpu().map(|device| device.name().to_owned());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Finding {
        capability: "CPU",
        works: name.is_ok(),
        found: match name {
            Ok(name) => format!("{name}, {threads} threads"),
            Err(error) => error.to_string(),
        },
        advice: None,
    }
}

/// Every instruction set whose code gives the right result.
fn machine_code() -> Finding {
    let tried: Vec<(String, bool)> = Target::all()
        .map(|target| {
            let options = AdapterOptions::default()
                .engine(Engine::Code(target))
                .loss_report(LossReport::Log);
            let name = format!("{} ({} lanes)", target.name(), target.lanes());
            let works = Device::open(&anywarp_adapter::adapter(options))
                .map_err(ShaderError::from)
                .and_then(|device| probe(&device));
            (name, matches!(works, Ok(true)))
        })
        .collect();
    let works = tried.iter().any(|(_, works)| *works);
    let names: Vec<String> = tried
        .into_iter()
        .map(|(name, works)| if works { name } else { format!("{name} fails") })
        .collect();
    Finding {
        capability: "machine code",
        works,
        found: if names.is_empty() {
            "none for this CPU".to_owned()
        } else {
            names.join(", ")
        },
        advice: (!works)
            .then_some("shaders are interpreted; machine code needs x86-64 Unix and AVX2"),
    }
}

/// Every adapter of an installed driver, or the lack of one.
fn drivers() -> Vec<Finding> {
    let adapters = anywarp::adapters::drivers();
    if adapters.is_empty() {
        return vec![Finding {
            capability: "GPU",
            works: false,
            found: "no driver for Vulkan, Metal or DirectX 12".to_owned(),
            advice: Some(
                "install your GPU's driver, or a software one: apt-get install mesa-vulkan-drivers",
            ),
        }];
    }
    let finding = |adapter: &wgpu::Adapter| {
        let info = adapter.get_info();
        let result = Device::open(adapter)
            .map_err(ShaderError::from)
            .and_then(|device| probe(&device));
        let (works, reason) = match result {
            Ok(true) => (true, String::new()),
            Ok(false) => (false, ": gives a wrong result".to_owned()),
            Err(error) => (false, format!(": {error}")),
        };
        Finding {
            capability: "GPU",
            works,
            found: format!("{} ({}, {}){reason}", info.name, info.backend, info.driver),
            advice: None,
        }
    };
    adapters.iter().map(finding).collect()
}

/// Whether a device runs a shader and gives the right result.
fn probe(device: &Device) -> Result<bool, ShaderError> {
    let mut numbers: Vec<u32> = (0..64).collect();
    let shader = Shader::wgsl_named("the probe of `anywarp doctor`", PROBE)?;
    let dispatch = shader.only_entry()?.bind("numbers", &mut numbers);
    dispatch.dispatch_on(device, [1, 1, 1])?;
    Ok(numbers.iter().eq((0..64)
        .rev()
        .map(|number| number * 3)
        .collect::<Vec<u32>>()
        .iter()))
}

fn cargo() -> Finding {
    let output = Command::new("cargo").arg("--version").output();
    let version = output
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok());
    Finding {
        capability: "cargo",
        works: version.is_some(),
        found: version
            .as_deref()
            .unwrap_or("not installed")
            .trim()
            .to_owned(),
        advice: version
            .is_none()
            .then_some("kernels in Rust need a toolchain: https://rustup.rs"),
    }
}

fn wasm_target() -> Finding {
    let works = anywarp_build::has_target();
    Finding {
        capability: "wasm32",
        works,
        found: if works {
            format!("compiles for {}", anywarp_build::TARGET)
        } else {
            "the compiler has no standard library for it".to_owned()
        },
        advice: (!works)
            .then_some("kernels in Rust need it: rustup target add wasm32-unknown-unknown"),
    }
}

fn browser() -> Finding {
    let found = env::var_os("PATH").and_then(|path| {
        let folders: Vec<PathBuf> = env::split_paths(&path).collect();
        let files = BROWSERS
            .iter()
            .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        files.into_iter().find(|file| file.is_file())
    });
    Finding {
        capability: "browser",
        works: found.is_some(),
        found: match &found {
            Some(file) => file.display().to_string(),
            None => "no Chromium on the path".to_owned(),
        },
        advice: found
            .is_none()
            .then_some("only the tests of browser pages need it: apt-get install chromium"),
    }
}

/// What follows for shaders and kernels.
fn consequences(findings: &[Finding]) -> [Finding; 2] {
    let has = |capability: &str| {
        findings
            .iter()
            .any(|finding| finding.capability == capability && finding.works)
    };
    let shaders = if has("machine code") {
        "run as machine code on the CPU"
    } else {
        "are interpreted on the CPU"
    };
    let on_gpu = if has("GPU") { ", and on the GPU" } else { "" };
    let kernels = if has("wasm32") {
        "in Rust can be built; WebAssembly is interpreted on every device"
    } else {
        "in Rust cannot be built here; WebAssembly modules are interpreted on every device"
    };
    [
        Finding {
            capability: "shaders",
            works: has("CPU"),
            found: format!("{shaders}{on_gpu}"),
            advice: None,
        },
        Finding {
            capability: "kernels",
            works: has("wasm32"),
            found: kernels.to_owned(),
            advice: None,
        },
    ]
}
