//! Compares the results of machine code with the reference, on all threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, ensure};
use anywarp_cpu::Target;

use super::functions::{Bound, BuiltinFunction, Unit};
use super::machine::{Bench, CHUNK, Machine};

/// Which arguments are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// All 2^32.
    All,
    /// About this number, spread evenly over all bit patterns.
    Sample(u64),
}

impl Inputs {
    /// The number of arguments.
    pub fn count(self) -> u64 {
        match self {
            Self::All => 1 << 32,
            Self::Sample(count) => count.clamp(1, 1 << 32),
        }
    }

    /// The bits of an argument by its number.
    fn bits(self, number: u64) -> u32 {
        let first = ((u128::from(number) << 32) / u128::from(self.count())) as u32;
        // A sample with a power-of-two step would only contain zeros in the low bits, so the bits below the step are
        // varied.
        let free = ((1u64 << 32) / self.count()).ilog2();
        let mixed = u64::from((number as u32).wrapping_mul(0x9e37_79b9));
        first | (mixed >> (32 - free)) as u32
    }
}

/// A result that violates the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// The argument.
    pub x: f32,
    /// The result of machine code with this number of lanes.
    pub result: f32,
    /// The vector width in lanes.
    pub lanes: u32,
    /// The exact result.
    pub exact: f64,
}

/// The measurements of one function.
#[derive(Clone, Debug, Default)]
pub struct AccuracyReport {
    /// The number of arguments tested, at every width.
    pub inputs: u64,
    /// The largest error, in the function's unit.
    pub worst: f64,
    /// The argument with the largest error.
    pub at: f32,
    /// The result for it.
    pub result: f32,
    /// The number of results out of bounds.
    pub wrong: u64,
    /// The first of these.
    pub violations: Vec<Measurement>,
    /// The number of results that differ between two widths.
    pub differing: u64,
}

/// The number of violations that are reported.
const SHOWN: usize = 5;

/// Measures a function on `threads` threads, at every vector width of this machine.
pub fn measure(
    function: &BuiltinFunction,
    inputs: Inputs,
    threads: NonZeroUsize,
) -> Result<AccuracyReport> {
    let machines = Target::all()
        .map(|target| Ok((target.lanes(), Machine::new(function.name, target)?)))
        .collect::<Result<Vec<_>>>()?;
    ensure!(!machines.is_empty(), "no code generator for this machine");
    let next = AtomicU64::new(0);
    let parts = std::thread::scope(|scope| {
        let work = || part(function, inputs, &machines, &next);
        let threads: Vec<_> = (0..threads.get()).map(|_| scope.spawn(work)).collect();
        let parts = threads.into_iter().map(|thread| thread.join());
        parts
            .map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect::<Result<Vec<_>>>()
    })?;
    Ok(parts
        .into_iter()
        .fold(AccuracyReport::default(), AccuracyReport::with))
}

/// The loop of one thread: takes chunk after chunk until none is left.
fn part(
    function: &BuiltinFunction,
    inputs: Inputs,
    machines: &[(u32, Machine)],
    next: &AtomicU64,
) -> Result<AccuracyReport> {
    let bench = Bench::new()?;
    let mut measured = AccuracyReport::default();
    loop {
        let start = next.fetch_add(CHUNK as u64, Ordering::Relaxed);
        let end = inputs.count().min(start.saturating_add(CHUNK as u64));
        if start >= end {
            return Ok(measured);
        }
        let chunk: Vec<u32> = (start..end).map(|number| inputs.bits(number)).collect();
        let results = machines
            .iter()
            .map(|(lanes, machine)| Ok((*lanes, bench.apply(machine, &chunk)?)))
            .collect::<Result<Vec<_>>>()?;
        measured.inputs += end - start;
        for (place, x) in chunk.into_iter().enumerate() {
            let x = f32::from_bits(x);
            let exact = (function.exact)(x.into());
            let mut known = None;
            for (lanes, results) in &results {
                let result = results[place];
                match known.replace(result) {
                    // A result equal to that of the previous width is already checked.
                    Some(before) if same(before, result) => continue,
                    Some(_) => measured.differing += 1,
                    None => {}
                }
                measured.add(
                    function,
                    Measurement {
                        x,
                        result: f32::from_bits(result),
                        lanes: *lanes,
                        exact,
                    },
                );
            }
        }
    }
}

/// Whether results are equal; all NaNs count as equal.
fn same(a: u32, b: u32) -> bool {
    a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}

impl AccuracyReport {
    fn add(&mut self, function: &BuiltinFunction, measurement: Measurement) {
        let error = error(function.unit, measurement.result, measurement.exact);
        if error > self.worst {
            (self.worst, self.at, self.result) = (error, measurement.x, measurement.result);
        }
        if !accepts(function, &measurement) {
            self.wrong += 1;
            if self.violations.len() < SHOWN {
                self.violations.push(measurement);
            }
        }
    }

    fn with(mut self, other: Self) -> Self {
        if other.worst > self.worst {
            (self.worst, self.at, self.result) = (other.worst, other.at, other.result);
        }
        self.inputs += other.inputs;
        self.wrong += other.wrong;
        self.differing += other.differing;
        self.violations.extend(other.violations);
        self.violations.truncate(SHOWN);
        self
    }
}

fn accepts(function: &BuiltinFunction, measurement: &Measurement) -> bool {
    if measurement.exact.is_nan() || measurement.result.is_nan() {
        return measurement.exact.is_nan() && measurement.result.is_nan();
    }
    let rounded = measurement.exact as f32;
    if measurement.result == rounded {
        return true;
    }
    let Bound::Within(tolerance) = function.bound else {
        return false;
    };
    if measurement.exact.is_infinite() {
        return false;
    }
    // Every error bound of WGSL is at least one ULP.
    if error(Unit::Ulp, measurement.result, measurement.exact) <= 1.0 {
        return true;
    }
    let arguments = &[f64::from(measurement.x)][..tolerance.arguments];
    let accepted = tolerance.accepts(measurement.exact, arguments);
    accepted.contains(size(measurement.result))
}

/// The value of a result; infinity counts as the number after the largest finite one.
fn size(result: f32) -> f64 {
    if result.is_infinite() {
        2f64.powi(128).copysign(result.into())
    } else {
        result.into()
    }
}

/// The distance of a result from the exact one.
fn error(unit: Unit, result: f32, exact: f64) -> f64 {
    if exact.is_nan() || result.is_nan() {
        let are_both = exact.is_nan() && result.is_nan();
        return if are_both { 0.0 } else { f64::INFINITY };
    }
    if f64::from(result) == exact {
        return 0.0;
    }
    // A result rounded to infinity counts as the number after the largest finite one.
    if result.is_infinite() && exact as f32 == result {
        return 0.0;
    }
    let distance = (size(result) - exact).abs();
    match unit {
        Unit::Absolute => distance,
        // The derivative of the tangent is one plus its square.
        Unit::Angle => distance / (1.0 + exact * exact),
        Unit::Ulp => {
            let exponent = (exact.to_bits() >> 52 & 0x7ff).clamp(1023 - 126, 1023 + 127);
            // Two to the power of (23 - exponent).
            distance * f64::from_bits((2 * 1023 + 23 - exponent) << 52)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_in_units_of_the_exact_result() {
        let ulp = |result, exact| error(Unit::Ulp, result, exact);
        assert_eq!(ulp(1.0, 1.0), 0.0);
        assert_eq!(ulp(1.0f32.next_up(), 1.0), 1.0);
        assert_eq!(ulp(1.0f32.next_down(), 1.0), 0.5);
        assert_eq!(ulp(f32::from_bits(3), 0.0), 3.0);
        assert_eq!(ulp(f32::INFINITY, 1e300), 0.0);
        assert_eq!(ulp(f32::INFINITY, f32::MAX.into()), 1.0);
        assert_eq!(ulp(f32::NAN, f64::NAN), 0.0);
        assert_eq!(ulp(1.0, f64::NAN), f64::INFINITY);
        assert_eq!(ulp(f32::NAN, 1.0), f64::INFINITY);
        assert_eq!(error(Unit::Absolute, 100.0, 100.5), 0.5);
        assert_eq!(error(Unit::Angle, 3.5, 3.0), 0.05);
    }

    #[test]
    fn wrong_results_are_not_accepted() {
        let is_accepted = |name, x: f32, result| {
            let function = BuiltinFunction::named(name).unwrap();
            let exact = (function.exact)(x.into());
            let lanes = 16;
            let measurement = Measurement {
                x,
                result,
                lanes,
                exact,
            };
            accepts(function, &measurement)
        };
        assert!(is_accepted("exp", 1.0, std::f32::consts::E));
        assert!(!is_accepted("exp", 1.0, 2.7));
        assert!(is_accepted("sin", 1e30, (1e30f32 as f64).sin() as f32));
        assert!(!is_accepted("sin", 1e30, 0.5));
        assert!(is_accepted("floor", -0.5, -1.0));
        assert!(!is_accepted("floor", -0.5, 0.0));
        assert!(is_accepted("log", 0.0, f32::NEG_INFINITY));
        assert!(!is_accepted("log", 0.0, f32::MIN));
        assert!(!is_accepted("log", -1.0, 0.0));
        assert!(is_accepted("log", -1.0, f32::NAN));
        assert!(!is_accepted("sqrt", 4.0, 2.00001));
    }

    #[test]
    fn all_inputs_are_all_and_samples_reach_both_ends() {
        assert_eq!(
            [0, 1, 77].map(|number| Inputs::All.bits(number)),
            [0, 1, 77]
        );
        assert_eq!(Inputs::All.bits(u64::from(u32::MAX)), u32::MAX);
        for count in [2, 100, 1 << 16, 1_000_003, 1 << 32] {
            let sample = Inputs::Sample(count);
            let step = (1u64 << 32) / count;
            assert!(u64::from(sample.bits(0)) < step);
            assert!(u64::from(sample.bits(count - 1)) >= (1 << 32) - 2 * step);
        }
        // Both values of the lowest bit, even if the step is a power of two.
        let low = (0..64).map(|number| Inputs::Sample(1 << 16).bits(number) & 1);
        assert!((10..54).contains(&low.sum::<u32>()));
    }
}
