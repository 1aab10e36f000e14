//! Generic handlers of numeric operations, specialized by operand source, also fused with branches.

use crate::bytecode::TrapCode;

use super::operand::{
    ByteImmediate, DirectSource, FromRegister, FromSlot, FusedConstant, Immediate,
    NextFusedConstant, NextImmediate, OperandSource, ShortImmediate, Zero,
};
use super::{
    Exit, Form, Handler, Held, Ins, Kinds, Memory, Rest, Run, Slot, Source, Window, jump, next,
    trap,
};

/// A unary operation.
pub(super) trait Unary {
    type From: Slot;
    type To: Slot;
    /// Whether NaN results are canonicalized.
    const ARITHMETIC: bool = false;
    const KINDS: Kinds = Kinds {
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
    const KINDS: Kinds = Kinds {
        x: Some(Self::From::KIND),
        y: Some(Self::From::KIND),
        to: Some(Self::To::KIND),
    };
    /// With an immediate.
    const KINDS_OF_CONSTANT: Kinds = Kinds {
        y: None,
        ..Self::KINDS
    };
    /// With a branch instead of a result.
    const KINDS_OF_BRANCH: Kinds = Kinds {
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
    rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    held: Held,
) -> Exit {
    T::set(window, ins.a, result);
    if ARITHMETIC && result.is_nan() {
        return replace::<M, T>(
            ins,
            rest,
            window,
            run,
            held.integer,
            held.single,
            held.double,
        );
    }
    next(rest, window, run, result.hold(held))
}

/// Canonicalizes a NaN. Cold and out of line, so that results need not wait for the check.
#[cold]
#[inline(never)]
fn replace<'a, M: Memory, T: Slot>(
    ins: &'a Ins<M>,
    rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let held = Held {
        integer,
        single,
        double,
    };
    match T::NAN {
        Some(nan) => {
            T::set(window, ins.a, nan);
            next(rest, window, run, nan.hold(held))
        }
        None => trap(rest, run, TrapCode::Unreachable),
    }
}

fn run_unary<'a, M: Memory, O: Unary, X: DirectSource>(
    ins: &'a Ins<M>,
    rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let held = Held {
        integer,
        single,
        double,
    };
    let result = O::apply(X::read::<M, O::From>(ins, ins.b, window, held));
    match (result, O::ARITHMETIC) {
        (Ok(result), true) => finish::<M, O::To, true>(result, ins, rest, window, run, held),
        (Ok(result), false) => finish::<M, O::To, false>(result, ins, rest, window, run, held),
        (Err(code), _) => trap(rest, run, code),
    }
}

fn run_binary<'a, M: Memory, O: Binary, X: DirectSource, Y: OperandSource>(
    ins: &'a Ins<M>,
    mut rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let held = Held {
        integer,
        single,
        double,
    };
    // The right operand first: the fused constant instruction comes before the operation.
    let Some(y) = Y::get::<M, O::From>(ins, ins.c, &mut rest, window, held) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = X::read::<M, O::From>(ins, ins.b, window, held);
    match (O::apply(x, y), O::ARITHMETIC) {
        (Ok(result), true) => finish::<M, O::To, true>(result, ins, rest, window, run, held),
        (Ok(result), false) => finish::<M, O::To, false>(result, ins, rest, window, run, held),
        (Err(code), _) => trap(rest, run, code),
    }
}

/// An operation, then a back edge.
fn run_and_jump<'a, M: Memory, O: Binary, X: DirectSource, Y: DirectSource>(
    ins: &'a Ins<M>,
    rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let held = Held {
        integer,
        single,
        double,
    };
    let y: O::From = Y::read(ins, ins.c, window, held);
    let x = X::read::<M, O::From>(ins, ins.b, window, held);
    match O::apply(x, y) {
        Ok(result) => {
            O::To::set(window, ins.a, result);
            jump::<M, true>(ins.imm, window, run, result.hold(held))
        }
        Err(code) => trap(rest, run, code),
    }
}

/// Shifts `b` by `d`, keeps the result in slot `c`, and applies an operation to it and another
/// slot. The index of that slot is the immediate; if `SAME`, it is `b`.
fn run_mixed<'a, M, T, S, O, X: DirectSource, const SAME: bool>(
    ins: &'a Ins<M>,
    rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
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
    let held = Held {
        integer,
        single,
        double,
    };
    let x = X::read::<M, T>(ins, ins.b, window, held);
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
        Ok(result) => finish::<M, T, false>(result, ins, rest, window, run, held),
        Err(code) => trap(rest, run, code),
    }
}

/// The handler of a shift and a commutative operation on its result and another slot, or the
/// shifted slot.
pub(super) fn mixed<M, T, S, O>(x: Source, same: bool) -> Handler<M>
where
    M: Memory,
    T: Slot,
    S: Binary<From = T, To = T>,
    O: Binary<From = T, To = T>,
{
    match (x, same) {
        (Source::Held, true) => run_mixed::<M, T, S, O, FromRegister, true>,
        (Source::Held, false) => run_mixed::<M, T, S, O, FromRegister, false>,
        (_, true) => run_mixed::<M, T, S, O, FromSlot, true>,
        (_, false) => run_mixed::<M, T, S, O, FromSlot, false>,
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
    mut rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let held = Held {
        integer,
        single,
        double,
    };
    let Some(y) = Y::get::<M, O::From>(ins, ins.b, &mut rest, window, held) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = X::read::<M, O::From>(ins, ins.a, window, held);
    match O::apply(x, y) {
        Ok(true) => jump::<M, BACK>(ins.imm, window, run, held),
        Ok(false) => next(rest, window, run, held),
        Err(code) => trap(rest, run, code),
    }
}

/// Adds `d` to an operand, then branches back on a comparison of the sum.
fn run_counted<'a, M: Memory, O: Binary<From: Counter, To = bool>, Y: OperandSource>(
    ins: &'a Ins<M>,
    mut rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    _: u64,
    single: f32,
    double: f64,
) -> Exit {
    let count = O::From::get(window, ins.a).plus(ins.d as i8);
    O::From::set(window, ins.a, count);
    let held = count.hold(Held {
        integer: 0,
        single,
        double,
    });
    let Some(y) = Y::get::<M, O::From>(ins, ins.b, &mut rest, window, held) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    match O::apply(count, y) {
        Ok(true) => jump::<M, true>(ins.imm, window, run, held),
        Ok(false) => next(rest, window, run, held),
        Err(code) => trap(rest, run, code),
    }
}

/// Compares, writes the result, and branches on it.
fn run_compared<
    'a,
    M: Memory,
    O: Binary<To = bool>,
    X: DirectSource,
    Y: OperandSource,
    const WHEN: bool,
>(
    ins: &'a Ins<M>,
    mut rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let held = Held {
        integer,
        single,
        double,
    };
    let Some(y) = Y::get::<M, O::From>(ins, ins.c, &mut rest, window, held) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = X::read::<M, O::From>(ins, ins.b, window, held);
    match O::apply(x, y) {
        Ok(result) => {
            bool::set(window, ins.a, result);
            match (result == WHEN, ins.d != 0) {
                (false, _) => next(rest, window, run, result.hold(held)),
                (true, true) => jump::<M, true>(ins.imm, window, run, result.hold(held)),
                (true, false) => jump::<M, false>(ins.imm, window, run, result.hold(held)),
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
pub(super) fn counted<M: Memory, O: Binary<From: Counter, To = bool>>(y: Source) -> Handler<M> {
    match y {
        Source::Immediate => run_counted::<M, O, ShortImmediate>,
        Source::NextEntry => run_counted::<M, O, NextImmediate>,
        _ => run_counted::<M, O, FromSlot>,
    }
}

/// The handler of an addition and a branch back on a comparison of the sum with 0.
pub(super) fn counted_to_zero<M: Memory, O: Binary<From: Counter, To = bool>>() -> Handler<M> {
    run_counted::<M, O, Zero>
}

/// The handler of a comparison and a branch on its result.
pub(super) fn compared<M: Memory, O: Binary<To = bool>>(form: Form, when: bool) -> Handler<M> {
    if when {
        compared_when::<M, O, true>(form)
    } else {
        compared_when::<M, O, false>(form)
    }
}

fn compared_when<M: Memory, O: Binary<To = bool>, const WHEN: bool>(form: Form) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Held, Source::NextEntry) => {
            run_compared::<M, O, FromRegister, NextFusedConstant, WHEN>
        }
        (_, Source::NextEntry) => run_compared::<M, O, FromSlot, NextFusedConstant, WHEN>,
        (Source::Held, _) => run_compared::<M, O, FromRegister, FromSlot, WHEN>,
        (_, Source::Held) => run_compared::<M, O, FromSlot, FromRegister, WHEN>,
        _ => run_compared::<M, O, FromSlot, FromSlot, WHEN>,
    }
}

/// The handler of an operation and a back edge.
pub(super) fn and_jump<M: Memory, O: Binary>(form: Form) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Held, Source::Immediate) => run_and_jump::<M, O, FromRegister, ByteImmediate>,
        (_, Source::Immediate) => run_and_jump::<M, O, FromSlot, ByteImmediate>,
        (Source::Held, _) => run_and_jump::<M, O, FromRegister, FromSlot>,
        (_, Source::Held) => run_and_jump::<M, O, FromSlot, FromRegister>,
        _ => run_and_jump::<M, O, FromSlot, FromSlot>,
    }
}

/// The handler of a unary operation.
pub(super) fn unary<M: Memory, O: Unary>(form: Form) -> Handler<M> {
    match form.x {
        Source::Held => run_unary::<M, O, FromRegister>,
        _ => run_unary::<M, O, FromSlot>,
    }
}

/// The handler of a binary operation.
pub(super) fn binary<M: Memory, O: Binary>(form: Form) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Held, Source::Immediate) => run_binary::<M, O, FromRegister, FusedConstant>,
        (_, Source::Immediate) => run_binary::<M, O, FromSlot, FusedConstant>,
        (Source::Held, _) => run_binary::<M, O, FromRegister, FromSlot>,
        (_, Source::Held) => run_binary::<M, O, FromSlot, FromRegister>,
        _ => run_binary::<M, O, FromSlot, FromSlot>,
    }
}

/// The handler of a binary operation with an immediate.
pub(super) fn constant<M: Memory, O: Binary>(form: Form) -> Handler<M> {
    match form.x {
        Source::Held => run_binary::<M, O, FromRegister, Immediate>,
        _ => run_binary::<M, O, FromSlot, Immediate>,
    }
}

/// The handler of a fused compare and branch.
pub(super) fn branch<M: Memory, O: Binary<To = bool>>(form: Form) -> Handler<M> {
    if form.back {
        branch_to::<M, O, true>(form)
    } else {
        branch_to::<M, O, false>(form)
    }
}

fn branch_to<M: Memory, O: Binary<To = bool>, const BACK: bool>(form: Form) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Held, Source::Immediate) => run_branch::<M, O, FromRegister, ShortImmediate, BACK>,
        (_, Source::Immediate) => run_branch::<M, O, FromSlot, ShortImmediate, BACK>,
        (Source::Held, Source::NextEntry) => run_branch::<M, O, FromRegister, NextImmediate, BACK>,
        (_, Source::NextEntry) => run_branch::<M, O, FromSlot, NextImmediate, BACK>,
        (Source::Held, _) => run_branch::<M, O, FromRegister, FromSlot, BACK>,
        (_, Source::Held) => run_branch::<M, O, FromSlot, FromRegister, BACK>,
        _ => run_branch::<M, O, FromSlot, FromSlot, BACK>,
    }
}

/// The handler of a branch on a comparison with 0.
pub(super) fn branch_by_zero<M: Memory, O: Binary<To = bool>>(form: Form) -> Handler<M> {
    match (form.x, form.back) {
        (Source::Held, true) => run_branch::<M, O, FromRegister, Zero, true>,
        (Source::Held, false) => run_branch::<M, O, FromRegister, Zero, false>,
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

        fn $of<M: Memory>(op: Op, form: Form) -> Option<Handler<M>> {
            match op {
                $(Op::$op => Some(number::unary::<M, $op>(form)),)*
                _ => None,
            }
        }

        fn $kinds(op: Op) -> Option<Kinds> {
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

        fn $of<M: Memory>(op: Op, form: Form) -> Option<Handler<M>> {
            match op {
                $(Op::$op => Some(number::binary::<M, $op>(form)),)*
                $($(
                    Op::$constant => Some(number::constant::<M, $op>(form)),
                    $(Op::$branch | Op::$branch_constant => Some(number::branch::<M, $op>(form)),)?
                )?)*
                _ => None,
            }
        }

        fn $kinds(op: Op) -> Option<Kinds> {
            match op {
                $(Op::$op => Some($op::KINDS),)*
                $($(
                    Op::$constant => Some($op::KINDS_OF_CONSTANT),
                    $(
                        Op::$branch => Some($op::KINDS_OF_BRANCH),
                        Op::$branch_constant => Some(Kinds { y: None, ..$op::KINDS_OF_BRANCH }),
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
        pub(super) fn compared<M: Memory>(op: Op, form: Form, when: bool) -> Option<Handler<M>> {
            match op {
                $(Op::$op => Some(number::compared::<M, $op>(form, when)),)*
                _ => None,
            }
        }
    };
}

pub(super) use {binaries, comparisons, unaries};
