//! Tests of kernels over grids: dispatches, calls, frames, floats and limits of work.

mod calls;
mod dispatch;
mod floats;
mod frames;
mod work;
