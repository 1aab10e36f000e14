//! Finds the buffers that a kernel uses, by constant propagation over its bytecode.
//!
//! In: a program and one of its exports. Out: every binding that a buffer access names in the functions that the
//! export can reach, and whether the list is complete. Kernels pass bindings to the host as numbers, `group << 16 |
//! binding`, so the algorithm is constant propagation: a forward data-flow analysis over the slots of each function's
//! frame, where a slot is a known constant or unknown. The list is incomplete if a binding is computed at run time or
//! passed to a function that was not inlined, or if a function takes more than [`MAX_WORK`] to analyse; bindings that
//! are not in an incomplete list may be used all the same.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bytecode, Export, Format, Host, Instruction, Op};

/// The bindings of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelBindings {
    /// The bindings that it names: group and binding.
    pub named: BTreeSet<(u16, u16)>,
    /// Whether the list is incomplete, because an access computes its binding at run time.
    pub is_open: bool,
}

/// The analysis of a program; each function is analysed once.
#[derive(Debug)]
pub struct ProgramBindings<'a> {
    program: &'a Bytecode,
    functions: BTreeMap<u32, FunctionFacts>,
    /// Function visits left, for all exports together.
    visits: usize,
    /// Constants that may still be copied or compared, in all functions together.
    work: usize,
}

/// The most function visits, each function counted once for every export that reaches it: the product of exports and
/// functions may be large.
const MAX_VISITS: usize = 1 << 20;

/// The bindings that one function names, and the functions that it calls.
#[derive(Debug, Default)]
struct FunctionFacts {
    bindings: KernelBindings,
    called: BTreeSet<u32>,
    /// Types of its indirect calls: listing the functions at each call would be quadratic.
    called_types: BTreeSet<u32>,
}

impl FunctionFacts {
    /// Records the functions that an instruction may call.
    fn add_callee(&mut self, instruction: &Instruction<'_>) {
        match (instruction.op, instruction.rest.first()) {
            (Op::Call, Some(&function)) => self.called.insert(function),
            (Op::CallIndirect, Some(&ty)) => self.called_types.insert(ty),
            _ => false,
        };
    }
}

impl<'a> ProgramBindings<'a> {
    /// Prepares the analysis.
    pub fn new(program: &'a Bytecode) -> Self {
        Self {
            program,
            functions: BTreeMap::new(),
            visits: MAX_VISITS,
            work: MAX_TOTAL_WORK,
        }
    }

    /// The bindings of `export` and of the functions that initialise its module.
    pub fn of(&mut self, export: &Export) -> KernelBindings {
        let mut found = KernelBindings::default();
        let mut seen = BTreeSet::new();
        let mut seen_types = BTreeSet::new();
        let mut waiting = vec![export.function];
        waiting.extend(&self.program.inits);
        while let Some(function) = waiting.pop() {
            if !seen.insert(function) {
                continue;
            }
            let Some(visits) = self.visits.checked_sub(1) else {
                found.is_open = true;
                break;
            };
            self.visits = visits;
            let program = self.program;
            let work = &mut self.work;
            let analyse = || {
                let allowed = MAX_WORK.min(*work);
                let (facts, left) = Analysis::new(program, function, allowed).run();
                *work -= allowed - left;
                facts
            };
            let facts = self.functions.entry(function).or_insert_with(analyse);
            found.named.extend(&facts.bindings.named);
            found.is_open |= facts.bindings.is_open;
            waiting.extend(&facts.called);
            for &ty in &facts.called_types {
                if seen_types.insert(ty) {
                    waiting.extend(of_type(program, ty));
                }
            }
        }
        found
    }
}

impl KernelBindings {
    /// Whether the kernel definitely does not use a binding.
    pub fn lacks(&self, place: (u16, u16)) -> bool {
        !self.is_open && !self.named.contains(&place)
    }

    fn add(&mut self, binding: Option<u32>) {
        match binding {
            Some(binding) => {
                let place = ((binding >> 16) as u16, binding as u16);
                self.named.insert(place);
            }
            None => self.is_open = true,
        }
    }
}

/// The most constants that the analysis of one function may copy or compare: the number of blocks times the number of
/// slots is too large for a large function. Kernels with thousands of instructions stay far below.
const MAX_WORK: usize = 1 << 24;

/// The most that the analysis of all functions may copy or compare: a module may have many large functions.
const MAX_TOTAL_WORK: usize = 1 << 26;

/// The slots with known constants.
type Constants = BTreeMap<u32, u32>;

/// The analysis of one function.
struct Analysis<'a> {
    program: &'a Bytecode,
    /// Targets of jumps, each of which begins a block.
    targets: BTreeSet<u32>,
    /// The constants at the entry of each block reached so far (the lattice values of the analysis).
    blocks: BTreeMap<u32, Constants>,
    /// The bounds of the function's code.
    start: u32,
    end: u32,
    /// Constants that may still be copied or compared.
    work: usize,
}

impl<'a> Analysis<'a> {
    fn new(program: &'a Bytecode, function: u32, work: usize) -> Self {
        let function = program.functions[function as usize];
        let entry = (function.entry, Constants::new());
        Self {
            program,
            targets: targets(program, function.entry..function.end),
            blocks: BTreeMap::from([entry]),
            start: function.entry,
            end: function.end,
            work,
        }
    }

    /// The facts, and how much of the allowed work is left.
    fn run(mut self) -> (FunctionFacts, usize) {
        let mut waiting: Vec<u32> = self.blocks.keys().copied().collect();
        while let Some(block) = waiting.pop() {
            self.pass(block, |_, _| {}, &mut waiting);
            if self.work == 0 {
                return (self.unfinished(), 0);
            }
        }
        // The fixpoint is reached; one more pass over each block collects the accesses.
        let left = std::mem::replace(&mut self.work, usize::MAX);
        let mut facts = FunctionFacts::default();
        let blocks: Vec<u32> = self.blocks.keys().copied().collect();
        for block in blocks {
            let visit = |instruction: &Instruction<'_>, constants: &Constants| {
                if let Some(slot) = binding_slot(instruction) {
                    facts.bindings.add(constants.get(&slot).copied());
                }
                facts.add_callee(instruction);
            };
            self.pass(block, visit, &mut Vec::new());
        }
        (facts, left)
    }

    /// The facts without the analysis: nothing is known about bindings, and unreachable code counts.
    fn unfinished(&self) -> FunctionFacts {
        let mut facts = FunctionFacts::default();
        facts.bindings.is_open = true;
        for instruction in instructions(self.program, self.start..self.end) {
            facts.add_callee(&instruction);
        }
        facts
    }

    /// Whether a map of constants may still be copied or compared.
    fn is_allowed(&mut self, constants: usize) -> bool {
        // A block also costs something without constants.
        self.work = self.work.saturating_sub(constants + 1);
        self.work > 0
    }

    /// The transfer function of a block: visits its instructions and propagates the constants to the successors.
    /// Successors whose constants changed are put on the worklist.
    fn pass(
        &mut self,
        block: u32,
        mut visit: impl FnMut(&Instruction<'_>, &Constants),
        changed: &mut Vec<u32>,
    ) {
        if !self.is_allowed(self.blocks[&block].len()) {
            return;
        }
        let mut constants = self.blocks[&block].clone();
        let mut at = block;
        loop {
            let Ok(instruction) = Instruction::read(&self.program.code, at as usize) else {
                return;
            };
            visit(&instruction, &constants);
            apply(&instruction, &mut constants);
            for &target in instruction.targets() {
                self.flow(target, &constants, changed);
            }
            at += instruction.words() as u32;
            if instruction.ends_block() || at >= self.end {
                return;
            }
            if self.targets.contains(&at) {
                self.flow(at, &constants, changed);
                return;
            }
        }
    }

    /// The meet: a slot stays constant if all predecessors agree on its value.
    fn flow(&mut self, block: u32, constants: &Constants, changed: &mut Vec<u32>) {
        let size = self.blocks.get(&block).unwrap_or(constants).len();
        if !self.is_allowed(size) {
            return;
        }
        let Some(known) = self.blocks.get_mut(&block) else {
            self.blocks.insert(block, constants.clone());
            changed.push(block);
            return;
        };
        let before = known.len();
        known.retain(|slot, value| constants.get(slot) == Some(value));
        if known.len() < before {
            changed.push(block);
        }
    }
}

/// The targets of the jumps in a range of code.
fn targets(program: &Bytecode, code: std::ops::Range<u32>) -> BTreeSet<u32> {
    let mut targets = BTreeSet::new();
    for instruction in instructions(program, code) {
        targets.extend(instruction.targets());
    }
    targets
}

fn instructions(
    program: &Bytecode,
    code: std::ops::Range<u32>,
) -> impl Iterator<Item = Instruction<'_>> {
    let mut at = code.start;
    std::iter::from_fn(move || {
        let code = (at < code.end).then_some(&program.code)?;
        let instruction = Instruction::read(code, at as usize).ok()?;
        at += instruction.words() as u32;
        Some(instruction)
    })
}

/// The slot that holds the binding of a buffer access.
fn binding_slot(instruction: &Instruction<'_>) -> Option<u32> {
    let first = u32::from(instruction.operands[0]);
    match host(instruction)? {
        Host::BufferLen | Host::BufferLoad | Host::BufferStore | Host::BufferCompareExchange => {
            Some(first)
        }
        // The operation comes first.
        Host::BufferAtomic => Some(first + 1),
        _ => None,
    }
}

fn host(instruction: &Instruction<'_>) -> Option<Host> {
    let is_host = instruction.op == Op::Host;
    is_host
        .then(|| Host::from_number(instruction.number()))
        .flatten()
}

/// The functions of a type: any of them may be in a table.
fn of_type(program: &Bytecode, ty: u32) -> impl Iterator<Item = u32> {
    let functions = (0..).zip(&program.functions);
    let fitting = functions.filter(move |(_, function)| function.type_index == ty);
    fitting.map(|(number, _)| number)
}

/// The effect of an instruction on the constants.
fn apply(instruction: &Instruction<'_>, constants: &mut Constants) {
    let [a, b, _] = instruction.operands.map(u32::from);
    let moved = match instruction.op {
        Op::Const => instruction.rest.first().copied(),
        Op::Move => constants.get(&b).copied(),
        Op::FarGet => constants.get(&u32::from(instruction.number())).copied(),
        Op::FarSet => {
            let value = constants.get(&a).copied();
            set(constants, u32::from(instruction.number()), value);
            return;
        }
        Op::Move64 => {
            let high = constants.get(&(b + 1)).copied();
            let low = constants.get(&b).copied();
            set(constants, a, low);
            set(constants, a + 1, high);
            return;
        }
        _ => {
            remove_written(instruction, constants);
            return;
        }
    };
    set(constants, a, moved);
}

fn set(constants: &mut Constants, slot: u32, value: Option<u32>) {
    match value {
        Some(value) => constants.insert(slot, value),
        None => constants.remove(&slot),
    };
}

/// Removes every slot that an instruction may write.
fn remove_written(instruction: &Instruction<'_>, constants: &mut Constants) {
    let [a, b, c] = instruction.operands.map(u32::from);
    let written = match instruction.op.format() {
        Format::None
        | Format::Xn
        | Format::X
        | Format::Xy
        | Format::T
        | Format::Xt
        | Format::Xyt
        | Format::Xit
        | Format::Table
        | Format::Store
        | Format::XyTo
        | Format::Segment => return,
        // The callee's frame, and the two slots of the return address.
        Format::Call | Format::CallIndirect => {
            constants.split_off(&instruction.base().saturating_sub(2));
            return;
        }
        Format::Bulk => [a, b, c].map(|slot| slot..slot + 1),
        // A result takes one or two slots.
        Format::Host => [a..a + 2, 0..0, 0..0],
        _ => [
            a..a + u32::from(instruction.op.widths()[0]).max(1),
            0..0,
            0..0,
        ],
    };
    for slot in written.into_iter().flatten() {
        constants.remove(&slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TranslateOptions, translate};

    fn bindings(body: &str) -> KernelBindings {
        let text = format!(
            r#"(module
            (import "gpu" "buffer_load" (func $load (param i32 i32) (result i32)))
            (import "gpu" "buffer_store" (func $store (param i32 i32 i32)))
            (import "gpu" "buffer_atomic" (func $atomic (param i32 i32 i32 i32) (result i32)))
            (import "gpu" "get_thread_id" (func $id (result i32)))
            (table 1 funcref)
            (func (export "main") {body})
            (func (export "other") (call $store (i32.const 7) (i32.const 0) (i32.const 0))))"#
        );
        let module = wat::parse_str(text).unwrap();
        let program = translate(&module, &TranslateOptions::default())
            .unwrap()
            .bytecode;
        let export = program
            .exports
            .iter()
            .find(|export| export.name == "main")
            .unwrap();
        ProgramBindings::new(&program).of(export)
    }

    fn closed(named: &[(u16, u16)]) -> KernelBindings {
        KernelBindings {
            named: named.iter().copied().collect(),
            is_open: false,
        }
    }

    #[test]
    fn constants_are_found_on_every_path() {
        assert_eq!(bindings(""), closed(&[]));
        let accesses = "(call $store (i32.const 0x10002) (call $id)
            (call $load (i32.const 1) (call $id)))
            (drop (call $atomic (i32.const 0) (i32.const 3) (i32.const 0) (i32.const 1)))";
        assert_eq!(bindings(accesses), closed(&[(0, 1), (0, 3), (1, 2)]));
        let in_loop = "(local $b i32) (local $i i32) (local.set $b (i32.const 4))
            (loop (call $store (local.get $b) (local.get $i) (i32.const 1))
                (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
                    (i32.const 9))))";
        assert_eq!(bindings(in_loop), closed(&[(0, 4)]));
    }

    #[test]
    fn functions_of_a_table_are_visited_up_to_a_limit() {
        let module = wat::parse_str(
            r#"(module
            (import "gpu" "buffer_store" (func $store (param i32 i32 i32)))
            (type $none (func))
            (table funcref (elem $one $two))
            (func $one (type $none) (call $store (i32.const 1) (i32.const 0) (i32.const 0)))
            (func $two (type $none) (call $store (i32.const 2) (i32.const 0) (i32.const 0)))
            (func (export "main") (param i32) (call_indirect (type $none) (local.get 0))
                (table.set (i32.const 0) (ref.func $two))))"#,
        );
        let program = translate(&module.unwrap(), &TranslateOptions::default()).unwrap();
        let program = program.bytecode;
        let mut all = ProgramBindings::new(&program);
        assert_eq!(all.of(&program.exports[0]), closed(&[(0, 1), (0, 2)]));
        all.visits = 1;
        assert!(all.of(&program.exports[0]).is_open);
        let mut without_work = ProgramBindings::new(&program);
        without_work.work = 0;
        assert!(without_work.of(&program.exports[0]).is_open);
    }

    #[test]
    fn a_binding_chosen_at_run_time_leaves_the_list_open() {
        let chosen = "(call $store (call $id) (i32.const 0) (i32.const 1))";
        assert!(bindings(chosen).is_open);
        let branch = "(local $b i32) (local.set $b (i32.const 1))
            (if (call $id) (then (local.set $b (i32.const 2))))
            (call $store (local.get $b) (i32.const 0) (i32.const 1))";
        assert!(bindings(branch).is_open);
        let grown = "(local $b i32) (loop
            (call $store (local.get $b) (i32.const 0) (i32.const 1))
            (local.set $b (i32.add (local.get $b) (i32.const 1)))
            (br_if 0 (i32.lt_u (local.get $b) (i32.const 3))))";
        assert!(bindings(grown).is_open);
        assert!(!bindings(grown).lacks((0, 9)));
    }

    #[test]
    fn many_blocks_with_many_constants_leave_the_list_open() {
        let count = 6000;
        let mut body = String::new();
        for local in 0..count {
            body += &format!("(local $v{local} i32)");
        }
        for local in 0..count {
            body += &format!("(local.set $v{local} (i32.const {local}))");
        }
        let store = "(call $store (i32.const 1) (i32.const 0) (i32.const 1))";
        for _ in 0..count {
            body += &format!("(if (call $id) (then {store}))");
        }
        assert!(bindings(&body).is_open);
    }
}
