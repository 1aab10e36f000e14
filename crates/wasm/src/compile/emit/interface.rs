//! Global variables: the buffers of the caller at their places, hidden resources at free ones.
//!
//! Hidden resources are in the next free group, or after the last binding of the last group if all groups are taken.

use naga::{
    AddressSpace, ArraySize, GlobalVariable, Handle, ResourceBinding, Scalar, Span, StorageAccess,
    StructMember, Type, TypeInner,
};

use super::scan::{Scan, words_of};
use super::unsupported;
use crate::compile::ir::{self, Argument, Builtin, Element, Function, ObjectData, ObjectKind, Op};
use crate::compile::{BindingRole, CompileError, KernelBinding, ParamWord, StatusLayout};

/// The number of groups that every device has.
const GROUPS: u32 = 4;

/// Where the words of an object are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Storage {
    /// The whole variable.
    Global(Handle<GlobalVariable>),
    /// A part of it, from an index.
    Part(Handle<GlobalVariable>, u32),
    /// The part of the thread, of a number of words.
    OfThread(Handle<GlobalVariable>, u32),
    /// Memory of the invocation.
    Private,
}

/// The declarations of a module.
pub(super) struct Interface {
    pub module: naga::Module,
    pub bindings: Vec<KernelBinding>,
    pub params: Vec<ParamWord>,
    pub params_variable: Option<Handle<GlobalVariable>>,
    pub status: Option<(StatusLayout, Handle<GlobalVariable>)>,
    /// By object; `None` if it is not used.
    pub storage: Vec<Option<Storage>>,
    group: u32,
    next: u32,
}

/// The words of the parameter buffer.
fn params(function: &Function, scan: &Scan, needs_threads: bool) -> Vec<ParamWord> {
    let mut words = Vec::new();
    if needs_threads {
        words.push(ParamWord::Threads);
    }
    let uses = |op: Op| scan.floating.iter().any(|&value| *function.op(value) == op);
    for (builtin, word) in [
        (Builtin::Time, ParamWord::Time),
        (Builtin::PictureWidth, ParamWord::PictureWidth),
        (Builtin::PictureHeight, ParamWord::PictureHeight),
    ] {
        if uses(Op::Builtin(builtin)) {
            words.push(word);
        }
    }
    for (index, argument) in (0..).zip(&function.arguments) {
        if let Argument::Number(ty) = argument {
            if !uses(Op::Argument(index)) {
                continue;
            }
            let count = words_of(ir::Type::of(*ty));
            words.extend((0..count).map(|word| ParamWord::Argument { index, word }));
        }
    }
    words
}

fn param_name(word: ParamWord, function: &Function) -> String {
    match word {
        ParamWord::Threads => "threads".to_owned(),
        ParamWord::Time => "time".to_owned(),
        ParamWord::PictureWidth => "width".to_owned(),
        ParamWord::PictureHeight => "height".to_owned(),
        ParamWord::Argument { index, word } => {
            let is_wide = matches!(
                function.arguments.get(index as usize),
                Some(Argument::Number(ty)) if words_of(ir::Type::of(*ty)) == 2
            );
            match (is_wide, word) {
                (false, _) => format!("arg{index}"),
                (true, 0) => format!("arg{index}_low"),
                (true, _) => format!("arg{index}_high"),
            }
        }
    }
}

impl Interface {
    pub(super) fn new(
        function: &Function,
        scan: &Scan,
        needs_threads: bool,
    ) -> Result<Self, CompileError> {
        let used = scan
            .objects
            .iter()
            .zip(&scan.is_used)
            .filter(|(_, used)| **used);
        let (mut group, mut next) = (0, 0);
        for (object, _) in used {
            if let ObjectKind::Binding {
                group: own,
                binding,
            } = object.kind
            {
                let after = (own, binding.saturating_add(1));
                (group, next) = (group, next).max(after);
            }
        }
        if next > 0 && group + 1 < GROUPS {
            (group, next) = (group + 1, 0);
        }
        let mut interface = Self {
            module: naga::Module::default(),
            bindings: Vec::new(),
            params: params(function, scan, needs_threads),
            params_variable: None,
            status: None,
            storage: vec![None; scan.objects.len()],
            group,
            next,
        };
        interface.objects(function, scan)?;
        interface.declare_params(function);
        let result_words = function.results.iter().map(|&ty| words_of(ty)).sum();
        if scan.has_trap || result_words > 0 {
            let layout = StatusLayout {
                trap_words: scan.trap_words,
                result_words,
            };
            let variable = interface.hidden("status", Element::U32, true, BindingRole::Status);
            interface.status = Some((layout, variable));
        }
        interface.data(scan);
        Ok(interface)
    }

    pub(super) fn scalar(&mut self, scalar: Scalar) -> Handle<Type> {
        self.ty(TypeInner::Scalar(scalar))
    }

    pub(super) fn ty(&mut self, inner: TypeInner) -> Handle<Type> {
        self.module
            .types
            .insert(Type { name: None, inner }, Span::UNDEFINED)
    }

    pub(super) fn array(&mut self, element: Element, words: Option<u32>) -> Handle<Type> {
        let inner = match element {
            Element::U32 => TypeInner::Scalar(Scalar::U32),
            Element::F32 => TypeInner::Scalar(Scalar::F32),
            Element::AtomicU32 => TypeInner::Atomic(Scalar::U32),
        };
        let base = self.ty(inner);
        let size = words.and_then(std::num::NonZeroU32::new);
        self.ty(TypeInner::Array {
            base,
            size: size.map_or(ArraySize::Dynamic, ArraySize::Constant),
            stride: 4,
        })
    }

    fn variable(
        &mut self,
        name: &str,
        space: AddressSpace,
        ty: Handle<Type>,
        binding: Option<ResourceBinding>,
    ) -> Handle<GlobalVariable> {
        let variable = GlobalVariable {
            name: Some(super::names::identifier(name)),
            space,
            binding,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        self.module
            .global_variables
            .append(variable, Span::UNDEFINED)
    }

    /// A storage buffer.
    fn buffer(
        &mut self,
        name: &str,
        element: Element,
        written: bool,
        at: ResourceBinding,
        role: BindingRole,
    ) -> Handle<GlobalVariable> {
        let written = written || element == Element::AtomicU32;
        let mut access = StorageAccess::LOAD;
        access.set(StorageAccess::STORE, written);
        let ty = self.array(element, None);
        self.bindings.push(KernelBinding {
            group: at.group,
            binding: at.binding,
            written,
            role,
        });
        self.variable(name, AddressSpace::Storage { access }, ty, Some(at))
    }

    fn free(&mut self) -> ResourceBinding {
        let binding = self.next;
        self.next += 1;
        ResourceBinding {
            group: self.group,
            binding,
        }
    }

    fn hidden(
        &mut self,
        name: &str,
        element: Element,
        written: bool,
        role: BindingRole,
    ) -> Handle<GlobalVariable> {
        let at = self.free();
        self.buffer(name, element, written, at, role)
    }

    fn objects(&mut self, function: &Function, scan: &Scan) -> Result<(), CompileError> {
        for (at, object) in scan.objects.iter().enumerate() {
            if scan.is_used[at] && !matches!(object.kind, ObjectKind::Data(_)) {
                self.storage[at] = Some(self.object(function, object)?);
            }
        }
        Ok(())
    }

    fn object(
        &mut self,
        function: &Function,
        object: &ObjectData,
    ) -> Result<Storage, CompileError> {
        let words = |feature| {
            object
                .words
                .filter(|&words| words > 0)
                .ok_or_else(|| unsupported(function, feature))
        };
        let ObjectData {
            name,
            element,
            written,
            ..
        } = object;
        let (element, written) = (*element, *written);
        Ok(match object.kind {
            ObjectKind::Binding { group, binding } => {
                let at = ResourceBinding { group, binding };
                let role = BindingRole::Buffer { group, binding };
                Storage::Global(self.buffer(name, element, written, at, role))
            }
            ObjectKind::Workgroup => {
                let words = words("workgroup memory of unknown size")?;
                let ty = self.array(element, Some(words));
                Storage::Global(self.variable(name, AddressSpace::WorkGroup, ty, None))
            }
            ObjectKind::Linear => {
                let words = words("linear memory of unknown size")?;
                let role = BindingRole::Linear { words };
                Storage::OfThread(self.hidden(name, element, true, role), words)
            }
            ObjectKind::State => {
                Storage::Global(self.hidden(name, element, written, BindingRole::State))
            }
            ObjectKind::Input => {
                Storage::Global(self.hidden(name, element, written, BindingRole::Input))
            }
            ObjectKind::Pixels => {
                Storage::Global(self.hidden(name, element, written, BindingRole::Pixels))
            }
            ObjectKind::Private(_) => {
                words("private memory of unknown size")?;
                Storage::Private
            }
            ObjectKind::Data(_) => Storage::Private,
        })
    }

    /// Static data: one buffer for each type of element, because devices have few bindings.
    fn data(&mut self, scan: &Scan) {
        for (element, name) in [(Element::U32, "data"), (Element::F32, "float_data")] {
            let mut words = Vec::new();
            let mut parts = Vec::new();
            for (at, object) in scan.objects.iter().enumerate() {
                if let ObjectKind::Data(own) = &object.kind
                    && scan.is_used[at]
                    && (object.element == Element::F32) == (element == Element::F32)
                {
                    parts.push((at, words.len() as u32));
                    words.extend_from_slice(own);
                    let size = object.words.map_or(own.len(), |size| size as usize);
                    words.resize(words.len() + size.saturating_sub(own.len()), 0);
                }
            }
            if parts.is_empty() {
                continue;
            }
            let variable = self.hidden(name, element, false, BindingRole::Data(words));
            for (at, from) in parts {
                self.storage[at] = Some(Storage::Part(variable, from));
            }
        }
    }

    fn declare_params(&mut self, function: &Function) {
        if self.params.is_empty() {
            return;
        }
        let mut members = Vec::new();
        for (at, word) in (0..).zip(self.params.clone()) {
            let is_float = match word {
                ParamWord::Time => true,
                ParamWord::Argument { index, .. } => {
                    matches!(
                        function.arguments.get(index as usize),
                        Some(Argument::Number(crate::module::Type::F32))
                    )
                }
                _ => false,
            };
            let ty = self.scalar(if is_float { Scalar::F32 } else { Scalar::U32 });
            members.push(StructMember {
                name: Some(param_name(word, function)),
                ty,
                binding: None,
                offset: at * 4,
            });
        }
        let span = members.len() as u32 * 4;
        let ty = Type {
            name: Some("Params".to_owned()),
            inner: TypeInner::Struct { members, span },
        };
        let ty = self.module.types.insert(ty, Span::UNDEFINED);
        let at = self.free();
        self.bindings.push(KernelBinding {
            group: at.group,
            binding: at.binding,
            written: false,
            role: BindingRole::Params,
        });
        self.params_variable = Some(self.variable("params", AddressSpace::Uniform, ty, Some(at)));
    }
}
