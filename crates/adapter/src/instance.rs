//! The HAL instance: one adapter, no surfaces.

use wgpu::{hal, rwh, wgt};

use crate::adapter;
use crate::api::Api;
use crate::options::AdapterOptions;
use crate::surface::Surface;

/// The instance flags for wgpu-core, in every build profile.
///
/// `DEBUG` makes it pass on shader text, so that messages can name file and line. Without `VALIDATION_INDIRECT_CALL` it
/// leaves the check of indirect dispatch arguments to us (`execute` does it), instead of running a shader of its own
/// before each dispatch and limiting buffers to 4 GiB.
pub(crate) const FLAGS: wgt::InstanceFlags = wgt::InstanceFlags::DEBUG;

/// The options for its adapters.
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
