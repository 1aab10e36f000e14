//! The subgroup size, a property of a kernel.

/// The number of lanes of a subgroup: a power of two from 4 to 128. 16 by default, a vector register of AVX-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SubgroupSize(u8);

impl SubgroupSize {
    /// The smallest size: a quad.
    pub const MIN: u32 = 4;
    /// The largest size: the number of bits of a ballot.
    pub const MAX: u32 = 128;

    /// A size, if it is valid.
    ///
    /// ```
    /// use anywarp_execution::SubgroupSize;
    /// assert_eq!(SubgroupSize::new(8).map(SubgroupSize::get), Some(8));
    /// assert_eq!(SubgroupSize::new(24), None);
    /// assert_eq!(SubgroupSize::default().get(), 16);
    /// ```
    pub const fn new(lanes: u32) -> Option<Self> {
        if lanes.is_power_of_two() && lanes >= Self::MIN && lanes <= Self::MAX {
            Some(Self(lanes as u8))
        } else {
            None
        }
    }

    /// The number of lanes.
    pub const fn get(self) -> u32 {
        self.0 as u32
    }
}

impl Default for SubgroupSize {
    fn default() -> Self {
        Self(16)
    }
}
