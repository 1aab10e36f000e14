//! Generates the functions with which a node sends records.
//!
//! In: an output. Out: WGSL functions that allocate, fill, complete and count its records. What
//! always holds: no launch exceeds its budget, whatever the shader requests, so queues never
//! overflow; a request that exceeds it is reported, and its records are dropped.

use crate::layout::{TARGET, member};
use crate::model::{Graph, InputAccess, Launch, ResolvedNode, ResolvedOutput};

use super::ShaderOptions;
use super::fields::{self, Checks, Function, RecordLocation};
use super::template::Template;

/// An output with its index in the node.
pub(super) struct NumberedOutput<'a> {
    pub(super) node: &'a ResolvedNode,
    pub(super) number: usize,
    /// Word offset of the output's targets within those of the stage.
    pub(super) target: u32,
}

/// The outputs of a node that have a budget of their own, with their numbers.
fn own_budgets(node: &ResolvedNode) -> impl Iterator<Item = (usize, &ResolvedOutput)> {
    let outputs = node.resolved_outputs.iter().enumerate();
    outputs.filter(|(number, output)| output.budget_of == *number)
}

/// Variables that count the records that a launch has sent, one for each budget.
pub(super) fn budgets(node: &ResolvedNode) -> String {
    own_budgets(node)
        .map(|(number, output)| {
            Template::new(include_str!("templates/budget.wgsl"))
                .flag("thread", node.launch == Launch::Thread)
                .value("NUMBER", number)
                .value("MAX", output.max_records)
                .render()
        })
        .collect()
}

/// In checked mode, a bit mask of an invocation's open allocations. There are never more than
/// records, which budgets limit.
pub(super) fn handles(node: &ResolvedNode, options: ShaderOptions) -> String {
    if !options.checked {
        return String::new();
    }
    let max: u32 = own_budgets(node)
        .map(|(_, output)| output.max_records)
        .sum();
    Template::new(include_str!("templates/handles.wgsl"))
        .value("WORDS", max.div_ceil(32).max(1))
        .render()
}

/// The function with which all outputs take places in queues.
pub(super) fn take(options: ShaderOptions) -> String {
    Template::new(include_str!("templates/take.wgsl"))
        .flag("counts", options.counted)
        .render()
}

/// The functions of an output.
pub(super) fn write(
    graph: &Graph,
    numbered: &NumberedOutput<'_>,
    options: ShaderOptions,
) -> String {
    let output = &numbered.node.resolved_outputs[numbered.number];
    let sends = match output.record {
        None => counts(numbered, options),
        Some(_) => records(graph, numbered, options),
    };
    target(numbered) + &sends
}

/// A template with the values that every template of an output uses.
fn template<'a>(text: &'a str, numbered: &NumberedOutput<'_>) -> Template<'a> {
    let output = &numbered.node.resolved_outputs[numbered.number];
    let (parameter, argument, index) = if output.is_array {
        ("index: u32, ", "index, ", "index")
    } else {
        ("", "", "")
    };
    Template::new(text)
        .flag("array", output.is_array)
        .flag("group", numbered.node.launch != Launch::Thread)
        .value("NAME", &output.name)
        .value("NUMBER", numbered.number)
        .value("MEMBERS", output.targets.len())
        .value("PARAMETER", parameter)
        .value("ARGUMENT", argument)
        .value("INDEX", index)
}

fn target(numbered: &NumberedOutput<'_>) -> String {
    let output = &numbered.node.resolved_outputs[numbered.number];
    let parameter = if output.is_array { "index: u32" } else { "" };
    template(include_str!("templates/target.wgsl"), numbered)
        .value("OFFSET", numbered.target)
        .value("WORDS", TARGET.len())
        .value("TAIL", member(TARGET, "tail"))
        .value("INDEXPARAMETER", parameter)
        .render()
}

/// The prologue of an allocation: an empty one returns nothing, holes are rejected, the budget is
/// checked.
fn admit(numbered: &NumberedOutput<'_>, refuse: &str) -> String {
    let output = &numbered.node.resolved_outputs[numbered.number];
    template(include_str!("templates/admit.wgsl"), numbered)
        .value("REFUSE", refuse)
        .value("FOUND", if output.is_array { "index" } else { "0u" })
        .value("BUDGET", output.budget_of)
        .render()
}

/// In checked mode, a check that all invocations of a workgroup pass the same count.
fn agree(numbered: &NumberedOutput<'_>, options: ShaderOptions) -> String {
    if !options.checked {
        return String::new();
    }
    template(include_str!("templates/agree.wgsl"), numbered).render()
}

fn counts(numbered: &NumberedOutput<'_>, options: ShaderOptions) -> String {
    template(include_str!("templates/counted_output.wgsl"), numbered)
        .value("ADMIT", admit(numbered, "return;"))
        .value("AGREE", agree(numbered, options))
        .render()
}

fn records(graph: &Graph, numbered: &NumberedOutput<'_>, options: ShaderOptions) -> String {
    let output = &numbered.node.resolved_outputs[numbered.number];
    let Some(record) = output.record.map(|record| &graph.records()[record]) else {
        return String::new();
    };
    let name = &output.name;
    // In checked mode, a handle identifies its allocation within the invocation.
    let no_id = if options.checked { ", aw_none" } else { "" };
    let refuse = format!("return Records_{name}(aw_none, 0u, 0u{no_id});");
    let is_tracked = |&target: &usize| graph.nodes()[target].access == InputAccess::Tracked;
    // The counter of workgroups starts at zero. In checked mode all fields do, so that a field that
    // is not stored never has the value of an earlier record.
    let has_counter = output.targets.iter().flatten().any(is_tracked);
    let mut text = template(include_str!("templates/record_output.wgsl"), numbered)
        .flag("checked", options.checked)
        .flag("counter", has_counter)
        .value("WORDS", record.bytes() / 4)
        .value("ADMIT", admit(numbered, &refuse))
        .value("AGREE", agree(numbered, options))
        .value("REFUSE", &refuse)
        .render();
    let find = template(include_str!("templates/find_output_record.wgsl"), numbered)
        .flag("checked", options.checked)
        .render();
    let location = RecordLocation {
        owner: name,
        parameters: &format!("records: Records_{name}, i: u32"),
        find: &find,
        arena: super::prelude::arena(graph, numbered.node),
    };
    let element = options.fault("aw_rule_element", &format!("{}u", numbered.number));
    let checks = Checks { element: &element };
    for field in record.fields() {
        for wanted in [Function::Load, Function::Store] {
            text += &fields::functions(field, &location, wanted, &checks);
        }
    }
    text
}
