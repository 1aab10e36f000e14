//! Tools to build tasks: shaders at a size, passes, buffers and checks.

use super::super::reference::xorshift;
use super::super::task::{Check, Contents, Pass, digest};

/// Tolerance for builtins with accuracy bounds and for products and sums that may be fused.
pub(super) const CLOSE: f64 = 1e-4;

/// A shader with some of its constants replaced.
pub(super) fn with_constants(text: &str, constants: &[(&str, String)]) -> String {
    let mut text = text.to_owned();
    for (old, new) in constants {
        text = text.replace(old, new);
    }
    text
}

pub(super) fn pass(shader: usize, buffers: &[usize], grid: [u32; 2]) -> Pass {
    Pass {
        shader,
        buffers: buffers.to_vec(),
        grid: [grid[0], grid[1], 1],
    }
}

/// Generates words by their indices.
pub(super) fn words(count: usize, word: impl FnMut(usize) -> u32) -> Contents {
    Contents::Words((0..count).map(word).collect())
}

pub(super) fn once(expected: f64) -> Box<dyn Fn(u32) -> f64> {
    Box::new(move |_| expected)
}

/// A shader with some of its constants, such as `const N: u32 = 1024u;`, set to other values.
///
/// # Panics
///
/// If it does not declare one of them.
pub(super) fn sized(text: &str, constants: &[(&str, u32)]) -> String {
    let mut text = text.to_owned();
    for (name, value) in constants {
        let declared = ["u32", "i32"].into_iter().find_map(|kind| {
            let start = format!("const {name}: {kind} = ");
            let from = text.find(&start)? + start.len();
            let digits = text[from..].find(|it: char| !it.is_ascii_digit())?;
            Some(from..from + digits)
        });
        let digits = declared.expect("the shader declares the constant");
        text.replace_range(digits, &value.to_string());
    }
    text
}

/// Pseudo-random floats from 0 up to, but not including, 1.
pub(super) fn units(seed: u32, count: usize) -> Vec<f32> {
    let unit = |word: u32| (word >> 8) as f32 / (1 << 24) as f32;
    xorshift(seed).take(count).map(unit).collect()
}

/// A buffer with initial floats.
pub(super) fn floats(numbers: &[f32]) -> Contents {
    Contents::Words(bytemuck::cast_slice(numbers).to_vec())
}

/// The check of a buffer that holds the same words after each run.
pub(super) fn exactly(buffer: usize, words: &[u32]) -> Option<Check> {
    Some(Check {
        buffer,
        digest: digest::hash,
        expected: once(digest::hash(words)),
        tolerance: 0.0,
    })
}

/// The check of a buffer that holds nearly the same floats after each run.
pub(super) fn nearly(buffer: usize, numbers: &[f32], tolerance: f64) -> Option<Check> {
    let words: &[u32] = bytemuck::cast_slice(numbers);
    Some(Check {
        buffer,
        digest: digest::float_moment,
        expected: once(digest::float_moment(words)),
        tolerance,
    })
}

/// The source and target of each step where every run starts from buffer 0, and later steps alternate between
/// buffers 1 and 2.
pub(super) fn alternating(steps: usize) -> impl Iterator<Item = (usize, usize)> {
    let target = |step: usize| 1 + step % 2;
    (0..steps).map(move |step| (step.checked_sub(1).map_or(0, target), target(step)))
}
