//! Vectors packed into words and back.

use half::f16;

use crate::bytecode::{Packing, Reg};

/// WGSL's `floor(0.5 + scale * clamp(x))`, exact because f64 holds the product and the sum.
fn quantize(x: f32, low: f64, scale: f64) -> i32 {
    // A NaN becomes zero by the cast.
    (0.5 + scale * f64::from(x).max(low).min(1.0)).floor() as i32
}

fn float(r: &[u32], reg: usize) -> f32 {
    f32::from_bits(r[reg])
}

/// Packs `4` or `2` lanes of a vector with `lane`, lowest bits first.
fn pack(r: &[u32], a: usize, lanes: usize, lane: impl Fn(u32) -> u32) -> u32 {
    let bits = 32 / lanes;
    let mask = u32::MAX >> (32 - bits);
    (0..lanes).fold(0, |word, i| word | (lane(r[a + i]) & mask) << (i * bits))
}

fn unpack(r: &mut [u32], dst: usize, word: u32, lanes: usize, lane: impl Fn(u32) -> u32) {
    let bits = 32 / lanes;
    let mask = u32::MAX >> (32 - bits);
    for i in 0..lanes {
        r[dst + i] = lane((word >> (i * bits)) & mask);
    }
}

fn normalize(r: &[u32], a: usize, lanes: usize, low: f64, scale: f64) -> u32 {
    pack(r, a, lanes, |x| {
        quantize(f32::from_bits(x), low, scale) as u32
    })
}

fn signed8(x: u32) -> i32 {
    i32::from(x as u8 as i8)
}

fn signed16(x: u32) -> i32 {
    i32::from(x as u16 as i16)
}

fn snorm(x: i32, scale: f32) -> u32 {
    (x as f32 / scale).max(-1.0).to_bits()
}

fn unorm(x: u32, scale: f32) -> u32 {
    (x as f32 / scale).to_bits()
}

pub(super) fn run(r: &mut [u32], op: Packing, dst: usize, args: [Reg; 2]) {
    use Packing as P;
    let [a, b] = args.map(|reg| reg as usize);
    let word = r[a];
    match op {
        P::Pack4x8Snorm => r[dst] = normalize(r, a, 4, -1.0, 127.0),
        P::Pack4x8Unorm => r[dst] = normalize(r, a, 4, 0.0, 255.0),
        P::Pack2x16Snorm => r[dst] = normalize(r, a, 2, -1.0, 32767.0),
        P::Pack2x16Unorm => r[dst] = normalize(r, a, 2, 0.0, 65535.0),
        P::Pack2x16Float => {
            let half = |reg| u32::from(f16::from_f32(float(r, reg)).to_bits());
            r[dst] = half(a) | half(a + 1) << 16;
        }
        P::Pack4xI8 | P::Pack4xU8 => r[dst] = pack(r, a, 4, |x| x),
        P::Pack4xI8Clamp => r[dst] = pack(r, a, 4, |x| (x as i32).clamp(-128, 127) as u32),
        P::Pack4xU8Clamp => r[dst] = pack(r, a, 4, |x| x.min(255)),
        P::Unpack4x8Snorm => unpack(r, dst, word, 4, |x| snorm(signed8(x), 127.0)),
        P::Unpack4x8Unorm => unpack(r, dst, word, 4, |x| unorm(x, 255.0)),
        P::Unpack2x16Snorm => unpack(r, dst, word, 2, |x| snorm(signed16(x), 32767.0)),
        P::Unpack2x16Unorm => unpack(r, dst, word, 2, |x| unorm(x, 65535.0)),
        P::Unpack2x16Float => unpack(r, dst, word, 2, |x| {
            f16::from_bits(x as u16).to_f32().to_bits()
        }),
        P::Unpack4xI8 => unpack(r, dst, word, 4, |x| signed8(x) as u32),
        P::Unpack4xU8 => unpack(r, dst, word, 4, |x| x),
        P::Dot4I8 | P::Dot4U8 => {
            let lane = |word: u32, i: usize| {
                let byte = (word >> (8 * i)) & 0xff;
                if op == P::Dot4I8 {
                    signed8(byte)
                } else {
                    byte as i32
                }
            };
            let other = r[b];
            let sum: i32 = (0..4).map(|i| lane(word, i) * lane(other, i)).sum();
            r[dst] = sum as u32;
        }
    }
}
