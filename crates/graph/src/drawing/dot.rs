//! Exports a drawing to the DOT language of Graphviz.

use std::fmt::Write;

use super::Drawing;

/// The DOT text. Writing to a string cannot fail.
pub(super) fn write(drawing: &Drawing) -> String {
    let mut text = format!(
        "digraph {} {{\n    rankdir=TB;\n    node [shape=box, style=rounded, fontname=\"sans-serif\"];\n    \
         edge [fontname=\"sans-serif\", fontsize=10];\n",
        quoted(&drawing.title)
    );
    for node in &drawing.boxes {
        let name = quoted(&node.name);
        let lines: Vec<_> = [&node.name]
            .into_iter()
            .chain(&node.lines)
            .cloned()
            .collect();
        let _ = writeln!(text, "    {name} [label={}];", quoted(&lines.join("\n")));
        if let Some(record) = &node.entry_record {
            let input = quoted(&format!("input of {}", node.name));
            let label = quoted(record);
            let _ = writeln!(
                text,
                "    {input} [shape=point];\n    {input} -> {name} [label={label}];"
            );
        }
    }
    let name = |index: usize| quoted(&drawing.boxes[index].name);
    for arrow in &drawing.arrows {
        let label = quoted(&arrow.lines.join("\n"));
        let (from, to) = (name(arrow.from), name(arrow.to));
        let _ = writeln!(text, "    {from} -> {to} [label={label}];");
    }
    for &(owner, sharer) in &drawing.shared {
        let (owner, sharer) = (name(owner), name(sharer));
        let _ = writeln!(
            text,
            "    {owner} -> {sharer} [style=dashed, arrowhead=none, label=\"same input\"];"
        );
    }
    text.push_str("}\n");
    text
}

/// Quotes a DOT string, with line breaks as `
/// `.
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
                    .input_type("R")
                    .recursion(2)
                    .output(Output::of_type("n", "R", 4).named("again"))
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
