//! The built-in thread indices: linear index, and positions in the workgroup and the grid.
//!
//! A thread's number is its linear index over the whole grid, x first, then y, then z, regardless
//! of workgroups. `get_thread_id` returns it, and [`LaunchOutcome::threads`] is ordered by it.
//!
//! [`LaunchOutcome::threads`]: super::LaunchOutcome::threads

use super::{Launch, LaunchError};

/// The size of a launch's grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of workgroups in each dimension.
    pub workgroups: [u32; 3],
    /// Workgroup size in each dimension.
    pub size: [u32; 3],
    /// Number of threads to run: those with a lower linear index.
    pub threads: u32,
}

/// The built-in indices of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadIds {
    /// Its linear index in the grid.
    pub number: u32,
    /// Its linear index in the workgroup.
    pub local_index: u32,
    /// Its position in the workgroup.
    pub local: [u32; 3],
    /// The position of its workgroup in the grid.
    pub workgroup: [u32; 3],
    /// Its position in the grid.
    pub global: [u32; 3],
}

/// Maximum number of threads of a workgroup.
pub const MAX_WORKGROUP: u32 = 1 << 16;

impl Grid {
    /// The grid of a launch.
    pub fn new(launch: &Launch) -> Result<Self, LaunchError> {
        let product = |sizes: [u32; 3]| {
            sizes
                .iter()
                .try_fold(1_u32, |all, &one| all.checked_mul(one))
        };
        let size = launch.workgroup_size;
        let in_group = product(size).filter(|&count| count <= MAX_WORKGROUP);
        let in_group = in_group.filter(|&count| count > 0);
        let in_group = in_group.ok_or(LaunchError::WorkgroupSize { size })?;
        let workgroups = launch.workgroups;
        let all = product(workgroups).and_then(|count| count.checked_mul(in_group));
        let all = all.ok_or(LaunchError::GridSize { workgroups, size })?;
        Ok(Self {
            workgroups,
            size,
            threads: launch.threads.map_or(all, |threads| threads.min(all)),
        })
    }

    /// Number of workgroups.
    pub fn groups(&self) -> u32 {
        self.workgroups.iter().product()
    }

    /// Number of threads of a workgroup.
    pub fn group_threads(&self) -> u32 {
        self.size.iter().product()
    }

    /// The indices of a thread, by workgroup and linear index in it.
    pub fn thread_ids(&self, group: u32, local_index: u32) -> ThreadIds {
        let local = split(local_index, self.size);
        let workgroup = split(group, self.workgroups);
        let along = |axis: usize| workgroup[axis] * self.size[axis] + local[axis];
        let global = [along(0), along(1), along(2)];
        let width = |axis: usize| self.workgroups[axis] * self.size[axis];
        ThreadIds {
            number: (global[2] * width(1) + global[1]) * width(0) + global[0],
            local_index,
            local,
            workgroup,
            global,
        }
    }
}

/// The position of a linear index, x first.
fn split(number: u32, sizes: [u32; 3]) -> [u32; 3] {
    let [width, height, _] = sizes;
    [
        number % width,
        number / width % height,
        number / width / height,
    ]
}

#[cfg(test)]
mod tests {
    use super::Grid;

    #[test]
    fn numbers_count_along_the_grid() {
        let grid = Grid {
            workgroups: [2, 3, 2],
            size: [4, 2, 3],
            threads: 288,
        };
        let mut seen = vec![false; 288];
        for group in 0..grid.groups() {
            for local in 0..grid.group_threads() {
                let ids = grid.thread_ids(group, local);
                let [x, y, z] = ids.global;
                assert_eq!(ids.number, (z * 6 + y) * 8 + x);
                assert!(!std::mem::replace(&mut seen[ids.number as usize], true));
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    }
}
