//! Stride specialization: accesses with strides that double give the same results, for disjoint and for overlapping
//! indices, in bounds and out of bounds.

use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::ir::Function;
use anywarp_lanes::pass::stride_specialization;
use anywarp_lanes::text::parse;

use crate::common::is_changed;

/// The parameters of a test loop.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// The stride of the lanes before the multiplication.
    step: u32,
    /// The offsets of the first and the second index before the multiplication.
    before: [u32; 2],
    /// The offset after the multiplication.
    behind: u32,
    /// The stride in the first iteration.
    first: u32,
    /// The active lanes.
    mask: u32,
    /// Whether the second index starts with another word than the first, which is computed inside the region.
    is_other: bool,
}

const WORDS: usize = 200;

/// A loop that exchanges words, and reads one of them between its writes.
fn kernel(case: Case) -> Function {
    let pattern: Vec<_> = (0..16).map(|lane| (lane * case.step).to_string()).collect();
    let text = format!(
        "kernel lanes=16 frame=0 barriers=0
p0 = [{}]
b0:
  v0 = word 0
  v1 = base workgroup
  v2 = word {first}
  v3 = field workgroup.x
  jump b1(v2, v0)
b1(v4: word, v5: word):
  v10 = broadcast v4
  v11 = pattern p0
  v12 = word {one}
  v13 = add v3, v12
  v14 = broadcast v13
  v15 = vadd v14, v11
  v16 = vmul v10, v15
  v17 = splat {behind}
  v18 = vadd v16, v17
  v19 = xor v3, v12
  v20 = word {two}
  v21 = add {second}, v20
  v22 = broadcast v21
  v23 = vadd v22, v11
  v24 = vmul v10, v23
  v25 = vadd v24, v17
  v30 = mask {mask}
  v31 = splat {WORDS}
  v32 = masked.vltu v18, v31, mask v30
  v33 = masked.vltu v25, v31, mask v30
  v34 = gather +0 v1, v18, mask v32
  v35 = gather +0 v1, v25, mask v33
  scatter +0 v1, v18, v35, mask v32
  v36 = gather +0 v1, v25, mask v33
  v37 = vadd v36, v34
  scatter +0 v1, v25, v37, mask v33
  v38 = gather +0 v1, v18, mask v32
  v40 = word 1
  v41 = shl v4, v40
  v42 = add v5, v40
  v43 = word 5
  v44 = ltu v42, v43
  branch v44, b1(v41, v42), b2
b2:
  v50 = base buffer 0
  storerow +0 v50, v0, v36
  storerow +16 v50, v0, v38
  storerow +32 v50, v0, v25
  return finished
",
        pattern.join(", "),
        first = case.first,
        one = case.before[0],
        two = case.before[1],
        behind = case.behind as i32,
        second = if case.is_other { "v19" } else { "v3" },
        mask = case.mask,
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn memory() -> Memory {
    Memory {
        buffers: vec![vec![0; 48]],
        workgroup: (0..WORDS as u32)
            .map(|number| number * number + 7)
            .collect(),
        ..Memory::default()
    }
}

#[test]
fn strides_of_their_own_do_the_same() {
    let mut changed = 0;
    for step in [1, 2, 4, 8] {
        for before in [[1, 2], [0, 0], [3, 2], [0, 4], [5, 9], [u32::MAX, 0]] {
            for behind in [0, u32::MAX, 3] {
                for (first, mask) in [(0, 0xffff), (1, 0xffff), (1, 0x0ff7), (2, 0xffff), (3, 0xf)]
                {
                    let case = Case {
                        step,
                        before,
                        behind,
                        first,
                        mask,
                        is_other: step + first == 3,
                    };
                    changed += u32::from(is_changed(
                        &kernel(case),
                        &memory(),
                        stride_specialization::run,
                    ));
                }
            }
        }
    }
    assert_eq!(changed, 3 * 6 * 3 * 5, "all but the largest step");
}
