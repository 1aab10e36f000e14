//! Round trips of generated GLSL shaders, twice through both languages.

use anywarp_spirv::{ReadOptions, SpirvOptions, read};

use crate::common::compute::{Dispatch, run};
use crate::common::gpu::{Gpu, Shader};
use crate::common::random::Random;
use crate::common::tools::{Tools, bytes};
use crate::common::{say, seeds};
use crate::round_trip::steps::steps;
use crate::round_trip::values::{self, CELLS, COUNT, Extras, FLOATS, WORDS};

#[test]
fn generated_shaders_give_the_same_after_every_step() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let cpu = Gpu::interpreter();
    let mut wrong = Vec::new();
    let seeds = seeds(8);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let extras = Extras {
            narrow: seed % 3 == 0,
            ..Extras::default()
        };
        let made = values::shader(seed, extras);
        let words = tools.compile(&made.source, "comp", &[]);
        let mut random = Random(7);
        let data = (0..COUNT * WORDS).map(|_| random.next() as u32).collect();
        let buffers = [
            (data, false),
            (vec![0; COUNT * FLOATS], false),
            (vec![1; CELLS], false),
        ];
        let on = |shader: Shader| {
            let dispatch = Dispatch {
                shader: &shader,
                entry: "main",
                workgroup: (COUNT as u32, 1, 1),
                groups: 1,
                buffers: &buffers,
                constants: &[],
            };
            run(&cpu, &dispatch)
        };
        let found = read(&bytes(&words), &ReadOptions::default())
            .map_err(|error| error.to_string())
            .and_then(|reading| {
                let steps = steps(&reading.program, &SpirvOptions::default())?;
                let module = Box::new(reading.program.module().clone());
                let before = on(Shader::Module(module))?;
                let first = on(Shader::Wgsl(steps.texts[0].clone()))?;
                let second = on(Shader::Wgsl(steps.texts[1].clone()))?;
                match (before == first, before == second) {
                    (true, true) => Ok(()),
                    which => Err(format!("equal after a round, after two: {which:?}")),
                }
            });
        wrong.extend(found.err().map(|error| format!("seed {seed}: {error}")));
    }
    say(&format!("{count} generated shaders after two rounds\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
