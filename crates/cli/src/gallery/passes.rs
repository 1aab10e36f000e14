//! Runs shaders of several entry points that share buffers: an algorithm in passes.
//!
//! In: WGSL text, overrides, and the sizes of its buffers by the names of its variables. Out: the buffers after any
//! sequence of passes. What always holds: a pass sees what all earlier ones have written, and every binding of an entry
//! point is a buffer of group 0 that was declared.

use std::collections::BTreeMap;

use anywarp::panics::catch_panic;
use anywarp::{Device, Shader, read_buffer};
use anywarp_program::{EntryPoint, Program};

use super::failure::Failure;

/// Compiled entry points and their buffers on a device.
pub(super) struct Passes<'a> {
    device: &'a Device,
    shader: Shader,
    entries: BTreeMap<String, Entry>,
    buffers: BTreeMap<&'static str, wgpu::Buffer>,
}

struct Entry {
    pipeline: wgpu::ComputePipeline,
    /// Binding number and variable.
    bindings: Vec<(u32, String)>,
}

impl<'a> Passes<'a> {
    /// Compiles all entry points of a shader and creates its buffers, which are zeros.
    pub(super) fn new(
        device: &'a Device,
        name: &str,
        text: &str,
        constants: &[(&str, f64)],
        buffers: &[(&'static str, u64)],
    ) -> Result<Self, Failure> {
        let shader = Shader::wgsl_named(name, text)?;
        let entries = shader
            .entry_points()
            .iter()
            .map(|point| Ok((point.name.clone(), entry(device, text, constants, point)?)))
            .collect::<Result<_, Failure>>()?;
        let buffers = buffers
            .iter()
            .map(|(name, bytes)| (*name, buffer(device, name, *bytes)))
            .collect();
        device.check()?;
        Ok(Self {
            device,
            shader,
            entries,
            buffers,
        })
    }

    /// The program of all passes.
    pub(super) fn program(&self) -> &Program {
        self.shader.program()
    }

    /// Submits passes, each an entry point with its number of workgroups, and waits for them.
    pub(super) fn run(&self, passes: &[(&str, [u32; 2])]) -> Result<(), Failure> {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut compute = encoder.begin_compute_pass(&Default::default());
        for (name, [x, y]) in passes {
            let entry = &self.entries[*name];
            compute.set_pipeline(&entry.pipeline);
            compute.set_bind_group(0, &self.bind(entry), &[]);
            compute.dispatch_workgroups(*x, *y, 1);
        }
        drop(compute);
        self.device.queue().submit([encoder.finish()]);
        Ok(self.device.wait(|| ())?)
    }

    fn bind(&self, entry: &Entry) -> wgpu::BindGroup {
        let entries: Vec<_> = entry
            .bindings
            .iter()
            .map(|(binding, name)| wgpu::BindGroupEntry {
                binding: *binding,
                resource: self.buffers[name.as_str()].as_entire_binding(),
            })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &entry.pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    /// The words of a buffer.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u32>, Failure> {
        let buffer = &self.buffers[name];
        let bytes = read_buffer(self.device, buffer, buffer.size())?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

fn entry(
    device: &Device,
    text: &str,
    constants: &[(&str, f64)],
    point: &EntryPoint,
) -> Result<Entry, Failure> {
    // naga's back ends run here, and they panic on input that they do not support.
    let made = catch_panic(|| {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&point.name),
            layout: None,
            module: &module,
            entry_point: Some(&point.name),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                ..Default::default()
            },
            cache: None,
        })
    });
    device.check()?;
    let bindings = point.bindings.iter();
    Ok(Entry {
        pipeline: made.map_err(|panic| device.refused(panic))?,
        bindings: bindings
            .map(|binding| (binding.binding, binding.name.clone()))
            .collect(),
    })
}

/// A storage buffer of zeros that can be read back.
pub(super) fn buffer(device: &Device, name: &str, bytes: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(name),
        size: bytes,
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
