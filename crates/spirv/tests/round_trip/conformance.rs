//! Round trips of the conformance cases, which have expected results.

use std::path::Path;

use anywarp_adapter::SubgroupSize;
use anywarp_program::{Program, naga};
use anywarp_spirv::SpirvOptions;
use anywarp_tests::{
    Case, Dispatch, Executor, ExecutorName, Feature, Memory, RunError, load_folder,
};
use naga::ShaderStage;

use crate::common::say;
use crate::round_trip::cases::{self, AsVulkan, has_bindings_in_order, is_refused_rightly};
use crate::round_trip::device::{Device, Shader};
use crate::round_trip::steps::steps;

/// The step that is run, and on which device.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// The WGSL of the first or second round, on the CPU device.
    Wgsl(usize),
    /// The SPIR-V of the second round, on the Vulkan device.
    Words,
}

struct Stepping {
    device: Device,
    step: Step,
}

impl Executor for Stepping {
    fn name(&self) -> ExecutorName {
        match self.step {
            Step::Wgsl(_) => ExecutorName::Adapter,
            Step::Words => ExecutorName::Lavapipe,
        }
    }

    fn leaves_out(&self, feature: &Feature) -> bool {
        !self.device.has(feature)
    }

    fn has_subgroups_of(&self, size: SubgroupSize) -> bool {
        self.device.has_subgroups_of(size)
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let program = Program::from_wgsl(&dispatch.wgsl).map_err(RunError::from_display)?;
        let entry = program
            .entry_point(dispatch.entry.as_deref())
            .map_err(RunError::from_display)?
            .name;
        let constants = dispatch.constants.iter().cloned().collect();
        // Overrides are replaced first, because the steps do not concern them.
        let specialized = program
            .specialize(ShaderStage::Compute, &entry, &constants)
            .map_err(RunError::from_display)?;
        let module = specialized.module();
        let program = Program::from_module(module.clone()).map_err(RunError::from_display)?;
        let mut options = SpirvOptions::default();
        options.entry_point = Some(entry);
        options.check_bounds = true;
        let steps = steps(&program, &options).map_err(RunError)?;
        let shader = match self.step {
            Step::Words => Shader::Words(steps.words[1].clone()),
            Step::Wgsl(round) => Shader::Module(Box::new(steps.programs[round].module().clone())),
        };
        self.device.run(&shader, module, dispatch)
    }
}

/// Cases in which WGSL allows several results.
const OPEN: &[&str] = &[
    // Out-of-bounds indices are clamped, while our device returns zero.
    "bounds/",
    "atomics64/struct",
    "f16/bounds",
    "f64/bounds",
    "faults/",
    // A Vulkan device may lose the sign of zero, and the conversion of NaN to an integer is undefined.
    "floats/no_identity_folding",
    "math/modf",
    "conversions/f32_to_i32",
    // A shuffle distance may be written as a difference of lanes, which wraps around.
    "subgroups/shuffle_outside",
];

fn check(executor: &Stepping) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let cases = load_folder(&folder).unwrap();
    let is_open =
        |case: &Case| OPEN.iter().any(|name| case.name().starts_with(name)) || cases::is_open(case);
    let is_bound =
        |case: &Case| executor.step != Step::Words || has_bindings_in_order(&case.dispatch());
    let is_meant =
        |case: &&Case| !case.is_left_out_by(executor) && !is_open(case) && is_bound(case);
    let (mut right, mut refused, mut wrong) = (0, 0, Vec::new());
    for case in cases.iter().filter(is_meant) {
        let lines = case.check(executor);
        match lines.first() {
            None => right += 1,
            Some(line) if is_refused_rightly(line) => refused += 1,
            // After a round trip through SPIR-V, results that are allowed on Vulkan are correct too.
            Some(_) if case.check(&AsVulkan(executor)).is_empty() => right += 1,
            Some(_) => wrong.push(format!("{}: {}", case.name(), lines.join("; "))),
        }
    }
    let wrongs = wrong.len();
    say(&format!(
        "{right} cases right, {refused} refused, {wrongs} wrong\n"
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right >= 600, "only {right} cases");
}

#[test]
fn conformance_cases_as_wgsl_again() {
    check(&Stepping {
        device: Device::cpu(),
        step: Step::Wgsl(0),
    });
}

#[test]
fn conformance_cases_as_spirv_again() {
    if let Some(device) = Device::vulkan() {
        check(&Stepping {
            device,
            step: Step::Words,
        });
    }
}

#[test]
fn conformance_cases_as_wgsl_after_two_rounds() {
    check(&Stepping {
        device: Device::cpu(),
        step: Step::Wgsl(1),
    });
}
