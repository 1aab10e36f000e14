//! Writes calls of pure builtin functions: mathematics, textures, derivatives.
//!
//! In: an expression. Out: the text of the call, or an error if the dialect lacks the function.

use anywarp_program::naga::common::wgsl::TryToWgsl;
use anywarp_program::naga::{
    DerivativeAxis, DerivativeControl, Expression, FastHashSet, Handle, ImageClass, ImageDimension,
    ImageQuery, MathFunction, Module, SampleLevel, ScalarKind, TypeInner,
};
use anywarp_program::walk;

use super::printer::{Printer, Result};

impl Printer<'_, '_> {
    /// Appends the call of a builtin function.
    pub(super) fn builtin(&mut self, expression: Handle<Expression>) -> Result {
        match self.arena[expression] {
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3,
            } => {
                // Arguments are optional from the last to the first.
                let all = [
                    arg,
                    arg1.unwrap_or(arg),
                    arg2.unwrap_or(arg),
                    arg3.unwrap_or(arg),
                ];
                let count = 1 + [arg1, arg2, arg3].iter().flatten().count();
                self.math(expression, fun, &all[..count])
            }
            Expression::Derivative { axis, ctrl, expr } => {
                self.call(derivative(axis, ctrl), &[expr])
            }
            Expression::ImageSample { .. } => self.image_sample(expression),
            Expression::ImageLoad {
                image,
                coordinate,
                array_index,
                sample,
                level,
            } => {
                let arguments: Vec<_> =
                    [Some(image), Some(coordinate), array_index, sample.or(level)]
                        .into_iter()
                        .flatten()
                        .collect();
                self.call("textureLoad", &arguments)
            }
            Expression::ImageQuery { image, query } => match query {
                ImageQuery::Size { level: None } => self.call("textureDimensions", &[image]),
                ImageQuery::Size { level: Some(level) } => {
                    self.call("textureDimensions", &[image, level])
                }
                ImageQuery::NumLevels => self.call("textureNumLevels", &[image]),
                ImageQuery::NumLayers => self.call("textureNumLayers", &[image]),
                ImageQuery::NumSamples => self.call("textureNumSamples", &[image]),
            },
            Expression::ArrayLength(array) => self.call("arrayLength", &[array]),
            Expression::RayQueryGetIntersection { query, committed } => {
                let name = if committed {
                    "rayQueryGetCommittedIntersection"
                } else {
                    "rayQueryGetCandidateIntersection"
                };
                self.naga_only("ray queries")?;
                self.call(name, &[query])
            }
            Expression::RayQueryVertexPositions { query, committed } => {
                let name = if committed {
                    "getCommittedHitVertexPositions"
                } else {
                    "getCandidateHitVertexPositions"
                };
                self.naga_only("ray queries")?;
                self.call(name, &[query])
            }
            Expression::CooperativeLoad { ref data, .. } => {
                self.naga_only("cooperative matrices")?;
                self.push(if data.row_major {
                    "coopLoadT<"
                } else {
                    "coopLoad<"
                });
                self.spell_value_type(expression)?;
                self.call(">", &[data.pointer, data.stride])
            }
            Expression::CooperativeMultiplyAdd { a, b, c } => {
                self.naga_only("cooperative matrices")?;
                self.call("coopMultiplyAdd", &[a, b, c])
            }
            _ => match self.effects.get(&expression) {
                Some(statement) => self.effect(statement).map(|_| ()),
                None => Err(self.unsupported("the result of a statement that was not written")),
            },
        }
    }

    fn math(
        &mut self,
        expression: Handle<Expression>,
        fun: MathFunction,
        arguments: &[Handle<Expression>],
    ) -> Result {
        if fun == MathFunction::Sign
            && self.inner(expression).scalar_kind() == Some(ScalarKind::Uint)
        {
            return self.unsigned_sign(expression, arguments);
        }
        if let Some(name) = fun.try_to_wgsl() {
            return self.call(name, arguments);
        }
        let cx = self.cx;
        let polyfill = self.polyfill(expression);
        match polyfill.and_then(|polyfill| cx.names.polyfills.get(&polyfill)) {
            Some(name) => self.call(name, arguments),
            None => Err(self.unsupported("an outer product that is no square")),
        }
    }

    /// naga has `sign` of unsigned integers, WGSL does not.
    fn unsigned_sign(
        &mut self,
        expression: Handle<Expression>,
        arguments: &[Handle<Expression>],
    ) -> Result {
        self.call("min", arguments)?;
        self.out.pop();
        self.push(", ");
        let inner = self.inner(expression);
        let one = if inner.scalar().is_some_and(|scalar| scalar.width == 8) {
            "1lu"
        } else {
            "1u"
        };
        match inner {
            TypeInner::Scalar(_) => self.push(one),
            _ => {
                self.spell_value_type(expression)?;
                self.push("(");
                self.push(one);
                self.push(")");
            }
        }
        self.push(")");
        Ok(())
    }

    /// Refuses sampling that WebGPU does not support, though naga does.
    fn check_sample(
        &self,
        image: Handle<Expression>,
        level: SampleLevel,
        has_offset: bool,
    ) -> Result {
        let TypeInner::Image { dim, class, .. } = *self.inner(image) else {
            return Ok(());
        };
        let is_depth = matches!(class, ImageClass::Depth { .. });
        let what = match level {
            SampleLevel::Gradient { .. } => "by gradients",
            SampleLevel::Bias(_) => "with a bias",
            _ if has_offset => "at an offset",
            _ => return Ok(()),
        };
        match dim {
            ImageDimension::D1 => self.naga_only(&format!("a 1d texture sampled {what}")),
            _ if is_depth && what != "at an offset" => {
                self.naga_only(&format!("a depth texture sampled {what}"))
            }
            _ => Ok(()),
        }
    }

    fn image_sample(&mut self, expression: Handle<Expression>) -> Result {
        let Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            clamp_to_edge,
        } = self.arena[expression]
        else {
            return Ok(());
        };
        let depth = matches!(
            self.inner(image),
            TypeInner::Image {
                class: ImageClass::Depth { .. },
                ..
            }
        );
        if gather.is_none() && depth_ref.is_none() {
            self.check_sample(image, level, offset.is_some())?;
        }
        let name = match (gather, depth_ref, level) {
            (Some(_), None, _) => "textureGather",
            (Some(_), Some(_), _) => "textureGatherCompare",
            (None, None, SampleLevel::Zero) if clamp_to_edge => "textureSampleBaseClampToEdge",
            (None, None, SampleLevel::Auto) => "textureSample",
            (None, None, SampleLevel::Zero | SampleLevel::Exact(_)) => "textureSampleLevel",
            (None, None, SampleLevel::Bias(_)) => "textureSampleBias",
            (None, None, SampleLevel::Gradient { .. }) => "textureSampleGrad",
            (None, Some(_), SampleLevel::Auto) => "textureSampleCompare",
            (None, Some(_), SampleLevel::Zero) => "textureSampleCompareLevel",
            (None, Some(_), _) => {
                return Err(self.unsupported("a depth comparison at a chosen level of detail"));
            }
        };
        self.push(name);
        self.push("(");
        if let Some(component) = gather
            && !depth
        {
            self.push(["0, ", "1, ", "2, ", "3, "][component as usize]);
        }
        let mut arguments = vec![image, sampler, coordinate];
        arguments.extend(array_index);
        arguments.extend(depth_ref);
        match level {
            // Level zero has no expression of its own, and an offset may follow it.
            SampleLevel::Zero if gather.is_none() && depth_ref.is_none() && !clamp_to_edge => {
                self.arguments_then_close(&arguments)?;
                self.out.pop();
                self.push(if depth { ", 0" } else { ", 0.0" });
                if let Some(offset) = offset {
                    self.push(", ");
                    self.any(offset)?;
                }
                self.push(")");
                return Ok(());
            }
            SampleLevel::Exact(value) | SampleLevel::Bias(value) if gather.is_none() => {
                arguments.push(value);
            }
            SampleLevel::Gradient { x, y } if gather.is_none() => arguments.extend([x, y]),
            _ => {}
        }
        arguments.extend(offset);
        self.arguments_then_close(&arguments)
    }
}

fn derivative(axis: DerivativeAxis, control: DerivativeControl) -> &'static str {
    use {DerivativeAxis as Axis, DerivativeControl as Control};
    match (axis, control) {
        (Axis::X, Control::Coarse) => "dpdxCoarse",
        (Axis::X, Control::Fine) => "dpdxFine",
        (Axis::X, Control::None) => "dpdx",
        (Axis::Y, Control::Coarse) => "dpdyCoarse",
        (Axis::Y, Control::Fine) => "dpdyFine",
        (Axis::Y, Control::None) => "dpdy",
        (Axis::Width, Control::Coarse) => "fwidthCoarse",
        (Axis::Width, Control::Fine) => "fwidthFine",
        (Axis::Width, Control::None) => "fwidth",
    }
}

/// The names of the mathematical builtin functions that the text of a module calls.
pub(super) fn mathematics(module: &Module) -> FastHashSet<&'static str> {
    let mut called = FastHashSet::default();
    let arenas = walk::functions(module).map(|function| &function.expressions);
    for arena in arenas.chain([&module.global_expressions]) {
        for (_, expression) in arena.iter() {
            let Expression::Math { fun, .. } = *expression else {
                continue;
            };
            called.extend(fun.try_to_wgsl());
            match fun {
                // These are implemented by polyfills, which call other functions.
                MathFunction::Inverse => {
                    called.extend(["cross", "determinant", "dot", "transpose"]);
                }
                MathFunction::Sign => {
                    called.insert("min");
                }
                _ => {}
            }
        }
    }
    called
}
