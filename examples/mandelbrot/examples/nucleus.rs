//! Finds a centre for a deep view: the nucleus of a minibrot in a disc.
//!
//! In: a disc. Out: the nucleus of the lowest period in it, with all its digits, and the size of the minibrot. A disc
//! of radius r around a point where filaments meet contains a minibrot with a size of about r². The default views in
//! `src/board.rs` and those of the tests were found with it:
//!
//! ```console
//! $ cargo run --release -p mandelbrot --example nucleus -- 0 1 1e-30
//! ```
//!
//! The period is found by iterating the disc, with its radius estimated by the derivative, until it contains zero.
//! Newton's method then solves z_p(c) = 0, where z_p is the critical orbit after one period.

#![forbid(unsafe_code)]

use std::io::{Write, stdout};

use num_bigint::{BigInt, BigUint};

/// Maximal period.
const LONGEST: u32 = 100_000;

/// A complex number in fixed-point representation.
#[derive(Clone)]
struct Complex {
    re: BigInt,
    im: BigInt,
}

impl Complex {
    fn zero() -> Self {
        Self {
            re: BigInt::ZERO,
            im: BigInt::ZERO,
        }
    }

    fn times(&self, other: &Self, bits: u32) -> Self {
        let re: BigInt = &self.re * &other.re - &self.im * &other.im;
        let im: BigInt = &self.re * &other.im + &self.im * &other.re;
        Self {
            re: re >> bits,
            im: im >> bits,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            re: &self.re + &other.re,
            im: &self.im + &other.im,
        }
    }

    fn over(&self, other: &Self, bits: u32) -> Self {
        let square: BigInt = &other.re * &other.re + &other.im * &other.im;
        let re: BigInt = &self.re * &other.re + &self.im * &other.im;
        let im: BigInt = &self.im * &other.re - &self.re * &other.im;
        Self {
            re: (re << bits) / &square,
            im: (im << bits) / &square,
        }
    }

    /// The squared magnitude, with twice as many fraction bits.
    fn square(&self) -> BigInt {
        &self.re * &self.re + &self.im * &self.im
    }
}

/// The critical orbit after `period` iterations, and its derivative with respect to c.
fn orbit(c: &Complex, period: u32, bits: u32) -> (Complex, Complex) {
    let one = BigInt::from(1) << bits;
    let (mut z, mut derivative) = (Complex::zero(), Complex::zero());
    for _ in 0..period {
        (z, derivative) = step(&z, &derivative, c, &one, bits);
    }
    (z, derivative)
}

fn step(
    z: &Complex,
    derivative: &Complex,
    c: &Complex,
    one: &BigInt,
    bits: u32,
) -> (Complex, Complex) {
    let mut next = z.times(derivative, bits - 1);
    next.re += one;
    (z.times(z, bits).plus(c), next)
}

/// The first iteration after which the disc contains zero.
fn period(c: &Complex, radius: &BigInt, bits: u32) -> Option<u32> {
    let one = BigInt::from(1) << bits;
    let far = BigInt::from(16) << (2 * bits);
    let (mut z, mut derivative) = (Complex::zero(), Complex::zero());
    for period in 1..=LONGEST {
        (z, derivative) = step(&z, &derivative, c, &one, bits);
        let reach: BigInt = (derivative.square() >> bits) * radius;
        let reach: BigInt = (reach >> bits) * radius;
        let distance = z.square();
        if distance < reach {
            return Some(period);
        }
        if distance > far {
            return None;
        }
    }
    None
}

fn newton(mut c: Complex, period: u32, bits: u32) -> Option<Complex> {
    let enough = BigInt::from(1) << 16;
    for _ in 0..200 {
        let (z, derivative) = orbit(&c, period, bits);
        if derivative.square() == BigInt::ZERO {
            return None;
        }
        let error = z.over(&derivative, bits);
        c = Complex {
            re: c.re - &error.re,
            im: c.im - &error.im,
        };
        if error.square() < enough {
            return Some(c);
        }
    }
    None
}

/// The base-10 logarithm of the minibrot's size estimate 1/|βλ²|, where λ is the derivative of the cycle with respect
/// to z, without its zero factor, and β corrects for the derivative with respect to c.
fn size(c: &Complex, period: u32, bits: u32) -> f64 {
    let mut z = Complex::zero();
    let mut own = Complex {
        re: BigInt::from(1) << bits,
        im: BigInt::ZERO,
    };
    let mut moved = own.clone();
    let one = own.clone();
    for _ in 1..period {
        z = z.times(&z, bits).plus(c);
        own = own.times(&z, bits - 1);
        moved = moved.plus(&one.over(&own, bits));
    }
    let square: BigInt = moved.times(&own, bits).times(&own, bits).square();
    let log = square.bits() as f64 - 2.0 * f64::from(bits);
    -log / 2.0 * std::f64::consts::LOG10_2
}

/// Parses a decimal number without an exponent as a fixed-point number.
fn read(text: &str, bits: u32) -> Option<BigInt> {
    let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let exponent = exponent - i32::try_from(fraction.len()).ok()?;
    let power = BigInt::from(10).pow(exponent.unsigned_abs());
    Some(match exponent {
        0.. => (digits * power) << bits,
        _ => (digits << bits) / power,
    })
}

fn write(value: &BigInt, bits: u32, places: u32) -> String {
    let scaled = value.magnitude() * BigUint::from(10_u32).pow(places);
    let digits = format!("{:0>width$}", scaled >> bits, width = places as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places as usize);
    let sign = match value.sign() {
        num_bigint::Sign::Minus => "-",
        _ => "",
    };
    format!("{sign}{whole}.{fraction}")
}

fn find(re: &str, im: &str, radius: &str) -> Option<String> {
    // A size of r² needs twice the digits of r, and Newton's method some guard digits.
    let rough = read(radius, 100_000)?;
    let depth = 100_000 - u32::try_from(rough.bits()).ok()?;
    let bits = 4 * depth + 128;
    let c = Complex {
        re: read(re, bits)?,
        im: read(im, bits)?,
    };
    let period = period(&c, &read(radius, bits)?, bits)?;
    let nucleus = newton(c, period, bits)?;
    let size = size(&nucleus, period, bits);
    let places = (-size).max(0.0) as u32 + 20;
    Some(format!(
        "re {}\nim {}\nperiod {period}, size 1e{size:.1}",
        write(&nucleus.re, bits, places),
        write(&nucleus.im, bits, places),
    ))
}

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = match arguments.as_slice() {
        [re, im, radius] => find(re, im, radius).unwrap_or_else(|| "no nucleus found".to_owned()),
        // `cargo test` runs examples without arguments.
        _ => "usage: nucleus RE IM RADIUS".to_owned(),
    };
    writeln!(stdout(), "{text}")
}
