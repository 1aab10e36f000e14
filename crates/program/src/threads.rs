//! Data parallelism on scoped threads.
//!
//! In: independent pieces of work. Out: their results, in order. What always holds: the results do not depend on the
//! number of threads; one thread means the caller's; if the system cannot start a thread, the caller does its work.
//! Threads live as long as the call: there is no pool.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use naga::Module;

use crate::walk;

/// Stack size for deeply nested statements. Only pages that are touched take memory.
pub const STACK: usize = 64 << 20;

/// The number of expressions of all functions and entry points of a module.
pub fn expressions(module: &Module) -> usize {
    walk::functions(module)
        .map(|function| function.expressions.len())
        .sum()
}

/// The number of threads to use, given the number of expressions that makes a thread worth starting, and a maximum.
pub fn count(expressions: usize, each: usize, max: Option<NonZeroUsize>) -> usize {
    // Reading the core count from the system opens several files, so it is read once.
    static CORES: LazyLock<usize> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, NonZeroUsize::get));
    match expressions / each {
        0 | 1 => 1,
        worth => worth.min(max.map_or_else(|| *CORES, NonZeroUsize::get)),
    }
}

/// Runs pieces of work on threads, each with a state of its own, and returns the results in order.
pub fn in_order<S, R: Send>(
    pieces: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let (mut state, mut done) = (state(), Vec::new());
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                break done;
            }
            done.push((piece, work(&mut state, piece)));
        }
    };
    let mut done = thread::scope(|scope| {
        let spawn = |_| {
            let thread = thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, run).ok()
        };
        let others: Vec<_> = (1..threads.min(pieces)).filter_map(spawn).collect();
        let mut done = run();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(piece, _)| *piece);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        let expected: Vec<usize> = (0..100).map(|piece| piece * piece).collect();
        for threads in [1, 2, 7, 200] {
            let squares = in_order(100, threads, || (), |(), piece| piece * piece);
            assert_eq!(squares, expected, "{threads}");
        }
        assert!(in_order(0, 4, || (), |(), piece| piece).is_empty());
    }

    #[test]
    fn little_work_has_one_thread() {
        let max = NonZeroUsize::new(8);
        assert_eq!(count(0, 10, max), 1);
        assert_eq!(count(19, 10, max), 1);
        assert_eq!(count(30, 10, max), 3);
        assert_eq!(count(1000, 10, max), 8);
        assert_eq!(count(1000, 10, NonZeroUsize::new(1)), 1);
    }
}
