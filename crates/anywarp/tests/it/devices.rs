//! Devices by name, and losses as values.

use anywarp::{Device, DeviceError, LostReason, Shader, ShaderError};

#[test]
fn the_cpu_is_found_by_its_names() -> Result<(), DeviceError> {
    let device = Device::find("cpu")?;
    assert_eq!(device.name(), Device::cpu()?.name());
    assert!(device.adapter().is_some_and(anywarp::is_cpu));
    assert!(anywarp::devices().iter().any(anywarp::is_cpu));
    assert!(anywarp::lost_reason(&device).is_none());
    let error = Device::find("no such device").unwrap_err().to_string();
    assert!(
        error.starts_with("no device matches `no such device`; there is `"),
        "{error}"
    );
    Ok(())
}

#[test]
fn a_lost_device_is_an_error_with_a_reason() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn spin() { loop { out[0] += 1u; if out[0] == 0u { break; } } }",
    )?;
    let options = anywarp::adapter::AdapterOptions::default()
        .watchdog(std::time::Duration::from_millis(50))
        .loss_report(anywarp::adapter::LossReport::Log);
    let device = Device::open(&anywarp::adapter::adapter(options))?;
    let mut out = [0_u32];
    let dispatch = shader.only_entry()?.bind("out", &mut out);
    // Four billion turns take longer than the watchdog waits.
    let error = dispatch.dispatch_on(&device, [1, 1, 1]).unwrap_err();
    assert!(
        matches!(error, ShaderError::Device(DeviceError::Lost { .. })),
        "{error}"
    );
    let reason = anywarp::lost_reason(&device).expect("the device is lost");
    let LostReason::Endless(message) = &reason else {
        panic!("{reason:?}");
    };
    assert!(message.contains("endless loop"), "{message}");
    Ok(())
}

#[test]
fn a_device_of_the_caller_keeps_its_own_error_handler() -> Result<(), ShaderError> {
    let adapter = anywarp::adapters::find("cpu").expect("the CPU is always there");
    let request = adapter.request_device(&Default::default());
    let (device, queue) = pollster::block_on(request).expect("the CPU opens");
    device.on_uncaptured_error(std::sync::Arc::new(|error| panic!("{error}")));
    let device = Device::from_wgpu(device, queue);
    let too_large = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1024) fn main() { out[0] = 1u; }";
    let mut out = [0_u32];
    let dispatch = Shader::wgsl(too_large)?.only_entry()?.bind("out", &mut out);
    let error = dispatch.dispatch_on(&device, [1, 1, 1]).unwrap_err();
    assert!(
        matches!(error, ShaderError::Device(DeviceError::Refused { .. })),
        "{error}"
    );
    Ok(())
}
