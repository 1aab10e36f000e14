//! Where the module-scope variables of an entry point live.

use anywarp_program::Program;
use naga::{AddressSpace, GlobalVariable, Handle, StorageAccess, TypeInner};

use super::constant::Constants;
use crate::KernelError;
use crate::code::{Address, Reg, Space, ZERO};
use crate::kernel::{Access, Resource, ResourceKind};
use crate::layout::{Layout, MAX_WORDS, Unsupported};

/// How a private variable begins.
#[derive(Clone, Copy)]
pub(super) struct Private {
    pub(super) register: Reg,
    pub(super) words: u32,
    /// The constant it is initialised with; zero without one.
    pub(super) init: Option<Reg>,
}

/// The variables that an entry point uses.
#[derive(Default)]
pub(super) struct Globals {
    addresses: Vec<Option<Address>>,
    pub(super) privates: Vec<Private>,
    pub(super) resources: Vec<Resource>,
    pub(super) workgroup_words: u32,
}

impl Globals {
    /// Places every variable that entry point `index` uses; private ones from register `next` on.
    pub(super) fn place(
        program: &Program,
        layout: Layout<'_>,
        index: usize,
        constants: &Constants,
        next: &mut Reg,
    ) -> Result<Self, KernelError> {
        let module = program.module();
        let info = program.info().get_entry_point(index);
        let mut globals = Self::default();
        for (handle, variable) in module.global_variables.iter() {
            let address = if info[handle].is_empty() {
                None
            } else {
                let span = module.global_variables.get_span(handle);
                let space = globals
                    .place_one(program, layout, variable, constants, next)
                    .map_err(|Unsupported(feature)| KernelError::Unsupported {
                        feature: format!("`{}`: {feature}", name(variable)),
                        place: program.locate(span).map(Box::new),
                    })?;
                Some(space)
            };
            globals.addresses.push(address);
        }
        Ok(globals)
    }

    fn place_one(
        &mut self,
        program: &Program,
        layout: Layout<'_>,
        variable: &GlobalVariable,
        constants: &Constants,
        next: &mut Reg,
    ) -> Result<Address, Unsupported> {
        let module = program.module();
        let inner = layout.inner(variable.ty);
        let at = |space, offset| Address {
            space,
            dynamic: ZERO,
            offset,
        };
        Ok(match variable.space {
            AddressSpace::Private => {
                let words = layout.words(inner)?;
                let init = match variable.init {
                    Some(init) => {
                        let folded =
                            constants.register(module, layout, &module.global_expressions, init)?;
                        let error = || Unsupported("an initialiser that is not folded".into());
                        Some(folded.ok_or_else(error)?)
                    }
                    None => None,
                };
                let register = *next;
                self.privates.push(Private {
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
                self.buffer(variable, inner, inner.size(module.to_ctx()))?
            }
            AddressSpace::Immediate => at(Space::Immediates, 0),
            AddressSpace::Handle => {
                // Textures, samplers and the like: asking for their words names the kind.
                layout.words(inner)?;
                return Err(Unsupported("a resource handle".into()));
            }
            _ => return Err(Unsupported("this address space".into())),
        })
    }

    fn buffer(
        &mut self,
        variable: &GlobalVariable,
        inner: &TypeInner,
        min_size: u32,
    ) -> Result<Address, Unsupported> {
        let Some(binding) = variable.binding else {
            return Err(Unsupported("a buffer without @group and @binding".into()));
        };
        if let TypeInner::BindingArray { .. } = inner {
            return Err(Unsupported("a binding array".into()));
        }
        let slot = u16::try_from(self.resources.len())
            .map_err(|_| Unsupported("more than 65536 buffers".into()))?;
        let (kind, writable) = match variable.space {
            AddressSpace::Storage { access } => {
                (ResourceKind::Storage, access.contains(StorageAccess::STORE))
            }
            _ => (ResourceKind::Uniform, false),
        };
        self.resources.push(Resource {
            group: binding.group,
            binding: binding.binding,
            name: name(variable).to_owned(),
            kind,
            access: if writable {
                Access::ReadWrite
            } else {
                Access::Read
            },
            min_size: u64::from(min_size),
        });
        Ok(Address {
            space: Space::Buffer(slot),
            dynamic: ZERO,
            offset: 0,
        })
    }

    /// The address of a variable that the entry point uses.
    pub(super) fn address(&self, handle: Handle<GlobalVariable>) -> Option<Address> {
        self.addresses[handle.index()]
    }
}

fn name(variable: &GlobalVariable) -> &str {
    variable.name.as_deref().unwrap_or("unnamed variable")
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
