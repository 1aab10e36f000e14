//! The resources that all threads of a launch share, as atomic words.
//!
//! In: [`Resources`]. Out: the same, changed. Reads out of bounds return 0, writes out of bounds do
//! nothing. Plain loads and stores of words are relaxed atomics, not ordered among workgroups;
//! read-modify-write operations are sequentially consistent.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicUsize};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::bytecode::TrapCode;
use crate::runtime::{Files, Grid, MAX_PANIC_BYTES, Picture, PrintLog, Resources, WorkQueue};

use super::alloc::zeroed;
use super::budget::MemoryBudget;

/// Shared words.
#[derive(Debug, Default)]
pub(super) struct AtomicWords(Vec<AtomicU32>);

impl AtomicWords {
    fn new(words: Vec<u32>) -> Self {
        Self(words.into_iter().map(AtomicU32::new).collect())
    }

    fn take(self) -> Vec<u32> {
        let words = self.0.into_iter();
        words.map(AtomicU32::into_inner).collect()
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    #[inline]
    pub(super) fn load(&self, word: u32) -> u32 {
        let word = self.0.get(word as usize);
        word.map_or(0, |word| word.load(Relaxed))
    }

    #[inline]
    pub(super) fn store(&self, word: u32, value: u32) {
        if let Some(word) = self.0.get(word as usize) {
            word.store(value, Relaxed);
        }
    }

    /// An operation of [`AtomicOp`](crate::bytecode::AtomicOp) by number; returns the old value. An
    /// unknown number changes nothing.
    pub(super) fn atomic(&self, op: u32, word: u32, value: u32) -> u32 {
        let Some(word) = self.0.get(word as usize) else {
            return 0;
        };
        let signed = |pick: fn(i32, i32) -> i32| {
            let pick = |old: u32| Some(pick(old as i32, value as i32) as u32);
            match word.fetch_update(SeqCst, SeqCst, pick) {
                Ok(old) | Err(old) => old,
            }
        };
        match op {
            0 => word.fetch_add(value, SeqCst),
            1 => word.fetch_sub(value, SeqCst),
            2 => signed(Ord::min),
            3 => word.fetch_min(value, SeqCst),
            4 => signed(Ord::max),
            5 => word.fetch_max(value, SeqCst),
            6 => word.fetch_and(value, SeqCst),
            7 => word.fetch_or(value, SeqCst),
            8 => word.fetch_xor(value, SeqCst),
            9 => word.swap(value, SeqCst),
            _ => word.load(SeqCst),
        }
    }

    pub(super) fn compare_exchange(&self, word: u32, expected: u32, new: u32) -> u32 {
        let Some(word) = self.0.get(word as usize) else {
            return 0;
        };
        match word.compare_exchange(expected, new, SeqCst, SeqCst) {
            Ok(old) | Err(old) => old,
        }
    }
}

/// The memory of one workgroup, allocated on first use.
#[derive(Debug)]
pub(super) struct GroupMemory {
    /// The address range of the static variables that name it.
    statics: [u32; 2],
    /// `None` if the allocation exceeded the budget.
    words: OnceLock<Option<(AtomicWords, MemoryBudget)>>,
    /// The budget for its allocation.
    room: MemoryBudget,
}

impl GroupMemory {
    pub(super) fn new([first, end]: [u32; 2], room: MemoryBudget) -> Self {
        Self {
            statics: [first & !3, end],
            words: OnceLock::new(),
            room,
        }
    }

    /// The words, and the index of the one at an address.
    pub(super) fn words(&self, at: u32) -> Result<(&AtomicWords, u32), TrapCode> {
        let [first, end] = self.statics;
        if !at.is_multiple_of(4) || at < first || end.saturating_sub(at) < 4 {
            return Err(TrapCode::WorkgroupMemory);
        }
        let count = (end - first).div_ceil(4) as usize;
        let make = || {
            let mut taken = self.room.share();
            taken.take(count as u64 * 4).ok()?;
            let words = zeroed(count, "a workgroup").ok()?;
            Some((AtomicWords(words), taken))
        };
        let made = self.words.get_or_init(make).as_ref();
        let (words, _) = made.ok_or(TrapCode::WorkgroupMemory)?;
        Ok((words, (at - first) / 4))
    }
}

#[derive(Debug)]
struct SharedPicture {
    width: u32,
    height: u32,
    /// Four for each pixel.
    parts: AtomicWords,
}

/// The resources of a launch.
#[derive(Debug)]
pub(super) struct SharedResources {
    pub(super) grid: Grid,
    pub(super) state: AtomicWords,
    pub(super) input: Vec<u32>,
    pub(super) clock: f32,
    pub(super) queue: WorkQueue,
    pub(super) files: Files,
    picture: Option<SharedPicture>,
    /// By `group << 16 | binding`, sorted.
    buffers: Vec<(u32, AtomicWords)>,
    /// An empty buffer, for bindings without one.
    no_buffer: AtomicWords,
    printed: Mutex<PrintLog>,
    /// Bytes of the kept panic messages.
    panics: AtomicUsize,
}

impl SharedResources {
    /// Takes the resources; [`SharedResources::give_back`] returns them.
    pub(super) fn new(grid: Grid, files: Files, resources: &mut Resources) -> Self {
        let buffers = std::mem::take(&mut resources.buffers).into_iter();
        let key = |(group, binding)| u32::from(group) << 16 | u32::from(binding);
        Self {
            grid,
            state: AtomicWords::new(std::mem::take(&mut resources.state)),
            input: std::mem::take(&mut resources.input),
            clock: resources.clock,
            queue: WorkQueue::new(std::mem::take(&mut resources.queue)),
            files,
            picture: resources.picture.take().map(SharedPicture::new),
            buffers: buffers
                .map(|(at, words)| (key(at), AtomicWords::new(words)))
                .collect(),
            no_buffer: AtomicWords::default(),
            printed: Mutex::default(),
            panics: AtomicUsize::new(0),
        }
    }

    /// Returns the resources, and the printed texts.
    pub(super) fn give_back(self, resources: &mut Resources) -> Vec<(u32, String)> {
        let place = |key: u32| ((key >> 16) as u16, key as u16);
        let buffers = self.buffers.into_iter();
        resources.state = self.state.take();
        resources.input = self.input;
        resources.queue = self.queue.take();
        resources.picture = self.picture.map(SharedPicture::take);
        resources.buffers = buffers
            .map(|(key, words)| (place(key), words.take()))
            .collect();
        let printed = self.printed.into_inner();
        printed.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The buffer at a binding, `group << 16 | binding`.
    #[inline]
    pub(super) fn buffer(&self, binding: u32) -> &AtomicWords {
        let buffer = self.buffers.iter().find(|(key, _)| *key == binding);
        buffer.map_or(&self.no_buffer, |(_, words)| words)
    }

    /// The index of a pixel, or `u32::MAX` outside the picture.
    pub(super) fn pixel_index(&self, x: u32, y: u32) -> u32 {
        match &self.picture {
            Some(picture) if x < picture.width && y < picture.height => {
                let index = u64::from(y) * u64::from(picture.width) + u64::from(x);
                u32::try_from(index).unwrap_or(u32::MAX)
            }
            _ => u32::MAX,
        }
    }

    /// Writes a pixel, if the index is valid.
    pub(super) fn set_pixel(&self, index: u32, colour: [u32; 4]) {
        if let (Some(picture), Some(first)) = (&self.picture, index.checked_mul(4)) {
            for (word, part) in (first..).zip(colour) {
                picture.parts.store(word, part);
            }
        }
    }

    /// Whether a panic message is kept: all together are limited.
    pub(super) fn keeps_panic(&self, message: &str) -> bool {
        let before = self.panics.fetch_add(message.len(), Relaxed);
        before.saturating_add(message.len()) <= MAX_PANIC_BYTES
    }

    /// The printed texts so far.
    pub(super) fn printed(&self) -> MutexGuard<'_, PrintLog> {
        // Every operation leaves it consistent, so a poisoned lock is harmless.
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharedPicture {
    fn new(picture: Picture) -> Self {
        let parts = picture.pixels.into_iter().flatten();
        Self {
            width: picture.width,
            height: picture.height,
            parts: AtomicWords::new(parts.map(f32::to_bits).collect()),
        }
    }

    fn take(self) -> Picture {
        let parts = self.parts.take();
        let (pixels, _) = parts.as_chunks::<4>();
        Picture {
            width: self.width,
            height: self.height,
            pixels: pixels
                .iter()
                .map(|pixel| pixel.map(f32::from_bits))
                .collect(),
        }
    }
}
