//! Operand sources of handlers.

use super::{Held, Ins, Memory, Rest, Slot, Window};

/// Where a handler finds an operand without reading further entries. Sources are types, so that each
/// combination of them is a function of its own.
pub(super) trait DirectSource {
    fn read<M: Memory, T: Slot>(ins: &Ins<M>, slot: u8, window: &Window, held: Held) -> T;
}

/// Where a handler finds its right operand.
pub(super) trait OperandSource {
    fn get<M: Memory, T: Slot>(
        ins: &Ins<M>,
        slot: u8,
        rest: &mut Rest<'_, M>,
        window: &mut Window,
        held: Held,
    ) -> Option<T>;
}

/// Declares operand sources.
macro_rules! sources {
    (
        direct { $($(#[$direct_doc:meta])* $direct:ident |$ins:ident, $slot:ident, $window:ident, $held:ident| $read:expr;)* }
        any { $($(#[$doc:meta])* $name:ident |$any_ins:ident, $rest:ident, $any_window:ident| $get:expr;)* }
    ) => {
        $(
            $(#[$direct_doc])*
            pub(super) struct $direct;

            impl DirectSource for $direct {
                #[inline(always)]
                fn read<M: Memory, T: Slot>(
                    $ins: &Ins<M>,
                    $slot: u8,
                    $window: &Window,
                    $held: Held,
                ) -> T {
                    let _unused = ($ins, $slot, $window, $held);
                    $read
                }
            }

            impl OperandSource for $direct {
                #[inline(always)]
                fn get<M: Memory, T: Slot>(
                    ins: &Ins<M>,
                    slot: u8,
                    _: &mut Rest<'_, M>,
                    window: &mut Window,
                    held: Held,
                ) -> Option<T> {
                    Some(Self::read(ins, slot, window, held))
                }
            }
        )*
        $(
            $(#[$doc])*
            pub(super) struct $name;

            impl OperandSource for $name {
                #[inline(always)]
                fn get<M: Memory, T: Slot>(
                    $any_ins: &Ins<M>,
                    _: u8,
                    $rest: &mut Rest<'_, M>,
                    $any_window: &mut Window,
                    _: Held,
                ) -> Option<T> {
                    let _unused = ($any_ins, &$rest, &$any_window);
                    $get
                }
            }
        )*
    };
}

sources! {
    direct {
        /// A slot.
        FromSlot |ins, slot, window, held| T::get(window, slot);
        /// The register that holds the latest result of its kind.
        FromRegister |ins, slot, window, held| T::held(held);
        /// The operand byte `c` itself, sign-extended.
        ByteImmediate |ins, slot, window, held| T::constant(i32::from(ins.c as i8) as u32);
    }
    any {
        /// The entry's immediate.
        Immediate |ins, rest, window| Some(T::constant(ins.imm));
        /// The operand bytes `b` and `c`, sign-extended.
        ShortImmediate |ins, rest, window| {
            Some(T::constant(i32::from(i16::from_le_bytes([ins.b, ins.c])) as u32))
        };
        /// The next entry's immediate.
        NextImmediate |ins, rest, window| Some(T::constant(rest.next()?.imm));
        /// The constant 0.
        Zero |ins, rest, window| Some(T::constant(0));
        /// A fused constant instruction, in this entry; it also writes slot `c`.
        FusedConstant |ins, rest, window| {
            let constant = T::whole_constant(ins.imm, || rest.next().map(|more| more.imm))?;
            T::set(window, ins.c, constant);
            Some(constant)
        };
        /// A fused constant instruction, in the next entries; it also writes slot `c`.
        NextFusedConstant |ins, rest, window| {
            let low = rest.next()?.imm;
            let constant = T::whole_constant(low, || rest.next().map(|more| more.imm))?;
            T::set(window, ins.c, constant);
            Some(constant)
        };
    }
}
