//! The compiled tier on the CPU device, against the virtual machine.

mod compare;
mod kernels;
mod official;
mod random;

use std::sync::OnceLock;

use anywarp_adapter::{AdapterOptions, Floats};
use anywarp_wasm::Engine;

/// The compiled tier on the CPU device with strict floats, without a fallback.
pub(crate) fn engine() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE
        .get_or_init(|| pollster::block_on(on_cpu_device()))
        .clone()
}

async fn on_cpu_device() -> Engine {
    let adapter = anywarp_adapter::adapter(AdapterOptions::default().floats(Floats::Strict));
    let descriptor = wgpu::DeviceDescriptor {
        required_features: wgpu::Features::SHADER_INT64 | wgpu::Features::SHADER_F64,
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) = adapter.request_device(&descriptor).await.expect("a device");
    Engine::compiled(device, queue)
}

#[expect(
    clippy::print_stdout,
    reason = "counts of a campaign, with --nocapture"
)]
fn show(text: &str) {
    println!("{text}");
}
