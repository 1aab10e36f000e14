//! The buffers of a launch: uploads the resources, runs the kernel, and reads back what it wrote.

use std::borrow::Cow;

use wgpu::BufferUsages as Usage;

use crate::compile::{BindingRole, CompiledKernel, ParamWord};
use crate::runtime::{Gpu, Grid, Launch, LaunchError, Resources};

use super::kernel::KernelPipeline;
use super::{NotCompiled, RunError};

/// The buffers of a launch, one for each binding of the kernel.
pub(super) struct Buffers {
    buffers: Vec<wgpu::Buffer>,
    /// Words that the caller sees of each buffer.
    words: Vec<u64>,
}

/// The first contents of a buffer.
enum Contents<'a> {
    Words(Cow<'a, [u32]>),
    /// Zeros.
    Zeros(u64),
}

impl Buffers {
    /// Creates and fills the buffers.
    pub(super) fn new(
        gpu: &Gpu,
        pipeline: &KernelPipeline,
        launch: &Launch,
        grid: &Grid,
        resources: &Resources,
    ) -> Result<Self, RunError> {
        check_grid(gpu, grid)?;
        let kernel = &pipeline.kernel;
        let (mut buffers, mut words) = (Vec::new(), Vec::new());
        for binding in &kernel.bindings {
            let contents = contents(kernel, &binding.role, launch, grid, resources)?;
            let count = match &contents {
                Contents::Words(words) => words.len() as u64,
                Contents::Zeros(count) => *count,
            };
            let bytes = count.saturating_mul(4);
            let limit = gpu.max_buffer_bytes();
            if bytes > limit {
                let what = format!("{} takes {bytes} bytes", name(&binding.role));
                return Err(NotCompiled::Limit { what, limit }.into());
            }
            if count == 0 {
                let what = name(&binding.role);
                return Err(NotCompiled::Empty { what }.into());
            }
            let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("wasm kernel"),
                size: bytes,
                usage: Usage::STORAGE | Usage::UNIFORM | Usage::COPY_DST | Usage::COPY_SRC,
                mapped_at_creation: false,
            });
            if let Contents::Words(words) = &contents {
                gpu.write(&buffer, 0, words);
            }
            buffers.push(buffer);
            words.push(count);
        }
        Ok(Self { buffers, words })
    }

    /// Runs the kernel. Writes the changed resources back, and returns the status words.
    pub(super) async fn run(
        &self,
        gpu: &Gpu,
        pipeline: &KernelPipeline,
        grid: &Grid,
        resources: &mut Resources,
    ) -> Result<Vec<u32>, LaunchError> {
        let kernel = &pipeline.kernel;
        let mut encoder = gpu.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline.pipeline);
        for (number, group) in (0..).zip(self.groups(gpu, pipeline)) {
            pass.set_bind_group(number, group.as_ref(), &[]);
        }
        let [x, y, z] = grid.workgroups;
        pass.dispatch_workgroups(x, y, z);
        drop(pass);
        let written = kernel.bindings.iter().zip(&self.buffers).zip(&self.words);
        let written: Vec<_> = written
            .filter(|((binding, _), _)| binding.written)
            .filter(|((binding, _), _)| !matches!(binding.role, BindingRole::Linear { .. }))
            .collect();
        let ranges: Vec<_> = written
            .iter()
            .map(|((_, buffer), words)| (*buffer, 0, **words))
            .collect();
        let words = gpu.read(encoder, &ranges).await?;
        let mut status = Vec::new();
        let mut rest = words.as_slice();
        for ((binding, _), count) in written {
            let (own, others) = rest.split_at((*count as usize).min(rest.len()));
            rest = others;
            match &binding.role {
                BindingRole::Status => status = own.to_vec(),
                role => write_back(role, own, resources),
            }
        }
        Ok(status)
    }

    fn groups(&self, gpu: &Gpu, pipeline: &KernelPipeline) -> Vec<Option<wgpu::BindGroup>> {
        let bindings = &pipeline.kernel.bindings;
        let group = |number: u32, layout: &wgpu::BindGroupLayout| {
            let bound = bindings.iter().zip(&self.buffers);
            let entries: Vec<_> = bound
                .filter(|(binding, _)| binding.group == number)
                .map(|(binding, buffer)| wgpu::BindGroupEntry {
                    binding: binding.binding,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("wasm kernel"),
                layout,
                entries: &entries,
            })
        };
        (0..)
            .zip(&pipeline.layouts)
            .map(|(number, layout)| layout.as_ref().map(|layout| group(number, layout)))
            .collect()
    }
}

fn check_grid(gpu: &Gpu, grid: &Grid) -> Result<(), NotCompiled> {
    let limit = gpu.device.limits().max_compute_workgroups_per_dimension;
    match grid.workgroups.iter().find(|&&count| count > limit) {
        Some(count) => Err(NotCompiled::Limit {
            what: format!("{count} workgroups in one dimension"),
            limit: u64::from(limit),
        }),
        None => Ok(()),
    }
}

/// What a binding is, in messages.
fn name(role: &BindingRole) -> String {
    match role {
        BindingRole::Buffer { group, binding } => format!("the buffer at {group}:{binding}"),
        BindingRole::Params => "the parameter buffer".to_owned(),
        BindingRole::Status => "the status of all threads".to_owned(),
        BindingRole::Data(_) => "static data".to_owned(),
        BindingRole::State => "the state".to_owned(),
        BindingRole::Input => "the input".to_owned(),
        BindingRole::Pixels => "the picture".to_owned(),
        BindingRole::Linear { .. } => "the linear memory of all threads".to_owned(),
    }
}

fn contents<'a>(
    kernel: &CompiledKernel,
    role: &'a BindingRole,
    launch: &Launch,
    grid: &Grid,
    resources: &'a Resources,
) -> Result<Contents<'a>, NotCompiled> {
    let threads = u64::from(grid.groups()) * u64::from(grid.group_threads());
    Ok(match role {
        BindingRole::Buffer { group, binding } => {
            let place = (*group as u16, *binding as u16);
            let words = resources.buffers.get(&place).map_or(&[][..], Vec::as_slice);
            Contents::Words(Cow::Borrowed(words))
        }
        BindingRole::Params => Contents::Words(Cow::Owned(params(kernel, launch, grid, resources))),
        BindingRole::Status => {
            let each = kernel.status.map_or(0, |layout| layout.words());
            Contents::Zeros(threads * u64::from(each))
        }
        BindingRole::Data(words) => Contents::Words(Cow::Borrowed(words)),
        BindingRole::State => Contents::Words(Cow::Borrowed(&resources.state)),
        BindingRole::Input => Contents::Words(Cow::Borrowed(&resources.input)),
        BindingRole::Pixels => match &resources.picture {
            Some(picture) => {
                let pixels = bytemuck::cast_slice(picture.pixels.as_flattened());
                Contents::Words(Cow::Borrowed(pixels))
            }
            None => Contents::Words(Cow::Borrowed(&[])),
        },
        BindingRole::Linear { words } => Contents::Zeros(threads * u64::from(*words)),
    })
}

fn params(
    kernel: &CompiledKernel,
    launch: &Launch,
    grid: &Grid,
    resources: &Resources,
) -> Vec<u32> {
    let picture = resources.picture.as_ref();
    let word = |param: &ParamWord| match *param {
        ParamWord::Threads => grid.threads,
        ParamWord::Time => resources.clock.to_bits(),
        ParamWord::PictureWidth => picture.map_or(0, |picture| picture.width),
        ParamWord::PictureHeight => picture.map_or(0, |picture| picture.height),
        ParamWord::Argument { index, word } => launch
            .args
            .get(index as usize)
            .map_or(0, |value| (value.bits() >> (32 * word)) as u32),
    };
    kernel.params.iter().map(word).collect()
}

fn write_back(role: &BindingRole, words: &[u32], resources: &mut Resources) {
    match role {
        BindingRole::Buffer { group, binding } => {
            let place = (*group as u16, *binding as u16);
            if let Some(buffer) = resources.buffers.get_mut(&place) {
                buffer.copy_from_slice(words);
            }
        }
        BindingRole::State => resources.state.copy_from_slice(words),
        BindingRole::Pixels => {
            if let Some(picture) = &mut resources.picture {
                let pixels = picture.pixels.as_flattened_mut();
                for (pixel, word) in pixels.iter_mut().zip(words) {
                    *pixel = f32::from_bits(*word);
                }
            }
        }
        BindingRole::Params
        | BindingRole::Status
        | BindingRole::Data(_)
        | BindingRole::Input
        | BindingRole::Linear { .. } => {}
    }
}
