//! The implementation of [`hal::Api`]: the table of types that makes the CPU a wgpu backend.

use std::any::Any;

use wgpu::{hal, wgt};

use crate::command::CommandBuffer;
use crate::encoder::Encoder;
use crate::fence::Fence;
use crate::resources::{
    BindGroup, BindGroupLayout, Buffer, ComputePipeline, PipelineLayout, QuerySet, Sampler,
    ShaderModule,
};
use crate::texture::{Texture, TextureView};
use crate::unsupported_resource::UnsupportedResource;
use crate::{adapter::Adapter, device::Device, instance::Instance, queue::Queue, surface::Surface};

/// The CPU backend.
#[derive(Clone, Debug)]
pub(crate) struct Api;

impl hal::Api for Api {
    /// wgpu has no variant for external backends; this is the one that no real device uses.
    const VARIANT: wgt::Backend = wgt::Backend::Noop;

    type Instance = Instance;
    type Surface = Surface;
    type Adapter = Adapter;
    type Device = Device;
    type Queue = Queue;
    type CommandEncoder = Encoder;
    type CommandBuffer = CommandBuffer;
    type Buffer = Buffer;
    type Texture = Texture;
    type SurfaceTexture = UnsupportedResource;
    type TextureView = TextureView;
    type Sampler = Sampler;
    type QuerySet = QuerySet;
    type Fence = Fence;
    type BindGroupLayout = BindGroupLayout;
    type BindGroup = BindGroup;
    type PipelineLayout = PipelineLayout;
    type ShaderModule = ShaderModule;
    type RenderPipeline = UnsupportedResource;
    type ComputePipeline = ComputePipeline;
    type RayTracingPipeline = UnsupportedResource;
    type PipelineCache = UnsupportedResource;
    type AccelerationStructure = UnsupportedResource;
}

macro_rules! resources {
    ($($type:ty: [$($kind:ident),*];)*) => {$(
        impl hal::DynResource for $type {
            fn as_any(&self) -> &dyn Any {
                self
            }
            fn as_any_mut(&mut self) -> &mut dyn Any {
                self
            }
        }
        $(impl hal::$kind for $type {})*
    )*};
}

resources! {
    Instance: [];
    Surface: [];
    Adapter: [];
    Device: [];
    Queue: [];
    Encoder: [];
    CommandBuffer: [DynCommandBuffer];
    Buffer: [DynBuffer];
    Texture: [DynTexture];
    TextureView: [DynTextureView];
    Sampler: [DynSampler];
    QuerySet: [DynQuerySet];
    Fence: [DynFence];
    BindGroupLayout: [DynBindGroupLayout];
    BindGroup: [DynBindGroup];
    PipelineLayout: [DynPipelineLayout];
    ShaderModule: [DynShaderModule];
    ComputePipeline: [DynComputePipeline];
    UnsupportedResource: [
        DynSurfaceTexture,
        DynRenderPipeline,
        DynRayTracingPipeline,
        DynPipelineCache,
        DynAccelerationStructure
    ];
}
