//! Lane strides: a guess of how an index differs from lane to lane, for accesses that are tested at run time
//! (`run_time_row`).
//!
//! In: an index that is not a uniform word plus a constant pattern. Out: whether its lanes probably count up by one,
//! are probably equal, or neither. A wrong guess costs time only, as the code tests it.
//!
//! Algorithm: a memoized walk over definitions. Sums, differences and products with constants are exact. Operations
//! that change few lanes (`select`, `min`, `max`, `%` and `&`) are taken for their counting operand: so wrapped and
//! clamped neighbor indices are rows. Quotients by words are taken for equal lanes, also where they are products with
//! reciprocals: so the indices of butterflies and of blocks are rows or words. What depends on varying data is unknown.
//! Each value is visited once.

use anywarp_lanes::ir::{Function, Inst, LaneBinary, Op, Type, Value, WordBinary};

use super::value_info::ValueInfo;

/// The maximum depth of index expressions that are analyzed.
const MAX_DEPTH: u32 = 48;

/// What the lanes of an index probably are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneGuess {
    /// Consecutive words: the lane number plus the index of the first lane.
    Row,
    /// Every second word: a component of an array of `vec2`.
    Pairs,
    /// One word.
    Equal,
    /// Anything else.
    Scattered,
}

/// The probable difference between consecutive lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stride {
    /// Not visited.
    New,
    /// Being visited: a loop-carried value. It has the stride of the other values that it merges.
    Open,
    Known(u32),
    /// Less than one: part of a quotient.
    Fraction,
    Unknown,
}

/// The strides of the values of a function, computed on demand.
#[derive(Debug, Default)]
pub(crate) struct LaneStrides {
    strides: Vec<Stride>,
    /// Block parameters and their arguments, sorted.
    arguments: Vec<(Value, Value)>,
}

impl LaneStrides {
    /// Guesses what the lanes of an index are.
    pub(crate) fn guess(
        &mut self,
        function: &Function,
        values: &ValueInfo<'_>,
        index: Value,
    ) -> LaneGuess {
        if self.strides.is_empty() {
            self.strides = vec![Stride::New; function.types.len()];
            self.arguments = arguments(function);
        }
        let mut walk = Walk {
            function,
            values,
            strides: self,
        };
        match walk.value(index, MAX_DEPTH) {
            Stride::Known(1) => LaneGuess::Row,
            Stride::Known(2) => LaneGuess::Pairs,
            Stride::Known(0) => LaneGuess::Equal,
            _ => LaneGuess::Scattered,
        }
    }
}

/// The arguments of each block parameter, sorted by parameter.
fn arguments(function: &Function) -> Vec<(Value, Value)> {
    let edges = function
        .blocks
        .iter()
        .flat_map(|block| block.terminator.edges());
    let pairs = edges.flat_map(|edge| {
        let parameters = &function.block(edge.block).parameters;
        parameters
            .iter()
            .copied()
            .zip(edge.arguments.iter().copied())
    });
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

struct Walk<'a> {
    function: &'a Function,
    values: &'a ValueInfo<'a>,
    strides: &'a mut LaneStrides,
}

impl Walk<'_> {
    fn value(&mut self, value: Value, depth: u32) -> Stride {
        match self.function.type_of(value) {
            Type::Word | Type::Pointer => return Stride::Known(0),
            Type::Mask => return Stride::Unknown,
            Type::Lanes => {}
        }
        let known = self.strides.strides[value.index()];
        if known != Stride::New {
            return known;
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Stride::Unknown;
        };
        self.strides.strides[value.index()] = Stride::Open;
        let stride = match self.values.definition(value) {
            Some(inst) => self.inst(inst, depth),
            None => self.parameter(value, depth),
        };
        self.strides.strides[value.index()] = stride;
        stride
    }

    fn parameter(&mut self, value: Value, depth: u32) -> Stride {
        let first = self
            .strides
            .arguments
            .partition_point(|pair| pair.0 < value);
        let mut merged = Stride::Open;
        for at in first..self.strides.arguments.len() {
            let (parameter, argument) = self.strides.arguments[at];
            if parameter != value || merged == Stride::Unknown {
                break;
            }
            merged = either(merged, self.value(argument, depth));
        }
        merged
    }

    fn inst(&mut self, inst: &Inst, depth: u32) -> Stride {
        let at = &inst.operands;
        match inst.op {
            Op::Splat(_) | Op::Broadcast | Op::LoadSplat(_) => Stride::Known(0),
            Op::Pattern(id) => step(&self.function.patterns[id.0 as usize]),
            Op::ShlBy(by) => map(self.value(at[0], depth), |stride| Some(stride << by)),
            Op::ShrBy(by) | Op::SarBy(by) => {
                let stride = self.value(at[0], depth);
                self.quotient(stride, 1 << by)
            }
            Op::Binary(LaneBinary::Int(op)) => self.binary(op, [at[0], at[1]], depth),
            Op::Masked(LaneBinary::Int(op)) => {
                let changed = self.binary(op, [at[1], at[2]], depth);
                either(changed, self.value(at[0], depth))
            }
            Op::Select => either(self.value(at[1], depth), self.value(at[2], depth)),
            // Only one of the operands counts.
            Op::Ternary(_) => {
                let strides = [0, 1, 2].map(|place: usize| self.value(at[place], depth));
                strides.into_iter().fold(Stride::Known(0), sum)
            }
            Op::Gather(_) => self.equal(&at[1..2], depth),
            _ if inst.op.reads_memory() || inst.op.has_effect() || inst.op == Op::Permute => {
                Stride::Unknown
            }
            _ => self.equal(at, depth),
        }
    }

    /// Operations of which nothing is known but that they give equal results for equal operands.
    fn equal(&mut self, operands: &[Value], depth: u32) -> Stride {
        let mut all = operands.iter();
        if all.all(|operand| self.value(*operand, depth) == Stride::Known(0)) {
            Stride::Known(0)
        } else {
            Stride::Unknown
        }
    }

    fn binary(&mut self, op: WordBinary, [a, b]: [Value; 2], depth: u32) -> Stride {
        use WordBinary as W;
        let constants = [self.values.splat(a), self.values.splat(b)];
        let (x, y) = (self.value(a, depth), self.value(b, depth));
        match op {
            W::Add | W::Or | W::Xor => sum(x, y),
            W::Sub => sum(x, map(y, |stride| Some(stride.wrapping_neg()))),
            W::Mul => match (x, y, constants) {
                (x, _, [_, Some(by)]) => map(x, |stride| Some(stride.wrapping_mul(by))),
                (_, y, [Some(by), _]) => map(y, |stride| Some(stride.wrapping_mul(by))),
                _ => both_equal(x, y),
            },
            W::Shl => match (x, constants[1]) {
                (x, Some(by)) => map(x, |stride| Some(stride << (by % 32))),
                (x, None) => both_equal(x, y),
            },
            W::DivU | W::DivS if y == Stride::Known(0) => {
                self.quotient(x, constants[1].unwrap_or(0))
            }
            W::ShrU | W::ShrS if y == Stride::Known(0) => {
                let by = constants[1].map_or(0, |by| 1 << (by % 32));
                self.quotient(x, by)
            }
            // The quotient by a word, which may be prepared as a product with its reciprocal.
            W::MulHighU if y == Stride::Known(0) => map(x, |_| Some(0)),
            W::RemU | W::RemS if y == Stride::Known(0) => x,
            W::And => match (x, y) {
                (x, Stride::Known(0)) => x,
                (Stride::Known(0), y) => y,
                _ => Stride::Unknown,
            },
            W::MinU | W::MaxU | W::MinS | W::MaxS => either(x, y),
            _ => both_equal(x, y),
        }
    }

    /// The stride of a quotient; the divisor is 0 if it is not a constant. Many lanes have the same large quotient.
    fn quotient(&self, stride: Stride, divisor: u32) -> Stride {
        match (stride, divisor) {
            (Stride::Known(_) | Stride::Fraction, 0) => Stride::Known(0),
            (Stride::Known(stride), _) if stride.is_multiple_of(divisor) => {
                Stride::Known(stride / divisor)
            }
            (Stride::Known(1), _) if divisor >= self.function.lanes => Stride::Known(0),
            (Stride::Known(1) | Stride::Fraction, _) => Stride::Fraction,
            _ => Stride::Unknown,
        }
    }
}

fn map(stride: Stride, change: impl Fn(u32) -> Option<u32>) -> Stride {
    match stride {
        Stride::Known(stride) => change(stride).map_or(Stride::Unknown, Stride::Known),
        other => other,
    }
}

fn sum(a: Stride, b: Stride) -> Stride {
    match (a, b) {
        (Stride::Known(a), Stride::Known(b)) => Stride::Known(a.wrapping_add(b)),
        (other @ (Stride::Open | Stride::Fraction), Stride::Known(0))
        | (Stride::Known(0), other @ (Stride::Open | Stride::Fraction)) => other,
        _ => Stride::Unknown,
    }
}

fn both_equal(a: Stride, b: Stride) -> Stride {
    match (a, b) {
        (Stride::Known(0), Stride::Known(0)) => Stride::Known(0),
        _ => Stride::Unknown,
    }
}

/// The stride of lanes that are taken from two values: the first or the last lanes of a row often differ.
fn either(a: Stride, b: Stride) -> Stride {
    match (a, b) {
        (a, b) if a == b => a,
        (Stride::Open, other) | (other, Stride::Open) => other,
        (Stride::Known(a), Stride::Known(b)) if a == 0 || b == 0 => Stride::Known(a | b),
        (Stride::Known(a), Stride::Known(b)) if a == 1 || b == 1 => Stride::Known(1),
        _ => Stride::Unknown,
    }
}

/// The stride of a pattern that is an arithmetic sequence.
fn step(words: &[u32]) -> Stride {
    let stride = words[1].wrapping_sub(words[0]);
    let mut pairs = words.iter().zip(&words[1..]);
    if pairs.all(|(one, next)| one.wrapping_add(stride) == *next) {
        Stride::Known(stride)
    } else {
        Stride::Unknown
    }
}

#[cfg(test)]
mod tests {
    use anywarp_lanes::text::parse;

    use super::*;
    use crate::x64::vector::Folding;

    /// Guesses the lanes of the index of the only gather of a function.
    fn guess(insts: &str) -> LaneGuess {
        let text = format!(
            "kernel lanes=8 frame=0 barriers=0\np0 = [0, 1, 2, 3, 4, 5, 6, 7]\nb0:\n  v0 = field workgroup.x\n  \
             v1 = broadcast v0\n  v2 = pattern p0\n  v3 = vadd v1, v2\n  v4 = base buffer 0\n  v5 = mask 0xff\n  \
             v6 = splat 1\n  v7 = splat 7\n  v8 = splat 16\n{insts}\n  return finished\n"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let folding = Folding {
            broadcasts: false,
            coalesces: false,
        };
        let values = ValueInfo::new(&function, folding);
        let mut all = function.blocks.iter().flat_map(|block| &block.insts);
        let gather = all.find(|inst| matches!(inst.op, Op::Gather(0))).unwrap();
        LaneStrides::default().guess(&function, &values, gather.operands[1])
    }

    fn of(definitions: &[&str], index: &str) -> LaneGuess {
        let gather = format!("v9 = gather +0 v4, {index}, mask v5");
        let lines = definitions.iter().copied().chain([gather.as_str()]);
        let lines: Vec<_> = lines.map(|line| format!("  {line}")).collect();
        guess(&lines.join("\n"))
    }

    #[test]
    fn sums_and_products_are_exact() {
        assert_eq!(of(&[], "v3"), LaneGuess::Row);
        assert_eq!(of(&[], "v1"), LaneGuess::Equal);
        assert_eq!(of(&["v10 = vsub v3, v6"], "v10"), LaneGuess::Row);
        assert_eq!(of(&["v10 = vsub v7, v3"], "v10"), LaneGuess::Scattered);
        assert_eq!(of(&["v10 = vadd v3, v3"], "v10"), LaneGuess::Pairs);
        assert_eq!(of(&["v10 = vmul v3, v7"], "v10"), LaneGuess::Scattered);
        assert_eq!(of(&["v10 = vsub v3, v3"], "v10"), LaneGuess::Equal);
    }

    #[test]
    fn clamped_and_wrapped_neighbors_are_rows() {
        assert_eq!(of(&["v10 = vminu v3, v7"], "v10"), LaneGuess::Row);
        assert_eq!(of(&["v10 = vremu v3, v1"], "v10"), LaneGuess::Row);
        assert_eq!(of(&["v10 = vand v3, v7"], "v10"), LaneGuess::Row);
        let wrap = [
            "v10 = vsub v3, v6",
            "v11 = veq v3, v7",
            "v12 = vselect v11, v7, v10",
        ];
        assert_eq!(of(&wrap, "v12"), LaneGuess::Row);
    }

    #[test]
    fn quotients_are_equal_where_they_are_large() {
        assert_eq!(of(&["v10 = vdivu v3, v1"], "v10"), LaneGuess::Equal);
        assert_eq!(of(&["v10 = vdivu v3, v8"], "v10"), LaneGuess::Equal);
        assert_eq!(of(&["v10 = vdivu v3, v7"], "v10"), LaneGuess::Scattered);
        let butterfly = [
            "v10 = vdivu v3, v1",
            "v11 = vmul v10, v1",
            "v12 = vremu v3, v1",
            "v13 = vadd v11, v12",
        ];
        assert_eq!(of(&butterfly, "v13"), LaneGuess::Row);
    }

    #[test]
    fn loaded_indices_are_unknown() {
        let loaded = ["v10 = gather +1 v4, v3, mask v5", "v11 = vadd v10, v6"];
        assert_eq!(of(&loaded, "v11"), LaneGuess::Scattered);
        let equal = ["v10 = gather +1 v4, v1, mask v5"];
        assert_eq!(of(&equal, "v10"), LaneGuess::Equal);
    }
}
