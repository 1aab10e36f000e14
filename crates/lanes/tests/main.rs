//! Tests of the vector IR: text, verifier, evaluator, lowering, passes, bounds and limits of work.

mod bounds;
mod build;
mod calls;
mod common;
mod evaluate;
mod halves;
mod host_calls;
mod math;
mod numbers;
mod pass_loop_unroll;
mod pass_random;
mod pass_reassociate;
mod pass_register_blocking;
mod pass_stride_specialization;
mod pass_unroll_and_jam;
mod polls;
mod random;
mod shapes;
mod text;
mod verify;
mod work;
