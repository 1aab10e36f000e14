//! The description of a random graph, before it is written as WGSL or modelled.
//!
//! The body of every node derives from these few numbers, in the same way in `wgsl` and in `model`.

use anywarp_graph::device::{CpuRecords, LocalArguments};
use anywarp_graph::model::{NodeId, Scalar};
use anywarp_graph::{Graph, RecordType};

/// A graph and how it is run.
pub(crate) struct Shape {
    pub(crate) graph: Graph,
    /// Bodies in the order of the graph's nodes.
    pub(crate) bodies: Vec<Body>,
    /// The maximum workgroup count in each dimension that the values of a record's grid field have.
    pub(crate) limits: Vec<[u32; 3]>,
    pub(crate) inputs: Vec<InputShape>,
    pub(crate) local: LocalArguments,
    /// One in this number of invocations sends anything.
    pub(crate) thin: u32,
    /// Nodes that are declared as something else, and overridden.
    pub(crate) overridden: u32,
}

/// The behaviour of a node.
pub(crate) struct Body {
    /// Its index among the graph's nodes.
    pub(crate) number: u32,
    /// The workgroup size.
    pub(crate) threads: u32,
    /// The local argument words that it reads.
    pub(crate) words: u32,
    /// Whether a broadcasting node loads fields for the whole workgroup at once.
    pub(crate) uniform: bool,
    /// A `u32` field of a shared record into which all workgroups add.
    pub(crate) sum: Option<String>,
    pub(crate) outputs: Vec<OutputBody>,
}

/// Which invocations allocate the records of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Every invocation its own.
    Thread,
    /// The workgroup collectively.
    Group,
    /// One invocation of the last workgroup of a grid.
    Last,
}

/// An output of a node.
pub(crate) struct OutputBody {
    pub(crate) style: Style,
    /// The maximum number of records of one allocation; in coalescing nodes, for one record.
    pub(crate) each: u32,
    /// Whether it is always the maximum.
    pub(crate) is_full: bool,
    /// For arrays: indices up to here are tried.
    pub(crate) indices: Option<u32>,
    /// Whether stored fields are loaded again.
    pub(crate) reads_back: bool,
}

/// Records from the host.
pub(crate) struct InputShape {
    pub(crate) node: NodeId,
    pub(crate) count: u32,
    pub(crate) stride: Option<u32>,
    pub(crate) bytes: Vec<u8>,
}

impl InputShape {
    pub(crate) fn records(&self) -> CpuRecords<'_> {
        CpuRecords {
            stride: self.stride,
            ..CpuRecords::new(self.node.clone(), self.count, &self.bytes)
        }
    }
}

/// A component of a record.
#[derive(Clone)]
pub(crate) struct Component {
    pub(crate) field: String,
    pub(crate) scalar: Scalar,
    pub(crate) element: Option<u32>,
    pub(crate) component: u32,
    /// How many components the field has.
    pub(crate) of: u32,
    /// A number that is unique within the record.
    pub(crate) salt: u32,
    /// For a grid: values go up to here.
    pub(crate) limit: Option<u32>,
}

impl Component {
    /// The bits of the component for a hash.
    pub(crate) fn bits(&self, hash: u32) -> u32 {
        match (self.limit, self.scalar) {
            (Some(limit), _) => hash % (limit + 1),
            (None, Scalar::F32) => ((hash & 0xff_ffff) as f32).to_bits(),
            (None, Scalar::U16) => hash & 0xffff,
            (None, _) => hash,
        }
    }
}

/// All components of a record, in order.
pub(crate) fn components(record: &RecordType, limit: [u32; 3]) -> Vec<Component> {
    let mut found = Vec::new();
    for field in record.fields() {
        let is_grid = record.grid_field() == Some(field);
        for element in 0..field.ty.elements.unwrap_or(1) {
            for component in 0..field.ty.components {
                found.push(Component {
                    field: field.name.clone(),
                    scalar: field.ty.scalar,
                    element: field.ty.elements.map(|_| element),
                    component,
                    of: field.ty.components,
                    salt: found.len() as u32,
                    limit: is_grid.then(|| limit[component as usize]),
                });
            }
        }
    }
    found
}

impl Shape {
    /// The maximum number of records of an input.
    pub(crate) fn largest_input(&self) -> u32 {
        self.inputs
            .iter()
            .map(|input| input.count)
            .max()
            .unwrap_or(0)
    }

    /// The maximum number of records of all inputs of an entry together.
    pub(crate) fn max_for_an_entry(&self) -> u64 {
        let inputs = self.inputs.iter();
        let entries = inputs.clone().map(|entry| {
            let same = inputs.clone().filter(|input| input.node == entry.node);
            same.map(|input| u64::from(input.count)).sum()
        });
        entries.max().unwrap_or(0)
    }

    /// Outputs to arrays that contain the sender and other nodes.
    pub(crate) fn arrays_with_a_recursing_member(&self) -> u32 {
        let nodes = self.graph.nodes().iter().enumerate();
        let outputs =
            nodes.flat_map(|(index, node)| node.resolved_outputs.iter().map(move |it| (index, it)));
        let found = outputs.filter(|(index, output)| {
            let targets: Vec<_> = output.targets.iter().flatten().collect();
            targets.len() > 1 && targets.contains(&index)
        });
        found.count() as u32
    }

    /// Records from the host whose dynamic grid has no workgroup.
    pub(crate) fn grids_of_nothing(&self) -> u32 {
        let inputs = self.inputs.iter().filter(|input| input.count > 0);
        let found = inputs.filter(|input| {
            let node = self.graph.node(&input.node).unwrap();
            let record = self.graph.input_record(node);
            let grid = record.and_then(RecordType::grid_field);
            let grid = grid.filter(|_| self.graph.has_dynamic_grid(node));
            grid.is_some_and(|grid| {
                let bytes =
                    &input.bytes[grid.offset as usize..][..grid.ty.element_bytes() as usize];
                let components = bytes.chunks(grid.ty.scalar.bytes() as usize);
                components
                    .into_iter()
                    .any(|it| it.iter().all(|&byte| byte == 0))
            })
        });
        found.count() as u32
    }

    pub(crate) fn components(&self, record: Option<usize>) -> Vec<Component> {
        record.map_or(Vec::new(), |record| {
            components(&self.graph.records()[record], self.limits[record])
        })
    }
}

/// Combines two numbers. Each is used once: some compilers follow every use of a number, and never
/// finish if a hash of hashes uses each twice.
pub(crate) fn mix(a: u32, b: u32) -> u32 {
    let mixed = a ^ b.wrapping_mul(0x9e37_79b1);
    let mixed = mixed.wrapping_mul(0x2c1b_3c6d).wrapping_add(0x85eb_ca77);
    mixed.reverse_bits().wrapping_mul(0x297a_2d39)
}

/// The same as WGSL.
pub(crate) const MIX: &str = "\
fn mix_in(a: u32, b: u32) -> u32 {
    return reverseBits((a ^ (b * 0x9e3779b1u)) * 0x2c1b3c6du + 0x85ebca77u) * 0x297a2d39u;
}
";

/// Salts that separate hashes of different purposes.
pub(crate) mod salt {
    pub(crate) const OUTPUT: u32 = 100;
    pub(crate) const INDEX: u32 = 7;
    pub(crate) const RECORD: u32 = 11;
    pub(crate) const INVALID: u32 = 9;
    pub(crate) const READ_BACK: u32 = 10;
    pub(crate) const REWRITTEN: u32 = 13;
    pub(crate) const ADDED: u32 = 77;
    pub(crate) const TOTAL: u32 = 55;
    pub(crate) const GROUP: u32 = 33;
}
