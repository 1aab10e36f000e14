//! Declarations at module scope, one a line.

use std::fmt::Write;

use anywarp_program::naga::diagnostic_filter::{
    DiagnosticFilterNode, FilterableTriggeringRule, Severity, StandardFilterableTriggeringRule,
};
use anywarp_program::naga::valid::{FunctionInfo, GlobalUse};
use anywarp_program::naga::{
    AddressSpace, ConservativeDepth, EarlyDepthTest, EntryPoint, Expression, Function,
    GlobalVariable, Handle, MemoryDecorations, Module, ScalarKind, ShaderStage, Type, TypeInner,
};

use super::Dialect;
use super::body::{Body, Tables, View};
use super::context::{Context, Place};
use super::level::Slot;
use super::literal;
use super::printer::{Printer, Result};
use super::short_circuit;
use super::uniformity::{LoneBarrier, Uniformity};

/// Writes the declarations of a module.
pub(super) struct Declarations<'c, 'a> {
    pub(super) cx: &'c Context<'a>,
    pub(super) out: String,
    pub(super) tables: Tables,
    pub(super) uniformity: Uniformity<'a>,
}

impl<'c> Declarations<'c, '_> {
    /// Writes everything but the directives.
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
        for (handle, function) in cx.module.functions.iter() {
            self.blank();
            let place = Place {
                kind: "function",
                name: &cx.names.functions[handle.index()],
            };
            let own_name = function.name.as_deref().unwrap_or_default();
            self.function(place, own_name, function, &cx.info[handle])?;
        }
        for (index, entry_point) in cx.module.entry_points.iter().enumerate() {
            self.blank();
            self.entry_point(index, entry_point)?;
        }
        Ok(())
    }

    fn blank(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn structs(&mut self) -> Result {
        let cx = self.cx;
        let mut strided = cx.layouts.strided().iter().peekable();
        for (handle, ty) in cx.module.types.iter() {
            // A wrapper comes where the first array of its elements is.
            while let Some((_, key)) = strided.next_if(|(array, _)| *array == handle) {
                let (name, member) = &cx.names.wrappers[key];
                self.blank();
                let _ = write!(
                    self.out,
                    "struct {name} {{\n    @size({}) {member}: ",
                    key.1
                );
                let place = Place {
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
                // Front ends leave types behind that nothing uses; those need not be sayable.
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
        let place = Place {
            kind: "structure",
            name,
        };
        let layout = cx.layouts.of_struct(handle);
        self.blank();
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
                cx.enable("f16");
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
        Ok(())
    }

    /// Appends an expression at module scope.
    fn value(&mut self, value: Handle<Expression>, place: Place<'c>, slot: Slot) -> Result {
        let mut printer = Printer::of_module(self.cx, place, std::mem::take(&mut self.out));
        let written = printer.expression(value, slot);
        self.out = printer.finish();
        written
    }

    /// Appends a value that has the name of its own declaration.
    fn value_in_full(&mut self, value: Handle<Expression>, place: Place<'c>) -> Result {
        let mut printer = Printer::of_module(self.cx, place, std::mem::take(&mut self.out));
        let written = printer.in_full(value);
        self.out = printer.finish();
        written
    }

    fn constants(&mut self) -> Result {
        let cx = self.cx;
        let mut first = true;
        for (part, name) in &cx.names.shared.parts {
            if std::mem::take(&mut first) {
                self.blank();
            }
            let place = Place {
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
            let place = Place {
                kind: "constant",
                name,
            };
            let _ = write!(self.out, "const {name}: ");
            cx.spell(constant.ty, place, &mut self.out)?;
            self.out.push_str(" = ");
            match cx.names.shared.is_owner(handle) {
                true => self.value_in_full(constant.init, place)?,
                false => self.value(constant.init, place, Slot::ANY)?,
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
            let place = Place {
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
            // What nothing uses need not be sayable.
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
        let place = Place {
            kind: "variable",
            name,
        };
        if let Some(binding) = variable.binding {
            self.out.push_str("@group(");
            literal::push_u32(binding.group, &mut self.out);
            self.out.push_str(") @binding(");
            literal::push_u32(binding.binding, &mut self.out);
            self.out.push_str(") ");
        }
        // Nothing in WebGPU says more of memory than its own model does.
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
        if let Some(init) = variable.init {
            self.out.push_str(" = ");
            self.value(init, place, Slot::ANY)?;
        }
        self.out.push_str(";\n");
        Ok(())
    }

    fn function(
        &mut self,
        place: Place<'c>,
        own_name: &str,
        function: &'c Function,
        info: &'c FunctionInfo,
    ) -> Result {
        let cx = self.cx;
        if let Err(LoneBarrier) = self.uniformity.function(function) {
            let place = Place {
                kind: "function",
                name: own_name,
            };
            let what = "a barrier for memory alone where not all invocations may come by";
            return Err(cx.unsupported(what, place));
        }
        self.function_diagnostics(function);
        let restored = short_circuit::restore(cx.module, function);
        let (expressions, body) = match &restored {
            Some((expressions, body)) => (expressions, body),
            None => (&function.expressions, &function.body),
        };
        let view = View {
            arguments: &function.arguments,
            result: function.result.as_ref(),
            local_variables: &function.local_variables,
            named_expressions: &function.named_expressions,
            expressions,
            body,
        };
        let out = std::mem::take(&mut self.out);
        let tables = std::mem::take(&mut self.tables);
        let mut body = Body::new(cx, place, view, info, out, tables);
        let names = body.parameters().to_vec();
        let out = body.out();
        let _ = write!(out, "fn {}(", place.name);
        for (index, argument) in function.arguments.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            if let Some(binding) = &argument.binding {
                cx.binding(binding, place, out)?;
            }
            let _ = write!(out, "{}: ", names[index]);
            cx.spell(argument.ty, place, out)?;
        }
        out.push(')');
        if let Some(result) = &function.result {
            out.push_str(" -> ");
            if let Some(binding) = &result.binding {
                cx.binding(binding, place, out)?;
            }
            cx.spell(result.ty, place, out)?;
        }
        out.push(' ');
        (self.out, self.tables) = body.write()?;
        Ok(())
    }

    fn entry_point(&mut self, index: usize, entry_point: &'c EntryPoint) -> Result {
        let cx = self.cx;
        let name = &cx.names.entry_points[index];
        let place = Place {
            kind: "entry point",
            name,
        };
        let info = cx.info.get_entry_point(index);
        self.early_depth_test(entry_point, info, place)?;
        let global = |handle: Option<Handle<GlobalVariable>>| {
            handle.map(|handle| cx.names.globals[handle.index()].clone())
        };
        let stage = match entry_point.stage {
            ShaderStage::Vertex => "@vertex",
            ShaderStage::Fragment => "@fragment",
            ShaderStage::Compute => "@compute",
            ShaderStage::Task => "@task",
            ShaderStage::Mesh => "@mesh",
            ShaderStage::RayGeneration => "@ray_generation",
            ShaderStage::AnyHit => "@any_hit",
            ShaderStage::ClosestHit => "@closest_hit",
            ShaderStage::Miss => "@miss",
        };
        self.out.push_str(stage);
        match entry_point.stage {
            ShaderStage::Vertex | ShaderStage::Fragment | ShaderStage::Compute => {}
            ShaderStage::Task | ShaderStage::Mesh => {
                cx.naga_only("mesh shaders", place)?;
                cx.enable("wgpu_mesh_shader");
                let output = entry_point
                    .mesh_info
                    .as_ref()
                    .map(|info| info.output_variable);
                if let Some(output) = global(output) {
                    let _ = write!(self.out, "({output})");
                }
                if let Some(payload) = global(entry_point.task_payload) {
                    let _ = write!(self.out, " @payload({payload})");
                }
            }
            ShaderStage::RayGeneration
            | ShaderStage::AnyHit
            | ShaderStage::ClosestHit
            | ShaderStage::Miss => {
                cx.naga_only("ray pipelines", place)?;
                cx.enable("wgpu_ray_tracing_pipeline");
                if let Some(payload) = global(entry_point.incoming_ray_payload) {
                    let _ = write!(self.out, " @incoming_payload({payload})");
                }
            }
        }
        if matches!(
            entry_point.stage,
            ShaderStage::Compute | ShaderStage::Task | ShaderStage::Mesh
        ) {
            self.workgroup_size(entry_point, place)?;
        }
        self.out.push('\n');
        self.function(place, &entry_point.name, &entry_point.function, info)
    }

    fn workgroup_size(&mut self, entry_point: &EntryPoint, place: Place<'c>) -> Result {
        let overrides = entry_point.workgroup_size_overrides.unwrap_or_default();
        let sizes = entry_point.workgroup_size;
        let said = (0..3)
            .rposition(|axis| overrides[axis].is_some() || sizes[axis] != 1)
            .unwrap_or(0);
        // WGSL wants one type for all three; the unsigned one takes any size.
        let kinds = overrides.map(|size| {
            size.and_then(|size| {
                self.cx.info[size]
                    .inner_with(&self.cx.module.types)
                    .scalar_kind()
            })
        });
        let is_mixed = kinds.contains(&Some(ScalarKind::Uint));
        self.out.push_str(" @workgroup_size(");
        for axis in 0..=said {
            self.out.push_str(if axis > 0 { ", " } else { "" });
            match overrides[axis] {
                Some(size) if is_mixed && kinds[axis] == Some(ScalarKind::Sint) => {
                    self.out.push_str("u32(");
                    self.value(size, place, Slot::ANY)?;
                    self.out.push(')');
                }
                Some(size) => self.value(size, place, Slot::TEMPLATE)?,
                None => {
                    let _ = write!(self.out, "{}", sizes[axis]);
                }
            }
        }
        self.out.push(')');
        Ok(())
    }

    /// Testing early is only seen by what a fragment does beside giving a colour.
    fn early_depth_test(
        &mut self,
        entry_point: &EntryPoint,
        info: &FunctionInfo,
        place: Place<'_>,
    ) -> Result {
        let Some(test) = entry_point.early_depth_test else {
            return Ok(());
        };
        let cx = self.cx;
        if cx.dialect == Dialect::WebGpu {
            let writes = cx.module.global_variables.iter().any(|(handle, variable)| {
                variable.binding.is_some()
                    && info[handle].intersects(GlobalUse::WRITE | GlobalUse::ATOMIC)
            });
            if test == EarlyDepthTest::Force && (writes || info.may_kill) {
                return Err(cx.unsupported("depth tests before the fragment runs", place));
            }
            return Ok(());
        }
        let word = match test {
            EarlyDepthTest::Force => "force",
            EarlyDepthTest::Allow {
                conservative: ConservativeDepth::GreaterEqual,
            } => "greater_equal",
            EarlyDepthTest::Allow {
                conservative: ConservativeDepth::LessEqual,
            } => "less_equal",
            EarlyDepthTest::Allow {
                conservative: ConservativeDepth::Unchanged,
            } => "unchanged",
        };
        let _ = writeln!(self.out, "@early_depth_test({word})");
        Ok(())
    }

    /// The directives of the module, which has been written, in front of its text.
    pub(super) fn with_directives(self) -> String {
        let (cx, text) = (self.cx, self.out);
        let mut directives = String::new();
        for extension in cx.enabled() {
            // naga has subgroups without being asked, and refuses to be.
            if extension != "subgroups" || cx.dialect == Dialect::WebGpu {
                let _ = writeln!(directives, "enable {extension};");
            }
        }
        for filter in filters(cx, cx.module.diagnostic_filter_leaf, None) {
            let _ = writeln!(directives, "diagnostic({filter});");
        }
        if cx.dialect == Dialect::WebGpu {
            for rule in self.uniformity.broken_rules() {
                let _ = writeln!(directives, "diagnostic(off, {rule});");
            }
        }
        match directives.is_empty() {
            true => text,
            false => directives + "\n" + &text,
        }
    }

    fn function_diagnostics(&mut self, function: &Function) {
        let end = self.cx.module.diagnostic_filter_leaf;
        for filter in filters(self.cx, function.diagnostic_filter_leaf, end) {
            let _ = writeln!(self.out, "@diagnostic({filter})");
        }
    }
}

/// Filters from the outermost in.
fn filters(
    cx: &Context<'_>,
    leaf: Option<Handle<DiagnosticFilterNode>>,
    end: Option<Handle<DiagnosticFilterNode>>,
) -> Vec<String> {
    let mut filters = Vec::new();
    let mut node = leaf;
    while let Some(handle) = node.filter(|_| node != end) {
        let filter = &cx.module.diagnostic_filters[handle];
        let severity = match filter.inner.new_severity {
            Severity::Off => "off",
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let rule = match &filter.inner.triggering_rule {
            FilterableTriggeringRule::Standard(
                StandardFilterableTriggeringRule::DerivativeUniformity,
            ) => "derivative_uniformity".to_string(),
            FilterableTriggeringRule::Unknown(name) => name.to_string(),
            FilterableTriggeringRule::User(names) => format!("{}.{}", names[0], names[1]),
        };
        filters.push(format!("{severity}, {rule}"));
        node = filter.parent;
    }
    filters.reverse();
    filters
}

/// Whether any function mentions a variable.
fn is_used(cx: &Context<'_>, variable: Handle<GlobalVariable>) -> bool {
    let functions = cx.module.functions.iter().map(|(_, it)| it);
    let bodies = cx.module.entry_points.iter().map(|it| &it.function);
    functions.chain(bodies).any(|function| {
        let mut expressions = function.expressions.iter();
        expressions
            .any(|(_, it)| matches!(it, Expression::GlobalVariable(used) if *used == variable))
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
