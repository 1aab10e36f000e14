//! Bodies with every kind of finding, which test the oracle itself.

use std::hint::black_box;
use std::time::Duration;

use super::bounds;
use super::stages::Stages;
use super::targets::Target;
use super::verdict::Verdict;

/// One body for each kind of finding.
pub(crate) const TARGETS: &[Target] = &[
    target("test_endless", endless),
    target("test_late", late),
    target("test_memory", memory),
    target("test_huge_allocation", huge_allocation),
    target("test_panic", panicking),
    target("test_stack", stack),
    target("test_guard_page", bounds::dishonest),
    target("test_wrong", wrong),
];

const fn target(name: &'static str, body: fn(&[u8], &Stages) -> Verdict) -> Target {
    Target {
        name,
        body,
        generate: |_| Vec::new(),
        describe: |_| String::new(),
        brief: 1,
    }
}

/// Never stops using processor time.
fn endless(_: &[u8], stages: &Stages) -> Verdict {
    stages.run("work", || {
        let mut count = 0_u64;
        while black_box(count) != u64::MAX {
            count += 1;
        }
    });
    Verdict::Accepted
}

/// Stops by itself, but above its time limit.
fn late(_: &[u8], stages: &Stages) -> Verdict {
    let end = super::stages::process_time() + stages.limits().time + Duration::from_millis(1);
    stages.run("work", || while super::stages::process_time() < end {});
    Verdict::Accepted
}

/// Allocates more memory than allowed, in small pieces.
fn memory(_: &[u8], stages: &Stages) -> Verdict {
    let pieces = stages.limits().bytes >> 16;
    stages.run("work", || {
        let held: Vec<_> = (0..pieces + 8).map(|_| vec![1_u8; 1 << 16]).collect();
        black_box(held);
    });
    Verdict::Accepted
}

/// Requests more memory than the machine has.
fn huge_allocation(_: &[u8], stages: &Stages) -> Verdict {
    stages.run("work", || black_box(Vec::<u8>::with_capacity(1 << 40)));
    Verdict::Accepted
}

fn panicking(_: &[u8], stages: &Stages) -> Verdict {
    stages.run("work", || panic!("on purpose"))
}

/// Recurses infinitely.
fn stack(_: &[u8], stages: &Stages) -> Verdict {
    fn deeper(depth: u64) -> u64 {
        let here = black_box([depth; 64]);
        match black_box(depth) {
            u64::MAX => 0,
            _ => deeper(depth + 1) + here[depth as usize % 64],
        }
    }
    stages.run("work", || black_box(deeper(0)));
    Verdict::Accepted
}

fn wrong(_: &[u8], stages: &Stages) -> Verdict {
    stages.run("work", || Verdict::wrong("work", "on purpose"))
}
