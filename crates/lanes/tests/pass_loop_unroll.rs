//! Loop unrolling: loops that rotate their parameters give the same results, for every way in which four parameters can
//! be passed to each other or be computed, and for many trip counts.

use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::ir::Function;
use anywarp_lanes::pass::loop_unroll;
use anywarp_lanes::text::parse;

use crate::common::is_changed;

/// The argument of a parameter on the back edge: one of the four parameters, or a computed value.
const GIVEN: [&str; 5] = ["v10", "v11", "v12", "v13", "v20"];

/// A loop with such arguments that counts from one number to another.
fn kernel(given: [&str; 4], first: u32, step: u32, limit: u32) -> Function {
    let [a, b, c, d] = given;
    let text = format!(
        "kernel lanes=8 frame=0 barriers=0
b0:
  v0 = word 0
  v1 = base buffer 0
  v2 = splat 1
  v3 = splat 2
  v4 = splat 3
  v5 = splat 4
  v6 = word {first}
  jump b1(v2, v3, v4, v5, v6)
b1(v10: lanes, v11: lanes, v12: lanes, v13: lanes, v14: word):
  v21 = vadd v10, v13
  v20 = vxor v21, v11
  v22 = word {step}
  v23 = add v14, v22
  v24 = word {limit}
  v25 = ltu v23, v24
  branch v25, b1({a}, {b}, {c}, {d}, v23), b2(v12)
b2(v30: lanes):
  storerow +0 v1, v0, v20
  storerow +8 v1, v0, v10
  storerow +16 v1, v0, v11
  storerow +24 v1, v0, v30
  storerow +32 v1, v0, v13
  return finished
"
    );
    parse(&text).unwrap()
}

fn memory() -> Memory {
    Memory {
        buffers: vec![vec![0; 40]],
        ..Memory::default()
    }
}

#[test]
fn loops_do_the_same() {
    let mut changed = 0;
    for case in 0..5usize.pow(4) {
        let given = [1, 5, 25, 125].map(|divisor| GIVEN[case / divisor % 5]);
        let (first, step) = (case as u32 % 3, case as u32 % 2 + 1);
        for limit in [0, 1, 6, 7, 8, 12, 13, 25] {
            let function = kernel(given, first, step, limit);
            changed += u32::from(is_changed(&function, &memory(), loop_unroll::run));
        }
    }
    assert!(changed > 500, "only {changed} were changed");
}
