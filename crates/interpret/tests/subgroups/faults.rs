//! Errors in kernels with subgroup operations: each is reported, and none hangs.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anywarp_interpret::{Arguments, BufferView, ExecutionError, KernelError, Limits, Worker};

use super::{kernel, run, try_run};

fn fault(wgsl: &str) -> ExecutionError {
    let limits = Limits {
        iterations: 10_000,
        ..Limits::default()
    };
    try_run(wgsl, 4, &[0; 16], &limits).expect_err("a fault")
}

#[test]
fn an_endless_loop_around_an_operation_ends_by_the_budget() {
    let fault = fault(
        "@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
            loop { data[i] += subgroupAdd(1u); }
        }",
    );
    assert!(
        matches!(fault, ExecutionError::EndlessLoop { .. }),
        "{fault}"
    );
    assert!(fault.to_string().contains("k.wgsl:3:13"), "{fault}");
}

#[test]
fn a_lane_in_an_endless_loop_holds_up_the_others_only_until_the_budget_is_spent() {
    let fault = fault(
        "@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
            loop { if i != 5u { break; } data[i] += 1u; }
            data[i] = subgroupAdd(1u);
        }",
    );
    let ExecutionError::EndlessLoop { invocation, .. } = fault else {
        panic!("{fault}");
    };
    assert_eq!(invocation, [5, 0, 0]);
}

#[test]
fn lanes_that_wait_for_a_lane_that_waits_for_them_end_by_the_budget() {
    // Lane 0 sets the flag after an operation that the others only reach once it is set.
    let fault = fault(
        "var<workgroup> flag: atomic<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            if i != 0u { loop { if atomicLoad(&flag) == 1u { break; } } }
            data[i] = subgroupAdd(1u);
            atomicStore(&flag, 1u);
        }",
    );
    assert!(
        matches!(fault, ExecutionError::EndlessLoop { .. }),
        "{fault}"
    );
}

#[test]
fn a_barrier_in_a_branch_is_reported_as_ever() {
    let fault = fault(
        "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            if i < 6u { data[i] = subgroupAdd(1u); workgroupBarrier(); }
            data[i] += subgroupAdd(1u);
        }",
    );
    let ExecutionError::BarrierDivergence { waiting, other, .. } = fault else {
        panic!("{fault}");
    };
    assert_eq!((waiting, other), (0, 6));
}

#[test]
fn subgroups_come_to_a_barrier_by_different_ways() {
    let out = run(
        "var<workgroup> total: atomic<u32>;
        @compute @workgroup_size(16)
        fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_id) subgroup: u32) {
            for (var k = 0u; k < subgroup; k++) {
                let votes = subgroupBallot(i % 4u <= k);
                if i % 4u == 0u { atomicAdd(&total, countOneBits(votes.x)); }
            }
            workgroupBarrier();
            data[i] = subgroupAdd(atomicLoad(&total));
        }",
        4,
        &[0; 16],
    );
    // Subgroups 1, 2 and 3 count 1, 1 + 2 and 1 + 2 + 3 votes.
    assert_eq!(out, [40; 16]);
}

#[test]
fn a_worker_forgets_a_workgroup_that_failed() {
    let kernel = kernel(
        "@compute @workgroup_size(6)
        fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) id: vec3<u32>) {
            if i % 2u == 0u { if id.x == 0u { loop {} } return; }
            data[i] += subgroupAdd(1u);
        }",
        4,
    )
    .unwrap();
    let data: Vec<AtomicU32> = (0..6).map(|_| AtomicU32::new(0)).collect();
    let arguments = Arguments {
        buffers: &[BufferView { words: &data }],
        immediates: &[],
        textures: &[],
        arrays: &[],
        workgroup_count: [3, 1, 1],
    };
    let limits = Limits {
        iterations: 100,
        ..Limits::default()
    };
    let mut worker = Worker::new(&kernel);
    let fault = worker.run(&arguments, [0, 0, 0], &limits);
    assert!(
        matches!(fault, Err(ExecutionError::EndlessLoop { .. })),
        "{fault:?}"
    );
    worker.run(&arguments, [1, 0, 0], &limits).unwrap();
    worker.run(&arguments, [2, 0, 0], &limits).unwrap();
    let data: Vec<u32> = data.iter().map(|word| word.load(Relaxed)).collect();
    assert_eq!(data, [0, 4, 0, 4, 0, 2]);
}

#[test]
fn a_constant_lane_must_exist_somewhere() {
    for (call, message) in [
        (
            "subgroupBroadcast(1u, 128u)",
            "k.wgsl:2:73: `subgroupBroadcast` from lane 128: it must be less than 128",
        ),
        (
            "quadBroadcast(1u, 4u)",
            "k.wgsl:2:69: `quadBroadcast` from lane 4: it must be less than 4",
        ),
    ] {
        let wgsl = format!("@compute @workgroup_size(4) fn main() {{ data[0] = {call}; }}");
        let error = kernel(&wgsl, 4).expect_err(call);
        assert!(matches!(error, KernelError::NoSuchLane { .. }), "{error}");
        assert_eq!(error.to_string(), message);
    }
}
