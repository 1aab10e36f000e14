//! Operand sources of handlers.

use super::{Ins, InstructionStream, Memory, Slot, StackCache, Window};

/// Where a handler finds an operand without reading further entries. Sources are types, so that each
/// combination of them is a function of its own.
pub(super) trait DirectSource {
    fn read<M: Memory, T: Slot>(ins: &Ins<M>, slot: u8, window: &Window, cache: StackCache) -> T;
}

/// Where a handler finds its right operand.
pub(super) trait OperandSource {
    fn get<M: Memory, T: Slot>(
        ins: &Ins<M>,
        slot: u8,
        rest: &mut InstructionStream<'_, M>,
        window: &mut Window,
        cache: StackCache,
    ) -> Option<T>;
}

/// Declares operand sources.
macro_rules! sources {
    (
        direct { $($(#[$direct_doc:meta])* $direct:ident |$ins:ident, $slot:ident, $window:ident, $cache:ident| $read:expr;)* }
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
                    $cache: StackCache,
                ) -> T {
                    let _unused = ($ins, $slot, $window, $cache);
                    $read
                }
            }

            impl OperandSource for $direct {
                #[inline(always)]
                fn get<M: Memory, T: Slot>(
                    ins: &Ins<M>,
                    slot: u8,
                    _: &mut InstructionStream<'_, M>,
                    window: &mut Window,
                    cache: StackCache,
                ) -> Option<T> {
                    Some(Self::read(ins, slot, window, cache))
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
                    $rest: &mut InstructionStream<'_, M>,
                    $any_window: &mut Window,
                    _: StackCache,
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
        FromSlot |ins, slot, window, cache| T::get(window, slot);
        /// The register that holds the latest result of its kind.
        FromRegister |ins, slot, window, cache| T::from_cache(cache);
        /// The operand byte `c` itself, sign-extended.
        ByteImmediate |ins, slot, window, cache| T::constant(i32::from(ins.c as i8) as u32);
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
