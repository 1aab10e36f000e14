//! The limits of a device on one workgroup, for what wgpu-core does not check.
//!
//! wgpu-core holds plain workgroup sizes against them, but neither sizes that come from pipeline
//! constants nor workgroup memory.

use anywarp_program::{Program, WorkgroupMemory, WorkgroupSize};
use wgpu::wgt;

/// What one workgroup may have.
#[derive(Debug)]
pub(crate) struct ComputeLimits {
    size: [(&'static str, u32); 3],
    invocations: u32,
    memory: u32,
}

impl ComputeLimits {
    pub(crate) fn new(limits: &wgt::Limits) -> Self {
        Self {
            size: [
                (
                    "max_compute_workgroup_size_x",
                    limits.max_compute_workgroup_size_x,
                ),
                (
                    "max_compute_workgroup_size_y",
                    limits.max_compute_workgroup_size_y,
                ),
                (
                    "max_compute_workgroup_size_z",
                    limits.max_compute_workgroup_size_z,
                ),
            ],
            invocations: limits.max_compute_invocations_per_workgroup,
            memory: limits.max_compute_workgroup_storage_size,
        }
    }

    /// Holds a program without overrides against the limits; the error names the one that it
    /// exceeds.
    pub(crate) fn check(&self, program: &Program, entry_point: &str) -> Result<(), String> {
        let reflected = program
            .entry_point(Some(entry_point))
            .map_err(|error| error.to_string())?;
        if let Some(WorkgroupSize::Known(size)) = reflected.workgroup_size {
            self.check_size(entry_point, size)?;
        }
        match reflected.workgroup_memory {
            WorkgroupMemory::Known(bytes) if bytes > u64::from(self.memory) => Err(format!(
                "`{entry_point}` uses {bytes} bytes of workgroup memory, more than \
                 max_compute_workgroup_storage_size = {}",
                self.memory
            )),
            _ => Ok(()),
        }
    }

    fn check_size(&self, entry_point: &str, size: [u32; 3]) -> Result<(), String> {
        let exceeded = |limit: &str, most: u32| {
            Err(format!(
                "the workgroup size {size:?} of `{entry_point}` exceeds {limit} = {most}"
            ))
        };
        for ((limit, most), axis) in self.size.into_iter().zip(size) {
            if axis > most {
                return exceeded(limit, most);
            }
        }
        // No overflow: every axis is within its limit, which is 1024 at most.
        if size.into_iter().product::<u32>() > self.invocations {
            return exceeded("max_compute_invocations_per_workgroup", self.invocations);
        }
        Ok(())
    }
}
