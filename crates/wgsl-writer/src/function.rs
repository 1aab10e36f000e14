//! Writes functions and entry points.
//!
//! In: a module, and the decisions about it. Out: the text of its functions and entry points, in order. Large modules
//! are split into pieces of several functions, written in parallel. What always holds: text and errors are the same as
//! from one thread.

use std::fmt::Write;
use std::ops::Range;

use anywarp_program::naga::valid::{FunctionInfo, GlobalUse};
use anywarp_program::naga::{
    ConservativeDepth, EarlyDepthTest, EntryPoint, Expression, Function, GlobalVariable, Handle,
    Module, ScalarKind, ShaderStage,
};

use super::Dialect;
use super::body::{Body, FunctionView, ReusedTables};
use super::context::{Context, DeclarationName};
use super::declaration::blank;
use super::directive;
use super::extension::Extension;
use super::precedence::Slot;
use super::printer::{self, Result};
use super::short_circuit;
use super::uniformity::{FunctionSummary, LoneBarrier, Uniformity};
use anywarp_program::{threads, walk};

/// Number of expressions that makes a thread worth starting: starting it takes as long as writing a few hundred.
pub(super) const EXPRESSIONS_PER_THREAD: usize = 4096;

/// Pieces per thread, for load balancing.
const PIECES: usize = 8;

/// Expected bytes of text per expression.
pub(super) const LIKELY_BYTES: usize = 16;

/// Cap on the expected length: functions may have many unused expressions, which are not written.
pub(super) const MAX_LIKELY_BYTES: usize = 4 << 20;

/// Appends all functions and entry points, written by a number of threads.
pub(super) fn write<'a>(
    cx: &Context<'a>,
    mut out: String,
    threads: usize,
) -> Result<(String, Uniformity<'a>)> {
    if threads > 1 {
        let start = out.len();
        if let Some(uniformity) = write_in_parallel(cx, &mut out, threads) {
            return Ok((out, uniformity));
        }
        // Sequentially again, to get the first error.
        out.truncate(start);
        cx.meter.restart();
    }
    let mut functions = Functions {
        cx,
        out,
        tables: ReusedTables::default(),
        flow: UniformityState::Known(Uniformity::new(cx.module)),
    };
    functions.write(0..count(cx.module))?;
    match functions.flow {
        UniformityState::Known(uniformity) => Ok((functions.out, uniformity)),
        UniformityState::Recorded(_) => Ok((functions.out, Uniformity::new(cx.module))),
    }
}

/// Appends all functions and entry points, written in parallel; `None` if there was an error.
fn write_in_parallel<'a>(
    cx: &Context<'a>,
    out: &mut String,
    threads: usize,
) -> Option<Uniformity<'a>> {
    let pieces = pieces(cx.module, threads * PIECES);
    let written = threads::in_order(
        pieces.len(),
        threads,
        ReusedTables::default,
        |tables, piece| {
            let (range, expressions) = pieces[piece].clone();
            let mut functions = Functions {
                cx,
                out: String::with_capacity((LIKELY_BYTES * expressions).min(MAX_LIKELY_BYTES)),
                tables: std::mem::take(tables),
                flow: UniformityState::Recorded(Vec::with_capacity(range.len())),
            };
            functions.write(range).ok()?;
            *tables = functions.tables;
            Some((functions.out, functions.flow))
        },
    );
    let mut uniformity = Uniformity::new(cx.module);
    let mut functions = walk::functions(cx.module);
    for piece in written {
        let (text, flow) = piece?;
        blank(out);
        out.push_str(&text);
        let UniformityState::Recorded(summaries) = flow else {
            return None;
        };
        for summary in summaries {
            uniformity.function(functions.next()?, &summary).ok()?;
        }
    }
    Some(uniformity)
}

fn count(module: &Module) -> usize {
    module.functions.len() + module.entry_points.len()
}

/// Splits functions and entry points into at most `wanted` ranges of similar size, each with its number of expressions.
fn pieces(module: &Module, wanted: usize) -> Vec<(Range<usize>, usize)> {
    let sizes = || walk::functions(module).map(|function| function.expressions.len() + 1);
    let size = sizes().sum::<usize>() / wanted + 1;
    let mut pieces = Vec::with_capacity(wanted + 1);
    let (mut start, mut expressions) = (0, 0);
    for (place, more) in sizes().enumerate() {
        expressions += more;
        if expressions >= size || place + 1 == count(module) {
            pieces.push((start..place + 1, expressions));
            (start, expressions) = (place + 1, 0);
        }
    }
    pieces
}

/// The state of the uniformity analysis.
enum UniformityState<'a> {
    /// All previous functions are analyzed.
    Known(Uniformity<'a>),
    /// Only recorded, because previous functions may not be analyzed yet.
    Recorded(Vec<FunctionSummary>),
}

impl UniformityState<'_> {
    fn add(
        &mut self,
        function: &Function,
        summary: FunctionSummary,
    ) -> std::result::Result<(), LoneBarrier> {
        match self {
            Self::Known(uniformity) => uniformity.function(function, &summary),
            Self::Recorded(recorded) => {
                recorded.push(summary);
                Ok(())
            }
        }
    }
}

/// Writes functions sequentially.
struct Functions<'c, 'a> {
    cx: &'c Context<'a>,
    out: String,
    tables: ReusedTables,
    flow: UniformityState<'a>,
}

impl<'c> Functions<'c, '_> {
    /// Appends the functions in a range of indices; entry points come after functions.
    fn write(&mut self, places: Range<usize>) -> Result {
        let cx = self.cx;
        let functions = cx.module.functions.iter();
        for (handle, function) in functions.skip(places.start).take(places.len()) {
            blank(&mut self.out);
            let place = DeclarationName {
                kind: "function",
                name: &cx.names.functions[handle.index()],
            };
            let own_name = function.name.as_deref().unwrap_or_default();
            self.function(place, own_name, function, &cx.info[handle])?;
        }
        let function_count = cx.module.functions.len();
        for (index, entry_point) in cx.module.entry_points.iter().enumerate() {
            if places.contains(&(function_count + index)) {
                blank(&mut self.out);
                self.entry_point(index, entry_point)?;
            }
        }
        Ok(())
    }

    fn function(
        &mut self,
        place: DeclarationName<'c>,
        own_name: &str,
        function: &'c Function,
        info: &'c FunctionInfo,
    ) -> Result {
        let cx = self.cx;
        let summary = FunctionSummary::of(function, info);
        if let Err(LoneBarrier) = self.flow.add(function, summary) {
            let place = DeclarationName {
                kind: "function",
                name: own_name,
            };
            let what = "a barrier for memory alone where not all invocations may come by";
            return Err(cx.unsupported(what, place));
        }
        directive::of_function(cx, function, &mut self.out);
        let restored = short_circuit::restore(cx.module, function);
        let (expressions, body) = match &restored {
            Some((expressions, body)) => (expressions, body),
            None => (&function.expressions, &function.body),
        };
        let view = FunctionView {
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
        let place = DeclarationName {
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
                cx.enable(Extension::MeshShader);
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
                cx.enable(Extension::RayTracingPipeline);
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

    fn workgroup_size(&mut self, entry_point: &EntryPoint, place: DeclarationName<'c>) -> Result {
        let overrides = entry_point.workgroup_size_overrides.unwrap_or_default();
        let sizes = entry_point.workgroup_size;
        let last_written = (0..3)
            .rposition(|axis| overrides[axis].is_some() || sizes[axis] != 1)
            .unwrap_or(0);
        // WGSL wants one type for all three sizes; `u32` accepts any size.
        let kinds = overrides.map(|size| {
            size.and_then(|size| {
                self.cx.info[size]
                    .inner_with(&self.cx.module.types)
                    .scalar_kind()
            })
        });
        let is_mixed = kinds.contains(&Some(ScalarKind::Uint));
        self.out.push_str(" @workgroup_size(");
        for axis in 0..=last_written {
            self.out.push_str(if axis > 0 { ", " } else { "" });
            match overrides[axis] {
                Some(size) if is_mixed && kinds[axis] == Some(ScalarKind::Sint) => {
                    self.out.push_str("u32(");
                    self.size(size, place, Slot::ANY)?;
                    self.out.push(')');
                }
                Some(size) => self.size(size, place, Slot::TEMPLATE)?,
                None => {
                    let _ = write!(self.out, "{}", sizes[axis]);
                }
            }
        }
        self.out.push(')');
        Ok(())
    }

    fn size(&mut self, size: Handle<Expression>, place: DeclarationName<'c>, slot: Slot) -> Result {
        printer::append(self.cx, place, &mut self.out, |printer| {
            printer.expression(size, slot)
        })
    }

    /// Early depth tests are observable only if a fragment shader has side effects.
    fn early_depth_test(
        &mut self,
        entry_point: &EntryPoint,
        info: &FunctionInfo,
        place: DeclarationName<'_>,
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
}
