//! What this device does not have.
//!
//! The features, limits, formats and downlevel flags that `capabilities` reports make wgpu-core refuse
//! every call that needs one of these before it reaches the HAL. The type without values lets the
//! compiler check it: where a method takes one, there is nothing to write.

use std::borrow::Borrow;

use wgpu::hal;

use crate::texture::Texture;

/// A kind of resource that cannot be made here.
#[derive(Debug)]
pub(crate) enum Absent {}

impl Borrow<Texture> for Absent {
    fn borrow(&self) -> &Texture {
        match *self {}
    }
}

impl Borrow<dyn hal::DynTexture> for Absent {
    fn borrow(&self) -> &dyn hal::DynTexture {
        match *self {}
    }
}

/// For methods without such an argument that wgpu-core calls only after one that made the resource.
#[cold]
pub(crate) fn absent(what: &str) -> ! {
    unreachable!("{what} is reported absent, so wgpu-core refuses it")
}
