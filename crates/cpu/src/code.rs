//! Kernels in machine code: one workgroup after another, subgroup by subgroup.
//!
//! In: a program and what its kernel wants bound. Out: a [`CodeKernel`], or why there is none; a [`CodeRunner`] runs
//! its workgroups. What always holds: code is given only memory that is bound, workgroup memory is zero when a
//! workgroup begins, and a workgroup that does not end is ended by the watchdog.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anywarp_codegen::{Code, Target, compile};
use anywarp_interpret::{Arguments, Elements, Fault, Limits, Place, Resource, ResourceKind};
use anywarp_lanes::ir::{BufferEntry, Context, Outcome};
use anywarp_lanes::{lower, pass};
use anywarp_program::Program;
use anywarp_program::naga::Span;

use crate::watchdog::{Watched, watch};

/// Words of a buffer that code can address.
const MAX_BUFFER_WORDS: usize = 1 << 31;

/// Bytes that a thread keeps for the frames of a workgroup, at most.
const MAX_FRAME_BYTES: usize = 1 << 30;

/// How long the steps from a program to its machine code took.
#[derive(Clone, Copy, Debug)]
pub struct CompileTimes {
    /// From the program to vector code.
    pub lower: Duration,
    /// Making the vector code better.
    pub passes: Duration,
    /// Choosing instructions.
    pub select: Duration,
    /// Choosing registers.
    pub allocate: Duration,
    /// Writing instructions to where they can run.
    pub emit: Duration,
}

/// A compute entry point in machine code.
#[derive(Debug)]
pub(crate) struct CodeKernel {
    code: Code,
    lower: Duration,
    passes: Duration,
    name: String,
    /// For each buffer of the code its place among those that are bound, and its smallest size in words.
    buffers: Vec<(usize, usize)>,
    workgroup_words: usize,
    immediate_words: usize,
    subgroups: usize,
    /// How many subgroups have a frame at once.
    frames: usize,
    uses_subgroups: bool,
    /// Where its loops are in the source.
    loops: Vec<Place>,
    /// Where its barriers are in the source; the first has the number 1.
    barriers: Vec<Place>,
    waits: bool,
}

impl CodeKernel {
    /// Compiles an entry point; an error says what stands in the way.
    pub(crate) fn new(
        program: &Program,
        entry_point: &str,
        resources: &[Resource],
        target: Target,
    ) -> Result<Self, String> {
        let begin = Instant::now();
        let lowered = lower(program, entry_point, target.lanes()).map_err(|it| it.to_string())?;
        let lower = begin.elapsed();
        let mut function = lowered.function;
        let invocations: u32 = lowered.workgroup_size.iter().product();
        let subgroups = invocations.div_ceil(target.lanes());
        let options = pass::Passes {
            overlap: pass::memory::Overlap::Written,
            subgroups: match lowered.goes_over_subgroups {
                true => pass::Subgroups::Looped(subgroups),
                false => pass::Subgroups::Called(subgroups),
            },
        };
        pass::run(&mut function, &options);
        let passes = begin.elapsed() - lower;
        let code = compile(&function, target).map_err(|it| it.to_string())?;
        let frames = match lowered.goes_over_subgroups {
            true => 1,
            false => subgroups as usize,
        };
        let bytes = frames * code.frame_bytes() as usize;
        if bytes > MAX_FRAME_BYTES {
            return Err(format!(
                "no vector code for variables of {bytes} bytes in a workgroup"
            ));
        }
        let buffers = lowered
            .buffers
            .iter()
            .map(|binding| place(resources, *binding));
        Ok(Self {
            code,
            lower,
            passes,
            name: entry_point.to_owned(),
            buffers: buffers.collect::<Result<_, _>>()?,
            workgroup_words: lowered.workgroup_words as usize,
            immediate_words: lowered.immediate_words as usize,
            subgroups: subgroups as usize,
            frames,
            uses_subgroups: lowered.uses_subgroups,
            loops: places(program, &lowered.loops),
            barriers: places(program, &lowered.barriers),
            waits: !lowered.goes_over_subgroups,
        })
    }

    /// The code.
    pub(crate) fn code(&self) -> &Code {
        &self.code
    }

    /// Whether it does what a kernel with subgroups of so many lanes does.
    pub(crate) fn fits(&self, subgroup_size: u32) -> bool {
        !self.uses_subgroups || self.code.target().lanes() == subgroup_size
    }

    /// How long each step took.
    pub(crate) fn times(&self) -> CompileTimes {
        let code = self.code.times();
        CompileTimes {
            lower: self.lower,
            passes: self.passes,
            select: code.select,
            allocate: code.allocate,
            emit: code.emit + code.map,
        }
    }

    /// Where the barrier is that only some came to.
    fn barrier(&self, outcome: Outcome) -> Place {
        let place = outcome.diverged_at()?.checked_sub(1)?;
        self.barriers.get(place as usize).cloned().flatten()
    }

    /// Whether what is bound is what the code may be given.
    pub(crate) fn takes(&self, arguments: &Arguments<'_>) -> bool {
        self.buffers.iter().all(|(place, least)| {
            let view = arguments.buffers.get(*place);
            view.is_some_and(|it| (*least..MAX_BUFFER_WORDS).contains(&it.words.len()))
        })
    }
}

fn places(program: &Program, spans: &[Span]) -> Vec<Place> {
    let places = spans.iter().map(|span| program.locate(*span).map(Box::new));
    places.collect()
}

/// The place of a buffer among those that are bound, and its smallest size in words.
fn place(resources: &[Resource], binding: (u32, u32)) -> Result<(usize, usize), String> {
    let is_buffer = |it: &&Resource| !matches!(it.kind, ResourceKind::Texture(_));
    let is_single = |it: &&Resource| it.elements == Elements::Single;
    let mut buffers = resources
        .iter()
        .filter(is_buffer)
        .filter(is_single)
        .enumerate();
    let found = buffers.find(|(_, it)| (it.group, it.binding) == binding);
    let found = found.map(|(place, it)| (place, it.min_size.div_ceil(4) as usize));
    found.ok_or_else(|| {
        format!(
            "nothing is known of @group({}) @binding({})",
            binding.0, binding.1
        )
    })
}

/// Memory that begins at a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Line([u32; 16]);

fn lines(words: usize) -> Vec<Line> {
    vec![Line([0; 16]); words.div_ceil(16).max(1)]
}

/// What pointers to nothing point to.
#[repr(C, align(64))]
struct Zeros([u32; Context::ZEROS / 4]);

static ZEROS: Zeros = Zeros([0; Context::ZEROS / 4]);

/// A kernel with what one thread needs to run it.
#[derive(Debug)]
pub(crate) struct CodeRunner<'k> {
    kernel: &'k CodeKernel,
    workgroup: Vec<Line>,
    frames: Vec<Line>,
    immediates: Vec<u32>,
    entries: Vec<BufferEntry>,
    watched: Option<Arc<Watched>>,
}

impl<'k> CodeRunner<'k> {
    pub(crate) fn new(kernel: &'k CodeKernel) -> Self {
        let frame_words = kernel.code.frame_bytes() as usize / 4;
        Self {
            kernel,
            workgroup: lines(kernel.workgroup_words),
            frames: lines(frame_words * kernel.frames),
            immediates: vec![0; kernel.immediate_words],
            entries: Vec::new(),
            watched: None,
        }
    }

    /// Runs one workgroup to its end. What is bound must be taken ([`CodeKernel::takes`]).
    pub(crate) fn run(
        &mut self,
        arguments: &Arguments<'_>,
        workgroup_id: [u32; 3],
        limits: &Limits<'_>,
    ) -> Result<(), Fault> {
        let kernel = self.kernel;
        self.entries.clear();
        for (place, _) in &kernel.buffers {
            let words = arguments.buffers[*place].words;
            // Atomic words may be written through a shared reference; the code does so with the same instructions.
            self.entries.push(BufferEntry {
                start: words.as_ptr().cast_mut().cast(),
                words: words.len() as u64,
            });
        }
        for (place, word) in self.immediates.iter_mut().enumerate() {
            *word = arguments.immediates.get(place).copied().unwrap_or(0);
        }
        if kernel.workgroup_words > 0 {
            self.workgroup.fill(Line([0; 16]));
        }
        let watched = self.watched.get_or_insert_with(|| watch(limits.time));
        watched.begin(limits.time);
        let mut context = Context {
            workgroup_id,
            workgroup_count: arguments.workgroup_count,
            subgroup: 0,
            padding: 0,
            cancelled: watched.flag().as_ptr(),
            workgroup: self.workgroup.as_mut_ptr().cast(),
            zeros: ptr::from_ref(&ZEROS).cast(),
            immediates: self.immediates.as_ptr(),
            buffers: self.entries.as_ptr(),
        };
        let outcome = match kernel.waits {
            false => self.call(&context, 0, 0),
            true => self.in_turns(&mut context),
        };
        if let Some(watched) = &self.watched {
            watched.end();
        }
        let entry_point = || kernel.name.clone();
        match outcome {
            Outcome::FINISHED => Ok(()),
            _ => Err(match outcome.cancelled_in() {
                Some(number) => Fault::Endless {
                    entry_point: entry_point(),
                    workgroup: workgroup_id,
                    place: kernel.loops.get(number as usize).cloned().flatten(),
                    limit: limits.time.unwrap_or_default(),
                },
                None => Fault::BarrierMissed {
                    entry_point: entry_point(),
                    workgroup: workgroup_id,
                    place: kernel.barrier(outcome),
                },
            }),
        }
    }

    /// Runs every subgroup to the next barrier, until all are done.
    fn in_turns(&mut self, context: &mut Context) -> Outcome {
        let mut resume = 0;
        loop {
            let mut next = None;
            for subgroup in 0..self.kernel.subgroups {
                context.subgroup = subgroup as u32;
                let outcome = self.call(context, subgroup, resume);
                if outcome != Outcome::FINISHED && outcome.is_last() {
                    return outcome;
                }
                // Some wait where others do not.
                if let Some(Outcome(other)) = next.filter(|it| *it != outcome) {
                    return Outcome::diverged(other.max(outcome.0));
                }
                next = Some(outcome);
            }
            match next {
                Some(Outcome::FINISHED) | None => return Outcome::FINISHED,
                Some(Outcome(barrier)) => resume = barrier,
            }
        }
    }

    fn call(&mut self, context: &Context, subgroup: usize, resume: u32) -> Outcome {
        let stride = self.kernel.code.frame_bytes() as usize / size_of::<Line>();
        let frame = self.frames[subgroup * stride..].as_mut_ptr();
        // SAFETY: the context holds pointers to memory that lives until the call returns: buffers as large as they say
        // and no smaller than the program's variables, workgroup memory and immediates of the sizes that the lowering
        // asked for, zeros, and a frame of its own for each subgroup. A resume number comes from the call before.
        unsafe { self.kernel.code.call(context, frame.cast(), resume) }
    }
}
