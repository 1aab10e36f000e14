//! Compile-time benchmark: the time from WGSL text to the first result, for shaders of growing size.
//!
//! In: compile benchmarks and contenders. Out: a [`CompileRow`] for each benchmark. Each run compiles a new shader
//! text, so that no cache can contain it, and is timed until one workgroup has finished. The first workgroup's output
//! is compared with the interpreter's. For the machine-code engines the compilation phases are also timed, without
//! wgpu.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anywarp_cpu::KernelOptions;
use anywarp_program::Program;
use serde::Serialize;

use super::contender::{Contender, Role, failed, kernel_of};
use super::ladder;
use super::measure::Scope;
use super::on_device::{buffer, pipeline};
use super::task::Contents;
use crate::error::Error;
use anywarp::Device;
use anywarp::panics::catch_panic;
use anywarp::read_buffer;

/// A shader size, with the function that generates its text.
#[derive(Clone, Copy)]
pub(super) struct Rung {
    pub(super) name: &'static str,
    make: fn(u32) -> String,
}

/// The compile benchmarks, the smallest first.
pub(super) fn rungs(scope: Scope) -> &'static [Rung] {
    const fn rung(name: &'static str, make: fn(u32) -> String) -> Rung {
        Rung { name, make }
    }
    const WHOLE: &[Rung] = &[
        rung("compile_16", |seed| ladder::shader(16, seed)),
        rung("compile_31", |seed| ladder::shader(31, seed)),
        rung("big", ladder::big),
        rung("compile_124", |seed| ladder::shader(124, seed)),
        rung("compile_248", |seed| ladder::shader(248, seed)),
        rung("nested_2", |seed| ladder::nested(2, seed)),
        rung("nested_4", |seed| ladder::nested(4, seed)),
        rung("nested_8", |seed| ladder::nested(8, seed)),
        rung("nested_16", |seed| ladder::nested(16, seed)),
        rung("lines_1000", |seed| ladder::assignments(1000, seed)),
        rung("lines_2000", |seed| ladder::assignments(2000, seed)),
        rung("lines_4000", |seed| ladder::assignments(4000, seed)),
        rung("switch_500", |seed| ladder::cases(500, seed)),
        rung("switch_1000", |seed| ladder::cases(1000, seed)),
        rung("switch_2000", |seed| ladder::cases(2000, seed)),
        rung("if_500", |seed| ladder::branches(500, seed)),
        rung("if_1000", |seed| ladder::branches(1000, seed)),
        rung("if_2000", |seed| ladder::branches(2000, seed)),
        rung("loops_500", |seed| ladder::loops(500, seed)),
        rung("loops_1000", |seed| ladder::loops(1000, seed)),
        rung("loops_2000", |seed| ladder::loops(2000, seed)),
    ];
    const QUICK: &[Rung] = &[
        rung("compile_2", |seed| ladder::shader(2, seed)),
        rung("compile_4", |seed| ladder::shader(4, seed)),
        rung("nested_3", |seed| ladder::nested(3, seed)),
        rung("lines_50", |seed| ladder::assignments(50, seed)),
        rung("switch_50", |seed| ladder::cases(50, seed)),
        rung("if_50", |seed| ladder::branches(50, seed)),
        rung("loops_50", |seed| ladder::loops(50, seed)),
    ];
    match scope {
        Scope::Whole => WHOLE,
        Scope::Quick => QUICK,
    }
}

/// A compile benchmark with the results of each contender.
#[derive(Serialize)]
pub(super) struct CompileRow {
    pub(super) name: &'static str,
    pub(super) lines: usize,
    pub(super) results: Vec<Compiled>,
    pub(super) phases: Vec<Phases>,
}

/// The compile time of one contender.
#[derive(Clone, Serialize)]
pub(super) struct Compiled {
    pub(super) contender: String,
    /// The median; null if the contender did not take part.
    pub(super) ms: Option<f64>,
    /// Speed-up over the first driver's adapter.
    pub(super) ratio: Option<f64>,
    pub(super) runs: usize,
    /// How many of the 64 results agree with the interpreter's, in the worst run.
    pub(super) agreeing: Option<usize>,
    /// Why the contender did not take part.
    pub(super) obstacle: Option<String>,
}

/// Median times of the compilation phases of a machine-code engine, in milliseconds.
#[derive(Serialize)]
pub(super) struct Phases {
    pub(super) contender: String,
    pub(super) parse: f64,
    pub(super) lower: f64,
    pub(super) passes: f64,
    pub(super) bounds: f64,
    pub(super) select: f64,
    pub(super) allocate: f64,
    pub(super) emit: f64,
    pub(super) scan: f64,
}

/// Invocations in the first workgroup, each of which writes one result.
const INVOCATIONS: usize = 64;
/// The fewest results that must agree. Rounding differences can change a branch and grow from there.
const LEAST_AGREEING: usize = INVOCATIONS / 4 * 3;
/// A contender that has spent more than this on a benchmark is not timed again on it.
const ENOUGH: Duration = Duration::from_secs(2);

/// Compiles a small shader on each contender, so that one-time initialisation is not timed.
pub(super) fn warm_up(contenders: &[Contender]) -> Result<(), Error> {
    let text = ladder::shader(1, fresh_seed());
    for contender in contenders {
        if let Some(device) = &contender.device {
            let done = first_result(device, &text);
            done.map_err(|error| failed("compile", &contender.label, error))?;
        }
    }
    Ok(())
}

/// The measurements of a contender on one benchmark so far.
#[derive(Clone, Default)]
struct Entry {
    times: Vec<Duration>,
    steps: Vec<[Duration; 8]>,
    obstacle: Option<String>,
    agreeing: Option<usize>,
}

impl Entry {
    /// Compiles and runs once more and returns the results, unless the contender has an obstacle or has used up its
    /// time.
    fn again(&mut self, contender: &Contender, text: &str) -> Result<Option<Vec<f32>>, Error> {
        let Some(device) = &contender.device else {
            return Ok(None);
        };
        if self.obstacle.is_some() || self.times.iter().sum::<Duration>() > ENOUGH {
            return Ok(None);
        }
        if let Role::Code(target) = contender.role {
            // Without machine code this would time the interpreter.
            match phases(text, contender.kernels(target)) {
                Ok(steps) => self.steps.push(steps),
                Err(reason) => {
                    self.obstacle = Some(reason);
                    return Ok(None);
                }
            }
        }
        let (time, result) = first_result(device, text)?;
        self.times.push(time);
        Ok(Some(result))
    }
}

/// Measures a rung, each contender at most `runs` times.
pub(super) fn measure(
    rung: Rung,
    contenders: &[Contender],
    runs: u32,
) -> Result<CompileRow, Error> {
    let seed = fresh_seed();
    let mut entries = vec![Entry::default(); contenders.len()];
    for run in 0..runs {
        let text = (rung.make)(seed.wrapping_add(run));
        let mut results = Vec::new();
        for (place, contender) in contenders.iter().enumerate() {
            let error = |it: Error| failed(rung.name, &contender.label, it);
            let result = entries[place].again(contender, &text).map_err(error)?;
            results.extend(result.map(|result| (place, result)));
        }
        verify(rung, &results, contenders, &mut entries)?;
    }
    let phases = contenders.iter().zip(&entries);
    let phases = phases.filter_map(|(who, entry)| middle(&who.label, &entry.steps));
    Ok(CompileRow {
        name: rung.name,
        lines: (rung.make)(seed).lines().count(),
        phases: phases.collect(),
        results: results(contenders, &entries),
    })
}

/// Times one shader from its text to the output of the first workgroup.
fn first_result(device: &Device, text: &str) -> Result<(Duration, Vec<f32>), Error> {
    let out = buffer(device, &Contents::Zeros(INVOCATIONS))?;
    let begin = Instant::now();
    let pipeline = pipeline(device, text)?;
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: out.as_entire_binding(),
        }],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    device.queue().submit([encoder.finish()]);
    device.wait(|| ())?;
    let time = begin.elapsed();
    let bytes = read_buffer(device, &out, out.size())?;
    Ok((time, bytemuck::pod_collect_to_vec(&bytes)))
}

/// Times of parse, lower, passes, bounds, select, allocate, emit and scan; or the reason why there is no machine
/// code.
fn phases(text: &str, options: KernelOptions) -> Result<[Duration; 8], String> {
    let made = catch_panic(|| {
        let begin = Instant::now();
        let program = Program::from_wgsl(text).map_err(|error| error.to_string())?;
        let parse = begin.elapsed();
        let kernel = kernel_of(&program, options)?;
        let reason = || {
            kernel
                .code()
                .err()
                .map(ToString::to_string)
                .unwrap_or_default()
        };
        let times = kernel.compile_times().ok_or_else(reason)?;
        Ok::<_, String>((parse, times))
    });
    let (parse, times) = made.map_err(|panic| format!("internal error: {panic}"))??;
    Ok([
        parse,
        times.lower,
        times.passes,
        times.bounds,
        times.select,
        times.allocate,
        times.emit,
        times.scan,
    ])
}

/// Compares every result with the interpreter's, or with the first contender's if the interpreter does not take part.
fn verify(
    rung: Rung,
    results: &[(usize, Vec<f32>)],
    contenders: &[Contender],
    entries: &mut [Entry],
) -> Result<(), Error> {
    let is_interpreter = |place: &usize| contenders[*place].role == Role::Interpreter;
    let interpreter = results.iter().find(|(place, _)| is_interpreter(place));
    let Some((_, expected)) = interpreter.or(results.first()) else {
        return Ok(());
    };
    for (place, found) in results {
        let close = close(found, expected);
        if close < LEAST_AGREEING {
            let label = &contenders[*place].label;
            let reason = format!("{close} of {INVOCATIONS} results are those of another contender");
            return Err(failed(rung.name, label, reason));
        }
        let agreeing = &mut entries[*place].agreeing;
        *agreeing = Some(agreeing.unwrap_or(close).min(close));
    }
    Ok(())
}

/// The number of results that are equal within the tolerance.
fn close(found: &[f32], expected: &[f32]) -> usize {
    let both = found.iter().zip(expected);
    let is_close = |(a, b): &(&f32, &f32)| (*a - *b).abs() <= 1e-2 * b.abs().max(1.0);
    both.filter(is_close).count()
}

fn results(contenders: &[Contender], entries: &[Entry]) -> Vec<Compiled> {
    let first = contenders
        .iter()
        .position(|contender| contender.role == Role::Driver);
    let medians: Vec<Option<f64>> = entries.iter().map(|entry| median(&entry.times)).collect();
    let standard = first.and_then(|place| medians[place]);
    let result = |(place, contender): (usize, &Contender)| Compiled {
        contender: contender.label.clone(),
        ms: medians[place],
        ratio: standard
            .zip(medians[place])
            .map(|(standard, ms)| standard / ms),
        runs: entries[place].times.len(),
        agreeing: entries[place].agreeing,
        obstacle: entries[place].obstacle.clone(),
    };
    contenders.iter().enumerate().map(result).collect()
}

fn middle(label: &str, steps: &[[Duration; 8]]) -> Option<Phases> {
    let step = |number: usize| {
        let times: Vec<Duration> = steps.iter().map(|steps| steps[number]).collect();
        median(&times)
    };
    Some(Phases {
        contender: label.to_owned(),
        parse: step(0)?,
        lower: step(1)?,
        passes: step(2)?,
        bounds: step(3)?,
        select: step(4)?,
        allocate: step(5)?,
        emit: step(6)?,
        scan: step(7)?,
    })
}

/// The median in milliseconds.
fn median(times: &[Duration]) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    let middle = times.get(times.len() / 2)?;
    Some(middle.as_secs_f64() * 1e3)
}

/// A seed that no earlier run has used: drivers keep compiled shaders on disk, and only a new text is compiled.
fn fresh_seed() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(1, |since| since.as_micros() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_differ_are_counted() {
        let expected = [1.0, 100.0, 0.0, f32::NAN];
        assert_eq!(close(&[1.001, 100.5, 0.001, 0.0], &expected), 3);
        assert_eq!(close(&[2.0, 90.0, 1.0, f32::NAN], &expected), 0);
    }

    #[test]
    fn the_middle_of_times() {
        let times = [5, 1, 9].map(Duration::from_millis);
        assert_eq!(median(&times), Some(5.0));
        assert_eq!(median(&[]), None);
    }
}
