//! The reference implementation (test oracle) of work graphs, without a device.
//!
//! In: a [`Graph`], the bodies of its nodes as Rust closures, and records from the host. Out: the
//! side effects of the closures. Everything runs sequentially from a list of pending records,
//! without queues of fixed size, levels or a memory limit. What always holds: each record is
//! delivered once to the node it was sent to and once to each node that shares that input, and the
//! first rule violation ends the run.

mod fault;
mod launch;
mod record;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

pub use fault::{OracleError, OracleFault};
pub use launch::OracleLaunch;
pub use record::OracleRecord;

use crate::host_data::{CpuRecords, LocalArguments};
use crate::layout::DeviceRule;
use crate::model::{Graph, Grid, InputAccess, Launch, NodeId, NodeIndex, RecordType};

/// The body of a node: called once for each workgroup, or once for each record of a thread node.
type Body<'a> = Box<dyn FnMut(&mut OracleLaunch<'_>) -> Result<(), OracleFault> + 'a>;

/// Chooses how many of the waiting records a workgroup of a coalescing node receives.
type Grouping<'a> = Box<dyn FnMut(u32) -> u32 + 'a>;

/// A node at one step of its recursion.
type QueueKey = (NodeIndex, u32);

/// Runs graphs sequentially, one launch after the other.
///
/// ```
/// use anywarp_graph::device::CpuRecords;
/// use anywarp_graph::model::FieldType;
/// use anywarp_graph::oracle::Oracle;
/// use anywarp_graph::{Graph, Node, Output, RecordType};
///
/// let graph = Graph::builder("halves")
///     .record(RecordType::new("Number").field("n", FieldType::U32))
///     .node(
///         Node::thread("halve")
///             .input_type("Number")
///             .entry()
///             .recursion(8)
///             .output(Output::of_type("halve", "Number", 1)),
///     )
///     .build()?;
/// let mut seen = Vec::new();
/// let mut oracle = Oracle::new(&graph);
/// oracle.body("halve", |launch| {
///     let n = launch.record(0)?.get("n", 0, 0)?;
///     seen.push(n);
///     if n > 1 && launch.is_valid("halve", 0)? {
///         let mut half = launch.new_record("halve")?;
///         half.set("n", 0, 0, n / 2)?;
///         launch.send("halve", 0, [half])?;
///     }
///     Ok(())
/// })?;
/// oracle.run(&[CpuRecords::new("halve", 1, &9_u32.to_le_bytes())])?;
/// drop(oracle);
/// assert_eq!(seen, [9, 4, 2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Oracle<'a> {
    graph: &'a Graph,
    types: Vec<Arc<RecordType>>,
    bodies: Vec<Option<Body<'a>>>,
    grouping: Grouping<'a>,
    local: LocalArguments,
    max_launches: u64,
}

impl fmt::Debug for Oracle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oracle")
            .field("graph", &self.graph)
            .field("local", &self.local)
            .field("max_launches", &self.max_launches)
            .finish_non_exhaustive()
    }
}

impl<'a> Oracle<'a> {
    /// An oracle for a graph, without bodies.
    pub fn new(graph: &'a Graph) -> Self {
        Self {
            types: graph.records().iter().cloned().map(Arc::new).collect(),
            bodies: graph.nodes().iter().map(|_| None).collect(),
            grouping: Box::new(|pending| pending),
            local: LocalArguments::default(),
            max_launches: u64::MAX,
            graph,
        }
    }

    /// Sets the body of a node.
    pub fn body(
        &mut self,
        node: impl Into<NodeId>,
        body: impl FnMut(&mut OracleLaunch<'_>) -> Result<(), OracleFault> + 'a,
    ) -> Result<(), OracleError> {
        let id = node.into();
        let node = self.graph.node(&id).ok_or(OracleError::UnknownNode(id))?;
        self.bodies[node] = Some(Box::new(body));
        Ok(())
    }

    /// Sets how many of the waiting records a workgroup of a coalescing node receives. The result
    /// is clamped to between one and the node's maximum. Without this, workgroups are as full as
    /// possible.
    pub fn grouping(&mut self, grouping: impl FnMut(u32) -> u32 + 'a) {
        self.grouping = Box::new(grouping);
    }

    /// Sets the local arguments of nodes.
    pub fn local_arguments(&mut self, local: LocalArguments) {
        self.local = local;
    }

    /// Sets the maximum number of launches; a run that exceeds it is an error.
    pub fn max_launches(&mut self, max: u64) {
        self.max_launches = max;
    }

    /// Runs until no record is pending, and returns the number of launches.
    pub fn run(&mut self, inputs: &[CpuRecords<'_>]) -> Result<u64, OracleError> {
        let mut pending = PendingRecords::default();
        for input in inputs {
            self.add_input(&mut pending, input)?;
        }
        let mut launches = 0;
        while let Some((key, queue)) = pending.next() {
            let taken = self.take(key.0, queue);
            let sent = self.launch(key, taken, &mut launches)?;
            for (target, record) in sent {
                let step = if target == key.0 { key.1 + 1 } else { 0 };
                self.deliver(&mut pending, target, step, &record);
            }
        }
        Ok(launches)
    }

    fn add_input(
        &self,
        pending: &mut PendingRecords,
        input: &CpuRecords<'_>,
    ) -> Result<(), OracleError> {
        let unknown = || OracleError::UnknownNode(input.node.clone());
        let node = self.graph.node(&input.node).ok_or_else(unknown)?;
        if !self.graph.nodes()[node].entry {
            return Err(OracleError::NoEntry(input.node.clone()));
        }
        let short = || OracleError::ShortInput(input.node.clone());
        for index in 0..input.count as usize {
            let mut record = self.new_record(self.graph.nodes()[node].record);
            let size = record.bytes().len();
            let stride = input.stride.map_or(size, |stride| stride as usize);
            if stride != 0 && stride < size {
                return Err(short());
            }
            let bytes = input.bytes.get(index * stride..).unwrap_or_default();
            record.fill(bytes.get(..size).ok_or_else(short)?);
            self.deliver(pending, node, 0, &record);
        }
        Ok(())
    }

    fn new_record(&self, record: Option<usize>) -> OracleRecord {
        OracleRecord::new(record.map(|record| Arc::clone(&self.types[record])))
    }

    /// Delivers a record to the owner of the input and to all nodes that share it.
    fn deliver(
        &self,
        pending: &mut PendingRecords,
        node: NodeIndex,
        step: u32,
        record: &OracleRecord,
    ) {
        let sharers = self.graph.nodes()[node].sharers.iter();
        for &reader in sharers.chain([&node]) {
            pending.push((reader, step), record.clone());
        }
    }

    /// Takes the records of the next launch from a queue.
    fn take(&mut self, node: NodeIndex, queue: &mut VecDeque<OracleRecord>) -> Vec<OracleRecord> {
        let count = match self.graph.nodes()[node].launch {
            Launch::Coalescing { max_records, .. } => {
                let there = u32::try_from(queue.len()).unwrap_or(u32::MAX);
                let max = max_records.min(there);
                (self.grouping)(max).clamp(1, max.max(1)) as usize
            }
            Launch::Thread | Launch::Broadcasting { .. } => 1,
        };
        queue.drain(..count.min(queue.len())).collect()
    }

    /// Runs one launch: a workgroup, or all workgroups of a record's grid.
    fn launch(
        &mut self,
        (node, step): QueueKey,
        mut records: Vec<OracleRecord>,
        launches: &mut u64,
    ) -> Result<Vec<(NodeIndex, OracleRecord)>, OracleError> {
        let grid = self.grid(node, &records)?;
        let body = self.bodies[node].as_mut();
        let body = body.ok_or_else(|| OracleError::NoBody(self.graph.nodes()[node].id.clone()))?;
        let mut sent = Vec::new();
        let mut finished = 0;
        for group in groups(grid) {
            *launches += 1;
            if *launches > self.max_launches {
                return Err(OracleError::TooLong(self.max_launches));
            }
            let mut launch = OracleLaunch {
                graph: self.graph,
                types: &self.types,
                local: &self.local,
                node,
                step,
                records: &mut records,
                group,
                grid,
                spent: vec![0; self.graph.nodes()[node].resolved_outputs.len()],
                sent: &mut sent,
                finished: &mut finished,
                has_finished: false,
            };
            body(&mut launch)?;
        }
        Ok(sent)
    }

    /// The grid of a launch.
    fn grid(&self, node: NodeIndex, records: &[OracleRecord]) -> Result<[u32; 3], OracleError> {
        let max = match self.graph.nodes()[node].launch.grid() {
            None => return Ok([1; 3]),
            Some(Grid::Fixed(grid)) => return Ok(grid),
            Some(Grid::Dynamic { max }) => max,
        };
        let field = self
            .graph
            .input_record(node)
            .and_then(RecordType::grid_field);
        let (Some(field), Some(record)) = (field, records.first()) else {
            return Ok([0; 3]);
        };
        let mut sides = [1; 3];
        for (component, side) in (0..field.ty.components).zip(&mut sides) {
            *side = record.get(&field.name, 0, component)?;
        }
        for (&found, allowed) in sides.iter().zip(max) {
            if found > allowed {
                let mut fault = OracleFault::of(DeviceRule::Grid, found, allowed);
                fault.node = Some(self.graph.nodes()[node].id.clone());
                return Err(fault.into());
            }
        }
        Ok(sides)
    }
}

/// All workgroup ids of a grid; none if a dimension is zero.
fn groups([x, y, z]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

/// Records that are pending for a node.
#[derive(Default)]
struct PendingRecords(BTreeMap<QueueKey, VecDeque<OracleRecord>>);

impl PendingRecords {
    fn push(&mut self, key: QueueKey, record: OracleRecord) {
        self.0.entry(key).or_default().push_back(record);
    }

    fn next(&mut self) -> Option<(QueueKey, &mut VecDeque<OracleRecord>)> {
        self.0.retain(|_, queue| !queue.is_empty());
        let (key, queue) = self.0.iter_mut().next()?;
        Some((*key, queue))
    }
}

/// Whether a node may write its input records.
fn may_write(access: InputAccess) -> bool {
    access != InputAccess::ReadOnly
}
