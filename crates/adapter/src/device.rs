//! The HAL device: it creates resources, maps buffers and waits for fences.
//!
//! Once the device is lost, calls that need it fail (see `device_loss`). Calls that free resources or wait continue to work,
//! so that no thread hangs.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anywarp_cpu::{KernelOptions, MemoryPool, Monitor};
use wgpu::{hal, wgt};

use crate::api::Api;
use crate::compute_limits::ComputeLimits;
use crate::device_loss::DeviceLoss;
use crate::encoder::Encoder;
use crate::fence::Fence;
use crate::kernel_cache::KernelCache;
use crate::queue::Queue;
use crate::reordering::ReorderingHandle;
use crate::resources::{
    BindGroup, BindGroupDescriptor, BindGroupLayout, Buffer, ComputePipeline, HostAccess,
    PipelineLayout, QuerySet, Sampler, ShaderModule,
};
use crate::texture::{Texture, TextureView};
use crate::unsupported_resource::{UnsupportedResource, unsupported};

const RAY_TRACING: &str = "ray tracing";

/// A device on the CPU.
#[derive(Debug)]
pub(crate) struct Device {
    loss: Arc<DeviceLoss>,
    /// Reuses the memory of upload buffers.
    pool: Arc<MemoryPool>,
    limits: ComputeLimits,
    kernel_options: KernelOptions,
    kernels: KernelCache,
    /// Memory of mappable buffers of a lost device, which the host may still access.
    kept: Mutex<Vec<anywarp_cpu::Buffer>>,
    /// For a reordering queue: the handle that is notified of fence queries and waits.
    host: Option<ReorderingHandle>,
    /// The progress of dispatches.
    monitor: Monitor,
}

impl Device {
    pub(crate) fn new(
        loss: Arc<DeviceLoss>,
        limits: ComputeLimits,
        kernel_options: KernelOptions,
        host: Option<ReorderingHandle>,
        monitor: Monitor,
    ) -> Self {
        Self {
            loss,
            pool: Arc::new(MemoryPool::default()),
            limits,
            kernel_options,
            kernels: KernelCache::default(),
            kept: Mutex::default(),
            host,
            monitor,
        }
    }

    pub(crate) fn loss(&self) -> &DeviceLoss {
        &self.loss
    }

    pub(crate) fn monitor(&self) -> &Monitor {
        &self.monitor
    }
}

impl hal::Device for Device {
    type A = Api;

    unsafe fn create_buffer(
        &self,
        descriptor: &hal::BufferDescriptor<'_>,
    ) -> Result<Buffer, hal::DeviceError> {
        let size = descriptor.size;
        let is_upload = descriptor
            .memory_flags
            .contains(hal::MemoryFlags::TRANSIENT);
        let memory = if is_upload {
            anywarp_cpu::Buffer::pooled(size, &self.pool)
        } else {
            anywarp_cpu::Buffer::new(size)
        };
        let memory = memory.map_err(|_| hal::DeviceError::OutOfMemory)?;
        Ok(Buffer {
            memory,
            host_access: HostAccess::new(descriptor.usage),
            is_upload,
        })
    }

    // wgpu-core destroys every buffer of a lost device, mapped ones too, although the program may still hold views of
    // them. A view keeps the device alive, so the device keeps the memory.
    unsafe fn destroy_buffer(&self, buffer: Buffer) {
        if self.loss.check().is_err() && buffer.host_access == HostAccess::Mappable {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(buffer.memory);
        }
    }

    unsafe fn add_raw_buffer(&self, _: &Buffer) {}

    unsafe fn map_buffer(
        &self,
        buffer: &Buffer,
        range: hal::MemoryRange,
    ) -> Result<hal::BufferMapping, hal::DeviceError> {
        self.loss.check()?;
        Ok(hal::BufferMapping {
            ptr: buffer.memory.pointer(range),
            is_coherent: true,
        })
    }

    unsafe fn unmap_buffer(&self, _: &Buffer) {}

    unsafe fn flush_mapped_ranges<I>(&self, _: &Buffer, _: I)
    where
        I: Iterator<Item = hal::MemoryRange>,
    {
    }

    unsafe fn invalidate_mapped_ranges<I>(&self, _: &Buffer, _: I)
    where
        I: Iterator<Item = hal::MemoryRange>,
    {
    }

    unsafe fn create_texture(
        &self,
        descriptor: &hal::TextureDescriptor<'_>,
    ) -> Result<Texture, hal::DeviceError> {
        Texture::new(descriptor)
    }

    unsafe fn destroy_texture(&self, _: Texture) {}

    unsafe fn add_raw_texture(&self, _: &Texture) {}

    unsafe fn create_texture_view(
        &self,
        texture: &Texture,
        descriptor: &hal::TextureViewDescriptor<'_>,
    ) -> Result<TextureView, hal::DeviceError> {
        Ok(texture.view(descriptor))
    }

    unsafe fn destroy_texture_view(&self, _: TextureView) {}

    unsafe fn create_sampler(
        &self,
        _: &hal::SamplerDescriptor<'_>,
    ) -> Result<Sampler, hal::DeviceError> {
        Ok(Sampler)
    }

    unsafe fn destroy_sampler(&self, _: Sampler) {}

    unsafe fn create_command_encoder(
        &self,
        _: &hal::CommandEncoderDescriptor<'_, Queue>,
    ) -> Result<Encoder, hal::DeviceError> {
        Ok(Encoder::default())
    }

    unsafe fn create_bind_group_layout(
        &self,
        descriptor: &hal::BindGroupLayoutDescriptor<'_>,
    ) -> Result<BindGroupLayout, hal::DeviceError> {
        Ok(BindGroupLayout::new(descriptor.entries))
    }

    unsafe fn destroy_bind_group_layout(&self, _: BindGroupLayout) {}

    unsafe fn create_pipeline_layout(
        &self,
        _: &hal::PipelineLayoutDescriptor<'_, BindGroupLayout>,
    ) -> Result<PipelineLayout, hal::DeviceError> {
        Ok(PipelineLayout)
    }

    unsafe fn destroy_pipeline_layout(&self, _: PipelineLayout) {}

    unsafe fn create_bind_group(
        &self,
        descriptor: &BindGroupDescriptor<'_>,
    ) -> Result<BindGroup, hal::DeviceError> {
        Ok(BindGroup::new(descriptor))
    }

    unsafe fn destroy_bind_group(&self, _: BindGroup) {}

    // Runtime checks are always on, even if the descriptor disables them.
    unsafe fn create_shader_module(
        &self,
        descriptor: &hal::ShaderModuleDescriptor<'_>,
        shader: hal::ShaderInput<'_>,
    ) -> Result<ShaderModule, hal::ShaderError> {
        match shader {
            hal::ShaderInput::Naga(shader) => ShaderModule::new(descriptor.label, shader),
            _ => Err(hal::ShaderError::Compilation(
                "the CPU device takes no shaders in the languages of drivers".to_owned(),
            )),
        }
    }

    unsafe fn destroy_shader_module(&self, _: ShaderModule) {}

    unsafe fn create_render_pipeline(
        &self,
        _: &hal::RenderPipelineDescriptor<'_, PipelineLayout, ShaderModule, UnsupportedResource>,
    ) -> Result<UnsupportedResource, hal::PipelineError> {
        Err(hal::PipelineError::Linkage(
            wgt::ShaderStages::VERTEX_FRAGMENT,
            "rendering is not supported on the CPU device".to_owned(),
        ))
    }

    unsafe fn destroy_render_pipeline(&self, pipeline: UnsupportedResource) {
        match pipeline {}
    }

    unsafe fn create_compute_pipeline(
        &self,
        descriptor: &hal::ComputePipelineDescriptor<
            '_,
            PipelineLayout,
            ShaderModule,
            UnsupportedResource,
        >,
    ) -> Result<ComputePipeline, hal::PipelineError> {
        ComputePipeline::new(
            descriptor.label,
            &descriptor.stage,
            &self.limits,
            self.kernel_options,
            &self.kernels,
        )
    }

    unsafe fn destroy_compute_pipeline(&self, _: ComputePipeline) {}

    unsafe fn create_ray_tracing_pipeline(
        &self,
        _: &hal::RayTracingPipelineDescriptor<
            '_,
            PipelineLayout,
            ShaderModule,
            UnsupportedResource,
        >,
    ) -> Result<UnsupportedResource, hal::PipelineError> {
        unsupported(RAY_TRACING)
    }

    unsafe fn destroy_ray_tracing_pipeline(&self, pipeline: UnsupportedResource) {
        match pipeline {}
    }

    unsafe fn get_raytracing_pipeline_group_data(
        &self,
        pipeline: &UnsupportedResource,
        _: Range<u32>,
    ) -> Result<Vec<u8>, hal::DeviceError> {
        match *pipeline {}
    }

    unsafe fn create_pipeline_cache(
        &self,
        _: &hal::PipelineCacheDescriptor<'_>,
    ) -> Result<UnsupportedResource, hal::PipelineCacheError> {
        unsupported("a pipeline cache")
    }

    unsafe fn destroy_pipeline_cache(&self, cache: UnsupportedResource) {
        match cache {}
    }

    unsafe fn create_query_set(
        &self,
        descriptor: &wgt::QuerySetDescriptor<hal::Label<'_>>,
    ) -> Result<QuerySet, hal::DeviceError> {
        Ok(QuerySet::new(descriptor.count))
    }

    unsafe fn destroy_query_set(&self, _: QuerySet) {}

    unsafe fn create_fence(&self) -> Result<Fence, hal::DeviceError> {
        Ok(Fence::default())
    }

    unsafe fn destroy_fence(&self, _: Fence) {}

    unsafe fn get_fence_value(&self, fence: &Fence) -> Result<hal::FenceValue, hal::DeviceError> {
        if let Some(host) = &self.host {
            host.query_fence();
        }
        Ok(fence.value())
    }

    unsafe fn wait(
        &self,
        fence: &Fence,
        value: hal::FenceValue,
        timeout: Option<Duration>,
    ) -> Result<bool, hal::DeviceError> {
        if let Some(host) = &self.host {
            host.wait(value);
        }
        Ok(fence.wait(value, timeout))
    }

    unsafe fn start_graphics_debugger_capture(&self) -> bool {
        false
    }

    unsafe fn stop_graphics_debugger_capture(&self) {}

    unsafe fn create_acceleration_structure(
        &self,
        _: &hal::AccelerationStructureDescriptor<'_>,
    ) -> Result<UnsupportedResource, hal::DeviceError> {
        unsupported(RAY_TRACING)
    }

    unsafe fn get_acceleration_structure_build_sizes(
        &self,
        _: &hal::GetAccelerationStructureBuildSizesDescriptor<'_, Buffer>,
    ) -> hal::AccelerationStructureBuildSizes {
        unsupported(RAY_TRACING)
    }

    unsafe fn get_acceleration_structure_device_address(
        &self,
        structure: &UnsupportedResource,
    ) -> wgt::BufferAddress {
        match *structure {}
    }

    unsafe fn destroy_acceleration_structure(&self, structure: UnsupportedResource) {
        match structure {}
    }

    fn tlas_instance_to_bytes(&self, _: hal::TlasInstance) -> Vec<u8> {
        unsupported(RAY_TRACING)
    }

    fn get_internal_counters(&self) -> wgt::HalCounters {
        wgt::HalCounters::default()
    }

    fn check_if_oom(&self) -> Result<(), hal::DeviceError> {
        self.loss.check()
    }
}
