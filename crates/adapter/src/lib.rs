//! A `wgpu::Instance` with the CPU as its only adapter: any wgpu compute program runs without a GPU and without a
//! driver.
//!
//! In: the calls of a wgpu program, validated by wgpu-core. Out: the same results as on a GPU. Only the line that
//! creates the instance changes:
//!
//! ```
//! # pollster::block_on(async {
//! let instance = anywarp_adapter::instance(); // was: wgpu::Instance::new(..)
//! let adapter = instance.request_adapter(&Default::default()).await?;
//! let (device, queue) = adapter.request_device(&Default::default()).await?;
//! assert_eq!(adapter.get_info().device_type, wgpu::DeviceType::Cpu);
//! # drop((device, queue));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! What always holds:
//! - Features, limits and downlevel flags report exactly what works. wgpu-core refuses unsupported features (texture
//!   sampling, rendering, surfaces, ray tracing) with its own error, or creating a pipeline that needs them fails. A
//!   render pass clears and resolves, and draws nothing.
//! - An endless shader, a barrier that some invocations never reach, or a bug of ours loses the device, with a message
//!   ([`lost_reason()`]). It never ends the process, never hangs, and does not affect other devices.
//! - Every shader access is bounds-checked, even in modules created without runtime checks.
//!
//! # How it is built
//!
//! The crate implements [`wgpu::hal::Api`], one file per family of traits: `instance`, `surface`, `adapter`, `device`,
//! `queue`, `encoder`. An encoder records a list of commands (`command`), a queue's thread runs them in order
//! (`execute`), and fences wake threads that wait (`fence`). Kernels and memory are in `anywarp-cpu`. For tests there
//! is another kind of queue, which reorders submissions (`misbehaviour`, `reordering`, `stepwise`).

mod adapter;
mod api;
mod bound_buffer;
mod capabilities;
mod clock;
mod command;
mod compute_limits;
mod cpu_name;
mod device;
mod device_loss;
mod encoder;
mod error;
mod execute;
mod fence;
mod instance;
mod kernel_cache;
mod lost_reason;
mod misbehaviour;
mod options;
mod queue;
mod render_pass;
mod reordering;
mod resources;
mod stepwise;
mod surface;
mod texture;
mod texture_command;
mod texture_format;
mod unsupported_resource;
mod vulkan_loader;

#[doc(hidden)]
pub use anywarp_cpu::CallPolicy;
pub use anywarp_cpu::{
    COMPILE_LIMITS, Engine, Floats, Progress, Schedule, SubgroupSize, Target, WorkLimits,
};
pub use lost_reason::LostReason;
#[doc(hidden)]
pub use misbehaviour::Misbehaviour;
pub use options::{AdapterOptions, LossReport};
pub use vulkan_loader::quiet_vulkan_loader;
pub use wgpu;

/// An instance with the CPU as its only adapter.
pub fn instance() -> wgpu::Instance {
    instance_with(AdapterOptions::default())
}

/// Like [`instance()`], with options for its adapter.
pub fn instance_with(options: AdapterOptions) -> wgpu::Instance {
    let hal = instance::Instance::new(options);
    // SAFETY: the HAL instance is complete and not shared.
    let mut global =
        unsafe { wgpu::wgc::global::Global::from_hal_instance::<api::Api>("cpu", hal) };
    let mut core = std::mem::take(&mut global.instance);
    core.flags = instance::FLAGS;
    // SAFETY: the wgpu-core instance is complete, taken out of a context that was never used.
    unsafe { wgpu::Instance::from_core(core) }
}

/// The CPU as an adapter, without an instance.
pub fn adapter(options: AdapterOptions) -> wgpu::Adapter {
    let exposed = adapter::expose(&options);
    let instance = instance_with(options);
    // SAFETY: the adapter is of the same API as the instance; it holds nothing of a particular one.
    unsafe { instance.create_adapter_from_hal::<api::Api>(exposed) }
}

/// Whether an adapter is this crate's CPU adapter.
///
/// [`wgpu::AdapterInfo`] cannot name it. Its `backend` is an enumeration of wgpu's own backends, and ours is not among
/// them, so it is [`wgpu::Backend::Noop`]; `device_type` is [`wgpu::DeviceType::Cpu`], as for software drivers such as
/// lavapipe; `driver` is `anywarp`, and `driver_info` is its version.
///
/// ```
/// let adapter = anywarp_adapter::adapter(Default::default());
/// assert!(anywarp_adapter::is_cpu(&adapter));
/// assert_eq!(adapter.get_info().backend, wgpu::Backend::Noop);
/// ```
pub fn is_cpu(adapter: &wgpu::Adapter) -> bool {
    // SAFETY: the adapter is only inspected.
    unsafe { adapter.as_hal::<api::Api>() }.is_some()
}

/// Why a device was lost: which pipeline failed, where and how.
///
/// wgpu's own device-lost callback gets a fixed text from any HAL, so the details are here (and in the log, as an
/// error, or on standard error if no logger is installed). `None` while the device is alive, and for devices of other
/// adapters.
pub fn lost_reason(device: &wgpu::Device) -> Option<LostReason> {
    // SAFETY: the device is only inspected, and not destroyed.
    let device = unsafe { device.as_hal::<api::Api>() }?;
    device.loss().reason()
}

/// The message of [`lost_reason()`].
pub fn lost_message(device: &wgpu::Device) -> Option<String> {
    lost_reason(device).map(|reason| reason.to_string())
}

/// The progress of the dispatch that a device runs now. `None` while none runs, and for devices of other adapters.
pub fn progress(device: &wgpu::Device) -> Option<Progress> {
    // SAFETY: the device is only inspected, and not destroyed.
    let device = unsafe { device.as_hal::<api::Api>() }?;
    device.monitor().progress()
}

/// The first limit that an entry point of a program without overrides exceeds on a device with these limits, as text:
/// `workgroup of 4096 invocations (64x64x1), the limit is 1024 (max_compute_invocations_per_workgroup)`.
pub fn exceeded_limit(
    program: &anywarp_program::Program,
    entry_point: &str,
    limits: &wgpu::Limits,
) -> Option<String> {
    let limits = compute_limits::ComputeLimits::new(limits);
    let error = limits.check(program, entry_point).err()?;
    Some(error.to_string())
}
