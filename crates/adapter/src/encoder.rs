//! The HAL command encoder: it records commands and runs none.
//!
//! wgpu-core begins and ends the same encoder several times; each time gives one command buffer. Only the order of
//! submission matters.

use std::ops::Range;
use std::sync::Arc;

use wgpu::{hal, wgt};

use crate::api::Api;
use crate::command::{Command, CommandBuffer, Recording};
use crate::render_pass;
use crate::resources::{BindGroup, Buffer, ComputePipeline, PipelineLayout, QuerySet};
use crate::texture::{Texture, TextureView};
use crate::texture_command::TextureCommand;
use crate::unsupported_resource::{UnsupportedResource, unsupported};

const RENDERING: &str = "rendering";
const MESH_SHADERS: &str = "mesh shading";
const RAY_TRACING: &str = "ray tracing";

/// A recording in progress.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    recording: Recording,
    /// The timestamp that the end of the current pass writes.
    end_of_pass: Option<(QuerySet, u32)>,
    /// What the end of the current render pass does.
    resolves: Vec<TextureCommand>,
}

impl Encoder {
    fn push(&mut self, command: Command) {
        self.recording.commands.push(command);
    }

    fn timestamp(&mut self, queries: QuerySet, index: u32) {
        self.push(Command::WriteTimestamp { queries, index });
    }

    fn begin_timing(&mut self, writes: Option<&hal::PassTimestampWrites<'_, QuerySet>>) {
        let Some(writes) = writes else {
            return;
        };
        if let Some(index) = writes.beginning_of_pass_write_index {
            self.timestamp(writes.query_set.clone(), index);
        }
        let end = writes.end_of_pass_write_index;
        self.end_of_pass = end.map(|index| (writes.query_set.clone(), index));
    }

    fn end_timing(&mut self) {
        if let Some((queries, index)) = self.end_of_pass.take() {
            self.timestamp(queries, index);
        }
    }
}

impl hal::CommandEncoder for Encoder {
    type A = Api;

    unsafe fn begin_encoding(&mut self, _: hal::Label<'_>) -> Result<(), hal::DeviceError> {
        Ok(())
    }

    unsafe fn discard_encoding(&mut self) {
        self.recording = Recording::default();
        self.end_of_pass = None;
        self.resolves.clear();
    }

    unsafe fn end_encoding(&mut self) -> Result<CommandBuffer, hal::DeviceError> {
        Ok(CommandBuffer {
            recording: Arc::new(std::mem::take(&mut self.recording)),
        })
    }

    unsafe fn reset_all<I>(&mut self, _: I)
    where
        I: Iterator<Item = CommandBuffer>,
    {
    }

    // Commands run one after the other and memory is coherent: barriers do nothing.
    unsafe fn transition_buffers<'a, T>(&mut self, _: T)
    where
        T: Iterator<Item = hal::BufferBarrier<'a, Buffer>>,
    {
    }

    unsafe fn transition_textures<'a, T>(&mut self, _: T)
    where
        T: Iterator<Item = hal::TextureBarrier<'a, Texture>>,
    {
    }

    unsafe fn clear_buffer(&mut self, buffer: &Buffer, range: hal::MemoryRange) {
        let buffer = buffer.clone();
        self.push(Command::ClearBuffer { buffer, range });
    }

    unsafe fn copy_buffer_to_buffer<T>(&mut self, source: &Buffer, target: &Buffer, regions: T)
    where
        T: Iterator<Item = hal::BufferCopy>,
    {
        for region in regions {
            self.push(Command::CopyBuffer {
                source: source.clone(),
                target: target.clone(),
                region,
            });
        }
    }

    unsafe fn copy_texture_to_texture<T>(
        &mut self,
        source: &Texture,
        _: wgt::TextureUses,
        target: &Texture,
        regions: T,
    ) where
        T: Iterator<Item = hal::TextureCopy>,
    {
        for region in regions {
            self.push(Command::Texture(TextureCommand::Copy {
                source: source.clone(),
                target: target.clone(),
                region,
            }));
        }
    }

    unsafe fn copy_buffer_to_texture<T>(&mut self, source: &Buffer, target: &Texture, regions: T)
    where
        T: Iterator<Item = hal::BufferTextureCopy>,
    {
        for region in regions {
            self.push(Command::Texture(TextureCommand::FromBuffer {
                source: source.clone(),
                target: target.clone(),
                region,
            }));
        }
    }

    unsafe fn copy_texture_to_buffer<T>(
        &mut self,
        source: &Texture,
        _: wgt::TextureUses,
        target: &Buffer,
        regions: T,
    ) where
        T: Iterator<Item = hal::BufferTextureCopy>,
    {
        for region in regions {
            self.push(Command::Texture(TextureCommand::ToBuffer {
                source: source.clone(),
                target: target.clone(),
                region,
            }));
        }
    }

    unsafe fn copy_acceleration_structure_to_acceleration_structure(
        &mut self,
        source: &UnsupportedResource,
        _: &UnsupportedResource,
        _: wgt::AccelerationStructureCopy,
    ) {
        match *source {}
    }

    unsafe fn set_bind_group(
        &mut self,
        _: &PipelineLayout,
        index: u32,
        group: &BindGroup,
        dynamic_offsets: &[wgt::DynamicOffset],
    ) {
        let dynamic_offsets = self.recording.keep(dynamic_offsets);
        self.push(Command::SetBindGroup {
            index,
            group: group.clone(),
            dynamic_offsets,
        });
    }

    unsafe fn set_immediates(&mut self, _: &PipelineLayout, offset_bytes: u32, data: &[u32]) {
        let values = self.recording.keep(data);
        let offset = offset_bytes as usize / 4;
        self.push(Command::SetImmediates { offset, values });
    }

    unsafe fn insert_debug_marker(&mut self, _: &str) {}

    unsafe fn begin_debug_marker(&mut self, group_label: &str) {
        self.push(Command::PushDebugGroup(group_label.into()));
    }

    unsafe fn end_debug_marker(&mut self) {
        self.push(Command::PopDebugGroup);
    }

    // Nothing is drawn, so occlusion queries count 0 samples.
    unsafe fn begin_query(&mut self, queries: &QuerySet, index: u32) {
        self.push(Command::ResetQueries {
            queries: queries.clone(),
            range: index..index + 1,
        });
    }

    unsafe fn end_query(&mut self, _: &QuerySet, _: u32) {}

    unsafe fn write_timestamp(&mut self, queries: &QuerySet, index: u32) {
        self.timestamp(queries.clone(), index);
    }

    unsafe fn reset_queries(&mut self, queries: &QuerySet, range: Range<u32>) {
        let queries = queries.clone();
        self.push(Command::ResetQueries { queries, range });
    }

    unsafe fn copy_query_results(
        &mut self,
        queries: &QuerySet,
        range: Range<u32>,
        target: &Buffer,
        offset: wgt::BufferAddress,
        stride: wgt::BufferSize,
    ) {
        self.push(Command::CopyQueryResults {
            queries: queries.clone(),
            range,
            target: target.clone(),
            offset,
            stride: stride.get(),
        });
    }

    unsafe fn begin_compute_pass(&mut self, descriptor: &hal::ComputePassDescriptor<'_, QuerySet>) {
        self.push(Command::BeginComputePass);
        self.begin_timing(descriptor.timestamp_writes.as_ref());
    }

    unsafe fn end_compute_pass(&mut self) {
        self.end_timing();
    }

    unsafe fn set_compute_pipeline(&mut self, pipeline: &ComputePipeline) {
        self.push(Command::SetPipeline(pipeline.clone()));
    }

    unsafe fn dispatch_workgroups(&mut self, count: [u32; 3]) {
        self.push(Command::Dispatch(count));
    }

    unsafe fn dispatch_workgroups_indirect(&mut self, buffer: &Buffer, offset: wgt::BufferAddress) {
        let buffer = buffer.clone();
        self.push(Command::DispatchIndirect { buffer, offset });
    }

    unsafe fn begin_render_pass(
        &mut self,
        descriptor: &hal::RenderPassDescriptor<'_, QuerySet, TextureView>,
    ) -> Result<(), hal::DeviceError> {
        self.begin_timing(descriptor.timestamp_writes.as_ref());
        for command in render_pass::clears(descriptor) {
            self.push(Command::Texture(command));
        }
        self.resolves = render_pass::resolves(descriptor);
        Ok(())
    }

    unsafe fn end_render_pass(&mut self) {
        for command in std::mem::take(&mut self.resolves) {
            self.push(Command::Texture(command));
        }
        self.end_timing();
    }

    unsafe fn set_render_pipeline(&mut self, pipeline: &UnsupportedResource) {
        match *pipeline {}
    }

    // A pass may set these and draw nothing.
    unsafe fn set_index_buffer<'a>(
        &mut self,
        _: hal::BufferBinding<'a, Buffer>,
        _: wgt::IndexFormat,
    ) {
    }

    unsafe fn set_vertex_buffer<'a>(&mut self, _: u32, _: hal::BufferBinding<'a, Buffer>) {}

    unsafe fn set_viewport(&mut self, _: &hal::Rect<f32>, _: Range<f32>) {}

    unsafe fn set_scissor_rect(&mut self, _: &hal::Rect<u32>) {}

    unsafe fn set_stencil_reference(&mut self, _: u32) {}

    unsafe fn set_blend_constants(&mut self, _: &[f32; 4]) {}

    // Without a pipeline, wgpu-core refuses to draw.
    unsafe fn draw(&mut self, _: u32, _: u32, _: u32, _: u32) {
        unsupported(RENDERING)
    }

    unsafe fn draw_indexed(&mut self, _: u32, _: u32, _: i32, _: u32, _: u32) {
        unsupported(RENDERING)
    }

    unsafe fn draw_indirect(&mut self, _: &Buffer, _: wgt::BufferAddress, _: u32) {
        unsupported(RENDERING)
    }

    unsafe fn draw_indexed_indirect(&mut self, _: &Buffer, _: wgt::BufferAddress, _: u32) {
        unsupported(RENDERING)
    }

    unsafe fn draw_indirect_count(
        &mut self,
        _: &Buffer,
        _: wgt::BufferAddress,
        _: &Buffer,
        _: wgt::BufferAddress,
        _: u32,
    ) {
        unsupported(RENDERING)
    }

    unsafe fn draw_indexed_indirect_count(
        &mut self,
        _: &Buffer,
        _: wgt::BufferAddress,
        _: &Buffer,
        _: wgt::BufferAddress,
        _: u32,
    ) {
        unsupported(RENDERING)
    }

    unsafe fn draw_mesh_tasks(&mut self, _: u32, _: u32, _: u32) {
        unsupported(MESH_SHADERS)
    }

    unsafe fn draw_mesh_tasks_indirect(&mut self, _: &Buffer, _: wgt::BufferAddress, _: u32) {
        unsupported(MESH_SHADERS)
    }

    unsafe fn draw_mesh_tasks_indirect_count(
        &mut self,
        _: &Buffer,
        _: wgt::BufferAddress,
        _: &Buffer,
        _: wgt::BufferAddress,
        _: u32,
    ) {
        unsupported(MESH_SHADERS)
    }

    unsafe fn begin_ray_tracing_pass(&mut self, _: &hal::RayTracingPassDescriptor<'_>) {
        unsupported(RAY_TRACING)
    }

    unsafe fn end_ray_tracing_pass(&mut self) {
        unsupported(RAY_TRACING)
    }

    unsafe fn set_ray_tracing_pipeline(&mut self, pipeline: &UnsupportedResource) {
        match *pipeline {}
    }

    unsafe fn trace_rays<'a>(
        &mut self,
        _: [u32; 3],
        _: hal::PipelineGroupData<'a, Buffer>,
        _: hal::PipelineGroupData<'a, Buffer>,
        _: hal::PipelineGroupData<'a, Buffer>,
    ) {
        unsupported(RAY_TRACING)
    }

    unsafe fn build_acceleration_structures<'a, T>(&mut self, _: u32, _: T)
    where
        Api: 'a,
        T: IntoIterator<
            Item = hal::BuildAccelerationStructureDescriptor<'a, Buffer, UnsupportedResource>,
        >,
    {
        unsupported(RAY_TRACING)
    }

    unsafe fn place_acceleration_structure_barrier(
        &mut self,
        _: hal::AccelerationStructureBarrier,
    ) {
        unsupported(RAY_TRACING)
    }

    unsafe fn read_acceleration_structure_compact_size(
        &mut self,
        structure: &UnsupportedResource,
        _: &Buffer,
    ) {
        match *structure {}
    }

    // wgpu-core calls this for every submission, with no structures.
    unsafe fn set_acceleration_structure_dependencies(
        _: &[&CommandBuffer],
        _: &[&UnsupportedResource],
    ) {
    }
}
