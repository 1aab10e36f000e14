//! Unsupported HAL resources, as an uninhabited type.
//!
//! The reported features, limits, formats and downlevel flags (`capabilities`) make wgpu-core refuse every call that
//! needs one of these before it reaches the HAL. The uninhabited type lets the compiler check it: a method that takes
//! one needs no body.

use std::borrow::Borrow;

use wgpu::hal;

use crate::texture::Texture;

/// A kind of resource that this device cannot create.
#[derive(Debug)]
pub(crate) enum UnsupportedResource {}

impl Borrow<Texture> for UnsupportedResource {
    fn borrow(&self) -> &Texture {
        match *self {}
    }
}

impl Borrow<dyn hal::DynTexture> for UnsupportedResource {
    fn borrow(&self) -> &dyn hal::DynTexture {
        match *self {}
    }
}

/// The body of methods that wgpu-core calls only after one that creates an unsupported resource.
#[cold]
pub(crate) fn unsupported(what: &str) -> ! {
    unreachable!("{what} is reported as unsupported, so wgpu-core refuses it")
}
