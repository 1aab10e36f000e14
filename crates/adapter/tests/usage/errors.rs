//! Errors of a program, as its error scopes see them.

use anywarp_adapter::{AdapterOptions, Engine, Misbehaviour, Schedule};
use wgpu::BufferUsages as Usage;

use crate::usage::program::{DOUBLE, Gpu};

#[test]
fn validation_errors_are_scoped_and_harmless() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[1, 2]);
    let message = gpu.error_of(|| {
        gpu.submit(|encoder| encoder.clear_buffer(&buffer, 0, Some(400)));
    });
    assert!(message.contains("400"), "{message}");
    let pipeline = gpu.pipeline(DOUBLE);
    let message = gpu.error_of(|| {
        gpu.pass(|pass| {
            pass.set_pipeline(&pipeline);
            pass.dispatch_workgroups(1, 1, 1);
        });
    });
    assert!(
        message.contains("BindGroup to be set at index 0"),
        "{message}"
    );
    gpu.run(DOUBLE, &[&buffer], 1);
    assert_eq!(gpu.read(&buffer), [2, 4], "the device is fine");
}

#[test]
fn shader_errors_show_the_source() {
    let gpu = Gpu::new();
    let message = gpu.error_of(|| {
        gpu.shader("@compute @workgroup_size(1) fn main() { let x = 1u + nothing; }");
    });
    assert!(message.contains("nothing"), "{message}");
}

#[test]
fn too_many_workgroups() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(DOUBLE);
    let buffer = gpu.storage(&[1]);
    let group = gpu.group(&pipeline, &[&buffer]);
    let message = gpu.error_of(|| {
        gpu.pass(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(65536, 1, 1);
        });
    });
    assert!(message.contains("65535"), "{message}");
}

#[test]
fn absurd_sizes_are_out_of_memory() {
    let gpu = Gpu::full();
    let message = gpu.error_of(|| {
        gpu.buffer(1 << 40, Usage::STORAGE);
    });
    assert!(message.to_lowercase().contains("memory"), "{message}");
    let message = gpu.error_of(|| {
        gpu.buffer(1 << 41, Usage::STORAGE);
    });
    assert!(message.contains("greater than the maximum"), "{message}");
    assert_eq!(gpu.read(&gpu.storage(&[5])), [5], "the device is fine");
}

#[test]
fn pipeline_constants_that_do_not_fit() {
    let gpu = Gpu::new();
    let shader = gpu.shader(
        "override needed: u32;
         var<private> x: u32;
         @compute @workgroup_size(1) fn main() { x = needed; }",
    );
    let error = |constants: &[(&str, f64)]| {
        gpu.error_of(|| {
            gpu.device
                .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: None,
                    layout: None,
                    module: &shader,
                    entry_point: None,
                    compilation_options: wgpu::PipelineCompilationOptions {
                        constants,
                        ..Default::default()
                    },
                    cache: None,
                })
        })
    };
    for (constants, part) in [
        (&[][..], "needed"),
        (&[("needed", -1.0)], "needed"),
        (&[("needed", 1.0), ("other", 1.0)], "other"),
    ] {
        let message = error(constants);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn bindings_that_are_too_small() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32, 8>;
         @compute @workgroup_size(1) fn main() { data[0] = 1u; }",
    );
    let buffer = gpu.storage(&[0; 4]);
    let message = gpu.error_of(|| {
        gpu.group(&pipeline, &[&buffer]);
    });
    assert!(
        message.contains("16") && message.contains("32"),
        "{message}"
    );
}

/// wgpu-core looks at plain workgroup sizes only.
#[test]
fn workgroups_over_the_limits() {
    let gpu = Gpu::new();
    let error = |wgsl: &str, constants: &[(&str, f64)]| {
        let shader = gpu.shader(wgsl);
        gpu.error_of(|| {
            gpu.device
                .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: None,
                    layout: None,
                    module: &shader,
                    entry_point: None,
                    compilation_options: wgpu::PipelineCompilationOptions {
                        constants,
                        ..Default::default()
                    },
                    cache: None,
                })
        })
    };
    let sized = "override n: u32; @compute @workgroup_size(n, n) fn main() {}";
    let memory = "override n = 4096u; var<workgroup> w: array<u32, n>;
                  @compute @workgroup_size(1) fn main() { w[n - 1] = 1u; }";
    let plain = "var<workgroup> w: array<u32, 4097>;
                 @compute @workgroup_size(1) fn main() { w[0] = 1u; }";
    for (wgsl, constants, part) in [
        (
            sized,
            &[("n", 257.0)][..],
            "over a limit: entry point `main`: workgroup of 257x257x1 invocations, the limit is 256 (max_compute_workgroup_size_x)",
        ),
        (sized, &[("n", 16384.0)], "max_compute_workgroup_size_x"),
        (
            sized,
            &[("n", 17.0)],
            "workgroup of 289 invocations (17x17x1), the limit is 256 (max_compute_invocations_per_workgroup)",
        ),
        (
            memory,
            &[("n", 4097.0)],
            "the limit is 16384 (max_compute_workgroup_storage_size)",
        ),
        (
            plain,
            &[],
            "workgroup memory of 16400 bytes (`w` at test.wgsl:1:1: 16388), the limit",
        ),
    ] {
        let message = error(wgsl, constants);
        assert!(message.contains(part), "{message}");
    }
    drop((
        gpu.pipeline(memory),
        gpu.pipeline(&plain.replace("4097", "4096")),
    ));
}

/// Machine code and the interpreter have the same limit; the error names the option that raises it.
#[test]
fn frame_memory_over_the_limit() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
             var v: array<u32, 10000>;
             v[data[i]] = i; workgroupBarrier(); data[i] = v[i * 7u % 5u];
         }";
    for engine in [Engine::Fastest, Engine::Interpreter] {
        let gpu = |max_frame_bytes| {
            Gpu::full_with(
                AdapterOptions::default()
                    .engine(engine)
                    .max_frame_bytes(max_frame_bytes),
            )
        };
        let tight = gpu(1 << 20);
        let message = tight.error_of(|| {
            tight.pipeline(wgsl);
        });
        for part in [
            "over a limit: entry point `main`: frame memory of 2",
            " bytes on each thread, the limit is 1048576 (max_frame_bytes)",
            "AdapterOptions::max_frame_bytes",
            "--max-frame-memory",
        ] {
            assert!(
                message.contains(part),
                "{engine:?}: no `{part}` in {message}"
            );
        }
        drop(gpu(1 << 22).pipeline(wgsl));
        drop(gpu(AdapterOptions::default().max_frame_bytes).pipeline(wgsl));
    }
}

/// An option that needs the interpreter chooses it when a pipeline is created. So what the interpreter refuses is an
/// error of the pipeline and not of a dispatch, which would lose the device.
#[test]
fn what_the_interpreter_refuses_is_an_error_of_the_pipeline() {
    const LARGE: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(256) fn main() {
            var unused: array<u32, 2000000>;
            workgroupBarrier();
            data[0] = 7u;
        }";
    let interpreted = [
        AdapterOptions::default().engine(Engine::Interpreter),
        AdapterOptions::default().loop_iterations(1000),
        AdapterOptions::default().schedule(Schedule::Random(1)),
        AdapterOptions::default().misbehaviour(Misbehaviour::default()),
    ];
    for options in interpreted {
        let gpu = Gpu::full_with(options);
        let message = gpu.error_of(|| gpu.pipeline(LARGE));
        let refused = "an entry point that needs";
        assert!(message.contains(refused), "{message}");
        assert_eq!(anywarp_adapter::lost_message(&gpu.device), None);
    }
}
