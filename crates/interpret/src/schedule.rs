//! The order in which the invocations of a workgroup run between two barriers.
//!
//! By index, or drawn from a generator. [`Schedule::random`](anywarp_execution::Schedule::random) has one for each
//! workgroup.

use anywarp_execution::Random;

/// The order of invocations (or subgroups) between two barriers.
#[derive(Debug, Default)]
pub(crate) struct InvocationOrder {
    indices: Vec<u32>,
}

impl InvocationOrder {
    /// An order of the numbers below `count`: drawn, or ascending.
    pub(crate) fn draw(&mut self, count: u32, random: Option<&mut Random>) -> &[u32] {
        if random.is_some() || self.indices.len() != count as usize {
            self.indices.clear();
            self.indices.extend(0..count);
        }
        if let Some(random) = random {
            random.shuffle(&mut self.indices);
        }
        &self.indices
    }
}

#[cfg(test)]
mod tests {
    use anywarp_execution::Schedule;

    use super::*;

    #[test]
    fn without_a_seed_numbers_rise() {
        let mut order = InvocationOrder::default();
        for count in [4, 4, 7] {
            assert!(order.draw(count, None).iter().copied().eq(0..count));
        }
    }

    #[test]
    fn every_seed_workgroup_and_round_has_its_own_order() {
        let mut orders = Vec::new();
        for seed in [1, 2] {
            for workgroup in [[0, 0, 0], [1, 0, 0], [0, 1, 0]] {
                let draw = || {
                    let mut random = Schedule::Random(seed).random(workgroup);
                    let mut order = InvocationOrder::default();
                    [(); 2].map(|()| order.draw(32, random.as_mut()).to_vec())
                };
                assert_eq!(draw(), draw());
                orders.extend(draw());
            }
        }
        let count = orders.len();
        orders.sort();
        orders.dedup();
        assert_eq!(orders.len(), count);
    }
}
