//! Parameter and result types of kernels: those of WebAssembly functions.

mod sealed {
    pub trait Sealed {}
}

/// A type that wasm32 passes by value: i32, u32, i64, u64, f32, f64.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot take or give `{Self}`",
    label = "not a number that wasm32 can pass",
    note = "kernels take i32, u32, i64, u64, f32 and f64 and give one of them or nothing"
)]
pub trait KernelValue: sealed::Sealed {}

/// A result type of a kernel: a [`KernelValue`] or nothing.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot take or give `{Self}`",
    label = "not a number that wasm32 can pass",
    note = "kernels take i32, u32, i64, u64, f32 and f64 and give one of them or nothing"
)]
pub trait KernelResult: sealed::Sealed {}

macro_rules! values {
    ($($value:ty)*) => { $(
        impl sealed::Sealed for $value {}
        impl KernelValue for $value {}
        impl KernelResult for $value {}
    )* };
}

values! { i32 u32 i64 u64 f32 f64 }

impl sealed::Sealed for () {}
impl KernelResult for () {}

/// Compiles if the type can be a parameter. For `#[kernel]`.
pub const fn is_argument<T: KernelValue>() {}

/// Compiles if the type can be a result. For `#[kernel]`.
pub const fn is_result<T: KernelResult>() {}
