//! How long compiling takes: from text to the first result, on a ladder of sizes.
//!
//! In: rungs and contenders. Out: a [`CompileRow`] for each rung. Everyone gets a shader that no cache has seen, a new
//! one in each run, and is timed from its text until one workgroup is done. What the first workgroup wrote is compared
//! with the interpreter's. For code of ours the phases are measured, too, without wgpu around them.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anywarp_cpu::KernelOptions;
use anywarp_program::Program;
use serde::Serialize;

use super::contender::{Contender, Role, failed, kernel_of};
use super::ladder;
use super::measure::Scope;
use super::on_device::{buffer, pipeline};
use super::task::Contents;
use crate::contain::contain;
use crate::device::Session;
use crate::error::Error;
use crate::run::read_buffer;

/// A size.
#[derive(Clone, Copy)]
pub(super) struct Rung {
    pub(super) name: &'static str,
    make: fn(u32) -> String,
}

/// The rungs, the smallest first.
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
    ];
    const QUICK: &[Rung] = &[
        rung("compile_2", |seed| ladder::shader(2, seed)),
        rung("compile_4", |seed| ladder::shader(4, seed)),
        rung("nested_3", |seed| ladder::nested(3, seed)),
        rung("lines_50", |seed| ladder::assignments(50, seed)),
        rung("switch_50", |seed| ladder::cases(50, seed)),
        rung("if_50", |seed| ladder::branches(50, seed)),
    ];
    match scope {
        Scope::Whole => WHOLE,
        Scope::Quick => QUICK,
    }
}

/// A rung with what each contender took for it.
#[derive(Serialize)]
pub(super) struct CompileRow {
    pub(super) name: &'static str,
    pub(super) lines: usize,
    pub(super) results: Vec<Compiled>,
    pub(super) phases: Vec<Phases>,
}

/// What a contender took from text to first result.
#[derive(Clone, Serialize)]
pub(super) struct Compiled {
    pub(super) contender: String,
    /// The median; null where it did not take part.
    pub(super) ms: Option<f64>,
    /// How often as fast as the first adapter of a driver.
    pub(super) ratio: Option<f64>,
    pub(super) runs: usize,
    /// Of 64 results, how many are the interpreter's, in the worst run.
    pub(super) agreeing: Option<usize>,
    /// Why it did not take part.
    pub(super) obstacle: Option<String>,
}

/// Medians of what the steps of code of ours took, in milliseconds.
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

/// Invocations that give a first result.
const INVOCATIONS: usize = 64;
/// Rounding decides branches here and there, and grows from there.
const LEAST_AGREEING: usize = INVOCATIONS / 4 * 3;
/// Who needs longer for a rung is not asked again.
const ENOUGH: Duration = Duration::from_secs(2);

/// Lets everybody compile something small, so that what is done once is done.
pub(super) fn warm_up(contenders: &[Contender]) -> Result<(), Error> {
    let text = ladder::shader(1, fresh_seed());
    for contender in contenders {
        if let Some(session) = &contender.session {
            let done = first_result(session, &text);
            done.map_err(|it| failed("compile", &contender.label, it))?;
        }
    }
    Ok(())
}

/// What is known of a contender on a rung so far.
#[derive(Clone, Default)]
struct Entry {
    times: Vec<Duration>,
    steps: Vec<[Duration; 8]>,
    obstacle: Option<String>,
    agreeing: Option<usize>,
}

impl Entry {
    /// Compiles and runs once more, unless enough is known; gives the results.
    fn again(&mut self, contender: &Contender, text: &str) -> Result<Option<Vec<f32>>, Error> {
        let Some(session) = &contender.session else {
            return Ok(None);
        };
        if self.obstacle.is_some() || self.times.iter().sum::<Duration>() > ENOUGH {
            return Ok(None);
        }
        if let Role::Code(target) = contender.role {
            // Without code it would be the interpreter that is measured.
            match phases(text, contender.kernels(target)) {
                Ok(steps) => self.steps.push(steps),
                Err(reason) => {
                    self.obstacle = Some(reason);
                    return Ok(None);
                }
            }
        }
        let (time, result) = first_result(session, text)?;
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

/// From text to what the first workgroup writes.
fn first_result(session: &Session, text: &str) -> Result<(Duration, Vec<f32>), Error> {
    let out = buffer(session, &Contents::Zeros(INVOCATIONS))?;
    let begin = Instant::now();
    let pipeline = pipeline(session, text)?;
    let group = session
        .device
        .create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: out.as_entire_binding(),
            }],
        });
    let mut encoder = session.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    session.queue.submit([encoder.finish()]);
    session.wait(|| ())?;
    let time = begin.elapsed();
    let bytes = read_buffer(session, &out, out.size())?;
    Ok((time, bytemuck::pod_collect_to_vec(&bytes)))
}

/// How long parse, lower, passes, bounds, select, allocate, emit and scan took; or why there is no code.
fn phases(text: &str, options: KernelOptions) -> Result<[Duration; 8], String> {
    let made = contain(|| {
        let begin = Instant::now();
        let program = Program::from_wgsl(text).map_err(|it| it.to_string())?;
        let parse = begin.elapsed();
        let kernel = kernel_of(&program, options)?;
        let reason = || kernel.code().err().unwrap_or_default().to_owned();
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

/// Everyone against the interpreter, or against the first where it does not take part.
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

/// How many results are the same, up to what rounding grows to.
fn close(found: &[f32], expected: &[f32]) -> usize {
    let both = found.iter().zip(expected);
    let is_close = |(a, b): &(&f32, &f32)| (*a - *b).abs() <= 1e-2 * b.abs().max(1.0);
    both.filter(is_close).count()
}

fn results(contenders: &[Contender], entries: &[Entry]) -> Vec<Compiled> {
    let first = contenders.iter().position(|it| it.role == Role::Driver);
    let medians: Vec<Option<f64>> = entries.iter().map(|it| median(&it.times)).collect();
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

/// In milliseconds.
fn median(times: &[Duration]) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    let middle = times.get(times.len() / 2)?;
    Some(middle.as_secs_f64() * 1e3)
}

/// Drivers keep what they compiled on disk: only a new text is compiled.
fn fresh_seed() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(1, |it| it.as_micros() as u32)
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
