//! The HAL queue: a thread that runs submissions in order.
//!
//! What always holds: every submission's fence is signalled, in order, whether its work succeeds or fails. After a
//! failure the device is lost, and later submissions only signal their fences.
//!
//! A queue with [`Misbehaviour`] has another thread function (`reordering`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use anywarp_cpu::Executor;
use wgpu::hal;

use crate::Misbehaviour;
use crate::api::Api;
use crate::command::{CommandBuffer, Recording};
use crate::device_loss::DeviceLoss;
use crate::execute::{CommandRunner, Uploads, catch_panic};
use crate::fence::Fence;
use crate::reordering::{self, ReorderingHandle, Scheduler};
use crate::surface::Surface;
use crate::unsupported_resource::UnsupportedResource;

/// One submission: its recordings, and the fence value to signal.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) recordings: Vec<Arc<Recording>>,
    pub(crate) fence: Fence,
    pub(crate) value: u64,
}

/// The sender to the queue's thread.
#[derive(Debug)]
enum QueueSender {
    InOrder(Sender<Job>),
    Reordering(ReorderingHandle),
}

/// The HAL queue: the sender's side of its thread.
#[derive(Debug)]
pub(crate) struct Queue {
    /// `None` after the drop, which ends the thread.
    sender: Option<QueueSender>,
    thread: Option<JoinHandle<()>>,
    submitted: AtomicU64,
    /// Counts finished jobs.
    finished: Fence,
    loss: Arc<DeviceLoss>,
}

impl Queue {
    pub(crate) fn new(
        executor: Executor,
        max_workgroups: u32,
        loss: Arc<DeviceLoss>,
    ) -> Result<Self, hal::DeviceError> {
        let (jobs, receiver) = channel();
        let sender = QueueSender::InOrder(jobs);
        let finished = Fence::default();
        let worker = Worker {
            executor,
            max_workgroups,
            loss: Arc::clone(&loss),
            finished: finished.clone(),
        };
        let thread = spawn(move || worker.run(&receiver))?;
        Ok(Self::with(sender, thread, finished, loss))
    }

    /// A queue that overlaps and reorders submissions.
    pub(crate) fn reordering(
        executor: Executor,
        max_workgroups: u32,
        loss: Arc<DeviceLoss>,
        misbehaviour: Misbehaviour,
    ) -> Result<Self, hal::DeviceError> {
        let (host, messages) = reordering::channel_ends();
        let finished = Fence::default();
        let (thread_loss, thread_finished) = (Arc::clone(&loss), finished.clone());
        let thread = spawn(move || {
            Scheduler::new(
                &executor,
                max_workgroups,
                thread_loss,
                thread_finished,
                &misbehaviour,
            )
            .run(&messages);
        })?;
        Ok(Self::with(
            QueueSender::Reordering(host),
            thread,
            finished,
            loss,
        ))
    }

    fn with(
        sender: QueueSender,
        thread: JoinHandle<()>,
        finished: Fence,
        loss: Arc<DeviceLoss>,
    ) -> Self {
        Self {
            sender: Some(sender),
            thread: Some(thread),
            submitted: AtomicU64::new(0),
            finished,
            loss,
        }
    }

    /// The handle of a reordering queue, whose thread makes steps only when it is notified of fence queries and waits.
    pub(crate) fn host(&self) -> Option<&ReorderingHandle> {
        match &self.sender {
            Some(QueueSender::Reordering(host)) => Some(host),
            _ => None,
        }
    }
}

fn spawn(run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, hal::DeviceError> {
    let thread = std::thread::Builder::new().name("anywarp queue".to_owned());
    thread.spawn(run).map_err(|_| hal::DeviceError::OutOfMemory)
}

impl hal::Queue for Queue {
    type A = Api;

    unsafe fn submit(
        &self,
        command_buffers: &[&CommandBuffer],
        _: &[&UnsupportedResource],
        (fence, value): (&Fence, hal::FenceValue),
    ) -> Result<(), hal::DeviceError> {
        self.loss.check()?;
        let recordings = command_buffers.iter();
        let job = Job {
            recordings: recordings
                .map(|buffer| Arc::clone(&buffer.recording))
                .collect(),
            fence: fence.clone(),
            value,
        };
        match self.sender.as_ref().ok_or(hal::DeviceError::Lost)? {
            QueueSender::InOrder(jobs) => jobs.send(job).map_err(|_| hal::DeviceError::Lost)?,
            QueueSender::Reordering(host) => host.submit(job)?,
        }
        self.submitted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    unsafe fn present(
        &self,
        _: &Surface,
        texture: UnsupportedResource,
    ) -> Result<(), hal::SurfaceError> {
        match texture {}
    }

    unsafe fn wait_for_idle(&self) -> Result<(), hal::DeviceError> {
        if let Some(host) = self.host() {
            host.wait_for_all();
        }
        self.finished
            .wait(self.submitted.load(Ordering::Relaxed), None);
        self.loss.check()
    }

    // Exactly one nanosecond, so that wgpu-core converts nothing.
    unsafe fn get_timestamp_period(&self) -> f32 {
        1.0
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // The device has its own sender to a reordering thread, so that thread needs an explicit message to end.
        if let Some(QueueSender::Reordering(host)) = self.sender.take() {
            host.close();
        }
        if let Some(thread) = self.thread.take() {
            // An error would mean a panic outside any job; there is nothing to report it for.
            let _ = thread.join();
        }
    }
}

/// The thread function of an in-order queue.
struct Worker {
    executor: Executor,
    max_workgroups: u32,
    loss: Arc<DeviceLoss>,
    finished: Fence,
}

impl Worker {
    fn run(&self, jobs: &Receiver<Job>) {
        for (number, job) in (1..).zip(jobs) {
            if self.loss.check().is_ok() {
                self.execute(&job);
            }
            // Release the resources before signalling that they are unused.
            drop(job.recordings);
            job.fence.signal(job.value);
            self.finished.signal(number);
        }
    }

    fn execute(&self, job: &Job) {
        let work = || {
            let mut runner =
                CommandRunner::new(&self.executor, self.max_workgroups, Uploads::Moved);
            let mut recordings = job.recordings.iter();
            recordings.try_for_each(|recording| runner.run(recording))
        };
        if let Err(error) = catch_panic(work) {
            self.loss.lose((&error).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use anywarp_cpu::ExecutorOptions;
    use wgpu::hal::Queue as _;

    use super::*;
    use crate::command::Command;
    use crate::resources::{Buffer, HostAccess};

    fn submit(queue: &Queue, command: Command, fence: &Fence, value: u64) -> bool {
        let recording = Recording {
            commands: vec![command],
            words: Vec::new(),
        };
        let commands = CommandBuffer {
            recording: Arc::new(recording),
        };
        // SAFETY: the commands are complete, and keep what they use.
        unsafe { queue.submit(&[&commands], &[], (fence, value)) }.is_ok()
    }

    /// wgpu-core validates commands, so only a bug of ours can panic.
    fn a_panic_loses_the_device(loss: &DeviceLoss, queue: &Queue) {
        let memory = anywarp_cpu::Buffer::new(16).unwrap();
        let clear = |range| Command::ClearBuffer {
            buffer: Buffer {
                memory: memory.clone(),
                host_access: HostAccess::None,
                is_upload: false,
            },
            range,
        };
        let fence = Fence::default();
        let wait = |value| {
            queue.host().inspect(|host| host.wait(value));
            assert!(fence.wait(value, None));
        };
        assert!(submit(queue, clear(0..16), &fence, 1));
        wait(1);
        assert_eq!(loss.reason(), None);
        assert!(submit(queue, clear(0..1000), &fence, 2));
        wait(2);
        let message = loss.reason().unwrap().to_string();
        assert!(message.contains("leaves a buffer of 16 bytes"), "{message}");
        assert!(!submit(queue, clear(0..16), &fence, 3));
        // SAFETY: the call has no conditions.
        let idle = unsafe { queue.wait_for_idle() };
        assert_eq!(idle, Err(hal::DeviceError::Lost));
    }

    #[test]
    fn a_panic_loses_the_device_and_releases_every_fence() {
        let loss = Arc::new(DeviceLoss::default());
        let executor = || Executor::new(&ExecutorOptions::default());
        let queue = Queue::new(executor(), 65535, Arc::clone(&loss)).unwrap();
        a_panic_loses_the_device(&loss, &queue);
        let (loss, how) = (Arc::new(DeviceLoss::default()), Misbehaviour::default());
        let queue = Queue::reordering(executor(), 65535, Arc::clone(&loss), how).unwrap();
        a_panic_loses_the_device(&loss, &queue);
    }
}
