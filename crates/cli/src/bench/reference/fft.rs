//! The reference of the row `fft`.

use std::f64::consts::TAU;

type Complex = [f64; 2];

/// The Fourier transform of pairs of real and imaginary parts, by halving.
pub(in crate::bench) fn transform(signal: &[f32]) -> Vec<f32> {
    let pairs = signal.as_chunks::<2>().0;
    let signal: Vec<Complex> = pairs.iter().map(|pair| pair.map(f64::from)).collect();
    let narrow = |pair: Complex| pair.map(|part| part as f32);
    halves(&signal).into_iter().flat_map(narrow).collect()
}

fn halves(signal: &[Complex]) -> Vec<Complex> {
    if signal.len() <= 1 {
        return signal.to_vec();
    }
    let every_other = |from: usize| {
        let half: Vec<Complex> = signal[from..].iter().copied().step_by(2).collect();
        halves(&half)
    };
    let (even, odd) = (every_other(0), every_other(1));
    let butterflies = even.iter().zip(&odd).enumerate().map(|(k, (a, b))| {
        let (sin, cos) = (-TAU * k as f64 / signal.len() as f64).sin_cos();
        let b = [cos * b[0] - sin * b[1], cos * b[1] + sin * b[0]];
        ([a[0] + b[0], a[1] + b[1]], [a[0] - b[0], a[1] - b[1]])
    });
    let (mut low, high): (Vec<Complex>, Vec<Complex>) = butterflies.unzip();
    low.extend(high);
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_gives_the_sums_of_the_definition() {
        const COUNT: usize = 16;
        let signal: Vec<f32> = (0..2 * COUNT).map(|i| (i * 7 % 11) as f32).collect();
        let transformed = transform(&signal);
        for k in 0..COUNT {
            let mut sum = [0.0; 2];
            for (n, pair) in signal.as_chunks::<2>().0.iter().enumerate() {
                let (sin, cos) = (-TAU * (k * n) as f64 / COUNT as f64).sin_cos();
                let [re, im] = pair.map(f64::from);
                sum[0] += re * cos - im * sin;
                sum[1] += re * sin + im * cos;
            }
            for (found, sum) in transformed[2 * k..].iter().zip(sum) {
                assert!((f64::from(*found) - sum).abs() < 1e-4, "{k}: {found} {sum}");
            }
        }
    }
}
