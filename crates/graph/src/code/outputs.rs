//! Generates the functions with which a node sends records.
//!
//! In: an output. Out: WGSL functions that allocate, fill, complete and count its records. What
//! always holds: no launch exceeds its budget, whatever the shader requests, so queues never
//! overflow; a request that exceeds it is reported, and its records are dropped.

use crate::device::layout::{TARGET, member};
use crate::model::{Graph, InputAccess, Launch, ResolvedNode, ResolvedOutput};

use super::fields::{self, Checks, Function, RecordLocation};
use super::{CodeOptions, Functions};

/// An output with its index in the node.
pub(super) struct NumberedOutput<'a> {
    pub(super) node: &'a ResolvedNode,
    pub(super) number: usize,
    /// Word offset of the output's targets within those of the stage.
    pub(super) target: u32,
}

/// Variables that count the records that a launch has sent, one for each budget.
pub(super) fn budgets(node: &ResolvedNode) -> String {
    let own = node.resolved_outputs.iter().enumerate();
    let own = own.filter(|(number, output)| output.budget_of == *number);
    own.map(|(number, output)| match node.launch {
        Launch::Thread => format!(
            "var<private> aw_spent_{number}: u32;\n\
             fn aw_spend_{number}(count: u32, output: u32) -> bool {{\n    \
             if count > {max}u - aw_spent_{number} {{\n        \
             aw_fault(aw_rule_budget, output, count + aw_spent_{number}, {max}u);\n        return false;\n    }}\n    \
             aw_spent_{number} += count;\n    return true;\n}}\n",
            max = output.max_records
        ),
        Launch::Coalescing { .. } | Launch::Broadcasting { .. } => format!(
            "var<workgroup> aw_spent_{number}: atomic<u32>;\n\
             fn aw_spend_{number}(count: u32, output: u32) -> bool {{\n    \
             // More than the budget counts as one more: a single call cannot wrap the sum around. Very many\n    \
             // refused ones can, but then there is a fault already, and aw_take keeps to the queue.\n    \
             let before = atomicAdd(&aw_spent_{number}, min(count, {max}u + 1u));\n    \
             if before > {max}u || count > {max}u - before {{\n        \
             aw_fault(aw_rule_budget, output, count + before, {max}u);\n        return false;\n    }}\n    \
             return true;\n}}\n",
            max = output.max_records
        ),
    })
    .collect()
}

/// In checked mode, a bit mask of an invocation's open allocations. There are never more than
/// records, which budgets limit.
pub(super) fn handles(node: &ResolvedNode, options: CodeOptions) -> String {
    if !options.checked {
        return String::new();
    }
    let own = node.resolved_outputs.iter().enumerate();
    let own = own.filter(|(number, output)| output.budget_of == *number);
    let max: u32 = own.map(|(_, output)| output.max_records).sum();
    let words = max.div_ceil(32).max(1);
    format!(
        "\
var<private> aw_opened_so_far: u32;
var<private> aw_open: array<u32, {words}>;
fn aw_opened() -> u32 {{
    let id = aw_opened_so_far;
    aw_opened_so_far = id + 1u;
    if id < {words}u * 32u {{ aw_open[id / 32u] |= 1u << (id % 32u); }}
    return id;
}}
fn aw_is_open(id: u32) -> bool {{
    if id >= {words}u * 32u {{ return false; }}
    return ((aw_open[id / 32u] >> (id % 32u)) & 1u) == 1u;
}}
// Whether it was open.
fn aw_closed(id: u32) -> bool {{
    let was_open = aw_is_open(id);
    if was_open {{ aw_open[id / 32u] &= ~(1u << (id % 32u)); }}
    return was_open;
}}
fn aw_still_open() -> u32 {{
    var open = 0u;
    for (var i = 0u; i < {words}u; i++) {{ open += countOneBits(aw_open[i]); }}
    return open;
}}
"
    )
}

/// Functions that all outputs use.
pub(super) fn common(options: CodeOptions) -> String {
    let count = match options.counts_outputs() {
        true => {
            "    let sent = atomicAdd(&aw_control[aw_stage.counts + aw_counts_records_out], count);
    if sent + count < sent { atomicAdd(&aw_control[aw_stage.counts + aw_counts_records_out_high], 1u); }
"
        }
        false => "",
    };
    format!(
        "\
// Takes places in a queue: the number of the first.
fn aw_take(at: u32, output: u32, count: u32) -> u32 {{
    let first = atomicAdd(&aw_control[aw_plan[at + aw_target_tail]], count);
    let capacity = aw_plan[at + aw_target_capacity];
    if first > capacity || count > capacity - first {{
        aw_fault(aw_rule_overflow, output, first + count, capacity);
        return aw_none;
    }}
{count}    return first;
}}
"
    )
}

pub(super) fn write(
    functions: &mut Functions,
    graph: &Graph,
    numbered: &NumberedOutput<'_>,
    options: CodeOptions,
) {
    let output = &numbered.node.resolved_outputs[numbered.number];
    target(functions, output, numbered);
    match output.record {
        None => counts(functions, output, numbered, options),
        Some(_) => records(functions, graph, output, numbered, options),
    }
}

/// The array index as a parameter and as an argument.
fn index(output: &ResolvedOutput) -> (&'static str, &'static str) {
    match output.is_array {
        true => ("index: u32, ", "index"),
        false => ("", ""),
    }
}

fn target(functions: &mut Functions, output: &ResolvedOutput, numbered: &NumberedOutput<'_>) {
    let name = &output.name;
    let offset = numbered.target;
    let words = TARGET.len();
    let tail = member(TARGET, "tail");
    let members = output.targets.len();
    let text = match output.is_array {
        false => {
            format!("fn aw_target_{name}() -> u32 {{\n    let at = aw_stage.targets + {offset}u;\n")
        }
        true => format!(
            "fn aw_target_{name}(index: u32) -> u32 {{\n    if index >= {members}u {{ return aw_none; }}\n    \
             let at = aw_stage.targets + {offset}u + index * {words}u;\n"
        ),
    };
    let text =
        format!("{text}    return select(at, aw_none, aw_plan[at + {tail}u] == aw_none);\n}}\n");
    functions.add(format!("aw_target_{name}"), text);
    let (parameter, argument) = index(output);
    let parameter = parameter.trim_end_matches(", ");
    functions.add(
        format!("is_valid_{name}"),
        format!("fn is_valid_{name}({parameter}) -> bool {{\n    return aw_target_{name}({argument}) != aw_none;\n}}\n"),
    );
}

/// The prologue of an allocation: an empty one returns nothing, holes are rejected, the budget is
/// checked.
fn admit(output: &ResolvedOutput, number: usize, refuse: &str) -> String {
    let (_, argument) = index(output);
    let found = if output.is_array { "index" } else { "0u" };
    format!(
        "    if count == 0u {{ {refuse} }}\n    \
         let target_at = aw_target_{name}({argument});\n    \
         if target_at == aw_none {{ aw_fault(aw_rule_hole, {number}u, {found}, {members}u); {refuse} }}\n    \
         if !aw_spend_{budget}(count, {number}u) {{ {refuse} }}\n    \
         let first = aw_take(target_at, {number}u, count);\n",
        name = output.name,
        members = output.targets.len(),
        budget = output.budget_of,
    )
}

/// In checked mode, a check that all invocations of a workgroup pass the same count.
fn agree(output: &ResolvedOutput, number: usize, options: CodeOptions) -> String {
    if !options.checked {
        return String::new();
    }
    let arguments: &[&str] = match output.is_array {
        true => &["index", "count"],
        false => &["count"],
    };
    let checks = arguments.iter().map(|argument| {
        format!(
            "    if aw_me == 0u {{ aw_agreed = {argument}; }}\n    \
             let agreed_{argument} = workgroupUniformLoad(&aw_agreed);\n    \
             if agreed_{argument} != {argument} {{ \
             aw_fault(aw_rule_not_uniform, {number}u, {argument}, agreed_{argument}); }}\n"
        )
    });
    checks.collect()
}

fn counts(
    functions: &mut Functions,
    output: &ResolvedOutput,
    numbered: &NumberedOutput<'_>,
    options: CodeOptions,
) {
    let name = &output.name;
    let (parameter, argument) = index(output);
    let admit = admit(output, numbered.number, "return;");
    functions.add(
        format!("count_thread_{name}"),
        format!("fn count_thread_{name}({parameter}count: u32) {{\n{admit}    _ = first;\n}}\n"),
    );
    if numbered.node.launch != Launch::Thread {
        let separator = if output.is_array { ", " } else { "" };
        let agree = agree(output, numbered.number, options);
        functions.add(
            format!("count_group_{name}"),
            format!(
                "fn count_group_{name}({parameter}count: u32) {{\n{agree}    \
                 if aw_me == 0u {{ count_thread_{name}({argument}{separator}count); }}\n}}\n"
            ),
        );
    }
}

fn records(
    functions: &mut Functions,
    graph: &Graph,
    output: &ResolvedOutput,
    numbered: &NumberedOutput<'_>,
    options: CodeOptions,
) {
    let name = &output.name;
    let Some(record) = output.record.map(|record| &graph.records()[record]) else {
        return;
    };
    let (parameter, argument) = index(output);
    let number = numbered.number;
    // In checked mode, a handle identifies its allocation within the invocation.
    let (id, no_id) = match options.checked {
        true => (", id: u32", ", aw_none"),
        false => ("", ""),
    };
    let nothing = format!("return Records_{name}(aw_none, 0u, 0u{no_id});");
    let admit = admit(output, number, &nothing);
    let is_tracked = |&target: &usize| graph.nodes()[target].access == InputAccess::Tracked;
    let words = record.bytes() / 4;
    // The counter of workgroups starts at zero. In checked mode all fields do, so that a field that
    // is not stored never has the value of an earlier record.
    let has_counter = output.targets.iter().flatten().any(is_tracked);
    let clear = match (options.checked, has_counter) {
        (true, _) => {
            "    for (var i = 0u; i < count * stride; i++) { aw_store(at + i, 0u); }\n".to_owned()
        }
        (false, false) => String::new(),
        (false, true) => format!(
            "    if stride > {words}u {{\n        \
             for (var i = 0u; i < count; i++) {{ aw_store(at + i * stride + {words}u, 0u); }}\n    }}\n"
        ),
    };
    functions.add(
        format!("Records_{name}"),
        format!("struct Records_{name} {{ first: u32, stride: u32, count: u32{id} }}\n"),
    );
    functions.add(
        format!("aw_alloc_{name}"),
        format!(
            "fn aw_alloc_{name}({parameter}count: u32) -> Records_{name} {{\n{admit}    \
             if first == aw_none {{ {nothing} }}\n    \
             let stride = aw_plan[target_at + aw_target_stride];\n    \
             let at = aw_plan[target_at + aw_target_base] + first * stride;\n{clear}    \
             return Records_{name}(at, stride, count{no_id});\n}}\n"
        ),
    );
    // A rejected allocation need not be completed.
    let (let_records, open) = match options.checked {
        true => (
            "var",
            "    if records.count > 0u { records.id = aw_opened(); }\n",
        ),
        false => ("let", ""),
    };
    let separator = if output.is_array { ", " } else { "" };
    let call = format!("aw_alloc_{name}({argument}{separator}count)");
    functions.add(
        format!("alloc_thread_{name}"),
        format!("fn alloc_thread_{name}({parameter}count: u32) -> Records_{name} {{\n    {let_records} records = {call};\n{open}    return records;\n}}\n"),
    );
    if numbered.node.launch != Launch::Thread {
        let agree = agree(output, number, options);
        // Zeros are written before the stores of the other invocations.
        let wait = match options.checked {
            true => "    storageBarrier();\n",
            false => "",
        };
        functions.add(
            format!("alloc_group_{name}"),
            format!(
                "var<workgroup> aw_group_{name}: Records_{name};\n\
                 fn alloc_group_{name}({parameter}count: u32) -> Records_{name} {{\n{agree}    \
                 if aw_me == 0u {{ aw_group_{name} = {call}; }}\n{wait}    \
                 {let_records} records = workgroupUniformLoad(&aw_group_{name});\n{open}    \
                 return records;\n}}\n"
            ),
        );
    }
    let close = match options.checked {
        false => "    _ = records.first;\n".to_owned(),
        true => format!(
            "    if records.count > 0u && !aw_closed(records.id) {{ \
             aw_fault(aw_rule_completed_twice, {number}u, 0u, 0u); }}\n"
        ),
    };
    functions.add(
        format!("complete_{name}"),
        format!("fn complete_{name}(records: Records_{name}) {{\n{close}}}\n"),
    );
    let report = match options.checked {
        false => String::new(),
        true => format!(
            "if records.first != aw_none {{ aw_fault(aw_rule_output_index, {number}u, i, records.count); }} "
        ),
    };
    // A completed allocation has no records any more.
    let report_closed = match options.checked {
        false => String::new(),
        true => format!(
            "    if !aw_is_open(records.id) {{ aw_fault(aw_rule_after_complete, {number}u, i, 0u); $RETURN }}\n"
        ),
    };
    let find = format!(
        "    if i >= records.count {{ {report}$RETURN }}\n{report_closed}    let aw_at = records.first + i * records.stride;\n"
    );
    let parameters = format!("records: Records_{name}, i: u32");
    let location = RecordLocation {
        owner: name,
        parameters: &parameters,
        find: &find,
        arena: super::prelude::arena(graph, numbered.node),
    };
    let element = options.fault("aw_rule_element", &format!("{number}u"));
    let checks = Checks { element: &element };
    for field in record.fields() {
        for wanted in [Function::Load, Function::Store] {
            functions.extend(fields::functions(field, &location, wanted, &checks));
        }
    }
}
