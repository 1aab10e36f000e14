//! Generic handlers of numeric operations, specialized by operand source, also fused with branches.

use crate::bytecode::TrapCode;

use super::operand::{
    ByteImmediate, DirectSource, FromRegister, FromSlot, FusedConstant, Immediate,
    NextFusedConstant, NextImmediate, OperandSource, ShortImmediate, Zero,
};
use super::{
    Executor, Exit, Handler, Ins, InstructionStream, Memory, OperandForm, OperandKinds, Slot,
    Source, StackCache, Window, jump, next, trap,
};

/// A unary operation.
pub(super) trait Unary {
    type From: Slot;
    type To: Slot;
    /// Whether NaN results are canonicalized.
    const ARITHMETIC: bool = false;
    const KINDS: OperandKinds = OperandKinds {
        x: Some(Self::From::KIND),
        y: None,
        to: Some(Self::To::KIND),
    };
    fn apply(x: Self::From) -> Result<Self::To, TrapCode>;
}

/// A binary operation.
pub(super) trait Binary {
    type From: Slot;
    type To: Slot;
    const ARITHMETIC: bool = false;
    const KINDS: OperandKinds = OperandKinds {
        x: Some(Self::From::KIND),
        y: Some(Self::From::KIND),
        to: Some(Self::To::KIND),
    };
    /// With an immediate.
    const KINDS_OF_CONSTANT: OperandKinds = OperandKinds {
        y: None,
        ..Self::KINDS
    };
    /// With a branch instead of a result.
    const KINDS_OF_BRANCH: OperandKinds = OperandKinds {
        to: None,
        ..Self::KINDS
    };
    fn apply(x: Self::From, y: Self::From) -> Result<Self::To, TrapCode>;
}

/// Writes a result and continues.
#[inline(always)]
fn finish<'a, M: Memory, T: Slot, const ARITHMETIC: bool>(
    result: T,
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    cache: StackCache,
) -> Exit {
    T::set(window, ins.a, result);
    if ARITHMETIC && result.is_nan() {
        return replace::<M, T>(
            ins,
            rest,
            window,
            run,
            cache.integer,
            cache.single,
            cache.double,
        );
    }
    next(rest, window, run, result.into_cache(cache))
}

/// Canonicalizes a NaN. Cold and out of line, so that results need not wait for the check.
#[cold]
#[inline(never)]
fn replace<'a, M: Memory, T: Slot>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    match T::NAN {
        Some(nan) => {
            T::set(window, ins.a, nan);
            next(rest, window, run, nan.into_cache(cache))
        }
        None => trap(rest, run, TrapCode::Unreachable),
    }
}

fn run_unary<'a, M: Memory, O: Unary, X: DirectSource>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let result = O::apply(X::read::<M, O::From>(ins, ins.b, window, cache));
    match (result, O::ARITHMETIC) {
        (Ok(result), true) => finish::<M, O::To, true>(result, ins, rest, window, run, cache),
        (Ok(result), false) => finish::<M, O::To, false>(result, ins, rest, window, run, cache),
        (Err(code), _) => trap(rest, run, code),
    }
}

fn run_binary<'a, M: Memory, O: Binary, X: DirectSource, Y: OperandSource>(
    ins: &'a Ins<M>,
    mut rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    // The right operand first: the fused constant instruction comes before the operation.
    let Some(y) = Y::get::<M, O::From>(ins, ins.c, &mut rest, window, cache) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = X::read::<M, O::From>(ins, ins.b, window, cache);
    match (O::apply(x, y), O::ARITHMETIC) {
        (Ok(result), true) => finish::<M, O::To, true>(result, ins, rest, window, run, cache),
        (Ok(result), false) => finish::<M, O::To, false>(result, ins, rest, window, run, cache),
        (Err(code), _) => trap(rest, run, code),
    }
}

/// An operation, then a back edge.
fn run_op_and_jump<'a, M: Memory, O: Binary, X: DirectSource, Y: DirectSource>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let y: O::From = Y::read(ins, ins.c, window, cache);
    let x = X::read::<M, O::From>(ins, ins.b, window, cache);
    match O::apply(x, y) {
        Ok(result) => {
            O::To::set(window, ins.a, result);
            jump::<M, true>(ins.imm, window, run, result.into_cache(cache))
        }
        Err(code) => trap(rest, run, code),
    }
}

/// Shifts `b` by `d`, keeps the result in slot `c`, and applies an operation to it and another
/// slot. The index of that slot is the immediate; if `SAME`, it is `b`.
fn run_shift_then<'a, M, T, S, O, X: DirectSource, const SAME: bool>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit
where
    M: Memory,
    T: Slot,
    S: Binary<From = T, To = T>,
    O: Binary<From = T, To = T>,
{
    let cache = StackCache::new(integer, single, double);
    let x = X::read::<M, T>(ins, ins.b, window, cache);
    let Ok(shifted) = S::apply(x, T::constant(u32::from(ins.d))) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    T::set(window, ins.c, shifted);
    let other = if SAME {
        x
    } else {
        T::get(window, ins.imm as u8)
    };
    match O::apply(other, shifted) {
        Ok(result) => finish::<M, T, false>(result, ins, rest, window, run, cache),
        Err(code) => trap(rest, run, code),
    }
}

/// The handler of a shift and a commutative operation on its result and another slot, or the
/// shifted slot.
pub(super) fn shift_then<M, T, S, O>(x: Source, same: bool) -> Handler<M>
where
    M: Memory,
    T: Slot,
    S: Binary<From = T, To = T>,
    O: Binary<From = T, To = T>,
{
    match (x, same) {
        (Source::Register, true) => run_shift_then::<M, T, S, O, FromRegister, true>,
        (Source::Register, false) => run_shift_then::<M, T, S, O, FromRegister, false>,
        (_, true) => run_shift_then::<M, T, S, O, FromSlot, true>,
        (_, false) => run_shift_then::<M, T, S, O, FromSlot, false>,
    }
}

fn run_branch<
    'a,
    M: Memory,
    O: Binary<To = bool>,
    X: DirectSource,
    Y: OperandSource,
    const BACK: bool,
>(
    ins: &'a Ins<M>,
    mut rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let Some(y) = Y::get::<M, O::From>(ins, ins.b, &mut rest, window, cache) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = X::read::<M, O::From>(ins, ins.a, window, cache);
    match O::apply(x, y) {
        Ok(true) => jump::<M, BACK>(ins.imm, window, run, cache),
        Ok(false) => next(rest, window, run, cache),
        Err(code) => trap(rest, run, code),
    }
}

/// Adds `d` to an operand, then branches back on a comparison of the sum.
fn run_count_and_branch<'a, M: Memory, O: Binary<From: Counter, To = bool>, Y: OperandSource>(
    ins: &'a Ins<M>,
    mut rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    _: u64,
    single: f32,
    double: f64,
) -> Exit {
    let count = O::From::get(window, ins.a).plus(ins.d as i8);
    O::From::set(window, ins.a, count);
    let cache = count.into_cache(StackCache {
        integer: 0,
        single,
        double,
    });
    let Some(y) = Y::get::<M, O::From>(ins, ins.b, &mut rest, window, cache) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    match O::apply(count, y) {
        Ok(true) => jump::<M, true>(ins.imm, window, run, cache),
        Ok(false) => next(rest, window, run, cache),
        Err(code) => trap(rest, run, code),
    }
}

/// Compares, writes the result, and branches on it.
fn run_compare_and_branch<
    'a,
    M: Memory,
    O: Binary<To = bool>,
    X: DirectSource,
    Y: OperandSource,
    const WHEN: bool,
>(
    ins: &'a Ins<M>,
    mut rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let Some(y) = Y::get::<M, O::From>(ins, ins.c, &mut rest, window, cache) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = X::read::<M, O::From>(ins, ins.b, window, cache);
    match O::apply(x, y) {
        Ok(result) => {
            bool::set(window, ins.a, result);
            match (result == WHEN, ins.d != 0) {
                (false, _) => next(rest, window, run, result.into_cache(cache)),
                (true, true) => jump::<M, true>(ins.imm, window, run, result.into_cache(cache)),
                (true, false) => jump::<M, false>(ins.imm, window, run, result.into_cache(cache)),
            }
        }
        Err(code) => trap(rest, run, code),
    }
}

/// Types of loop counters.
pub(super) trait Counter: Slot {
    fn plus(self, step: i8) -> Self;
}

impl Counter for u32 {
    #[inline(always)]
    fn plus(self, step: i8) -> Self {
        self.wrapping_add_signed(i32::from(step))
    }
}

impl Counter for i32 {
    #[inline(always)]
    fn plus(self, step: i8) -> Self {
        self.wrapping_add(Self::from(step))
    }
}

/// The handler of an addition and a branch back on a comparison of the sum.
pub(super) fn count_and_branch<M: Memory, O: Binary<From: Counter, To = bool>>(
    y: Source,
) -> Handler<M> {
    match y {
        Source::Immediate => run_count_and_branch::<M, O, ShortImmediate>,
        Source::NextEntry => run_count_and_branch::<M, O, NextImmediate>,
        _ => run_count_and_branch::<M, O, FromSlot>,
    }
}

/// The handler of an addition and a branch back on a comparison of the sum with 0.
pub(super) fn count_and_branch_on_zero<M: Memory, O: Binary<From: Counter, To = bool>>()
-> Handler<M> {
    run_count_and_branch::<M, O, Zero>
}

/// The handler of a comparison and a branch on its result.
pub(super) fn compare_and_branch<M: Memory, O: Binary<To = bool>>(
    form: OperandForm,
    when: bool,
) -> Handler<M> {
    if when {
        compare_and_branch_when::<M, O, true>(form)
    } else {
        compare_and_branch_when::<M, O, false>(form)
    }
}

fn compare_and_branch_when<M: Memory, O: Binary<To = bool>, const WHEN: bool>(
    form: OperandForm,
) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Register, Source::NextEntry) => {
            run_compare_and_branch::<M, O, FromRegister, NextFusedConstant, WHEN>
        }
        (_, Source::NextEntry) => run_compare_and_branch::<M, O, FromSlot, NextFusedConstant, WHEN>,
        (Source::Register, _) => run_compare_and_branch::<M, O, FromRegister, FromSlot, WHEN>,
        (_, Source::Register) => run_compare_and_branch::<M, O, FromSlot, FromRegister, WHEN>,
        _ => run_compare_and_branch::<M, O, FromSlot, FromSlot, WHEN>,
    }
}

/// The handler of an operation and a back edge.
pub(super) fn op_and_jump<M: Memory, O: Binary>(form: OperandForm) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Register, Source::Immediate) => {
            run_op_and_jump::<M, O, FromRegister, ByteImmediate>
        }
        (_, Source::Immediate) => run_op_and_jump::<M, O, FromSlot, ByteImmediate>,
        (Source::Register, _) => run_op_and_jump::<M, O, FromRegister, FromSlot>,
        (_, Source::Register) => run_op_and_jump::<M, O, FromSlot, FromRegister>,
        _ => run_op_and_jump::<M, O, FromSlot, FromSlot>,
    }
}

/// The handler of a unary operation.
pub(super) fn unary<M: Memory, O: Unary>(form: OperandForm) -> Handler<M> {
    match form.x {
        Source::Register => run_unary::<M, O, FromRegister>,
        _ => run_unary::<M, O, FromSlot>,
    }
}

/// The handler of a binary operation.
pub(super) fn binary<M: Memory, O: Binary>(form: OperandForm) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Register, Source::Immediate) => run_binary::<M, O, FromRegister, FusedConstant>,
        (_, Source::Immediate) => run_binary::<M, O, FromSlot, FusedConstant>,
        (Source::Register, _) => run_binary::<M, O, FromRegister, FromSlot>,
        (_, Source::Register) => run_binary::<M, O, FromSlot, FromRegister>,
        _ => run_binary::<M, O, FromSlot, FromSlot>,
    }
}

/// The handler of a binary operation with an immediate.
pub(super) fn constant<M: Memory, O: Binary>(form: OperandForm) -> Handler<M> {
    match form.x {
        Source::Register => run_binary::<M, O, FromRegister, Immediate>,
        _ => run_binary::<M, O, FromSlot, Immediate>,
    }
}

/// The handler of a fused compare and branch.
pub(super) fn branch<M: Memory, O: Binary<To = bool>>(form: OperandForm) -> Handler<M> {
    if form.back {
        branch_to::<M, O, true>(form)
    } else {
        branch_to::<M, O, false>(form)
    }
}

fn branch_to<M: Memory, O: Binary<To = bool>, const BACK: bool>(form: OperandForm) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Register, Source::Immediate) => {
            run_branch::<M, O, FromRegister, ShortImmediate, BACK>
        }
        (_, Source::Immediate) => run_branch::<M, O, FromSlot, ShortImmediate, BACK>,
        (Source::Register, Source::NextEntry) => {
            run_branch::<M, O, FromRegister, NextImmediate, BACK>
        }
        (_, Source::NextEntry) => run_branch::<M, O, FromSlot, NextImmediate, BACK>,
        (Source::Register, _) => run_branch::<M, O, FromRegister, FromSlot, BACK>,
        (_, Source::Register) => run_branch::<M, O, FromSlot, FromRegister, BACK>,
        _ => run_branch::<M, O, FromSlot, FromSlot, BACK>,
    }
}

/// The handler of a branch on a comparison with 0.
pub(super) fn branch_by_zero<M: Memory, O: Binary<To = bool>>(form: OperandForm) -> Handler<M> {
    match (form.x, form.back) {
        (Source::Register, true) => run_branch::<M, O, FromRegister, Zero, true>,
        (Source::Register, false) => run_branch::<M, O, FromRegister, Zero, false>,
        (_, true) => run_branch::<M, O, FromSlot, Zero, true>,
        (_, false) => run_branch::<M, O, FromSlot, Zero, false>,
    }
}

/// Declares unary operations and the functions that look up their handlers.
macro_rules! unaries {
    ($($op:ident($x:ident: $from:ty) -> $to:ty = $result:expr;)*) => {
        unaries! { unary_of unary_kinds false; $($op($x: $from) -> $to = $result;)* }
    };
    ($of:ident $kinds:ident $arithmetic:literal; $($op:ident($x:ident: $from:ty) -> $to:ty = $result:expr;)*) => {
        $(
            struct $op;

            impl Unary for $op {
                type From = $from;
                type To = $to;
                const ARITHMETIC: bool = $arithmetic;

                #[inline(always)]
                fn apply($x: $from) -> Result<$to, TrapCode> {
                    Ok($result)
                }
            }
        )*

        fn $of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
            match op {
                $(Op::$op => Some(number::unary::<M, $op>(form)),)*
                _ => None,
            }
        }

        fn $kinds(op: Op) -> Option<OperandKinds> {
            match op {
                $(Op::$op => Some($op::KINDS),)*
                _ => None,
            }
        }
    };
}

/// Declares binary operations and the functions that look up their handlers. Some also have opcodes
/// with an immediate, and some of these with a branch, with and without an immediate.
macro_rules! binaries {
    ($of:ident $kinds:ident $arithmetic:literal;
     $($op:ident $($constant:ident $($branch:ident $branch_constant:ident)?)?($x:ident, $y:ident: $from:ty) -> $to:ty = $result:expr;)*) => {
        $(
            struct $op;

            impl Binary for $op {
                type From = $from;
                type To = $to;
                const ARITHMETIC: bool = $arithmetic;

                #[inline(always)]
                fn apply($x: $from, $y: $from) -> Result<$to, TrapCode> {
                    Ok($result)
                }
            }
        )*

        fn $of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
            match op {
                $(Op::$op => Some(number::binary::<M, $op>(form)),)*
                $($(
                    Op::$constant => Some(number::constant::<M, $op>(form)),
                    $(Op::$branch | Op::$branch_constant => Some(number::branch::<M, $op>(form)),)?
                )?)*
                _ => None,
            }
        }

        fn $kinds(op: Op) -> Option<OperandKinds> {
            match op {
                $(Op::$op => Some($op::KINDS),)*
                $($(
                    Op::$constant => Some($op::KINDS_OF_CONSTANT),
                    $(
                        Op::$branch => Some($op::KINDS_OF_BRANCH),
                        Op::$branch_constant => Some(OperandKinds { y: None, ..$op::KINDS_OF_BRANCH }),
                    )?
                )?)*
                _ => None,
            }
        }
    };
}

/// Declares the function that looks up comparisons fused with a branch on their result.
macro_rules! comparisons {
    ($($op:ident)*) => {
        /// The handler of a comparison and a branch on its result, taken if the result is `when`.
        pub(super) fn compare_and_branch<M: Memory>(op: Op, form: OperandForm, when: bool) -> Option<Handler<M>> {
            match op {
                $(Op::$op => Some(number::compare_and_branch::<M, $op>(form, when)),)*
                _ => None,
            }
        }
    };
}

pub(super) use {binaries, comparisons, unaries};
