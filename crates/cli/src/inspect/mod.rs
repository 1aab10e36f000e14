//! `anywarp inspect`: entry points, bindings with the layouts of their types, overrides, and needed features; the IR
//! and the machine code of an entry point ([`code`]).

pub(crate) mod code;

use std::fmt::Write;

use anywarp_program::{
    EntryPoint, Override, OverrideDefault, Program, WorkgroupMemory, WorkgroupSize,
};
use anywarp_spirv::{BindingPoint, MappedBinding};
use serde::Serialize;

use crate::cli::{CpuArgs, InspectArgs};
use crate::console;
use crate::device;
use crate::engine;
use crate::error::{Error, listing};
use crate::input;
use crate::layout::{self, LayoutReport, ReportBudget};
use crate::stage::{self, Port};
use anywarp::needs::{self, Need};
use anywarp::reflection::{Binding, BufferSize, Interface};

/// The JSON object that `--json` prints.
#[derive(Serialize)]
struct InspectReport {
    file: String,
    entry_points: Vec<EntryReport>,
    overrides: Vec<OverrideReport>,
    /// Bindings of a SPIR-V module that were split into several.
    split: Vec<MappedBinding>,
    /// Features that the program needs beyond the core of WebGPU.
    needs: Vec<Need>,
}

#[derive(Serialize)]
struct EntryReport {
    name: String,
    stage: &'static str,
    /// Null in stages without workgroups, and if `needs` names overrides that determine it.
    workgroup_size: Option<[u32; 3]>,
    /// How it runs on the CPU device; null in stages that do not run there.
    cpu: Option<String>,
    /// Bytes; null like the size.
    workgroup_memory: Option<u64>,
    /// Overrides without a default value that determine the workgroup's size or memory.
    needs: Vec<String>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    bindings: Vec<BindingReport>,
    immediate_size: u32,
    /// Null without immediate data.
    immediate_layout: Option<LayoutReport>,
    #[serde(skip)]
    immediate_lines: Vec<String>,
}

#[derive(Serialize)]
struct BindingReport {
    group: u32,
    binding: u32,
    name: String,
    kind: String,
    #[serde(rename = "type")]
    ty: String,
    minimum_size: Option<u64>,
    /// Bytes per element of the runtime-sized array at the end of the type.
    stride: Option<u64>,
    /// Offsets, sizes and strides of the type's parts; null for resources other than buffers.
    layout: Option<LayoutReport>,
    /// The layout as lines of text.
    #[serde(skip)]
    members: Vec<String>,
}

#[derive(Serialize)]
struct OverrideReport {
    name: String,
    id: Option<u16>,
    #[serde(rename = "type")]
    ty: String,
    required: bool,
    /// Null if a value is required, or computed from other constants.
    default: Option<f64>,
}

/// Runs the command.
pub(crate) fn inspect(args: &InspectArgs) -> Result<(), Error> {
    let input = input::load(&args.file)?;
    if code::is_requested(args)? {
        return console::result(code::listings(&input, args)?.trim_end());
    }
    let points = input.program.entry_points();
    let overrides = input.program.overrides();
    let cpu = device::select("cpu", &CpuArgs::default())?;
    let mut budget = ReportBudget::default();
    let report = InspectReport {
        needs: needs::needs(&input.program, &cpu),
        entry_points: points
            .iter()
            .map(|point| entry_report(&input.program, point, &cpu.limits(), &mut budget))
            .collect(),
        overrides: overrides.into_iter().map(override_report).collect(),
        split: input.bindings.bindings,
        file: input.name,
    };
    if args.json {
        console::json(&report)
    } else {
        console::result(text(&report).trim_end())
    }
}

fn entry_report(
    program: &Program,
    point: &EntryPoint,
    limits: &wgpu::Limits,
    budget: &mut ReportBudget,
) -> EntryReport {
    let interface = Interface::new(program, point);
    let mut needs = Vec::new();
    let workgroup_size = point.workgroup_size.as_ref().and_then(|size| match size {
        WorkgroupSize::Known(size) => Some(*size),
        WorkgroupSize::Unresolved { overrides } => {
            needs.extend(overrides.iter().cloned());
            None
        }
    });
    let workgroup_memory = match &point.workgroup_memory {
        WorkgroupMemory::Known(bytes) => point.workgroup_size.as_ref().map(|_| *bytes),
        WorkgroupMemory::Unresolved { overrides } => {
            needs.extend(overrides.iter().cloned());
            None
        }
    };
    needs.sort();
    needs.dedup();
    let (inputs, outputs) = stage::ports(program.module(), &point.name);
    let immediate = interface.immediate.as_ref();
    let immediate = immediate.and_then(|immediate| immediate.layout.as_deref());
    EntryReport {
        inputs,
        outputs,
        name: point.name.clone(),
        stage: anywarp_program::stage_name(point.stage),
        workgroup_size,
        cpu: engine::execution(program, point, limits),
        workgroup_memory,
        needs,
        bindings: (interface.bindings.into_iter())
            .map(|binding| binding_report(binding, budget))
            .collect(),
        immediate_size: point.immediate_size,
        immediate_layout: immediate.map(|immediate| LayoutReport::new(immediate, budget)),
        immediate_lines: immediate
            .map(|immediate| layout::lines(immediate, budget))
            .unwrap_or_default(),
    }
}

fn binding_report(binding: Binding, budget: &mut ReportBudget) -> BindingReport {
    let size = binding.buffer_size();
    let layout = binding.layout.as_deref().filter(|_| size.is_some());
    BindingReport {
        layout: layout.map(|layout| LayoutReport::new(layout, budget)),
        members: layout
            .map(|it| layout::lines(it, budget))
            .unwrap_or_default(),
        group: binding.slot.group,
        binding: binding.slot.binding,
        name: binding.name,
        kind: binding.sort,
        ty: binding.ty,
        minimum_size: size.map(BufferSize::minimum),
        stride: size.and_then(BufferSize::stride),
    }
}

fn override_report(constant: Override) -> OverrideReport {
    OverrideReport {
        name: constant.name,
        id: constant.id,
        ty: constant.ty,
        required: constant.default == OverrideDefault::Required,
        default: match constant.default {
            OverrideDefault::Value(value) => Some(value),
            _ => None,
        },
    }
}

fn text(report: &InspectReport) -> String {
    let mut text = format!("{}\n", report.file);
    if report.entry_points.is_empty() {
        text += "no entry points\n";
    }
    for entry in &report.entry_points {
        text += &entry_text(entry);
    }
    if !report.overrides.is_empty() {
        text += "overrides\n";
    }
    for constant in &report.overrides {
        text += &override_text(constant);
    }
    if !report.split.is_empty() {
        text += "split bindings\n";
    }
    for split in &report.split {
        text += &split_text(split);
    }
    if !report.needs.is_empty() {
        text += "needs\n";
    }
    for need in &report.needs {
        let _ = writeln!(text, "  {}", needs::text(need));
    }
    text
}

fn split_text(split: &MappedBinding) -> String {
    let parts = [
        ("texture", split.texture),
        ("depth texture", split.depth),
        ("sampler", split.sampler),
        ("comparison sampler", split.comparison),
        ("buffer", split.buffer),
    ];
    let parts = parts.into_iter().filter_map(|(word, place)| {
        let BindingPoint { group, binding } = place?;
        Some(format!("{word} {group}:{binding}"))
    });
    let name = split.name.as_ref();
    let name = name.map_or(String::new(), |name| format!(" `{name}`"));
    let MappedBinding { group, binding, .. } = split;
    format!("  {group}:{binding}{name}: {}\n", listing(parts))
}

fn entry_text(entry: &EntryReport) -> String {
    let mut text = format!("{} `{}`\n", entry.stage, entry.name);
    // Writing to a string cannot fail, here and below.
    if let Some([x, y, z]) = entry.workgroup_size {
        let _ = writeln!(text, "  workgroup size {x}x{y}x{z}");
    }
    if let Some(bytes) = entry.workgroup_memory {
        let _ = writeln!(text, "  workgroup memory {bytes} bytes");
    }
    if !entry.needs.is_empty() {
        let names = listing(entry.needs.iter().map(|name| format!("`{name}`")));
        let (word, have) = match entry.needs.len() {
            1 => ("override", "has"),
            _ => ("overrides", "have"),
        };
        let what = match (entry.workgroup_size, entry.workgroup_memory) {
            (None, None) => "size and memory",
            (None, Some(_)) => "size",
            (Some(_), _) => "memory",
        };
        let _ = writeln!(
            text,
            "  workgroup {what} set by {word} {names}, which {have} no default"
        );
    }
    if let Some(execution) = &entry.cpu {
        let _ = writeln!(text, "  on the CPU: {execution}");
    }
    for (word, ports) in [("in", &entry.inputs), ("out", &entry.outputs)] {
        for port in ports {
            let name = match port.name.as_str() {
                "" => String::new(),
                name => format!(" `{name}`"),
            };
            let _ = writeln!(text, "  {word} {}{name}: {}", port.place, port.ty);
        }
    }
    for binding in &entry.bindings {
        let _ = writeln!(text, "  {}", binding_text(binding));
        for line in &binding.members {
            let _ = writeln!(text, "    {line}");
        }
    }
    if entry.immediate_size > 0 {
        let _ = writeln!(text, "  immediate data {} bytes", entry.immediate_size);
        for line in &entry.immediate_lines {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

fn binding_text(binding: &BindingReport) -> String {
    let BindingReport {
        group,
        binding: index,
        name,
        kind,
        ty,
        ..
    } = binding;
    let size = match (binding.minimum_size, binding.stride) {
        (Some(bytes), None) => format!(", {bytes} bytes"),
        (Some(bytes), Some(stride)) => format!(", at least {bytes} bytes, {stride} per element"),
        (None, _) => String::new(),
    };
    format!("{group}:{index} `{name}`: {ty}, {kind}{size}")
}

fn override_text(constant: &OverrideReport) -> String {
    let OverrideReport { name, ty, .. } = constant;
    let id = constant
        .id
        .map_or(String::new(), |id| format!(" @id({id})"));
    let default = match constant.default {
        Some(1.0) if ty == "bool" => " = true".to_owned(),
        Some(_) if ty == "bool" => " = false".to_owned(),
        Some(value) => format!(" = {value}"),
        None if constant.required => ", needs a value".to_owned(),
        None => ", computed from others".to_owned(),
    };
    format!("  `{name}`{id}: {ty}{default}\n")
}
