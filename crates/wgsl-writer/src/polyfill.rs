//! Polyfills: matrix functions that WGSL lacks, written as functions.
//!
//! In: the calls in a module. Out: one function per matrix type, before all other functions.

use std::collections::BTreeSet;
use std::fmt::Write;

use anywarp_program::naga::common::wgsl::TryToWgsl;
use anywarp_program::naga::valid::{FunctionInfo, ModuleInfo};
use anywarp_program::naga::{
    Arena, Expression, Function, Handle, MathFunction, Module, Scalar, Statement, TypeInner,
};

use super::context::Context;
use super::extension::Extension;
use anywarp_program::walk;

/// A polyfill and its matrix type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Polyfill {
    /// Outer product: columns and scalar width. naga swaps rows and columns, so only square matrices are supported.
    Outer(u8, u8),
    /// Inverse: columns and scalar width.
    Inverse(u8, u8),
}

impl Polyfill {
    /// The polyfill that an expression calls; `None` for builtin functions.
    pub(super) fn of(
        module: &Module,
        info: &FunctionInfo,
        arena: &Arena<Expression>,
        expression: Handle<Expression>,
    ) -> Option<Self> {
        let Expression::Math {
            fun: fun @ (MathFunction::Inverse | MathFunction::Outer),
            arg,
            arg1,
            ..
        } = arena[expression]
        else {
            return None;
        };
        let inner = |argument: Handle<Expression>| info[argument].ty.inner_with(&module.types);
        match (fun, inner(arg)) {
            (
                MathFunction::Inverse,
                TypeInner::Matrix {
                    columns, scalar, ..
                },
            ) => Some(Self::Inverse(*columns as u8, scalar.width)),
            (MathFunction::Outer, TypeInner::Vector { size: rows, scalar }) => match inner(arg1?) {
                TypeInner::Vector { size, .. } if size == rows => {
                    Some(Self::Outer(*size as u8, scalar.width))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// All polyfills that a module calls.
    pub(super) fn all(module: &Module, info: &ModuleInfo) -> BTreeSet<Self> {
        let mut found = BTreeSet::new();
        if !walk::functions(module).any(may_call) {
            return found;
        }
        for (handle, function) in module.functions.iter() {
            found.extend(Self::of_function(module, &info[handle], function));
        }
        for (index, entry_point) in module.entry_points.iter().enumerate() {
            let (info, function) = (info.get_entry_point(index), &entry_point.function);
            found.extend(Self::of_function(module, info, function));
        }
        found
    }

    fn of_function<'a>(
        module: &'a Module,
        info: &'a FunctionInfo,
        function: &'a Function,
    ) -> impl Iterator<Item = Self> + 'a {
        let emitted = walk::statements(&function.body).filter_map(|statement| match statement {
            Statement::Emit(range) => Some(range.clone()),
            _ => None,
        });
        emitted
            .flatten()
            .filter_map(|expression| Self::of(module, info, &function.expressions, expression))
    }

    fn scalar(self) -> &'static str {
        let (Self::Outer(_, width) | Self::Inverse(_, width)) = self;
        Scalar {
            width,
            ..Scalar::F32
        }
        .try_to_wgsl()
        .unwrap_or("f32")
    }

    /// The preferred name.
    pub(super) fn name(self) -> String {
        match self {
            Self::Outer(size, _) => format!("outer_{size}x{size}_{}", self.scalar()),
            Self::Inverse(size, _) => format!("inverse_{size}x{size}_{}", self.scalar()),
        }
    }

    /// Appends the function.
    pub(super) fn write(self, cx: &Context<'_>, name: &str, out: &mut String) {
        let scalar = self.scalar();
        if scalar == "f16" {
            cx.enable(Extension::F16);
        }
        let _ = match self {
            Self::Outer(size, _) => {
                let parts: Vec<_> = "xyzw"[..usize::from(size)]
                    .chars()
                    .map(|component| format!("column * row.{component}"))
                    .collect();
                write!(
                    out,
                    "fn {name}(column: vec{size}<{scalar}>, row: vec{size}<{scalar}>) -> mat{size}x{size}<{scalar}> {{
    return mat{size}x{size}<{scalar}>({});
}}
",
                    parts.join(", ")
                )
            }
            Self::Inverse(columns, _) => {
                let body = match columns {
                    2 => INVERSE_2,
                    3 => INVERSE_3,
                    _ => INVERSE_4,
                };
                let one = match scalar {
                    "f16" => "1.0h",
                    "f64" => "1.0lf",
                    _ => "1.0",
                };
                let ty = format!("mat{columns}x{columns}<{scalar}>");
                let body = body
                    .replace("TYPE", &ty)
                    .replace("VECTOR", &format!("vec{columns}<{scalar}>"));
                let body = body.replace("ONE", one);
                write!(out, "fn {name}(m: {ty}) -> {ty} {{\n{body}}}\n")
            }
        };
    }
}

/// Whether a function has an expression that may call a polyfill, emitted or not. Nearly all have none, so their
/// statements need not be visited.
fn may_call(function: &Function) -> bool {
    let mut expressions = function.expressions.iter();
    expressions.any(|(_, expression)| {
        matches!(
            expression,
            Expression::Math {
                fun: MathFunction::Inverse | MathFunction::Outer,
                ..
            }
        )
    })
}

const INVERSE_2: &str =
    "    return TYPE(VECTOR(m[1].y, -m[0].y), VECTOR(-m[1].x, m[0].x)) * (ONE / determinant(m));
";

/// The rows of the inverse are the cross products of the columns, divided by the determinant.
const INVERSE_3: &str = "    let x = cross(m[1], m[2]);
    let y = cross(m[2], m[0]);
    let z = cross(m[0], m[1]);
    return transpose(TYPE(x, y, z)) * (ONE / dot(m[0], x));
";

/// By the 2x2 minors of the first two and of the last two columns (Laplace expansion).
const INVERSE_4: &str = "    let a = m[0];
    let b = m[1];
    let c = m[2];
    let d = m[3];
    let s0 = a.x * b.y - a.y * b.x;
    let s1 = a.x * b.z - a.z * b.x;
    let s2 = a.x * b.w - a.w * b.x;
    let s3 = a.y * b.z - a.z * b.y;
    let s4 = a.y * b.w - a.w * b.y;
    let s5 = a.z * b.w - a.w * b.z;
    let t0 = c.x * d.y - c.y * d.x;
    let t1 = c.x * d.z - c.z * d.x;
    let t2 = c.x * d.w - c.w * d.x;
    let t3 = c.y * d.z - c.z * d.y;
    let t4 = c.y * d.w - c.w * d.y;
    let t5 = c.z * d.w - c.w * d.z;
    let x = VECTOR(b.y * t5 - b.z * t4 + b.w * t3, a.z * t4 - a.y * t5 - a.w * t3, d.y * s5 - d.z * s4 + d.w * s3, c.z * s4 - c.y * s5 - c.w * s3);
    let y = VECTOR(b.z * t2 - b.x * t5 - b.w * t1, a.x * t5 - a.z * t2 + a.w * t1, d.z * s2 - d.x * s5 - d.w * s1, c.x * s5 - c.z * s2 + c.w * s1);
    let z = VECTOR(b.x * t4 - b.y * t2 + b.w * t0, a.y * t2 - a.x * t4 - a.w * t0, d.x * s4 - d.y * s2 + d.w * s0, c.y * s2 - c.x * s4 - c.w * s0);
    let w = VECTOR(b.y * t1 - b.x * t3 - b.z * t0, a.x * t3 - a.y * t1 + a.z * t0, d.y * s1 - d.x * s3 - d.z * s0, c.x * s3 - c.y * s1 + c.z * s0);
    let size = s0 * t5 - s1 * t4 + s2 * t3 + s3 * t2 - s4 * t1 + s5 * t0;
    return TYPE(x, y, z, w) * (ONE / size);
";
