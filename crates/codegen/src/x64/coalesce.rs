//! Gather and scatter coalescing: vector loads and stores with permutations instead of one access per lane (compare
//! ispc's `GatherCoalescePass`).
//!
//! In: an index that is a uniform word plus a constant pattern. Out: a few rows, vectors of consecutive words, that
//! cover the words of all lanes. All words between the first and the last are in bounds if every lane is active. A
//! gather then loads the rows and permutes them; a scatter permutes values into the rows. With inactive lanes, the code
//! falls back to a gather or scatter instruction.

use anywarp_lanes::ir::{Function, LaneBinary, Op, PatternId, Value, WordBinary};
use smallvec::SmallVec;

use super::value_info::ValueInfo;

/// More rows are not cheaper than a gather instruction.
const MAX_ROWS: usize = 4;
/// The largest offset in words; it surely fits into a displacement.
const MAX_OFFSET: i64 = 1 << 28;

/// An access with an index that is a uniform word plus a constant pattern.
#[derive(Clone, Debug)]
pub(crate) struct CoalescedAccess {
    /// The uniform word.
    pub(crate) word: Value,
    /// The pattern, which is added to the word.
    pub(crate) pattern: PatternId,
    /// The pattern's word in the first lane.
    pub(crate) first: u32,
    /// The rows, relative to the first lane's address.
    pub(crate) rows: SmallVec<[CoalescedRow; MAX_ROWS]>,
}

/// A row that contains the words of some lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoalescedRow {
    /// Its start in words, relative to the first lane.
    pub(crate) start: i32,
    /// The lanes that it serves, as bits; each lane has one row.
    pub(crate) lanes: u32,
    /// For each lane, the index of its word in the row.
    pub(crate) words: [u32; 16],
}

/// Matches an index that can be coalesced.
pub(crate) fn coalesce(
    function: &Function,
    values: &ValueInfo<'_>,
    index: Value,
    offset: i32,
) -> Option<CoalescedAccess> {
    let sum = values.definition(index)?;
    let Op::Binary(LaneBinary::Int(WordBinary::Add)) = sum.op else {
        return None;
    };
    let [a, b] = [sum.operands[0], sum.operands[1]];
    let (word, pattern) =
        broadcast_and_pattern(values, a, b).or_else(|| broadcast_and_pattern(values, b, a))?;
    let words = &function.patterns[pattern.0 as usize];
    let rows = cover(words, offset)?;
    Some(CoalescedAccess {
        word,
        pattern,
        first: words[0],
        rows,
    })
}

fn broadcast_and_pattern(values: &ValueInfo<'_>, a: Value, b: Value) -> Option<(Value, PatternId)> {
    let (a, b) = (values.definition(a)?, values.definition(b)?);
    match (a.op, b.op) {
        (Op::Broadcast, Op::Pattern(pattern)) => Some((a.operands[0], pattern)),
        _ => None,
    }
}

/// The rows that cover a pattern, relative to the first lane (greedy interval cover).
fn cover(words: &[u32], offset: i32) -> Option<SmallVec<[CoalescedRow; MAX_ROWS]>> {
    let lanes = words.len() as i32;
    let offsets: SmallVec<[i32; 16]> = words
        .iter()
        .map(|word| word.wrapping_sub(words[0]) as i32)
        .collect();
    let (min, max) = (*offsets.iter().min()?, *offsets.iter().max()?);
    let is_near = |word: i32| (i64::from(word) + i64::from(offset)).abs() < MAX_OFFSET;
    let span = i64::from(max) - i64::from(min);
    if !is_near(min) || !is_near(max) || span < i64::from(lanes) - 1 {
        return None;
    }
    let mut rows = SmallVec::new();
    let mut left = u32::MAX >> (32 - lanes);
    while left != 0 {
        let waiting = (0..lanes).filter(|lane| left >> lane & 1 == 1);
        let next = waiting.map(|lane| offsets[lane as usize]).min()?;
        let mut row = CoalescedRow {
            start: next.min(max - (lanes - 1)),
            ..CoalescedRow::default()
        };
        for (lane, word) in offsets.iter().enumerate() {
            let at = word - row.start;
            if left >> lane & 1 == 1 && (0..lanes).contains(&at) {
                row.lanes |= 1 << lane;
                row.words[lane] = at as u32;
            }
        }
        left &= !row.lanes;
        if rows.len() == MAX_ROWS {
            return None;
        }
        rows.push(row);
    }
    Some(rows)
}

impl CoalescedAccess {
    /// For each lane, the index of its word in its row.
    pub(crate) fn words(&self, lanes: u32) -> Vec<u32> {
        let of = |lane: usize| {
            let row = self.rows.iter().find(|row| row.lanes >> lane & 1 == 1);
            row.map_or(0, |row| row.words[lane])
        };
        (0..lanes as usize).map(of).collect()
    }
}

impl CoalescedRow {
    /// For a scatter: for each word of the row, its source lane, and which words have one. If lanes store to the same
    /// word, the highest lane wins.
    pub(crate) fn sources(&self, lanes: u32) -> (Vec<u32>, u32) {
        let mut sources = vec![0; lanes as usize];
        let mut words = 0;
        for lane in (0..lanes).filter(|lane| self.lanes >> lane & 1 == 1) {
            let word = self.words[lane as usize];
            sources[word as usize] = lane;
            words |= 1 << word;
        }
        (sources, words)
    }
}
