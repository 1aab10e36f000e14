//! Devices by name, and losses as values.

use std::error::Error;

use anywarp::{Data, Device, DeviceError, DeviceLoss, LostReason, Shader, ShaderError};

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
    // Also the features of other packages, if cargo builds them together, switch on wgpu's back ends.
    if cfg!(not(feature = "drivers")) && anywarp::adapters::drivers().is_empty() {
        let error = Device::find("gpu").unwrap_err();
        assert!(
            matches!(
                error,
                DeviceError::NoDrivers { .. } | DeviceError::NotFound { .. }
            ),
            "{error}"
        );
    }
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
    let ShaderError::Device(DeviceError::Lost { source, .. }) = &error else {
        panic!("{error}");
    };
    let reason = anywarp::lost_reason(&device).expect("the device is lost");
    assert_eq!(*source, DeviceLoss::Cpu(reason.clone()));
    let loss = error.source().and_then(|source| source.downcast_ref());
    assert_eq!(loss, Some(source), "the loss is the error's source");
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
    let ShaderError::Device(DeviceError::Refused { source, .. }) = &error else {
        panic!("{error}");
    };
    let source = source.as_ref().expect("wgpu's error");
    assert!(source.is::<wgpu::Error>(), "{source}");
    Ok(())
}

/// Halves numbers, counts those that are left, and marks the pass that ran last.
const PASSES: &str = "
    @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
    @group(0) @binding(1) var<storage, read_write> counted: atomic<u32>;
    @group(0) @binding(2) var<storage, read_write> spare: array<u32>;
    @compute @workgroup_size(4) fn halve(@builtin(global_invocation_id) id: vec3u) { spare[id.x] = numbers[id.x] / 2u; }
    @compute @workgroup_size(4) fn count(@builtin(global_invocation_id) id: vec3u) {
        if numbers[id.x] > 0u { atomicAdd(&counted, 1u); }
    }
    @compute @workgroup_size(1) fn clear() { atomicStore(&counted, 0u); }";

#[test]
fn entry_points_share_the_resources_of_a_device() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(PASSES)?;
    let device = Device::cpu()?;
    let halve = shader.entry("halve")?.bind("numbers", &[8_u32, 1, 0, 5]);
    let mut halve = halve.bind("spare", Data::zeros(16)).upload(&device)?;
    let count = shader.entry("count")?.bind("counted", Data::zeros(4));
    let mut count = count.upload_beside(&halve)?;
    // `count` alone has `counted`, and passes on what it shares.
    let mut clear = shader.entry("clear")?.upload_beside(&count)?;
    count.enqueue([1, 1, 1])?;
    assert_eq!(clear.read::<u32>("counted")?, [3]);
    halve.enqueue([1, 1, 1])?;
    clear.enqueue([1, 1, 1])?;
    // What `count` has is the buffer that `halve` had for the variable then.
    halve.swap("numbers", "spare")?;
    count.dispatch([1, 1, 1])?;
    assert_eq!(clear.read::<u32>("counted")?, [3]);
    let mut count = shader
        .entry("count")?
        .bind("counted", &[10_u32])
        .upload_beside(&halve)?;
    count.dispatch([1, 1, 1])?;
    assert_eq!(count.read::<u32>("counted")?, [12]);
    assert_eq!(count.read::<u32>("numbers")?, [4, 0, 0, 2]);
    Ok(())
}

#[test]
fn a_variable_that_is_neither_bound_nor_shared_is_an_error() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(PASSES)?;
    let clear = shader.entry("clear")?.bind("counted", Data::zeros(4));
    let clear = clear.upload(&Device::cpu()?)?;
    let error = shader.entry("count")?.upload_beside(&clear).unwrap_err();
    let expected = "variable `numbers` at 0:0 (array<u32>) is not bound; bind a mutable slice";
    assert_eq!(error.to_string(), expected);
    let error = shader
        .entry("clear")?
        .bind("spare", &[1_u32])
        .upload_beside(&clear);
    let message = error.unwrap_err().to_string();
    assert!(message.contains("uses no variable `spare`"), "{message}");
    Ok(())
}

#[test]
fn errors_of_programs_have_their_source() {
    let error = Shader::spirv(&[1, 2, 3, 4]).unwrap_err();
    assert!(matches!(error, ShaderError::Spirv { .. }), "{error}");
    let source = error.source().expect("the reader's error").to_string();
    assert!(error.to_string().ends_with(&source), "{error}: {source}");
}
