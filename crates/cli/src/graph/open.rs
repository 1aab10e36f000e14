//! Opens a graph file on a device: plan, resources and runner.

use anywarp_graph::device::{Breadcrumbs, Checks, CpuRecords, OutputCounts, Trace};
use anywarp_graph::file::{FileOptions, FileResources};
use anywarp_graph::plan::{PlanError, PlanOptions};
use anywarp_graph::{GraphError, GraphFile, GraphOptions, GraphRunner, Input, Plan, Report};

use super::args::{DeviceArgs, FileArgs};
use crate::cli::TimeLimit;
use anywarp::Device;

use crate::device;
use crate::error::Error;
use crate::run::Progress;

/// Reads a graph file; a missing file is an error in the command.
pub(super) fn read(args: &FileArgs) -> Result<GraphFile, Error> {
    let unread = |source| Error::Read {
        path: args.file.clone(),
        source,
    };
    let found = std::fs::metadata(&args.file).map_err(unread)?;
    if found.is_dir() {
        return Err(unread(std::io::ErrorKind::IsADirectory.into()));
    }
    if let Some(folder) = args.allow_dir.iter().find(|folder| !folder.is_dir()) {
        return Err(Error::Argument {
            option: "--allow-dir",
            reason: format!("{} is not a folder", folder.display()),
        });
    }
    let mut options = FileOptions::default();
    options.folders = args.allow_dir.clone();
    options.bytes = args.max_bytes.unwrap_or(options.bytes);
    Ok(GraphFile::read_with(&args.file, &options)?)
}

/// The memory limit of the command, or else of the file.
pub(super) fn plan_options(file: &GraphFile, memory: Option<u64>) -> PlanOptions {
    let options = file.plan_options();
    options.memory(memory.unwrap_or(options.memory))
}

/// A plan without a device.
pub(super) fn plan(file: &GraphFile, memory: Option<u64>) -> Result<Plan, Error> {
    let plan = Plan::new(file.graph(), &plan_options(file, memory));
    plan.map_err(|error| of_plan(error, memory))
}

/// Too little memory is an error in the command if the command set the limit.
fn of_plan(error: PlanError, memory: Option<u64>) -> Error {
    match (&error, memory) {
        (PlanError::TooSmall { .. }, Some(_)) => Error::Argument {
            option: "--memory",
            reason: error.to_string(),
        },
        _ => Error::Graph(Box::new(error.into())),
    }
}

/// How often a run waits for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    /// Once, after all nodes.
    ForAll,
    /// After each node, so that the error of a lost device can name the node.
    ForEach,
}

/// A graph file opened on a device, with its resources.
pub(super) struct OpenGraph<'a> {
    pub(super) device: Device,
    pub(super) resources: FileResources,
    pub(super) runner: GraphRunner,
    inputs: Vec<CpuRecords<'a>>,
}

impl<'a> OpenGraph<'a> {
    pub(super) fn new(file: &'a GraphFile, args: &DeviceArgs, waits: Waits) -> Result<Self, Error> {
        // Errors that need no device are reported first.
        plan(file, args.memory)?;
        let adapter = device::select(&args.device, &args.cpu)?;
        let device = Device::open(&adapter)?.for_program(args.input.file.display().to_string());
        let resources = file.resources(&device, device.queue())?;
        device.check()?;
        let layouts: Vec<_> = resources.layouts.iter().collect();
        let options = GraphOptions {
            plan: plan_options(file, args.memory),
            checks: if args.check {
                Checks::All
            } else {
                Checks::Essential
            },
            output_counts: OutputCounts::On,
            bind_group_layouts: &layouts,
            local_arguments: file.local_arguments().clone(),
            max_inputs: file.inputs().len().max(1).try_into().unwrap_or(u32::MAX),
            breadcrumbs: if waits == Waits::ForEach {
                Breadcrumbs::PerNode
            } else {
                Breadcrumbs::Off
            },
            time_limit: args.cpu.limit.and_then(TimeLimit::time),
            ..Default::default()
        };
        let runner = GraphRunner::new(&device, device.queue(), file.graph(), options);
        let runner = Progress::new(1).during(|| pollster::block_on(runner));
        let runner = runner.map_err(|error| match error {
            GraphError::Plan(error) => of_plan(error, args.memory),
            error => error.into(),
        })?;
        device.check()?;
        Ok(Self {
            device,
            resources,
            runner,
            inputs: file.cpu_records(),
        })
    }

    pub(super) fn input(&self) -> Input<'_> {
        Input::MultiCpu(&self.inputs)
    }

    pub(super) fn bind_groups(&self) -> Vec<&wgpu::BindGroup> {
        self.resources.bind_groups.iter().collect()
    }

    pub(super) fn run(&self) -> Result<Report, Error> {
        let groups = self.bind_groups();
        let input = self.input();
        let report =
            Progress::new(1).during(|| pollster::block_on(self.runner.run(&input, &groups)));
        self.after(report)
    }

    pub(super) fn trace(&self) -> Result<(Report, Trace), Error> {
        let groups = self.bind_groups();
        let input = self.input();
        let traced =
            Progress::new(1).during(|| pollster::block_on(self.runner.trace(&input, &groups)));
        self.after(traced)
    }

    /// Prefers the graph's error, which names the node in which the device was lost, to the device's.
    pub(super) fn after<T>(&self, result: Result<T, GraphError>) -> Result<T, Error> {
        let result = result?;
        self.device.check()?;
        Ok(result)
    }
}
