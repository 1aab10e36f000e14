//! The grid of a dispatch: workgroups numbered x first, then y, then z.
//!
//! Numbers have 64 bits: a grid of 65535 workgroups along each axis has 2^48 of them, so nothing here creates a list of
//! them.

use std::ops::Range;

use crate::DispatchError;

/// The largest number of workgroups of a dispatch. Ten times as many empty ones would take days, so a larger grid is a
/// mistake, and better an error at once.
pub(crate) const MAX_WORKGROUPS: u64 = 1 << 40;

/// The number of workgroups of a grid, or an error if it is too large.
pub fn workgroups(count: [u32; 3]) -> Result<u64, DispatchError> {
    let grid = Grid::new(count).ok_or(DispatchError::GridTooLarge(count))?;
    Ok(grid.total())
}

/// The number of workgroups of a dispatch along each axis, and in total.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    count: [u32; 3],
    total: u64,
}

impl Grid {
    /// `None` above [`MAX_WORKGROUPS`].
    pub(crate) fn new(count: [u32; 3]) -> Option<Self> {
        let [x, y, z] = count.map(u64::from);
        let total = (x * y).checked_mul(z)?;
        (total <= MAX_WORKGROUPS).then_some(Self { count, total })
    }

    /// The total number of workgroups.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The numbers of a range with their `workgroup_id`, in order.
    pub(crate) fn ids(&self, numbers: Range<u64>) -> impl Iterator<Item = (u64, [u32; 3])> {
        let [width, height, _] = self.count;
        let mut id = self.id(numbers.start);
        numbers.map(move |number| {
            let current = id;
            id[0] += 1;
            if id[0] == width {
                id = [0, id[1] + 1, id[2]];
            }
            if id[1] == height {
                id = [0, 0, id[2] + 1];
            }
            (number, current)
        })
    }

    /// `workgroup_id` of a number.
    pub(crate) fn id(&self, number: u64) -> [u32; 3] {
        let width = u64::from(self.count[0]).max(1);
        let layer = width * u64::from(self.count[1]).max(1);
        [
            (number % width) as u32,
            (number % layer / width) as u32,
            (number / layer) as u32,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_every_workgroup_once_in_order() {
        let grid = Grid::new([3, 2, 2]).unwrap();
        let mut expected = Vec::new();
        for z in 0..2 {
            for y in 0..2 {
                for x in 0..3 {
                    expected.push([x, y, z]);
                }
            }
        }
        let all: Vec<_> = grid.ids(0..grid.total()).map(|(_, id)| id).collect();
        assert_eq!(all, expected);
        for start in 0..12 {
            let (number, id) = grid.ids(start..12).next().unwrap();
            assert_eq!((number, id), (start, expected[start as usize]));
        }
    }

    #[test]
    fn the_largest_grid() {
        let grid = Grid::new([65535, 65535, 256]).unwrap();
        let last = grid.total() - 1;
        assert_eq!(
            grid.ids(last..grid.total()).next(),
            Some((last, [65534, 65534, 255]))
        );
    }

    #[test]
    fn empty_and_absurd_grids() {
        assert_eq!(Grid::new([4, 0, 7]).unwrap().total(), 0);
        assert!(Grid::new([65535, 65535, 257]).is_none());
        assert!(Grid::new([u32::MAX; 3]).is_none());
    }
}
