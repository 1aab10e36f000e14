//! Generates the prelude: the functions that node code calls.
//!
//! In: a node. Out: WGSL declarations: the runtime's buffers, typed access to the input, the
//! functions of each output, and queries such as `input_count`. The user's sources come before it
//! and are never changed.

use crate::device::layout::{self, STAGE_UNIFORM, TARGET};
use crate::device::rule;
use crate::model::{Graph, InputAccess, Launch, NodeIndex, ResolvedNode, Scalar};

use super::fields::{self, Arena, Checks, Function, RecordLocation};
use super::outputs::{self, NumberedOutput};
use super::{CodeError, CodeOptions, Functions, GROUP};

/// The maximum number of functions of a prelude. The WGSL parser accepts 20,000 declarations, some
/// of which are the user's.
const MAX_FUNCTIONS: usize = 16384;

/// Generates the prelude of a node.
pub(super) fn write(
    graph: &Graph,
    node: NodeIndex,
    options: CodeOptions,
) -> Result<String, CodeError> {
    let resolved = &graph.nodes()[node];
    check_size(graph, resolved)?;
    let arena = arena(graph, resolved);
    let mut text = layout::rows_wgsl();
    text.push_str(&rule::wgsl());
    text.push_str(&layout::uniform_wgsl("AwStage", STAGE_UNIFORM));
    text.push_str(&declarations(arena, resolved));
    text.push_str(include_str!("../device/report.wgsl"));
    text.push_str(fields::access(arena));
    text.push_str(&outputs::common(options));
    text.push_str(&outputs::budgets(resolved));
    text.push_str(&outputs::handles(resolved, options));

    let mut functions = Functions::new(&resolved.id);
    input(&mut functions, graph, node, options);
    questions(&mut functions, resolved, options);
    let mut target = 0;
    for (number, output) in resolved.resolved_outputs.iter().enumerate() {
        let numbered = NumberedOutput {
            node: resolved,
            number,
            target,
        };
        outputs::write(&mut functions, graph, &numbered, options);
        target += output.targets.len() as u32 * TARGET.len() as u32;
    }
    text.push_str(&functions.finish()?);
    Ok(text)
}

/// Rejects a prelude that is too large before it is generated: a record with many fields may be
/// sent by many outputs.
fn check_size(graph: &Graph, node: &ResolvedNode) -> Result<(), CodeError> {
    let fields = |record: Option<usize>| record.map_or(0, |it| graph.records()[it].fields().len());
    // A load, a uniform load, a store and seven atomic operations.
    let for_input = match (node.launch, node.access) {
        (Launch::Broadcasting { .. }, InputAccess::ReadWrite | InputAccess::Tracked) => 10,
        _ => 2,
    };
    let for_outputs = node
        .resolved_outputs
        .iter()
        .map(|it| 2 * fields(it.record))
        .sum::<usize>();
    let functions = for_input * fields(node.record) + for_outputs;
    match functions > MAX_FUNCTIONS {
        true => Err(CodeError::TooManyFunctions {
            node: node.id.clone(),
            functions,
        }),
        false => Ok(()),
    }
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
    let arena = match arena {
        Arena::Plain => "array<u32>",
        Arena::Atomic => "array<atomic<u32>>",
    };
    // The record number is used only in fault reports, where it is derived from the record's
    // offset.
    let record = match node.record {
        Some(_) => "(aw_input - aw_stage.input_base) / aw_stage.input_stride",
        None => "aw_record",
    };
    format!(
        "\
@group({GROUP}) @binding(0) var<storage, read> aw_plan: array<u32>;
@group({GROUP}) @binding(1) var<storage, read_write> aw_arena: {arena};
@group({GROUP}) @binding(2) var<storage, read_write> aw_control: array<atomic<u32>>;
@group({GROUP}) @binding(3) var<uniform> aw_stage: AwStage;
var<private> aw_me: u32;
var<private> aw_input: u32;
var<private> aw_record: u32;
var<private> aw_count: u32;
var<private> aw_groups: u32;
var<workgroup> aw_agreed: u32;
var<workgroup> aw_is_last: u32;
fn aw_fault(rule: u32, output: u32, found: u32, allowed: u32) {{
    aw_report(rule, aw_stage.stage, {record}, output, found, allowed);
}}
"
    )
}

fn input(functions: &mut Functions, graph: &Graph, node: NodeIndex, options: CodeOptions) {
    let resolved = &graph.nodes()[node];
    let Some(record) = graph.input_record(node) else {
        return;
    };
    let is_coalescing = matches!(resolved.launch, Launch::Coalescing { .. });
    let broadcasts = matches!(resolved.launch, Launch::Broadcasting { .. });
    let report = match options.checked {
        false => "",
        true => "aw_fault(aw_rule_input_index, aw_none, i, aw_count); ",
    };
    // Other workgroups may write the record concurrently, or it may be released.
    let gone = match options.checked && resolved.access == InputAccess::Tracked {
        true => {
            "    if aw_is_gone { aw_fault(aw_rule_after_finished, aw_none, 0u, 0u); $RETURN }\n"
        }
        false => "",
    };
    let find = match is_coalescing {
        false => format!("{gone}    let aw_at = aw_input;\n"),
        true => format!(
            "    if i >= aw_count {{ {report}$RETURN }}\n    \
             let aw_at = aw_input + i * aw_stage.input_stride;\n"
        ),
    };
    let location = RecordLocation {
        owner: "input",
        parameters: if is_coalescing { "i: u32" } else { "" },
        find: &find,
        arena: arena(graph, resolved),
    };
    let element = options.fault("aw_rule_element", "aw_none");
    let checks = Checks { element: &element };
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
            functions.extend(fields::functions(field, &location, wanted, &checks));
        }
    }
}

/// Query functions, which have no records.
fn questions(functions: &mut Functions, node: &ResolvedNode, options: CodeOptions) {
    let mut add = |name: &str, text: String| functions.add(name.to_owned(), text);
    let count = match node.launch {
        Launch::Coalescing { .. } => "aw_count",
        Launch::Thread | Launch::Broadcasting { .. } => "1u",
    };
    add(
        "input_count",
        format!("fn input_count() -> u32 {{\n    return {count};\n}}\n"),
    );
    add(
        "remaining_recursion_levels",
        "fn remaining_recursion_levels() -> u32 {\n    return aw_stage.remaining;\n}\n".to_owned(),
    );
    let report = match options.checked {
        true => "aw_fault(aw_rule_local_argument, aw_none, i, aw_stage.local_words); ",
        false => "",
    };
    for ty in ["u32", "i32", "f32"] {
        add(
            &format!("local_argument_{ty}"),
            format!(
                "fn local_argument_{ty}(i: u32) -> {ty} {{\n    \
                 if i >= aw_stage.local_words {{ {report}return {ty}(); }}\n    \
                 return bitcast<{ty}>(aw_plan[aw_stage.local_arguments + i]);\n}}\n"
            ),
        );
    }
    // The barriers around the count order it with the workgroups' writes: this workgroup's writes
    // come before it, and the other workgroups' writes are visible after it.
    if node.access == InputAccess::Tracked {
        let counter = match options.checked {
            true => "var<private> aw_finished: u32;\nvar<private> aw_is_gone: bool;\n",
            false => "",
        };
        let report = match options.checked {
            true => {
                "    if aw_finished > 0u && aw_me == 0u { aw_fault(aw_rule_finished_twice, aw_none, aw_finished + 1u, 1u); }\n    aw_finished += 1u;\n"
            }
            false => "",
        };
        let leave = match options.checked {
            true => "    aw_is_gone = !is_last;\n",
            false => "",
        };
        add(
            "finished_cross_group_sharing",
            format!(
                "{counter}fn finished_cross_group_sharing() -> bool {{\n{report}    storageBarrier();\n    \
                 if aw_me == 0u {{\n        \
                 let before = atomicAdd(&aw_arena[aw_input + aw_stage.input_stride - 1u], 1u);\n        \
                 aw_is_last = select(0u, 1u, before + 1u == aw_groups);\n    }}\n    \
                 storageBarrier();\n    \
                 let is_last = workgroupUniformLoad(&aw_is_last) == 1u;\n{leave}    return is_last;\n}}\n"
            ),
        );
    }
}
