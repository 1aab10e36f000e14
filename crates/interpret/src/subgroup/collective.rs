//! Executes collective operations on the registers of the active lanes.

use super::{Collective, GatherSource};
use crate::bytecode::{Binary, Instr, Number, Reg};
use crate::execute;

/// The register files of a subgroup's lanes, one after another.
pub(super) struct RegisterFiles<'r> {
    pub(super) registers: &'r mut [u32],
    /// Registers of one lane.
    pub(super) stride: usize,
}

impl RegisterFiles<'_> {
    pub(super) fn of(&mut self, lane: usize) -> &mut [u32] {
        &mut self.registers[lane * self.stride..][..self.stride]
    }

    fn read(&self, lane: usize, first: Reg, words: usize) -> &[u32] {
        &self.registers[lane * self.stride + first as usize..][..words]
    }

    fn write(&mut self, lane: usize, first: Reg, words: &[u32]) {
        self.of(lane)[first as usize..][..words.len()].copy_from_slice(words);
    }
}

/// Executes a collective operation; `active` lanes are in ascending order.
pub(super) fn operate(files: &mut RegisterFiles<'_>, instr: Instr, active: &[usize]) {
    let Instr::Collective {
        op,
        of,
        n,
        dst,
        value,
        lane,
    } = instr
    else {
        return;
    };
    let operands = Operands {
        of,
        n,
        words: usize::from(n) * of.words() as usize,
        dst,
        value,
        lane,
    };
    match op {
        Collective::Barrier => {}
        Collective::Ballot => operands.ballot(files, active, |value| value != 0),
        Collective::ActiveLanes => operands.ballot(files, active, |_| true),
        Collective::Reduce(fold) => {
            let total = operands.scan(files, fold, active, |_, _, _| {});
            for &lane in active {
                files.write(lane, dst, &total);
            }
        }
        Collective::InclusiveScan(fold) => {
            operands.scan(files, fold, active, |files, lane, sum| {
                files.write(lane, dst, sum);
            });
        }
        Collective::ExclusiveScan(fold) => operands.exclusive(files, fold, active),
        Collective::Gather(source) => operands.gather(files, source, active),
    }
}

/// The operands of the instruction.
struct Operands {
    of: Number,
    n: u8,
    words: usize,
    dst: Reg,
    value: Reg,
    lane: Reg,
}

impl Operands {
    fn ballot(&self, files: &mut RegisterFiles<'_>, active: &[usize], holds: impl Fn(u32) -> bool) {
        let mut votes = [0; 4];
        for &lane in active {
            if holds(files.read(lane, self.value, 1)[0]) {
                votes[lane / 32] |= 1 << (lane % 32);
            }
        }
        for &lane in active {
            files.write(lane, self.dst, &votes);
        }
    }

    /// Scan in lane order: calls back with each lane's inclusive result, and returns the last one.
    fn scan(
        &self,
        files: &mut RegisterFiles<'_>,
        fold: Binary,
        active: &[usize],
        mut each: impl FnMut(&mut RegisterFiles<'_>, usize, &[u32]),
    ) -> Vec<u32> {
        // A small register file for one instruction: the accumulator, then the next value.
        let mut sum = Vec::new();
        for &lane in active {
            sum.extend_from_slice(files.read(lane, self.value, self.words));
            if sum.len() > self.words {
                execute::fold(&mut sum, self.of, fold, self.n, self.words as Reg);
                sum.truncate(self.words);
            }
            each(files, lane, &sum);
        }
        sum
    }

    fn exclusive(&self, files: &mut RegisterFiles<'_>, fold: Binary, active: &[usize]) {
        // Each lane receives the previous lane's result, after its own value has been read.
        let mut before = execute::identity(self.of, fold).repeat(usize::from(self.n));
        self.scan(files, fold, active, |files, lane, sum| {
            files.write(lane, self.dst, &before);
            before.copy_from_slice(sum);
        });
    }

    fn gather(&self, files: &mut RegisterFiles<'_>, source: GatherSource, active: &[usize]) {
        let mut values = vec![0; active.len() * self.words];
        for (value, &lane) in values.chunks_exact_mut(self.words).zip(active) {
            let operand = files.read(lane, self.lane, 1)[0];
            let from = source_lane(source, lane as u32, operand).unwrap_or(active[0] as u32);
            if active.binary_search(&(from as usize)).is_ok() {
                value.copy_from_slice(files.read(from as usize, self.value, self.words));
            }
        }
        for (value, &lane) in values.chunks_exact(self.words).zip(active) {
            files.write(lane, self.dst, value);
        }
    }
}

/// The index of the lane from which `lane` takes its value, which may not exist; `None` for the first active lane.
fn source_lane(source: GatherSource, lane: u32, operand: u32) -> Option<u32> {
    Some(match source {
        GatherSource::First => return None,
        GatherSource::Lane => operand,
        GatherSource::Down => lane.saturating_add(operand),
        GatherSource::Up => lane.checked_sub(operand).unwrap_or(u32::MAX),
        GatherSource::Xor => lane ^ operand,
        GatherSource::QuadLane => (lane & !3) + operand,
        GatherSource::QuadSwap(bits) => lane ^ u32::from(bits),
    })
}
