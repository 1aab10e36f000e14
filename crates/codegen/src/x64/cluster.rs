//! Clusters: lanes whose places in memory are known relative to each other.
//!
//! An index that is a word plus a constant pattern has all its words between the first and the last, and all of these
//! exist if every lane takes part. A few rows that stay between them cover the pattern; lanes are then picked
//! from rows, or put into them, which is much cheaper than lane after lane.

use anywarp_lanes::ir::{Function, LaneBinary, Op, PatternId, Value, WordBinary};
use smallvec::SmallVec;

use super::facts::Facts;

/// More rows than that are not cheaper.
const MOST_ROWS: usize = 4;
/// Distances in words that surely fit into an instruction.
const FARTHEST: i64 = 1 << 28;

/// An index that is a word plus a constant pattern.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// The word.
    pub(crate) word: Value,
    /// The pattern, to be added to the word.
    pub(crate) pattern: PatternId,
    /// What the pattern has in the first lane.
    pub(crate) first: u32,
    /// The rows, from the place of the first lane on.
    pub(crate) rows: SmallVec<[ClusterRow; MOST_ROWS]>,
}

/// A row of words that has the words of some lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClusterRow {
    /// Where it begins, in words.
    pub(crate) start: i32,
    /// The lanes whose words are in it, each in one row only.
    pub(crate) lanes: u32,
    /// For each lane, which word of its row is its.
    pub(crate) words: [u32; 16],
}

/// The cluster that an index is, if it is one.
pub(crate) fn cluster(
    function: &Function,
    facts: &Facts<'_>,
    index: Value,
    offset: i32,
) -> Option<Cluster> {
    let sum = facts.definition(index)?;
    let Op::Binary(LaneBinary::Int(WordBinary::Add)) = sum.op else {
        return None;
    };
    let [a, b] = [sum.operands[0], sum.operands[1]];
    let (word, pattern) = parts(facts, a, b).or_else(|| parts(facts, b, a))?;
    let words = &function.patterns[pattern.0 as usize];
    let rows = cover(words, offset)?;
    Some(Cluster {
        word,
        pattern,
        first: words[0],
        rows,
    })
}

fn parts(facts: &Facts<'_>, a: Value, b: Value) -> Option<(Value, PatternId)> {
    let (a, b) = (facts.definition(a)?, facts.definition(b)?);
    match (a.op, b.op) {
        (Op::Broadcast, Op::Pattern(pattern)) => Some((a.operands[0], pattern)),
        _ => None,
    }
}

/// Rows that cover a pattern, from the place of its first lane on.
fn cover(words: &[u32], offset: i32) -> Option<SmallVec<[ClusterRow; MOST_ROWS]>> {
    let lanes = words.len() as i32;
    let places: SmallVec<[i32; 16]> = words
        .iter()
        .map(|word| word.wrapping_sub(words[0]) as i32)
        .collect();
    let (least, most) = (*places.iter().min()?, *places.iter().max()?);
    let is_near = |place: i32| (i64::from(place) + i64::from(offset)).abs() < FARTHEST;
    let span = i64::from(most) - i64::from(least);
    if !is_near(least) || !is_near(most) || span < i64::from(lanes) - 1 {
        return None;
    }
    let mut rows = SmallVec::new();
    let mut left = u32::MAX >> (32 - lanes);
    while left != 0 {
        let waiting = (0..lanes).filter(|lane| left >> lane & 1 == 1);
        let next = waiting.map(|lane| places[lane as usize]).min()?;
        let mut row = ClusterRow {
            start: next.min(most - (lanes - 1)),
            ..ClusterRow::default()
        };
        for (lane, place) in places.iter().enumerate() {
            let at = place - row.start;
            if left >> lane & 1 == 1 && (0..lanes).contains(&at) {
                row.lanes |= 1 << lane;
                row.words[lane] = at as u32;
            }
        }
        left &= !row.lanes;
        if rows.len() == MOST_ROWS {
            return None;
        }
        rows.push(row);
    }
    Some(rows)
}

impl Cluster {
    /// For each lane, which word of its row is its.
    pub(crate) fn words(&self, lanes: u32) -> Vec<u32> {
        let of = |lane: usize| {
            let row = self.rows.iter().find(|row| row.lanes >> lane & 1 == 1);
            row.map_or(0, |row| row.words[lane])
        };
        (0..lanes as usize).map(of).collect()
    }
}

impl ClusterRow {
    /// For each word of the row which lane it comes from, and which words have one. Of several lanes the highest
    /// wins.
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
