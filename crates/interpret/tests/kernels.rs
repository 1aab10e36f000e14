//! Whole kernels through the public interface.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anywarp_interpret::{
    Arguments, BufferView, CancelFlag, ExecutionError, Kernel, KernelError, Limits, Schedule,
    Worker,
};
use anywarp_program::{Program, Source};

fn kernel(wgsl: &str) -> Kernel {
    let program = Program::from_source(Source::new("k.wgsl", wgsl)).expect("valid WGSL");
    Kernel::new(&program, "main").expect("a kernel")
}

fn words(values: &[u32]) -> Vec<AtomicU32> {
    values.iter().map(|&value| AtomicU32::new(value)).collect()
}

/// Runs a grid with one read-write buffer at 0:0 and returns its contents.
fn run(
    wgsl: &str,
    input: &[u32],
    count: [u32; 3],
    limits: &Limits<'_>,
) -> Result<Vec<u32>, ExecutionError> {
    let kernel = kernel(wgsl);
    let buffer = words(input);
    let arguments = Arguments {
        buffers: &[BufferView { words: &buffer }],
        immediates: &[],
        textures: &[],
        arrays: &[],
        workgroup_count: count,
    };
    let mut worker = Worker::new(&kernel);
    for z in 0..count[2] {
        for y in 0..count[1] {
            for x in 0..count[0] {
                worker.run(&arguments, [x, y, z], limits)?;
            }
        }
    }
    Ok(buffer.iter().map(|word| word.load(Relaxed)).collect())
}

#[test]
fn every_invocation_runs_once_with_its_own_ids() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(2, 3, 4)
        fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
            let size = n * vec3<u32>(2, 3, 4);
            data[(g.z * size.y + g.y) * size.x + g.x] += g.x + 100 * g.y + 10000 * g.z;
        }";
    let out = run(wgsl, &[1; 24 * 8], [2, 2, 2], &Limits::default()).unwrap();
    for z in 0..8 {
        for y in 0..6 {
            for x in 0..4 {
                let index = ((z * 6 + y) * 4 + x) as usize;
                assert_eq!(out[index], 1 + x + 100 * y + 10000 * z);
            }
        }
    }
}

#[test]
fn a_barrier_makes_writes_visible_to_all() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        var<workgroup> tile: array<u32, 8>;
        @compute @workgroup_size(8)
        fn main(@builtin(local_invocation_index) i: u32) {
            tile[i] = data[i];
            for (var step = 4u; step > 0u; step /= 2u) {
                workgroupBarrier();
                if i < step { tile[i] += tile[i + step]; }
            }
            workgroupBarrier();
            data[i] = tile[0];
        }";
    let out = run(
        wgsl,
        &[1, 2, 3, 4, 5, 6, 7, 8],
        [1, 1, 1],
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(out, [36; 8]);
}

#[test]
fn calls_pointers_and_locals() {
    let wgsl = "
        struct Pair { a: u32, b: array<u32, 3> }
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        var<private> counter: u32 = 5u;
        fn bump(p: ptr<function, u32>, by: u32) -> u32 { *p += by; counter += 1u; return *p * 2u; }
        fn twice(p: ptr<function, Pair>) -> u32 {
            let x = bump(&(*p).b[data[0]], 1u);
            return x + bump(&(*p).b[data[0]], 10u);
        }
        @compute @workgroup_size(1)
        fn main() {
            var pair = Pair(7u, array<u32, 3>(1u, 2u, 3u));
            let r = twice(&pair);
            data[1] = pair.a; data[2] = pair.b[0]; data[3] = pair.b[1]; data[4] = pair.b[2];
            data[5] = r; data[6] = counter;
        }";
    let out = run(wgsl, &[1, 0, 0, 0, 0, 0, 0], [1, 1, 1], &Limits::default()).unwrap();
    assert_eq!(out, [1, 7, 1, 13, 3, 6 + 26, 7]);
    let out = run(wgsl, &[3, 0, 0, 0, 0, 0, 0], [1, 1, 1], &Limits::default()).unwrap();
    assert_eq!(
        out,
        [3, 7, 1, 2, 3, 0, 7],
        "out of bounds: zero read, write gone"
    );
}

#[test]
fn an_endless_loop_names_its_line() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1)
        fn main() {
            while data[0] == 0u { data[1] += 1u; }
        }";
    let limits = Limits {
        iterations: 100_000,
        ..Limits::default()
    };
    let fault = run(wgsl, &[0, 0], [1, 1, 1], &limits).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "endless loop: the loop at k.wgsl:5:13 did not end within 100000 iterations \
         (invocation [0, 0, 0] of entry point `main`)"
    );
}

#[test]
fn an_endless_loop_of_calls_names_its_line() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        fn inner() { data[1] += 1u; }
        fn outer() { inner(); for (var i = 0u; i < 3u; i++) { data[2] += i; } inner(); }
        @compute @workgroup_size(1)
        fn main() {
            while data[0] == 0u { outer(); }
        }";
    for iterations in 100_000..100_012 {
        let limits = Limits {
            iterations,
            ..Limits::default()
        };
        let fault = run(wgsl, &[0, 0, 0], [1, 1, 1], &limits).unwrap_err();
        let ExecutionError::EndlessLoop { location, .. } = &fault else {
            panic!("{fault}");
        };
        // The budget may also be exhausted in the inner loop.
        assert!(matches!(location.as_ref().unwrap().line, 4 | 7), "{fault}");
    }
}

#[test]
fn work_without_a_loop_ends_too() {
    let mut wgsl = String::from(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         fn f0() { data[0] += 1u; }\n",
    );
    for i in 1..50 {
        let callee = i - 1;
        wgsl += &format!("fn f{i}() {{ f{callee}(); f{callee}(); }}\n");
    }
    wgsl += "@compute @workgroup_size(1) fn main() { f49(); }";
    let limits = Limits {
        iterations: 100_000,
        ..Limits::default()
    };
    let fault = run(&wgsl, &[0], [1, 1, 1], &limits).unwrap_err();
    assert!(
        matches!(fault, ExecutionError::TooMuchWork { .. }),
        "{fault}"
    );
}

#[test]
fn a_workgroup_of_millions_ends_too() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: atomic<u32>;
        @compute @workgroup_size(16384, 16384)
        fn main() { atomicAdd(&data, 1u); }";
    let limits = Limits {
        iterations: 100_000,
        ..Limits::default()
    };
    let fault = run(wgsl, &[0], [1, 1, 1], &limits).unwrap_err();
    assert!(
        matches!(fault, ExecutionError::TooMuchWork { .. }),
        "{fault}"
    );
}

#[test]
fn time_passes_on_huge_copies_too() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1)
        fn main() {
            var a: array<u32, 1000000>;
            var b: array<u32, 1000000>;
            for (var i = 0u; i < 1000000000u; i++) { a = b; b = a; }
            data[0] = a[0];
        }";
    let time = std::time::Duration::from_millis(50);
    let cancel = CancelFlag::new(time, time * 2);
    let limits = Limits {
        cancel: Some(&cancel),
        ..Limits::default()
    };
    let start = std::time::Instant::now();
    let fault = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(time);
            cancel.cancel_without_progress();
        });
        run(wgsl, &[0], [1, 1, 1], &limits).unwrap_err()
    });
    let ExecutionError::EndlessLoop { limit, .. } = &fault else {
        panic!("{fault}");
    };
    assert_eq!(limit.to_string(), "0.05 s");
    // Generous, for a busy machine; without the time limit this would take hours.
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
}

#[test]
fn a_barrier_that_some_never_reach_names_both_places() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        var<workgroup> w: u32;
        @compute @workgroup_size(4)
        fn main(@builtin(local_invocation_index) i: u32) {
            w = data[0];
            data[1] = i;
            if data[1] == 2u {
                return;
            }
            workgroupBarrier();
        }";
    let fault = run(wgsl, &[0, 0], [1, 1, 1], &Limits::default()).unwrap_err();
    let ExecutionError::BarrierDivergence {
        waiting,
        other,
        barrier,
        other_location,
        ..
    } = &fault
    else {
        panic!("{fault}");
    };
    assert_eq!((*waiting, *other), (0, 2));
    assert_eq!(barrier.as_ref().unwrap().line, 11);
    assert_eq!(other_location.as_ref().unwrap().line, 9);
}

#[test]
fn a_cancelled_run_ends() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1) fn main() { while data[0] == 0u {} }";
    let cancel = CancelFlag::default();
    cancel.cancel();
    let limits = Limits {
        cancel: Some(&cancel),
        ..Limits::default()
    };
    let fault = run(wgsl, &[0], [1, 1, 1], &limits).unwrap_err();
    assert!(matches!(fault, ExecutionError::Cancelled { .. }));
}

#[test]
fn what_is_missing_is_named_with_its_place() {
    let program = Program::from_source(Source::new(
        "k.wgsl",
        "enable wgpu_ray_query;\n@group(0) @binding(0) var scene: acceleration_structure;\n\
         @compute @workgroup_size(1) fn main() { var query: ray_query;\n\
         rayQueryInitialize(&query, scene, RayDesc(0, 0, 0, 0, vec3(0f), vec3(1f))); }",
    ))
    .expect("valid WGSL");
    let error = Kernel::new(&program, "main").unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("`scene`: ray tracing is not supported"),
        "{message}"
    );
    assert!(message.contains("k.wgsl:2:"), "{message}");
    assert!(matches!(
        Kernel::new(&program, "other").unwrap_err(),
        KernelError::NoEntryPoint(_)
    ));
}

#[test]
fn a_value_keeps_its_bits_when_its_variable_changes() {
    // Loads are read in place where that cannot be observed; here it could be.
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1)
        fn main() {
            var x = data[0];
            let before = x;
            let same = abs(x);
            let bits = bitcast<i32>(x);
            var v = vec3<u32>(x, x + 1u, x + 2u);
            let part = v.y;
            let old = v;
            x = 99u;
            v.y = 77u;
            v = v.zyx;
            data[1] = before; data[2] = same; data[3] = u32(bits); data[4] = part;
            data[5] = old.y; data[6] = v.x; data[7] = v.y; data[8] = v.z; data[9] = x;
        }";
    let mut input = [0; 10];
    input[0] = 5;
    let out = run(wgsl, &input, [1, 1, 1], &Limits::default()).unwrap();
    assert_eq!(out, [5, 5, 5, 5, 6, 6, 7, 77, 5, 99]);
}

#[test]
fn a_huge_variable_is_refused() {
    let program = Program::from_wgsl(
        "var<private> big: array<u32, 100000000>;
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             big[id.x] = 1u;
         }",
    )
    .expect("valid WGSL");
    let message = Kernel::new(&program, "main").unwrap_err().to_string();
    assert!(message.contains("`big`"), "{message}");
    assert!(message.contains("400000000 bytes"), "{message}");
}

#[test]
fn what_needs_too_much_memory_is_refused() {
    let many_pieces = format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<vec3<f32>, 5000000>;
         @compute @workgroup_size(1) fn main() {{ {} }}",
        "data = data; ".repeat(300)
    );
    let huge_workgroup = "@compute @workgroup_size(16384, 16384, 16) fn main() {}";
    for wgsl in [many_pieces.as_str(), huge_workgroup] {
        let program = Program::from_wgsl(wgsl).unwrap();
        let error = Kernel::new(&program, "main").unwrap_err();
        assert!(matches!(error, KernelError::Unsupported { .. }), "{error}");
    }
}

#[test]
fn a_global_id_beyond_32_bits_wraps() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(4)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = 1u; }";
    let kernel = kernel(wgsl);
    let data = words(&[0; 4]);
    let arguments = Arguments {
        buffers: &[BufferView { words: &data }],
        immediates: &[],
        textures: &[],
        arrays: &[],
        workgroup_count: [u32::MAX, 1, 1],
    };
    let mut worker = Worker::new(&kernel);
    worker
        .run(&arguments, [1 << 30, 0, 0], &Limits::default())
        .unwrap();
    assert!(data.iter().all(|word| word.load(Relaxed) == 1));
}

#[test]
fn types_that_double_take_no_longer_to_resolve() {
    let mut wgsl = String::from(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         struct S0 { a: u32, b: u32 }\n",
    );
    for i in 1..13 {
        let part = i - 1;
        wgsl += &format!("struct S{i} {{ a: S{part}, b: S{part} }}\n");
    }
    let last = format!("x{}", ".b".repeat(13));
    wgsl += "@compute @workgroup_size(1) fn main() { var x = S12();\n";
    wgsl += &format!("{last} += 1u;\n").repeat(100);
    wgsl += &format!("data[0] = {last}; }}");
    let out = run(&wgsl, &[0], [1, 1, 1], &Limits::default()).unwrap();
    assert_eq!(out, [100]);
}

/// A time limit on a whole dispatch does not blame a loop.
#[test]
fn a_dispatch_that_is_out_of_time_has_too_much_work() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1) fn main() { loop { if data[0] == 1u { break; } } }";
    let time = std::time::Duration::from_secs(3);
    let cancel = CancelFlag::new(time * 2, time);
    cancel.cancel_out_of_time();
    let limits = Limits {
        cancel: Some(&cancel),
        ..Limits::default()
    };
    let fault = run(wgsl, &[0], [1, 1, 1], &limits).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "too much work: the dispatch of entry point `main` did not end within 3 s (it had come to workgroup [0, 0, 0])"
    );
}

/// Each invocation reads what its neighbour wrote.
fn neighbours(barrier: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        var<workgroup> tile: array<u32, 16>;
        @compute @workgroup_size(16) fn main(
            @builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>,
        ) {{
            tile[i] = i + 1u;
            {barrier}
            data[group.x * 16u + i] = tile[(i + 15u) % 16u];
        }}"
    )
}

fn scheduled(wgsl: &str, schedule: Schedule) -> Vec<u32> {
    let limits = Limits {
        schedule,
        ..Limits::default()
    };
    run(wgsl, &[0; 32], [2, 1, 1], &limits).unwrap()
}

/// By default, only the first invocation reads too early.
#[test]
fn a_random_schedule_finds_a_missing_barrier_and_its_seed_finds_it_again() {
    let (right, wrong) = (neighbours("workgroupBarrier();"), neighbours(""));
    let expected = scheduled(&right, Schedule::InOrder);
    let zeros = |words: &[u32]| words.iter().filter(|word| **word == 0).count();
    assert_eq!(zeros(&expected), 0);
    assert_eq!(zeros(&scheduled(&wrong, Schedule::InOrder)), 2);
    let mut results = Vec::new();
    for seed in 0..20 {
        let schedule = Schedule::Random(seed);
        assert_eq!(scheduled(&right, schedule), expected);
        let result = scheduled(&wrong, schedule);
        assert!(zeros(&result) > 2, "{seed}: {result:?}");
        assert_eq!(result, scheduled(&wrong, schedule));
        assert_ne!(result[..16], result[16..], "{seed}");
        results.push(result);
    }
    results.sort();
    results.dedup();
    assert_eq!(results.len(), 20);
}

/// The error names two invocations that differ, whatever the order is.
#[test]
fn random_schedules_name_barriers_that_some_never_reach() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            if i != 3u { workgroupBarrier(); }
            data[0] = i;
        }";
    for seed in 0..20 {
        let limits = Limits {
            schedule: Schedule::Random(seed),
            ..Limits::default()
        };
        let fault = run(wgsl, &[0], [1, 1, 1], &limits).unwrap_err();
        let ExecutionError::BarrierDivergence { waiting, other, .. } = fault else {
            panic!("{fault}");
        };
        assert!(waiting != 3 && other == 3, "{seed}: {waiting} {other}");
    }
}

/// Subgroup operations do not depend on the order of invocations.
#[test]
fn subgroup_operations_do_not_depend_on_the_schedule() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(16) fn main(
            @builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>,
        ) {
            var sum = subgroupInclusiveAdd(i);
            if i % 3u == 1u { sum += subgroupAdd(i * 7u); }
            data[group.x * 16u + i] = sum + subgroupShuffleXor(i, 1u);
        }";
    let expected = scheduled(wgsl, Schedule::InOrder);
    for seed in 0..10 {
        assert_eq!(scheduled(wgsl, Schedule::Random(seed)), expected);
    }
}
