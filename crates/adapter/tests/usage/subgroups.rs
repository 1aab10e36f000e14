//! Subgroups through wgpu: the reported size and the size in shaders follow the options.

use anywarp_adapter::{AdapterOptions, Engine, SubgroupSize, Target};

use crate::usage::program::Gpu;

const LANES: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32) {
    subgroupBarrier();
    data[i] = subgroupAdd(1u) * 1000u + size;
}";

#[test]
fn the_size_is_an_option() {
    for size in [4, 8, 16, 32, 64, 128] {
        let options = AdapterOptions::default().subgroup_size(SubgroupSize::new(size));
        let info = anywarp_adapter::adapter(options.clone()).get_info();
        assert_eq!(info.subgroup_min_size, size);
        assert_eq!(info.subgroup_max_size, size);
        let gpu = Gpu::full_with(options);
        let data = gpu.storage(&[0; 64]);
        gpu.run(LANES, &[&data], 1);
        assert_eq!(gpu.read(&data), [size.min(64) * 1000 + size; 64]);
    }
}

/// A size that no vector has would make every kernel with subgroup operations slow.
#[test]
fn the_default_size_is_that_of_the_engines_vectors() {
    let reported = |engine| {
        let options = AdapterOptions::default().engine(engine);
        anywarp_adapter::adapter(options)
            .get_info()
            .subgroup_max_size
    };
    for target in Target::all() {
        assert_eq!(reported(Engine::Code(target)), target.lanes());
    }
    let best = Target::detect().map_or(16, Target::lanes);
    assert_eq!(reported(Engine::Fastest), best);
    assert_eq!(reported(Engine::Interpreter), 16);
}

#[test]
fn a_lane_that_no_device_has_is_refused_where_it_stands() {
    let gpu = Gpu::full();
    let message = gpu.error_of(|| {
        gpu.pipeline(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @compute @workgroup_size(4) fn main() { data[0] = quadBroadcast(1u, 7u); }",
        )
    });
    assert!(message.contains("`quadBroadcast` from lane 7"), "{message}");
}
