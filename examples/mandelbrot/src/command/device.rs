//! Selects and opens the device of `--device`.

use anywarp_adapter::AdapterOptions;

use super::error::Error;

/// A device with its name.
pub(crate) struct Device {
    pub(crate) name: String,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

/// Opens a device: `cpu` is the CPU adapter, `gpu` the best installed driver, any other text a part of a device name,
/// case-insensitively.
pub(crate) fn open(wanted: &str) -> Result<Device, Error> {
    let ours = anywarp_adapter::adapter(AdapterOptions::default());
    let adapter = match wanted {
        "cpu" => Some(ours.clone()),
        "gpu" => drivers().into_iter().next(),
        _ => std::iter::once(ours.clone())
            .chain(drivers())
            .find(|adapter| {
                name(adapter)
                    .to_lowercase()
                    .contains(&wanted.to_lowercase())
            }),
    };
    let adapter = adapter.ok_or_else(|| {
        let names = std::iter::once(ours).chain(drivers());
        let names: Vec<_> = names.map(|it| format!("`{}`", name(&it))).collect();
        Error::NoDevice {
            wanted: wanted.to_owned(),
            available: names.join(", "),
        }
    })?;
    let request = adapter.request_device(&wgpu::DeviceDescriptor {
        // With this feature, batches need fewer copies.
        required_features: adapter.features() & wgpu::Features::MAPPABLE_PRIMARY_BUFFERS,
        required_limits: adapter.limits(),
        ..Default::default()
    });
    let name = name(&adapter);
    match pollster::block_on(request) {
        Ok((device, queue)) => Ok(Device {
            name,
            device,
            queue,
        }),
        Err(error) => Err(Error::DeviceUnavailable {
            device: name,
            reason: error.to_string(),
        }),
    }
}

fn name(adapter: &wgpu::Adapter) -> String {
    adapter.get_info().name
}

/// Adapters of the installed drivers, hardware before software.
fn drivers() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    adapters
}
