//! Random sequences ("streams") of wgpu calls, valid and invalid, on our adapter.
//!
//! What always holds: nothing panics, nothing hangs, every error goes through wgpu's error scopes, a valid call gives
//! none, an invalid call gives one and has no effect, and buffers and textures hold what a simple model predicts
//! (`model`, `images`). A stream is determined by its seed; `ANYWARP_SEEDS=0..5000 cargo test -p anywarp-adapter --test
//! commands` runs more of them. The contents of textures of two aspects or many samples are not modelled; calls with
//! them are made.

mod bindings;
mod device;
mod encoding;
mod images;
mod mapping;
mod misuse;
mod model;
pub(crate) mod random;
mod stream;
mod texture_copies;
mod texture_creation;
mod texture_kernels;
mod textures;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::channel;
use std::time::Duration;

use device::Gpu;
use stream::Stream;

/// No stream takes long; one that does is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// The usual seeds, or those of the environment.
fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("ANYWARP_SEEDS") else {
        return usual;
    };
    let bounds = text.split_once("..");
    let bounds = bounds.and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    bounds.unwrap_or_else(|| panic!("ANYWARP_SEEDS is FIRST..END, not `{text}`"))
}

/// Runs a function on a thread of its own, and fails if it panics or does not end in time.
fn watched(name: String, body: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // Unwind safety: nothing of it is used after a panic.
        let result = catch_unwind(AssertUnwindSafe(body));
        // Nobody listens any more where patience has ended.
        let _ = sender.send(result);
    });
    match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(())) => {}
        Ok(Err(payload)) => {
            eprintln_failure(&name);
            resume_unwind(payload);
        }
        Err(_) => panic!("{name} is stuck"),
    }
}

#[allow(clippy::print_stderr, reason = "a failing test says which seed it was")]
fn eprintln_failure(name: &str) {
    eprintln!("failed: {name}");
}

#[test]
fn streams_of_calls() {
    for seed in seeds(0..1500) {
        watched(format!("seed {seed}"), move || {
            Stream::new(Gpu::new(), seed).run();
        });
    }
}

/// Each thread has its own resources; they share the queue.
#[test]
fn streams_of_several_threads() {
    for seed in seeds(0..150) {
        watched(format!("threads of seed {seed}"), move || {
            let gpu = Gpu::new();
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let gpu = gpu.clone();
                    scope.spawn(move || Stream::new(gpu, seed << 8 | thread).run());
                }
            });
        });
    }
}
