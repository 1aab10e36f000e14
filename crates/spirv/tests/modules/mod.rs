//! Modules in the form that compilers produce, with input buffers and expected results.
//!
//! In: `cases/*.comp`. Each begins with lines that define the buffers at the bindings 0, 1, ... (`// buffer: WORDS`,
//! `// read: WORDS`, `// uniform: WORDS`, `// buffers: WORDS | WORDS` for an array), the push constants
//! (`// immediates: WORDS`), and the expected content of the first buffer (`// expect: WORDS`). Each case runs
//! unchanged on a Vulkan device, if there is one, and translated on the CPU device: as read, as WGSL, and as rewritten
//! SPIR-V.

mod dispatch;

use std::path::Path;

use crate::common::gpu::{Gpu, Shader};
use crate::common::tools::{Tools, bytes};
use anywarp_program::Program;
use anywarp_spirv::write_spirv;
use anywarp_spirv::{ReadOptions, SpirvOptions, read};
use anywarp_wgsl_writer::write_wgsl;
use anywarp_wgsl_writer::{Dialect, WgslOptions};
use dispatch::{Binding, run};

struct Case {
    name: String,
    source: String,
    bindings: Vec<Binding>,
    immediates: Vec<u32>,
    expected: Vec<u32>,
}

fn numbers(text: &str) -> Vec<u32> {
    let words = text.split_whitespace();
    words.map(|it| it.parse().unwrap()).collect()
}

impl Case {
    fn read(path: &Path) -> Self {
        let mut case = Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            source: std::fs::read_to_string(path).unwrap(),
            bindings: Vec::new(),
            immediates: Vec::new(),
            expected: Vec::new(),
        };
        let lines = case.source.lines();
        let lines = lines.map_while(|line| line.strip_prefix("// ")?.split_once(": "));
        for (what, text) in lines {
            match what {
                "buffer" => case.bindings.push(Binding::Storage(numbers(text))),
                "read" => case.bindings.push(Binding::Read(numbers(text))),
                "uniform" => case.bindings.push(Binding::Uniform(numbers(text))),
                "buffers" => {
                    let all = text.split('|').map(numbers);
                    case.bindings.push(Binding::Array(all.collect()));
                }
                "immediates" => case.immediates = numbers(text),
                "expect" => case.expected = numbers(text),
                what => panic!("{}: `{what}`", case.name),
            }
        }
        assert!(!case.expected.is_empty(), "{} expects nothing", case.name);
        case
    }

    /// WebGPU's dialect, if it has all features that the case needs, else naga's.
    fn dialect(&self) -> Dialect {
        let has_array = |it: &Binding| matches!(it, Binding::Array(_));
        if self.bindings.iter().any(has_array) {
            Dialect::Naga
        } else {
            Dialect::WebGpu
        }
    }

    fn check(&self, gpu: &Gpu, way: &str, shader: &Shader) -> Result<(), String> {
        let found = run(gpu, shader, &self.bindings, &self.immediates);
        let found = found.map_err(|error| format!("{} {way}: {error}", self.name))?;
        if found == self.expected {
            Ok(())
        } else {
            let expected = &self.expected;
            Err(format!("{} {way}: {found:?}, not {expected:?}", self.name))
        }
    }
}

/// The program in all representations: as read, as WGSL, as SPIR-V.
fn ways(program: &Program, dialect: Dialect) -> Result<Vec<(&'static str, Shader)>, String> {
    let module = |program: &Program| Shader::Module(Box::new(program.module().clone()));
    let text = write_wgsl(program, &WgslOptions::new(dialect));
    let text = text.map_err(|error| format!("no WGSL: {error}"))?;
    let parsed = Program::from_wgsl(&text).map_err(|error| format!("{error}\n{text}"))?;
    let words = write_spirv(program, &SpirvOptions::default());
    let words = words.map_err(|error| format!("no SPIR-V: {error}"))?;
    let again = read(&bytes(&words), &ReadOptions::default());
    let again = again.map_err(|error| format!("its SPIR-V: {error}"))?;
    Ok(vec![
        ("as read", module(program)),
        ("as WGSL", module(&parsed)),
        ("as SPIR-V again", module(&again.program)),
    ])
}

/// Whether software drivers support the shader. Arrays of buffers and explicit workgroup layouts are less common.
fn is_common(source: &str) -> bool {
    let rare = ["// buffers:", "GL_EXT_shared_memory_block", "8bit_storage"];
    !rare.iter().any(|it| source.contains(it))
}

#[test]
fn cases_give_what_they_expect() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let (cpu, vulkan) = (Gpu::cpu(), Gpu::vulkan());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let case = Case::read(file);
        let words = tools.compile(&case.source, "comp", &[]);
        if let Some(vulkan) = vulkan.as_ref().filter(|_| is_common(&case.source)) {
            wrong.extend(
                case.check(vulkan, "on Vulkan", &Shader::Words(words.clone()))
                    .err(),
            );
        }
        let ways = match read(&bytes(&words), &ReadOptions::default()) {
            Ok(reading) => ways(&reading.program, case.dialect()),
            Err(error) => Err(error.to_string()),
        };
        match ways {
            Ok(ways) => {
                let all = ways.iter();
                wrong.extend(all.filter_map(|(way, it)| case.check(&cpu, way, it).err()));
            }
            Err(error) => wrong.push(format!("{}: {error}", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.len() > 20, "only {} cases", files.len());
}
