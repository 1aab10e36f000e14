//! Test support that every crate can depend on, because it has few dependencies itself.
//!
//! [`report_skip`] reports tests that cannot run on this machine. [`Random`] is the generator of random tests. [`tint`] validates WGSL with Tint in a separate
//! process, so that its users do not compile the browser driver.

#![forbid(unsafe_code)]

mod random;
mod skip;
pub mod tint;

pub use random::Random;
pub use skip::report_skip;
