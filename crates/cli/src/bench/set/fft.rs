//! The row `fft`: a Fourier transform in passes of radix 2.

use super::super::reference::fft as reference;
use super::super::task::{Contents, Task};
use super::Size;
use super::parts::{CLOSE, floats, nearly, pass, sized, units};

pub(super) fn fft(name: &'static str, size: Size) -> Task {
    let bits: u32 = size.choose(20, 10);
    let count = 1_u32 << bits;
    let signal = units(13, 2 * count as usize);
    let expected = reference::transform(&signal);
    let mut buffers = vec![floats(&signal), Contents::Zeros(signal.len())];
    let mut passes = vec![pass(0, &[0, 1], [count / 256, 1])];
    for step in 0..bits {
        passes.push(pass(1, &[1, buffers.len()], [count / 512, 1]));
        buffers.push(Contents::Words(vec![1 << step]));
    }
    let reverse = include_str!("../../../benches/kernels/fft_reverse.wgsl");
    Task {
        name,
        shaders: vec![
            sized(reverse, &[("BITS", bits)]),
            include_str!("../../../benches/kernels/fft.wgsl").to_owned(),
        ],
        buffers,
        passes,
        check: nearly(1, &expected, CLOSE),
        work: f64::from(count * bits),
        repeats: 1,
    }
}
