//! `anywarp inspect`: what a program has and what it asks for.

use std::fmt::Write;

use anywarp_program::naga::ShaderStage;
use serde::Serialize;

use crate::cli::InspectArgs;
use crate::console;
use crate::error::Error;
use crate::input;
use crate::interface::{
    self, Binding, BindingKind, BufferSize, EntryInterface, Immediate, OverrideConstant,
};

/// The JSON object of `--json`.
#[derive(Serialize)]
struct InspectReport {
    file: String,
    entry_points: Vec<EntryReport>,
    overrides: Vec<OverrideReport>,
}

#[derive(Serialize)]
struct EntryReport {
    name: String,
    stage: &'static str,
    /// Null when a constant without a default decides it.
    workgroup_size: Option<[u32; 3]>,
    workgroup_memory: Option<u64>,
    bindings: Vec<BindingReport>,
    immediate: Option<ImmediateReport>,
}

#[derive(Serialize)]
struct BindingReport {
    group: u32,
    binding: u32,
    name: String,
    kind: &'static str,
    #[serde(rename = "type")]
    ty: String,
    minimum_size: Option<u64>,
    /// Bytes that one more element of a final array without a length adds.
    stride: Option<u64>,
}

#[derive(Serialize)]
struct ImmediateReport {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    size: u64,
}

#[derive(Serialize)]
struct OverrideReport {
    name: Option<String>,
    id: Option<u16>,
    #[serde(rename = "type")]
    ty: String,
    has_default: bool,
}

/// Runs the command.
pub(crate) fn inspect(args: &InspectArgs) -> Result<(), Error> {
    let input = input::load(&args.file)?;
    let points = &input.program.module().entry_points;
    let report = InspectReport {
        entry_points: points
            .iter()
            .filter_map(|point| interface::with_defaults(&input.program, point.stage, &point.name))
            .map(entry_report)
            .collect(),
        overrides: interface::overrides(&input.program)
            .into_iter()
            .map(override_report)
            .collect(),
        file: input.name,
    };
    if args.json {
        console::json(&report)
    } else {
        console::result(text(&report).trim_end())
    }
}

fn entry_report(entry: EntryInterface) -> EntryReport {
    let has_workgroups = matches!(
        entry.stage,
        ShaderStage::Compute | ShaderStage::Task | ShaderStage::Mesh
    );
    EntryReport {
        name: entry.name,
        stage: interface::stage_name(entry.stage),
        workgroup_size: entry.workgroup_size.filter(|_| has_workgroups),
        workgroup_memory: entry.workgroup_memory.filter(|_| has_workgroups),
        bindings: entry.bindings.into_iter().map(binding_report).collect(),
        immediate: entry.immediate.map(immediate_report),
    }
}

fn binding_report(binding: Binding) -> BindingReport {
    BindingReport {
        group: binding.slot.group,
        binding: binding.slot.binding,
        kind: match binding.kind {
            BindingKind::Uniform(_) => "uniform",
            BindingKind::Storage { writable: true, .. } => "storage, read_write",
            BindingKind::Storage { .. } => "storage, read",
            BindingKind::Opaque => "handle",
        },
        minimum_size: binding.buffer_size().map(BufferSize::minimum),
        stride: binding.buffer_size().and_then(|size| match size {
            BufferSize::Fixed(_) => None,
            BufferSize::AtLeast { stride, .. } => Some(stride),
        }),
        name: binding.name,
        ty: binding.ty,
    }
}

fn immediate_report(immediate: Immediate) -> ImmediateReport {
    ImmediateReport {
        name: immediate.name,
        ty: immediate.ty,
        size: immediate.bytes,
    }
}

fn override_report(constant: OverrideConstant) -> OverrideReport {
    OverrideReport {
        name: constant.name,
        id: constant.id,
        ty: constant.ty,
        has_default: constant.has_default,
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
    text
}

fn entry_text(entry: &EntryReport) -> String {
    let mut text = format!("{} `{}`", entry.stage, entry.name);
    if matches!(entry.stage, "compute" | "task" | "mesh") {
        let size = match entry.workgroup_size {
            Some([x, y, z]) => format!("{x}x{y}x{z}"),
            None => "set by a constant without a default".to_owned(),
        };
        let memory = match entry.workgroup_memory {
            Some(bytes) => format!("{bytes} bytes"),
            None => "set by a constant without a default".to_owned(),
        };
        // Writing to a string cannot fail, here and below.
        let _ = write!(text, "\n  workgroup size {size}, workgroup memory {memory}");
    }
    text.push('\n');
    for binding in &entry.bindings {
        let _ = writeln!(text, "  {}", binding_text(binding));
    }
    if let Some(immediate) = &entry.immediate {
        let ImmediateReport { name, ty, size } = immediate;
        let _ = writeln!(text, "  immediate `{name}`: {ty}, {size} bytes");
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
        (Some(bytes), Some(stride)) => format!(", at least {bytes} bytes, {stride} an element"),
        (None, _) => String::new(),
    };
    format!("{group}:{index} `{name}`: {ty}, {kind}{size}")
}

fn override_text(constant: &OverrideReport) -> String {
    let name = constant.name.as_deref().unwrap_or_default();
    let id = constant
        .id
        .map_or(String::new(), |id| format!(" @id({id})"));
    let default = if constant.has_default {
        "has a default"
    } else {
        "needs a value"
    };
    format!("  `{name}`{id}: {}, {default}\n", constant.ty)
}
