//! The reference orbit: the centre's own orbit in high precision, as the kernel reads it.

use bytemuck::{Pod, Zeroable};

/// One entry of the orbit. The kernel has the same struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Entry {
    /// The value, zero where f32 has no room for it.
    pub(crate) value: [f32; 2],
    /// 0, or one more than the place of the value among the small ones.
    pub(crate) small: u32,
    pub(crate) padding: u32,
}

/// The value of an entry near zero. The kernel has the same struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Small {
    /// The larger of both has a magnitude of 1 up to 2.
    pub(crate) value: [f32; 2],
    pub(crate) exponent: i32,
    pub(crate) padding: u32,
}
