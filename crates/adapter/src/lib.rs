//! A `wgpu::Instance` whose only adapter is the CPU: any wgpu compute program runs without a GPU and
//! without a driver.
//!
//! In: the calls of a wgpu program, validated by wgpu-core. Out: the same results as on a GPU. Only
//! the line that makes the instance changes:
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
//! - Features, limits and downlevel flags tell exactly what works. What is absent (sampling
//!   of textures, rendering, surfaces, ray tracing) is refused by wgpu-core with its own error, or
//!   when a pipeline that needs it is made. A render pass clears and resolves, and draws nothing.
//! - A shader that never ends, a barrier that some invocations never reach, or a bug of ours loses
//!   the device, with a message ([`lost_message`]). It never takes the process along, never hangs,
//!   and does not touch other devices.
//! - Every shader access is checked, even in modules made without runtime checks.
//!
//! # How it is built
//!
//! The crate implements [`wgpu::hal::Api`], one file per family of traits: `instance`, `surface`,
//! `adapter`, `device`, `queue`, `encoder`. An encoder records a list of commands (`command`), a
//! queue's thread runs them in order (`execute`), and fences tell who waits (`fence`). Kernels and
//! memory are `anywarp-cpu`'s business. For tests there is another kind of queue, which does not keep
//! the order ([`Misbehaviour`]; `unruly`, `stepwise`).

mod absent;
mod adapter;
mod api;
mod bound_buffer;
mod capabilities;
mod clock;
mod command;
mod compute_limits;
mod cpu_name;
mod device;
mod encoder;
mod execute;
mod fence;
mod instance;
mod kernel_cache;
mod loss;
mod options;
mod queue;
mod render_pass;
mod resources;
mod stepwise;
mod surface;
mod texture;
mod texture_command;
mod texture_format;
mod unruly;
mod vulkan_loader;

pub use anywarp_cpu::{
    COMPILE_LIMITS, Calls, Engine, Floats, Progress, Schedule, SubgroupSize, Target, WorkLimits,
};
pub use options::{AdapterOptions, LossReport, Misbehaviour};
pub use vulkan_loader::quiet_vulkan_loader;
pub use wgpu;

/// An instance whose only adapter is the CPU.
pub fn instance() -> wgpu::Instance {
    instance_with(AdapterOptions::default())
}

/// Like [`instance`]; the adapters it hands out follow the options.
pub fn instance_with(options: AdapterOptions) -> wgpu::Instance {
    let hal = instance::Instance::new(options);
    // SAFETY: the HAL instance is complete and owned by nobody else.
    let mut global =
        unsafe { wgpu::wgc::global::Global::from_hal_instance::<api::Api>("cpu", hal) };
    let mut core = std::mem::take(&mut global.instance);
    core.flags = instance::FLAGS;
    // SAFETY: the wgpu-core instance is a whole one, taken out of a context that nobody used.
    unsafe { wgpu::Instance::from_core(core) }
}

/// The CPU as an adapter, without the detour of asking an instance for it.
pub fn adapter(options: AdapterOptions) -> wgpu::Adapter {
    let exposed = adapter::expose(&options);
    let instance = instance_with(options);
    // SAFETY: the adapter is of the same API as the instance; it holds nothing of a particular one.
    unsafe { instance.create_adapter_from_hal::<api::Api>(exposed) }
}

/// Whether an adapter is this crate's CPU adapter.
///
/// [`wgpu::AdapterInfo`] cannot name it: `backend` is an enumeration of wgpu's own backends, of which ours is none, so
/// `backend` says [`wgpu::Backend::Noop`]; `device_type` is [`wgpu::DeviceType::Cpu`], as it is for software drivers such
/// as lavapipe; `driver` is `anywarp` and `driver_info` its version.
///
/// ```
/// let adapter = anywarp_adapter::adapter(Default::default());
/// assert!(anywarp_adapter::is_cpu(&adapter));
/// assert_eq!(adapter.get_info().backend, wgpu::Backend::Noop);
/// ```
pub fn is_cpu(adapter: &wgpu::Adapter) -> bool {
    // SAFETY: the adapter is only looked at.
    unsafe { adapter.as_hal::<api::Api>() }.is_some()
}

/// Why a device was lost: which pipeline failed, where and how.
///
/// wgpu's own device-lost callback gets a fixed text from any HAL, so the details are here (and in
/// the log, as an error, or on standard error where no logger is installed). `None` while the device is alive, and for devices of other adapters.
pub fn lost_message(device: &wgpu::Device) -> Option<String> {
    // SAFETY: the device is only looked at, and not destroyed.
    let device = unsafe { device.as_hal::<api::Api>() }?;
    device.loss().message()
}

/// How far the dispatch is that a device runs now, for programs that wait for long ones. `None` while none runs, and for
/// devices of other adapters.
pub fn progress(device: &wgpu::Device) -> Option<Progress> {
    // SAFETY: the device is only looked at, and not destroyed.
    let device = unsafe { device.as_hal::<api::Api>() }?;
    device.monitor().progress()
}

/// The first limit that an entry point of a program without overrides exceeds on a device with these limits, in words:
/// `workgroup of 4096 invocations (64x64x1), the limit is 1024 (max_compute_invocations_per_workgroup)`.
pub fn exceeded_limit(
    program: &anywarp_program::Program,
    entry_point: &str,
    limits: &wgpu::Limits,
) -> Option<String> {
    let limits = compute_limits::ComputeLimits::new(limits);
    limits.check(program, entry_point).err()
}
