//! Inputs, outputs and interface lists of entry points (requirements S9 to S11).

use std::collections::{HashMap, HashSet};

use anywarp_program::Program;
use anywarp_spirv::{SpirvOptions, write_spirv};
use rspirv::dr::{Module, Operand, load_words};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};

use crate::spirv_out::corpus;

fn written(program: &Program, minor: u8) -> Option<Module> {
    let mut options = SpirvOptions::default();
    options.version = (1, minor);
    // rspirv does not support the execution mode `LocalSizeId`.
    load_words(write_spirv(program, &options).ok()?).ok()
}

fn class(instruction: &rspirv::dr::Instruction) -> Option<StorageClass> {
    match instruction.operands.first() {
        Some(Operand::StorageClass(class)) if instruction.class.opcode == Op::Variable => {
            Some(*class)
        }
        _ => None,
    }
}

/// The global variables that a function uses, directly or through calls.
fn used(module: &Module, function: Word, globals: &HashMap<Word, StorageClass>) -> HashSet<Word> {
    let (mut used, mut seen, mut stack) = (HashSet::new(), HashSet::new(), vec![function]);
    while let Some(id) = stack.pop() {
        let Some(function) = module.functions.iter().find(|it| it.def_id() == Some(id)) else {
            continue;
        };
        if !seen.insert(id) {
            continue;
        }
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        for operand in instructions
            .flat_map(|it| &it.operands)
            .filter_map(Operand::id_ref_any)
        {
            used.extend(globals.contains_key(&operand).then_some(operand));
            stack.push(operand);
        }
    }
    used
}

#[test]
fn interface_lists_name_what_is_used() {
    let mut entry_points = 0;
    for input in corpus::constructs() {
        for minor in [0, 3, 4, 6] {
            let Some(module) = written(&input.program, minor) else {
                continue;
            };
            let globals: HashMap<_, _> = module
                .types_global_values
                .iter()
                .filter_map(|it| Some((it.result_id?, class(it)?)))
                .collect();
            for entry in &module.entry_points {
                let Operand::IdRef(function) = entry.operands[1] else {
                    panic!()
                };
                let listed: Vec<_> = entry.operands[3..]
                    .iter()
                    .filter_map(Operand::id_ref_any)
                    .collect();
                let unique: HashSet<_> = listed.iter().copied().collect();
                assert_eq!(
                    unique.len(),
                    listed.len(),
                    "{} lists something twice",
                    input.name
                );
                let is_interface = |id: &Word| {
                    minor >= 4 || matches!(globals[id], StorageClass::Input | StorageClass::Output)
                };
                let mut wanted = used(&module, function, &globals);
                wanted.retain(is_interface);
                // Unused inputs may be listed too.
                assert!(
                    wanted.is_subset(&unique),
                    "{} at 1.{minor} lists too little",
                    input.name
                );
                assert!(
                    unique.iter().all(is_interface),
                    "{} at 1.{minor} lists too much",
                    input.name
                );
                entry_points += 1;
            }
        }
    }
    assert!(entry_points > 300, "only {entry_points} entry points");
}

#[test]
fn variables_have_a_location_or_a_builtin_and_no_structs() {
    for input in corpus::constructs() {
        let Some(module) = written(&input.program, 3) else {
            continue;
        };
        for variable in &module.types_global_values {
            if !matches!(
                class(variable),
                Some(StorageClass::Input | StorageClass::Output)
            ) {
                continue;
            }
            let decorations = module.annotations.iter().filter(|it| {
                it.class.opcode == Op::Decorate && it.operands[0].id_ref_any() == variable.result_id
            });
            let kinds: Vec<_> = decorations
                .filter_map(|it| match it.operands[1] {
                    Operand::Decoration(it @ (Decoration::Location | Decoration::BuiltIn)) => {
                        Some(it)
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(kinds.len(), 1, "{}: {kinds:?}", input.name);
        }
    }
}

#[test]
fn entry_points_return_nothing() {
    for input in corpus::constructs() {
        let Some(module) = written(&input.program, 3) else {
            continue;
        };
        for entry in &module.entry_points {
            let Operand::IdRef(id) = entry.operands[1] else {
                panic!()
            };
            let function = module
                .functions
                .iter()
                .find(|it| it.def_id() == Some(id))
                .unwrap();
            let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            assert!(
                instructions.all(|it| it.class.opcode != Op::ReturnValue),
                "{}",
                input.name
            );
        }
    }
}

#[test]
fn interpolation_moves_along() {
    let wgsl = "struct Out {
            @builtin(position) p: vec4<f32>, @location(0) @interpolate(flat) a: u32,
            @location(1) @interpolate(linear, centroid) b: f32, @location(2) @interpolate(perspective, sample) c: f32,
        }
        @vertex fn v() -> Out { return Out(); }
        @fragment fn f(in: Out) -> @location(0) vec4<f32> { return vec4<f32>(in.b + in.c + f32(in.a)); }";
    let module = written(&Program::from_wgsl(wgsl).unwrap(), 3).unwrap();
    let count = |decoration| {
        let has = |it: &&rspirv::dr::Instruction| {
            it.operands.get(1) == Some(&Operand::Decoration(decoration))
        };
        module.annotations.iter().filter(has).count()
    };
    for decoration in [
        Decoration::Flat,
        Decoration::NoPerspective,
        Decoration::Centroid,
        Decoration::Sample,
    ] {
        assert_eq!(count(decoration), 2, "{decoration:?}");
    }
}
