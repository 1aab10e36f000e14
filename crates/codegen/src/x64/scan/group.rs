//! Groups: the code of one instruction of the allocator.
//!
//! A group writes only registers that it declares, and each operand in memory is one of those in `memory`. Groups that
//! access memory through pointers, jump, or compute pointers are interpreted symbolically, path by path until nothing
//! changes; a path ends at the end of the group or where a cancelled run leaves.

use std::mem::offset_of;
use std::ops::Range;

use anywarp_lanes::ir::{Context, Op, Space, Type, Value};
use iced_x86::{Instruction, Register};
use regalloc2::{Function as _, Inst, OperandKind, RegClass, VReg};
use smallvec::SmallVec;

use super::super::select::Selection;
use super::abs::{Abs, Root, State};
use super::class::{Class, MASKS, R11, RDI, RSI, RSP, Reg, VECTORS, memory_operand, reg, written};
use super::error::{ScanError, ensure};
use super::layout::Layout;
use super::listing::Listing;
use super::memory::Scope;

/// A place where paths of a group meet.
struct Leader {
    place: usize,
    state: Option<State>,
    is_changed: bool,
}

/// What a group does, without its meaning.
#[derive(Default)]
struct Seen {
    /// Registers that are written, as bits.
    written: u64,
    /// General registers that are not only written as 32 bits.
    wide: u64,
    jumps: bool,
    /// Whether there is an operand in memory other than constants and stack slots.
    touches: bool,
}

/// Groups of one function.
pub(super) struct Groups<'a> {
    pub(super) listing: &'a Listing,
    pub(super) layout: &'a Layout,
    pub(super) selection: &'a Selection<'a>,
    pub(super) places: &'a regalloc2::Output,
    pub(super) scope: Scope<'a>,
    /// What general registers hold that are not values of the form, by virtual register after those of values.
    pub(super) meanings: Vec<Abs>,
    /// Registers that are free inside a group, as bits.
    pub(super) scratch: u64,
    /// All registers that are written, as bits.
    pub(super) written: u64,
}

/// The bit of a register of the allocator.
pub(super) fn bit_of(register: regalloc2::PReg) -> u64 {
    let base = match register.class() {
        RegClass::Int => 0,
        RegClass::Float => VECTORS,
        RegClass::Vector => MASKS,
    };
    1 << (usize::from(base) + register.hw_enc())
}

impl<'a> Groups<'a> {
    /// Bytes of a stack slot.
    fn slot_bytes(&self, class: RegClass) -> u32 {
        match class {
            RegClass::Float => 4 * self.scope.rules.lanes,
            RegClass::Int | RegClass::Vector => 8,
        }
    }

    fn abs_of(&self, vreg: VReg) -> Abs {
        let form = self.scope.rules.form;
        let Some(value) = form.value_of(vreg) else {
            let other = vreg.vreg() - form.function.types.len();
            return self.meanings[other];
        };
        match form.type_of(value) {
            Type::Word => Abs::Word(form.scalar(value)),
            Type::Pointer => Abs::Pointer(Root::Value(value), None, 0),
            Type::Lanes | Type::Mask => Abs::Vector(value),
        }
    }

    /// What is known where a group begins: what its operands hold.
    pub(super) fn begin(&mut self, group: Inst) -> State {
        let machine = &self.selection.machine;
        self.scope.origin = self.selection.origins[group.index()];
        self.scope.slots.clear();
        let mut state = State::new();
        let places = self.places.inst_allocs(group);
        for (operand, place) in machine.inst_operands(group).iter().zip(places) {
            if operand.kind() != OperandKind::Use {
                continue;
            }
            let abs = self.abs_of(operand.vreg());
            if let Some(register) = place.as_reg() {
                state.set(bit_of(register).trailing_zeros() as u8, abs);
            } else if let Some(slot) = place.as_stack() {
                let bytes = self.slot_bytes(operand.class());
                let at = slot.index() as i64 * 8;
                self.scope.slots.push((at, bytes, abs));
            }
        }
        state
    }

    /// Checks a group that does not end its block.
    pub(super) fn check(&mut self, group: Inst, warm: Range<usize>) -> Result<(), ScanError> {
        let listing = self.listing;
        let cold = listing.cold_of(group);
        let mut seen = Seen::default();
        for range in std::iter::once(&warm).chain(cold.iter().map(|it| &it.1)) {
            for at in range.clone() {
                self.look(&mut seen, group, &listing.insts[at], listing.classes[at])?;
            }
        }
        self.check_written(group, &warm, &seen)?;
        if !seen.jumps && !seen.touches && !self.defines_known(group) {
            return Ok(());
        }
        let begin = self.begin(group);
        let end = match seen.jumps {
            false => self.straight(begin, warm.clone())?,
            true => self.paths(group, begin, warm.clone())?,
        };
        self.finish(group, &warm, &end)
    }

    /// What needs no interpretation: registers, constants, and operands in stack slots.
    fn look(
        &self,
        seen: &mut Seen,
        group: Inst,
        instruction: &Instruction,
        class: Class,
    ) -> Result<(), ScanError> {
        let writes = written(instruction, class);
        seen.written |= writes;
        let is_narrow = |it: Reg| it.is_general() && it.bytes == 4;
        if class != Class::Sign && !reg(instruction.op0_register()).is_some_and(is_narrow) {
            seen.wide |= writes & 0xffff;
        }
        match class {
            Class::Jump | Class::JumpIf(_) => seen.jumps = true,
            Class::Call | Class::Return | Class::Push | Class::Pop | Class::ZeroUpper => {
                let rule = "groups neither call nor return";
                return Err(ScanError::new(instruction, rule));
            }
            Class::Address | Class::Nop => {}
            _ => {
                if let Some(at) = memory_operand(instruction) {
                    let is_read = at > 0 || class == Class::Flags || class == Class::Wide;
                    seen.touches |= !is_read || !self.is_simple(group, instruction)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a read is from the constants, or from the stack slot of an operand.
    fn is_simple(&self, group: Inst, instruction: &Instruction) -> Result<bool, ScanError> {
        let width = instruction.memory_size().size() as u32;
        match instruction.memory_base() {
            Register::RIP => {
                self.scope.constant(instruction, width)?;
                Ok(true)
            }
            Register::RSP if instruction.memory_index() == Register::None => {
                let at = instruction.memory_displacement64();
                let operands = self.selection.machine.inst_operands(group);
                let places = self.places.inst_allocs(group);
                Ok(operands.iter().zip(places).any(|(operand, place)| {
                    let slot = place.as_stack().map(|it| it.index() as u64 * 8);
                    operand.kind() == OperandKind::Use
                        && slot == Some(at)
                        && width <= self.slot_bytes(operand.class())
                }))
            }
            _ => Ok(false),
        }
    }

    /// A group writes its results, what it has for itself, and scratch registers; words are written as 32 bits, so that the
    /// upper half is 0.
    fn check_written(
        &mut self,
        group: Inst,
        warm: &Range<usize>,
        seen: &Seen,
    ) -> Result<(), ScanError> {
        let form = self.scope.rules.form;
        let machine = &self.selection.machine;
        let mut allowed = self.scratch;
        let places = self.places.inst_allocs(group);
        let at = self.listing.address(warm.start);
        for (operand, place) in machine.inst_operands(group).iter().zip(places) {
            let Some(register) = place
                .as_reg()
                .filter(|_| operand.kind() == OperandKind::Def)
            else {
                continue;
            };
            let bit = bit_of(register);
            allowed |= bit;
            let value = form.value_of(operand.vreg());
            let is_word = value.is_some_and(|it| form.type_of(it) == Type::Word);
            if is_word && seen.wide & bit != 0 {
                return Err(ScanError::at(at, "words are written as 32 bits"));
            }
        }
        self.written |= seen.written;
        let fixed = 1 << RSP | 1 << RSI | 1 << RDI;
        if seen.written & (!allowed | fixed) != 0 {
            return Err(ScanError::at(
                at,
                "a group writes the registers that it declares",
            ));
        }
        Ok(())
    }

    /// Whether a group defines a general register whose value is followed, or that is not a value of the form.
    fn defines_known(&self, group: Inst) -> bool {
        let form = self.scope.rules.form;
        let operands = self.selection.machine.inst_operands(group);
        operands.iter().any(|it| {
            let is_def = it.kind() == OperandKind::Def && it.class() == RegClass::Int;
            is_def
                && form
                    .value_of(it.vreg())
                    .is_none_or(|value| self.is_followed(value))
        })
    }

    /// Pointers, constant words and words from memory.
    fn is_followed(&self, value: Value) -> bool {
        let form = self.scope.rules.form;
        let op = form.definition(value).map(|it| it.op);
        form.type_of(value) == Type::Pointer
            || op.is_some_and(|it| {
                matches!(
                    it,
                    Op::Word(_)
                        | Op::Field(_)
                        | Op::Length(_)
                        | Op::LoadWord(_)
                        | Op::Recall(_)
                        | Op::RecallAt(_)
                )
            })
    }

    fn straight(&self, mut state: State, range: Range<usize>) -> Result<State, ScanError> {
        for at in range {
            let class = self.listing.classes[at];
            self.scope
                .step(&mut state, &self.listing.insts[at], class)?;
        }
        Ok(state)
    }

    /// Steps up to the first jump.
    pub(super) fn until_jump(
        &self,
        state: &mut State,
        range: &Range<usize>,
    ) -> Result<usize, ScanError> {
        for at in range.clone() {
            let class = self.listing.classes[at];
            if matches!(class, Class::Jump | Class::JumpIf(_)) {
                return Ok(at);
            }
            self.scope.step(state, &self.listing.insts[at], class)?;
        }
        Ok(range.end)
    }

    /// What is known at the end of a group on all its paths.
    fn paths(&self, group: Inst, begin: State, warm: Range<usize>) -> Result<State, ScanError> {
        let cold = self.listing.cold_of(group);
        let mut leaders: SmallVec<[Leader; 6]> = SmallVec::new();
        let mut add = |place: usize| {
            if leaders.iter().all(|it| it.place != place) {
                leaders.push(Leader {
                    place,
                    state: None,
                    is_changed: false,
                });
            }
        };
        add(warm.end);
        add(warm.start);
        let is_inside =
            |place: usize| warm.contains(&place) || cold.iter().any(|it| it.1.contains(&place));
        for range in std::iter::once(&warm).chain(cold.iter().map(|it| &it.1)) {
            for at in range.clone() {
                if let Some(target) = self.target(at)
                    && is_inside(target)
                {
                    add(target);
                }
            }
        }
        merge(&mut leaders, warm.start, &begin);
        while let Some(leader) = leaders
            .iter_mut()
            .find(|it| it.is_changed && it.place != warm.end)
        {
            leader.is_changed = false;
            let place = leader.place;
            let Some(state) = leader.state.clone() else {
                continue;
            };
            self.path(&mut leaders, place, state, &is_inside)?;
        }
        let end = leaders.into_iter().find(|it| it.place == warm.end);
        // A group that never ends: nothing follows from it.
        Ok(end.and_then(|it| it.state).unwrap_or_else(State::new))
    }

    /// Where a jump goes, by place.
    fn target(&self, at: usize) -> Option<usize> {
        let is_jump = matches!(self.listing.classes[at], Class::Jump | Class::JumpIf(_));
        let target = self.listing.insts[at].near_branch_target();
        is_jump.then(|| self.listing.place(target)).flatten()
    }

    /// Follows one path to the next leaders.
    fn path(
        &self,
        leaders: &mut SmallVec<[Leader; 6]>,
        first: usize,
        mut state: State,
        is_inside: &impl Fn(usize) -> bool,
    ) -> Result<(), ScanError> {
        let mut at = first;
        loop {
            if at != first && merge(leaders, at, &state) {
                return Ok(());
            }
            if !is_inside(at) {
                let at = self.listing.address(at);
                return Err(ScanError::at(at, "a group ends in line"));
            }
            let instruction = &self.listing.insts[at];
            let class = self.listing.classes[at];
            if matches!(class, Class::Jump | Class::JumpIf(_)) {
                let mut taken = state.clone();
                if let Class::JumpIf(condition) = class {
                    self.scope.refine(&mut taken, condition);
                    self.scope.refine(&mut state, condition ^ 1);
                }
                let target = self.target(at);
                let is_own = target.is_some_and(|it| merge(leaders, it, &taken));
                let is_known = is_own || self.is_exit(target);
                ensure(is_known, instruction, "jumps of a group stay in it")?;
                if class == Class::Jump {
                    return Ok(());
                }
            } else {
                self.scope.step(&mut state, instruction, class)?;
            }
            at += 1;
        }
    }

    /// Whether a jump leaves as a cancelled run does.
    fn is_exit(&self, target: Option<usize>) -> bool {
        let is_poll = self
            .scope
            .origin
            .is_some_and(|it| matches!(it.op, Op::Poll(_)));
        is_poll && target.is_some_and(|at| self.layout.exits.iter().any(|it| it.start == at))
    }

    /// Checks the results of a group.
    fn finish(&mut self, group: Inst, warm: &Range<usize>, end: &State) -> Result<(), ScanError> {
        let form = self.scope.rules.form;
        let operands = self.selection.machine.inst_operands(group);
        let places = self.places.inst_allocs(group);
        for (operand, place) in operands.iter().zip(places) {
            let is_def = operand.kind() == OperandKind::Def && operand.class() == RegClass::Int;
            let Some(register) = place.as_reg().filter(|_| is_def) else {
                continue;
            };
            let abs = end.get(register.hw_enc() as u8);
            let Some(value) = form.value_of(operand.vreg()) else {
                let other = operand.vreg().vreg() - form.function.types.len();
                self.meanings[other] = abs;
                continue;
            };
            let is_right = match form.type_of(value) {
                Type::Pointer => self.is_pointer(abs, value),
                _ => !self.is_followed(value) || abs == Abs::Word(form.scalar(value)),
            };
            if !is_right {
                let at = self.listing.address(warm.start);
                return Err(ScanError::at(
                    at,
                    "pointers, constants and loaded words are as defined",
                ));
            }
        }
        Ok(())
    }

    /// Whether an address is what defines a pointer.
    fn is_pointer(&self, abs: Abs, value: Value) -> bool {
        if abs == Abs::Pointer(Root::Value(value), None, 0) {
            return true;
        }
        let Some(inst) = self.scope.rules.form.definition(value) else {
            return false;
        };
        let field = |offset: usize| abs == Abs::Pointer(Root::Field(offset as u32), None, 0);
        match inst.op {
            Op::Advance => {
                let at = &inst.operands;
                self.scope.rules.is_advanced(abs, at[0], at[1])
            }
            Op::Base(space) => match space {
                Space::Frame(bytes) => abs == Abs::Pointer(Root::Frame, None, bytes.into()),
                Space::Workgroup => field(offset_of!(Context, workgroup)),
                Space::Immediates => field(offset_of!(Context, immediates)),
                Space::Constants => field(offset_of!(Context, constants)),
                Space::Buffer(_) => false,
            },
            _ => false,
        }
    }
}

/// Adds a state to a leader; tells whether there is one at this place.
fn merge(leaders: &mut SmallVec<[Leader; 6]>, place: usize, state: &State) -> bool {
    let Some(leader) = leaders.iter_mut().find(|it| it.place == place) else {
        return false;
    };
    match &mut leader.state {
        Some(known) => leader.is_changed |= known.meet(state),
        none => {
            *none = Some(state.clone());
            leader.is_changed = true;
        }
    }
    true
}

/// The registers that are free inside a group, as bits.
pub(super) fn scratch(lanes: u32) -> u64 {
    match lanes {
        16 => 1 << R11 | 1 << (VECTORS + 31) | 1 << (MASKS + 7),
        _ => 1 << R11 | 1 << (VECTORS + 15),
    }
}
