//! Linear memory to objects.
//!
//! In: a function whose accesses address linear memory, and the [`MemoryLayout`]. Out: the same
//! function, whose accesses are word accesses of objects. No load, store, `memory.*` operation or
//! host call on buffers, workgroup memory, state, input or pixels is left, nor a slice's address or
//! the stack pointer.
//!
//! There are two models. In the *resolved* one each access belongs to a slice, the stack frame or
//! the static variables, by the analysis of [provenance](super::analysis::provenance), and these
//! are objects of their own, without traps: a read outside gives 0, a write outside has no effect.
//! This relies on the compiler that made the module: it computes no address in one object from the
//! address of another one, checks indices itself, and makes addresses as aligned as it says. Where an address is not understood, and for
//! [`MemoryModel::Linear`], all memory but the slices is one object for each invocation with the
//! bounds checks and traps of WebAssembly: the *linear* model, which is always exact. Slices are
//! bindings in either model; the virtual machine has none.
//!
//! | file | contents |
//! |---|---|
//! | `layout` | what is known of the memory |
//! | `survey` | where each address points |
//! | `choice`, `frame`, `plan` | the model, and the object of each access |
//! | `objects` | element types |
//! | `editor` | writes instructions |
//! | `access`, `words` | loads and stores: checks, word indices, parts of words |
//! | `bulk`, `grow`, `initial` | operations on the whole memory |
//! | `promote` | private words to SSA values |
//! | `host`, `workgroup` | host calls |

mod access;
mod bulk;
mod choice;
mod editor;
mod frame;
mod grow;
mod host;
mod initial;
mod layout;
mod objects;
mod plan;
mod promote;
mod survey;
mod words;
mod workgroup;

pub(crate) use layout::MemoryLayout;
pub use layout::MemoryModel;

use super::CompileError;
use super::analysis::alignment::Alignment;
use super::analysis::linear::LinearForms;
use super::analysis::ranges::Ranges;
use super::ir::{Block, Cfg, Function, Op, Terminator, Type, Value};
use bulk::Segments;
use editor::Editor;
use host::HostObjects;
use objects::Objects;
use plan::{Plan, slice_base};
use survey::Analyses;
use workgroup::Workgroup;

/// The model of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// Every access has an object of its own.
    Resolved,
    /// There is a linear memory, for this reason.
    Linear(String),
}

/// Replaces linear memory by objects.
pub(crate) fn resolve(
    function: &mut Function,
    layout: &MemoryLayout,
) -> Result<Resolution, CompileError> {
    layout.check()?;
    let cfg = Cfg::new(function);
    check_growth(function, &cfg, layout)?;
    let forms = LinearForms::all(function, &cfg);
    let alignment = Alignment::new(function, &cfg, layout.stack_pointer);
    let ranges = Ranges::new(function, &cfg, &forms, layout.workgroup_size);
    let analyses = Analyses {
        forms: &forms,
        ranges: &ranges,
        layout,
    };
    let plan = Plan::new(function, &cfg, analyses)?;
    let range = |function: &Function, inst: Value, address: Value| {
        let form = forms.get(function, address);
        let is_aligned = alignment.of_sum(&form) >= 2;
        ranges.range(&form, inst).filter(|_| is_aligned)
    };
    let workgroup = Workgroup::new(function, &cfg, layout, range);
    let mut objects = Objects::new(function, &cfg);
    plan.vote(&mut objects, &alignment);
    let hosts = HostObjects::new(&mut objects, &cfg, &workgroup)?;
    objects.finish();
    let resolution = match &plan.reason {
        None => Resolution::Resolved,
        Some(reason) => Resolution::Linear(reason.clone()),
    };
    let segments = Segments::new(function, &cfg);
    let lowering = Lowering {
        editor: Editor::new(function),
        layout,
        forms: &forms,
        alignment,
        plan,
        hosts,
        workgroup,
        segments,
    };
    lowering.run(&cfg)?;
    promote::promote(function);
    Ok(resolution)
}

/// Refuses `memory.grow` where no room is reserved.
fn check_growth(function: &Function, cfg: &Cfg, layout: &MemoryLayout) -> Result<(), CompileError> {
    let insts = cfg
        .order
        .iter()
        .flat_map(|&block| &function.block(block).insts);
    let grows = |inst: &Value| match function.op(*inst) {
        Op::MemoryGrow(pages) => function.as_word(*pages) != Some(0),
        _ => false,
    };
    if layout.lacks_reserve && insts.into_iter().any(grows) {
        return Err(CompileError::Unsupported {
            feature: "memory.grow without reserved pages".to_owned(),
            function: function.name.clone(),
            offset: 0,
        });
    }
    Ok(())
}

/// Rewrites the instructions of a function.
struct Lowering<'a> {
    editor: Editor<'a>,
    layout: &'a MemoryLayout,
    forms: &'a LinearForms,
    alignment: Alignment,
    plan: Plan,
    hosts: HostObjects,
    workgroup: Workgroup,
    segments: Segments,
}

impl Lowering<'_> {
    fn run(mut self, cfg: &Cfg) -> Result<(), CompileError> {
        for block in self.editor.function.block_ids() {
            if !cfg.is_reachable(block) {
                let data = self.editor.function.block_mut(block);
                data.insts.clear();
                data.terminator = Terminator::Unreachable;
            }
        }
        for &block in &cfg.order {
            self.block(block)?;
        }
        self.set_addresses();
        self.editor.finish();
        Ok(())
    }

    fn block(&mut self, block: Block) -> Result<(), CompileError> {
        let data = self.editor.function.block_mut(block);
        let insts = std::mem::take(&mut data.insts);
        let terminator = std::mem::replace(&mut data.terminator, Terminator::Unreachable);
        self.editor.block = block;
        if block == Function::ENTRY {
            self.initialize();
        }
        for inst in insts {
            self.instruction(inst)?;
        }
        self.editor.end(terminator);
        Ok(())
    }

    /// Writes what replaces an instruction, or the instruction.
    fn instruction(&mut self, inst: Value) -> Result<(), CompileError> {
        let op = self.editor.function.op(inst).clone();
        let result = match op {
            Op::Load { access, address } => Some(self.load(inst, access, address)),
            Op::Store {
                access,
                address,
                value,
            } => {
                self.store(inst, access, address, value);
                None
            }
            Op::MemorySize => Some(self.memory_size()),
            Op::MemoryGrow(pages) => Some(self.memory_grow(pages)),
            Op::MemoryCopy {
                to,
                from,
                bytes,
                trap,
            } => {
                self.memory_copy(inst, [to, from, bytes], trap);
                None
            }
            Op::MemoryFill {
                to,
                value,
                bytes,
                trap,
            } => {
                self.memory_fill(inst, [to, value, bytes], trap);
                None
            }
            Op::MemoryInit {
                segment,
                to,
                from,
                bytes,
                trap,
            } => {
                self.memory_init(inst, segment, [to, from, bytes], trap);
                None
            }
            Op::DataDrop(segment) => {
                self.data_drop(segment);
                None
            }
            Op::Host {
                function,
                args,
                trap,
            } => match self.host(inst, function, &args, trap)? {
                Some(result) => result,
                None => {
                    self.keep(inst);
                    return Ok(());
                }
            },
            _ => {
                self.keep(inst);
                return Ok(());
            }
        };
        if let Some(value) = result {
            self.editor.replace(inst, value);
        }
        Ok(())
    }

    fn keep(&mut self, inst: Value) {
        let block = self.editor.block;
        self.editor.function.block_mut(block).insts.push(inst);
    }

    /// Numbers for the remaining uses of addresses: comparisons, and words of traps.
    fn set_addresses(&mut self) {
        for number in 0..self.editor.function.value_count() {
            let value = Value(number as u32);
            let number = match *self.editor.function.op(value) {
                Op::StackPointer => self.layout.stack_pointer,
                Op::SliceAddress(slice) => slice_base(slice),
                _ => continue,
            };
            let number = self.editor.function.constant(Type::I32, number.into());
            self.editor.replace(value, number);
        }
    }
}

#[cfg(test)]
mod tests;
