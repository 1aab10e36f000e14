//! Options of the queue that reorders submissions, for tests.

/// A reordering queue: it overlaps and reorders submissions, by seed.
///
/// **This breaks WebGPU's guarantee on purpose.** A queue of WebGPU makes the effects of each submission visible to the
/// next ones. Code that claims not to need this order, because it locks or because its work commutes, can prove it
/// here: run it under many seeds, and compare.
///
/// # What happens
///
/// Up to [`overlap`](Self::overlap) submissions are open at a time. One of them, chosen at random, makes one or more
/// steps, then another. A step is one workgroup, or one command other than a dispatch: a copy, a clear, a query. So a
/// submission may run before, after or in the middle of an earlier one.
///
/// What still holds:
/// - A submission's commands run in their order, each after the previous one has ended. The workgroups of one dispatch
///   run in any order, as always.
/// - A workgroup runs from its beginning to its end without another one in between.
/// - Work is done when wgpu reports it, in the order of submission: a submission that ended early counts as unfinished
///   until all earlier ones have ended. So a mapped buffer is not written, and work that a program has waited for is
///   over before its next submission.
/// - Device loss, the watchdog and the limits work as always. The watchdog ends a submission that waits in a loop for
///   another one.
///
/// `Queue::write_buffer` is a copy at the start of the next submission, and part of it; another submission may run
/// before it. The same holds for the initial contents of a buffer that was mapped at creation, and for the zeros that
/// wgpu writes into a buffer before its first use if the program has written nothing. So **initialise shared buffers,
/// submit, and wait** before the part that is under test: `queue.submit([])`, then
/// `device.poll(PollType::wait_indefinitely())`.
///
/// # What a seed determines
///
/// Everything runs on the queue's one thread, independently of [`AdapterOptions::threads`](crate::AdapterOptions::threads), and only in response to
/// calls of the program. A submission over the overlap first runs the others until one ends. A wait runs them until the
/// work that it waits for is done. A query of the fence makes a few steps, sometimes none and at most until one
/// submission ends, and is answered after them; every `Device::poll` and every `Queue::submit` ends with one. So a
/// program that calls from one thread, and does not depend on the clock, gets the same schedule from the same seed on
/// any machine. Calls from several threads happen in an order that no seed controls. Each device starts from the seed
/// again.
///
/// ```
/// use anywarp_adapter::{AdapterOptions, Misbehaviour};
/// for seed in 0..3 {
///     let misbehaviour = Misbehaviour {
///         seed,
///         spurious_failures: 0.25,
///         ..Default::default()
///     };
///     let adapter = anywarp_adapter::adapter(AdapterOptions::default().misbehaviour(misbehaviour));
///     // Run the program, and compare its results.
///     # drop(adapter);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misbehaviour {
    /// The seed of the schedule. Zero by default.
    pub seed: u64,
    /// The number of submissions that are open at once: begun, or free to begin, and not ended. Four by default. With
    /// one (or zero, which counts as one) submissions keep their order.
    pub overlap: usize,
    /// The probability, from 0 to 1, that `atomicCompareExchangeWeak` fails spuriously although the values are equal,
    /// as WGSL allows: it returns the old value, `exchanged` is false, and nothing is stored. 0 by default. With 1 it
    /// never succeeds, and the watchdog ends a loop around it.
    pub spurious_failures: f64,
}

impl Default for Misbehaviour {
    fn default() -> Self {
        Self {
            seed: 0,
            overlap: 4,
            spurious_failures: 0.0,
        }
    }
}
