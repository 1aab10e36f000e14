//! The engines of the tests: the virtual machine, and the interpreter on the CPU adapter.

use std::sync::OnceLock;

use anywarp_wasm::{Engine, Module, TranslateError, TranslateOptions};

/// Both engines. The device and its pipelines are created once.
pub(crate) fn both() -> [Engine; 2] {
    static GPU: OnceLock<Engine> = OnceLock::new();
    let gpu = GPU.get_or_init(|| pollster::block_on(on_cpu_adapter()));
    [Engine::vm(), gpu.clone()]
}

/// A module on both engines.
pub(crate) fn modules(
    bytes: &[u8],
    options: &TranslateOptions,
) -> Result<[Module; 2], TranslateError> {
    let [vm, gpu] = both();
    Ok([
        Module::with_options(&vm, bytes, options)?,
        Module::with_options(&gpu, bytes, options)?,
    ])
}

async fn on_cpu_adapter() -> Engine {
    let adapter = anywarp_adapter::adapter(Default::default());
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) = adapter.request_device(&descriptor).await.expect("a device");
    let engine = Engine::gpu_interpreter(device, queue).await;
    engine.expect("an interpreter")
}
