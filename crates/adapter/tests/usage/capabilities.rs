//! The reported capabilities of the adapter, and the functions that return it.

use anywarp_adapter::AdapterOptions;

use crate::usage::program::Gpu;

fn is_ours(adapter: &wgpu::Adapter) -> bool {
    let info = adapter.get_info();
    info.device_type == wgpu::DeviceType::Cpu && info.driver == "anywarp" && !info.name.is_empty()
}

#[test]
fn every_way_to_ask_finds_it() {
    let instance = anywarp_adapter::instance();
    let request = |options: &wgpu::RequestAdapterOptions<'_, '_>| {
        pollster::block_on(instance.request_adapter(options)).unwrap()
    };
    assert!(is_ours(&request(&Default::default())));
    for power_preference in [
        wgpu::PowerPreference::LowPower,
        wgpu::PowerPreference::HighPerformance,
    ] {
        assert!(is_ours(&request(&wgpu::RequestAdapterOptions {
            power_preference,
            force_fallback_adapter: true,
            ..Default::default()
        })));
    }
    let all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    assert_eq!(all.len(), 1);
    assert!(is_ours(&all[0]));
    assert!(is_ours(
        &anywarp_adapter::adapter(AdapterOptions::default())
    ));
}

#[test]
fn both_ways_report_the_same() {
    let direct = anywarp_adapter::adapter(AdapterOptions::default());
    let instance = anywarp_adapter::instance();
    let asked = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    assert_eq!(direct.limits(), asked.limits());
    assert_eq!(direct.features(), asked.features());
    assert_eq!(direct.get_info(), asked.get_info());
    assert!(asked.limits().max_buffer_size > 1 << 32, "not clamped");
    assert!(wgpu::Limits::defaults().check_limits(&asked.limits()));
}

#[test]
fn devices_open_with_defaults_and_with_everything() {
    Gpu::new();
    let gpu = Gpu::full();
    assert_eq!(gpu.queue.get_timestamp_period(), 1.0);
}

#[test]
fn more_than_there_is_is_refused_by_name() {
    let adapter = anywarp_adapter::adapter(AdapterOptions::default());
    let open = |descriptor: wgpu::DeviceDescriptor<'_>| {
        let result = pollster::block_on(adapter.request_device(&descriptor));
        result.unwrap_err().to_string()
    };
    for feature in [
        wgpu::Features::SHADER_EARLY_DEPTH_TEST,
        wgpu::Features::SHADER_DRAW_INDEX,
        wgpu::Features::SUBGROUP_VERTEX,
        wgpu::Features::PIPELINE_STATISTICS_QUERY,
        wgpu::Features::PIPELINE_CACHE,
    ] {
        let message = open(wgpu::DeviceDescriptor {
            required_features: feature,
            ..Default::default()
        });
        assert!(message.contains(&feature.to_string()), "{message}");
    }
    let message = open(wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits {
            max_bind_groups: 100,
            ..Default::default()
        },
        ..Default::default()
    });
    assert!(message.contains("max_bind_groups"), "{message}");
}
