//! Writes module-scope declarations other than functions, one per line.
//!
//! In: a module and its decided names and layouts. Out: structures, constants, overrides and variables, in this order.

use std::fmt::Write;

use anywarp_program::naga::{
    AddressSpace, Expression, GlobalVariable, Handle, MemoryDecorations, Module, Type, TypeInner,
};
use anywarp_program::walk;

use super::Dialect;
use super::context::{Context, DeclarationName};
use super::extension::Extension;
use super::literal;
use super::precedence::Slot;
use super::printer::{self, Result};

/// Appends an empty line between declarations.
pub(super) fn blank(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

/// The writer of module-scope declarations.
pub(super) struct Declarations<'c, 'a> {
    pub(super) cx: &'c Context<'a>,
    pub(super) out: String,
}

impl<'c> Declarations<'c, '_> {
    /// Writes all declarations except functions and directives.
    pub(super) fn write(&mut self) -> Result {
        self.structs()?;
        self.constants()?;
        self.overrides()?;
        self.variables()?;
        let cx = self.cx;
        for (polyfill, name) in &cx.names.polyfills {
            self.blank();
            polyfill.write(cx, name, &mut self.out);
        }
        Ok(())
    }

    fn blank(&mut self) {
        blank(&mut self.out);
    }

    fn structs(&mut self) -> Result {
        let cx = self.cx;
        let mut strided = cx.layouts.strided().iter().peekable();
        for (handle, ty) in cx.module.types.iter() {
            // A wrapper structure is declared before the first array of its elements.
            while let Some((_, key)) = strided.next_if(|(array, _)| *array == handle) {
                let (name, member) = &cx.names.wrappers[key];
                self.blank();
                let _ = write!(
                    self.out,
                    "struct {name} {{\n    @size({}) {member}: ",
                    key.1
                );
                let place = DeclarationName {
                    kind: "structure",
                    name,
                };
                cx.spell(key.0, place, &mut self.out)?;
                self.out.push_str(",\n}\n");
            }
            if matches!(ty.inner, TypeInner::Struct { .. }) && !cx.builtin_structs.contains(&handle)
            {
                let start = self.out.len();
                let written = self.structure(handle);
                // Front ends leave unused types behind; those that cannot be expressed are omitted.
                if !cx.used_types[handle.index()] && (ty.name.is_none() || written.is_err()) {
                    self.out.truncate(start);
                } else {
                    written?;
                }
            }
        }
        Ok(())
    }

    fn structure(&mut self, handle: Handle<Type>) -> Result {
        let cx = self.cx;
        let (TypeInner::Struct { members, .. }, Some(name)) = (
            &cx.module.types[handle].inner,
            &cx.names.types[handle.index()],
        ) else {
            return Ok(());
        };
        let place = DeclarationName {
            kind: "structure",
            name,
        };
        let layout = cx.layouts.of_struct(handle);
        self.blank();
        let start = self.out.len();
        self.out.push_str("struct ");
        self.out.push_str(name);
        self.out.push_str(" {\n");
        if let Some(padding) = cx.names.paddings.get(&handle) {
            let bytes = layout.map_or(4, |layout| layout.padding);
            let is_half = layout.is_some_and(|layout| layout.is_half);
            self.out.push_str("    ");
            if bytes != if is_half { 2 } else { 4 } {
                let _ = write!(self.out, "@size({bytes}) ");
            }
            let ty = if is_half { "f16" } else { "u32" };
            if is_half {
                cx.enable(Extension::F16);
            }
            let _ = writeln!(self.out, "{padding}: {ty},");
        }
        for (index, member) in members.iter().enumerate() {
            self.out.push_str("    ");
            if let Some(binding) = &member.binding {
                cx.binding(binding, place, &mut self.out)?;
            }
            let size = layout.and_then(|layout| layout.sizes.get(index).copied().flatten());
            if let Some(size) = size {
                self.out.push_str("@size(");
                literal::push_u32(size, &mut self.out);
                self.out.push_str(") ");
            }
            self.out.push_str(&cx.names.members[handle.index()][index]);
            self.out.push_str(": ");
            cx.spell(member.ty, place, &mut self.out)?;
            self.out.push_str(",\n");
        }
        self.out.push_str("}\n");
        self.cx.spend(1, self.out.len() - start, place)
    }

    /// Appends a module-scope expression.
    fn value(
        &mut self,
        value: Handle<Expression>,
        place: DeclarationName<'c>,
        slot: Slot,
    ) -> Result {
        printer::append(self.cx, place, &mut self.out, |printer| {
            printer.expression(value, slot)
        })
    }

    /// Appends the value of a declaration whose name represents this value elsewhere.
    fn value_in_full(&mut self, value: Handle<Expression>, place: DeclarationName<'c>) -> Result {
        printer::append(self.cx, place, &mut self.out, |printer| {
            printer.in_full(value)
        })
    }

    fn constants(&mut self) -> Result {
        let cx = self.cx;
        let mut first = true;
        for (part, name) in &cx.names.shared.parts {
            if std::mem::take(&mut first) {
                self.blank();
            }
            let place = DeclarationName {
                kind: "constant",
                name,
            };
            let _ = write!(self.out, "const {name}: ");
            match cx.info[*part].handle() {
                Some(ty) => cx.spell(ty, place, &mut self.out)?,
                None => {
                    let inner = cx.info[*part].inner_with(&cx.module.types);
                    cx.spell_inner(inner, place, &mut self.out)?;
                }
            }
            self.out.push_str(" = ");
            self.value_in_full(*part, place)?;
            self.out.push_str(";\n");
        }
        for (handle, constant) in cx.module.constants.iter() {
            let Some(name) = &cx.names.constants[handle.index()] else {
                continue;
            };
            if std::mem::take(&mut first) {
                self.blank();
            }
            let place = DeclarationName {
                kind: "constant",
                name,
            };
            let _ = write!(self.out, "const {name}: ");
            cx.spell(constant.ty, place, &mut self.out)?;
            self.out.push_str(" = ");
            if cx.names.shared.is_owner(handle) {
                self.value_in_full(constant.init, place)?;
            } else {
                self.value(constant.init, place, Slot::ANY)?;
            }
            self.out.push_str(";\n");
        }
        Ok(())
    }

    fn overrides(&mut self) -> Result {
        let cx = self.cx;
        let mut first = true;
        for (handle, constant) in cx.module.overrides.iter() {
            let Some(name) = &cx.names.overrides[handle.index()] else {
                continue;
            };
            if std::mem::take(&mut first) {
                self.blank();
            }
            let place = DeclarationName {
                kind: "override",
                name,
            };
            if let Some(id) = constant.id {
                let _ = write!(self.out, "@id({id}) ");
            }
            let _ = write!(self.out, "override {name}: ");
            cx.spell(constant.ty, place, &mut self.out)?;
            if let Some(init) = constant.init {
                self.out.push_str(" = ");
                self.value(init, place, Slot::ANY)?;
            }
            self.out.push_str(";\n");
        }
        Ok(())
    }

    fn variables(&mut self) -> Result {
        let cx = self.cx;
        let mut first = true;
        for (handle, variable) in cx.module.global_variables.iter() {
            let start = self.out.len();
            if first {
                self.blank();
            }
            let written = self.variable(handle, variable);
            // Unused variables that cannot be expressed are omitted.
            if written.is_err() && !is_used(cx, handle) {
                self.out.truncate(start);
                continue;
            }
            written?;
            first = false;
        }
        Ok(())
    }

    fn variable(&mut self, handle: Handle<GlobalVariable>, variable: &GlobalVariable) -> Result {
        let cx = self.cx;
        let name = &cx.names.globals[handle.index()];
        let place = DeclarationName {
            kind: "variable",
            name,
        };
        let start = self.out.len();
        if let Some(binding) = variable.binding {
            self.out.push_str("@group(");
            literal::push_u32(binding.group, &mut self.out);
            self.out.push_str(") @binding(");
            literal::push_u32(binding.binding, &mut self.out);
            self.out.push_str(") ");
        }
        // WebGPU has no memory decorations.
        if cx.dialect == Dialect::Naga {
            if variable
                .memory_decorations
                .contains(MemoryDecorations::COHERENT)
            {
                self.out.push_str("@coherent ");
            }
            if variable
                .memory_decorations
                .contains(MemoryDecorations::VOLATILE)
            {
                self.out.push_str("@volatile ");
            }
        }
        self.out.push_str("var");
        if variable.space == AddressSpace::Immediate && has_array(cx.module, variable.ty) {
            cx.naga_only("an array in immediate data", place)?;
        }
        if variable.space != AddressSpace::Handle {
            let (space, access) = cx.spell_space(variable.space, place)?;
            self.out.push('<');
            self.out.push_str(space);
            if let Some(access) = access {
                self.out.push_str(", ");
                self.out.push_str(access);
            }
            self.out.push('>');
        }
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str(": ");
        cx.spell(variable.ty, place, &mut self.out)?;
        // The initial value was counted when it was written.
        cx.spend(1, self.out.len() - start, place)?;
        if let Some(init) = variable.init {
            self.out.push_str(" = ");
            self.value(init, place, Slot::ANY)?;
        }
        self.out.push_str(";\n");
        Ok(())
    }
}

/// Whether any function uses a variable.
fn is_used(cx: &Context<'_>, variable: Handle<GlobalVariable>) -> bool {
    walk::functions(cx.module).any(|function| {
        let mut expressions = function.expressions.iter();
        expressions
            .any(|(_, expression)| matches!(expression, Expression::GlobalVariable(used) if *used == variable))
    })
}

fn has_array(module: &Module, ty: Handle<Type>) -> bool {
    match module.types[ty].inner {
        TypeInner::Array { .. } => true,
        TypeInner::Struct { ref members, .. } => {
            members.iter().any(|member| has_array(module, member.ty))
        }
        _ => false,
    }
}
