//! Kernels over grids: parallel, deterministic, and with errors that name what failed.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anywarp_cpu::{
    Access, Arguments, BindGroup, BoundBuffer, BoundGroup, Buffer, CallPolicy, DispatchError,
    Engine, ExecutionError, Executor, ExecutorOptions, Kernel, KernelOptions, OffsetKind,
    ResolvedBindings, Runner, Schedule, Target, resolve_bindings,
};
use anywarp_program::Program;
use anywarp_program::naga::ShaderStage;

fn executor(threads: usize) -> Executor {
    Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(threads),
        watchdog: Some(Duration::from_secs(2)),
        ..Default::default()
    })
}

/// Runs the entry point `main` with one buffer at group 0, binding 0.
fn dispatch(
    executor: &Executor,
    wgsl: &str,
    buffer: &Buffer,
    workgroup_count: [u32; 3],
) -> Result<(), DispatchError> {
    dispatch_on(Engine::Fastest, executor, wgsl, buffer, workgroup_count)
}

fn dispatch_on(
    engine: Engine,
    executor: &Executor,
    wgsl: &str,
    buffer: &Buffer,
    workgroup_count: [u32; 3],
) -> Result<(), DispatchError> {
    let options = KernelOptions {
        engine,
        ..Default::default()
    };
    dispatch_with(options, executor, wgsl, buffer, workgroup_count)
}

fn dispatch_with(
    options: KernelOptions,
    executor: &Executor,
    wgsl: &str,
    buffer: &Buffer,
    workgroup_count: [u32; 3],
) -> Result<(), DispatchError> {
    let program = Program::from_wgsl(wgsl).unwrap();
    dispatch_program(options, executor, &program, buffer, workgroup_count)
}

fn dispatch_program(
    options: KernelOptions,
    executor: &Executor,
    program: &Program,
    buffer: &Buffer,
    workgroup_count: [u32; 3],
) -> Result<(), DispatchError> {
    let kernel = Kernel::with_options(program, "main", options).unwrap();
    let group = BindGroup::new(vec![BoundBuffer {
        binding: 0,
        buffer: buffer.clone(),
        offset: 0,
        size: buffer.size(),
        offset_kind: OffsetKind::Fixed,
    }]);
    let groups = [Some(BoundGroup {
        group: &group,
        dynamic_offsets: &[],
    })];
    let mut views = ResolvedBindings::default();
    resolve_bindings(kernel.resources(), &groups, &mut views)?;
    let arguments = views.arguments(&[], workgroup_count);
    executor.dispatch(&mut Runner::new(&kernel), &arguments)
}

fn words(buffer: &Buffer) -> Vec<u32> {
    let words = buffer.words(0..buffer.size(), Access::Read);
    words.iter().map(|w| w.load(Ordering::Relaxed)).collect()
}

#[test]
fn every_workgroup_runs_once() {
    let count = "
        @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
        @compute @workgroup_size(2) fn main(
            @builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>,
        ) { atomicAdd(&data[id.x + n.x * (id.y + n.y * id.z)], 1u); }";
    for threads in [1, 2, 5] {
        for grid in [[1, 1, 1], [7, 1, 1], [3, 50, 2], [1, 1, 1000], [0, 5, 5]] {
            let total = grid.iter().product::<u32>() as usize;
            let buffer = Buffer::new(4096).unwrap();
            dispatch(&executor(threads), count, &buffer, grid).unwrap();
            let mut expected = vec![2; total];
            expected.resize(1024, 0);
            assert_eq!(words(&buffer), expected, "{threads} threads, {grid:?}");
        }
    }
}

/// naga's own way to give overrides values refuses this program.
#[test]
fn overrides_choose_elements_of_constants() {
    let text = "
        override chosen: u32 = 1u;
        override other = 7i;
        const table = array(array(vec2(1.0, 2.0), vec2(3.0, 4.0)), array(vec2(5.0, 6.0), vec2(7.0, 8.0)));
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        fn element() -> f32 { return table[chosen % 2u][1u][0u]; }
        @compute @workgroup_size(1) fn main() {
            var sum = other + 1;
            for (var i = 0u; i < chosen; i++) { sum += other; out[i] = element() + f32(sum); }
            out[chosen] = table[chosen % 2u][0u][1u];
        }";
    let constants = [("chosen".to_owned(), 2.0)].into_iter().collect();
    let program = Program::from_wgsl(text).unwrap();
    let program = program.specialize(ShaderStage::Compute, "main", &constants);
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    let code = Target::all().map(Engine::Code);
    for engine in code.chain([Engine::Interpreter]) {
        let options = KernelOptions {
            engine,
            ..Default::default()
        };
        let buffer = Buffer::new(16).unwrap();
        dispatch_program(options, &executor(1), &program, &buffer, [1, 1, 1]).unwrap();
        let found: Vec<_> = words(&buffer).into_iter().map(f32::from_bits).collect();
        // The chosen row is the first: 3 and 8 + 7, 3 and 8 + 7 + 7, and 2.
        assert_eq!(found, [18.0, 25.0, 2.0, 0.0], "{engine:?}");
    }
}

/// Such a large buffer is written with non-temporal stores: the writes of other threads are visible after a dispatch,
/// also at the edges of their ranges.
#[test]
fn large_buffers_are_written_whole() {
    let write = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            data[id.x + OFFSET] = id.x ^ 0x5555u;
        }";
    const WORDS: u32 = (9 << 20) + 5;
    let buffer = Buffer::new(u64::from(WORDS) * 4).unwrap();
    for engine in Target::all().map(Engine::Code) {
        for offset in [0, 3] {
            let wgsl = write.replace("OFFSET", &format!("{offset}u"));
            let grid = [WORDS.div_ceil(256), 1, 1];
            dispatch_on(engine, &executor(4), &wgsl, &buffer, grid).unwrap();
            let written = words(&buffer).into_iter().zip(0..).skip(offset as usize);
            let wrong = written
                .clone()
                .find(|(word, place)| *word != (place - offset) ^ 0x5555);
            assert_eq!(wrong, None, "{engine:?}, {offset}");
        }
    }
}

/// The first workgroup waits for the second, which a program must not count on; but it shows that
/// two heavy workgroups of a kernel that never ran before do not wait for each other.
#[test]
fn heavy_workgroups_run_side_by_side() {
    let rendezvous = "
        @group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;
        @compute @workgroup_size(256) fn main(@builtin(workgroup_id) id: vec3<u32>) {
            atomicStore(&flags[id.x], 1u);
            while atomicLoad(&flags[1u - id.x]) == 0u {}
        }";
    let buffer = Buffer::new(8).unwrap();
    dispatch(&executor(2), rendezvous, &buffer, [2, 1, 1]).unwrap();
    assert_eq!(words(&buffer), [1, 1]);
}

/// A function that is called only reads what it waits for; another workgroup writes it at the same time.
#[test]
fn functions_see_what_other_workgroups_write() {
    let rendezvous = "
        @group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;
        fn wait(place: u32) { while atomicLoad(&flags[place]) == 0u {} }
        @compute @workgroup_size(256) fn main(@builtin(workgroup_id) id: vec3<u32>) {
            atomicStore(&flags[id.x], 1u);
            wait(1u - id.x);
        }";
    let options = KernelOptions {
        calls: CallPolicy::All,
        ..Default::default()
    };
    let buffer = Buffer::new(8).unwrap();
    dispatch_with(options, &executor(2), rendezvous, &buffer, [2, 1, 1]).unwrap();
    assert_eq!(words(&buffer), [1, 1]);
}

#[test]
fn a_fault_stops_the_others() {
    let fault = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(
            @builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32,
        ) { if id.x < 20u || i < 32u { workgroupBarrier(); } }";
    let buffer = Buffer::new(4).unwrap();
    for threads in [1, 4] {
        let error = dispatch(&executor(threads), fault, &buffer, [65535, 65535, 1]).unwrap_err();
        // The interpreter knows who waits for whom, machine code only that someone does.
        let DispatchError::Execution(
            ExecutionError::BarrierDivergence { workgroup, .. }
            | ExecutionError::BarrierMissed { workgroup, .. },
        ) = error
        else {
            panic!("{error}");
        };
        assert!(workgroup[0] >= 20, "{workgroup:?}");
        // One after the other, the first that fails is the first that could.
        assert!(threads > 1 || workgroup == [20, 0, 0], "{workgroup:?}");
    }
}

#[test]
fn endless_loops_end_by_iterations() {
    let endless = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1) fn main() { loop { if data[0] == 1u { break; } } }";
    let executor = Executor::new(&ExecutorOptions {
        workgroup_iterations: Some(1000),
        ..Default::default()
    });
    let error = dispatch(&executor, endless, &Buffer::new(4).unwrap(), [3, 1, 1]).unwrap_err();
    assert!(error.to_string().contains("1000 iterations"), "{error}");
}

#[test]
fn grids_that_no_machine_finishes() {
    let empty = "@compute @workgroup_size(1) fn main() {}";
    let error = dispatch(
        &executor(2),
        empty,
        &Buffer::new(4).unwrap(),
        [u32::MAX, u32::MAX, 9],
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "a grid of [4294967295, 4294967295, 9] workgroups is too large: \
         at most 2^40 are supported on the CPU"
    );
}

#[test]
fn bindings_are_checked() {
    let large = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32, 8>;
        @compute @workgroup_size(1) fn main() { data[0] = 1u; }";
    let error = dispatch(&executor(1), large, &Buffer::new(16).unwrap(), [1; 3]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`data` at @group(0) @binding(0) needs 32 bytes, but 16 are bound"
    );
}

/// The interpreter panics if it gets the wrong number of buffers; other dispatches are not affected.
#[test]
fn a_panic_of_the_engine_is_an_error() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(256) fn main() { data[0] = 1u; }";
    let kernel = Kernel::new(&Program::from_wgsl(wgsl).unwrap(), "main").unwrap();
    for workgroup_count in [[1, 1, 1], [100, 1, 1]] {
        let arguments = Arguments {
            buffers: &[],
            textures: &[],
            arrays: &[],
            immediates: &[],
            workgroup_count,
        };
        let error = executor(2)
            .dispatch(&mut Runner::new(&kernel), &arguments)
            .unwrap_err();
        assert!(
            matches!(&error, DispatchError::Internal { entry_point, .. } if entry_point == "main"),
            "{error}"
        );
    }
}

fn impatient(threads: usize) -> Executor {
    Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(threads),
        watchdog: Some(Duration::from_millis(200)),
        ..Default::default()
    })
}

const ENGINES: [Engine; 2] = [Engine::Interpreter, Engine::Fastest];

#[test]
fn an_endless_loop_is_ended_and_named() {
    let endless = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main() {
            loop { if data[0] == 1u { break; } }
        }";
    for engine in ENGINES {
        for threads in [1, 3] {
            let buffer = Buffer::new(4).unwrap();
            let error = dispatch_on(engine, &impatient(threads), endless, &buffer, [100, 1, 1]);
            let message = error.unwrap_err().to_string();
            for part in ["endless loop", "shader.wgsl:4:13", "0.2 s", "`main`"] {
                assert!(message.contains(part), "{engine:?}: {message}");
            }
        }
    }
}

/// No workgroup takes long, but all of them together do.
#[test]
fn many_short_workgroups_are_ended_by_the_limit_of_the_dispatch() {
    let short = "
        @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
        @compute @workgroup_size(64) fn main() { atomicAdd(&data[0], 1u); }";
    for engine in ENGINES {
        for threads in [1, 3] {
            let buffer = Buffer::new(4).unwrap();
            let begin = Instant::now();
            let grid = [65535, 65535, 1];
            let executor = Executor::new(&ExecutorOptions {
                threads: NonZeroUsize::new(threads),
                dispatch_limit: Some(Duration::from_millis(200)),
                ..Default::default()
            });
            let error = dispatch_on(engine, &executor, short, &buffer, grid).unwrap_err();
            let DispatchError::TooMuchWork {
                finished, total, ..
            } = error
            else {
                panic!("{engine:?}: {error}");
            };
            assert_eq!(total, 65535 * 65535);
            // The counter wraps; what was begun when time was over may be in it, too.
            let counted = (words(&buffer)[0] / 64) as u64;
            assert!(finished > 0 && finished <= counted, "{finished} {counted}");
            assert!(error.to_string().contains("0.2 s"), "{error}");
            // Generous, for a busy machine; without the limit it would be hours.
            assert!(begin.elapsed() < Duration::from_secs(20));
        }
    }
}

/// They take far longer than the watchdog allows, but they finish, one after the other.
#[test]
fn honest_workgroups_go_on() {
    let honest = "
        @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
        @compute @workgroup_size(1) fn main() {
            for (var i = 0u; i < 20000u; i++) { atomicAdd(&data[0], 1u); }
        }";
    for (engine, workgroups) in ENGINES.into_iter().zip([600, 6000]) {
        for threads in [1, 3] {
            let buffer = Buffer::new(4).unwrap();
            let grid = [workgroups, 1, 1];
            dispatch_on(engine, &impatient(threads), honest, &buffer, grid).unwrap();
            assert_eq!(words(&buffer), [workgroups * 20000]);
        }
    }
}

/// A random schedule: the same results with the same seed, however many threads there are.
#[test]
fn workgroups_run_in_an_order_that_a_seed_draws() {
    let log = "
        @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            data[1u + atomicAdd(&data[0], 1u)] = id.x;
        }";
    let log = log
        .replace("data[1u", "atomicStore(&data[1u")
        .replace("] = id.x", "], id.x)");
    let orders = |schedule, threads| {
        let executor = Executor::new(&ExecutorOptions {
            threads: NonZeroUsize::new(threads),
            schedule,
            ..Default::default()
        });
        [(); 2].map(|()| {
            let buffer = Buffer::new(65 * 4).unwrap();
            dispatch(&executor, &log, &buffer, [16, 1, 1]).unwrap();
            words(&buffer)[1..].to_vec()
        })
    };
    let seed = Schedule::Random(7);
    let [first, second] = orders(seed, 3);
    assert_eq!(orders(seed, 1), [first.clone(), second.clone()]);
    assert_ne!(first, second, "each dispatch has its own order");
    assert_ne!(orders(Schedule::Random(8), 1)[0], first);
    let workgroups: Vec<u32> = first.chunks(4).map(|chunk| chunk[0] / 4).collect();
    assert!(!workgroups.is_sorted(), "{workgroups:?}");
    let mut sorted = first;
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..64));
}

/// The time is that of one dispatch, not of all.
#[test]
fn each_dispatch_has_its_own_time() {
    let busy = "
        @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
        @compute @workgroup_size(64) fn main() { atomicAdd(&data[0], 1u); }";
    let (executor, buffer) = (impatient(2), Buffer::new(4).unwrap());
    let begin = Instant::now();
    let mut count = 0;
    while begin.elapsed() < Duration::from_millis(600) {
        dispatch(&executor, busy, &buffer, [10, 1, 1]).unwrap();
        count += 640;
    }
    assert_eq!(words(&buffer), [count]);
}

/// One workgroup fails, another is in a loop without end: the failure ends it, long before the watchdog.
#[test]
fn a_failure_ends_loops_of_other_threads() {
    let fails = "
        @group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;
        @compute @workgroup_size(256) fn main(
            @builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32,
        ) {
            if id.x == 0u {
                atomicStore(&flags[0], 1u);
                loop { if atomicLoad(&flags[1]) == 1u { break; } }
            } else {
                while atomicLoad(&flags[0]) == 0u {}
                if i < 32u { workgroupBarrier(); }
            }
        }";
    for engine in ENGINES {
        let executor = Executor::new(&ExecutorOptions {
            threads: NonZeroUsize::new(2),
            watchdog: Some(Duration::from_secs(60)),
            ..Default::default()
        });
        let begin = Instant::now();
        let buffer = Buffer::new(8).unwrap();
        let error = dispatch_on(engine, &executor, fails, &buffer, [2, 1, 1]).unwrap_err();
        assert!(error.to_string().contains("barrier"), "{engine:?}: {error}");
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}

/// Variables in memory have a limit: beyond it, places in a frame would be out of reach of the code.
#[test]
fn huge_variables_are_interpreted() {
    let declared = |number: u32| format!("var v{number}: array<u32, 2000000>; v{number}[i] = i;");
    let kernel = |count: u32| {
        let variables: String = (0..count).map(declared).collect();
        let wgsl = format!(
            "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {{ {variables} }}"
        );
        Kernel::new(&Program::from_wgsl(&wgsl).unwrap(), "main").unwrap()
    };
    if Target::detect().is_some() {
        assert!(kernel(1).code().is_ok());
    }
    let large = kernel(8);
    let reason = large.code().unwrap_err().to_string();
    assert!(
        reason.contains("bytes for each subgroup") || reason.contains("no code generator"),
        "{reason}"
    );
}

/// If the default subgroup size differed from the vector size, every such kernel would be interpreted.
#[test]
fn subgroup_operations_are_code_by_default_for_every_target() {
    let text = "@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            sums[i] = subgroupAdd(i);
        }";
    let program = Program::from_wgsl(text).unwrap();
    for target in Target::all() {
        let options = KernelOptions {
            engine: Engine::Code(target),
            ..Default::default()
        };
        let kernel = Kernel::with_options(&program, "main", options).unwrap();
        assert!(kernel.code().is_ok(), "{target}: {:?}", kernel.code().err());
    }
}
