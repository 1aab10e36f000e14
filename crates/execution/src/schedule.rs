//! The order in which the invocations of a workgroup run between two barriers.
//!
//! By index, by default. With a seed, the code between two barriers runs in an order drawn from the seed and the
//! workgroup: a program whose result depends on the order lacks a barrier. The same seed gives the same order.

use crate::Random;

/// In which order workgroups and invocations run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// In ascending index order.
    #[default]
    InOrder,
    /// In an order drawn from this seed, a new one after each barrier.
    Random(u64),
}

impl Schedule {
    /// The schedule of part `number` of the work that this schedule is for; each part has its own seed.
    pub fn part(self, number: u64) -> Self {
        match self {
            Self::InOrder => Self::InOrder,
            Self::Random(seed) => {
                let seed = Random::new(seed).next_number() ^ number;
                Self::Random(Random::new(seed).next_number())
            }
        }
    }

    /// The generator from which orders are drawn.
    pub fn random(self, workgroup: [u32; 3]) -> Option<Random> {
        let part = workgroup
            .into_iter()
            .fold(self, |schedule, axis| schedule.part(u64::from(axis)));
        match part {
            Self::InOrder => None,
            Self::Random(seed) => Some(Random::new(seed)),
        }
    }
}
