//! Generates random small graphs by seed.
//!
//! Out: a [`Shape`] that obeys every rule and whose run is neither empty nor long. Other candidates
//! are discarded, and the next one is generated from the same random stream.

use anywarp_graph::device::LocalArguments;
use anywarp_graph::model::{Budget, FieldType, Grid, InputAccess, Launch, NodeId, Scalar, Target};
use anywarp_graph::{Graph, Node, Output, RecordType};

use crate::random::chance::Chance;
use crate::random::shape::{Body, OutputBody, Shape, Style};
use crate::random::{disguise, inputs, model};

/// Records of an input that fill more than one block of a scan, which has 1024.
const WIDE: [u32; 2] = [1100, 2600];

/// Occasionally an input is large.
fn is_wide(seed: u64) -> bool {
    seed % 17 == 9
}

/// The maximum number of launches of a graph. With the minimal memory each may take a sweep, so
/// only some graphs are long.
fn max_launches(seed: u64) -> u64 {
    match seed {
        seed if is_wide(seed) => 12_000,
        seed if seed.is_multiple_of(8) => 400,
        _ => 100,
    }
}

/// Nodes of one name.
struct Family {
    name: String,
    record: Option<usize>,
    launch: Launch,
    members: Vec<u32>,
    /// Outputs lead to families of a higher order.
    order: usize,
    /// The family and member whose input it shares.
    shares: Option<(usize, u32)>,
}

/// A graph for a seed, and its expected log.
pub(crate) fn shape(seed: u64) -> (Shape, Vec<(u32, u32)>) {
    let mut chance = Chance::new(seed);
    loop {
        let Some(mut shape) = attempt(&mut chance, is_wide(seed)) else {
            continue;
        };
        // Reduces the number of sent records until the run is short.
        while shape.thin <= 64 {
            if let Ok(log) = model::run(&shape, max_launches(seed), |waiting| waiting) {
                if log.is_empty() {
                    break;
                }
                (shape.graph, shape.overridden) = disguise::with_texts(&mut chance, &shape);
                return (shape, log);
            }
            shape.thin *= 2;
        }
    }
}

fn attempt(chance: &mut Chance, is_wide: bool) -> Option<Shape> {
    let (records, limits) = records(chance);
    let families = families(chance, &records, &limits);
    let mut nodes = Vec::new();
    let mut bodies = Vec::new();
    for family in &families {
        for &member in &family.members {
            let (node, body) = node(
                chance,
                family,
                member,
                &families,
                &records,
                nodes.len() as u32,
            );
            nodes.push(node);
            bodies.push(body);
        }
    }
    feed_the_unfed(chance, &mut nodes);
    let mut builder = Graph::builder("random");
    for record in &records {
        builder = builder.record(record.clone());
    }
    for node in nodes {
        builder = builder.node(node);
    }
    let graph = builder.build().ok()?;
    let mut shape = Shape {
        graph,
        bodies,
        limits,
        inputs: Vec::new(),
        local: LocalArguments::default(),
        thin: 1,
        overridden: 0,
    };
    shape.local = local_arguments(chance, &shape);
    shape.inputs = inputs::inputs(chance, &shape);
    if is_wide {
        let mut entries = shape.graph.entries().iter().copied();
        // Only dynamic grids are scanned.
        let entry = entries.find(|&entry| shape.graph.has_dynamic_grid(entry))?;
        let count = chance.between(WIDE[0], WIDE[1]);
        let input = inputs::input(chance, &shape, entry, count);
        shape.inputs.push(input);
    }
    Some(shape)
}

fn records(chance: &mut Chance) -> (Vec<RecordType>, Vec<[u32; 3]>) {
    let mut records = Vec::new();
    let mut limits = Vec::new();
    for number in 0..chance.between(1, 3) {
        let mut record = RecordType::new(format!("R{number}"));
        let fields = chance.between(1, 4);
        let grid = chance.one_in(2).then(|| chance.below(fields));
        for field in 0..fields {
            let name = format!("f{field}");
            record = if grid == Some(field) {
                let scalar = chance.of(&[Scalar::U16, Scalar::U32]);
                record.grid(name, FieldType::of(scalar, chance.between(1, 3)))
            } else {
                record.field(name, field_type(chance))
            };
        }
        if chance.one_in(2) {
            record = record.field("total", FieldType::U32);
        }
        records.push(record);
        limits.push([
            chance.between(1, 4),
            chance.between(1, 3),
            chance.between(1, 2),
        ]);
    }
    (records, limits)
}

fn field_type(chance: &mut Chance) -> FieldType {
    let scalar = chance.of(&[
        Scalar::U16,
        Scalar::U16,
        Scalar::U32,
        Scalar::I32,
        Scalar::F32,
    ]);
    let ty = FieldType::of(scalar, chance.of(&[1, 1, 2, 3, 4]));
    if chance.one_in(4) {
        ty.array(chance.between(1, 3))
    } else {
        ty
    }
}

fn families(chance: &mut Chance, records: &[RecordType], limits: &[[u32; 3]]) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    let mut room = 8;
    for order in 0..chance.between(1, 5) as usize {
        let members = chance.of::<&[u32]>(&[&[0], &[0], &[0], &[2], &[0, 1], &[0, 2], &[1, 2, 3]]);
        if members.len() > room {
            continue;
        }
        room -= members.len();
        let record = (!chance.one_in(5)).then(|| chance.below(records.len() as u32) as usize);
        families.push(Family {
            name: format!("n{order}"),
            launch: launch(chance, record, records, limits),
            record,
            members: members.to_vec(),
            order,
            shares: None,
        });
    }
    for number in 0..chance.below(3) as usize {
        let owner = chance.below(families.len() as u32) as usize;
        if room == 0 || families[owner].shares.is_some() {
            continue;
        }
        room -= 1;
        let record = families[owner].record;
        let member = chance.of(&families[owner].members);
        families.push(Family {
            name: format!("s{number}"),
            launch: launch(chance, record, records, limits),
            record,
            members: vec![0],
            order: families[owner].order,
            shares: Some((owner, member)),
        });
    }
    families
}

fn launch(
    chance: &mut Chance,
    record: Option<usize>,
    records: &[RecordType],
    limits: &[[u32; 3]],
) -> Launch {
    let workgroup_size = chance.of(&[[1, 1, 1], [4, 1, 1], [2, 3, 1], [3, 1, 2], [32, 1, 1]]);
    match chance.below(4) {
        0 => Launch::Thread,
        1 => Launch::Coalescing {
            max_records: chance.of(&[1, 2, 3, 5, 8, 40]),
            workgroup_size,
        },
        _ => {
            let has_grid = record.filter(|&record| records[record].grid_field().is_some());
            let grid = match has_grid.filter(|_| !chance.one_in(4)) {
                Some(record) => Grid::Dynamic {
                    max: limits[record].map(|side| side + chance.below(2)),
                },
                None => Grid::Fixed([
                    chance.between(1, 3),
                    chance.between(1, 2),
                    chance.between(1, 2),
                ]),
            };
            Launch::Broadcasting {
                grid,
                workgroup_size,
            }
        }
    }
}

fn node(
    chance: &mut Chance,
    family: &Family,
    member: u32,
    families: &[Family],
    records: &[RecordType],
    number: u32,
) -> (Node, Body) {
    let mut node = Node::thread((family.name.as_str(), member));
    node.launch = family.launch;
    node.input = family
        .record
        .map(|record| records[record].name().to_owned());
    node.entry = family.shares.is_none() && chance.one_in(4);
    node.local_row = chance.one_in(3).then(|| chance.below(6));
    let is_shared = families.iter().any(|other| {
        other
            .shares
            .is_some_and(|(owner, shared)| families[owner].name == family.name && shared == member)
    });
    if let Some((owner, shared)) = family.shares {
        node.shares_input_of = Some((families[owner].name.as_str(), shared).into());
    } else if !is_shared && family.record.is_some() {
        node.access = access(chance, family, records);
    }
    let broadcasts = matches!(family.launch, Launch::Broadcasting { .. });
    let sum = (broadcasts && node.access != InputAccess::ReadOnly).then(|| "total".to_owned());
    let mut body = Body {
        number,
        threads: threads(family.launch),
        words: chance.below(3),
        uniform: broadcasts && chance.one_in(2),
        sum,
        outputs: Vec::new(),
    };
    outputs(chance, &mut node, &mut body, family, families, records);
    (node, body)
}

fn access(chance: &mut Chance, family: &Family, records: &[RecordType]) -> InputAccess {
    let broadcasts = matches!(family.launch, Launch::Broadcasting { .. });
    let has_total = family.record.is_some_and(|record| {
        let fields = records[record].fields();
        fields.iter().any(|field| field.name == "total")
    });
    match (broadcasts, has_total) {
        (true, true) => chance.of(&[
            InputAccess::ReadOnly,
            InputAccess::ReadWrite,
            InputAccess::Tracked,
            InputAccess::Tracked,
        ]),
        (true, false) => InputAccess::ReadOnly,
        (false, _) => chance.of(&[InputAccess::ReadOnly, InputAccess::ReadWrite]),
    }
}

fn threads(launch: Launch) -> u32 {
    match launch {
        Launch::Thread => 1,
        Launch::Coalescing { workgroup_size, .. } | Launch::Broadcasting { workgroup_size, .. } => {
            workgroup_size.iter().product()
        }
    }
}

fn outputs(
    chance: &mut Chance,
    node: &mut Node,
    body: &mut Body,
    family: &Family,
    families: &[Family],
    records: &[RecordType],
) {
    // The number of records that each budget must cover.
    let mut budgets: Vec<u32> = Vec::new();
    let mut owners: Vec<usize> = Vec::new();
    for number in 0..chance.below(4) as usize {
        // Only one member of an array sends to it, so that there are no cycles.
        let is_first = family.members.first() == Some(&node.id.index);
        let is_self = family.shares.is_none() && is_first && chance.one_in(4);
        let later: Vec<_> = families
            .iter()
            .filter(|other| other.order > family.order && other.shares.is_none())
            .collect();
        let to = if is_self {
            family
        } else if later.is_empty() {
            continue;
        } else {
            chance.of(&later)
        };
        let (target, indices) = if is_self && family.members.len() > 1 {
            array_target(chance, to)
        } else {
            target(chance, to)
        };
        if is_self {
            node.recursion = chance.between(1, 3);
        }
        let mut output = OutputBody {
            style: style(chance, node, family.launch),
            each: chance.between(1, 3),
            is_full: chance.one_in(3),
            indices,
            reads_back: to.record.is_some() && chance.one_in(3),
        };
        let times = match (output.style, family.launch) {
            (Style::Last, _) | (_, Launch::Thread) => 1,
            (_, Launch::Coalescing { max_records, .. }) => max_records,
            (Style::Thread, _) => body.threads,
            (Style::Group, _) => 1,
        };
        if output.style == Style::Last {
            output.each = 1;
        }
        if times > 8 {
            output.each = 1;
        }
        let name = format!("o{}", body.outputs.len());
        let mut declared = Output::of_type("", "", 1).named(&name);
        declared.target = target;
        declared.record = to.record.map(|record| records[record].name().to_owned());
        let earlier: Vec<_> = (0..owners.len()).filter(|&it| owners[it] == it).collect();
        if number > 0 && !earlier.is_empty() && chance.one_in(3) {
            let owner = chance.of(&earlier);
            budgets[owner] += output.each * times;
            owners.push(owner);
            declared = declared.share_budget(format!("o{owner}"));
        } else {
            owners.push(owners.len());
        }
        if owners.last() == Some(&(owners.len() - 1)) {
            budgets.push(output.each * times + chance.below(2));
        } else {
            budgets.push(0);
        }
        node.outputs.push(declared);
        body.outputs.push(output);
    }
    for (index, output) in node.outputs.iter_mut().enumerate() {
        if owners[index] == index {
            output.budget = Budget::Own(budgets[index]);
        }
    }
}

/// The target of an output, and the indices to try.
fn target(chance: &mut Chance, to: &Family) -> (Target, Option<u32>) {
    if !chance.one_in(4) {
        return array_target(chance, to);
    }
    let (name, index) = (to.name.clone(), chance.of(&to.members));
    (Target::Node(NodeId { name, index }), None)
}

/// The same, with the whole family as the target.
fn array_target(chance: &mut Chance, to: &Family) -> (Target, Option<u32>) {
    let name = to.name.clone();
    let end = to.members.iter().max().unwrap() + 1;
    let is_dense = end as usize == to.members.len();
    match chance.below(3) {
        0 if is_dense => {
            let size = chance.between(1, end);
            (Target::Dense { name, size }, Some(size + 2))
        }
        0 | 1 => {
            let size = end + chance.below(3);
            (Target::Sparse { name, size }, Some(size + 2))
        }
        _ => (Target::Unbounded { name }, Some(end + 2)),
    }
}

fn style(chance: &mut Chance, node: &Node, launch: Launch) -> Style {
    match launch {
        Launch::Thread => Style::Thread,
        _ if node.access == InputAccess::Tracked && chance.one_in(2) => Style::Last,
        _ => chance.of(&[Style::Thread, Style::Group]),
    }
}

/// Nodes without a feeder become entries.
fn feed_the_unfed(chance: &mut Chance, nodes: &mut [Node]) {
    for index in 0..nodes.len() {
        let id = nodes[index].id.clone();
        let reaches = |target: &Target| match target {
            Target::Node(node) => *node == id,
            Target::Dense { name, size } | Target::Sparse { name, size } => {
                *name == id.name && id.index < *size
            }
            Target::Unbounded { name } => *name == id.name,
        };
        let mut others = nodes
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index);
        let copies_inputs =
            others.any(|(_, other)| other.outputs.iter().any(|output| reaches(&output.target)));
        let node = &mut nodes[index];
        if node.shares_input_of.is_none() && !copies_inputs {
            node.entry = true;
        }
    }
    if !nodes.iter().any(|node| node.entry) {
        let first = chance.below(nodes.len() as u32) as usize;
        nodes[first].entry = nodes[first].shares_input_of.is_none();
    }
}

fn local_arguments(chance: &mut Chance, shape: &Shape) -> LocalArguments {
    let rows = shape
        .graph
        .nodes()
        .iter()
        .map(|node| node.row + 1)
        .max()
        .unwrap_or(0);
    let words = chance.between(2, 4);
    let bytes = (0..rows * words).flat_map(|_| chance.word().to_le_bytes());
    LocalArguments {
        bytes: bytes.collect(),
        stride: 4 * words,
    }
}
