//! Opens the browser's WebGPU device, and reads the adapter's name.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::dom;

/// Why there is no device.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeviceError {
    #[error(
        "This browser has no WebGPU, or the page was not loaded over https. Recent versions of Chrome, Edge, Safari and Firefox have it."
    )]
    NoWebGpu,
    #[error("The browser has WebGPU, but no adapter for this machine.")]
    NoAdapter,
    #[error("The browser refuses a WebGPU device: {0}")]
    Refused(String),
}

pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// The browser's description of the adapter.
    pub(crate) name: String,
}

impl Gpu {
    pub(crate) async fn open() -> Result<Self, DeviceError> {
        let name = adapter_name().await?;
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::BROWSER_WEBGPU;
        let instance = wgpu::Instance::new(descriptor);
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance.request_adapter(&options).await;
        let adapter = adapter.map_err(|_| DeviceError::NoAdapter)?;
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            // Images and reference orbits may exceed the default limits.
            required_limits: wgpu::Limits {
                max_buffer_size: adapter.limits().max_buffer_size,
                max_storage_buffer_binding_size: adapter.limits().max_storage_buffer_binding_size,
                ..Default::default()
            },
            ..Default::default()
        });
        let (device, queue) = request
            .await
            .map_err(|error| DeviceError::Refused(error.to_string()))?;
        Ok(Self {
            device,
            queue,
            name,
        })
    }
}

/// The adapter's name from JavaScript: wgpu provides only the description, which browsers leave empty.
async fn adapter_name() -> Result<String, DeviceError> {
    let navigator = dom::window()
        .map_err(|_| DeviceError::NoWebGpu)?
        .navigator();
    let gpu = get(&navigator, "gpu").ok_or(DeviceError::NoWebGpu)?;
    let request: Option<Function> = get(&gpu, "requestAdapter").and_then(|it| it.dyn_into().ok());
    let promise = request.and_then(|request| request.call0(&gpu).ok());
    let promise: Option<Promise> = promise.and_then(|promise| promise.dyn_into().ok());
    let adapter = JsFuture::from(promise.ok_or(DeviceError::NoWebGpu)?).await;
    let adapter = adapter.ok().filter(|adapter| adapter.is_object());
    let adapter = adapter.ok_or(DeviceError::NoAdapter)?;
    let info = get(&adapter, "info").unwrap_or(JsValue::UNDEFINED);
    let words = ["description", "vendor", "architecture"];
    let words = words.map(|word| get(&info, word).and_then(|word| word.as_string()));
    let words: Vec<_> = words
        .into_iter()
        .flatten()
        .filter(|it| !it.is_empty())
        .collect();
    if words.is_empty() {
        Ok("not named by the browser".to_owned())
    } else {
        Ok(words.join(" "))
    }
}

/// A property, unless it is missing or undefined.
fn get(object: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(object, &name.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}
