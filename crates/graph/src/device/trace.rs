//! Measures the time of a run.
//!
//! In: a run in which every part is a compute pass between two timestamp queries. Out: a [`Trace`]:
//! for each sweep, level and node its time, and the records in and out; as a table and as JSON for
//! Perfetto. On devices without timestamp queries the host's clock is read around each part, which
//! is then waited for.

use std::collections::HashMap;
use std::fmt;

// The clock of the standard library panics in browsers.
use web_time::Instant;

use super::bind_groups::Run;
use super::encode::SweepPart;
use super::error::GraphError;
use super::feedback::StageCounts;
use super::input::Input;
use super::readback;
use super::runner::{GraphRunner, Report, owned};
use super::sweeps::{Sweep, SweepOutcome};

/// The clock that a trace is measured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceClock {
    /// Timestamp queries of the device.
    Device,
    /// The host's clock; times include submission and waiting.
    Host,
}

/// A timed part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The index of the sweep.
    pub sweep: u32,
    /// The level; `None` for copies of inputs and for the end of a sweep.
    pub level: Option<u32>,
    /// The name of the node, or of the runtime's work.
    pub name: String,
    /// The index in [`Plan::stages`](crate::Plan::stages), if it is a stage.
    pub stage: Option<usize>,
    /// The start in nanoseconds from the start of the run.
    pub start: f64,
    /// The duration in nanoseconds.
    pub duration: f64,
    /// The difference that the sweep made to the counts of the stage.
    pub counts: StageCounts,
    /// The size in bytes of the records that it received.
    pub bytes_in: u64,
}

/// The spans of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The graph.
    pub graph: String,
    /// The clock of the times.
    pub clock: TraceClock,
    /// The spans in order.
    pub spans: Vec<Span>,
}

/// Timestamp queries of a run.
struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
    /// Nanoseconds per tick.
    period: f64,
}

impl GraphRunner {
    /// Runs the graph as [`GraphRunner::run`] does, and measures it. Sent records are counted if
    /// the graph was made with [`OutputCounts::On`](crate::device::OutputCounts::On).
    pub async fn trace(
        &self,
        input: &Input<'_>,
        bind_groups: &[&wgpu::BindGroup],
    ) -> Result<(Report, Trace), GraphError> {
        self.trace_with(input, owned(bind_groups)).await
    }

    pub(super) async fn trace_with(
        &self,
        input: &Input<'_>,
        bind_groups: Vec<wgpu::BindGroup>,
    ) -> Result<(Report, Trace), GraphError> {
        let run = self.begin(input, bind_groups).await?;
        let copies_inputs = run.source.is_some();
        // No sweep has more parts than a later one of all levels.
        let max = self.pieces(copies_inputs, Sweep::later(0)).len();
        let timestamps = Timestamps::new(self, max as u32);
        let mut trace = Trace {
            graph: self.graph.name().to_owned(),
            clock: match timestamps {
                Some(_) => TraceClock::Device,
                None => TraceClock::Host,
            },
            spans: Vec::new(),
        };
        let began = Instant::now();
        let mut first_tick = None;
        let mut before = vec![StageCounts::default(); self.plan.stages().len()];
        let mut next = Sweep::FIRST;
        let mut done = 0;
        for sweep in 0.. {
            let pieces = self.pieces(copies_inputs, next);
            let (words, times) = match &timestamps {
                Some(timestamps) => {
                    let (words, ticks) = self.timed_sweep(&run, &pieces, timestamps).await?;
                    let origin =
                        *first_tick.get_or_insert_with(|| ticks.first().copied().unwrap_or(0));
                    // Device clocks may step back slightly.
                    let since = |tick: u64| tick.saturating_sub(origin) as f64 * timestamps.period;
                    let times = ticks
                        .chunks_exact(2)
                        .map(|pair| (since(pair[0]), since(pair[1])));
                    (words, times.collect())
                }
                None => self.host_timed_sweep(&run, &pieces, began).await?,
            };
            let outcome = self.outcome(&words, &mut done)?;
            let control = self.control(&words);
            let after: Vec<_> = (0..before.len())
                .map(|stage| control.counts(stage))
                .collect();
            trace
                .spans
                .extend(self.spans(sweep, &pieces, &times, &before, &after));
            before = after;
            next = match outcome {
                SweepOutcome::Done(report) => return Ok((report, trace)),
                SweepOutcome::WorkLeft { deepest } => Sweep::later(deepest),
            };
        }
        Err(GraphError::Internal("the trace has no end".to_owned()))
    }

    async fn timed_sweep(
        &self,
        run: &Run<'_>,
        pieces: &[SweepPart],
        timestamps: &Timestamps,
    ) -> Result<(Vec<u32>, Vec<u64>), GraphError> {
        let encode = |encoder: &mut wgpu::CommandEncoder| {
            for (index, piece) in (0..).zip(pieces) {
                let writes = wgpu::ComputePassTimestampWrites {
                    query_set: &timestamps.queries,
                    beginning_of_pass_write_index: Some(2 * index),
                    end_of_pass_write_index: Some(2 * index + 1),
                };
                self.encode(
                    encoder,
                    run.bindings(self),
                    std::slice::from_ref(piece),
                    Some(writes),
                );
            }
            timestamps.resolve(encoder, pieces.len() as u32);
        };
        let place = || "in a sweep".to_owned();
        let words = self.submit(run, encode, place).await?;
        let bytes = readback::read(&self.device, &timestamps.readback).await;
        let bytes = bytes.map_err(|source| GraphError::Lost {
            graph: self.graph.name().to_owned(),
            place: "after a sweep".to_owned(),
            source,
        })?;
        let ticks = bytes.chunks_exact(8);
        let ticks = ticks.map(|tick| {
            tick.iter()
                .rev()
                .fold(0, |all, &byte| all << 8 | u64::from(byte))
        });
        Ok((words, ticks.collect()))
    }

    async fn host_timed_sweep(
        &self,
        run: &Run<'_>,
        pieces: &[SweepPart],
        began: Instant,
    ) -> Result<(Vec<u32>, Vec<(f64, f64)>), GraphError> {
        let now = || began.elapsed().as_secs_f64() * 1e9;
        let mut words = Vec::new();
        let mut times = Vec::new();
        for piece in pieces {
            let start = now();
            words = self.submit_pieces(run, std::slice::from_ref(piece)).await?;
            times.push((start, now()));
        }
        Ok((words, times))
    }

    fn spans(
        &self,
        sweep: u32,
        pieces: &[SweepPart],
        times: &[(f64, f64)],
        before: &[StageCounts],
        after: &[StageCounts],
    ) -> Vec<Span> {
        let span = |(&piece, &(start, end)): (&SweepPart, &(f64, f64))| {
            let (name, level, stage) = match piece {
                SweepPart::Begin => ("begin".to_owned(), None, None),
                SweepPart::CopyInputs => ("copy inputs".to_owned(), None, None),
                SweepPart::ResetQueues => ("reset queues".to_owned(), None, None),
                SweepPart::Admission(level) => ("admission".to_owned(), Some(level), None),
                SweepPart::Stage(index) => {
                    let stage = self.plan.stages()[index].stage;
                    let id = &self.graph.nodes()[stage.node].id;
                    let name = match stage.step {
                        0 => id.to_string(),
                        step => format!("{id} +{step}"),
                    };
                    (name, Some(stage.level), Some(index))
                }
            };
            let counts = stage.map_or_else(StageCounts::default, |stage| {
                after[stage].since(&before[stage])
            });
            let stride = stage.map_or(0, |stage| {
                self.plan.queues()[self.plan.stages()[stage].queue].stride
            });
            Span {
                sweep,
                level,
                name,
                stage,
                start,
                duration: (end - start).max(0.0),
                counts,
                bytes_in: counts.records_in * 4 * u64::from(stride),
            }
        };
        pieces.iter().zip(times).map(span).collect()
    }
}

impl Timestamps {
    fn new(runner: &GraphRunner, pieces: u32) -> Option<Self> {
        let device = &runner.device;
        let count = 2 * pieces;
        let has_them = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        if !has_them || count > wgpu::QUERY_SET_MAX_QUERIES {
            return None;
        }
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("graph trace"),
                size: u64::from(count) * 8,
                usage,
                mapped_at_creation: false,
            })
        };
        Some(Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("graph trace"),
                ty: wgpu::QueryType::Timestamp,
                count,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readback: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            period: runner.queue.get_timestamp_period().into(),
        })
    }

    fn resolve(&self, encoder: &mut wgpu::CommandEncoder, pieces: u32) {
        encoder.resolve_query_set(&self.queries, 0..2 * pieces, &self.resolved, 0);
        let size = self.resolved.size();
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readback, 0, size);
    }
}

impl Trace {
    /// The trace as JSON for Perfetto and `chrome://tracing`: a track for the runtime and one for
    /// each node.
    pub fn to_perfetto(&self) -> String {
        // A node may have the runtime's name, so `None` identifies the runtime.
        let mut tracks = vec![None];
        let mut numbers = HashMap::from([(None, 0)]);
        let mut events = Vec::new();
        for span in &self.spans {
            let node = span.stage.and_then(|_| span.name.split(" +").next());
            let number = *numbers.entry(node).or_insert_with(|| {
                tracks.push(node);
                tracks.len() - 1
            });
            let counts = &span.counts;
            events.push(serde_json::json!({
                "name": span.name,
                "cat": if span.stage.is_some() { "node" } else { "runtime" },
                "ph": "X",
                "pid": 1,
                "tid": number,
                "ts": span.start / 1e3,
                "dur": span.duration / 1e3,
                "args": {
                    "sweep": span.sweep,
                    "level": span.level,
                    "records_in": counts.records_in,
                    "records_out": counts.records_out,
                    "groups": counts.groups,
                    "bytes_in": span.bytes_in,
                    "max_waiting": counts.max_waiting,
                },
            }));
        }
        for (number, track) in tracks.iter().enumerate() {
            events.push(metadata("thread_name", number, track.unwrap_or("runtime")));
        }
        events.push(metadata("process_name", 0, &self.graph));
        let clock = match self.clock {
            TraceClock::Device => "device",
            TraceClock::Host => "host",
        };
        serde_json::json!({
            "displayTimeUnit": "ns",
            "otherData": { "graph": self.graph, "clock": clock },
            "traceEvents": events,
        })
        .to_string()
    }
}

fn metadata(what: &str, track: usize, name: &str) -> serde_json::Value {
    serde_json::json!({
        "name": what,
        "ph": "M",
        "pid": 1,
        "tid": track,
        "args": { "name": name },
    })
}

/// The sum over all sweeps of a stage, or of a kind of the runtime's work.
struct TraceRow<'a> {
    level: Option<u32>,
    name: &'a str,
    duration: f64,
    counts: StageCounts,
    bytes_in: u64,
}

impl Trace {
    fn lines(&self) -> Vec<TraceRow<'_>> {
        let mut lines: Vec<TraceRow<'_>> = Vec::new();
        let mut places = HashMap::new();
        for span in &self.spans {
            // A node may have the name of the runtime's work.
            let key = (span.stage, span.level, &span.name);
            let place = *places.entry(key).or_insert(lines.len());
            if let Some(line) = lines.get_mut(place) {
                line.duration += span.duration;
                line.counts = line.counts.plus(&span.counts);
                line.bytes_in += span.bytes_in;
                continue;
            }
            lines.push(TraceRow {
                level: span.level,
                name: &span.name,
                duration: span.duration,
                counts: span.counts,
                bytes_in: span.bytes_in,
            });
        }
        lines
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = match self.clock {
            TraceClock::Device => "the device's clock",
            TraceClock::Host => "the host's clock, waiting included",
        };
        let sweeps = self.spans.last().map_or(1, |span| span.sweep + 1);
        let plural = if sweeps == 1 { "" } else { "s" };
        writeln!(f, "graph {}: {sweeps} sweep{plural}, {clock}", self.graph)?;
        writeln!(
            f,
            "level  {:<24} {:>12} {:>12} {:>12} {:>12} {:>12} {:>10}",
            "node", "us", "records in", "bytes in", "groups", "records out", "most"
        )?;
        for line in self.lines() {
            let level = line
                .level
                .map_or_else(|| "-".to_owned(), |level| level.to_string());
            let counts = line.counts;
            writeln!(
                f,
                "{level:>5}  {:<24} {:>12.1} {:>12} {:>12} {:>12} {:>12} {:>10}",
                line.name,
                line.duration / 1e3,
                counts.records_in,
                line.bytes_in,
                counts.groups,
                counts.records_out,
                counts.max_waiting
            )?;
        }
        Ok(())
    }
}
