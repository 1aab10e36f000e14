//! Draws a graph as a diagram.
//!
//! In: a graph, and optionally the counts of a run. Out: a [`Drawing`]: labels of boxes and arrows
//! and their connections, from which `dot` generates text for Graphviz and `svg` an image. What
//! always holds: a box for each node, an arrow for each output and member of an array, a line for
//! each shared input.

mod dot;
mod layered_layout;
mod svg;

use std::collections::HashMap;

use crate::device::{Report, StageCounts};
use crate::model::{Graph, Grid, Launch, NodeIndex, ResolvedNode, ResolvedOutput};
use crate::plan::Plan;

/// The contents of a diagram, without positions.
struct Drawing {
    title: String,
    boxes: Vec<NodeBox>,
    arrows: Vec<Arrow>,
    /// Pairs of an input's owner and a node that shares the input.
    shared: Vec<(NodeIndex, NodeIndex)>,
}

/// A node.
struct NodeBox {
    name: String,
    /// The lines below the name.
    lines: Vec<String>,
    /// The first level at which the node runs.
    level: u32,
    /// The record type that the host feeds, if it is an entry; empty records have no name.
    entry_record: Option<String>,
}

/// The records that a node sends to another node, or to itself.
struct Arrow {
    from: NodeIndex,
    to: NodeIndex,
    lines: Vec<String>,
}

impl Graph {
    /// The graph in the DOT language. With the plan and the report of a run, nodes show their
    /// counts.
    pub fn to_dot(&self, run: Option<(&Plan, &Report)>) -> String {
        dot::write(&Drawing::new(self, run))
    }

    /// The graph as an SVG image. With the plan and the report of a run, nodes show their counts.
    pub fn to_svg(&self, run: Option<(&Plan, &Report)>) -> String {
        svg::write(&Drawing::new(self, run))
    }
}

impl Drawing {
    fn new(graph: &Graph, run: Option<(&Plan, &Report)>) -> Self {
        let nodes = graph.nodes().iter().enumerate();
        let levels = first_levels(graph);
        let counted = run.map(|(plan, report)| Counted::new(graph, plan, report));
        let mut drawing = Self {
            title: graph.name().to_owned(),
            boxes: Vec::new(),
            arrows: Vec::new(),
            shared: Vec::new(),
        };
        for (index, node) in nodes {
            let counts = counted.as_ref().map(|counted| counted.of_node(index));
            let node_box = node_box(graph, index, levels[index], counts);
            drawing.boxes.push(node_box);
            let sharers = node.sharers.iter().map(|&sharer| (index, sharer));
            drawing.shared.extend(sharers);
            for output in &node.resolved_outputs {
                drawing.add_arrows(graph, (index, node), output);
            }
        }
        if let Some(counted) = counted {
            drawing.count_arrows(graph, &counted);
        }
        drawing
    }

    fn add_arrows(
        &mut self,
        graph: &Graph,
        (from, node): (NodeIndex, &ResolvedNode),
        output: &ResolvedOutput,
    ) {
        let record = match output.record {
            Some(record) => graph.records()[record].name(),
            None => "empty",
        };
        let budget = match node.resolved_outputs.get(output.budget_of) {
            Some(other) if other.name != output.name => format!("shares {}", other.name),
            _ => format!("at most {}", output.max_records),
        };
        for (index, target) in output.targets.iter().enumerate() {
            let Some(to) = *target else { continue };
            let member = if output.is_array {
                format!("[{index}]")
            } else {
                String::new()
            };
            let name = format!("{}{member}: {record}", output.name);
            self.arrows.push(Arrow {
                from,
                to,
                lines: vec![name, budget.clone()],
            });
        }
    }

    /// Labels arrows with counts. A run counts the records that nodes receive, so an arrow is
    /// labelled only if no other arrow, and not the host, sends records to the same node.
    fn count_arrows(&mut self, graph: &Graph, counted: &Counted) {
        // Records that a node sends to itself arrive at its later steps.
        let kind = |arrow: &Arrow| (arrow.to, arrow.from == arrow.to);
        let mut bringing = HashMap::<_, usize>::new();
        for arrow in &self.arrows {
            *bringing.entry(kind(arrow)).or_default() += 1;
        }
        for arrow in &mut self.arrows {
            let (to, is_own) = kind(arrow);
            let copies_inputs = !is_own && graph.nodes()[to].entry;
            if !copies_inputs && bringing[&(to, is_own)] == 1 {
                let got = counted.steps[to][usize::from(is_own)].records_in;
                arrow.lines.push(format!("{got} sent"));
            }
        }
    }
}

/// The first level of each node.
fn first_levels(graph: &Graph) -> Vec<u32> {
    let mut levels = vec![0; graph.nodes().len()];
    for stage in graph.stages().iter().filter(|stage| stage.step == 0) {
        levels[stage.node] = stage.level;
    }
    levels
}

fn node_box(graph: &Graph, index: NodeIndex, level: u32, counts: Option<StageCounts>) -> NodeBox {
    let node = &graph.nodes()[index];
    let mut lines = vec![mode(node.launch)];
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
            counts.groups, counts.max_waiting
        ));
    }
    let record = node.record.map(|record| graph.records()[record].name());
    NodeBox {
        name: node.id.to_string(),
        lines,
        level,
        entry_record: node.entry.then(|| record.unwrap_or_default().to_owned()),
    }
}

/// The counts of nodes.
struct Counted {
    /// For each node its first step, and the sum of all later ones.
    steps: Vec<[StageCounts; 2]>,
}

impl Counted {
    fn new(graph: &Graph, plan: &Plan, report: &Report) -> Self {
        let mut steps = vec![[StageCounts::default(); 2]; graph.nodes().len()];
        for (planned, counts) in plan.stages().iter().zip(&report.stages) {
            let is_later = planned.stage.step > 0;
            let sum = &mut steps[planned.stage.node][usize::from(is_later)];
            *sum = together(*sum, *counts);
        }
        Self { steps }
    }

    fn of_node(&self, node: NodeIndex) -> StageCounts {
        let [first, later] = self.steps[node];
        together(first, later)
    }
}

fn together(a: StageCounts, b: StageCounts) -> StageCounts {
    StageCounts {
        records_in: a.records_in + b.records_in,
        groups: a.groups + b.groups,
        records_out: a.records_out + b.records_out,
        max_waiting: a.max_waiting.max(b.max_waiting),
    }
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
