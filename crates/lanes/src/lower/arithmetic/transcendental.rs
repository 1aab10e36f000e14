//! Transcendental functions of `f32`, which have an error bound; see [`crate::math`].

use naga::MathFunction;

use crate::ir::Value;
use crate::math;

use crate::lower::Lowering;
use crate::lower::error::{Result, unsupported};

impl Lowering<'_> {
    /// Lowers a function with an error bound, correctly for the lanes of `active`, or for all.
    pub(in crate::lower) fn transcendental(
        &mut self,
        function: MathFunction,
        x: &[Value],
        active: Option<Value>,
    ) -> Result<Value> {
        use MathFunction as F;
        self.function.switch_to(self.block);
        let b = &mut self.function;
        let value = match function {
            F::Sin => math::sin(b, x[0], active),
            F::Cos => math::cos(b, x[0], active),
            F::Tan => math::tan(b, x[0], active),
            F::Asin => math::asin(b, x[0]),
            F::Acos => math::acos(b, x[0]),
            F::Atan => math::atan(b, x[0]),
            F::Atan2 => math::atan2(b, x[0], x[1]),
            F::Sinh => math::sinh(b, x[0]),
            F::Cosh => math::cosh(b, x[0]),
            F::Tanh => math::tanh(b, x[0]),
            F::Asinh => math::asinh(b, x[0]),
            F::Acosh => math::acosh(b, x[0]),
            F::Atanh => math::atanh(b, x[0]),
            F::Exp => math::exp(b, x[0]),
            F::Exp2 => math::exp2(b, x[0]),
            F::Log => math::log(b, x[0]),
            F::Log2 => math::log2(b, x[0]),
            F::Pow => math::pow(b, x[0], x[1]),
            F::InverseSqrt => math::inverse_sqrt(b, x[0], active),
            _ => return unsupported(format!("`{function:?}`")),
        };
        // The function may have branched for rare arguments, so the current block is another one.
        self.block = self.function.block();
        Ok(value)
    }
}
