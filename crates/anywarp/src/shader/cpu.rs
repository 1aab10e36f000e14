//! Dispatches on the CPU over the caller's own memory: no device, no copies.
//!
//! In: a specialized program and checked data. Out: the slices as the shader has written them. What always holds: a
//! kernel is compiled once for each entry point, set of constants and options of a shader; all dispatches of a [`Cpu`]
//! share one thread pool.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use anywarp_adapter::{AdapterOptions, LossReport, LostReason};
use anywarp_cpu::{Executor, HostBinding, HostDispatchError, HostMemory, Kernel, KernelOptions};
use anywarp_program::Constants;

use super::check::{self, Bound};
use super::data::HostBytes;
use super::entry::Specialized;
use super::{Shader, ShaderError};
use crate::reflection::Interface;
use crate::{Device, DeviceError};

/// The key of a compiled kernel: the entry point, the constants in the order of their names, and the options.
pub(super) type KernelKey = (String, Vec<(String, u64)>, KernelOptions);

/// The name of the CPU in messages.
const DEVICE: &str = "cpu";

/// Devices that are kept for later dispatches. Each has a thread, which sleeps.
const MAX_IDLE_DEVICES: usize = 4;

/// The CPU with options, for [`Dispatch::dispatch_with`](crate::Dispatch::dispatch_with): its engine, its threads and
/// its limits.
///
/// Threads start with the first dispatch that is worth it, and are kept. Clones share them, so make one and keep it.
/// [`AdapterOptions::loss_report`] has no effect: it belongs to devices.
///
/// ```
/// use std::time::Duration;
///
/// use anywarp::{AdapterOptions, Cpu, Engine, Floats, Shader};
///
/// let shader = Shader::wgsl(
///     "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
///      @compute @workgroup_size(64) fn double(@builtin(global_invocation_id) id: vec3u) {
///          if id.x < arrayLength(&numbers) { numbers[id.x] *= 2.0; }
///      }",
/// )?;
/// let options = AdapterOptions::default().engine(Engine::Interpreter).threads(1);
/// let cpu = Cpu::new(options.floats(Floats::Strict).dispatch_limit(Duration::from_secs(5)));
/// let mut numbers = [1.0_f32, 2.0, 3.0];
/// shader.entry("double")?.bind("numbers", &mut numbers).dispatch_with(&cpu, [1, 1, 1])?;
/// assert_eq!(numbers, [2.0, 4.0, 6.0]);
/// # Ok::<(), anywarp::ShaderError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cpu {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: AdapterOptions,
    executor: Executor,
    /// The limits of the CPU adapter, which hold here too, so that a shader runs alike on both.
    limits: OnceLock<wgpu::Limits>,
    /// Open devices that no dispatch uses, for entry points with textures. A dispatch has its device for itself, since
    /// a shader that does not end loses it.
    idle_devices: Mutex<Vec<Device>>,
}

impl Default for Cpu {
    /// The CPU of [`Dispatch::dispatch`](crate::Dispatch::dispatch): the best engine on all cores.
    fn default() -> Self {
        static DEFAULT: LazyLock<Cpu> = LazyLock::new(|| Cpu::new(AdapterOptions::default()));
        DEFAULT.clone()
    }
}

impl Cpu {
    /// The CPU with options. Starts no thread yet.
    #[must_use]
    pub fn new(options: AdapterOptions) -> Self {
        let options = options.misbehaviour(None).loss_report(LossReport::Log);
        Self {
            shared: Arc::new(Shared {
                executor: Executor::new(&options.executor()),
                options,
                limits: OnceLock::new(),
                idle_devices: Mutex::default(),
            }),
        }
    }

    /// Its options.
    #[must_use]
    pub fn options(&self) -> &AdapterOptions {
        &self.shared.options
    }

    fn limits(&self) -> &wgpu::Limits {
        let shared = &self.shared;
        let limits = || anywarp_adapter::adapter(shared.options.clone()).limits();
        shared.limits.get_or_init(limits)
    }

    /// Runs `work` on a device with the options of this CPU: one that is idle, or a new one.
    pub(super) fn on_device(
        &self,
        work: impl FnOnce(&Device) -> Result<(), ShaderError>,
    ) -> Result<(), ShaderError> {
        let idle = self.idle_devices().pop();
        let device = match idle {
            Some(device) => device,
            None => self.open()?,
        };
        let result = work(&device);
        let mut idle = self.idle_devices();
        if result.is_ok() && idle.len() < MAX_IDLE_DEVICES {
            idle.push(device);
        }
        result
    }

    fn open(&self) -> Result<Device, DeviceError> {
        Device::cpu_with(self.shared.options.clone())
    }

    /// No update can be left half done, so a poisoned lock is ignored.
    fn idle_devices(&self) -> MutexGuard<'_, Vec<Device>> {
        let idle = self.shared.idle_devices.lock();
        idle.unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks a grid and its data against the limits.
    pub(super) fn check(
        &self,
        interface: &Interface,
        bound: &[Bound<'_>],
        workgroups: [u32; 3],
    ) -> Result<(), ShaderError> {
        check::check_workgroups(workgroups, self.limits(), DEVICE)?;
        check::check_limits(interface, bound, self.limits(), DEVICE)
    }

    /// Runs a grid with the data of the variables of `interface`, in their order.
    pub(super) fn run(
        &self,
        kernel: &Kernel,
        interface: &Interface,
        mut bound: Vec<Bound<'_>>,
        immediates: &[u8],
        workgroups: [u32; 3],
    ) -> Result<(), ShaderError> {
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
                // Entry points that use textures, or resources of others, run on the CPU device; what the entry point
                // does not use is skipped.
                Bound::Texture(_) | Bound::Sampler(_) | Bound::Shared(_) => continue,
            };
            bindings.push(HostBinding {
                group: binding.slot.group,
                binding: binding.slot.binding,
                memory,
            });
        }
        let words = bytemuck::pod_collect_to_vec(immediates);
        let executor = &self.shared.executor;
        let result = executor.dispatch_host(kernel, &mut bindings, &words, workgroups);
        Ok(result.map_err(|error| match &error {
            HostDispatchError::Dispatch(error) => LostReason::of_dispatch(error),
            // The bindings were checked before.
            _ => LostReason::Internal(error.to_string()),
        })?)
    }

    /// The compiled kernel of an entry point.
    pub(super) fn kernel(
        &self,
        shader: &Shader,
        specialized: &Specialized,
        constants: &Constants,
    ) -> Result<Arc<Kernel>, ShaderError> {
        let entry = &specialized.used.entry;
        let mut values: Vec<(String, u64)> = constants
            .iter()
            .map(|(name, value)| (name.clone(), value.to_bits()))
            .collect();
        values.sort();
        let options = self.shared.options.kernels();
        let key: KernelKey = (entry.clone(), values, options);
        if let Some(kernel) = shader.kernels().get(&key) {
            return Ok(Arc::clone(kernel));
        }
        let program = &specialized.program;
        if let Some(reason) = anywarp_adapter::exceeded_limit(program, entry, self.limits()) {
            return Err(ShaderError::OverLimit {
                file: shader.name().to_owned(),
                entry: entry.clone(),
                device: DEVICE.to_owned(),
                reason,
            });
        }
        let kernel =
            Kernel::with_options(program, entry, options).map_err(|error| ShaderError::Kernel {
                file: shader.name().to_owned(),
                entry: entry.clone(),
                source: error.into(),
            })?;
        let kernel = Arc::new(kernel);
        shader.kernels().insert(key, Arc::clone(&kernel));
        Ok(kernel)
    }
}

fn zeros(bound: &Bound<'_>) -> Vec<u32> {
    match bound {
        Bound::Zeros { bytes } => vec![0; bytes.div_ceil(4) as usize],
        _ => Vec::new(),
    }
}
