//! What buffers are indexed with.

mod sealed {
    pub trait Sealed {}
}

/// The types that WGSL takes as an index, and usize.
#[diagnostic::on_unimplemented(message = "`{Self}` is no index", label = "u32, i32 or usize")]
pub trait Index: Copy + sealed::Sealed {
    /// The element's number; `None` for a negative one.
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
