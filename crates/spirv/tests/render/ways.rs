//! The ways from a module to the driver, and what differs between two drawings.

use anywarp_program::Program;
use anywarp_spirv::{Discard, ReadOptions, SpirvOptions, read, write_spirv};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

use crate::common::gpu::Shader;
use crate::common::tools::{Tools, bytes};
use crate::scene::{Image, Scene, Targets};

/// A vertex and a fragment shader as words.
pub(crate) struct Pair {
    pub(crate) vertex: Vec<u32>,
    pub(crate) fragment: Vec<u32>,
}

/// WGSL by way of our reader and writer.
pub(crate) fn as_wgsl(words: &[u32], options: &ReadOptions) -> Result<Shader, String> {
    let reading = read(&bytes(words), options).map_err(|error| format!("not read: {error}"))?;
    let text = write_wgsl(&reading.program, &WgslOptions::new(Dialect::Naga));
    Ok(Shader::Wgsl(
        text.map_err(|error| format!("no WGSL: {error}"))?,
    ))
}

/// WGSL after a second round through SPIR-V.
fn as_wgsl_again(words: &[u32]) -> Result<Shader, String> {
    let Shader::Wgsl(text) = as_wgsl(words, &ReadOptions::default())? else {
        return Err("no WGSL".to_owned());
    };
    let program = Program::from_wgsl(&text).map_err(|error| format!("{error}"))?;
    let words = write_spirv(&program, &SpirvOptions::default());
    let words = words.map_err(|error| format!("no SPIR-V from the WGSL: {error}"))?;
    as_wgsl(&words, &ReadOptions::default())
}

/// SPIR-V by way of our reader and writer.
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

/// Draws a pair as it is and in every other way. Gives what is wrong and the image as it is.
pub(crate) fn compare(
    scene: &Scene,
    tools: &Tools,
    pair: &Pair,
    targets: &Targets,
    optimised: &[&str],
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
    // Both could be wrong in the same way.
    check("the vertex shader alone", vertex, Ok(original.1));
    check("the fragment shader alone", Ok(original.0), fragment);
    check(
        "as WGSL, SPIR-V and WGSL",
        as_wgsl_again(&pair.vertex),
        as_wgsl_again(&pair.fragment),
    );
    for how in optimised {
        let shorter = |words: &[u32]| tools.optimise(words, how);
        let (vertex, fragment) = (shorter(&pair.vertex), shorter(&pair.fragment));
        check(
            &format!("as WGSL after spirv-opt {how}"),
            as_wgsl(&vertex, &options),
            as_wgsl(&fragment, &options),
        );
    }
    (wrong, before)
}

/// Floats may differ in their last bits: compilers choose how to add what is multiplied.
const ALLOWED: f32 = 2e-6;

/// What differs, if anything does.
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
            match image.is_float {
                true => format!("{:?}", bytemuck::cast_slice::<u32, f32>(words)),
                false => format!("{words:x?}"),
            }
        };
        let side = crate::scene::SIDE as usize;
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
