//! Override resolution: specializes a program for one entry point and given override values.
//!
//! In: a program, an entry point, and values by name or `@id`. Out: a program with that entry point only, without
//! overrides. What always holds: a value is stored exactly or rounded to its float type, never changed into another
//! integer. Errors name the constant as the program does.

use std::collections::HashMap;
use std::sync::Arc;

use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::valid::ModuleInfo;
use naga::{Module, Override, Scalar, ScalarKind, ShaderStage, TypeInner};

use crate::overrides_in_variables::overrides_in_variables;
use crate::reflect::{override_name, spell_type, stage_name};
use crate::{Diagnostic, Program, ProgramError, Wgsl, naga_call};

/// Values of pipeline-overridable constants, by name or by `@id` in decimal.
///
/// For a `bool`, zero is false and all other numbers are true, as in WebGPU.
pub type Constants = HashMap<String, f64>;

impl Program {
    /// Resolves all overrides for one entry point.
    ///
    /// The result contains only that entry point, and all expressions that depended on an override are evaluated: the
    /// workgroup size is constant, and `ArraySize::resolve` gives the length of arrays sized by an override.
    ///
    /// A value that does not fit the type of its constant is an error, also a fraction for an integer; see
    /// [`Program::webgpu_constants`] for WebGPU's conversion.
    pub fn specialize(
        &self,
        stage: ShaderStage,
        entry_point: &str,
        constants: &Constants,
    ) -> Result<Program, ProgramError> {
        self.check_entry_point(stage, entry_point)?;
        self.resolve(stage, entry_point, constants)
    }

    /// [`Program::specialize`] for an entry point that is known to exist.
    pub(crate) fn resolve(
        &self,
        stage: ShaderStage,
        entry_point: &str,
        constants: &Constants,
    ) -> Result<Program, ProgramError> {
        let values = values(self.module(), constants)?;
        let target = Some((stage, entry_point));
        let result = self.processed(target, &values)?;
        // The program is valid. If the result is not, naga's constant folding may be the cause: retry without folding.
        let result = match result {
            Err(error) if matches!(*error, PipelineConstantError::ValidationError(_)) => {
                let other = naga_call::run(&self.nesting, || overrides_in_variables(&self.module))
                    .map_err(ProgramError::from)
                    .and_then(|module| Self::validated(module, None, Wgsl::Absent, &self.nesting))
                    .and_then(|program| program.processed(target, &values));
                other.ok().and_then(Result::ok).ok_or(error)
            }
            result => result,
        };
        let (module, info) = result.map_err(|error| self.explain(*error, entry_point))?;
        Ok(Program {
            module: Arc::new(module),
            info: Arc::new(info),
            source: self.source.clone(),
            wgsl: self.wgsl.clone(),
            analyses: Arc::default(),
            nesting: self.nesting,
        })
    }

    /// Runs naga's `process_overrides` with these values.
    fn processed(
        &self,
        target: Option<(ShaderStage, &str)>,
        values: &PipelineConstants,
    ) -> Result<Result<(Module, ModuleInfo), Box<PipelineConstantError>>, ProgramError> {
        let named = with_named_overrides(&self.module);
        let module = named.as_ref().unwrap_or(&self.module);
        let process = || {
            process_overrides(module, &self.info, target, values)
                .map(|(module, info)| (module.into_owned(), info.into_owned()))
                .map_err(Box::new)
        };
        Ok(naga_call::catch_panic(process)?)
    }

    /// Converts `constants` as WebGPU does: fractions of integer constants are truncated.
    pub fn webgpu_constants(&self, constants: &Constants) -> Constants {
        let convert = |(key, value): (&String, &f64)| {
            let scalar = find(self.module(), key).and_then(|o| scalar(self.module(), o));
            let value = if scalar.is_some_and(is_integer) {
                value.trunc()
            } else {
                *value
            };
            (key.clone(), value)
        };
        constants.iter().map(convert).collect()
    }

    fn check_entry_point(&self, stage: ShaderStage, name: &str) -> Result<(), ProgramError> {
        let found = self.module().entry_points[self.find_entry_point(Some(name))?].stage;
        if found == stage {
            return Ok(());
        }
        let (found, asked) = (stage_name(found), stage_name(stage));
        Err(ProgramError::EntryPoint(format!(
            "entry point `{name}` is of the {found} stage, not the {asked} stage"
        )))
    }

    fn explain(&self, error: PipelineConstantError, entry_point: &str) -> ProgramError {
        ProgramError::Constant(match error {
            PipelineConstantError::MissingValue(key) => {
                let name = find(self.module(), &key).map_or(key, override_name);
                format!("constant `{name}` has no default and needs a value")
            }
            PipelineConstantError::NegativeWorkgroupSize => {
                format!("the workgroup size of `{entry_point}` must be positive")
            }
            PipelineConstantError::ConstantEvaluatorError(error) => {
                let reason = error.to_string().to_lowercase();
                format!("with these constants `{entry_point}` cannot be evaluated: {reason}")
            }
            PipelineConstantError::ValidationError(error) => {
                return Diagnostic::from_validation_of_copy(&error, self.source()).into();
            }
            // `values` rules out the other errors.
            other => return ProgramError::Internal(other.to_string()),
        })
    }
}

/// A copy of the module in which all overrides have names; `None` if they already do. naga creates unnamed overrides
/// from expressions in array lengths, and panics when it resolves them.
fn with_named_overrides(module: &Module) -> Option<Module> {
    let is_unnamed =
        |declaration: &Override| declaration.name.is_none() && declaration.id.is_none();
    if !module.overrides.iter().any(|entry| is_unnamed(entry.1)) {
        return None;
    }
    let mut named = module.clone();
    for (number, (_, declaration)) in named.overrides.iter_mut().enumerate() {
        if is_unnamed(declaration) {
            // No program can declare an override with this name.
            declaration.name = Some(format!("#{number}"));
        }
    }
    Some(named)
}

/// Checks the values and keys them as naga expects.
fn values(module: &Module, constants: &Constants) -> Result<PipelineConstants, ProgramError> {
    let mut values = PipelineConstants::default();
    for (key, value) in constants {
        let constant = find(module, key).ok_or_else(|| unknown(module, key))?;
        check(module, constant, *value)?;
        // naga keys a constant by its id if it has one.
        let naga_key = match constant.id {
            Some(id) => id.to_string(),
            None => override_name(constant),
        };
        if values.insert(naga_key, *value).is_some() {
            let name = override_name(constant);
            let message = format!("constant `{name}` is given twice, by name and by id");
            return Err(ProgramError::Constant(message));
        }
    }
    Ok(values)
}

fn find<'a>(module: &'a Module, key: &str) -> Option<&'a Override> {
    let id = key.parse::<u16>().ok();
    let is_named = |o: &Override| match id {
        // Names cannot begin with a digit, so a number is always an id.
        Some(_) => o.id == id,
        None => o.name.as_deref() == Some(key),
    };
    module
        .overrides
        .iter()
        .map(|(_, o)| o)
        .find(|o| is_named(o))
}

fn unknown(module: &Module, key: &str) -> ProgramError {
    let names = module.overrides.iter().filter(|(_, o)| o.name.is_some());
    let names: Vec<_> = names
        .map(|(_, o)| format!("`{}`", override_name(o)))
        .collect();
    ProgramError::Constant(if names.is_empty() {
        format!("there is no constant `{key}`: the program has no overrides")
    } else {
        format!(
            "there is no constant `{key}`; the program has {}",
            names.join(", ")
        )
    })
}

fn scalar(module: &Module, constant: &Override) -> Option<Scalar> {
    match module.types[constant.ty].inner {
        TypeInner::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}

fn check(module: &Module, constant: &Override, value: f64) -> Result<(), ProgramError> {
    let Some(scalar) = scalar(module, constant) else {
        return Ok(());
    };
    let name = override_name(constant);
    let ty = spell_type(module, constant.ty);
    let refuse = |why: String| Err(ProgramError::Constant(why));
    if scalar.kind == ScalarKind::Bool {
        return Ok(());
    }
    if !value.is_finite() {
        return refuse(format!(
            "constant `{name}` must be a finite number, not {value}"
        ));
    }
    if is_integer(scalar) && value.fract() != 0.0 {
        return refuse(format!(
            "constant `{name}` is of type `{ty}` and cannot be {value}"
        ));
    }
    let (least, greatest) = bounds(scalar);
    if value < least || value > greatest {
        return refuse(format!(
            "constant `{name}` is {value}, out of the range of `{ty}`, {least} to {greatest}"
        ));
    }
    Ok(())
}

fn is_integer(scalar: Scalar) -> bool {
    matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint)
}

/// The smallest and the largest value of a scalar type that an `f64` can hold.
fn bounds(scalar: Scalar) -> (f64, f64) {
    let bits = u32::from(scalar.width) * 8;
    // The largest f64 below 2^64 or 2^63; bounds of narrower integers are exact.
    let below = |power: u32| match power {
        0..=53 => 2_f64.powi(power as i32) - 1.0,
        _ => 2_f64.powi(power as i32).next_down(),
    };
    match (scalar.kind, scalar.width) {
        (ScalarKind::Uint, _) => (0.0, below(bits)),
        (ScalarKind::Sint, _) => (-(2_f64.powi(bits as i32 - 1)), below(bits - 1)),
        // Values that round to the largest `f16` are in range.
        (_, 2) => (-65520_f64.next_down(), 65520_f64.next_down()),
        (_, 4) => (f64::from(f32::MIN), f64::from(f32::MAX)),
        _ => (f64::MIN, f64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkgroupSize;

    const PROGRAM: &str = "
        override width: u32 = 8;
        @id(7) override height: i32 = 4;
        override scale: f32;
        override flag: bool = false;
        var<workgroup> tile: array<f32, width * 2>;
        @compute @workgroup_size(width, height) fn scaled() { tile[0] = scale; }
        @compute @workgroup_size(width) fn plain() { tile[0] = select(0.0, 1.0, flag); }
    ";

    fn specialize(entry_point: &str, constants: &[(&str, f64)]) -> Result<Program, String> {
        let constants = constants
            .iter()
            .map(|(k, v)| ((*k).to_owned(), *v))
            .collect();
        Program::from_wgsl(PROGRAM)
            .unwrap()
            .specialize(ShaderStage::Compute, entry_point, &constants)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn overrides_come_after_a_length_that_is_computed() {
        let program = Program::from_wgsl(
            "override a: u32 = 7;
             var<workgroup> list: array<u32, a + 1>;
             override b: u32 = 3;
             @compute @workgroup_size(b) fn main() { list[a] = b; }",
        );
        let constants = Constants::from([("a".to_owned(), 2.0)]);
        let program = program.unwrap();
        let program = program.specialize(ShaderStage::Compute, "main", &constants);
        let program = program.unwrap();
        let module = program.module();
        let mut lengths = module.types.iter().filter_map(|(_, ty)| match ty.inner {
            TypeInner::Array { size, .. } => size.resolve(module.to_ctx()).ok(),
            _ => None,
        });
        let length = lengths.next();
        assert!(matches!(
            length,
            Some(naga::proc::IndexableLength::Known(3))
        ));
    }

    #[test]
    fn names_and_ids_are_both_taken() {
        for key in ["height", "7"] {
            let program = specialize("scaled", &[("scale", 2.0), ("width", 16.0), (key, 2.0)]);
            let entry_points = program.unwrap().entry_points();
            assert_eq!(entry_points.len(), 1);
            let size = entry_points[0].workgroup_size.clone();
            assert_eq!(size, Some(WorkgroupSize::Known([16, 2, 1])));
        }
    }

    /// naga refuses its own result after folding. If this test fails, the module `overrides_in_variables` can be
    /// removed.
    #[test]
    fn elements_of_constants_are_chosen_by_overrides() {
        let program = Program::from_wgsl(
            "override chosen: u32 = 1u;
            override other = 7i;
            const table = array(array(vec2(1.0, 2.0), vec2(3.0, 4.0)), array(vec2(5.0, 6.0), vec2(7.0, 8.0)));
            @group(0) @binding(0) var<storage, read_write> out: array<f32>;
            fn element() -> f32 { return table[chosen % 2u][1u][0u]; }
            @compute @workgroup_size(chosen) fn main() {
                var first = other + 1;
                for (var i = 0u; i < chosen; i++) { first += other; out[i] = element() + f32(first); }
                out[chosen] = table[chosen % 2u][0u][1u];
            }",
        );
        let constants = [("chosen".to_owned(), 3.0)].into_iter().collect();
        let program = program.unwrap();
        let target = Some((ShaderStage::Compute, "main"));
        let values = values(program.module(), &constants).unwrap();
        assert!(program.processed(target, &values).unwrap().is_err());
        let special = program.specialize(ShaderStage::Compute, "main", &constants);
        let special = special.unwrap_or_else(|error| panic!("{error}"));
        let size = special.entry_points()[0].workgroup_size.clone();
        assert_eq!(size, Some(WorkgroupSize::Known([3, 1, 1])));
    }

    #[test]
    fn a_missing_value_matters_only_where_it_is_used() {
        assert!(specialize("plain", &[]).is_ok());
        assert_eq!(
            specialize("scaled", &[]).unwrap_err(),
            "constant `scale` has no default and needs a value"
        );
    }

    #[test]
    fn errors_name_the_constant() {
        for (key, value, expected) in [
            (
                "depth",
                1.0,
                "there is no constant `depth`; the program has `width`, `height`, `scale`, `flag`",
            ),
            (
                "9",
                1.0,
                "there is no constant `9`; the program has `width`, `height`, `scale`, `flag`",
            ),
            (
                "width",
                1.5,
                "constant `width` is of type `u32` and cannot be 1.5",
            ),
            (
                "width",
                -1.0,
                "constant `width` is -1, out of the range of `u32`, 0 to 4294967295",
            ),
            (
                "width",
                0.0,
                "the workgroup size of `plain` must be positive",
            ),
            (
                "height",
                2147483648.0,
                "constant `height` is 2147483648, out of the range of `i32`, -2147483648 to 2147483647",
            ),
            (
                "scale",
                f64::NAN,
                "constant `scale` must be a finite number, not NaN",
            ),
        ] {
            assert_eq!(specialize("plain", &[(key, value)]).unwrap_err(), expected);
        }
        assert_eq!(
            specialize("plain", &[("height", 1.0), ("7", 1.0)]).unwrap_err(),
            "constant `height` is given twice, by name and by id"
        );
        assert!(
            specialize("plain", &[("scale", 1e300)])
                .unwrap_err()
                .contains("range of `f32`")
        );
        assert!(specialize("plain", &[("flag", 7.0)]).is_ok());
    }

    #[test]
    fn values_that_break_the_program_are_reported() {
        let specialize = |wgsl: &str, value| {
            let constants = Constants::from([("n".to_owned(), value)]);
            let program = Program::from_wgsl(wgsl).unwrap();
            let result = program.specialize(ShaderStage::Compute, "main", &constants);
            result.map(|_| ()).map_err(|error| error.to_string())
        };
        let divides = "override n: i32 = 1; @compute @workgroup_size(8 / n) fn main() {}";
        assert_eq!(
            specialize(divides, 0.0).unwrap_err(),
            "with these constants `main` cannot be evaluated: division by zero"
        );
        let array = "override n: i32 = 1; var<workgroup> w: array<u32, n>;
                     @compute @workgroup_size(1) fn main() { w[0] = 1; }";
        assert!(specialize(array, 2.0).is_ok());
        let error = specialize(array, -2.0).unwrap_err();
        assert!(error.contains("positive"), "{error}");
    }

    #[test]
    fn an_entry_point_must_exist_in_that_stage() {
        assert!(
            specialize("main", &[])
                .unwrap_err()
                .contains("`scaled`, `plain`")
        );
        let program = Program::from_wgsl(PROGRAM).unwrap();
        let error = program.specialize(ShaderStage::Fragment, "plain", &Constants::new());
        assert_eq!(
            error.unwrap_err().to_string(),
            "entry point `plain` is of the compute stage, not the fragment stage"
        );
    }

    #[test]
    fn webgpu_cuts_fractions_of_integers_only() {
        let program = Program::from_wgsl(PROGRAM).unwrap();
        let given = [("width", 2.9), ("7", -2.9), ("scale", 2.9)];
        let given = given.map(|(key, value)| (key.to_owned(), value)).into();
        let converted = program.webgpu_constants(&given);
        assert_eq!(converted["width"], 2.0);
        assert_eq!(converted["7"], -2.0);
        assert_eq!(converted["scale"], 2.9);
    }

    #[test]
    fn a_program_without_overrides_is_cut_to_its_entry_point() {
        let wgsl = "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(2) fn b() {}";
        let program = Program::from_wgsl(wgsl).unwrap();
        let b = program
            .specialize(ShaderStage::Compute, "b", &Constants::new())
            .unwrap();
        assert_eq!(b.module().entry_points.len(), 1);
        assert_eq!(b.module().entry_points[0].workgroup_size, [2, 1, 1]);
    }
}
