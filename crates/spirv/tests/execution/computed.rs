//! Differential tests of generated shaders that compute with values of all types.
//!
//! Each shader runs in several ways: unchanged on the Vulkan device, translated on the CPU device, as WGSL on the
//! Vulkan device, as rewritten SPIR-V on the Vulkan device, and translated after spirv-opt on the CPU device. All must
//! agree. lavapipe 22.3 miscompiles some shaders: if only one way disagrees, it ran on the Vulkan device, and the
//! original agrees with the rest on that device before or after spirv-opt, the driver is at fault; such shaders are
//! counted, and their number is limited.

use anywarp_spirv::{Parsed, ReadOptions, SpirvOptions, read, write_spirv};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

use crate::common::compute::{Dispatch, run};
use crate::common::gpu::{Gpu, Shader};
use crate::common::random::Random;
use crate::common::tools::{Tools, bytes};
use crate::common::{keep, say, seeds, specialize};
use crate::execution::values::{self, CELLS, COUNT, Constant, Extras, FLOATS, Made, WORDS};

struct Machines {
    vulkan: Gpu,
    cpu: Gpu,
    tools: Tools,
}

type Memory = Vec<Vec<u32>>;

/// The name of a way, and its result.
type Outcome = (&'static str, Result<Memory, String>);

impl Machines {
    fn find() -> Option<Self> {
        Some(Self {
            vulkan: Gpu::vulkan()?,
            cpu: Gpu::cpu(),
            tools: Tools::find()?,
        })
    }

    fn run(&self, gpu: &Gpu, shader: &Shader, constants: &[Constant]) -> Result<Memory, String> {
        let mut random = Random(7);
        let data = (0..COUNT * WORDS).map(|_| random.next() as u32).collect();
        let buffers = [
            (data, false),
            (vec![0; COUNT * FLOATS], false),
            (
                (0..CELLS as u32).map(|it| it * 0x0101_0101).collect(),
                false,
            ),
        ];
        let constants: Vec<_> = match shader {
            Shader::Words(_) => Vec::new(),
            _ => constants
                .iter()
                .map(|it| (it.id.to_string(), it.value))
                .collect(),
        };
        run(
            gpu,
            &Dispatch {
                shader,
                entry: "main",
                workgroup: (COUNT as u32, 1, 1),
                groups: 1,
                buffers: &buffers,
                constants: &constants,
            },
        )
    }

    /// The results of all ways.
    fn ways(
        &self,
        made: &Made,
        words: Vec<u32>,
        how: &str,
        on_cpu: bool,
    ) -> Result<Vec<Outcome>, String> {
        let parsed = read_words(&words)?;
        let specialized = |words: &[u32]| {
            let mut words = words.to_vec();
            for constant in &made.constants {
                specialize::set(&mut words, constant.id, constant.bits);
            }
            Shader::Words(words)
        };
        let overrides = used(&parsed, &made.constants);
        let module = |parsed: &Parsed| Shader::Module(Box::new(parsed.program.module().clone()));
        let text = write_wgsl(&parsed.program, &WgslOptions::new(Dialect::Naga))
            .map_err(|error| format!("no WGSL: {error}"))?;
        let written = write_spirv(&parsed.program, &SpirvOptions::default())
            .map_err(|error| format!("no SPIR-V: {error}"))?;
        if let Some(fault) = self.tools.fault(&written) {
            return Err(format!("spirv-val refuses what is written: {fault}"));
        }
        let shorter = self.tools.optimize(&words, how);
        let optimized =
            read_words(&shorter).map_err(|error| format!("after spirv-opt {how}: {error}"))?;
        let vulkan = &self.vulkan;
        let mut ways = vec![
            ("as it is", self.run(vulkan, &specialized(&words), &[])),
            (
                "as it is after spirv-opt",
                self.run(vulkan, &specialized(&shorter), &[]),
            ),
            ("WGSL", self.run(vulkan, &Shader::Wgsl(text), &overrides)),
            (
                "SPIR-V again",
                self.run(vulkan, &specialized(&written), &[]),
            ),
        ];
        let overrides_then = used(&optimized, &made.constants);
        let gpu = if on_cpu { &self.cpu } else { &self.vulkan };
        if on_cpu {
            ways.push(("CPU", self.run(gpu, &module(&parsed), &overrides)));
        }
        ways.push((
            "optimized",
            self.run(gpu, &module(&optimized), &overrides_then),
        ));
        Ok(ways)
    }
}

fn read_words(words: &[u32]) -> Result<Parsed, String> {
    let read = read(&bytes(words), &ReadOptions::default());
    read.map_err(|error| format!("not read: {error}"))
}

/// The constants that the module has; a pipeline rejects others.
fn used(parsed: &Parsed, constants: &[Constant]) -> Vec<Constant> {
    let overrides = &parsed.program.module().overrides;
    let has = |id: u32| {
        overrides
            .iter()
            .any(|(_, it)| it.id.map(u32::from) == Some(id))
    };
    constants.iter().filter(|it| has(it.id)).copied().collect()
}

/// Tolerance of float results: what WGSL allows for the least accurate function in use.
const ALLOWED: f32 = 2e-3;

fn difference(a: &Memory, b: &Memory) -> Option<String> {
    for (buffer, (a, b)) in a.iter().zip(b).enumerate() {
        let differ = |(a, b): (u32, u32)| {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            a != b && !(buffer == 1 && (x - y).abs() <= ALLOWED * x.abs().max(1.0))
        };
        let mut pairs = a.iter().zip(b).map(|(a, b)| (*a, *b));
        if let Some(at) = pairs.position(differ) {
            let width = [WORDS, FLOATS, 1][buffer];
            return Some(format!(
                "buffer {buffer}, invocation {}, word {}: {:#x}, {:#x}",
                at / width,
                at % width,
                a[at],
                b[at]
            ));
        }
    }
    None
}

/// The failures of a shader, and those attributed to the driver.
#[derive(Default)]
struct Verdict {
    wrong: Vec<String>,
    driver: Vec<String>,
    is_invalid: bool,
}

fn verdict(machines: &Machines, made: &Made, how: &str, on_cpu: bool) -> Verdict {
    let mut verdict = Verdict::default();
    let words = machines.tools.compile(&made.source, "comp", &[]);
    if machines.tools.fault(&words).is_some() {
        // glslang emits spec constant operations that SPIR-V does not allow.
        return Verdict {
            is_invalid: true,
            ..verdict
        };
    }
    let ways = match machines.ways(made, words, how, on_cpu) {
        Ok(ways) => ways,
        Err(error) => {
            verdict.wrong.push(error);
            return verdict;
        }
    };
    let mut kept = Vec::new();
    for (way, memory) in ways {
        match memory {
            Ok(memory) => kept.push((way, memory)),
            Err(error) => verdict.wrong.push(format!("{way}: {error}")),
        }
    }
    // The majority.
    let agree = |memory: &Memory| {
        let same = |(_, other): &&(_, Memory)| difference(memory, other).is_none();
        kept.iter().filter(same).count()
    };
    let Some((_, most)) = kept.iter().max_by_key(|(_, memory)| agree(memory)) else {
        return verdict;
    };
    let is_untouched = |way: &str| way.starts_with("as it is");
    let one_agrees = kept
        .iter()
        .any(|(way, memory)| is_untouched(way) && difference(most, memory).is_none());
    let alone = agree(most) + 1 == kept.len();
    for (way, memory) in &kept {
        let Some(difference) = difference(most, memory) else {
            continue;
        };
        let line = format!("{way}: {difference}");
        if one_agrees && alone && !["CPU", "optimized"].contains(way) {
            verdict.driver.push(line);
        } else {
            verdict.wrong.push(line);
        }
    }
    verdict
}

/// Runs the shader file that `ANYWARP_FILE` names.
#[test]
#[ignore = "for a closer look at one shader"]
fn a_file_gives_the_same() {
    let Some(machines) = Machines::find() else {
        return;
    };
    let file = std::env::var("ANYWARP_FILE").unwrap();
    let made = Made {
        source: std::fs::read_to_string(file).unwrap(),
        constants: Vec::new(),
    };
    let on_cpu = std::env::var("ANYWARP_ON_CPU").is_ok();
    let found = verdict(&machines, &made, "-O", on_cpu);
    assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
    assert!(found.driver.is_empty(), "driver: {:?}", found.driver);
}

fn check(extras: Extras, usual: u64, on_cpu: bool) {
    let Some(machines) = Machines::find() else {
        return;
    };
    let (mut wrong, mut first, mut driver) = (Vec::new(), None, Vec::new());
    let mut invalid = 0;
    let seeds = seeds(usual);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let made = values::shader(seed, extras);
        let how = ["-O", "-Os"][(seed & 1) as usize];
        let found = verdict(&machines, &made, how, on_cpu);
        if !found.wrong.is_empty() {
            first.get_or_insert_with(|| made.source.clone());
            keep(&format!("{seed}.comp"), &made.source);
        }
        invalid += u64::from(found.is_invalid);
        wrong.extend(found.wrong.iter().map(|it| format!("seed {seed}: {it}")));
        driver.extend(found.driver.iter().map(|it| format!("seed {seed}, {it}")));
    }
    say(&format!(
        "{count} shaders with {extras:?}; {invalid} invalid; the driver is wrong in {}: {driver:#?}\n",
        driver.len()
    ));
    assert!(
        wrong.is_empty(),
        "{}\n{}",
        wrong.join("\n"),
        first.unwrap_or_default()
    );
    assert!(driver.len() as u64 <= count / 10, "{driver:#?}");
    assert!(invalid <= count / 2, "only {} are valid", count - invalid);
}

#[test]
fn generated_values_are_the_same() {
    check(Extras::default(), 8, true);
}

#[test]
fn generated_narrow_integers_are_the_same() {
    let extras = Extras {
        narrow: true,
        ..Extras::default()
    };
    check(extras, 4, true);
}

#[test]
fn generated_wide_integers_are_the_same() {
    let extras = Extras {
        wide: true,
        ..Extras::default()
    };
    check(extras, 3, false);
}

#[test]
fn generated_doubles_are_the_same() {
    let extras = Extras {
        doubles: true,
        ..Extras::default()
    };
    check(extras, 3, false);
}

#[test]
fn generated_values_with_constants_are_the_same() {
    let extras = Extras {
        constants: true,
        ..Extras::default()
    };
    check(extras, 4, true);
}

#[test]
fn generated_subgroups_are_the_same() {
    let extras = Extras {
        subgroups: true,
        ..Extras::default()
    };
    check(extras, 3, false);
}
