//! Vector functions.
//!
//! Sums run from the first component to the last, each step rounded to the type of the computation.

use super::real::{Float, Real};
use super::{float, number};
use crate::bytecode::Geometric;

/// The components of a vector of at most four floats.
fn vector<F: Float>(r: &[u32], first: usize, n: usize) -> [F::Real; 4] {
    let mut components = [F::Real::ZERO; 4];
    for (i, component) in components.iter_mut().enumerate().take(n) {
        *component = F::get(r, first, i);
    }
    components
}

fn put<F: Float>(r: &mut [u32], dst: usize, components: &[F::Real]) {
    for (i, component) in components.iter().enumerate() {
        F::put(r, dst, i, *component);
    }
}

fn dot<R: Real>(x: &[R], y: &[R]) -> R {
    let mut products = x.iter().zip(y).map(|(&x, &y)| x * y);
    // Beginning with the first product keeps the sign of a zero sum.
    let first = products.next().unwrap_or(R::ZERO);
    products.fold(first, |sum, product| sum + product)
}

fn length<R: Real>(x: &[R]) -> R {
    match x {
        [x] => x.abs(),
        _ => dot(x, x).sqrt(),
    }
}

pub(super) fn run<F: Float>(r: &mut [u32], op: Geometric, n: usize, dst: usize, args: [usize; 3]) {
    use Geometric as G;
    let [a, b, c] = args;
    match op {
        G::All => r[dst] = u32::from(r[a..a + n].iter().all(|&x| x != 0)),
        G::Any => r[dst] = u32::from(r[a..a + n].iter().any(|&x| x != 0)),
        G::DotInt => {
            r[dst] = (0..n).fold(0u32, |sum, i| {
                sum.wrapping_add(r[a + i].wrapping_mul(r[b + i]))
            });
        }
        G::DotF32 => {
            let product = dot(&vector::<F>(r, a, n)[..n], &vector::<F>(r, b, n)[..n]);
            F::put(r, dst, 0, product);
        }
        G::Length => F::put(r, dst, 0, length(&vector::<F>(r, a, n)[..n])),
        G::Distance => {
            let (x, y) = (vector::<F>(r, a, n), vector::<F>(r, b, n));
            let difference: [F::Real; 4] = std::array::from_fn(|i| x[i] - y[i]);
            F::put(r, dst, 0, length(&difference[..n]));
        }
        G::Normalize => {
            let x = vector::<F>(r, a, n);
            let length = length(&x[..n]);
            put::<F>(r, dst, &x.map(|x| x / length)[..n]);
        }
        G::Cross => {
            let (x, y) = (vector::<F>(r, a, 3), vector::<F>(r, b, 3));
            let component = |i: usize, j: usize| x[i] * y[j] - x[j] * y[i];
            put::<F>(r, dst, &[component(1, 2), component(2, 0), component(0, 1)]);
        }
        G::FaceForward => {
            let [x, i, normal] = [a, b, c].map(|arg| vector::<F>(r, arg, n));
            let faces = dot(&i[..n], &normal[..n]) < F::Real::ZERO;
            put::<F>(r, dst, &x.map(|x| if faces { x } else { -x })[..n]);
        }
        G::Reflect => {
            let (x, normal) = (vector::<F>(r, a, n), vector::<F>(r, b, n));
            let twice = F::Real::of(2.0) * dot(&normal[..n], &x[..n]);
            let reflected: [F::Real; 4] = std::array::from_fn(|i| x[i] - twice * normal[i]);
            put::<F>(r, dst, &reflected[..n]);
        }
        G::Refract => refract::<F>(r, dst, n, args),
        G::Modf => modf::<F>(r, dst, n, a),
        G::Frexp => frexp::<F>(r, dst, n, a),
    }
}

fn refract<F: Float>(r: &mut [u32], dst: usize, n: usize, [a, b, c]: [usize; 3]) {
    let (zero, one) = (F::Real::ZERO, F::Real::ONE);
    let (x, normal) = (vector::<F>(r, a, n), vector::<F>(r, b, n));
    let eta = F::get(r, c, 0);
    let cosine = dot(&normal[..n], &x[..n]);
    let k = one - eta * eta * (one - cosine * cosine);
    let refracted: [F::Real; 4] = if k < zero {
        [zero; 4]
    } else {
        let along = eta * cosine + k.sqrt();
        std::array::from_fn(|i| eta * x[i] - along * normal[i])
    };
    put::<F>(r, dst, &refracted[..n]);
}

/// Fractions, then whole parts. Both are exact in `f64`.
fn modf<F: Float>(r: &mut [u32], dst: usize, n: usize, a: usize) {
    for i in 0..n {
        let (fraction, whole) = float::modf(F::get(r, a, i).into());
        F::put(r, dst, i, F::Real::of(fraction));
        F::put(r, dst, n + i, F::Real::of(whole));
    }
}

/// Fractions, then exponents. Both are exact in `f64`.
fn frexp<F: Float>(r: &mut [u32], dst: usize, n: usize, a: usize) {
    for i in 0..n {
        let (fraction, exponent) = float::frexp(F::get(r, a, i).into());
        F::put(r, dst, i, F::Real::of(fraction));
        // Exponents are as wide as fractions.
        number::put_integer(r, F::EXPONENT, dst, n + i, i128::from(exponent));
    }
}
