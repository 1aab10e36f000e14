//! Dispatches on the CPU over the caller's own memory: no device, no copies.
//!
//! In: a specialized program and checked data. Out: the slices as the shader has written them. What always holds: a
//! kernel is compiled once for each entry point and set of constants of a shader; all dispatches of the process share
//! one thread pool.

use std::sync::{Arc, OnceLock};

use anywarp_cpu::{Executor, ExecutorOptions, HostBinding, HostMemory, Kernel};
use anywarp_program::Constants;

use super::check::{self, Bound};
use super::data::HostBytes;
use super::entry::Specialized;
use super::{Shader, ShaderError};

/// The key of a compiled kernel: the entry point, and the constants in the order of their names.
pub(super) type KernelKey = (String, Vec<(String, u64)>);

/// The name of the CPU in messages.
const DEVICE: &str = "cpu";

pub(super) fn dispatch(
    shader: &Shader,
    specialized: &Specialized,
    constants: &Constants,
    mut bound: Vec<Bound<'_>>,
    immediates: &[u8],
    workgroups: [u32; 3],
) -> Result<(), ShaderError> {
    static EXECUTOR: OnceLock<Executor> = OnceLock::new();
    let limits = limits();
    let interface = &specialized.mentioned;
    check::check_workgroups(workgroups, limits, DEVICE)?;
    check::check_limits(interface, &bound, limits, DEVICE)?;
    let kernel = kernel(shader, specialized, constants)?;

    let mut zeros: Vec<Vec<u32>> = bound.iter().map(zeros).collect();
    let mut bindings: Vec<HostBinding<'_>> = Vec::new();
    for ((binding, bound), zeros) in interface.bindings.iter().zip(&mut bound).zip(&mut zeros) {
        let memory = match bound {
            Bound::Buffer(HostBytes::Read(bytes)) => HostMemory::Read(bytes),
            Bound::Buffer(HostBytes::Write(bytes)) => HostMemory::ReadWrite(bytes),
            Bound::Zeros { bytes } => {
                let all: &mut [u8] = bytemuck::cast_slice_mut(zeros);
                HostMemory::ReadWrite(&mut all[..*bytes as usize])
            }
            // Entry points with textures run on the CPU device.
            Bound::Texture(_) | Bound::Sampler(_) => continue,
        };
        bindings.push(HostBinding {
            group: binding.slot.group,
            binding: binding.slot.binding,
            memory,
        });
    }
    let executor = EXECUTOR.get_or_init(|| Executor::new(&ExecutorOptions::default()));
    let words = bytemuck::pod_collect_to_vec(immediates);
    executor.dispatch_host(&kernel, &mut bindings, &words, workgroups)?;
    Ok(())
}

/// The limits of the CPU adapter, which hold here too, so that a shader runs alike on both.
fn limits() -> &'static wgpu::Limits {
    static LIMITS: OnceLock<wgpu::Limits> = OnceLock::new();
    LIMITS.get_or_init(|| anywarp_adapter::adapter(Default::default()).limits())
}

fn zeros(bound: &Bound<'_>) -> Vec<u32> {
    match bound {
        Bound::Zeros { bytes } => vec![0; bytes.div_ceil(4) as usize],
        _ => Vec::new(),
    }
}

fn kernel(
    shader: &Shader,
    specialized: &Specialized,
    constants: &Constants,
) -> Result<Arc<Kernel>, ShaderError> {
    let entry = &specialized.used.entry;
    let mut key: Vec<(String, u64)> = constants
        .iter()
        .map(|(name, value)| (name.clone(), value.to_bits()))
        .collect();
    key.sort();
    let key: KernelKey = (entry.clone(), key);
    if let Some(kernel) = shader.kernels().get(&key) {
        return Ok(Arc::clone(kernel));
    }
    if let Some(reason) = anywarp_adapter::exceeded_limit(&specialized.program, entry, limits()) {
        return Err(ShaderError::OverLimit {
            file: shader.name().to_owned(),
            entry: entry.clone(),
            device: DEVICE.to_owned(),
            reason,
        });
    }
    let kernel = Arc::new(Kernel::new(&specialized.program, entry)?);
    shader.kernels().insert(key, Arc::clone(&kernel));
    Ok(kernel)
}
