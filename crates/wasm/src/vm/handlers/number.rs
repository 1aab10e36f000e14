//! Generic handlers of numeric operations, specialized by operand source, also fused with branches.

use crate::bytecode::TrapCode;

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

/// Operand source: a slot.
pub(super) const SLOT: u8 = 0;
/// Operand source: a held register.
pub(super) const HELD: u8 = 1;
/// Operand source: the entry, for a fused constant instruction, which also writes slot `c`.
const MADE: u8 = 2;
/// Operand source: the entry.
const CONSTANT: u8 = 3;
/// Operand source: the operand bytes `b` and `c`.
const SHORT: u8 = 4;
/// Operand source: the next entry.
const BEHIND: u8 = 5;
/// Operand source: as `MADE`, but from the next entries.
const MADE_BEHIND: u8 = 6;
/// Operand source: the operand byte `c` itself.
const STEP: u8 = 8;
/// Operand source: the constant 0.
const ZERO: u8 = 7;

/// An operand from a slot or a register.
#[inline(always)]
pub(super) fn operand<T: Slot, const FROM: u8>(window: &Window, slot: u8, held: Held) -> T {
    match FROM {
        HELD => T::held(held),
        _ => T::get(window, slot),
    }
}

/// The right operand, from any source.
#[inline(always)]
fn right<M: Memory, T: Slot, const FROM: u8>(
    ins: &Ins<M>,
    slot: u8,
    rest: &mut Rest<'_, M>,
    window: &mut Window,
    held: Held,
) -> Option<T> {
    Some(match FROM {
        MADE => {
            let made = T::whole_constant(ins.imm, || rest.next().map(|more| more.imm))?;
            T::set(window, ins.c, made);
            made
        }
        MADE_BEHIND => {
            let low = rest.next()?.imm;
            let made = T::whole_constant(low, || rest.next().map(|more| more.imm))?;
            T::set(window, ins.c, made);
            made
        }
        CONSTANT => T::constant(ins.imm),
        SHORT => T::constant(i32::from(i16::from_le_bytes([ins.b, ins.c])) as u32),
        BEHIND => T::constant(rest.next()?.imm),
        ZERO => T::constant(0),
        _ => operand::<T, FROM>(window, slot, held),
    })
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

fn run_unary<'a, M: Memory, O: Unary, const X: u8>(
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
    let result = O::apply(operand::<O::From, X>(window, ins.b, held));
    match (result, O::ARITHMETIC) {
        (Ok(result), true) => finish::<M, O::To, true>(result, ins, rest, window, run, held),
        (Ok(result), false) => finish::<M, O::To, false>(result, ins, rest, window, run, held),
        (Err(code), _) => trap(rest, run, code),
    }
}

fn run_binary<'a, M: Memory, O: Binary, const X: u8, const Y: u8>(
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
    let Some(y) = right::<M, O::From, Y>(ins, ins.c, &mut rest, window, held) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = operand::<O::From, X>(window, ins.b, held);
    match (O::apply(x, y), O::ARITHMETIC) {
        (Ok(result), true) => finish::<M, O::To, true>(result, ins, rest, window, run, held),
        (Ok(result), false) => finish::<M, O::To, false>(result, ins, rest, window, run, held),
        (Err(code), _) => trap(rest, run, code),
    }
}

/// An operation, then a back edge.
fn run_and_jump<'a, M: Memory, O: Binary, const X: u8, const Y: u8>(
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
    let y = match Y {
        STEP => O::From::constant(i32::from(ins.c as i8) as u32),
        _ => operand::<O::From, Y>(window, ins.c, held),
    };
    let x = operand::<O::From, X>(window, ins.b, held);
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
fn run_mixed<'a, M, T, S, O, const X: u8, const SAME: bool>(
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
    let x = operand::<T, X>(window, ins.b, held);
    let Ok(shifted) = S::apply(x, T::constant(u32::from(ins.d))) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    T::set(window, ins.c, shifted);
    let other = match SAME {
        true => x,
        false => T::get(window, ins.imm as u8),
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
        (Source::Held, true) => run_mixed::<M, T, S, O, HELD, true>,
        (Source::Held, false) => run_mixed::<M, T, S, O, HELD, false>,
        (_, true) => run_mixed::<M, T, S, O, SLOT, true>,
        (_, false) => run_mixed::<M, T, S, O, SLOT, false>,
    }
}

fn run_branch<'a, M: Memory, O: Binary<To = bool>, const X: u8, const Y: u8, const BACK: bool>(
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
    let Some(y) = right::<M, O::From, Y>(ins, ins.b, &mut rest, window, held) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = operand::<O::From, X>(window, ins.a, held);
    match O::apply(x, y) {
        Ok(true) => jump::<M, BACK>(ins.imm, window, run, held),
        Ok(false) => next(rest, window, run, held),
        Err(code) => trap(rest, run, code),
    }
}

/// Adds `d` to an operand, then branches back on a comparison of the sum.
fn run_counted<'a, M: Memory, O: Binary<From: Counter, To = bool>, const Y: u8>(
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
    let Some(y) = right::<M, O::From, Y>(ins, ins.b, &mut rest, window, held) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    match O::apply(count, y) {
        Ok(true) => jump::<M, true>(ins.imm, window, run, held),
        Ok(false) => next(rest, window, run, held),
        Err(code) => trap(rest, run, code),
    }
}

/// Compares, writes the result, and branches on it.
fn run_compared<'a, M: Memory, O: Binary<To = bool>, const X: u8, const Y: u8, const WHEN: bool>(
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
    let Some(y) = right::<M, O::From, Y>(ins, ins.c, &mut rest, window, held) else {
        return trap(rest, run, TrapCode::Unreachable);
    };
    let x = operand::<O::From, X>(window, ins.b, held);
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
        Source::Immediate => run_counted::<M, O, SHORT>,
        Source::NextEntry => run_counted::<M, O, BEHIND>,
        _ => run_counted::<M, O, SLOT>,
    }
}

/// The handler of an addition and a branch back on a comparison of the sum with 0.
pub(super) fn counted_to_zero<M: Memory, O: Binary<From: Counter, To = bool>>() -> Handler<M> {
    run_counted::<M, O, ZERO>
}

/// The handler of a comparison and a branch on its result.
pub(super) fn compared<M: Memory, O: Binary<To = bool>>(form: Form, when: bool) -> Handler<M> {
    match when {
        true => compared_when::<M, O, true>(form),
        false => compared_when::<M, O, false>(form),
    }
}

fn compared_when<M: Memory, O: Binary<To = bool>, const WHEN: bool>(form: Form) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Held, Source::NextEntry) => run_compared::<M, O, HELD, MADE_BEHIND, WHEN>,
        (_, Source::NextEntry) => run_compared::<M, O, SLOT, MADE_BEHIND, WHEN>,
        (Source::Held, _) => run_compared::<M, O, HELD, SLOT, WHEN>,
        (_, Source::Held) => run_compared::<M, O, SLOT, HELD, WHEN>,
        _ => run_compared::<M, O, SLOT, SLOT, WHEN>,
    }
}

/// The handler of an operation and a back edge.
pub(super) fn and_jump<M: Memory, O: Binary>(form: Form) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Held, Source::Immediate) => run_and_jump::<M, O, HELD, STEP>,
        (_, Source::Immediate) => run_and_jump::<M, O, SLOT, STEP>,
        (Source::Held, _) => run_and_jump::<M, O, HELD, SLOT>,
        (_, Source::Held) => run_and_jump::<M, O, SLOT, HELD>,
        _ => run_and_jump::<M, O, SLOT, SLOT>,
    }
}

/// The handler of a unary operation.
pub(super) fn unary<M: Memory, O: Unary>(form: Form) -> Handler<M> {
    match form.x {
        Source::Held => run_unary::<M, O, HELD>,
        _ => run_unary::<M, O, SLOT>,
    }
}

/// The handler of a binary operation.
pub(super) fn binary<M: Memory, O: Binary>(form: Form) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Held, Source::Immediate) => run_binary::<M, O, HELD, MADE>,
        (_, Source::Immediate) => run_binary::<M, O, SLOT, MADE>,
        (Source::Held, _) => run_binary::<M, O, HELD, SLOT>,
        (_, Source::Held) => run_binary::<M, O, SLOT, HELD>,
        _ => run_binary::<M, O, SLOT, SLOT>,
    }
}

/// The handler of a binary operation with an immediate.
pub(super) fn constant<M: Memory, O: Binary>(form: Form) -> Handler<M> {
    match form.x {
        Source::Held => run_binary::<M, O, HELD, CONSTANT>,
        _ => run_binary::<M, O, SLOT, CONSTANT>,
    }
}

/// The handler of a fused compare and branch.
pub(super) fn branch<M: Memory, O: Binary<To = bool>>(form: Form) -> Handler<M> {
    match form.back {
        true => branch_to::<M, O, true>(form),
        false => branch_to::<M, O, false>(form),
    }
}

fn branch_to<M: Memory, O: Binary<To = bool>, const BACK: bool>(form: Form) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Held, Source::Immediate) => run_branch::<M, O, HELD, SHORT, BACK>,
        (_, Source::Immediate) => run_branch::<M, O, SLOT, SHORT, BACK>,
        (Source::Held, Source::NextEntry) => run_branch::<M, O, HELD, BEHIND, BACK>,
        (_, Source::NextEntry) => run_branch::<M, O, SLOT, BEHIND, BACK>,
        (Source::Held, _) => run_branch::<M, O, HELD, SLOT, BACK>,
        (_, Source::Held) => run_branch::<M, O, SLOT, HELD, BACK>,
        _ => run_branch::<M, O, SLOT, SLOT, BACK>,
    }
}

/// The handler of a branch on a comparison with 0.
pub(super) fn branch_by_zero<M: Memory, O: Binary<To = bool>>(form: Form) -> Handler<M> {
    match (form.x, form.back) {
        (Source::Held, true) => run_branch::<M, O, HELD, ZERO, true>,
        (Source::Held, false) => run_branch::<M, O, HELD, ZERO, false>,
        (_, true) => run_branch::<M, O, SLOT, ZERO, true>,
        (_, false) => run_branch::<M, O, SLOT, ZERO, false>,
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
