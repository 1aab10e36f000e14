//! The types of a batch's results.
//!
//! In: the element types of `read_back` calls, in order. Out: no call gives `()`, one call
//! `Vec<A>`, two calls `(Vec<A>, Vec<B>)`, and so on to four. What always holds: a type is decoded
//! from as many ranges as there were calls.

use bytemuck::Pod;

mod sealed {
    pub trait Sealed {}
}

/// The results of a batch, decoded from the ranges that it reads back.
pub trait Results: sealed::Sealed + Sized {
    /// Decodes the ranges in their order.
    #[doc(hidden)]
    fn decode(ranges: &[Vec<u8>]) -> Self;
}

/// Results that another range can be added to.
pub trait AddRange<T: Pod>: Results {
    /// The results with another range of `T`.
    type Added: Results;
}

fn range<T: Pod>(ranges: &[Vec<u8>], index: usize) -> Vec<T> {
    let bytes = ranges.get(index).map(Vec::as_slice);
    bytemuck::pod_collect_to_vec(bytes.unwrap_or_default())
}

impl sealed::Sealed for () {}

impl Results for () {
    fn decode(_: &[Vec<u8>]) -> Self {}
}

impl<T: Pod> AddRange<T> for () {
    type Added = Vec<T>;
}

impl<A: Pod> sealed::Sealed for Vec<A> {}

impl<A: Pod> Results for Vec<A> {
    fn decode(ranges: &[Vec<u8>]) -> Self {
        range(ranges, 0)
    }
}

impl<A: Pod, T: Pod> AddRange<T> for Vec<A> {
    type Added = (Self, Vec<T>);
}

impl<A: Pod, B: Pod> sealed::Sealed for (Vec<A>, Vec<B>) {}

impl<A: Pod, B: Pod> Results for (Vec<A>, Vec<B>) {
    fn decode(ranges: &[Vec<u8>]) -> Self {
        (range(ranges, 0), range(ranges, 1))
    }
}

impl<A: Pod, B: Pod, T: Pod> AddRange<T> for (Vec<A>, Vec<B>) {
    type Added = (Vec<A>, Vec<B>, Vec<T>);
}

impl<A: Pod, B: Pod, C: Pod> sealed::Sealed for (Vec<A>, Vec<B>, Vec<C>) {}

impl<A: Pod, B: Pod, C: Pod> Results for (Vec<A>, Vec<B>, Vec<C>) {
    fn decode(ranges: &[Vec<u8>]) -> Self {
        (range(ranges, 0), range(ranges, 1), range(ranges, 2))
    }
}

impl<A: Pod, B: Pod, C: Pod, T: Pod> AddRange<T> for (Vec<A>, Vec<B>, Vec<C>) {
    type Added = (Vec<A>, Vec<B>, Vec<C>, Vec<T>);
}

impl<A: Pod, B: Pod, C: Pod, D: Pod> sealed::Sealed for (Vec<A>, Vec<B>, Vec<C>, Vec<D>) {}

impl<A: Pod, B: Pod, C: Pod, D: Pod> Results for (Vec<A>, Vec<B>, Vec<C>, Vec<D>) {
    fn decode(ranges: &[Vec<u8>]) -> Self {
        let (first, second) = (range(ranges, 0), range(ranges, 1));
        (first, second, range(ranges, 2), range(ranges, 3))
    }
}
