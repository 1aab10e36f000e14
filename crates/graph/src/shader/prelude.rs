//! Generates the prelude: the functions that node code calls.
//!
//! In: a node. Out: WGSL declarations: the runtime's buffers, typed access to the input, the
//! functions of each output, and queries such as `input_count`. The user's sources come before it
//! and are never changed.

use crate::layout::{self, RUNTIME_GROUP, STAGE_UNIFORM, TARGET};
use crate::model::{Graph, InputAccess, Launch, NodeIndex, ResolvedNode, Scalar};

use super::fields::{self, Arena, Checks, Function, RecordLocation};
use super::outputs::{self, NumberedOutput};
use super::template::Template;
use super::{ShaderError, ShaderOptions, reserved_names};

/// The maximum number of functions of a prelude. The WGSL parser accepts 20,000 declarations, some
/// of which are the user's.
const MAX_FUNCTIONS: usize = 16384;

/// Generates the prelude of a node.
pub(super) fn write(
    graph: &Graph,
    node: NodeIndex,
    options: ShaderOptions,
) -> Result<String, ShaderError> {
    let resolved = &graph.nodes()[node];
    check_size(graph, resolved)?;
    let functions = functions(graph, node, options);
    if let Some(name) = reserved_names::declared_twice(&functions) {
        return Err(ShaderError::NameClash {
            node: resolved.id.clone(),
            name,
        });
    }
    let arena = arena(graph, resolved);
    Ok([
        layout::rows_wgsl(),
        layout::rules_wgsl(),
        layout::uniform_wgsl("AwStage", STAGE_UNIFORM),
        declarations(arena, resolved),
        layout::REPORT_WGSL.to_owned(),
        fields::half_words(arena),
        outputs::take(options),
        outputs::budgets(resolved),
        outputs::handles(resolved, options),
        functions,
    ]
    .concat())
}

/// The functions whose names depend on the node.
fn functions(graph: &Graph, node: NodeIndex, options: ShaderOptions) -> String {
    let resolved = &graph.nodes()[node];
    let mut text = input(graph, node, options) + &queries(resolved, options);
    let mut target = 0;
    for (number, output) in resolved.resolved_outputs.iter().enumerate() {
        let numbered = NumberedOutput {
            node: resolved,
            number,
            target,
        };
        text += &outputs::write(graph, &numbered, options);
        target += output.targets.len() as u32 * TARGET.len() as u32;
    }
    text
}

/// Rejects a prelude that is too large before it is generated: a record with many fields may be
/// sent by many outputs.
fn check_size(graph: &Graph, node: &ResolvedNode) -> Result<(), ShaderError> {
    let fields =
        |record: Option<usize>| record.map_or(0, |record| graph.records()[record].fields().len());
    // A load, a uniform load, a store and seven atomic operations.
    let for_input = match (node.launch, node.access) {
        (Launch::Broadcasting { .. }, InputAccess::ReadWrite | InputAccess::Tracked) => 10,
        _ => 2,
    };
    let for_outputs = node
        .resolved_outputs
        .iter()
        .map(|output| 2 * fields(output.record))
        .sum::<usize>();
    let functions = for_input * fields(node.record) + for_outputs;
    if functions > MAX_FUNCTIONS {
        return Err(ShaderError::TooManyFunctions {
            node: node.id.clone(),
            functions,
        });
    }
    Ok(())
}

/// Words of records are atomic where unsynchronized invocations may share them: in the input that
/// all workgroups of a grid write, and in words that hold two 16-bit halves.
pub(super) fn arena(graph: &Graph, node: &ResolvedNode) -> Arena {
    let halves = |record: &usize| {
        let fields = graph.records()[*record].fields();
        fields.iter().any(|field| field.ty.scalar == Scalar::U16)
    };
    let writes_input = node.access != InputAccess::ReadOnly;
    let in_groups = node.launch != Launch::Thread;
    let broadcasts = matches!(node.launch, Launch::Broadcasting { .. });
    let outputs = node
        .resolved_outputs
        .iter()
        .filter_map(|output| output.record);
    let written = outputs.chain(node.record.filter(|_| writes_input));
    if writes_input && broadcasts || in_groups && written.into_iter().any(|record| halves(&record))
    {
        Arena::Atomic
    } else {
        Arena::Plain
    }
}

fn declarations(arena: Arena, node: &ResolvedNode) -> String {
    // The record number is used only in fault reports, where it is derived from the record's
    // offset.
    Template::new(include_str!("templates/declarations.wgsl"))
        .flag("atomic", arena == Arena::Atomic)
        .flag("empty", node.record.is_none())
        .value("GROUP", RUNTIME_GROUP)
        .render()
}

/// Access to the fields of the input's records.
fn input(graph: &Graph, node: NodeIndex, options: ShaderOptions) -> String {
    let resolved = &graph.nodes()[node];
    let Some(record) = graph.input_record(node) else {
        return String::new();
    };
    let is_coalescing = matches!(resolved.launch, Launch::Coalescing { .. });
    let broadcasts = matches!(resolved.launch, Launch::Broadcasting { .. });
    let is_tracked = resolved.access == InputAccess::Tracked;
    let find = Template::new(include_str!("templates/find_input_record.wgsl"))
        .flag("coalescing", is_coalescing)
        .flag("checked", options.checked)
        // Other workgroups may write the record concurrently, or it may be released.
        .flag("released", options.checked && is_tracked)
        .render();
    let location = RecordLocation {
        owner: "input",
        parameters: if is_coalescing { "i: u32" } else { "" },
        find: &find,
        arena: arena(graph, resolved),
    };
    let element = options.fault("aw_rule_element", "aw_none");
    let checks = Checks { element: &element };
    let mut text = String::new();
    for field in record.fields() {
        let mut wanted = vec![Function::Load];
        if broadcasts {
            wanted.push(Function::Uniform);
        }
        // If a grid changed while its workgroups are launched, some of them would be lost.
        let is_grid = record
            .grid_field()
            .is_some_and(|grid| grid.name == field.name);
        let keeps_grid = is_grid && graph.has_dynamic_grid(node);
        if resolved.access != InputAccess::ReadOnly && !keeps_grid {
            wanted.push(Function::Store);
            if broadcasts {
                wanted.push(Function::Atomics);
            }
        }
        for wanted in wanted {
            text += &fields::functions(field, &location, wanted, &checks);
        }
    }
    text
}

/// Query functions, which have no records. In `finished_cross_group_sharing`, the barriers around
/// the count order it with the workgroups' writes: this workgroup's writes come before it, and the
/// other workgroups' writes are visible after it.
fn queries(node: &ResolvedNode, options: ShaderOptions) -> String {
    let report = if options.checked {
        "aw_fault(aw_rule_local_argument, aw_none, i, aw_stage.local_words); "
    } else {
        ""
    };
    Template::new(include_str!("templates/queries.wgsl"))
        .flag(
            "coalescing",
            matches!(node.launch, Launch::Coalescing { .. }),
        )
        .flag("tracked", node.access == InputAccess::Tracked)
        .flag("checked", options.checked)
        .value("REPORT", report)
        .render()
}
