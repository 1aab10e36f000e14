//! The devices that the GPU interpreter is tested on. Pipelines are compiled once for all tests.

use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::sync::OnceLock;

use anywarp_adapter::AdapterOptions;
use anywarp_wasm::gpu::Interpreter;

use super::Kind;
use super::gpu::GpuMachine;

/// Our CPU adapter.
pub(crate) fn cpu_adapter() -> Kind {
    static INTERPRETER: OnceLock<Interpreter> = OnceLock::new();
    let interpreter =
        INTERPRETER.get_or_init(|| on(&anywarp_adapter::adapter(AdapterOptions::default())));
    kind("CPU adapter".to_owned(), interpreter)
}

/// The software driver for Vulkan (lavapipe), if it is installed.
pub(crate) fn lavapipe() -> Option<Kind> {
    static INTERPRETER: OnceLock<Option<Interpreter>> = OnceLock::new();
    let interpreter =
        INTERPRETER.get_or_init(|| vulkan().iter().find(|adapter| is_lavapipe(adapter)).map(on));
    let interpreter = interpreter.as_ref()?;
    Some(kind("lavapipe".to_owned(), interpreter))
}

/// Every available device.
pub(crate) fn all() -> Vec<Kind> {
    let mut kinds = vec![cpu_adapter()];
    kinds.extend(lavapipe());
    for adapter in vulkan().iter().filter(|adapter| !is_lavapipe(adapter)) {
        // Leaked, as those above: it lives as long as the process.
        let interpreter = Box::leak(Box::new(on(adapter)));
        kinds.push(kind(adapter.get_info().name, interpreter));
    }
    kinds
}

fn kind(name: String, interpreter: &'static Interpreter) -> Kind {
    Kind {
        name,
        make: Box::new(move || Box::new(GpuMachine::new(interpreter))),
    }
}

fn vulkan() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN))
}

fn is_lavapipe(adapter: &wgpu::Adapter) -> bool {
    adapter.get_info().device_type == wgpu::DeviceType::Cpu
}

fn on(adapter: &wgpu::Adapter) -> Interpreter {
    let request = adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    });
    let (device, queue) = pollster::block_on(request).expect("a device");
    pollster::block_on(Interpreter::new(device, queue)).expect("an interpreter")
}

/// Reports that a test is skipped; if `ANYWARP_SKIP_LOG` is set, in that file too.
pub(crate) fn report_skip(why: &str) {
    let line = format!("SKIPPED: {why}\n");
    let _ = stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = OpenOptions::new().create(true).append(true).open(log);
        let written = log.and_then(|mut log| log.write_all(line.as_bytes()));
        written.expect("the log of skips");
    }
}
