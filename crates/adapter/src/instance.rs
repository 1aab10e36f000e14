//! The HAL instance: it has one adapter and no windows.

use wgpu::{hal, rwh, wgt};

use crate::adapter;
use crate::api::Api;
use crate::options::AdapterOptions;
use crate::surface::Surface;

/// How wgpu-core treats the instance, whatever the build profile.
///
/// `DEBUG` makes it hand over shader text, so that messages can name file and line. Without
/// `VALIDATION_INDIRECT_CALL` it leaves the check of indirect dispatch arguments to us (`execute` does
/// it), instead of running a shader of its own before each and limiting buffers to 4 GiB.
pub(crate) const FLAGS: wgt::InstanceFlags = wgt::InstanceFlags::DEBUG;

/// Options, waiting for adapters to be asked for.
#[derive(Debug)]
pub(crate) struct Instance {
    options: AdapterOptions,
}

impl Instance {
    pub(crate) fn new(options: AdapterOptions) -> Self {
        Self { options }
    }
}

impl hal::Instance for Instance {
    type A = Api;

    unsafe fn init(_: &hal::InstanceDescriptor<'_>) -> Result<Self, hal::InstanceError> {
        Ok(Self::new(AdapterOptions::default()))
    }

    // The error type has no constructor outside wgpu, so a surface can be made; no adapter supports
    // it, which wgpu reports.
    unsafe fn create_surface(
        &self,
        _: rwh::RawDisplayHandle,
        _: rwh::RawWindowHandle,
    ) -> Result<Surface, hal::InstanceError> {
        Ok(Surface)
    }

    unsafe fn enumerate_adapters(&self, _: Option<&Surface>) -> Vec<hal::ExposedAdapter<Api>> {
        vec![adapter::expose(&self.options)]
    }
}
