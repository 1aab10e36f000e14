//! Wall-clock times of compiling, running and reading back.

use std::time::Duration;

use serde::Serialize;

/// The three parts of `--time`.
pub(crate) struct Times {
    pub(crate) compile: Duration,
    pub(crate) runs: RunTimes,
    pub(crate) read_back: Duration,
}

/// Times of single runs. Keeps at most [`RunTimes::MAX_SAMPLES`] evenly spaced samples, whatever the number of runs.
#[derive(Default)]
pub(crate) struct RunTimes {
    total: Duration,
    minimum: Option<Duration>,
    samples: Vec<Duration>,
    runs: u64,
    thinned: u32,
}

/// `--time` as JSON, in milliseconds.
#[derive(Serialize)]
pub(crate) struct TimeReport {
    compile_ms: f64,
    run_total_ms: f64,
    run_minimum_ms: f64,
    run_median_ms: f64,
    read_back_ms: f64,
}

impl RunTimes {
    const MAX_SAMPLES: usize = 1 << 16;

    /// Adds `runs` runs with a total time of `taken`.
    pub(crate) fn add(&mut self, taken: Duration, runs: u64) {
        let each = taken / u32::try_from(runs.max(1)).unwrap_or(u32::MAX);
        self.total += taken;
        self.minimum = Some(self.minimum.map_or(each, |minimum| minimum.min(each)));
        if self.runs.is_multiple_of(1 << self.thinned) {
            self.samples.push(each);
        }
        self.runs += runs;
        if self.samples.len() == Self::MAX_SAMPLES {
            let mut index = 0;
            self.samples.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.thinned += 1;
        }
    }

    /// The total time of all runs.
    pub(crate) fn total(&self) -> Duration {
        self.total
    }

    fn median(&self) -> Duration {
        let mut sorted = self.samples.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }
}

impl Times {
    /// The times as one line of text.
    pub(crate) fn text(&self) -> String {
        let runs = &self.runs;
        let each = if runs.runs > 1 {
            format!(
                " ({} runs: minimum {}, median {})",
                runs.runs,
                milliseconds(runs.minimum.unwrap_or_default()),
                milliseconds(runs.median()),
            )
        } else {
            String::new()
        };
        format!(
            "time: compile {}, run {}{each}, read back {}",
            milliseconds(self.compile),
            milliseconds(runs.total),
            milliseconds(self.read_back),
        )
    }

    /// The times for JSON.
    pub(crate) fn report(&self) -> TimeReport {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        TimeReport {
            compile_ms: ms(self.compile),
            run_total_ms: ms(self.runs.total),
            run_minimum_ms: ms(self.runs.minimum.unwrap_or_default()),
            run_median_ms: ms(self.runs.median()),
            read_back_ms: ms(self.read_back),
        }
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_and_median_of_single_runs() {
        let mut times = RunTimes::default();
        for ms in [5, 1, 9] {
            times.add(Duration::from_millis(ms), 1);
        }
        assert_eq!(times.minimum, Some(Duration::from_millis(1)));
        assert_eq!(times.median(), Duration::from_millis(5));
        assert_eq!(times.total, Duration::from_millis(15));
    }

    #[test]
    fn samples_stay_bounded_and_spread() {
        let mut times = RunTimes::default();
        let runs = RunTimes::MAX_SAMPLES as u64 * 5;
        for run in 0..runs {
            times.add(Duration::from_nanos(run), 1);
        }
        assert!(times.samples.len() < RunTimes::MAX_SAMPLES);
        let median = times.median().as_nanos() as u64;
        assert!(median.abs_diff(runs / 2) < runs / 100, "{median}");
    }
}
