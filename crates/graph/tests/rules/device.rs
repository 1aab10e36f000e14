//! The devices of these tests.

use std::fs::OpenOptions;
use std::io::{Write, stderr};

/// The CPU adapter, and the Vulkan devices of this machine.
pub(crate) fn devices() -> Vec<(wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let vulkan = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    if vulkan.is_empty() {
        skip("no Vulkan device: graphs run on the CPU alone");
    }
    let cpu = anywarp_adapter::adapter(Default::default());
    let adapters = [cpu].into_iter().chain(vulkan);
    adapters.map(|adapter| open(&adapter)).collect()
}

pub(crate) fn cpu() -> (wgpu::Device, wgpu::Queue) {
    open(&anywarp_adapter::adapter(Default::default()))
}

fn open(adapter: &wgpu::Adapter) -> (wgpu::Device, wgpu::Queue) {
    let request = adapter.request_device(&Default::default());
    pollster::block_on(request).unwrap()
}

/// Reports a skipped test where the test harness counts it.
fn skip(why: &str) {
    let line = format!("SKIPPED: {why}\n");
    let _ = stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = OpenOptions::new().create(true).append(true).open(log);
        let _ = log.and_then(|mut log| log.write_all(line.as_bytes()));
    }
}
