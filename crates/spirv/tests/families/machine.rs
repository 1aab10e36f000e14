//! Runs translated modules: on the interpreter, and on a Vulkan device for features that it lacks.

use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anywarp_interpret::{Arguments, BufferView, Kernel, Limits, SpuriousFailures, Worker};
use anywarp_program::Program;
use anywarp_spirv::{ReadOptions, read};

use crate::families::assembly::{Case, words};

/// Reports a skipped test.
pub(crate) fn report_skip(why: &str) {
    let line = format!("SKIPPED: {why}\n");
    let _ = stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let file = OpenOptions::new().append(true).create(true).open(log);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("the log of skips can be written");
    }
}

/// The translated module of a case; `None` if no assembler is installed.
pub(crate) fn translated(case: &Case<'_>) -> Option<Program> {
    let Some(bytes) = case.assemble() else {
        report_skip("spirv-as is not installed");
        return None;
    };
    match read(&bytes, &ReadOptions::default()) {
        Ok(reading) => Some(reading.program),
        Err(error) => panic!("{error}\n{}", case.text),
    }
}

/// Runs a case on all available devices, with one invocation per tuple of operands, and passes the results with the
/// device name to a check.
pub(crate) fn everywhere(
    case: &Case<'_>,
    operands: &[Vec<u32>],
    check: impl Fn(&str, &[Vec<u32>]),
) {
    let Some(program) = translated(case) else {
        return;
    };
    let input = operands.concat();
    let output = evaluate_program(&program, &input, operands.len(), case);
    check("the evaluator", &split(case, &output));
    if let Some(gpu) = gpu(wgpu::Features::empty(), case.text) {
        let output = gpu.run_program(&program, &input, operands.len(), case);
        check("Vulkan", &split(case, &output));
    }
}

fn split(case: &Case<'_>, output: &[u32]) -> Vec<Vec<u32>> {
    output
        .chunks(words(case.result))
        .map(<[u32]>::to_vec)
        .collect()
}

fn evaluate_program(program: &Program, input: &[u32], count: usize, case: &Case<'_>) -> Vec<u32> {
    let kernel =
        Kernel::new(program, "main").unwrap_or_else(|error| panic!("{error}: {}", case.text));
    let buffer = |words: &[u32]| words.iter().map(|&word| AtomicU32::new(word)).collect();
    let input: Vec<AtomicU32> = buffer(input);
    let output: Vec<AtomicU32> = buffer(&vec![0; count * words(case.result)]);
    let scratch: Vec<AtomicU32> = buffer(&[0; 64]);
    let views: Vec<_> = (kernel.resources().iter())
        .map(|resource| BufferView {
            words: match resource.binding {
                0 => &input,
                1 => &output,
                _ => &scratch,
            },
        })
        .collect();
    let groups = (count as u32).div_ceil(case.workgroup.max(1));
    let arguments = Arguments {
        buffers: &views,
        immediates: &[],
        textures: &[],
        arrays: &[],
        workgroup_count: [groups, 1, 1],
    };
    // WGSL's weak compare-exchange may fail spuriously; SPIR-V's may not.
    let failures = SpuriousFailures::new(7, 0.5);
    let limits = Limits {
        spurious_failures: Some(&failures),
        ..Default::default()
    };
    let mut worker = Worker::new(&kernel);
    for group in 0..groups {
        worker.run(&arguments, [group, 0, 0], &limits).unwrap();
    }
    output.iter().map(|word| word.load(Relaxed)).collect()
}

/// A Vulkan device.
pub(crate) struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// Features that tests use if the device supports them.
const WANTED: wgpu::Features = wgpu::Features::SHADER_F64
    .union(wgpu::Features::SHADER_F16)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::SUBGROUP_BARRIER)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(wgpu::Features::SHADER_FLOAT32_ATOMIC);

/// The device, if there is one with these features.
pub(crate) fn gpu(needed: wgpu::Features, what: &str) -> Option<&'static Gpu> {
    static GPU: OnceLock<Option<Gpu>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = instance.enumerate_adapters(wgpu::Backends::VULKAN);
        let adapter = pollster::block_on(adapters).into_iter().next()?;
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & WANTED,
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).ok()?;
        Some(Gpu { device, queue })
    });
    let found = gpu
        .as_ref()
        .filter(|gpu| gpu.device.features().contains(needed));
    if found.is_none() {
        report_skip(&format!("{what}: no Vulkan device has {needed:?}"));
    }
    found
}

impl Gpu {
    /// Runs a case with one invocation per tuple of operands.
    pub(crate) fn run(&self, case: &Case<'_>, operands: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
        let program = translated(case)?;
        let output = self.run_program(&program, &operands.concat(), operands.len(), case);
        Some(split(case, &output))
    }

    fn run_program(
        &self,
        program: &Program,
        input: &[u32],
        count: usize,
        case: &Case<'_>,
    ) -> Vec<u32> {
        let module = std::borrow::Cow::Owned(program.module().clone());
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Naga(module),
            });
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                cache: None,
            });
        let size = (count * words(case.result) * 4).max(4) as u64;
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC;
        let buffer = |size, usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let inputs = buffer((input.len() * 4).max(4) as u64, usage);
        self.queue
            .write_buffer(&inputs, 0, bytemuck::cast_slice(input));
        let outputs = buffer(size, usage);
        let scratch = buffer(256, usage);
        let back = buffer(
            size,
            wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        );
        let entry_point = program.entry_point(None).unwrap();
        let entries: Vec<_> = (entry_point.bindings.iter())
            .map(|binding| wgpu::BindGroupEntry {
                binding: binding.binding,
                resource: match binding.binding {
                    0 => inputs.as_entire_binding(),
                    1 => outputs.as_entire_binding(),
                    _ => scratch.as_entire_binding(),
                },
            })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups((count as u32).div_ceil(case.workgroup.max(1)), 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&outputs, 0, &back, 0, size);
        self.queue.submit([encoder.finish()]);
        back.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        let bytes = back.get_mapped_range(..);
        bytemuck::cast_slice(&bytes.unwrap())[..count * words(case.result)].to_vec()
    }
}
