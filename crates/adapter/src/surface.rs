//! Surfaces: the adapter supports none, so nothing can be configured or presented.

use std::time::Duration;

use wgpu::hal;

use crate::api::Api;
use crate::device::Device;
use crate::fence::Fence;
use crate::unsupported_resource::UnsupportedResource;

/// A surface without presentation.
#[derive(Debug)]
pub(crate) struct Surface;

impl hal::Surface for Surface {
    type A = Api;

    unsafe fn configure(
        &self,
        _: &Device,
        _: &hal::SurfaceConfiguration,
    ) -> Result<(), hal::SurfaceError> {
        Err(hal::SurfaceError::Other(
            "the CPU device has no presentation",
        ))
    }

    unsafe fn unconfigure(&self, _: &Device) {}

    unsafe fn acquire_texture(
        &self,
        _: Option<Duration>,
        _: &Fence,
    ) -> Result<hal::AcquiredSurfaceTexture<Api>, hal::SurfaceError> {
        Err(hal::SurfaceError::Other(
            "the CPU device has no presentation",
        ))
    }

    unsafe fn discard_texture(&self, texture: UnsupportedResource) {
        match texture {}
    }
}
