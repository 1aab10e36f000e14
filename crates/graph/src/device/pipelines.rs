//! Compute pipelines of the runtime and of nodes.
//!
//! In: a word layout and the code of nodes. Out: bind group layouts and compute pipelines. Nodes
//! with the same text share a pipeline. A pipeline that the device rejects is an error that names
//! the node.

use std::borrow::Cow;
use std::collections::HashMap;

use super::error::GraphError;
use crate::layout::{self, Layout, RUNTIME_GROUP};
use crate::model::{Graph, NodeId, kinds_wgsl};
use crate::shader::{ENTRY_POINT, NodeShader};

pub(crate) struct Pipelines {
    /// For the passes between levels: plan, arena, control and a uniform, all writable, and tables.
    pub(crate) scheduler_layout: wgpu::BindGroupLayout,
    /// For nodes: the same with a read-only plan.
    pub(crate) node_layout: wgpu::BindGroupLayout,
    /// Descriptors and records of an input.
    pub(crate) input_layout: wgpu::BindGroupLayout,
    pub(crate) begin: wgpu::ComputePipeline,
    pub(crate) admit_inputs: wgpu::ComputePipeline,
    pub(crate) copy_inputs: wgpu::ComputePipeline,
    pub(crate) scan_records: wgpu::ComputePipeline,
    pub(crate) scan_blocks: wgpu::ComputePipeline,
    pub(crate) admit_few: wgpu::ComputePipeline,
    pub(crate) admit: wgpu::ComputePipeline,
    pub(crate) reset_queues: wgpu::ComputePipeline,
    /// The pipeline of each node.
    pub(crate) nodes: Vec<wgpu::ComputePipeline>,
    /// Names and texts of all modules.
    pub(crate) texts: Vec<(String, String)>,
}

impl Pipelines {
    pub(crate) async fn new(
        device: &wgpu::Device,
        graph: &Graph,
        layout: &Layout,
        shaders: &[NodeShader],
        users: &[&wgpu::BindGroupLayout],
    ) -> Result<Self, GraphError> {
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let mut pipelines = Self::of_runtime(device, layout);
        if let Some(error) = scope.pop().await {
            return Err(GraphError::Internal(error.to_string()));
        }
        pipelines.add_nodes(device, graph, shaders, users).await?;
        Ok(pipelines)
    }

    /// The pipelines of the passes between levels.
    fn of_runtime(device: &wgpu::Device, layout: &Layout) -> Self {
        let mut entries = runtime_entries(false).to_vec();
        if layout.has_uniform_tables() {
            entries.push(buffer(4, wgpu::BufferBindingType::Uniform, false));
        }
        let scheduler_layout = bind_group_layout(device, "graph scheduler", &entries);
        let node_layout = bind_group_layout(device, "graph node", &runtime_entries(true));
        let input_entries = [storage(0, true), storage(1, true)];
        let input_layout = bind_group_layout(device, "graph input", &input_entries);
        let texts = runtime_texts(layout);
        let [levels, begin, admission, copy] = texts
            .each_ref()
            .map(|(name, text)| module(device, name, text));
        let compute = |module: &wgpu::ShaderModule, entry, groups: &[_]| {
            pipeline(device, module, entry, entry, groups)
        };
        let scheduler = [Some(&scheduler_layout)];
        let scheduler_with_input = [Some(&scheduler_layout), Some(&input_layout)];
        let node_with_input = [Some(&node_layout), Some(&input_layout)];
        Self {
            begin: compute(&begin, "begin", &scheduler_with_input),
            admit_inputs: compute(&admission, "admit_inputs", &scheduler_with_input),
            copy_inputs: compute(&copy, "copy_inputs", &node_with_input),
            scan_records: compute(&levels, "scan_records", &scheduler),
            scan_blocks: compute(&levels, "scan_blocks", &scheduler),
            admit_few: compute(&levels, "admit_few", &scheduler),
            admit: compute(&levels, "admit", &scheduler),
            reset_queues: compute(&levels, "reset_queues", &scheduler),
            nodes: Vec::new(),
            texts: texts.into(),
            scheduler_layout,
            node_layout,
            input_layout,
        }
    }

    async fn add_nodes(
        &mut self,
        device: &wgpu::Device,
        graph: &Graph,
        shaders: &[NodeShader],
        users: &[&wgpu::BindGroupLayout],
    ) -> Result<(), GraphError> {
        let mut groups: [Option<&wgpu::BindGroupLayout>; 4] = [None; 4];
        for (group, layout) in groups.iter_mut().zip(users) {
            *group = Some(layout);
        }
        groups[RUNTIME_GROUP as usize] = Some(&self.node_layout);
        let mut made = HashMap::<&str, wgpu::ComputePipeline>::new();
        for (node, shader) in graph.nodes().iter().zip(shaders) {
            if let Some(pipeline) = made.get(shader.text()) {
                self.nodes.push(pipeline.clone());
                continue;
            }
            let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
            let label = format!("{} {}", graph.name(), node.id);
            let text = match shader.program().naga_wgsl() {
                Some(text) => Cow::Borrowed(text),
                None => Cow::Owned(written(graph, &node.id, shader)?),
            };
            let module = module(device, &label, &text);
            let pipeline = pipeline(device, &module, &label, ENTRY_POINT, &groups);
            if let Some(error) = scope.pop().await {
                return Err(GraphError::Node {
                    graph: graph.name().to_owned(),
                    node: node.id.clone(),
                    source: Box::new(error),
                });
            }
            made.insert(shader.text(), pipeline.clone());
            self.texts.push((label, shader.text().to_owned()));
            self.nodes.push(pipeline);
        }
        Ok(())
    }
}

/// The names and texts of the modules of the runtime: levels, begin, input admission, input copy.
fn runtime_texts(layout: &Layout) -> [(String, String); 4] {
    let head = layout.wgsl() + &layout::rules_wgsl();
    let report = layout::REPORT_WGSL;
    let levels = include_str!("levels.wgsl").replace("$LAUNCH_KINDS", kinds_wgsl().trim_end());
    let levels = layout.table_wgsl() + &levels + include_str!("grids.wgsl");
    let admission = include_str!("input_admission.wgsl");
    [
        ("graph levels", report, levels.as_str()),
        ("graph begin", "", include_str!("begin.wgsl")),
        ("graph input admission", report, admission),
        ("graph input copy", "", include_str!("input_copy.wgsl")),
    ]
    .map(|(name, report, text)| (name.to_owned(), [head.as_str(), report, text].concat()))
}

fn runtime_entries(reads_plan: bool) -> [wgpu::BindGroupLayoutEntry; 4] {
    let uniform = wgpu::BufferBindingType::Uniform;
    [
        storage(0, reads_plan),
        storage(1, false),
        storage(2, false),
        buffer(3, uniform, true),
    ]
}

fn storage(binding: u32, read_only: bool) -> wgpu::BindGroupLayoutEntry {
    buffer(
        binding,
        wgpu::BufferBindingType::Storage { read_only },
        false,
    )
}

fn buffer(
    binding: u32,
    ty: wgpu::BufferBindingType,
    has_dynamic_offset: bool,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset,
            min_binding_size: None,
        },
        count: None,
    }
}

fn bind_group_layout(
    device: &wgpu::Device,
    label: &str,
    entries: &[wgpu::BindGroupLayoutEntry],
) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries,
    })
}

/// The code of a node as naga prints it: naga accepts the module of some programs but not their
/// text.
fn written(graph: &Graph, node: &NodeId, shader: &NodeShader) -> Result<String, GraphError> {
    shader
        .program()
        .written_wgsl()
        .map_err(|error| GraphError::Unwritable {
            graph: graph.name().to_owned(),
            node: node.clone(),
            source: Box::new(error),
        })
}

fn module(device: &wgpu::Device, label: &str, text: &str) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    })
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    label: &str,
    entry_point: &str,
    groups: &[Option<&wgpu::BindGroupLayout>],
) -> wgpu::ComputePipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: groups,
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(label),
        layout: Some(&layout),
        module,
        entry_point: Some(entry_point),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}
