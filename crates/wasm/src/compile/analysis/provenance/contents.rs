//! The provenance of the words that the frame and the statics hold, from all stores.

use std::collections::HashMap;

use super::{Provenance, Region, StaticRange};

/// What memories hold. It does not depend on time: a word has the meet of all stores to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contents {
    /// Stores to fixed addresses of the frame and the statics.
    cells: HashMap<(Memory, u32), Provenance>,
    /// Stores to other addresses of the frame and the statics.
    wide: [Provenance; 2],
    /// The meet of all stores to the frame and the statics.
    all: [Provenance; 2],
    /// Stores to unknown addresses.
    everywhere: Provenance,
    /// The meet of all initial words of the statics.
    initial: Provenance,
}

/// A memory whose words are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Memory {
    Frame = 0,
    Static = 1,
}

impl Contents {
    /// Before any store.
    pub(super) fn new(statics: &StaticRange) -> Self {
        let words = statics.words.iter();
        let initial = words.fold(Provenance::Constant, |meet, &word| {
            meet.meet(&statics.classify(word))
        });
        Self {
            cells: HashMap::new(),
            wide: [const { Provenance::Bottom }; 2],
            all: [const { Provenance::Bottom }; 2],
            everywhere: Provenance::Bottom,
            initial,
        }
    }

    /// Adds all stores of another one.
    pub(super) fn meet(&mut self, other: &Self) {
        for (place, word) in &other.cells {
            meet(self.cells.entry(*place).or_insert(Provenance::Bottom), word);
        }
        for at in 0..2 {
            meet(&mut self.wide[at], &other.wide[at]);
            meet(&mut self.all[at], &other.all[at]);
        }
        meet(&mut self.everywhere, &other.everywhere);
    }

    /// Adds a store of consecutive words.
    pub(super) fn store(&mut self, region: Region, fixed: Option<u32>, words: &[Provenance]) {
        let memory = match region {
            Region::Slice(_) => return,
            Region::Frame => Memory::Frame,
            Region::Static => Memory::Static,
            Region::Number | Region::Unknown => {
                for word in words {
                    meet(&mut self.everywhere, word);
                }
                return;
            }
        };
        for (at, word) in (0_u32..).zip(words) {
            meet(&mut self.all[memory as usize], word);
            match fixed {
                Some(first) if first % 4 == 0 => {
                    let place = (memory, first.wrapping_add(4 * at));
                    meet(self.cells.entry(place).or_insert(Provenance::Bottom), word);
                }
                _ => meet(&mut self.wide[memory as usize], word),
            }
        }
    }

    /// What a word may be.
    pub(super) fn load(
        &self,
        statics: &StaticRange,
        region: Region,
        fixed: Option<u32>,
    ) -> Provenance {
        let memory = match region {
            // Nobody keeps pointers in buffers.
            Region::Slice(_) => return Provenance::NUMBER,
            Region::Frame => Memory::Frame,
            Region::Static => Memory::Static,
            Region::Number | Region::Unknown => {
                let all = self.all.iter().chain([&self.everywhere]);
                return all.fold(self.initial.clone(), Provenance::meet);
            }
        };
        let stored = match fixed.filter(|at| at % 4 == 0) {
            Some(at) => {
                let cell = self.cells.get(&(memory, at)).cloned();
                let cell = cell.unwrap_or(Provenance::Bottom);
                cell.meet(&self.wide[memory as usize])
            }
            None => self.all[memory as usize].clone(),
        };
        let initial = match (memory, fixed) {
            (Memory::Frame, _) => Provenance::Bottom,
            (Memory::Static, None) => self.initial.clone(),
            (Memory::Static, Some(at)) => {
                let place = at.wrapping_sub(statics.first) / 4;
                let word = statics.words.get(place as usize).copied();
                statics.classify(word.unwrap_or(0))
            }
        };
        stored.meet(&initial).meet(&self.everywhere)
    }
}

fn meet(place: &mut Provenance, other: &Provenance) {
    *place = std::mem::replace(place, Provenance::Bottom).meet(other);
}
