//! Store-to-load forwarding in basic blocks, for rows.
//!
//! In: any function. Out: the same function, where a contiguous load from a row that the same block has stored becomes
//! the stored value, if no instruction in between may write there. Rows with a limit are not forwarded, as part of the
//! row may not exist. Redundant loads are removed by `gvn`.

use super::alias::{AliasAnalysis, AliasRegions, BufferAliasing};
use super::cfg::Cfg;
use super::peephole::{self, Rewrite, Rewriter, Rules};
use crate::ir::{BlockId, Function, Inst, Op, Row, Value};

/// The most stores that are tracked at a time, so that the time is linear.
const MAX_STORES: usize = 16;

/// Runs the pass.
pub fn run(function: &mut Function, aliasing: BufferAliasing) {
    let graph = Cfg::new(function);
    let memory = AliasAnalysis::new(function, &graph, aliasing);
    let mut loads = Forwarding {
        memory: &memory,
        stores: Vec::new(),
    };
    peephole::run(function, &mut loads);
}

/// A stored row that memory still contains.
#[derive(Clone, Copy)]
struct TrackedStore {
    pointer: Value,
    index: Value,
    offset: i32,
    values: Value,
    /// The mask of the lanes that were stored; `None` for all.
    mask: Option<Value>,
    regions: AliasRegions,
}

struct Forwarding<'a> {
    memory: &'a AliasAnalysis,
    /// The tracked stores, the latest last.
    stores: Vec<TrackedStore>,
}

impl Rules for Forwarding<'_> {
    fn begin(&mut self, _rewriter: &mut Rewriter, _block: BlockId) {
        self.stores.clear();
    }

    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
        if let Op::LoadRow(row) = inst.op {
            return self.load(rewriter, inst, row);
        }
        let written = self.memory.written_by(inst);
        let new = self.store(inst, written);
        if written != 0 {
            let stays = |stores: &TrackedStore| {
                stores.regions & written == 0
                    || new.is_some_and(|new| is_disjoint(rewriter, stores, &new))
            };
            self.stores.retain(stays);
        }
        if let Some(new) = new {
            if self.stores.len() == MAX_STORES {
                self.stores.remove(0);
            }
            self.stores.push(new);
        }
        None
    }
}

impl Forwarding<'_> {
    /// The row that an instruction stores, if it has no limit.
    fn store(&self, inst: &Inst, regions: AliasRegions) -> Option<TrackedStore> {
        let Op::StoreRow(row) = inst.op else {
            return None;
        };
        (!row.is_limited).then(|| TrackedStore {
            pointer: inst.operands[0],
            index: inst.operands[1],
            offset: row.offset,
            values: inst.operands[2],
            mask: row.is_masked.then(|| inst.operands[3]),
            regions,
        })
    }

    fn load(&self, rewriter: &mut Rewriter, inst: &Inst, row: Row) -> Option<Rewrite> {
        if row.is_limited {
            return None;
        }
        let (pointer, index) = (inst.operands[0], inst.operands[1]);
        let mask = row.is_masked.then(|| inst.operands[2]);
        let place = (pointer, index, row.offset);
        let mut stores = self.stores.iter().rev();
        let found = stores.find(|stores| (stores.pointer, stores.index, stores.offset) == place)?;
        match (found.mask, mask) {
            (None, None) => Some(Rewrite::Value(found.values)),
            (None, Some(mask)) => select(rewriter, mask, found.values),
            (Some(stores), Some(mask)) if stores == mask => select(rewriter, mask, found.values),
            _ => None,
        }
    }
}

/// A row in the lanes of a mask, and 0 in the other lanes.
fn select(rewriter: &mut Rewriter, mask: Value, values: Value) -> Option<Rewrite> {
    let zero = rewriter.make(Op::Splat(0))?;
    Rewrite::inst(Op::Select, &[mask, values, zero])
}

/// Whether two rows are known not to overlap: both are at constant indices from the same pointer.
fn is_disjoint(rewriter: &Rewriter, one: &TrackedStore, other: &TrackedStore) -> bool {
    let place = |stores: &TrackedStore| {
        let index = rewriter.bits(stores.index)?;
        Some(i64::from(index as i32) + i64::from(stores.offset))
    };
    let distance = place(one).zip(place(other)).map(|(x, y)| x.abs_diff(y));
    let lanes = u64::from(rewriter.function.lanes);
    one.pointer == other.pointer && distance.is_some_and(|distance| distance >= lanes)
}
