//! Regions of addresses through block parameters, selects and memory.

use super::super::super::ir::{Cfg, Value, parse};
use super::super::linear::LinearForms;
use super::{Provenances, Region, StaticRange};

fn regions(text: &str, values: &[u32]) -> Vec<Region> {
    let function = parse(text).expect("a function");
    let cfg = Cfg::new(&function);
    let forms = LinearForms::all(&function, &cfg);
    let statics = StaticRange {
        first: 4096,
        end: 4112,
        words: vec![4100, 0, 7, 9],
    };
    let provenances = Provenances::new(&function, &cfg, &forms, &statics);
    let region = |&value: &u32| provenances.region(Value(value), 0);
    values.iter().map(region).collect()
}

#[test]
fn pointers_in_loops_keep_their_base() {
    let text = "kernel f(slice0, len0, i32)
        b0:
          jump b1(slice0, 0)
        b1(v0: i32, v1: i32):
          v2: i32 = Load i32 v0
          v3: i32 = Add v0, 4
          v4: i32 = Select true, v0, 0
          v5: i32 = Sub v3, v0
          v6: bool = Eq v5, v2
          branch v6, b2, b1(v3, v5)
        b2:
          v7: i32 = Add v1, 4096
          v8: i32 = Load i32 4096
          v9: i32 = Xor v3, 12
          return";
    let slice = Region::Slice(0);
    assert_eq!(
        regions(text, &[0, 3, 4, 5, 7, 8, 9]),
        [
            slice,
            slice,
            slice,
            Region::Number,
            Region::Static,
            Region::Static,
            Region::Unknown
        ]
    );
}

#[test]
fn words_of_pairs_are_followed() {
    let text = "kernel f(slice0, len0)
        b0:
          v0: i32 = Sub sp, 32
          Store i32+8 v0, slice0
          Store i32+12 v0, len0
          v1: i64 = Load i64+8 v0
          Store i64+16 v0, v1
          v2: i32 = Load i32+16 v0
          v3: i32 = Load i32+20 v0
          return";
    let expected = [Region::Slice(0), Region::Number];
    assert_eq!(regions(text, &[2, 3]), expected);
}
