//! Checks of the device limits on workgroups that wgpu-core does not make.
//!
//! In: a program without overrides. Out: the limit that it exceeds, by name. wgpu-core checks literal workgroup sizes,
//! but neither sizes from pipeline constants nor workgroup memory.

use anywarp_program::naga::AddressSpace;
use anywarp_program::{Program, WorkgroupMemory, WorkgroupSize};
use wgpu::wgt;

use crate::error::ComputeLimitError;

/// The limits on one workgroup.
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

    /// Checks a program without overrides; the error names the exceeded limit and the value that exceeds it.
    pub(crate) fn check(
        &self,
        program: &Program,
        entry_point: &str,
    ) -> Result<(), ComputeLimitError> {
        let reflected = program.entry_point(Some(entry_point))?;
        if let Some(WorkgroupSize::Known(size)) = reflected.workgroup_size {
            self.check_size(size)?;
        }
        match reflected.workgroup_memory {
            WorkgroupMemory::Known(bytes) if bytes > u64::from(self.memory) => {
                Err(ComputeLimitError::Memory {
                    bytes,
                    variables: largest_variables(program, entry_point),
                    most: self.memory,
                })
            }
            _ => Ok(()),
        }
    }

    fn check_size(&self, size: [u32; 3]) -> Result<(), ComputeLimitError> {
        for ((limit, most), axis) in self.size.into_iter().zip(size) {
            if axis > most {
                return Err(ComputeLimitError::Size { size, most, limit });
            }
        }
        // No overflow: every axis is within its limit, which is 1024 at most.
        let invocations = size.into_iter().product::<u32>();
        if invocations > self.invocations {
            return Err(ComputeLimitError::Invocations {
                invocations,
                size,
                most: self.invocations,
            });
        }
        Ok(())
    }
}

/// The largest workgroup variables of an entry point, with their source locations.
fn largest_variables(program: &Program, entry_point: &str) -> String {
    const SHOWN: usize = 3;
    let module = program.module();
    let mut points = module.entry_points.iter();
    let index = points.position(|point| point.name == entry_point);
    let uses = index.map(|index| program.info().get_entry_point(index));
    let mut sized: Vec<_> = module
        .global_variables
        .iter()
        .filter(|(handle, variable)| {
            variable.space == AddressSpace::WorkGroup
                && uses.is_none_or(|uses| !uses[*handle].is_empty())
        })
        .map(|(handle, variable)| {
            let size = module.types[variable.ty].inner.size(module.to_ctx());
            (size, handle, variable)
        })
        .collect();
    sized.sort_by_key(|(size, handle, _)| (std::cmp::Reverse(*size), *handle));
    let mut texts: Vec<String> = sized
        .iter()
        .take(SHOWN)
        .map(|(size, handle, variable)| {
            let name = variable.name.as_deref().unwrap_or("unnamed variable");
            let location = program
                .locate(module.global_variables.get_span(*handle))
                .map_or(String::new(), |location| format!(" at {location}"));
            format!("`{name}`{location}: {size}")
        })
        .collect();
    if sized.len() > SHOWN {
        texts.push(format!("{} more", sized.len() - SHOWN));
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use anywarp_program::Source;

    use super::*;

    fn exceeded(text: &str) -> Option<String> {
        let program = Program::from_source(Source::new("k.wgsl", text)).unwrap();
        let limits = ComputeLimits::new(&wgt::Limits::defaults());
        Some(limits.check(&program, "main").err()?.to_string())
    }

    #[test]
    fn limits_are_named_with_what_exceeds_them() {
        let size =
            |size: &str| exceeded(&format!("@compute @workgroup_size({size}) fn main() {{}}"));
        assert_eq!(size("16, 16"), None);
        assert_eq!(
            size("32, 16").unwrap(),
            "workgroup of 512 invocations (32x16x1), the limit is 256 (max_compute_invocations_per_workgroup)"
        );
        assert_eq!(
            size("1, 1, 65").unwrap(),
            "workgroup of 1x1x65 invocations, the limit is 64 (max_compute_workgroup_size_z)"
        );
    }

    #[test]
    fn the_largest_variables_are_named() {
        let text = "
            var<workgroup> a: array<u32, 1000>;
            var<workgroup> b: array<u32, 2000>;
            var<workgroup> c: array<u32, 10>;
            var<workgroup> d: array<u32, 100>;
            var<workgroup> unused: array<u32, 4000>;
            @compute @workgroup_size(1) fn main() { a[0] = b[0] + c[0] + d[0]; }";
        let location = "k.wgsl:3:13";
        assert_eq!(exceeded(text), None);
        let text = text.replace("2000", "4000");
        let message = exceeded(&text).unwrap();
        let start = format!("workgroup memory of 20448 bytes (`b` at {location}: 16000, `a` at ");
        assert!(message.starts_with(&start), "{message}");
        let end = ": 400, 1 more), the limit is 16384 (max_compute_workgroup_storage_size)";
        assert!(message.ends_with(end), "{message}");
        assert!(!message.contains("unused"), "{message}");
    }
}
