//! Several graphs that share a device and an arena.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anywarp_graph::device::{CpuRecords, SharedArena};
use anywarp_graph::{Graph, Input, Node, Output};

use pollster::block_on;

use crate::cases::harness::{Bench, Memory, Settings, bytes, cells, everywhere, node};

/// Doubles each value a given number of times and adds all of them up.
fn doubling(name: &str, times: u32) -> Graph {
    cells(name)
        .node(node(
            Node::thread("double")
                .input_type("Cell")
                .entry()
                .recursion(times)
                .output(Output::of_type("double", "Cell", 1)),
            "fn double() {
                let value = load_input_value();
                if is_valid_double() {
                    let r = alloc_thread_double(1u);
                    store_double_value(r, 0u, 2u * value);
                    complete_double(r);
                } else {
                    atomicAdd(&sums[0], value);
                }
            }",
        ))
        .build()
        .unwrap()
}

const RECORDS: u32 = 500;

fn values() -> Vec<u8> {
    bytes(&(0..RECORDS).collect::<Vec<_>>())
}

fn expected(times: u32) -> u32 {
    (0..RECORDS).sum::<u32>() << times
}

fn settings(memory: Memory, shared: Option<SharedArena>) -> Settings {
    Settings {
        memory,
        shared,
        ..Default::default()
    }
}

#[test]
fn two_graphs_from_two_threads() {
    let (first, second) = (doubling("first", 3), doubling("second", 5));
    let values = values();
    everywhere("two threads", |gpu| {
        for shared in [None, Some(SharedArena::new(&gpu.device, &gpu.queue))] {
            let a = Bench::new(gpu, &first, &settings(Memory::Ample, shared.clone()));
            let b = Bench::new(gpu, &second, &settings(Memory::Ample, shared));
            thread::scope(|scope| {
                for (bench, times) in [(&a, 3), (&b, 5)] {
                    let values = &values;
                    scope.spawn(move || {
                        for round in 0..8 {
                            let input = CpuRecords::new("double", RECORDS, values);
                            let sums = bench.run(&Input::Cpu(input));
                            assert_eq!(sums[0], expected(times), "{times} times, round {round}");
                        }
                    });
                }
            });
        }
    });
}

/// A small graph, then a large one for which the memory grows, then the small one again.
#[test]
fn two_runners_share_the_memory() {
    let (first, second) = (doubling("small", 2), doubling("large", 6));
    let values = values();
    let input = || Input::Cpu(CpuRecords::new("double", RECORDS, &values));
    everywhere("shared memory", |gpu| {
        let shared = Some(SharedArena::new(&gpu.device, &gpu.queue));
        let small = Bench::new(gpu, &first, &settings(Memory::Least, shared.clone()));
        let large = Bench::new(gpu, &second, &settings(Memory::Ample, shared));
        for _ in 0..2 {
            assert_eq!(small.run(&input())[0], expected(2));
            assert_eq!(large.run(&input())[0], expected(6));
        }
    });
}

/// One runner, from two threads at once: the runs are serialized.
#[test]
fn one_runner_from_two_threads() {
    let graph = doubling("one", 4);
    let values = values();
    everywhere("one runner", |gpu| {
        let bench = Bench::new(gpu, &graph, &settings(Memory::Least, None));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let input = Input::Cpu(CpuRecords::new("double", RECORDS, &values));
                    bench.try_run(&input).unwrap();
                });
            }
        });
        assert_eq!(bench.take()[0], 2 * expected(4));
    });
}

/// Steps hold the arena until they end. The thread that holds them gets an error, because it would
/// wait for itself; another thread waits.
#[test]
fn steps_keep_the_memory() {
    let (first, second) = (doubling("stepped", 2), doubling("other", 3));
    let values = values();
    let input = || Input::Cpu(CpuRecords::new("double", RECORDS, &values));
    everywhere("steps and runs", |gpu| {
        let shared = SharedArena::new(&gpu.device, &gpu.queue);
        let stepped = Bench::new(gpu, &first, &settings(Memory::Ample, Some(shared.clone())));
        let other = Bench::new(gpu, &second, &settings(Memory::Ample, Some(shared)));
        let groups = [&stepped.group];
        let mut steps = block_on(stepped.runner.step(&input(), &groups)).unwrap();
        let held = |graph: &str| {
            format!(
                "graph `{graph}`: its memory is in use by the steps of graph `stepped` on this thread; finish or drop them first"
            )
        };
        let error = other.try_run(&input()).unwrap_err();
        assert_eq!(error.to_string(), held("other"));
        let again = block_on(stepped.runner.step(&input(), &groups));
        assert_eq!(again.err().unwrap().to_string(), held("stepped"));

        thread::scope(|scope| {
            let (send, done) = mpsc::channel();
            let (other, input) = (&other, &input);
            scope.spawn(move || {
                other.try_run(&input()).unwrap();
                send.send(()).unwrap();
            });
            let waits = done.recv_timeout(Duration::from_millis(50)).is_err();
            while block_on(steps.advance()).unwrap().is_some() {}
            drop(steps);
            done.recv().unwrap();
            assert!(waits, "another thread waits for its turn");
        });
        assert_eq!(stepped.take()[0], expected(2));
        assert_eq!(other.take()[0], expected(3));
        // No thread holds it now.
        assert_eq!(other.run(&input())[0], expected(3));
    });
}
