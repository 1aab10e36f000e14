//! Every builtin function against the reference evaluator, bit for bit, on edge cases and random
//! values.

mod floats;
mod harness;
mod integers;
mod packing;
mod vectors;

use gpu_sdk::{Vec3f, floor, round};
use harness::{Value, check, is_same};

#[test]
#[should_panic(expected = "round(x) on")]
fn a_difference_is_noticed() {
    check!("round(x)", |x: Vec3f| -> Vec3f {
        gpu_sdk::select(round(x), floor(x), x.x == 0.5)
    });
}

#[test]
fn zeros_differ_and_nans_do_not() {
    fn same<T: Value>(x: T, y: T) -> bool {
        is_same(x, y)
    }
    assert!(!same(0.0, -0.0));
    assert!(same(f32::NAN, -f32::NAN));
    assert!(!same(f32::NAN.to_bits(), (-f32::NAN).to_bits()));
}
