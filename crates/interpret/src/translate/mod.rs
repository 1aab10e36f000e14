//! Translation from a naga module to bytecode.
//!
//! In: a [`Program`] without overrides and the [`Interface`] of a compute entry point. Out: [`Bytecode`]. Functions are translated in naga's order, in which a callee precedes its callers. Frames are laid
//! out in the same order, so that a caller's frame lies above the frames of everything it can call.

mod atomic;
mod constant;
mod control_flow;
mod expression;
mod function;
mod globals;
mod math;
mod operator;
mod pointer;
mod statement;
mod subgroup;
mod texture;
mod typed;
mod uses;

use std::collections::HashMap;

use anywarp_execution::Interface;
use anywarp_program::work::{Meter, OverBudget};
use anywarp_program::{Program, walk};
use naga::{EntryPoint, Function, Handle, Span, TypeInner};

use crate::bytecode::{Bytecode, Instr, Pc, Reg, Run, WORDS_PER_UNIT, builtin};
use crate::layout::{Layout, MAX_WORDS, TypeWords, Unsupported};
use crate::{KernelError, SourceLocation};
use constant::Constants;
use globals::Globals;

/// The most registers of all invocations of a workgroup together: 1 GiB.
const MAX_WORKGROUP_REGISTERS: u64 = 1 << 28;

/// A work limit error that names the function.
fn over_budget(name: Option<&str>, limit: OverBudget) -> KernelError {
    KernelError::OverBudget {
        function: name.unwrap_or("unnamed").to_owned(),
        limit,
    }
}

/// A translated function: its code and its registers.
#[derive(Clone)]
struct Callee {
    entry: Pc,
    link: Reg,
    arguments: Vec<Reg>,
    result: Reg,
    /// The first register above its frame and the frames of its callees.
    frame_end: Reg,
}

/// The state shared by all functions of a kernel during translation.
struct Translator<'a> {
    program: &'a Program,
    module: &'a naga::Module,
    meter: &'a Meter,
    layout: Layout<'a>,
    code: Bytecode,
    globals: Globals,
    constants: Constants,
    callees: HashMap<Handle<Function>, Callee>,
    /// The last instruction that is the target of a jump.
    last_label: Pc,
    /// The index of each type's run list; `None` for types that are contiguous.
    run_lists: HashMap<TypeInner, Option<u32>>,
    /// The total length of the run lists.
    runs: u64,
}

/// The bytecode of an entry point, and its first instruction.
pub(crate) fn translate(
    program: &Program,
    interface: &Interface,
    meter: &Meter,
) -> Result<(Bytecode, Pc), KernelError> {
    let module = program.module();
    let (entry_point, index) = (&module.entry_points[interface.index], interface.index);
    let type_words = TypeWords::of(module);
    let layout = Layout::of(module, &type_words);
    let reachable = walk::reachable(module, &entry_point.function);
    let mut next = builtin::END;
    let constants =
        Constants::collect(program, layout, (&reachable, entry_point), &mut next, meter)?;
    let globals = Globals::allocate(program, layout, interface, &constants, &mut next)?;

    let mut translator = Translator {
        program,
        module,
        meter,
        layout,
        code: Bytecode {
            initial: constants.initial_registers(),
            registers: next,
            workgroup_words: globals.workgroup_words,
            buffer_slots: globals.slots.buffers,
            texture_slots: globals.slots.textures,
            arrays: globals.slots.arrays,
            has_collectives: subgroup::has_collectives(module, &reachable, &entry_point.function),
            ..Bytecode::default()
        },
        globals,
        constants,
        callees: HashMap::new(),
        last_label: 0,
        run_lists: HashMap::new(),
        runs: 0,
    };
    for handle in reachable {
        let callee = function::translate_function(&mut translator, handle, next)?;
        translator.callees.insert(handle, callee);
    }
    let start = function::translate_entry_point(&mut translator, entry_point, index, next)?;
    translator.check_register_limit(entry_point)?;
    translator.code.count_work();
    Ok((translator.code, start))
}

impl Translator<'_> {
    /// Appends an instruction, after a fuel charge if it moves many words.
    fn push(&mut self, instr: Instr, span: Span) -> Pc {
        let units = self.code.words_moved(instr) / WORDS_PER_UNIT;
        if units > 0 {
            self.append(Instr::ChargeFuel { units }, span);
        }
        self.append(instr, span)
    }

    fn append(&mut self, instr: Instr, span: Span) -> Pc {
        let pc = self.pc();
        self.code.waits |= matches!(instr, Instr::Barrier | Instr::Collective { .. });
        self.code.instrs.push(instr);
        self.code.spans.push(span);
        pc
    }

    /// The address of the next instruction.
    fn pc(&self) -> Pc {
        self.code.instrs.len() as Pc
    }

    /// The address of the next instruction, which becomes a jump target.
    fn label(&mut self) -> Pc {
        self.last_label = self.pc();
        self.last_label
    }

    /// The last instruction, if control can reach the next one only through it.
    fn last_in_sequence(&mut self) -> Option<&mut Instr> {
        if self.last_label == self.pc() {
            return None;
        }
        self.code.instrs.last_mut()
    }

    /// Patches a forward jump to target the next instruction.
    fn land(&mut self, jump: Pc) {
        let here = self.label();
        match &mut self.code.instrs[jump as usize] {
            Instr::Jump { to } | Instr::JumpIf { to, .. } | Instr::JumpUnless { to, .. } => {
                *to = here;
            }
            other => unreachable!("not a forward jump: {other:?}"),
        }
    }

    /// The run list of a type whose values are not contiguous in host-shareable memory.
    fn run_list(&mut self, inner: &TypeInner) -> Result<Option<u32>, Unsupported> {
        if let Some(&known) = self.run_lists.get(inner) {
            return Ok(known);
        }
        let runs = self.layout.host_runs(inner)?;
        let list = match runs[..] {
            [run] if run.memory == 0 && !run.halves => None,
            _ => Some(self.add_run_list(runs)?),
        };
        self.run_lists.insert(inner.clone(), list);
        Ok(list)
    }

    fn add_run_list(&mut self, runs: Vec<Run>) -> Result<u32, Unsupported> {
        self.runs += runs.len() as u64;
        if self.runs > MAX_WORDS {
            return Err(Unsupported(format!(
                "values that lie in memory in more than {MAX_WORDS} pieces"
            )));
        }
        self.code.run_lists.push(runs);
        Ok(self.code.run_lists.len() as u32 - 1)
    }

    /// An error with a source position.
    fn unsupported(&self, Unsupported(feature): Unsupported, span: Span) -> KernelError {
        KernelError::Unsupported {
            feature,
            location: self.program.locate(span).map(Box::new),
        }
    }

    /// The source position of the code of an entry point.
    fn location_of(&self, entry_point: &EntryPoint) -> SourceLocation {
        let mut spans = entry_point.function.body.span_iter();
        let (_, span) = spans.find(|(_, span)| span.is_defined())?;
        self.program.locate(*span).map(Box::new)
    }

    fn check_register_limit(&self, entry_point: &EntryPoint) -> Result<(), KernelError> {
        let registers = u64::from(self.code.registers);
        let invocations: u64 = entry_point
            .workgroup_size
            .iter()
            .map(|&size| u64::from(size))
            .product();
        if u32::try_from(invocations).is_err() {
            return Err(KernelError::Unsupported {
                feature: format!("a workgroup of {invocations} invocations"),
                location: self.location_of(entry_point),
            });
        }
        let files = if self.code.waits { invocations } else { 1 };
        if registers > MAX_WORDS || registers * files > MAX_WORKGROUP_REGISTERS {
            return Err(KernelError::Unsupported {
                feature: format!(
                    "an entry point that needs {} bytes of variables for each invocation",
                    registers * 4
                ),
                location: self.location_of(entry_point),
            });
        }
        Ok(())
    }
}
