//! Device loss: with a message, without a hang, without harm to others.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anywarp_adapter::{AdapterOptions, Engine, LossReport, lost_message, progress};
use wgpu::BufferUsages as Usage;

use crate::usage::program::{DOUBLE, Gpu};

const ENDLESS: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() {
    loop {
        data[0] += 1u;
        if data[0] == 0u && data[1] == 1u { break; }
    }
}";

const DIVERGENT: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    if data[i] == 1u { workgroupBarrier(); }
}";

fn impatient() -> Gpu {
    watched(Duration::from_millis(200))
}

fn watched(watchdog: Duration) -> Gpu {
    Gpu::full_with(AdapterOptions::default().watchdog(watchdog))
}

/// Runs a fatal shader, waits, and returns the message. Checks everything that must hold on the way.
fn lose(gpu: &Gpu, wgsl: &str) -> String {
    let (lost, loss) = channel();
    let device = gpu.device.clone();
    gpu.device.set_device_lost_callback(move |reason, _| {
        lost.send((reason, lost_message(&device))).unwrap();
    });
    assert_eq!(lost_message(&gpu.device), None);
    let data = gpu.storage(&[0, 1, 2, 3]);
    let pipeline = gpu.pipeline(wgsl);
    let group = gpu.group(&pipeline, &[&data]);
    let download = gpu.buffer(16, Usage::MAP_READ | Usage::COPY_DST);
    gpu.submit(|encoder| {
        encoder.push_debug_group("frame 7");
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.push_debug_group("step 3");
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.pop_debug_group();
        drop(pass);
        encoder.copy_buffer_to_buffer(&data, 0, &download, 0, 16);
        encoder.pop_debug_group();
    });
    let (done, work_done) = channel();
    gpu.queue
        .on_submitted_work_done(move || done.send(()).unwrap());

    let begin = Instant::now();
    assert!(gpu.try_map(&download).is_err(), "the mapping must fail");
    assert!(begin.elapsed() < Duration::from_secs(5));
    let (reason, message) = loss.recv().unwrap();
    assert_eq!(reason, wgpu::DeviceLostReason::Unknown);
    assert_eq!(message, lost_message(&gpu.device));
    work_done.recv().unwrap();
    message.unwrap()
}

#[test]
fn an_endless_loop() {
    let message = lose(&impatient(), ENDLESS);
    for part in [
        "`test pipeline`",
        "shader `test.wgsl`",
        "debug group `step 3`",
        "endless loop",
        "test.wgsl:4:5",
        "`main`",
        "AdapterOptions::watchdog",
        "--watchdog",
    ] {
        assert!(message.contains(part), "{part} is missing: {message}");
    }
}

#[test]
fn a_budget_of_iterations() {
    let gpu = Gpu::full_with(AdapterOptions::default().loop_iterations(100_000));
    let begin = Instant::now();
    let message = lose(&gpu, ENDLESS);
    assert!(message.contains("100000 iterations"), "{message}");
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_barrier_that_some_never_reach() {
    let message = lose(&Gpu::full(), DIVERGENT);
    for part in ["barrier", "test.wgsl:4:", "`test pipeline`"] {
        assert!(message.contains(part), "{part} is missing: {message}");
    }
}

#[test]
fn one_endless_workgroup_of_many() {
    let gpu = impatient();
    let data = gpu.storage(&[0; 4]);
    let endless = "
        @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
        @compute @workgroup_size(8) fn main(@builtin(workgroup_id) group: vec3<u32>) {
            for (var i = 0u; i < 100u || group.x == 300u; i++) { atomicAdd(&data[0], 1u); }
        }";
    gpu.run(endless, &[&data], 1000);
    gpu.wait();
    let message = lost_message(&gpu.device).unwrap();
    assert!(message.contains("endless loop"), "{message}");
}

/// No workgroup takes long; the dispatch does.
#[test]
fn a_dispatch_of_too_many_workgroups() {
    let gpu = Gpu::full_with(AdapterOptions::default().dispatch_limit(Duration::from_millis(200)));
    let data = gpu.storage(&[0; 4]);
    let pipeline = gpu.pipeline(
        "
        @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
        @compute @workgroup_size(64) fn main() { atomicAdd(&data[0], 1u); }",
    );
    let group = gpu.group(&pipeline, &[&data]);
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(65535, 65535, 1);
    });
    gpu.wait();
    let message = lost_message(&gpu.device).unwrap();
    for part in [
        "too much work",
        "0.2 s",
        "of its 4294836225 workgroups have finished",
        "shader `test.wgsl`",
        "`main`",
        "AdapterOptions::dispatch_limit",
        "--limit",
    ] {
        assert!(message.contains(part), "{part} is missing: {message}");
    }
    assert!(!message.contains("endless"), "{message}");
}

/// Takes far longer than the watchdog allows, but its workgroups finish, one after the other.
#[test]
fn a_long_dispatch_of_honest_workgroups_ends_well() {
    let watchdog = Duration::from_millis(100);
    for engine in [Engine::Fastest, Engine::Interpreter] {
        let gpu = Gpu::full_with(AdapterOptions::default().watchdog(watchdog).engine(engine));
        let data = gpu.storage(&[0; 4]);
        let honest = "
            @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
            @compute @workgroup_size(1) fn main() {
                for (var i = 0u; i < TURNS; i++) { atomicAdd(&data[0], 1u); }
            }";
        let turns = match engine {
            Engine::Interpreter => 20_000,
            _ => 100_000,
        };
        let groups = 1000;
        let begin = Instant::now();
        gpu.run(
            &honest.replace("TURNS", &turns.to_string()),
            &[&data],
            groups,
        );
        let mut seen = Vec::new();
        while !gpu
            .device
            .poll(wgpu::PollType::Poll)
            .unwrap()
            .is_queue_empty()
        {
            seen.extend(progress(&gpu.device));
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(lost_message(&gpu.device), None, "{engine:?}");
        assert_eq!(gpu.read(&data)[0], turns * groups);
        assert!(begin.elapsed() > watchdog * 3, "it took no time");
        assert!(
            seen.iter()
                .all(|progress| progress.total == u64::from(groups))
        );
        assert!(
            seen.is_sorted_by_key(|progress| progress.finished),
            "{seen:?}"
        );
        let [first, last] = [seen.first(), seen.last()].map(|progress| progress.unwrap().finished);
        assert!(first < last, "{seen:?}");
        assert_eq!(progress(&gpu.device), None);
    }
}

#[test]
fn other_devices_are_unharmed() {
    let watchdog = Duration::from_secs(1);
    let (sick, healthy) = (watched(watchdog), Gpu::new());
    let data = sick.storage(&[0, 0]);
    sick.run(ENDLESS, &[&data], 1);
    let begin = Instant::now();
    let buffer = healthy.storage(&[1, 2]);
    healthy.run(DOUBLE, &[&buffer], 1);
    assert_eq!(healthy.read(&buffer), [2, 4]);
    assert!(begin.elapsed() < watchdog, "it waited for the sick one");
    sick.wait();
    assert!(lost_message(&sick.device).is_some());
    assert_eq!(lost_message(&healthy.device), None);
    assert_eq!(healthy.read(&buffer), [2, 4]);
}

#[test]
fn a_lost_device_answers_every_call() {
    let gpu = impatient();
    let before = gpu.buffer(16, Usage::MAP_READ | Usage::COPY_DST);
    lose(&gpu, ENDLESS);
    // What is made from now on is invalid, and its use a validation error.
    gpu.device.on_uncaptured_error(Arc::new(|_| {}));
    for _ in 0..2 {
        let buffer = gpu.storage(&[1, 2]);
        gpu.run(DOUBLE, &[&buffer], 1);
        gpu.submit(|encoder| encoder.clear_buffer(&before, 0, None));
        assert!(gpu.try_map(&before).is_err());
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        gpu.wait();
    }
    gpu.device.destroy();
    gpu.wait();
}

/// wgpu-core destroys the buffers of a lost device; what the program still sees of them must stay.
#[test]
fn views_outlive_the_loss() {
    let gpu = impatient();
    let size = 4 << 20;
    let mapped = gpu.buffer(size, Usage::MAP_READ | Usage::COPY_DST);
    gpu.queue.write_buffer(&mapped, 0, &vec![7; size as usize]);
    gpu.try_map(&mapped).unwrap();
    let view = mapped.get_mapped_range(..).unwrap();
    lose(&gpu, ENDLESS);
    gpu.wait();
    drop((gpu, mapped));
    assert!(view.iter().all(|byte| *byte == 7));
}

#[test]
fn submissions_behind_the_fatal_one_do_nothing_and_end() {
    let gpu = impatient();
    let data = gpu.storage(&[0, 0]);
    gpu.run(ENDLESS, &[&data], 1);
    let (done, ends) = channel();
    for _ in 0..20 {
        let done = done.clone();
        gpu.submit(|encoder| encoder.clear_buffer(&data, 0, None));
        gpu.queue
            .on_submitted_work_done(move || done.send(()).unwrap());
    }
    gpu.wait();
    assert_eq!(ends.try_iter().count(), 20);
}

#[test]
fn a_device_dropped_while_it_is_stuck() {
    let gpu = impatient();
    let data = gpu.storage(&[0, 0]);
    gpu.run(ENDLESS, &[&data], 1);
    let begin = Instant::now();
    drop((gpu, data));
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn waiting_with_a_timeout() {
    let watchdog = Duration::from_secs(1);
    let gpu = watched(watchdog);
    let data = gpu.storage(&[0, 0]);
    gpu.run(ENDLESS, &[&data], 1);
    let begin = Instant::now();
    let result = gpu.device.poll(wgpu::PollType::Wait {
        submission_index: None,
        timeout: Some(Duration::from_millis(20)),
    });
    assert!(matches!(result, Err(wgpu::PollError::Timeout)));
    assert!(begin.elapsed() < watchdog);
    gpu.wait();
}

/// Set in the process that loses a device for [`the_reason_is_told_where_no_logger_is`].
const LOSE: &str = "ANYWARP_TEST_LOSES_A_DEVICE";

/// Does nothing unless the other test starts it, in a process of its own.
#[test]
fn loses_a_device_if_asked_to() {
    let report = match std::env::var(LOSE).as_deref() {
        Ok("stderr") => LossReport::LogOrStderr,
        Ok("log") => LossReport::Log,
        _ => return,
    };
    let gpu = Gpu::full_with(
        AdapterOptions::default()
            .watchdog(Duration::from_millis(100))
            .loss_report(report),
    );
    let data = gpu.storage(&[0, 0]);
    gpu.run(ENDLESS, &[&data], 1);
    gpu.wait();
    gpu.submit(|encoder| encoder.clear_buffer(&data, 0, None));
    gpu.wait();
}

/// wgpu's callback gets a fixed text, so a program without a logger would never see the reason.
#[test]
fn the_reason_is_told_where_no_logger_is() {
    for (report, lines) in [("stderr", 1), ("log", 0)] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "usage::loss::loses_a_device_if_asked_to",
                "--nocapture",
            ])
            .env(LOSE, report)
            .output()
            .unwrap();
        assert!(output.status.success());
        let stderr = String::from_utf8_lossy(&output.stderr);
        let told = |line: &&str| {
            line.starts_with("anywarp: CPU device lost: ")
                && line.contains("endless loop: the loop at test.wgsl:4:5")
        };
        assert_eq!(stderr.lines().filter(told).count(), lines, "{stderr}");
    }
}
