//! The HAL adapter: the CPU, which opens devices.

use std::sync::Arc;

use anywarp_cpu::Executor;
use wgpu::{hal, wgt};

use crate::api::Api;
use crate::capabilities;
use crate::compute_limits::ComputeLimits;
use crate::device::Device;
use crate::device_loss::DeviceLoss;
use crate::options::AdapterOptions;
use crate::queue::Queue;
use crate::surface::Surface;
use crate::texture_format;

/// The CPU. It can open any number of devices.
#[derive(Debug)]
pub(crate) struct Adapter {
    options: AdapterOptions,
}

/// The adapter with its capabilities.
pub(crate) fn expose(options: &AdapterOptions) -> hal::ExposedAdapter<Api> {
    hal::ExposedAdapter {
        adapter: Adapter {
            options: options.clone(),
        },
        info: capabilities::info(options.effective_subgroup_size()),
        features: capabilities::features(),
        capabilities: capabilities::capabilities(),
    }
}

impl hal::Adapter for Adapter {
    type A = Api;

    unsafe fn open(
        &self,
        _: wgt::Features,
        limits: &wgt::Limits,
        _: &wgt::MemoryHints,
    ) -> Result<hal::OpenDevice<Api>, hal::DeviceError> {
        let loss = Arc::new(DeviceLoss::new(self.options.loss_report));
        let executor = Executor::new(&self.options.executor());
        let monitor = executor.monitor();
        let max_workgroups = limits.max_compute_workgroups_per_dimension;
        let queue_loss = Arc::clone(&loss);
        let queue = match self.options.misbehaviour {
            None => Queue::new(executor, max_workgroups, queue_loss)?,
            Some(how) => Queue::reordering(executor, max_workgroups, queue_loss, how)?,
        };
        let host = queue.host().cloned();
        let compute = ComputeLimits::new(limits);
        let device = Device::new(loss, compute, self.options.kernels(), host, monitor);
        Ok(hal::OpenDevice { device, queue })
    }

    unsafe fn texture_format_capabilities(
        &self,
        format: wgt::TextureFormat,
    ) -> hal::TextureFormatCapabilities {
        texture_format::capabilities(format)
    }

    unsafe fn surface_capabilities(&self, _: &Surface) -> Option<hal::SurfaceCapabilities> {
        None
    }

    unsafe fn get_presentation_timestamp(&self) -> wgt::PresentationTimestamp {
        wgt::PresentationTimestamp::INVALID_TIMESTAMP
    }

    // Commands run one after the other, so no transition of usages needs a barrier.
    fn get_ordered_buffer_usages(&self) -> wgt::BufferUses {
        wgt::BufferUses::all()
    }

    fn get_ordered_texture_usages(&self) -> wgt::TextureUses {
        wgt::TextureUses::all()
    }
}
