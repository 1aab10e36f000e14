//! A graph as a drawing for Graphviz.
//!
//! In: a graph, and perhaps what a run of it counted. Out: text in the language DOT: a box for each
//! node, an arrow for each output and member of an array, a loop for recursion, a dashed line for a
//! shared input.

use std::fmt::Write;

use crate::device::{Report, StageCounts};
use crate::model::{Graph, Grid, Launch, NodeIndex, Resolved, ResolvedOutput};
use crate::plan::Plan;

impl Graph {
    /// The graph in the language DOT; with the plan and the report of a run, nodes have their counts.
    pub fn to_dot(&self, run: Option<(&Plan, &Report)>) -> String {
        let mut text = format!(
            "digraph {} {{\n    rankdir=TB;\n    node [shape=box, style=rounded, fontname=\"sans-serif\"];\n    \
             edge [fontname=\"sans-serif\", fontsize=10];\n",
            quoted(self.name())
        );
        for (index, node) in self.nodes().iter().enumerate() {
            let counts = run.map(|(plan, report)| counts(plan, report, index));
            self.write_node(&mut text, node, counts);
        }
        for node in self.nodes() {
            for output in &node.ways_out {
                self.write_output(&mut text, node, output);
            }
            for &sharer in &node.sharers {
                let (owner, sharer) = (name(node), name(&self.nodes()[sharer]));
                let _ = writeln!(
                    text,
                    "    {owner} -> {sharer} [style=dashed, arrowhead=none, label=\"same input\"];"
                );
            }
        }
        text.push_str("}\n");
        text
    }

    fn write_node(&self, text: &mut String, node: &Resolved, counts: Option<StageCounts>) {
        let mut lines = vec![node.id.to_string(), mode(node.launch)];
        if node.recursion > 0 {
            lines.push(format!("recursion {}", node.recursion));
        }
        if let Some(counts) = counts {
            lines.push(format!(
                "{} records in, {} out",
                counts.records_in, counts.records_out
            ));
            lines.push(format!(
                "{} workgroups, at most {} waiting",
                counts.groups, counts.most_waiting
            ));
        }
        let label = quoted(&lines.join("\n"));
        let _ = writeln!(text, "    {} [label={label}];", name(node));
        if node.entry {
            let input = quoted(&format!("input of {}", node.id));
            let label = match node.record {
                Some(record) => quoted(self.records()[record].name()),
                None => quoted(""),
            };
            let _ = writeln!(
                text,
                "    {input} [shape=point];\n    {input} -> {} [label={label}];",
                name(node)
            );
        }
    }

    fn write_output(&self, text: &mut String, node: &Resolved, output: &ResolvedOutput) {
        let record = match output.record {
            Some(record) => self.records()[record].name(),
            None => "empty",
        };
        let budget = match node.ways_out.get(output.budget_of) {
            Some(other) if other.name != output.name => format!("shares {}", other.name),
            _ => format!("at most {}", output.max_records),
        };
        for (index, target) in output.targets.iter().enumerate() {
            let Some(target) = target else { continue };
            let member = match output.is_array {
                true => format!("[{index}]"),
                false => String::new(),
            };
            let label = quoted(&format!("{}{member}: {record}\n{budget}", output.name));
            let target = name(&self.nodes()[*target]);
            let _ = writeln!(text, "    {} -> {target} [label={label}];", name(node));
        }
    }
}

/// What all steps of a node counted.
fn counts(plan: &Plan, report: &Report, node: NodeIndex) -> StageCounts {
    let stages = plan.stages().iter().zip(&report.stages);
    let stages = stages.filter(|(stage, _)| stage.stage.node == node);
    stages.fold(StageCounts::default(), |sum, (_, counts)| StageCounts {
        records_in: sum.records_in + counts.records_in,
        groups: sum.groups + counts.groups,
        records_out: sum.records_out + counts.records_out,
        most_waiting: sum.most_waiting.max(counts.most_waiting),
    })
}

fn name(node: &Resolved) -> String {
    quoted(&node.id.to_string())
}

fn mode(launch: Launch) -> String {
    let sides = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
    match launch {
        Launch::Thread => "thread".to_owned(),
        Launch::Coalescing {
            max_records,
            workgroup_size,
        } => format!(
            "coalescing up to {max_records}, workgroup {}",
            sides(workgroup_size)
        ),
        Launch::Broadcasting {
            grid,
            workgroup_size,
        } => {
            let grid = match grid {
                Grid::Fixed(grid) => format!("grid {}", sides(grid)),
                Grid::Dynamic { max } => format!("grid up to {}", sides(max)),
            };
            format!("broadcasting, {grid}, workgroup {}", sides(workgroup_size))
        }
    }
}

/// A string of DOT, where a line break is `\n`.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            letter if letter.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use crate::model::{FieldType, Graph, Node, Output, RecordType};

    #[test]
    fn nodes_edges_recursion_and_sharing_are_drawn() {
        let graph = Graph::builder("a \"b\"")
            .record(RecordType::new("R").field("a", FieldType::U32))
            .node(
                Node::thread("n")
                    .entry()
                    .input("R")
                    .recursion(2)
                    .output(Output::to("n", "R", 4).named("again"))
                    .output(Output::empty_to("t", 1).share_budget("again")),
            )
            .node(Node::coalescing("t", 3, [8, 1, 1]))
            .node(Node::thread("s").share_input_of("t"))
            .build()
            .unwrap();
        let dot = graph.to_dot(None);
        for line in [
            "digraph \"a \\\"b\\\"\" {",
            "\"n\" [label=\"n\\nthread\\nrecursion 2\"];",
            "\"input of n\" -> \"n\" [label=\"R\"];",
            "\"n\" -> \"n\" [label=\"again: R\\nat most 4\"];",
            "\"n\" -> \"t\" [label=\"t: empty\\nshares again\"];",
            "\"t\" [label=\"t\\ncoalescing up to 3, workgroup 8x1x1\"];",
            "\"t\" -> \"s\" [style=dashed, arrowhead=none, label=\"same input\"];",
        ] {
            assert!(dot.contains(line), "{line}\n{dot}");
        }
    }
}
