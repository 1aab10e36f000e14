//! Differential tests of rendering: a pair of vertex and fragment shader draws the same pixels before and after
//! translation.
//!
//! Each pair is drawn on a Vulkan device unchanged, as WGSL, as rewritten SPIR-V, with only one of the two shaders
//! translated, and translated after spirv-opt. All samples of all targets are compared.

mod generator;
mod scene;
mod ways;

use std::path::Path;

use anywarp_spirv::ReadOptions;

use crate::common::gpu::Shader;
use crate::common::tools::Tools;
use crate::common::{say, seeds};
use scene::{Image, Scene, Targets};
use ways::Pair;

/// Both shaders of a case: one GLSL file, in which the macro `VERTEX` selects the stage.
fn pair(tools: &Tools, source: &str) -> Pair {
    Pair {
        vertex: tools.compile(source, "vert", &["VERTEX"]),
        fragment: tools.compile(source, "frag", &["FRAGMENT"]),
    }
}

#[test]
fn pairs_draw_the_same() {
    let (Some(scene), Some(tools)) = (Scene::open(), Tools::find()) else {
        return;
    };
    let only = std::env::var("ANYWARP_CASE").ok();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/render/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    files.sort();
    let (mut wrong, mut count) = (Vec::new(), 0);
    let mut seen = std::collections::HashSet::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let source = std::fs::read_to_string(&file).unwrap();
        let first = source.lines().next().unwrap();
        let targets = Targets::parse(first.strip_prefix("// ").unwrap());
        let pair = pair(&tools, source.split_once('\n').unwrap().1);
        let how = ["-O", "-Os"][count % 2];
        let (faults, images) = ways::compare(&scene, &tools, &pair, &targets, &[how]);
        wrong.extend(faults.iter().map(|fault| format!("{name}, {fault}")));
        for image in &images {
            let first = &image.words[..image.width];
            if image.words.chunks(image.width).all(|texel| texel == first) {
                wrong.push(format!("{name}: an image of one color proves nothing"));
            }
        }
        let images: Vec<_> = images.into_iter().map(|it| it.words).collect();
        seen.insert(images);
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(seen.len(), count, "two cases draw the same");
}

#[test]
fn generated_pairs_draw_the_same() {
    let (Some(scene), Some(tools)) = (Scene::open(), Tools::find()) else {
        return;
    };
    let (mut wrong, mut first) = (Vec::new(), String::new());
    let seeds = seeds(10);
    for seed in seeds.clone() {
        let made = generator::pair(seed);
        let pair = pair(&tools, &made.source);
        let how = ["-O", "-Os"][(seed & 1) as usize];
        let (faults, _) = ways::compare(&scene, &tools, &pair, &made.targets, &[how]);
        if wrong.is_empty() && !faults.is_empty() {
            first = format!("{:?}\n{}", made.targets, made.source);
        }
        wrong.extend(faults.iter().map(|fault| format!("seed {seed}, {fault}")));
    }
    say(&format!("{} generated pairs\n", seeds.end - seeds.start));
    assert!(wrong.is_empty(), "{}\n{first}", wrong.join("\n"));
}

/// With `flip_y`, the image is upside down.
#[test]
fn flipped_positions_draw_upside_down() {
    let (Some(scene), Some(tools)) = (Scene::open(), Tools::find()) else {
        return;
    };
    let source = include_str!("cases/per_vertex.glsl");
    let pair = pair(&tools, source.split_once('\n').unwrap().1);
    let targets = Targets::parse("rgba32float");
    let fragment = Shader::Words(pair.fragment);
    let mut options = ReadOptions::default();
    let mut draw = |flips: bool| {
        options.flip_y = flips;
        let vertex = ways::as_wgsl(&pair.vertex, &options).unwrap();
        scene.draw(&vertex, &fragment, &targets).unwrap().remove(0)
    };
    let (before, after) = (draw(false), draw(true));
    let row = before.width * scene::SIDE as usize;
    let flipped = Image {
        words: before.words.chunks(row).rev().flatten().copied().collect(),
        ..before.clone()
    };
    assert_ne!(before.words, flipped.words);
    let difference = ways::difference(&[flipped], &[after]);
    assert_eq!(difference, None);
}

/// Constructs that GLSL lacks: initial values of outputs, stores of whole builtin blocks, structs with the location of
/// the variable.
#[test]
fn pairs_in_assembly_draw_the_same() {
    let (Some(scene), Some(tools)) = (Scene::open(), Tools::find()) else {
        return;
    };
    let pair = Pair {
        vertex: tools.assemble(include_str!("assembly/pair.vert.spvasm")),
        fragment: tools.assemble(include_str!("assembly/pair.frag.spvasm")),
    };
    assert_eq!(tools.fault(&pair.vertex), None);
    assert_eq!(tools.fault(&pair.fragment), None);
    let targets = Targets::parse("rgba32float rgba32uint");
    let (faults, images) = ways::compare(&scene, &tools, &pair, &targets, &["-O"]);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Initial values where the shader stores nothing, and twice the initial value where it stores that.
    let texel = |image: &Image, x: usize| image.words[x * image.width..][..image.width].to_vec();
    assert_eq!(
        texel(&images[0], 3),
        [1.0, 2.0, 9.0, 15.0].map(f32::to_bits)
    );
    assert_eq!(texel(&images[1], 12), [7, 8, 7, 8]);
    assert_eq!(texel(&images[1], 20), [14, 16, 14, 16]);
}
