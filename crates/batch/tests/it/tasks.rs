//! Async tasks that wait for outcomes: they sleep, are woken, and leave no waker registered.

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use anywarp_batch::{BatchError, Failed};

use crate::gpu::Gpu;
use crate::loss::{endless, watched};
use crate::machine::{Setup, machine};

/// Wakes a thread and counts.
struct Counter {
    thread: Thread,
    wakes: AtomicU32,
}

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::Relaxed);
        self.thread.unpark();
    }
}

/// Runs a future on this thread, which sleeps in between. Returns how often it was woken, too.
fn run<T>(future: impl Future<Output = T>) -> (T, u32) {
    let counter = Arc::new(Counter {
        thread: thread::current(),
        wakes: AtomicU32::new(0),
    });
    let waker = Waker::from(Arc::clone(&counter));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return (value, counter.wakes.load(Ordering::Relaxed));
        }
        thread::park();
    }
}

#[test]
fn a_task_sleeps_while_the_device_works() {
    let gpu = watched(Duration::from_millis(300));
    let mut runner = endless(&gpu, None);
    let begin = Instant::now();
    runner.submit(&[]).unwrap();
    let (outcome, wakes) = run(runner.next());
    assert!(outcome.unwrap().is_err(), "the watchdog ended it");
    assert!(begin.elapsed() >= Duration::from_millis(300));
    assert!(wakes < 20, "woken {wakes} times");
}

#[test]
fn a_task_is_woken_when_time_is_over() {
    let watchdog = Duration::from_secs(3);
    let gpu = watched(watchdog);
    let mut runner = endless(&gpu, Some(Duration::from_millis(80)));
    let begin = Instant::now();
    let id = runner.submit(&[]).unwrap();
    let (outcome, wakes) = run(runner.next());
    let error = BatchError::TimedOut;
    assert_eq!(outcome, Some(Err(Failed { id, error })));
    assert!(begin.elapsed() < watchdog, "it waited for the device");
    assert!(wakes < 20, "woken {wakes} times");
}

#[test]
fn a_task_may_stop_waiting_and_come_back() {
    Gpu::each("tasks", |gpu| {
        let mut runner = machine(gpu, Setup::default());
        let ids = [0, 1].map(|_| runner.submit(&[0; 4]).unwrap());
        let mut context = Context::from_waker(Waker::noop());
        let mut early = None;
        for _ in 0..3 {
            if let Poll::Ready(outcome) = pin!(runner.next()).as_mut().poll(&mut context) {
                early = outcome;
                break;
            }
        }
        let mut arrived: Vec<_> = early.into_iter().collect();
        while let (Some(outcome), _) = run(runner.next()) {
            arrived.push(outcome);
        }
        let arrived: Vec<_> = arrived.into_iter().map(|it| it.unwrap().id).collect();
        assert_eq!(arrived, ids, "{}", gpu.name);
    });
}

/// Another thread drives the runner.
#[test]
fn a_task_without_the_runner_is_woken() {
    let gpu = Gpu::cpu();
    let mut runner = machine(&gpu, Setup::default());
    let outcomes = runner.outcomes();
    let id = runner.submit(&[0; 4]).unwrap();
    let driver = thread::spawn(move || {
        while runner.stats().completed == 0 {
            runner.poll();
            thread::yield_now();
        }
        runner
    });
    let (outcome, wakes) = run(outcomes.next());
    assert_eq!(outcome.unwrap().unwrap().id, id);
    assert!(wakes < 20, "woken {wakes} times");
    drop(driver.join().unwrap());
    assert_eq!(run(outcomes.next()).0, None);
}

/// A task that is dropped by its own waker, on whichever thread that is. An executor that is
/// shutting down does this.
struct DroppedWhenWoken {
    task: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
    /// It was woken while it ran.
    must_run_again: AtomicBool,
    dropped: Sender<()>,
}

impl DroppedWhenWoken {
    fn run(self: &Arc<Self>) {
        let waker = Waker::from(Arc::clone(self));
        let mut task = self.task.lock().unwrap();
        while let Some(running) = task.as_mut() {
            let polled = running.as_mut().poll(&mut Context::from_waker(&waker));
            assert!(polled.is_pending());
            if !self.must_run_again.swap(false, Ordering::SeqCst) {
                return;
            }
        }
    }
}

impl Wake for DroppedWhenWoken {
    fn wake(self: Arc<Self>) {
        let Ok(mut task) = self.task.try_lock() else {
            self.must_run_again.store(true, Ordering::SeqCst);
            return;
        };
        drop(task.take());
        self.dropped.send(()).unwrap();
    }
}

#[test]
fn a_runner_may_be_dropped_by_what_wakes_its_task() {
    let gpu = watched(Duration::from_secs(2));
    let mut runner = endless(&gpu, Some(Duration::from_millis(200)));
    runner.submit(&[]).unwrap();
    let (dropped, drops) = channel();
    let task = Arc::new(DroppedWhenWoken {
        task: Mutex::new(Some(Box::pin(async move { drop(runner.next().await) }))),
        must_run_again: AtomicBool::new(false),
        dropped,
    });
    task.run();
    drops.recv_timeout(Duration::from_secs(5)).unwrap();
}
