//! Tests of kernels over grids: dispatches, bounds, calls, frames, floats, and limits of work and time.

mod bounds;
mod calls;
mod dispatch;
mod floats;
mod frames;
mod interpreter_errors;
mod limits;
mod thread_safety;
mod work;
