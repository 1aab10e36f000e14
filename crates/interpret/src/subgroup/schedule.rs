//! Runs the lanes of a subgroup, and executes collective operations for converged lanes.

use super::collective::{RegisterFiles, operate};
use super::convergence::{self, LanePosition};
use crate::bytecode::Pc;
use crate::execute::StopReason;
use crate::schedule::InvocationOrder;
use crate::worker::WorkgroupRun;
use crate::{ExecutionError, Kernel};

/// The state for running the subgroups of a workgroup one after another.
#[derive(Debug)]
pub(crate) struct Subgroups {
    lanes: usize,
    /// The positions of the lanes of the current subgroup.
    positions: Vec<LanePosition>,
    /// The active lanes, in ascending order.
    active: Vec<usize>,
    order: InvocationOrder,
}

impl Subgroups {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        Self {
            lanes: kernel.subgroup_size().get() as usize,
            positions: Vec::new(),
            active: Vec::new(),
            order: InvocationOrder::default(),
        }
    }

    /// Runs every invocation until it has ended or waits at a workgroup barrier. `pcs` has the program counter of
    /// each, before and after.
    pub(crate) fn run(
        &mut self,
        turn: &mut WorkgroupRun<'_, '_>,
        registers: &mut [u32],
        pcs: &mut [Pc],
    ) -> Result<(), ExecutionError> {
        let stride = turn.kernel.code.registers as usize;
        let count = pcs.len().div_ceil(self.lanes) as u32;
        let mut order = std::mem::take(&mut self.order);
        for &subgroup in order.draw(count, turn.random.as_mut()) {
            let first = subgroup as usize * self.lanes;
            let end = pcs.len().min(first + self.lanes);
            let registers = &mut registers[first * stride..end * stride];
            let mut files = RegisterFiles { registers, stride };
            self.run_one(turn, &mut files, &mut pcs[first..end])?;
        }
        self.order = order;
        Ok(())
    }

    fn run_one(
        &mut self,
        turn: &mut WorkgroupRun<'_, '_>,
        files: &mut RegisterFiles<'_>,
        pcs: &mut [Pc],
    ) -> Result<(), ExecutionError> {
        let code = &turn.kernel.code;
        self.positions.resize(pcs.len(), LanePosition::new());
        self.active.clear();
        self.active.extend(0..pcs.len());
        loop {
            if let Some(random) = &mut turn.random {
                random.shuffle(&mut self.active);
            }
            for &lane in &self.active {
                let position = &mut self.positions[lane];
                match turn.run(pcs[lane], files.of(lane))? {
                    StopReason::AtCollective(pc) => {
                        convergence::find(code, pc, files.of(lane), position);
                        pcs[lane] = pc;
                    }
                    stop => {
                        position.clear();
                        pcs[lane] = stop.pc();
                    }
                }
            }
            self.find_active();
            let Some(&first) = self.active.first() else {
                return Ok(());
            };
            operate(files, code.instrs[pcs[first] as usize], &self.active);
            for &lane in &self.active {
                pcs[lane] += 1;
            }
        }
    }

    /// The lanes with the least position, among those at a collective operation.
    fn find_active(&mut self) {
        self.active.clear();
        let waiting = self
            .positions
            .iter()
            .filter(|position| !position.is_empty());
        let Some(least) = waiting.min() else {
            return;
        };
        let lanes = (0..).zip(&self.positions);
        let here = lanes.filter(|(_, position)| *position == least);
        self.active.extend(here.map(|(lane, _)| lane));
    }
}
