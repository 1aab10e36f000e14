//! References of the rows that are limited by arithmetic.

use super::xorshift;

/// The sum of the iteration counts of all points of a square picture.
pub(in crate::bench) fn mandelbrot(width: u32) -> f64 {
    let step = 3.0 / width as f32;
    let point = |x: u32, y: u32| {
        let (cx, cy) = (-2.0 + x as f32 * step, -1.5 + y as f32 * step);
        let (mut x, mut y) = (0.0_f32, 0.0_f32);
        let escapes = |_: &u32| {
            let (x2, y2) = (x * x, y * y);
            let outside = x2 + y2 > 4.0;
            y = 2.0 * x * y + cy;
            x = x2 - y2 + cx;
            outside
        };
        (0..256).find(escapes).unwrap_or(256)
    };
    let rows = (0..width).map(|y| (0..width).map(|x| f64::from(point(x, y))).sum::<f64>());
    rows.sum()
}

/// The sum of a product of two square matrices.
pub(in crate::bench) fn matmul(a: &[u32], b: &[u32], n: usize) -> f64 {
    let float = |word: u32| f64::from(f32::from_bits(word));
    // The sum of all elements of a product is the sum of (column sum of the first) times (row sum of the second).
    let column = |k: usize| (0..n).map(|row| float(a[row * n + k])).sum::<f64>();
    let row = |k: usize| (0..n).map(|column| float(b[k * n + column])).sum::<f64>();
    (0..n).map(|k| column(k) * row(k)).sum()
}

/// The sum of the magnitudes of all acceleration components.
pub(in crate::bench) fn nbody(bodies: &[u32]) -> f64 {
    let bodies: Vec<[f32; 4]> = bodies
        .as_chunks::<4>()
        .0
        .iter()
        .map(|words| words.map(f32::from_bits))
        .collect();
    let pull = |[x, y, z, _]: &[f32; 4]| {
        let mut force = [0.0_f32; 3];
        for [qx, qy, qz, mass] in &bodies {
            let d = [qx - x, qy - y, qz - z];
            let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01;
            let inverse = 1.0 / r2.sqrt();
            let factor = mass * inverse * inverse * inverse;
            for (force, d) in force.iter_mut().zip(d) {
                *force += d * factor;
            }
        }
        force.iter().map(|it| f64::from(it.abs())).sum::<f64>()
    };
    bodies.iter().map(pull).sum()
}

/// The exclusive or of all hashes.
pub(in crate::bench) fn hash(invocations: u32) -> f64 {
    let all = (0..invocations).fold(0, |all, id| all ^ hash_of(id));
    f64::from(all)
}

fn hash_of(id: u32) -> u32 {
    let [mut a, mut b, mut c, mut d] = [0x6a09_e667_u32, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a];
    let [mut e, mut f, mut g, mut h] = [0x510e_527f_u32, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
    let words = xorshift(id.wrapping_mul(2_654_435_761).wrapping_add(1));
    for w in words.take(64) {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let t1 = h
            .wrapping_add(s1)
            .wrapping_add((e & f) ^ (!e & g))
            .wrapping_add(0x428a_2f98)
            .wrapping_add(w);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        [h, g, f, e] = [g, f, e, d.wrapping_add(t1)];
        [d, c, b, a] = [c, b, a, t1.wrapping_add(t2)];
    }
    a ^ b ^ c ^ d ^ e ^ f ^ g ^ h
}

/// The sum of all results.
pub(in crate::bench) fn transcendental(invocations: u32) -> f64 {
    let one = |id: u32| {
        let mut x = id as f32 * 0.00001 + 0.1;
        let mut all = 0.0_f32;
        for _ in 0..16 {
            let (s, c) = (x.sin(), (x * 1.7).cos());
            let p = (s.abs() + 0.5).powf(1.3 + 0.1 * c);
            all += (-s * c).exp() * p;
            x += 0.37 * p;
        }
        f64::from(all)
    };
    (0..invocations).map(one).sum()
}
