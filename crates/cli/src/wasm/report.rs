//! The result of a launch, as lines and as JSON.

use anywarp_wasm::bytecode::{Trap, Type, escape, escape_lines};
use anywarp_wasm::runtime::{LaunchOutcome, ThreadEnd, Value};
use serde::Serialize;

/// The number of threads, and of words of the state, that are shown without `--all`.
pub(super) const SHOWN: usize = 64;
/// The number of different traps that a summary shows.
const MAX_TRAPS: usize = 8;

/// The threads, as JSON shows them.
#[derive(Serialize)]
pub(super) struct ThreadsReport {
    /// Every thread, or the first where there are many.
    threads: Vec<ThreadReport>,
    thread_count: usize,
    trapped: usize,
    /// Each different trap once, at most [`MAX_TRAPS`].
    traps: Vec<TrapReport>,
}

/// A trap, as JSON shows it.
#[derive(Serialize)]
struct TrapReport {
    trap: String,
    first_thread: usize,
    thread_count: usize,
}

/// One thread, as JSON shows it.
#[derive(Serialize)]
struct ThreadReport {
    thread: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trap: Option<String>,
}

/// A value as text: integers are signed, integral floats have no `.0`.
fn text(value: &Value) -> String {
    let whole = |text: String| text.strip_suffix(".0").map_or(text.clone(), str::to_owned);
    match value.ty() {
        Type::I32 => (value.bits() as i32).to_string(),
        Type::I64 => (value.bits() as i64).to_string(),
        Type::F32 => whole(format!("{:?}", f32::from_bits(value.bits() as u32))),
        Type::F64 => whole(format!("{:?}", f64::from_bits(value.bits()))),
        Type::FuncRef | Type::ExternRef if value.bits() == 0 => "null".to_owned(),
        Type::FuncRef => format!("function {}", value.bits() - 1),
        Type::ExternRef => format!("reference {}", value.bits() - 1),
    }
}

/// A number if JSON can represent it, otherwise text.
fn json_value(value: &Value) -> serde_json::Value {
    match value.ty() {
        Type::I32 => (value.bits() as i32).into(),
        Type::I64 => (value.bits() as i64).into(),
        Type::F32 if f32::from_bits(value.bits() as u32).is_finite() => {
            f32::from_bits(value.bits() as u32).into()
        }
        Type::F64 if f64::from_bits(value.bits()).is_finite() => {
            f64::from_bits(value.bits()).into()
        }
        _ => text(value).into(),
    }
}

/// `0: 25`, `1: trap: integer divide by zero in ..`.
fn line(thread: usize, end: &ThreadEnd) -> String {
    match end {
        ThreadEnd::Done(values) if values.is_empty() => format!("{thread}: done"),
        ThreadEnd::Done(values) => {
            let values: Vec<String> = values.iter().map(text).collect();
            format!("{thread}: {}", values.join(", "))
        }
        ThreadEnd::Trapped(trap) => format!("{thread}: trap: {}", one_line(&trap.to_string())),
    }
}

/// The message of a panic on one line, since each thread has one line.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    escape(&line).into_owned()
}

/// The number of threads that trapped.
pub(super) fn trapped(outcome: &LaunchOutcome) -> usize {
    outcome
        .threads
        .iter()
        .filter(|end| matches!(end, ThreadEnd::Trapped(_)))
        .count()
}

/// A hint for traps that say too little: std panics do not pass on their message.
pub(super) fn hint(outcome: &LaunchOutcome) -> Option<&'static str> {
    let is_mute = |end: &ThreadEnd| match end {
        ThreadEnd::Trapped(trap) => {
            trap.message.is_none() && trap.function.ends_with("__rust_abort")
        }
        ThreadEnd::Done(_) => false,
    };
    outcome.threads.iter().any(is_mute).then_some(
        "hint: the kernel's crate has the standard library, whose panics say nothing: \
         `gpu_sdk::panic_handler!(std);` in it makes them tell their message",
    )
}

/// A line for each thread, or a summary if there are many.
pub(super) fn lines(outcome: &LaunchOutcome, all: bool) -> Vec<String> {
    let mut lines: Vec<String> = outcome
        .printed
        .iter()
        .map(|(thread, text)| format!("{thread}: print: {}", escape_lines(text)))
        .collect();
    let threads = outcome.threads.iter().enumerate();
    if all || outcome.threads.len() <= SHOWN {
        lines.extend(threads.map(|(thread, end)| line(thread, end)));
        return lines;
    }
    lines.push(summary(outcome));
    lines.extend(traps(outcome));
    lines
}

/// Each different trap with its first thread and the number of threads that have it.
fn traps(outcome: &LaunchOutcome) -> Vec<String> {
    let lines = different_traps(outcome).into_iter().map(|found| {
        let line = line(found.first_thread, &outcome.threads[found.first_thread]);
        match found.thread_count {
            1 => line,
            count => format!("{line} (and {} more)", count - 1),
        }
    });
    lines.collect()
}

/// The different traps, at most [`MAX_TRAPS`].
fn different_traps(outcome: &LaunchOutcome) -> Vec<TrapReport> {
    let mut found: Vec<(&Trap, TrapReport)> = Vec::new();
    for (first_thread, end) in outcome.threads.iter().enumerate() {
        let ThreadEnd::Trapped(trap) = end else {
            continue;
        };
        if let Some((_, report)) = found.iter_mut().find(|(known, _)| *known == trap) {
            report.thread_count += 1;
        } else if found.len() < MAX_TRAPS {
            let report = TrapReport {
                trap: trap.to_string(),
                first_thread,
                thread_count: 1,
            };
            found.push((trap, report));
        }
    }
    found.into_iter().map(|(_, report)| report).collect()
}

/// `4096 threads: 4094 done, 2 trapped; first results 0, 1, 2, 3`.
fn summary(outcome: &LaunchOutcome) -> String {
    let (threads, trapped) = (outcome.threads.len(), trapped(outcome));
    let done = threads - trapped;
    let results = outcome.threads.iter().filter_map(|end| match end {
        ThreadEnd::Done(values) if !values.is_empty() => Some(values),
        _ => None,
    });
    let mut first: Vec<String> = Vec::new();
    for values in results.take(4) {
        first.push(values.iter().map(text).collect::<Vec<_>>().join(" "));
    }
    let results = if first.is_empty() {
        String::new()
    } else {
        format!("; first results {}", first.join(", "))
    };
    format!("{threads} threads: {done} done, {trapped} trapped{results}; --all shows every one")
}

/// The report of the threads for JSON: all of them, or the first if there are many.
pub(super) fn threads(outcome: &LaunchOutcome, all: bool) -> ThreadsReport {
    let count = outcome.threads.len();
    let shown = if all { count } else { count.min(SHOWN) };
    ThreadsReport {
        threads: outcome.threads[..shown]
            .iter()
            .enumerate()
            .map(|(thread, end)| report(thread, end))
            .collect(),
        thread_count: count,
        trapped: trapped(outcome),
        traps: different_traps(outcome),
    }
}

fn report(thread: usize, end: &ThreadEnd) -> ThreadReport {
    let (results, trap) = match end {
        ThreadEnd::Done(values) => (Some(values.iter().map(json_value).collect()), None),
        ThreadEnd::Trapped(trap) => (None, Some(trap.to_string())),
    };
    ThreadReport {
        thread,
        results,
        trap,
    }
}

#[cfg(test)]
mod tests {
    use anywarp_wasm::bytecode::TrapCode;

    use super::*;

    fn value(ty: Type, bits: u64) -> Value {
        Value::from_bits(ty, bits)
    }

    #[test]
    fn values_are_shown_by_their_type() {
        assert_eq!(text(&value(Type::I32, 0xffff_ffff)), "-1");
        assert_eq!(text(&value(Type::I64, u64::MAX)), "-1");
        assert_eq!(text(&value(Type::F32, 0x3f80_0000)), "1");
        assert_eq!(text(&value(Type::F64, 0.1f64.to_bits())), "0.1");
        assert_eq!(text(&value(Type::FuncRef, 0)), "null");
        assert_eq!(text(&value(Type::FuncRef, 4)), "function 3");
    }

    #[test]
    fn many_threads_are_summed_up() {
        let done = |n| ThreadEnd::Done(vec![value(Type::I32, n)]);
        let trap = ThreadEnd::Trapped(Trap {
            code: TrapCode::DivideByZero,
            function: "lerp".to_owned(),
            offset: Some(0x2a3),
            message: None,
        });
        let mut outcome = LaunchOutcome {
            threads: vec![done(25), trap],
            ..LaunchOutcome::default()
        };
        let shown = [
            "0: 25",
            "1: trap: integer divide by zero in `lerp` at 0x2a3",
        ];
        assert_eq!(lines(&outcome, false), shown);
        outcome.threads.extend((0..SHOWN as u64).map(done));
        let summed = lines(&outcome, false);
        let start = "66 threads: 65 done, 1 trapped; first results 25, 0, 1, 2;";
        assert!(summed[0].starts_with(start), "{}", summed[0]);
        assert_eq!(summed[1..], shown[1..]);
        outcome.threads.push(outcome.threads[1].clone());
        let twice = format!("{} (and 1 more)", shown[1]);
        assert_eq!(lines(&outcome, false)[1..], [twice]);
        outcome.threads.pop();
        assert_eq!(lines(&outcome, true).len(), 66);
        assert_eq!(
            one_line("failed\n  left: 1\n right: 2"),
            "failed; left: 1; right: 2"
        );
    }
}
