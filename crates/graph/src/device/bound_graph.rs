//! A graph on a device with the user's buffers: the short way to run one.
//!
//! In: a graph, a device, buffers by group and binding. Out: a [`BoundGraph`] that takes typed
//! records. The bind group layouts follow from the code of the nodes. What it does not do: inputs on
//! the device and recorded runs; its [`GraphRunner`] does these.

use std::time::Duration;

use super::arena::SharedArena;
use super::binding::{BindingError, BoundGroups, UserBindings};
#[cfg(feature = "derive")]
use super::entry_records::EntryRecords;
use super::error::GraphError;
#[cfg(feature = "derive")]
use super::input::Input;
use super::options::{Checks, GraphOptions, OutputCounts};
#[cfg(feature = "derive")]
use super::runner::Report;
use super::runner::{GraphRunner, PlannedGraph, node_shaders};
#[cfg(feature = "derive")]
use super::step::Steps;
#[cfg(feature = "derive")]
use super::trace::Trace;
#[cfg(feature = "derive")]
use crate::host_data::CpuRecords;
use crate::host_data::LocalArguments;
use crate::model::Graph;
use crate::plan::Plan;
use crate::wgpu_error::ErrorScopes;

impl Graph {
    /// Binds the graph to a device. See the [crate's example](crate).
    pub fn on<'a>(&'a self, device: &wgpu::Device, queue: &wgpu::Queue) -> BoundGraphBuilder<'a> {
        BoundGraphBuilder {
            graph: self,
            arena: SharedArena::new(device, queue),
            options: GraphOptions::default(),
            bindings: UserBindings::default(),
        }
    }
}

/// Builder of a [`BoundGraph`].
#[derive(Clone, Debug)]
#[must_use]
pub struct BoundGraphBuilder<'a> {
    graph: &'a Graph,
    arena: SharedArena,
    options: GraphOptions<'static>,
    bindings: UserBindings,
}

impl BoundGraphBuilder<'_> {
    /// Binds a whole buffer, as the nodes that use the binding declare it. Groups 0 to 2 belong to
    /// the user.
    pub fn bind(mut self, group: u32, binding: u32, buffer: &wgpu::Buffer) -> Self {
        let bound = ((group, binding), buffer.clone());
        self.bindings.buffers.push(bound);
        self
    }

    /// Uses a bind group of the caller, for textures, samplers and parts of buffers.
    pub fn bind_group(
        mut self,
        group: u32,
        layout: &wgpu::BindGroupLayout,
        bind_group: &wgpu::BindGroup,
    ) -> Self {
        let bound = (group, layout.clone(), bind_group.clone());
        self.bindings.groups.push(bound);
        self
    }

    /// Sets all options, except the layouts of bind groups, which follow from the bindings.
    pub fn options(mut self, options: GraphOptions<'static>) -> Self {
        self.options = options;
        self
    }

    /// Shares the memory of records with other graphs on the device.
    pub fn arena(mut self, arena: &SharedArena) -> Self {
        self.arena = arena.clone();
        self
    }

    /// Sets which misuse by node code is reported.
    pub fn checks(mut self, checks: Checks) -> Self {
        self.options.checks = checks;
        self
    }

    /// Sets whether the records that nodes send are counted.
    pub fn output_counts(mut self, counts: OutputCounts) -> Self {
        self.options.output_counts = counts;
        self
    }

    /// Sets the maximum size in bytes of the records.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.options.plan.memory = bytes;
        self
    }

    /// Sets the expected number of records of each entry in a run.
    pub fn input_records(mut self, records: u64) -> Self {
        self.options.plan.input_records = records;
        self
    }

    /// Sets the local arguments of nodes.
    pub fn local_arguments(mut self, arguments: LocalArguments) -> Self {
        self.options.local_arguments = arguments;
        self
    }

    /// Sets the time after which a run ends between two submissions.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.options.time_limit = Some(limit);
        self
    }

    /// Plans the graph, compiles its nodes and checks the bindings.
    pub async fn build(self) -> Result<BoundGraph, GraphError> {
        let Self {
            graph,
            arena,
            options,
            bindings,
        } = self;
        let shaders = node_shaders(graph, &options)?;
        let scopes = ErrorScopes::new(&arena.device);
        let bound = bindings.resolve(&arena.device, graph, &shaders);
        let refused = scopes.end().await;
        let BoundGroups { layouts, groups } = bound.map_err(|source| of_binding(graph, source))?;
        if let Some(error) = refused {
            return Err(GraphError::Device {
                graph: graph.name().to_owned(),
                source: Box::new(error),
            });
        }
        let layouts: Vec<_> = layouts.iter().collect();
        let options = GraphOptions {
            bind_group_layouts: &layouts,
            ..options
        };
        let planned = PlannedGraph::new(&arena.device, graph, &options)?;
        let runner = GraphRunner::with_shaders(arena, planned, &shaders, options).await?;
        Ok(BoundGraph {
            runner,
            bind_groups: groups,
        })
    }
}

fn of_binding(graph: &Graph, source: BindingError) -> GraphError {
    GraphError::Binding {
        graph: graph.name().to_owned(),
        source: Box::new(source),
    }
}

/// A graph on a device with the user's buffers, ready to run.
#[derive(Debug)]
pub struct BoundGraph {
    runner: GraphRunner,
    bind_groups: Vec<wgpu::BindGroup>,
}

impl BoundGraph {
    /// The runner, for inputs on the device and for recorded runs.
    pub fn runner(&self) -> &GraphRunner {
        &self.runner
    }

    /// The bind groups of the user's buffers, from group 0 on.
    pub fn bind_groups(&self) -> Vec<&wgpu::BindGroup> {
        self.bind_groups.iter().collect()
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        self.runner.graph()
    }

    /// The memory plan.
    pub fn plan(&self) -> &Plan {
        self.runner.plan()
    }

    /// Runs the graph until no work is left.
    #[cfg(feature = "derive")]
    pub async fn run<'r, I>(&self, inputs: I) -> Result<Report, GraphError>
    where
        I: IntoIterator<Item: Into<EntryRecords<'r>>>,
    {
        let records = self.records(inputs)?;
        let groups = self.bind_groups.clone();
        self.runner
            .run_with(&Input::MultiCpu(&records), groups)
            .await
    }

    /// Runs the graph and measures it, as [`GraphRunner::trace`] does.
    #[cfg(feature = "derive")]
    pub async fn trace<'r, I>(&self, inputs: I) -> Result<(Report, Trace), GraphError>
    where
        I: IntoIterator<Item: Into<EntryRecords<'r>>>,
    {
        let records = self.records(inputs)?;
        let groups = self.bind_groups.clone();
        self.runner
            .trace_with(&Input::MultiCpu(&records), groups)
            .await
    }

    /// Begins a run that pauses after each level, as [`GraphRunner::step`] does.
    #[cfg(feature = "derive")]
    pub async fn step<'r, I>(&self, inputs: I) -> Result<Steps<'_>, GraphError>
    where
        I: IntoIterator<Item: Into<EntryRecords<'r>>>,
    {
        let records = self.records(inputs)?;
        let groups = self.bind_groups.clone();
        self.runner
            .step_with(&Input::MultiCpu(&records), groups)
            .await
    }

    #[cfg(feature = "derive")]
    fn records<'r, I>(&self, inputs: I) -> Result<Vec<CpuRecords<'r>>, GraphError>
    where
        I: IntoIterator<Item: Into<EntryRecords<'r>>>,
    {
        let graph = self.runner.graph();
        let inputs = inputs.into_iter().map(Into::into);
        let checked: Result<Vec<_>, _> = inputs.map(|input| input.check(graph)).collect();
        checked.map_err(|error| self.runner.input_error(error))
    }

    /// Reads a whole buffer of the user back. It needs the usage `COPY_SRC`, and a size that is a
    /// multiple of the size of `T`.
    #[cfg(feature = "derive")]
    pub async fn read_buffer<T: bytemuck::Pod>(
        &self,
        buffer: &wgpu::Buffer,
    ) -> Result<Vec<T>, GraphError> {
        if !buffer.usage().contains(wgpu::BufferUsages::COPY_SRC) {
            return Err(GraphError::ReadBack("it lacks the usage COPY_SRC"));
        }
        let size = size_of::<T>() as u64;
        if size == 0 || !buffer.size().is_multiple_of(size) || !buffer.size().is_multiple_of(4) {
            return Err(GraphError::ReadBack(
                "its size is not a multiple of the size of the elements",
            ));
        }
        let bytes = self.runner.read_back(buffer, 0, buffer.size()).await?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}
