//! Index types of buffers.

mod sealed {
    pub trait Sealed {}
}

/// WGSL's index types u32 and i32, and usize.
#[diagnostic::on_unimplemented(message = "`{Self}` is no index", label = "u32, i32 or usize")]
pub trait Index: Copy + sealed::Sealed {
    /// The index as `usize`; `None` for a negative one.
    fn position(self) -> Option<usize>;
}

macro_rules! indices {
    ($($index:ty)*) => { $(
        impl sealed::Sealed for $index {}

        impl Index for $index {
            #[inline]
            fn position(self) -> Option<usize> {
                self.try_into().ok()
            }
        }
    )* };
}

indices! { u32 i32 usize }
