//! Operations on whole vectors.
//!
//! Sums run from the first component to the last, each step rounded to f32.

use super::float;
use crate::code::{Geometric, Reg};

/// The components of a vector of at most four floats.
fn vector(r: &[u32], first: usize, n: usize) -> [f32; 4] {
    let mut components = [0.0; 4];
    for (component, bits) in components.iter_mut().zip(&r[first..first + n]) {
        *component = f32::from_bits(*bits);
    }
    components
}

fn put(r: &mut [u32], dst: usize, components: &[f32]) {
    for (register, component) in r[dst..].iter_mut().zip(components) {
        *register = component.to_bits();
    }
}

fn dot(x: &[f32], y: &[f32]) -> f32 {
    let mut products = x.iter().zip(y).map(|(x, y)| x * y);
    // Beginning with the first product keeps the sign of a zero sum.
    let first = products.next().unwrap_or(0.0);
    products.fold(first, |sum, product| sum + product)
}

fn length(x: &[f32]) -> f32 {
    match x {
        [x] => x.abs(),
        _ => dot(x, x).sqrt(),
    }
}

pub(super) fn run(r: &mut [u32], op: Geometric, n: usize, dst: usize, args: [Reg; 3]) {
    use Geometric as G;
    let [a, b, c] = args.map(|reg| reg as usize);
    match op {
        G::All => r[dst] = u32::from(r[a..a + n].iter().all(|&x| x != 0)),
        G::Any => r[dst] = u32::from(r[a..a + n].iter().any(|&x| x != 0)),
        G::DotInt => {
            r[dst] = (0..n).fold(0u32, |sum, i| {
                sum.wrapping_add(r[a + i].wrapping_mul(r[b + i]))
            });
        }
        G::DotF32 => {
            r[dst] = dot(&vector(r, a, n)[..n], &vector(r, b, n)[..n]).to_bits();
        }
        G::Length => r[dst] = length(&vector(r, a, n)[..n]).to_bits(),
        G::Distance => {
            let (x, y) = (vector(r, a, n), vector(r, b, n));
            let difference: [f32; 4] = std::array::from_fn(|i| x[i] - y[i]);
            r[dst] = length(&difference[..n]).to_bits();
        }
        G::Normalize => {
            let x = vector(r, a, n);
            let length = length(&x[..n]);
            put(r, dst, &x.map(|x| x / length)[..n]);
        }
        G::Cross => {
            let (x, y) = (vector(r, a, 3), vector(r, b, 3));
            let component = |i: usize, j: usize| x[i] * y[j] - x[j] * y[i];
            put(r, dst, &[component(1, 2), component(2, 0), component(0, 1)]);
        }
        G::FaceForward => {
            let (x, i, normal) = (vector(r, a, n), vector(r, b, n), vector(r, c, n));
            let faces = dot(&i[..n], &normal[..n]) < 0.0;
            put(r, dst, &x.map(|x| if faces { x } else { -x })[..n]);
        }
        G::Reflect => {
            let (x, normal) = (vector(r, a, n), vector(r, b, n));
            let twice = 2.0 * dot(&normal[..n], &x[..n]);
            let reflected: [f32; 4] = std::array::from_fn(|i| x[i] - twice * normal[i]);
            put(r, dst, &reflected[..n]);
        }
        G::Refract => {
            let (x, normal) = (vector(r, a, n), vector(r, b, n));
            let eta = f32::from_bits(r[c]);
            let cosine = dot(&normal[..n], &x[..n]);
            let k = 1.0 - eta * eta * (1.0 - cosine * cosine);
            let refracted: [f32; 4] = if k < 0.0 {
                [0.0; 4]
            } else {
                let along = eta * cosine + k.sqrt();
                std::array::from_fn(|i| eta * x[i] - along * normal[i])
            };
            put(r, dst, &refracted[..n]);
        }
        G::Modf => {
            for i in 0..n {
                let (fraction, whole) = float::modf(f32::from_bits(r[a + i]));
                r[dst + i] = fraction.to_bits();
                r[dst + n + i] = whole.to_bits();
            }
        }
        G::Frexp => {
            for i in 0..n {
                let (fraction, exponent) = float::frexp(f32::from_bits(r[a + i]));
                r[dst + i] = fraction.to_bits();
                r[dst + n + i] = exponent as u32;
            }
        }
    }
}
