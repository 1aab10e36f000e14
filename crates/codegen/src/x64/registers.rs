//! Register assignment: fixed, allocatable and scratch registers.
//!
//! `rdi` holds the context and `rsi` the frame, from entry on and again after calls; `rsp` holds the stack pointer.
//! `r11` and the last vector and mask register are scratch: free inside a group, and used by moves between groups. `k0`
//! cannot be a write mask.

use iced_x86::Register;
use regalloc2::{MachineEnv, PReg, PRegSet, RegClass};

use super::instruction_set::InstructionSet;
use super::machine_inst::RegView;

/// The callee-saved registers, by number.
pub(crate) const SAVED: [usize; 6] = [3, 5, 12, 13, 14, 15];

/// The register of the context.
pub(crate) const CONTEXT: Register = Register::RDI;
/// The register of the frame.
pub(crate) const FRAME: Register = Register::RSI;

/// The allocatable and scratch registers, for regalloc2.
pub(crate) fn registers(isa: InstructionSet) -> MachineEnv {
    let set = |class, numbers: &mut dyn Iterator<Item = usize>| -> PRegSet {
        numbers.map(|number| PReg::new(number, class)).collect()
    };
    let (vectors, masks) = match isa {
        InstructionSet::Avx512 { .. } => (31, 1..7),
        InstructionSet::Avx2 => (15, 0..0),
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

/// The caller-saved registers among the allocatable ones.
pub(crate) fn call_clobbers(isa: InstructionSet) -> PRegSet {
    let [words, vectors, masks] = registers(isa).preferred_regs_by_class;
    let mut all = words;
    all.union_from(vectors);
    all.union_from(masks);
    all
}

/// The register of iced-x86 for a register number.
pub(crate) fn named(number: usize, view: RegView) -> Register {
    let first = match view {
        RegView::R16 => Register::AX,
        RegView::R32 => Register::EAX,
        RegView::R64 => Register::RAX,
        RegView::Xmm => Register::XMM0,
        RegView::Ymm => Register::YMM0,
        RegView::Zmm => Register::ZMM0,
        RegView::K => Register::K0,
    };
    first + number as u32
}
