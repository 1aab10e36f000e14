//! Throughput of the GPU interpreter: instructions per second by the number of threads, and the
//! time to create it and to load a program, on every available device.
//!
//! `cargo bench -p anywarp-wasm --bench gpu`

#![allow(clippy::print_stdout, reason = "a report")]

use std::time::Instant;

use anywarp_wasm::gpu::{Interpreter, InterpreterOptions};
use anywarp_wasm::runtime::{Launch, MemoryMode, Resources, Value};

/// How often a program is loaded; the minimum time is reported.
const LOADS: u32 = 20;

/// An integer loop with a load and a store, and a float loop.
const PROGRAM: &str = r#"(module
    (memory 1)
    (func (export "integers") (param $rounds i32) (result i32) (local $i i32) (local $a i32)
        (loop $next
            (local.set $a (i32.add (i32.mul (local.get $a) (i32.const 31)) (local.get $i)))
            (i32.store (i32.and (local.get $a) (i32.const 4092)) (local.get $i))
            (local.set $a (i32.xor (local.get $a)
                (i32.load (i32.and (i32.shr_u (local.get $a) (i32.const 7)) (i32.const 4092)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $i) (local.get $rounds))))
        (local.get $a))
    (func (export "floats") (param $rounds i32) (result f32) (local $i i32) (local $a f32)
        (local.set $a (f32.const 0.3))
        (loop $next
            (local.set $a (f32.mul (f32.const 3.7)
                (f32.mul (local.get $a) (f32.sub (f32.const 1) (local.get $a)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $i) (local.get $rounds))))
        (local.get $a))
    (func (export "doubles") (param $rounds i32) (result f64) (local $i i32) (local $a f64)
        (local.set $a (f64.const 0.3))
        (loop $next
            (local.set $a (f64.mul (f64.const 3.7)
                (f64.mul (local.get $a) (f64.sub (f64.const 1) (local.get $a)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $i) (local.get $rounds))))
        (local.get $a)))"#;

fn main() {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let vulkan = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let cpu = anywarp_adapter::adapter(anywarp_adapter::AdapterOptions::default());
    let only = std::env::var("ANYWARP_BENCH_DEVICE").unwrap_or_default();
    for adapter in [cpu].iter().chain(&vulkan) {
        if adapter.get_info().name.contains(&only) {
            pollster::block_on(report(adapter));
        }
    }
}

async fn report(adapter: &wgpu::Adapter) {
    let info = adapter.get_info();
    println!("\n{}", info.name);
    let request = adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    });
    let (device, queue) = request.await.expect("a device");
    let start = Instant::now();
    let interpreter =
        Interpreter::with_options(device.clone(), queue.clone(), InterpreterOptions::default());
    let mut interpreter = interpreter.await.expect("an interpreter");
    println!("  building the interpreter: {:.2?}", start.elapsed());

    let bytes = wat::parse_str(PROGRAM).expect("a module");
    let program = anywarp_wasm::translate(&bytes, &anywarp_wasm::TranslateOptions::default())
        .expect("a program")
        .bytecode;
    let fastest = |mut work: Box<dyn FnMut() + '_>| {
        let times = (0..LOADS).map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        });
        times.min().unwrap_or_default()
    };
    let mut other = program.clone();
    other.code.reverse();
    let mut programs = [&program, &other].into_iter().cycle();
    let load = || {
        interpreter.load(programs.next().unwrap_or(&program));
        queue.submit([]);
        let done = device.poll(wgpu::PollType::wait_indefinitely());
        done.expect("a device that works");
    };
    let loading = fastest(Box::new(load));
    println!("  loading another program, until the device has it: {loading:.2?}");
    interpreter.load(&program);
    // Warm-up: the driver may defer compilation to the first launch.
    launch(&interpreter, "integers", 1, 1).await;
    let start = Instant::now();
    launch(&interpreter, "integers", 1, 1).await;
    println!(
        "  a launch of one thread and one round: {:.2?}",
        start.elapsed()
    );

    let is_software = info.device_type == wgpu::DeviceType::Cpu;
    let counts: &[u32] = if is_software {
        &[64, 1024]
    } else {
        &[64, 1024, 8192, 32_768, 131_072]
    };
    for kernel in ["integers", "floats", "doubles"] {
        for &threads in counts {
            let rounds = if is_software { 1_000 } else { 10_000 };
            let start = Instant::now();
            let instructions = launch(&interpreter, kernel, threads, rounds).await;
            let seconds = start.elapsed().as_secs_f64();
            let rate = instructions as f64 / seconds / 1e6;
            println!(
                "  {kernel:8} {threads:7} threads: {rate:9.1} M instructions/s ({seconds:.3} s)"
            );
        }
    }
}

async fn launch(interpreter: &Interpreter, kernel: &str, threads: u32, rounds: i32) -> u64 {
    let size = threads.min(64);
    let launch = Launch {
        kernel: kernel.to_owned(),
        args: vec![Value::i32(rounds)],
        workgroups: [threads / size, 1, 1],
        workgroup_size: [size, 1, 1],
        threads: None,
        memory: MemoryMode::Private,
        max_pages: 1,
        stack_slots: 64,
        ..Launch::default()
    };
    let mut resources = Resources::default();
    let run = interpreter.run(&launch, &mut resources);
    let outcome = run.await.expect("an outcome");
    outcome.instructions.expect("they are counted")
}
