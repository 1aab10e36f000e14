//! The virtual registers that each location holds: a forward data-flow analysis over the decoded code, with the meet
//! over all paths, as regalloc2's checker does over its own output.
//!
//! In: for each block, uses, writes and moves in order. Out: the first use that does not find its virtual register.
//! What always holds: a location holds a set of virtual registers with the same value; stack slots overlap only if they
//! are equal; a virtual register has one definition. Therefore values of a loop's previous iteration are dropped on its
//! back edges, and a definition need not search for stale copies. Values that are no longer live are dropped at joins:
//! most loops then reach the fixpoint in one iteration.

use std::collections::HashMap;
use std::rc::Rc;

use smallvec::SmallVec;

use super::class::REGISTERS;
use super::lifetimes::Lifetimes;
use crate::machine_function::MachineFunction;

/// The number of locations per chunk; states share equal chunks (copy on write).
const CHUNK: usize = 64;
/// The empty set: nothing is known.
const NONE: u32 = u32::MAX;

/// A transfer function on locations.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transfer {
    /// A location must hold a virtual register; `inst` is the instruction to name in errors.
    Use {
        at: u32,
        vreg: u32,
        inst: u32,
    },
    /// Registers, as bits, are overwritten with unknown values.
    Kill(u64),
    Define {
        at: u32,
        vreg: u32,
    },
    Copy {
        from: u32,
        to: u32,
    },
}

/// The contents of each location: registers, then words of stack slots. Most states share most of their slots.
#[derive(Clone)]
struct State {
    near: [u32; CHUNK],
    far: SmallVec<[Rc<[u32; CHUNK]>; 4]>,
}

impl State {
    fn new(count: usize) -> Self {
        let chunk = Rc::new([NONE; CHUNK]);
        let others = count.saturating_sub(CHUNK).div_ceil(CHUNK);
        Self {
            near: [NONE; CHUNK],
            far: (0..others).map(|_| chunk.clone()).collect(),
        }
    }

    fn get(&self, at: u32) -> u32 {
        let at = at as usize;
        match at.checked_sub(CHUNK) {
            None => self.near[at],
            Some(far) => self.far[far / CHUNK][at % CHUNK],
        }
    }

    fn set(&mut self, at: u32, value: u32) {
        let at = at as usize;
        match at.checked_sub(CHUNK) {
            None => self.near[at] = value,
            Some(far) if self.far[far / CHUNK][at % CHUNK] == value => {}
            Some(far) => Rc::make_mut(&mut self.far[far / CHUNK])[at % CHUNK] = value,
        }
    }
}

/// The analysis.
pub(super) struct Locations<'a> {
    machine: &'a MachineFunction,
    /// The steps of all blocks, and the end of each block's steps.
    steps: Vec<Transfer>,
    ends: Vec<usize>,
    /// For each word of the stack, the words of the slot that begins there; [`Self::INSIDE`] inside a slot, 0 if there
    /// is none.
    slots: Vec<u8>,
    lifetimes: Lifetimes,
    /// The number of the last edge that each virtual register is an argument of.
    marks: Vec<u32>,
    edges: u32,
    /// For each virtual register its index in `homes` if it is a block argument, else [`NONE`].
    arguments: Vec<u32>,
    /// Stack slots that have held an argument in any state: an edge need not visit others.
    homes: Vec<SmallVec<[u32; 2]>>,
    /// Sets of more than one virtual register; the first has the number after the virtual registers.
    sets: Vec<SmallVec<[u32; 4]>>,
    numbers: HashMap<SmallVec<[u32; 4]>, u32>,
}

impl<'a> Locations<'a> {
    const INSIDE: u8 = u8::MAX;

    pub(super) fn new(machine: &'a MachineFunction, slot_words: usize) -> Self {
        let mut arguments = vec![NONE; machine.vregs];
        let mut count = 0;
        for argument in machine
            .blocks
            .iter()
            .flat_map(|block| block.arguments.iter().flatten())
        {
            let number = &mut arguments[argument.vreg()];
            if *number == NONE {
                *number = count;
                count += 1;
            }
        }
        Self {
            machine,
            steps: Vec::with_capacity(4 * machine.insts.len()),
            ends: Vec::with_capacity(machine.blocks.len()),
            slots: vec![0; slot_words],
            lifetimes: Lifetimes::new(machine),
            marks: vec![0; machine.vregs],
            edges: 0,
            arguments,
            homes: vec![SmallVec::new(); count as usize],
            sets: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    pub(super) fn push(&mut self, step: Transfer) {
        if let Transfer::Use { vreg, .. } = step {
            self.lifetimes.uses(vreg, self.ends.len() as u32);
        }
        self.steps.push(step);
    }

    /// Records a definition; returns whether it is the first.
    pub(super) fn define(&mut self, at: u32, vreg: u32) -> bool {
        self.steps.push(Transfer::Define { at, vreg });
        self.lifetimes.defines(vreg, self.ends.len() as u32)
    }

    pub(super) fn end_block(&mut self) {
        let number = self.ends.len();
        for argument in self.machine.blocks[number].arguments.iter().flatten() {
            self.lifetimes.uses(argument.vreg() as u32, number as u32);
        }
        self.ends.push(self.steps.len());
    }

    /// The location of a stack slot; `None` if it overlaps another or does not exist.
    pub(super) fn slot(&mut self, word: usize, words: usize) -> Option<u32> {
        let slot = self.slots.get_mut(word..word + words)?;
        let (first, rest) = slot.split_first_mut()?;
        let is_rest = |value: u8| rest.iter().all(|word| *word == value);
        if *first == 0 && is_rest(0) {
            *first = words as u8;
            rest.fill(Self::INSIDE);
        } else if usize::from(*first) != words {
            return None;
        }
        Some(u32::from(REGISTERS) + word as u32)
    }

    fn holds(&self, found: u32, vreg: u32) -> bool {
        found == vreg || self.set(found).is_some_and(|set| set.contains(&vreg))
    }

    fn set(&self, found: u32) -> Option<&SmallVec<[u32; 4]>> {
        self.sets
            .get((found as usize).wrapping_sub(self.machine.vregs))
    }

    fn number(&mut self, set: SmallVec<[u32; 4]>) -> u32 {
        match set[..] {
            [] => NONE,
            [one] => one,
            _ => *self.numbers.entry(set).or_insert_with_key(|set| {
                self.sets.push(set.clone());
                (self.machine.vregs + self.sets.len() - 1) as u32
            }),
        }
    }

    fn members(&self, found: u32) -> SmallVec<[u32; 4]> {
        match self.set(found) {
            Some(set) => set.clone(),
            None if found == NONE => SmallVec::new(),
            None => SmallVec::from_slice(&[found]),
        }
    }

    fn meet(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        if (a as usize) < self.machine.vregs && (b as usize) < self.machine.vregs {
            return NONE;
        }
        let mut both = self.members(a);
        both.retain(|vreg| self.holds(b, *vreg));
        self.number(both)
    }

    /// Iterates to the fixpoint. The error is the instruction of the first use that does not find its virtual register.
    pub(super) fn run(&mut self) -> Result<(), usize> {
        let count = usize::from(REGISTERS) + self.slots.len();
        let start = State::new(count);
        let mut entries: Vec<Option<State>> = vec![None; self.machine.blocks.len()];
        entries[0] = Some(start);
        let mut is_left = vec![false; entries.len()];
        is_left[0] = true;
        let mut number = 0;
        while number < entries.len() {
            let entry = entries[number].clone().filter(|_| is_left[number]);
            is_left[number] = false;
            let Some(mut state) = entry else {
                number += 1;
                continue;
            };
            self.block(number, &mut state)?;
            let mut first_left = number + 1;
            for (index, next) in self.machine.blocks[number].successors.iter().enumerate() {
                let next = next.index();
                let mut arriving = state.clone();
                self.arrive(number, index, next, &mut arriving);
                let is_changed = match &mut entries[next] {
                    Some(entry) => self.merge(entry, &arriving),
                    none => {
                        *none = Some(arriving);
                        true
                    }
                };
                if is_changed {
                    is_left[next] = true;
                    first_left = first_left.min(next);
                }
            }
            number = first_left;
        }
        Ok(())
    }

    /// Records a stack slot that holds an argument.
    fn remember(&mut self, found: u32, at: u32) {
        if at < u32::from(REGISTERS) || found == NONE {
            return;
        }
        let mut remember = |vreg: u32| {
            if let Some(home) = self.homes.get_mut(self.arguments[vreg as usize] as usize)
                && !home.contains(&at)
            {
                home.push(at);
            }
        };
        match self
            .sets
            .get((found as usize).wrapping_sub(self.machine.vregs))
        {
            None => remember(found),
            Some(set) => set.iter().for_each(|vreg| remember(*vreg)),
        }
    }

    fn block(&mut self, number: usize, state: &mut State) -> Result<(), usize> {
        let first = match number {
            0 => 0,
            number => self.ends[number - 1],
        };
        for step in first..self.ends[number] {
            match self.steps[step] {
                Transfer::Use { at, vreg, inst } => {
                    if !self.holds(state.get(at), vreg) {
                        return Err(inst as usize);
                    }
                }
                Transfer::Kill(mut registers) => {
                    while registers != 0 {
                        state.set(registers.trailing_zeros(), NONE);
                        registers &= registers - 1;
                    }
                }
                Transfer::Define { at, vreg } => {
                    state.set(at, vreg);
                    self.remember(vreg, at);
                }
                Transfer::Copy { from, to } => {
                    let found = state.get(from);
                    state.set(to, found);
                    self.remember(found, to);
                }
            }
        }
        Ok(())
    }

    /// Applies an edge: arguments become parameters of the target.
    fn arrive(&mut self, number: usize, index: usize, next: usize, state: &mut State) {
        let machine = self.machine;
        let arguments = &machine.blocks[number].arguments[index];
        let parameters = &machine.blocks[next].parameters;
        if arguments.is_empty() && machine.blocks[next].predecessors.len() < 2 {
            return;
        }
        let pairs: SmallVec<[(u32, u32); 8]> = arguments
            .iter()
            .zip(parameters)
            .map(|(argument, parameter)| (argument.vreg() as u32, parameter.vreg() as u32))
            .collect();
        self.edges += 1;
        for (argument, _) in &pairs {
            self.marks[*argument as usize] = self.edges;
        }
        let edge = (number as u32, next as u32);
        let is_loop = self.lifetimes.is_loop_head(next as u32);
        // At a loop header, dead values of all slots are dropped. Elsewhere only arguments matter.
        let whole = if is_loop {
            (state.far.len() + 1) * CHUNK
        } else {
            usize::from(REGISTERS)
        };
        for at in 0..whole as u32 {
            self.arrive_at(state, at, &pairs, edge);
        }
        if !is_loop {
            for (argument, _) in &pairs {
                let home = self.arguments[*argument as usize] as usize;
                for at in self.homes[home].clone() {
                    self.arrive_at(state, at, &pairs, edge);
                }
            }
        }
    }

    fn arrive_at(&mut self, state: &mut State, at: u32, pairs: &[(u32, u32)], edge: (u32, u32)) {
        let found = state.get(at);
        let renamed = match self.marks.get(found as usize) {
            _ if found == NONE => return,
            Some(mark) if *mark != self.edges => {
                let is_alive = self.lifetimes.is_alive(found, edge.0, edge.1);
                if is_alive { found } else { NONE }
            }
            _ => self.renamed(found, pairs, edge),
        };
        if renamed != found {
            state.set(at, renamed);
            self.remember(renamed, at);
        }
    }

    fn renamed(&mut self, found: u32, pairs: &[(u32, u32)], (from, next): (u32, u32)) -> u32 {
        let before = self.members(found);
        let mut after = before.clone();
        after.retain(|vreg| self.lifetimes.is_alive(*vreg, from, next));
        for (argument, parameter) in pairs {
            if before.contains(argument) && !after.contains(parameter) {
                after.push(*parameter);
            }
        }
        after.sort_unstable();
        self.number(after)
    }

    fn merge(&mut self, entry: &mut State, arriving: &State) -> bool {
        let mut is_changed = false;
        for (known, new) in entry.near.iter_mut().zip(arriving.near) {
            if *known != new && *known != NONE {
                let met = self.meet(*known, new);
                is_changed |= met != *known;
                *known = met;
            }
        }
        for (chunk, other) in entry.far.iter_mut().zip(&arriving.far) {
            if Rc::ptr_eq(chunk, other) {
                continue;
            }
            for at in 0..CHUNK {
                let (known, new) = (chunk[at], other[at]);
                if known == new || known == NONE {
                    continue;
                }
                let met = self.meet(known, new);
                if met != known {
                    Rc::make_mut(chunk)[at] = met;
                    is_changed = true;
                }
            }
        }
        is_changed
    }
}
