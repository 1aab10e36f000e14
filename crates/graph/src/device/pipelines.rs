//! Compute pipelines of the runtime and of nodes.
//!
//! In: a word layout and the code of nodes. Out: bind group layouts and compute pipelines. Nodes
//! with the same text share a pipeline. A pipeline that the device rejects is an error that names
//! the node.

use std::borrow::Cow;
use std::collections::HashMap;

use super::error::GraphError;
use crate::code::{ENTRY_POINT, NodeCode};
use crate::layout::{self, Layout, RUNTIME_GROUP};
use crate::model::{Graph, NodeId, kinds_wgsl};
use crate::wgpu_error::last_cause;

pub(crate) struct Pipelines {
    /// For the passes between levels: plan, arena, control and a uniform, all writable, and tables.
    pub(crate) between: wgpu::BindGroupLayout,
    /// For nodes: the same with a read-only plan.
    pub(crate) within: wgpu::BindGroupLayout,
    /// Descriptors and records of an input.
    pub(crate) input: wgpu::BindGroupLayout,
    pub(crate) begin: wgpu::ComputePipeline,
    pub(crate) feed_admit: wgpu::ComputePipeline,
    pub(crate) feed_copy: wgpu::ComputePipeline,
    pub(crate) scan_records: wgpu::ComputePipeline,
    pub(crate) scan_blocks: wgpu::ComputePipeline,
    pub(crate) admit_few: wgpu::ComputePipeline,
    pub(crate) admit: wgpu::ComputePipeline,
    pub(crate) settle: wgpu::ComputePipeline,
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
        code: &[NodeCode],
        users: &[&wgpu::BindGroupLayout],
    ) -> Result<Self, GraphError> {
        let mut entries = runtime_entries(false).to_vec();
        if layout.has_uniform_tables() {
            entries.push(buffer(4, wgpu::BufferBindingType::Uniform, false));
        }
        let between = bind_group_layout(device, "between levels", &entries);
        let within = bind_group_layout(device, "graph runtime", &runtime_entries(true));
        let input = bind_group_layout(device, "graph input", &[storage(0, true), storage(1, true)]);
        let head = layout.wgsl() + &layout::rules_wgsl();
        let report = layout::REPORT_WGSL;
        let mut texts = Vec::new();
        let mut module = |name: &str, parts: [&str; 2]| {
            let text = [head.as_str(), parts[0], parts[1]].concat();
            let module = module(device, name, &text);
            texts.push((name.to_owned(), text));
            module
        };
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let levels = include_str!("levels.wgsl").replace("$LAUNCH_KINDS", kinds_wgsl().trim_end());
        let levels = layout.table_wgsl() + &levels + include_str!("grids.wgsl");
        let levels = module("graph levels", [report, &levels]);
        let begin = module("graph begin", ["", include_str!("begin.wgsl")]);
        let feed = module("graph feed", [report, include_str!("feed.wgsl")]);
        let copy = module("graph feed copy", ["", include_str!("feed_copy.wgsl")]);
        let compute = |module: &wgpu::ShaderModule, entry, groups: &[_]| {
            pipeline(device, module, entry, entry, groups)
        };
        let mut pipelines = Self {
            begin: compute(&begin, "begin", &[Some(&between), Some(&input)]),
            feed_admit: compute(&feed, "feed_admit", &[Some(&between), Some(&input)]),
            feed_copy: compute(&copy, "feed_copy", &[Some(&within), Some(&input)]),
            scan_records: compute(&levels, "scan_records", &[Some(&between)]),
            scan_blocks: compute(&levels, "scan_blocks", &[Some(&between)]),
            admit_few: compute(&levels, "admit_few", &[Some(&between)]),
            admit: compute(&levels, "admit", &[Some(&between)]),
            settle: compute(&levels, "settle", &[Some(&between)]),
            nodes: Vec::new(),
            texts,
            between,
            within,
            input,
        };
        if let Some(error) = scope.pop().await {
            return Err(GraphError::Internal(error.to_string()));
        }
        pipelines.add_nodes(device, graph, code, users).await?;
        Ok(pipelines)
    }

    async fn add_nodes(
        &mut self,
        device: &wgpu::Device,
        graph: &Graph,
        code: &[NodeCode],
        users: &[&wgpu::BindGroupLayout],
    ) -> Result<(), GraphError> {
        let mut groups: [Option<&wgpu::BindGroupLayout>; 4] = [None; 4];
        for (group, layout) in groups.iter_mut().zip(users) {
            *group = Some(layout);
        }
        groups[RUNTIME_GROUP as usize] = Some(&self.within);
        let mut made = HashMap::<&str, wgpu::ComputePipeline>::new();
        for (node, code) in graph.nodes().iter().zip(code) {
            if let Some(pipeline) = made.get(code.text()) {
                self.nodes.push(pipeline.clone());
                continue;
            }
            let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
            let label = format!("{} {}", graph.name(), node.id);
            let text = match code.program().naga_wgsl() {
                Some(text) => Cow::Borrowed(text),
                None => Cow::Owned(written(graph, &node.id, code)?),
            };
            let module = module(device, &label, &text);
            let pipeline = pipeline(device, &module, &label, ENTRY_POINT, &groups);
            if let Some(error) = scope.pop().await {
                return Err(GraphError::Node {
                    graph: graph.name().to_owned(),
                    node: node.id.clone(),
                    message: last_cause(&error),
                    source: Some(Box::new(error)),
                });
            }
            made.insert(code.text(), pipeline.clone());
            self.texts.push((label, code.text().to_owned()));
            self.nodes.push(pipeline);
        }
        Ok(())
    }
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
fn written(graph: &Graph, node: &NodeId, code: &NodeCode) -> Result<String, GraphError> {
    code.program()
        .written_wgsl()
        .map_err(|error| GraphError::Node {
            graph: graph.name().to_owned(),
            node: node.clone(),
            message: error.to_string(),
            source: None,
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
