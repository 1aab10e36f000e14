//! Guarded batches with typed parameters and results.
//!
//! In: parameters of a type `P`. Out: outcomes with results of a type `R`. A thin layer over
//! [`BatchRunner`], which works on bytes.

use std::marker::PhantomData;
use std::task::{Context, Poll};

use bytemuck::NoUninit;

use crate::builder::BatchBuilder;
use crate::error::SubmitError;
use crate::outcome::{Completed, Outcome};
use crate::read_back::Results;
use crate::runner::BatchRunner;
use crate::schedule::BatchId;
use crate::stats::Stats;

/// Guarded batches with parameters `P` and results `R`. See the [crate's example](crate).
#[derive(Debug)]
pub struct Batch<P = (), R = ()> {
    runner: BatchRunner,
    types: PhantomData<fn(&P) -> R>,
}

impl Batch {
    /// Begins to declare batches on a device.
    pub fn builder<'a>(device: &wgpu::Device, queue: &wgpu::Queue) -> BatchBuilder<'a> {
        BatchBuilder::new(device, queue)
    }
}

impl<P: NoUninit, R: Results> Batch<P, R> {
    pub(crate) fn new(runner: BatchRunner) -> Self {
        Self {
            runner,
            types: PhantomData,
        }
    }

    /// Submits a batch; [`BatchRunner::submit`].
    pub fn submit(&mut self, params: &P) -> Result<BatchId, SubmitError> {
        self.runner.submit(bytemuck::bytes_of(params))
    }

    /// Waits for the next outcome; [`BatchRunner::next`].
    pub async fn next(&mut self) -> Option<Outcome<R>> {
        self.runner.next().await.map(typed)
    }

    /// [`next`](Self::next) for hand-written futures; [`BatchRunner::poll_next`].
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Outcome<R>>> {
        let outcome = self.runner.poll_next(context);
        outcome.map(|outcome| outcome.map(typed))
    }

    /// The next outcome, if one is available.
    pub fn try_next(&mut self) -> Option<Outcome<R>> {
        self.runner.try_next().map(typed)
    }

    /// Blocks until there is an outcome; [`BatchRunner::wait`]. Not available in a browser.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(&mut self) -> Option<Outcome<R>> {
        self.runner.wait().map(typed)
    }

    /// Cancels a batch; [`BatchRunner::cancel`].
    pub fn cancel(&mut self, id: BatchId) -> bool {
        self.runner.cancel(id)
    }

    /// Cancels every pending batch and begins a new epoch; [`BatchRunner::reset`].
    pub fn reset(&mut self) -> Vec<BatchId> {
        self.runner.reset()
    }

    /// Statistics since the batches were built.
    pub fn stats(&self) -> Stats {
        self.runner.stats()
    }

    /// The runner, which works on bytes.
    pub fn runner(&self) -> &BatchRunner {
        &self.runner
    }

    /// The runner, to drive it by itself.
    pub fn runner_mut(&mut self) -> &mut BatchRunner {
        &mut self.runner
    }
}

/// Decodes the results of an outcome.
fn typed<R: Results>(outcome: Outcome) -> Outcome<R> {
    outcome.map(|completed| Completed {
        id: completed.id,
        results: R::decode(&completed.results),
        retries: completed.retries,
    })
}

#[cfg(feature = "stream")]
impl<P: NoUninit, R: Results> futures_core::Stream for Batch<P, R> {
    type Item = Outcome<R>;

    /// Ends when no batch is pending, and goes on when another one was submitted.
    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Self::Item>> {
        Self::poll_next(self.get_mut(), context)
    }
}
