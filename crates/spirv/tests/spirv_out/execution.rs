//! Runs the conformance cases as SPIR-V.
//!
//! Each case of the conformance folder runs on a Vulkan device and must meet its expectations, and again after a round
//! trip through our reader. Overrides are set as Vulkan drivers set them: in the words, by `SpecId`.

use std::io::{Write, stderr};
use std::path::Path;

use anywarp_adapter::SubgroupSize;
use anywarp_program::{Program, naga};
use anywarp_spirv::{ReadOptions, SpirvOptions, read, write_spirv};
use anywarp_tests::{
    Case, Dispatch, Executor, ExecutorName, Feature, Memory, RunError, load_folder,
};
use naga::ShaderStage;
use rspirv::spirv::{Decoration, Op};

use crate::spirv_out::cases::{self, AsVulkan, has_bindings_in_order, is_refused_rightly};
use crate::spirv_out::device::{Device, Shader};

/// How a program is translated and run.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Written as SPIR-V.
    Once,
    /// Written, read and written again.
    Twice,
    /// Written and read, then run on the CPU device.
    Back,
}

struct Written {
    device: Device,
    way: Way,
    version: (u8, u8),
    debug_names: bool,
}

impl Executor for Written {
    fn name(&self) -> ExecutorName {
        match self.way {
            Way::Back => ExecutorName::Adapter,
            _ => ExecutorName::Lavapipe,
        }
    }

    fn leaves_out(&self, feature: &Feature) -> bool {
        let is_newer = feature.name.starts_with("subgroup") && self.version < (1, 3);
        is_newer || !self.device.has(feature)
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
        let specialized = program
            .specialize(ShaderStage::Compute, &entry, &constants)
            .map_err(RunError::from_display)?;
        let mut options = SpirvOptions::default();
        (options.version, options.debug_names) = (self.version, self.debug_names);
        options.entry_point = Some(entry);
        options.check_bounds = true;
        let mut words = write_spirv(&program, &options).map_err(RunError::from_display)?;
        set_constants(&mut words, &program, &dispatch.constants);
        if self.way == Way::Once {
            return self
                .device
                .run(&Shader::Words(words), specialized.module(), dispatch);
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let again = read(&bytes, &ReadOptions::default()).map_err(not_read)?;
        if self.way == Way::Back {
            let shader = Shader::Module(Box::new(again.program.module().clone()));
            return self.device.run(&shader, specialized.module(), dispatch);
        }
        let words = write_spirv(&again.program, &options).map_err(RunError::from_display)?;
        self.device
            .run(&Shader::Words(words), specialized.module(), dispatch)
    }
}

const NOT_READ: &str = "not read:";

fn not_read(error: impl std::fmt::Display) -> RunError {
    RunError(format!("{NOT_READ} {error}"))
}

/// Sets specialization constants by the `SpecId`s that the writer assigns to overrides.
fn set_constants(words: &mut [u32], program: &Program, constants: &[(String, f64)]) {
    let overrides: Vec<_> = program
        .module()
        .overrides
        .iter()
        .map(|(_, it)| it)
        .collect();
    let mut free = (0..).filter(|id| overrides.iter().all(|it| it.id.map(u32::from) != Some(*id)));
    // Overrides that depend on others have no `SpecId`; no case sets these.
    let expressions = &program.module().global_expressions;
    let is_literal = |init| matches!(expressions[init], naga::Expression::Literal(_));
    let is_own = |it: &naga::Override| it.id.is_some() || it.init.is_none_or(is_literal);
    for it in overrides
        .iter()
        .filter(|it| is_own(it) && it.name.is_some())
    {
        let id = it.id.map_or_else(|| free.next().unwrap(), u32::from);
        let key = it.id.map(|id| id.to_string());
        let given = constants
            .iter()
            .find(|(name, _)| Some(name) == it.name.as_ref() || Some(name) == key.as_ref());
        let Some((_, value)) = given else { continue };
        let naga::TypeInner::Scalar(scalar) = program.module().types[it.ty].inner else {
            continue;
        };
        let bits = match (scalar.kind, scalar.width) {
            (naga::ScalarKind::Float, 2) => half::f16::from_f64(*value).to_bits().into(),
            (naga::ScalarKind::Float, 8) => value.to_bits(),
            (naga::ScalarKind::Float, _) => (*value as f32).to_bits().into(),
            (naga::ScalarKind::Bool, _) => u64::from(*value != 0.0),
            // Narrow integers are sign-extended to the word.
            _ => (*value as i64).cast_unsigned(),
        };
        set_constant(words, id, bits);
    }
}

fn set_constant(words: &mut [u32], spec_id: u32, bits: u64) {
    let mut target = None;
    let mut at = 5;
    while at < words.len() {
        let (length, op) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        if op == Op::Decorate as u32
            && words[at + 2] == Decoration::SpecId as u32
            && words[at + 3] == spec_id
        {
            target = Some(words[at + 1]);
        }
        let is_bool = [Op::SpecConstantTrue as u32, Op::SpecConstantFalse as u32].contains(&op);
        if (op == Op::SpecConstant as u32 || is_bool) && Some(words[at + 2]) == target {
            if is_bool {
                let op = if bits == 0 {
                    Op::SpecConstantFalse
                } else {
                    Op::SpecConstantTrue
                };
                words[at] = (words[at] & 0xffff_0000) | op as u32;
            } else {
                words[at + 3] = bits as u32;
                if length > 4 {
                    words[at + 4] = (bits >> 32) as u32;
                }
            }
            return;
        }
        at += length;
    }
    // The entry point does not use the constant.
}

/// Cases in which WGSL allows several results, and why SPIR-V gives another one.
const OPEN: &[(&str, &str)] = &[
    (
        "bounds/",
        "indices are moved into their bounds, where our device gives zero",
    ),
    (
        "atomics64/struct",
        "indices are moved into their bounds, too",
    ),
    ("f16/bounds", "indices are moved into their bounds, too"),
    ("f64/bounds", "indices are moved into their bounds, too"),
    ("faults/", "a Vulkan device does not tell"),
    (
        "floats/no_identity_folding",
        "a Vulkan device may fold what changes the sign of zero",
    ),
    (
        "subgroups/shuffle_outside",
        "a distance may be written as a difference of lanes, which wraps",
    ),
    ("math/modf", "a Vulkan device may lose the sign of zero"),
    (
        "conversions/f32_to_i32",
        "numbers that are none have no integer",
    ),
];

/// Runs the cases. Programs that the reader does not support are skipped, all others must be correct.
fn check(executor: &Written, least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let cases = load_folder(&folder).unwrap();
    let is_open = |case: &Case| {
        let is_listed = OPEN.iter().any(|(name, _)| case.name().starts_with(name));
        is_listed || cases::is_open(case)
    };
    let is_bound =
        |case: &Case| executor.way == Way::Back || has_bindings_in_order(&case.dispatch());
    let is_meant =
        |case: &&Case| !case.is_left_out_by(executor) && !is_open(case) && is_bound(case);
    let (mut right, mut unread, mut refused, mut wrong) = (0, 0, 0, Vec::new());
    for case in cases.iter().filter(is_meant) {
        let lines = case.check(executor);
        match lines.first() {
            None => right += 1,
            Some(line) if line.contains(NOT_READ) => unread += 1,
            Some(line) if is_refused_rightly(line) => refused += 1,
            // After a round trip through SPIR-V, results that are allowed on Vulkan are correct too.
            Some(_) if case.check(&AsVulkan(executor)).is_empty() => right += 1,
            Some(_) => wrong.push(format!("{}: {}", case.name(), lines.join("; "))),
        }
    }
    let line = format!(
        "{right} cases right, {unread} not read, {refused} refused, {} wrong\n",
        wrong.len()
    );
    let _ = stderr().write_all(line.as_bytes());
    assert!(wrong.is_empty(), "{line}{}", wrong.join("\n"));
    assert!(right >= least, "{line}");
}

#[test]
fn conformance_cases_do_the_same_as_spirv() {
    let Some(device) = Device::vulkan() else {
        return;
    };
    check(
        &Written {
            device,
            way: Way::Once,
            version: (1, 3),
            debug_names: true,
        },
        500,
    );
}

#[test]
fn conformance_cases_do_the_same_as_older_spirv_without_names() {
    let Some(device) = Device::vulkan() else {
        return;
    };
    check(
        &Written {
            device,
            way: Way::Once,
            version: (1, 0),
            debug_names: false,
        },
        500,
    );
}

#[test]
fn conformance_cases_do_the_same_after_a_round_trip() {
    let Some(device) = Device::vulkan() else {
        return;
    };
    check(
        &Written {
            device,
            way: Way::Twice,
            version: (1, 3),
            debug_names: true,
        },
        500,
    );
}

#[test]
fn conformance_cases_do_the_same_on_our_device_after_a_round_trip() {
    check(
        &Written {
            device: Device::cpu(),
            way: Way::Back,
            version: (1, 3),
            debug_names: true,
        },
        500,
    );
}
