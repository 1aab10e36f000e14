//! The inliner.
//!
//! In: lowered functions and their call graph. Out: the same functions with fewer calls. Functions
//! are visited bottom-up, so a callee's code is final when it is copied. The frame of an inlined
//! function begins where its arguments are and its results go, so no copies are needed for them. A
//! parameter that is only read is replaced by the slot of its argument (copy propagation).
//!
//! Recursive calls, and calls beyond the limits of [`TranslateOptions`] or of the frame, remain
//! calls, with a [`Warning`]. Calls that end the thread, and calls in functions that only run on
//! the path to a panic, are cold: they remain calls without a warning.

use std::collections::{HashMap, HashSet};

use super::ir::{self, Argument, Function, FunctionId, Inst, Operand, Plain, Slot};
use super::lower::writes_a;
use crate::bytecode::{Format, Op};
use crate::error::Reason;
use crate::module::CallGraph;
use crate::{TranslateOptions, Warning};

/// Slots of a frame after inlining: all can be named by 8-bit operands.
const MAX_SLOTS: Slot = 240;

/// The weight of a function that is always inlined: about that of the call itself.
const TINY: usize = 12;

/// Bytes of bytecode for each instruction, an upper bound of the average.
const INSTRUCTION_BYTES: usize = 6;

/// Inlines calls in all functions of the graph, which come from a module of `size` bytes.
pub(crate) fn inline(
    functions: &mut HashMap<FunctionId, Function>,
    graph: &CallGraph,
    names: &[String],
    (options, size): (&TranslateOptions, usize),
) -> Vec<Warning> {
    let calls = count_calls(functions, graph);
    let total: usize = graph.order.iter().map(|id| functions[id].weight).sum();
    let mut inliner = Inliner {
        functions,
        graph,
        calls,
        names,
        options,
        // Budget for copied code: the program stays well below ten times the size of the module,
        // even for a small module.
        budget: (2 * total + 4096).min((8 * size / INSTRUCTION_BYTES).saturating_sub(total)),
        warned: HashSet::new(),
        warnings: Vec::new(),
    };
    for &id in &graph.order {
        inliner.function(id);
    }
    inliner.warnings
}

/// How often each function is called.
fn count_calls(
    functions: &HashMap<FunctionId, Function>,
    graph: &CallGraph,
) -> HashMap<FunctionId, u32> {
    let mut calls = HashMap::new();
    for id in &graph.order {
        for inst in &functions[id].code {
            if let Inst::Call { function, .. } = inst {
                *calls.entry(*function).or_insert(0) += 1;
            }
        }
    }
    calls
}

struct Inliner<'a> {
    functions: &'a mut HashMap<FunctionId, Function>,
    graph: &'a CallGraph,
    calls: HashMap<FunctionId, u32>,
    names: &'a [String],
    options: &'a TranslateOptions,
    budget: usize,
    warned: HashSet<(FunctionId, FunctionId)>,
    warnings: Vec<Warning>,
}

impl Inliner<'_> {
    fn function(&mut self, id: FunctionId) {
        let has_calls = |function: &Function| {
            function
                .code
                .iter()
                .any(|inst| matches!(inst, Inst::Call { .. }))
        };
        if !self.functions.get(&id).is_some_and(has_calls) {
            return;
        }
        let Some(mut old) = self.functions.remove(&id) else {
            return;
        };
        let code = std::mem::take(&mut old.code);
        let origins = std::mem::take(&mut old.origins);
        let mut new = old;
        let mut ahead = std::mem::take(&mut new.weight);
        let mut result_to = None;
        for (at, inst) in code.iter().enumerate() {
            ahead -= inst.weight();
            if result_to.take() == Some(at) {
                continue;
            }
            let Inst::Call {
                function,
                arguments,
                base,
                ..
            } = inst
            else {
                new.push(inst.clone(), origins[at]);
                continue;
            };
            match self.decide(id, *function, &new, *base, ahead) {
                Some(callee) => {
                    let result = code.get(at + 1).and_then(|next| result_copy(next, *base));
                    let start = new.code.len();
                    splice(&mut new, callee, arguments, *base, origins[at]);
                    // A copy of the result that follows the call is removed if the callee can write
                    // its target.
                    if let Some(copy) = result
                        && retarget(&mut new, start, *base, &copy)
                    {
                        result_to = Some(at + 1);
                    }
                }
                None => new.push(inst.clone(), origins[at]),
            }
        }
        self.functions.insert(id, new);
    }

    /// The callee, if the call is to be inlined.
    fn decide(
        &mut self,
        caller: FunctionId,
        callee: FunctionId,
        into: &Function,
        base: Slot,
        ahead: usize,
    ) -> Option<&Function> {
        // Functions of other modules are emitted already.
        if callee != caller && !self.functions.contains_key(&callee) {
            return None;
        }
        if self.is_cold(caller, callee) {
            let found = self.functions.get(&callee)?;
            return (is_tiny(found) && base + found.frame <= MAX_SLOTS).then_some(found);
        }
        let refused = self.refusal(callee, into, base, ahead);
        if let Some(reason) = refused {
            if self.warned.insert((caller, callee)) {
                let name = |function: u32| self.names[function as usize].clone();
                let callee = self
                    .functions
                    .get(&callee)
                    .map_or(into.name, |callee| callee.name);
                self.warnings.push(Warning::NotInlined {
                    caller: name(into.name),
                    callee: name(callee),
                    reason,
                });
            }
            return None;
        }
        let found = self.functions.get(&callee)?;
        let once = self.calls.get(&callee) == Some(&1);
        if !once && found.weight > TINY {
            self.budget = self.budget.saturating_sub(found.weight);
        }
        Some(found)
    }

    /// Whether a call is on the path to a panic.
    fn is_cold(&self, caller: FunctionId, callee: FunctionId) -> bool {
        self.graph.noreturn.contains(&callee) || !self.graph.live.contains(&caller)
    }

    fn refusal(
        &self,
        callee: FunctionId,
        into: &Function,
        base: Slot,
        ahead: usize,
    ) -> Option<Reason> {
        if self.graph.recursive.contains(&callee) {
            return Some(Reason::Recursion);
        }
        let found = self.functions.get(&callee)?;
        if base + found.frame > MAX_SLOTS {
            return Some(Reason::Slots);
        }
        if found.depth + 1 > self.options.inline_depth {
            return Some(Reason::Depth);
        }
        let size = found.weight;
        let once = self.calls.get(&callee) == Some(&1);
        let within = once || size <= TINY || size <= self.budget;
        let fits = into.weight + size + ahead <= self.options.inline_size as usize;
        if !within || !(fits || size <= TINY) {
            return Some(Reason::Size);
        }
        None
    }
}

/// Whether a function is hardly larger than a call of it, and calls nothing.
fn is_tiny(function: &Function) -> bool {
    let calls = |inst: &Inst| matches!(inst, Inst::Call { .. } | Inst::CallIndirect { .. });
    function.weight <= TINY && !function.code.iter().any(calls)
}

/// Maps the callee's slots and labels to the caller's.
struct Relocation {
    base: Slot,
    labels: u32,
    /// Slots of read-only parameters, and the caller's slots that replace them.
    stand_for: HashMap<Slot, Slot>,
}

impl Relocation {
    fn read(&self, slot: Slot) -> Slot {
        match self.stand_for.get(&slot) {
            Some(&other) => other,
            None => slot + self.base,
        }
    }

    fn write(&self, slot: Slot) -> Slot {
        slot + self.base
    }

    fn operand(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Slot(slot) => Operand::Slot(self.read(slot)),
            constant => constant,
        }
    }

    fn arguments(&self, arguments: &[Argument]) -> Box<[Argument]> {
        let moved = arguments.iter().map(|argument| Argument {
            operand: self.operand(argument.operand),
            ..*argument
        });
        moved.collect()
    }

    fn plain(&self, plain: &Plain) -> Plain {
        let [_, wb, wc] = plain.op.widths();
        let mut moved = *plain;
        match plain.op.format() {
            // Its other fields are counts.
            Format::Host => {
                moved.a = self.write(plain.a);
                return moved;
            }
            Format::None | Format::Segment => return moved,
            Format::Dxyz => moved.extra = u64::from(self.read(plain.extra as u32)),
            _ => {}
        }
        moved.a = if writes_a(plain.op) {
            self.write(plain.a)
        } else {
            self.read(plain.a)
        };
        if wb > 0 {
            moved.b = self.read(plain.b);
        }
        if wc > 0 {
            moved.c = self.read(plain.c);
        }
        moved
    }

    fn inst(&self, inst: &Inst) -> Inst {
        match inst {
            Inst::Block(label) => Inst::Block(label + self.labels),
            Inst::Loop(label) => Inst::Loop(label + self.labels),
            Inst::End(label) => Inst::End(label + self.labels),
            Inst::Br(label) => Inst::Br(label + self.labels),
            Inst::BrIf { op, x, y, label } => Inst::BrIf {
                op: *op,
                x: self.read(*x),
                y: if op.format() == Format::Xyt {
                    self.read(*y)
                } else {
                    *y
                },
                label: label + self.labels,
            },
            Inst::BrTable { index, labels } => Inst::BrTable {
                index: self.read(*index),
                labels: labels.iter().map(|label| label + self.labels).collect(),
            },
            Inst::Return => Inst::Return,
            Inst::Call {
                function,
                arguments,
                base,
                results,
                kind,
            } => Inst::Call {
                function: *function,
                arguments: self.arguments(arguments),
                base: self.write(*base),
                results: *results,
                kind: *kind,
            },
            Inst::CallIndirect {
                table,
                type_index,
                index,
                arguments,
                base,
                results,
            } => Inst::CallIndirect {
                table: *table,
                type_index: *type_index,
                index: self.operand(*index),
                arguments: self.arguments(arguments),
                base: self.write(*base),
                results: *results,
            },
            Inst::Plain(plain) => Inst::Plain(self.plain(plain)),
        }
    }
}

/// Copies a callee's code into the caller.
fn splice(
    into: &mut Function,
    callee: &Function,
    arguments: &[Argument],
    base: Slot,
    origin: ir::Origin,
) {
    let stand_for = pass(into, callee, arguments, base, origin);
    let relocation = Relocation {
        base,
        labels: into.labels,
        stand_for,
    };
    into.labels += callee.labels;
    into.reach(base + callee.frame);
    into.depth = into.depth.max(callee.depth + 1);
    let (body, ends) = match callee.code.split_last() {
        Some((Inst::Return, body)) => (body, true),
        _ => (&callee.code[..], false),
    };
    let returns = !ends || body.contains(&Inst::Return);
    let exit = into.labels;
    if returns {
        into.labels += 1;
        into.push(Inst::Block(exit), origin);
    }
    for (inst, &from) in body.iter().zip(&callee.origins) {
        // Host stubs have no source position of their own; the caller's is used.
        let from = if from.offset == 0 { origin } else { from };
        match inst {
            Inst::Return => into.push(Inst::Br(exit), from),
            other => into.push(relocation.inst(other), from),
        }
    }
    if returns {
        into.push(Inst::End(exit), origin);
    }
}

/// Copies arguments to the callee's parameters; returns those that are replaced by the caller's
/// slots instead.
fn pass(
    into: &mut Function,
    callee: &Function,
    arguments: &[Argument],
    base: Slot,
    origin: ir::Origin,
) -> HashMap<Slot, Slot> {
    let mut stand_for = HashMap::new();
    let mut param = 0;
    for argument in arguments {
        let constant = callee.constant_params.contains(&(param, argument.width));
        match argument.operand {
            Operand::Slot(slot) if constant && slot < base => {
                for word in 0..argument.width {
                    stand_for.insert(param + word, slot + word);
                }
            }
            operand if operand == Operand::Slot(base + param) => {}
            operand => {
                let copy = ir::copy(base + param, operand, argument.width);
                into.push(Inst::Plain(copy), origin);
            }
        }
        param += argument.width;
    }
    stand_for
}

/// The instruction, if it copies a call's result.
fn result_copy(inst: &Inst, base: Slot) -> Option<Plain> {
    match inst {
        Inst::Plain(plain) if matches!(plain.op, Op::Move | Op::Move64) && plain.b == base => {
            Some(*plain)
        }
        _ => None,
    }
}

/// Makes the last instruction after `start` write the destination of a copy of its result.
fn retarget(function: &mut Function, start: usize, base: Slot, copy: &Plain) -> bool {
    if function.code.len() <= start {
        return false;
    }
    match function.code.last_mut() {
        Some(Inst::Plain(last))
            if writes_a(last.op)
                && last.a == base
                && last.op.widths()[0] == copy.op.widths()[0] =>
        {
            last.a = copy.a;
            true
        }
        _ => false,
    }
}
