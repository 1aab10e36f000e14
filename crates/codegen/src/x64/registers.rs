//! The registers, and which of them are given out.
//!
//! `rdi` has the context and `rsi` the frame, as in the beginning of a call, and again behind calls of others; `rsp` has
//! the stack. `r11` and the last vector
//! and mask register are scratch: free inside of a group. `k0` cannot be a mask.

use iced_x86::Register;
use regalloc2::{MachineEnv, PReg, PRegSet, RegClass};

use super::item::View;
use crate::target::Level;

/// Registers that a call must leave as they were, by number.
pub(crate) const SAVED: [usize; 6] = [3, 5, 12, 13, 14, 15];

/// Where the context is.
pub(crate) const CONTEXT: Register = Register::RDI;
/// Where the frame is.
pub(crate) const FRAME: Register = Register::RSI;

/// What the allocator may use.
pub(crate) fn registers(level: Level) -> MachineEnv {
    let set = |class, numbers: &mut dyn Iterator<Item = usize>| -> PRegSet {
        numbers.map(|number| PReg::new(number, class)).collect()
    };
    let (vectors, masks) = match level {
        Level::Avx512 { .. } => (31, 1..7),
        Level::Avx2 => (15, 0..0),
    };
    let has_masks = !masks.is_empty();
    let free = [0, 1, 2, 8, 9, 10];
    MachineEnv {
        preferred_regs_by_class: [
            set(RegClass::Int, &mut free.into_iter()),
            set(RegClass::Float, &mut (0..vectors)),
            set(RegClass::Vector, &mut masks.into_iter()),
        ],
        non_preferred_regs_by_class: [
            set(RegClass::Int, &mut SAVED.into_iter()),
            PRegSet::empty(),
            PRegSet::empty(),
        ],
        scratch_by_class: [
            Some(PReg::new(11, RegClass::Int)),
            Some(PReg::new(vectors, RegClass::Float)),
            has_masks.then(|| PReg::new(7, RegClass::Vector)),
        ],
        fixed_stack_slots: Vec::new(),
    }
}

/// What a function that is called may change, of the registers that are given out.
pub(crate) fn changed_by_calls(level: Level) -> PRegSet {
    let [words, vectors, masks] = registers(level).preferred_regs_by_class;
    let mut all = words;
    all.union_from(vectors);
    all.union_from(masks);
    all
}

/// The machine's name of a register.
pub(crate) fn named(number: usize, view: View) -> Register {
    let first = match view {
        View::R16 => Register::AX,
        View::R32 => Register::EAX,
        View::R64 => Register::RAX,
        View::Xmm => Register::XMM0,
        View::Ymm => Register::YMM0,
        View::Zmm => Register::ZMM0,
        View::K => Register::K0,
    };
    first + number as u32
}
