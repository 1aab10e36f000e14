//! Translations of a module for the driver, and the comparison of two images.

use anywarp_program::Program;
use anywarp_spirv::{Discard, ReadOptions, SpirvOptions, read, write_spirv};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

use crate::common::gpu::Shader;
use crate::common::tools::{Tools, bytes};
use crate::render::scene::{Image, Scene, Targets};

/// The words of a vertex and a fragment shader.
pub(crate) struct Pair {
    pub(crate) vertex: Vec<u32>,
    pub(crate) fragment: Vec<u32>,
}

/// Translates to WGSL with our reader and writer.
pub(crate) fn as_wgsl(words: &[u32], options: &ReadOptions) -> Result<Shader, String> {
    let reading = read(&bytes(words), options).map_err(|error| format!("not read: {error}"))?;
    let text = write_wgsl(&reading.program, &WgslOptions::new(Dialect::Naga));
    Ok(Shader::Wgsl(
        text.map_err(|error| format!("no WGSL: {error}"))?,
    ))
}

/// Translates to WGSL, from there to SPIR-V, and back to WGSL.
fn as_wgsl_again(words: &[u32]) -> Result<Shader, String> {
    let Shader::Wgsl(text) = as_wgsl(words, &ReadOptions::default())? else {
        return Err("no WGSL".to_owned());
    };
    let program = Program::from_wgsl(&text).map_err(|error| format!("{error}"))?;
    let words = write_spirv(&program, &SpirvOptions::default());
    let words = words.map_err(|error| format!("no SPIR-V from the WGSL: {error}"))?;
    as_wgsl(&words, &ReadOptions::default())
}

/// Translates to SPIR-V with our reader and writer.
pub(crate) fn as_words(tools: &Tools, words: &[u32]) -> Result<Shader, String> {
    let options = ReadOptions::default();
    let reading = read(&bytes(words), &options).map_err(|error| format!("not read: {error}"))?;
    let mut options = SpirvOptions::default();
    options.discard = Discard::Demote;
    let written = write_spirv(&reading.program, &options);
    let written = written.map_err(|error| format!("no SPIR-V: {error}"))?;
    if let Some(fault) = tools.fault(&written) {
        return Err(format!("spirv-val refuses what is written: {fault}"));
    }
    Ok(Shader::Words(written))
}

/// Draws a pair unchanged and in all translations. Returns the errors, and the images of the unchanged pair.
pub(crate) fn compare(
    scene: &Scene,
    tools: &Tools,
    pair: &Pair,
    targets: &Targets,
    optimized: &[&str],
) -> (Vec<String>, Vec<Image>) {
    let original = (
        Shader::Words(pair.vertex.clone()),
        Shader::Words(pair.fragment.clone()),
    );
    let before = match scene.draw(&original.0, &original.1, targets) {
        Ok(images) => images,
        Err(error) => return (vec![format!("as it is: {error}")], Vec::new()),
    };
    let mut wrong = Vec::new();
    let mut check =
        |way: &str, vertex: Result<Shader, String>, fragment: Result<Shader, String>| {
            let images = vertex.and_then(|vertex| scene.draw(&vertex, &fragment?, targets));
            let fault = images.and_then(|after| match difference(&before, &after) {
                Some(difference) => Err(difference),
                None => Ok(()),
            });
            wrong.extend(fault.err().map(|fault| format!("{way}: {fault}")));
        };
    let options = ReadOptions::default();
    check(
        "as WGSL",
        as_wgsl(&pair.vertex, &options),
        as_wgsl(&pair.fragment, &options),
    );
    let (vertex, fragment) = (
        as_words(tools, &pair.vertex),
        as_words(tools, &pair.fragment),
    );
    check("as SPIR-V again", vertex.clone(), fragment.clone());
    // If both are translated, errors of both could cancel each other out.
    check("the vertex shader alone", vertex, Ok(original.1));
    check("the fragment shader alone", Ok(original.0), fragment);
    check(
        "as WGSL, SPIR-V and WGSL",
        as_wgsl_again(&pair.vertex),
        as_wgsl_again(&pair.fragment),
    );
    for how in optimized {
        let shorter = |words: &[u32]| tools.optimize(words, how);
        let (vertex, fragment) = (shorter(&pair.vertex), shorter(&pair.fragment));
        check(
            &format!("as WGSL after spirv-opt {how}"),
            as_wgsl(&vertex, &options),
            as_wgsl(&fragment, &options),
        );
    }
    (wrong, before)
}

/// Tolerance of floats: compilers may contract to fused multiply-add.
const ALLOWED: f32 = 2e-6;

/// The first difference, if there is one.
pub(crate) fn difference(before: &[Image], after: &[Image]) -> Option<String> {
    let differ = |is_float: bool, a: u32, b: u32| {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        a != b && !(is_float && (x - y).abs() <= ALLOWED * x.abs().max(1.0))
    };
    for (number, (before, after)) in before.iter().zip(after).enumerate() {
        let pairs = before.words.iter().zip(&after.words).enumerate();
        let wrong: Vec<_> = pairs
            .filter(|(_, (a, b))| differ(before.is_float, **a, **b))
            .collect();
        let Some((at, _)) = wrong.first() else {
            continue;
        };
        let texel = at / before.width;
        let shown = |image: &Image| {
            let words = &image.words[texel * image.width..][..image.width];
            if image.is_float {
                format!("{:?}", bytemuck::cast_slice::<u32, f32>(words))
            } else {
                format!("{words:x?}")
            }
        };
        let side = crate::render::scene::SIDE as usize;
        return Some(format!(
            "target {number}: {} numbers differ, the first at ({}, {}): {} was {}",
            wrong.len(),
            texel % side,
            texel / side,
            shown(after),
            shown(before),
        ));
    }
    None
}
