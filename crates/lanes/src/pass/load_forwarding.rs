//! Store-to-load forwarding in basic blocks, for rows.
//!
//! In: any function. Out: the same function, where a contiguous load from a row that the same block has stored becomes
//! the stored value, if no instruction in between may write there. Rows with a limit are not forwarded, as part of the
//! row may not exist. Redundant loads are removed by `gvn`.

use super::alias::{AliasAnalysis, AliasRegions, BufferAliasing};
use super::cfg::Cfg;
use super::peephole::{self, Rewriter, Rules, Step};
use crate::ir::{BlockId, Function, Inst, Op, Row, Value};

/// The most stores that are tracked at a time, so that the time is linear.
const MAX_STORES: usize = 16;

/// Runs the pass.
pub fn run(function: &mut Function, aliasing: BufferAliasing) {
    let graph = Cfg::new(function);
    let memory = AliasAnalysis::new(function, &graph, aliasing);
    let mut loads = Loads {
        memory: &memory,
        stored: Vec::new(),
    };
    peephole::run(function, &mut loads);
}

/// A stored row that memory still contains.
#[derive(Clone, Copy)]
struct Stored {
    pointer: Value,
    index: Value,
    offset: i32,
    values: Value,
    /// The mask of the lanes that were stored; `None` for all.
    mask: Option<Value>,
    areas: AliasRegions,
}

struct Loads<'a> {
    memory: &'a AliasAnalysis,
    /// The tracked stores, the latest last.
    stored: Vec<Stored>,
}

impl Rules for Loads<'_> {
    fn begin(&mut self, _rewriter: &mut Rewriter, _block: BlockId) {
        self.stored.clear();
    }

    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Step> {
        if let Op::LoadRow(row) = inst.op {
            return self.load(rewriter, inst, row);
        }
        let written = self.memory.written_by(inst);
        let new = self.store(inst, written);
        if written != 0 {
            let stays = |it: &Stored| {
                it.areas & written == 0 || new.is_some_and(|new| is_apart(rewriter, it, &new))
            };
            self.stored.retain(stays);
        }
        if let Some(new) = new {
            if self.stored.len() == MAX_STORES {
                self.stored.remove(0);
            }
            self.stored.push(new);
        }
        None
    }
}

impl Loads<'_> {
    /// The row that an instruction stores, if it has no limit.
    fn store(&self, inst: &Inst, areas: AliasRegions) -> Option<Stored> {
        let Op::StoreRow(row) = inst.op else {
            return None;
        };
        (!row.is_limited).then(|| Stored {
            pointer: inst.operands[0],
            index: inst.operands[1],
            offset: row.offset,
            values: inst.operands[2],
            mask: row.is_masked.then(|| inst.operands[3]),
            areas,
        })
    }

    fn load(&self, rewriter: &mut Rewriter, inst: &Inst, row: Row) -> Option<Step> {
        if row.is_limited {
            return None;
        }
        let (pointer, index) = (inst.operands[0], inst.operands[1]);
        let mask = row.is_masked.then(|| inst.operands[2]);
        let place = (pointer, index, row.offset);
        let mut stored = self.stored.iter().rev();
        let found = stored.find(|it| (it.pointer, it.index, it.offset) == place)?;
        match (found.mask, mask) {
            (None, None) => Some(Step::Value(found.values)),
            (None, Some(mask)) => select(rewriter, mask, found.values),
            (Some(stored), Some(mask)) if stored == mask => select(rewriter, mask, found.values),
            _ => None,
        }
    }
}

/// A row in the lanes of a mask, and 0 in the other lanes.
fn select(rewriter: &mut Rewriter, mask: Value, values: Value) -> Option<Step> {
    let zero = rewriter.make(Op::Splat(0))?;
    Step::inst(Op::Select, &[mask, values, zero])
}

/// Whether two rows are known not to overlap: both are at constant indices from the same pointer.
fn is_apart(rewriter: &Rewriter, one: &Stored, other: &Stored) -> bool {
    let place = |it: &Stored| {
        let index = rewriter.bits(it.index)?;
        Some(i64::from(index as i32) + i64::from(it.offset))
    };
    let distance = place(one).zip(place(other)).map(|(x, y)| x.abs_diff(y));
    let lanes = u64::from(rewriter.function.lanes);
    one.pointer == other.pointer && distance.is_some_and(|it| it >= lanes)
}
