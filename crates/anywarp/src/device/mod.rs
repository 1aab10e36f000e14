//! Devices: lists adapters, opens them, and returns the errors and losses of a device as values.
//!
//! In: the CPU adapter of `anywarp-adapter`, and the adapters of installed drivers (feature `drivers`). Out: a
//! [`Device`], which dereferences to [`wgpu::Device`]; everything after that is plain wgpu.

pub mod adapters;
mod cpu;
mod error;
mod open;

pub use adapters::devices;
pub use cpu::is_cpu;
#[cfg(feature = "cpu")]
pub use cpu::{LostReason, instance, instance_with, lost_reason};
pub use error::{DeviceError, DeviceLoss};
pub use open::Device;
