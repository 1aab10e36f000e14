//! A device, the pipelines that streams use, and what must come of a call.

use std::fmt;

/// The expected result of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Intent {
    /// It must give no error.
    Valid,
    /// It must give an error.
    Invalid,
    /// Unknown; either result is accepted.
    Either,
}

impl Intent {
    pub(crate) fn valid_if(condition: bool) -> Self {
        if condition {
            Self::Valid
        } else {
            Self::Invalid
        }
    }
}

/// Largest alignment that offsets of bindings need.
pub(crate) const ALIGN: u64 = 32;
/// Workgroups along an axis, at most.
pub(crate) const MAX_WORKGROUPS: u32 = 65_535;

/// Each word `w` of a buffer, up to as many as there are invocations, becomes `(w * 3 + k + j) % 7`
/// with a word `k` of a uniform buffer and a word `j` of immediate data.
pub(crate) const AFFINE: &str = "
    struct Params { k: vec4<u32> }
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @group(0) @binding(1) var<uniform> params: Params;
    var<immediate> j: u32;
    @compute @workgroup_size(2)
    fn main(
        @builtin(global_invocation_id) id: vec3<u32>,
        @builtin(num_workgroups) groups: vec3<u32>,
    ) {
        let row = groups.x * 2u;
        let i = (id.z * groups.y + id.y) * row + id.x;
        if i < arrayLength(&data) {
            data[i] = (data[i] * 3u + params.k.x + j) % 7u;
        }
    }";

/// A device with everything that the adapter has, and what streams run on it.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub(crate) adapter: wgpu::Adapter,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) layout: wgpu::BindGroupLayout,
    pub(crate) pipeline: wgpu::ComputePipeline,
}

impl Gpu {
    pub(crate) fn new() -> Self {
        let adapter = anywarp_adapter::adapter(Default::default());
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features(),
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        device.on_uncaptured_error(std::sync::Arc::new(|error| {
            panic!("an error outside of every scope: {error}")
        }));
        let layout = layout(&device);
        let pipeline = pipeline(&device, &layout, AFFINE, "main");
        Self {
            adapter,
            device,
            queue,
            layout,
            pipeline,
        }
    }

    /// Makes a call, and says whether it was without an error.
    pub(crate) fn call<T>(
        &self,
        what: impl fmt::Debug,
        intent: Intent,
        call: impl FnOnce() -> T,
    ) -> (T, bool) {
        let scopes = [
            wgpu::ErrorFilter::Validation,
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Internal,
        ]
        .map(|filter| self.device.push_error_scope(filter));
        let result = call();
        // Scopes end in the reverse order.
        let scopes = scopes.into_iter().rev();
        let errors: Vec<_> = scopes
            .filter_map(|scope| pollster::block_on(scope.pop()))
            .collect();
        match intent {
            Intent::Valid => assert!(errors.is_empty(), "{what:?} gave {errors:?}"),
            Intent::Invalid => assert!(!errors.is_empty(), "{what:?} gave no error"),
            Intent::Either => {}
        }
        (result, errors.is_empty())
    }

    pub(crate) fn wait(&self) {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    }
}

/// Storage with a dynamic offset, then a uniform.
pub(crate) fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset,
            min_binding_size: None,
        },
        count: None,
    };
    let storage = wgpu::BufferBindingType::Storage { read_only: false };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[
            entry(0, storage, true),
            entry(1, wgpu::BufferBindingType::Uniform, false),
        ],
    })
}

pub(crate) fn pipeline(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    wgsl: &str,
    entry_point: &str,
) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(wgsl.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 4,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &module,
        entry_point: Some(entry_point),
        compilation_options: Default::default(),
        cache: None,
    })
}
