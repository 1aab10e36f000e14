//! The wgpu devices that the tests run on.

use std::fs::OpenOptions;
use std::io::{Write, stderr};

use anywarp_adapter::AdapterOptions;
use anywarp_wasm::gpu::{Interpreter, InterpreterOptions};

/// Runs a test with an interpreter on every device, and prints the devices to stderr.
pub(crate) fn each(what: &str, test: impl Fn(&mut Interpreter)) {
    each_with(what, InterpreterOptions::default(), test);
}

pub(crate) fn each_with(what: &str, options: InterpreterOptions, test: impl Fn(&mut Interpreter)) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let vulkan = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    if vulkan.is_empty() {
        report_skip(&format!("{what} on Vulkan: no adapter"));
    }
    let cpu = anywarp_adapter::adapter(AdapterOptions::default());
    for adapter in [cpu].iter().chain(&vulkan) {
        let line = format!("{what} on {}\n", adapter.get_info().name);
        let _ = stderr().write_all(line.as_bytes());
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        let interpreter = Interpreter::with_options(device, queue, options);
        test(&mut pollster::block_on(interpreter).unwrap());
    }
}

/// Reports that a test is skipped; if `ANYWARP_SKIP_LOG` is set, in that file too.
fn report_skip(why: &str) {
    let line = format!("SKIPPED: {why}\n");
    let _ = stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(log)
            .unwrap();
        log.write_all(line.as_bytes()).unwrap();
    }
}
