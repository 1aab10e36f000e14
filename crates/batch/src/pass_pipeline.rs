//! Compiles the shaders of passes.
//!
//! In: the WGSL of a pass, without the declarations of the batch, and layouts. Out: a compute
//! pipeline, or a [`PassError`] that names shader and entry point. Where the device reports errors
//! at once, which are all native devices, a pipeline that it rejects is such an error too; in a
//! browser it is an uncaptured error of the device.

#![cfg_attr(
    target_arch = "wasm32",
    allow(
        clippy::arc_with_non_send_sync,
        reason = "errors of wgpu can be sent on all machines but browsers, which have one thread"
    )
)]

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::error::{PassError, PassProblem};
use crate::pass_shader::{GuardCheck, PassShader};
use crate::shader_analysis::ShaderAnalysis;
use crate::slots::BatchSlots;

/// The other bind groups of a pass, by index, with their layouts.
#[derive(Debug, Default)]
pub(crate) struct ResolvedGroups {
    pub(crate) layouts: Vec<(u32, wgpu::BindGroupLayout)>,
    #[cfg(feature = "bytemuck")]
    pub(crate) groups: Vec<(u32, wgpu::BindGroup)>,
}

/// A pipeline with the bind groups of its pass.
#[derive(Debug)]
pub(crate) struct CompiledPass {
    pub(crate) pipeline: wgpu::ComputePipeline,
    #[cfg(feature = "bytemuck")]
    pub(crate) bind_groups: Vec<(u32, wgpu::BindGroup)>,
}

impl BatchSlots {
    /// Creates the pipeline of a pass from WGSL, to which the declarations of the batch are added.
    /// The layouts are those of the other bind groups, with their group indices.
    ///
    /// A shader that does not check the guard is rejected, unless it is declared
    /// [unguarded](PassShader::unguarded).
    pub fn pipeline<'a>(
        &self,
        shader: impl Into<PassShader<'a>>,
        entry_point: &str,
        layouts: &[(u32, &wgpu::BindGroupLayout)],
    ) -> Result<wgpu::ComputePipeline, PassError> {
        let compiled = self.compile(&shader.into(), entry_point, |_| {
            let layouts = layouts
                .iter()
                .map(|(group, layout)| (*group, (*layout).clone()));
            Ok(ResolvedGroups {
                layouts: layouts.collect(),
                #[cfg(feature = "bytemuck")]
                groups: Vec::new(),
            })
        })?;
        Ok(compiled.pipeline)
    }

    /// Compiles a pass; `groups` creates its bind groups.
    pub(crate) fn compile(
        &self,
        shader: &PassShader<'_>,
        entry_point: &str,
        groups: impl FnOnce(&ShaderAnalysis) -> Result<ResolvedGroups, PassProblem>,
    ) -> Result<CompiledPass, PassError> {
        let compiled = self.try_compile(shader, entry_point, groups);
        compiled.map_err(|problem| PassError {
            shader: shader.name().to_owned(),
            entry_point: entry_point.to_owned(),
            problem,
        })
    }

    fn try_compile(
        &self,
        shader: &PassShader<'_>,
        entry_point: &str,
        groups: impl FnOnce(&ShaderAnalysis) -> Result<ResolvedGroups, PassProblem>,
    ) -> Result<CompiledPass, PassProblem> {
        let text = shader.with_declarations(&self.wgsl());
        let analysis = ShaderAnalysis::new(&text, entry_point)?;
        if shader.guard() == GuardCheck::Required && !analysis.is_guarded() {
            return Err(PassProblem::Unguarded);
        }
        let scope = self
            .device()
            .push_error_scope(wgpu::ErrorFilter::Validation);
        let created = groups(&analysis).map(|groups| {
            let pipeline = self.create_pipeline(&text, shader.name(), entry_point, &groups.layouts);
            CompiledPass {
                pipeline,
                #[cfg(feature = "bytemuck")]
                bind_groups: groups.groups,
            }
        });
        let rejected = at_once(scope.pop());
        let compiled = created?;
        match rejected {
            None => Ok(compiled),
            Some(error) => Err(PassProblem::Device {
                source: Arc::new(error),
            }),
        }
    }

    fn create_pipeline(
        &self,
        text: &str,
        label: &str,
        entry_point: &str,
        others: &[(u32, wgpu::BindGroupLayout)],
    ) -> wgpu::ComputePipeline {
        let device = self.device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let own = self.bindings().group;
        let all = || others.iter().map(|(group, layout)| (*group, layout));
        let last = all().map(|(group, _)| group).max().unwrap_or(0).max(own);
        let layouts: Vec<_> = (0..=last)
            .map(|group| {
                let mut others = all().filter(|(index, _)| *index == group);
                if group == own {
                    Some(self.bind_group_layout())
                } else {
                    others.next().map(|(_, layout)| layout)
                }
            })
            .collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        })
    }
}

/// The result of a future if it is ready.
fn at_once<T>(future: impl Future<Output = Option<T>>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(found) => found,
        Poll::Pending => None,
    }
}
