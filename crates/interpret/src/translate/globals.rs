//! Allocates the module-scope variables of an entry point.

use anywarp_execution::Interface;
use anywarp_program::Program;
use naga::{AddressSpace, GlobalVariable, Handle, TypeInner};

use super::constant::Constants;
use super::function::Operand;
use crate::KernelError;
use crate::bytecode::texture::TextureRef;
use crate::bytecode::{Address, Reg, Space, ZERO};
use crate::layout::{Layout, MAX_WORDS, Unsupported};

/// A private variable.
#[derive(Clone, Copy)]
pub(super) struct PrivateVariable {
    pub(super) register: Reg,
    pub(super) words: u32,
    /// The register of its constant initial value; `None` for zero.
    pub(super) init: Option<Reg>,
}

/// The module-scope variables that an entry point uses.
#[derive(Default)]
pub(super) struct Globals {
    values: Vec<Option<Operand>>,
    pub(super) privates: Vec<PrivateVariable>,
    pub(super) slots: BindingSlots,
    pub(super) workgroup_words: u32,
}

/// The number of bindings of each kind.
#[derive(Default)]
pub(super) struct BindingSlots {
    pub(super) buffers: u32,
    pub(super) textures: u32,
    pub(super) arrays: u32,
}

impl Globals {
    /// Allocates every variable that an entry point uses, resources in the order of the interface; private ones from register `next` on.
    pub(super) fn allocate(
        program: &Program,
        layout: Layout<'_>,
        interface: &Interface,
        constants: &Constants,
        next: &mut Reg,
    ) -> Result<Self, KernelError> {
        let module = program.module();
        let info = program.info().get_entry_point(interface.index);
        let mut globals = Self::default();
        for (handle, variable) in module.global_variables.iter() {
            let value = if info[handle].is_empty() {
                None
            } else {
                let span = module.global_variables.get_span(handle);
                let value = globals
                    .allocate_one(program, layout, variable, constants, next)
                    .map_err(|Unsupported(feature)| KernelError::Unsupported {
                        feature: format!("`{}`: {feature}", name(variable)),
                        location: program.locate(span).map(Box::new),
                    })?;
                Some(value)
            };
            globals.values.push(value);
        }
        Ok(globals)
    }

    fn allocate_one(
        &mut self,
        program: &Program,
        layout: Layout<'_>,
        variable: &GlobalVariable,
        constants: &Constants,
        next: &mut Reg,
    ) -> Result<Operand, Unsupported> {
        let module = program.module();
        let inner = layout.inner(variable.ty);
        let at = |space, offset| {
            Operand::Pointer(Address {
                space,
                dynamic: ZERO,
                offset,
            })
        };
        Ok(match variable.space {
            AddressSpace::Private => {
                let words = layout.words(inner)?;
                let init = match variable.init {
                    Some(init) => {
                        let folded =
                            constants.register(layout, &module.global_expressions, init)?;
                        let error = || Unsupported("an initialiser that is not folded".into());
                        Some(folded.ok_or_else(error)?)
                    }
                    None => None,
                };
                let register = *next;
                self.privates.push(PrivateVariable {
                    register,
                    words,
                    init,
                });
                *next = checked_end(register, words)?;
                at(Space::Registers, register)
            }
            AddressSpace::WorkGroup => {
                let offset = self.workgroup_words;
                self.workgroup_words = checked_end(offset, layout.words(inner)?)?;
                at(Space::Workgroup, offset)
            }
            AddressSpace::Uniform | AddressSpace::Storage { .. } => {
                let is_single = !matches!(inner, TypeInner::BindingArray { .. });
                if is_single {
                    at(Space::Buffer(next_slot(&mut self.slots.buffers)?), 0)
                } else {
                    Operand::BufferArray(next_slot(&mut self.slots.arrays)?)
                }
            }
            AddressSpace::Immediate => at(Space::Immediates, 0),
            AddressSpace::Handle => self.handle(layout, inner)?,
            _ => return Err(Unsupported("this address space".into())),
        })
    }

    /// A texture, a sampler, or an array of one of them.
    fn handle(&mut self, layout: Layout<'_>, inner: &TypeInner) -> Result<Operand, Unsupported> {
        let (one, is_single) = match *inner {
            TypeInner::BindingArray { base, .. } => (layout.inner(base), false),
            _ => (inner, true),
        };
        Ok(match one {
            TypeInner::Image { .. } if is_single => {
                let slot = next_slot(&mut self.slots.textures)?;
                Operand::Texture(TextureRef::Slot(u32::from(slot)))
            }
            TypeInner::Image { .. } => Operand::TextureArray(next_slot(&mut self.slots.arrays)?),
            // A sampler alone is harmless; sampling reports that it is not supported.
            _ => Operand::Registers(ZERO),
        })
    }

    /// The value of a module-scope variable that the entry point uses.
    pub(super) fn value(&self, handle: Handle<GlobalVariable>) -> Option<Operand> {
        self.values[handle.index()]
    }
}

fn name(variable: &GlobalVariable) -> &str {
    variable.name.as_deref().unwrap_or("unnamed variable")
}

fn next_slot(count: &mut u32) -> Result<u16, Unsupported> {
    let slot = u16::try_from(*count).map_err(|_| Unsupported("more than 65536 bindings".into()))?;
    *count += 1;
    Ok(slot)
}

fn checked_end(first: u32, words: u32) -> Result<u32, Unsupported> {
    let end = u64::from(first) + u64::from(words);
    if end > MAX_WORDS {
        return Err(Unsupported(format!(
            "variables of more than {} bytes",
            MAX_WORDS * 4
        )));
    }
    Ok(end as u32)
}
