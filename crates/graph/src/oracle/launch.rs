//! The API of node bodies in the oracle.
//!
//! One [`OracleLaunch`] is a workgroup, or one record of a thread node. The body iterates over the
//! invocations itself, one after the other; a barrier is the gap between two such loops.

use std::fmt;
use std::sync::Arc;

use super::fault::OracleFault;
use super::may_write;
use super::record::OracleRecord;
use crate::host_data::LocalArguments;
use crate::layout::DeviceRule;
use crate::model::{Graph, InputAccess, NodeIndex, RecordType, ResolvedNode, ResolvedOutput};

/// A workgroup, or one record of a thread node.
pub struct OracleLaunch<'a> {
    pub(super) graph: &'a Graph,
    pub(super) types: &'a [Arc<RecordType>],
    pub(super) local: &'a LocalArguments,
    pub(super) node: NodeIndex,
    pub(super) step: u32,
    pub(super) records: &'a mut Vec<OracleRecord>,
    pub(super) group: [u32; 3],
    pub(super) grid: [u32; 3],
    /// The records that each budget has spent, by the index of its output.
    pub(super) spent: Vec<u32>,
    pub(super) sent: &'a mut Vec<(NodeIndex, OracleRecord)>,
    /// The number of workgroups of the grid that have finished with the shared record.
    pub(super) finished: &'a mut u64,
    pub(super) has_finished: bool,
}

impl fmt::Debug for OracleLaunch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OracleLaunch")
            .field("node", &self.resolved().id)
            .field("group", &self.group)
            .field("grid", &self.grid)
            .finish_non_exhaustive()
    }
}

impl OracleLaunch<'_> {
    fn resolved(&self) -> &ResolvedNode {
        &self.graph.nodes()[self.node]
    }

    fn fault(&self, rule: DeviceRule, found: u32, allowed: u32) -> OracleFault {
        let mut fault = OracleFault::of(rule, found, allowed);
        fault.node = Some(self.resolved().id.clone());
        fault
    }

    /// The position of this workgroup in the grid of its record.
    pub fn group_id(&self) -> [u32; 3] {
        self.group
    }

    /// The grid of the record.
    pub fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// The invocations of the workgroup: local index and local id.
    pub fn invocations(&self) -> impl Iterator<Item = (u32, [u32; 3])> + use<> {
        let [x, y, z] = self.resolved().launch.workgroup_size();
        (0..x * y * z).map(move |index| (index, [index % x, index / x % y, index / (x * y)]))
    }

    /// The number of records: one, except for coalescing nodes.
    pub fn input_count(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    /// A record of the input.
    pub fn record(&self, index: u32) -> Result<&OracleRecord, OracleFault> {
        let fault = || self.fault(DeviceRule::InputIndex, index, self.input_count());
        self.records.get(index as usize).ok_or_else(fault)
    }

    /// A record of the input, for writing.
    pub fn record_mut(&mut self, index: u32) -> Result<&mut OracleRecord, OracleFault> {
        let fault = self.fault(DeviceRule::InputIndex, index, self.input_count());
        let access = self.resolved().access;
        let found = self.records.get_mut(index as usize);
        found.filter(|_| may_write(access)).ok_or(fault)
    }

    /// The remaining recursion depth.
    pub fn remaining_recursion_levels(&self) -> u32 {
        self.resolved().recursion.saturating_sub(self.step)
    }

    /// A word of the node's local arguments.
    pub fn local_argument(&self, index: u32) -> Result<u32, OracleFault> {
        let stride = self.local.stride as usize;
        let row = self
            .local
            .bytes
            .get(self.resolved().row as usize * stride..);
        let row = row.unwrap_or_default();
        let row = &row[..stride.min(row.len())];
        let fault = || self.fault(DeviceRule::LocalArgument, index, (row.len() / 4) as u32);
        let (words, _) = row.as_chunks::<4>();
        let word = words.get(index as usize).ok_or_else(fault)?;
        Ok(u32::from_le_bytes(*word))
    }

    /// Whether this is the last workgroup of the grid that finishes with the shared record. Each
    /// workgroup calls it once.
    pub fn finished_cross_group_sharing(&mut self) -> Result<bool, OracleFault> {
        if self.has_finished || self.resolved().access != InputAccess::Tracked {
            return Err(self.fault(DeviceRule::FinishedTwice, 2, 1));
        }
        self.has_finished = true;
        *self.finished += 1;
        let groups: u64 = self.grid.iter().map(|&side| u64::from(side)).product();
        Ok(*self.finished == groups)
    }

    fn output(&self, name: &str) -> Result<(usize, &ResolvedOutput), OracleFault> {
        let mut outputs = self.resolved().resolved_outputs.iter().enumerate();
        let found = outputs.find(|(_, output)| output.name == name);
        found.ok_or_else(|| self.fault(DeviceRule::Hole, 0, 0).named(name))
    }

    /// The target node at an index of an output; `None` for holes and where the recursion ends.
    fn target(&self, output: &ResolvedOutput, index: u32) -> Option<NodeIndex> {
        let index = if output.is_array { index as usize } else { 0 };
        let target = output.targets.get(index).copied().flatten()?;
        let ends = target == self.node && self.remaining_recursion_levels() == 0;
        (!ends).then_some(target)
    }

    /// Whether records can be sent there. The index is used only for arrays.
    pub fn is_valid(&self, output: &str, index: u32) -> Result<bool, OracleFault> {
        let (_, output) = self.output(output)?;
        Ok(self.target(output, index).is_some())
    }

    /// A zero-initialized record for an output.
    pub fn new_record(&self, output: &str) -> Result<OracleRecord, OracleFault> {
        let (_, output) = self.output(output)?;
        let ty = output.record.map(|record| Arc::clone(&self.types[record]));
        Ok(OracleRecord::new(ty))
    }

    /// Sends records: allocates, fills and completes them.
    pub fn send(
        &mut self,
        output: &str,
        index: u32,
        records: impl IntoIterator<Item = OracleRecord>,
    ) -> Result<(), OracleFault> {
        let records: Vec<_> = records.into_iter().collect();
        let Some(first) = records.first() else {
            return Ok(());
        };
        let count = u32::try_from(records.len()).unwrap_or(u32::MAX);
        let (_, found) = self.output(output)?;
        let (budget_of, max) = (found.budget_of, found.max_records);
        let expected = found.record.map(|record| &*self.types[record]);
        if expected != first.ty() {
            return Err(self.fault(DeviceRule::OutputIndex, 0, 0).named(output));
        }
        let target = self.target(found, index).ok_or_else(|| {
            let members = found.targets.len() as u32;
            self.fault(DeviceRule::Hole, index, members).named(output)
        })?;
        let spent = self.spent[budget_of].saturating_add(count);
        if spent > max {
            return Err(self.fault(DeviceRule::Budget, spent, max).named(output));
        }
        self.spent[budget_of] = spent;
        self.sent
            .extend(records.into_iter().map(|record| (target, record)));
        Ok(())
    }

    /// Sends empty records.
    pub fn count(&mut self, output: &str, index: u32, count: u32) -> Result<(), OracleFault> {
        let record = self.new_record(output)?;
        self.send(output, index, (0..count).map(|_| record.clone()))
    }
}
