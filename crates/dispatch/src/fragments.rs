//! Fragment dispatches: images in quads of 2x2 pixels, with helper invocations at the edges.

use std::marker::PhantomData;
use std::panic::Location;
use std::sync::OnceLock;

use glam::{UVec3, Vec4};

use crate::builtins::FragmentBuiltins;
use crate::error::DispatchError;
use crate::group::{Group, GroupKind, GroupShape};
use crate::options::DispatchOptions;
use crate::scheduler::GroupSource;
use crate::thread_pool::{QueueShare, run_on_threads};
use crate::workgroups::throw;

/// Runs `shader_fn` for every pixel and returns `height` rows of `width` results.
///
/// Pixels run in quads. Where a quad extends past the image, helper invocations fill it: `input_fn`
/// is called for them too, and their results are dropped. A pixel whose fragment called [`discard`]
/// is `None`.
///
/// # Panics
///
/// On every [`DispatchError`]; if an invocation panics, with its panic.
#[track_caller]
pub fn dispatch_fragments<I, O, F>(
    width: u32,
    height: u32,
    input_fn: impl Fn(u32, u32) -> I + Send + Sync,
    shader_fn: F,
) -> Vec<Vec<Option<O>>>
where
    I: Send,
    O: Send,
    F: Fn(FragmentBuiltins, I) -> O + Send + Sync,
{
    let result = DispatchOptions::default().fragments(width, height, input_fn, shader_fn);
    result.unwrap_or_else(|error| throw(error))
}

/// Runs `shader_fn` for every pixel of an image with `width` pixels per row and stores the results
/// there; a discarded pixel keeps its value.
///
/// # Panics
///
/// If `pixels` is not a whole number of rows; on every [`DispatchError`]; if an invocation panics,
/// with its panic.
#[track_caller]
pub fn dispatch_image<O, F>(width: u32, pixels: &mut [O], shader_fn: F)
where
    O: Send,
    F: Fn(FragmentBuiltins) -> O + Send + Sync,
{
    let result = DispatchOptions::default().image(width, pixels, shader_fn);
    result.unwrap_or_else(|error| throw(error));
}

/// Discards the result of this fragment. The invocation continues as a helper, so that the
/// derivatives of its neighbours stay correct. Outside a fragment dispatch it does nothing.
pub fn discard() {
    Group::with_current(|group| {
        if group.kind == GroupKind::Quad {
            group.make_helper();
        }
    });
}

impl DispatchOptions {
    /// [`dispatch_fragments`] with a `Result`.
    #[track_caller]
    pub fn fragments<I, O, F>(
        &self,
        width: u32,
        height: u32,
        input_fn: impl Fn(u32, u32) -> I + Send + Sync,
        shader_fn: F,
    ) -> Result<Vec<Vec<Option<O>>>, DispatchError>
    where
        I: Send,
        O: Send,
        F: Fn(FragmentBuiltins, I) -> O + Send + Sync,
    {
        let place = Location::caller();
        let pixels = check(width, height)?;
        let mut results: Vec<Option<O>> = Vec::new();
        let reserved = results.try_reserve_exact(pixels);
        reserved.map_err(|_| too_large(width, height))?;
        results.resize_with(pixels, || None);
        let target = Target::new(width, height, &mut results);
        let shader = |builtins, x, y| Some(shader_fn(builtins, input_fn(x, y)));
        self.quads(place, &target, &shader)?;
        let mut results = results.into_iter();
        Ok((0..height)
            .map(|_| results.by_ref().take(width as usize).collect())
            .collect())
    }

    /// [`dispatch_image`] with a `Result`.
    #[track_caller]
    pub fn image<O, F>(
        &self,
        width: u32,
        pixels: &mut [O],
        shader_fn: F,
    ) -> Result<(), DispatchError>
    where
        O: Send,
        F: Fn(FragmentBuiltins) -> O + Send + Sync,
    {
        let place = Location::caller();
        let rows = pixels.len() / (width as usize).max(1);
        let height = u32::try_from(rows).unwrap_or(u32::MAX);
        assert!(
            check(width, height)? == pixels.len(),
            "{} pixels are not a whole number of rows of {width}",
            pixels.len()
        );
        let target = Target::new(width, height, pixels);
        self.quads(place, &target, &|builtins, _, _| shader_fn(builtins))
    }

    fn quads<O, F>(
        &self,
        dispatched_at: &'static Location<'static>,
        target: &Target<'_, O>,
        shader_fn: &F,
    ) -> Result<(), DispatchError>
    where
        O: Send,
        F: Fn(FragmentBuiltins, u32, u32) -> O + Sync,
    {
        let (columns, rows) = (target.width.div_ceil(2), target.height.div_ceil(2));
        let shape = GroupShape {
            kind: GroupKind::Quad,
            size: UVec3::new(2, 2, 1),
            count: UVec3::new(columns, rows, 1),
            dispatched_at,
        };
        let queue = OnceLock::new();
        let all = u64::from(columns) * u64::from(rows);
        let (total, first) = match self.only {
            None => (all, 0),
            Some(pixel) if pixel.x >= target.width || pixel.y >= target.height => (0, 0),
            Some(pixel) => {
                let number = u64::from(pixel.y / 2) * u64::from(columns) + u64::from(pixel.x / 2);
                (1, number)
            }
        };
        let source = |share| Quads {
            share,
            first,
            columns: u64::from(columns),
            target,
            shader_fn,
        };
        run_on_threads(shape, total, self, source, &queue)
    }
}

/// The number of pixels; an error if it overflows when rounded up to quads.
fn check(width: u32, height: u32) -> Result<usize, DispatchError> {
    if width == u32::MAX || height == u32::MAX {
        return Err(too_large(width, height));
    }
    let pixels = u64::from(width) * u64::from(height);
    usize::try_from(pixels)
        .ok()
        .filter(|&pixels| pixels < isize::MAX as usize)
        .ok_or_else(|| too_large(width, height))
}

fn too_large(width: u32, height: u32) -> DispatchError {
    DispatchError::TooLarge {
        what: "the picture",
        size: format!("{width}x{height}"),
    }
}

/// The image to write. Each pixel is written by one fragment.
struct Target<'p, O> {
    pixels: *mut O,
    width: u32,
    height: u32,
    lifetime: PhantomData<&'p mut [O]>,
}

// SAFETY: Threads only move results into a target; no two fragments write the same pixel.
unsafe impl<O: Send> Sync for Target<'_, O> {}

impl<'p, O> Target<'p, O> {
    /// `pixels` must have `width * height` elements.
    fn new(width: u32, height: u32, pixels: &'p mut [O]) -> Self {
        assert_eq!(pixels.len() as u64, u64::from(width) * u64::from(height));
        Self {
            pixels: pixels.as_mut_ptr(),
            width,
            height,
            lifetime: PhantomData,
        }
    }

    fn contains(&self, x: u32, y: u32) -> bool {
        x < self.width && y < self.height
    }
}

/// The quads that one thread runs.
struct Quads<'s, O, F> {
    share: QueueShare<'s>,
    /// The number of the first quad.
    first: u64,
    columns: u64,
    target: &'s Target<'s, O>,
    shader_fn: &'s F,
}

impl<O, F: Fn(FragmentBuiltins, u32, u32) -> O> GroupSource for Quads<'_, O, F> {
    #[inline]
    fn next_group(&self, group: &Group) -> bool {
        let Some(number) = self.share.next() else {
            return false;
        };
        let number = number + self.first;
        let (column, row) = (number % self.columns, number / self.columns);
        group.begin(UVec3::new(column as u32 * 2, row as u32 * 2, 0));
        true
    }

    #[inline(always)]
    fn run(&self, group: &Group, member: u32) {
        let corner = group.id();
        let (x, y) = (corner.x + (member & 1), corner.y + (member >> 1));
        if !self.target.contains(x, y) {
            group.make_helper();
        }
        let builtins = FragmentBuiltins {
            position: Vec4::new(x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0),
            front_facing: true,
            sample_index: 0,
            sample_mask: 1,
        };
        let result = (self.shader_fn)(builtins, x, y);
        // Only helpers lie outside the image, and a helper stays one.
        if !group.is_helper() {
            let index = y as usize * self.target.width as usize + x as usize;
            // SAFETY: The pixel lies inside the image, and only this fragment writes it: every quad
            // is distributed once and has four different pixels.
            unsafe { *self.target.pixels.add(index) = result };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Schedule;
    use crate::thread_pool::GroupQueue;
    use crate::watchdog::Progress;

    /// Without fibers: as long as no fragment synchronizes, a loop is enough.
    #[test]
    fn every_pixel_of_the_target_is_written_by_its_fragment() {
        let (width, height) = (5, 3);
        let mut pixels = vec!["old".to_owned(); 15];
        let target = Target::new(width, height, &mut pixels);
        let shape = GroupShape {
            kind: GroupKind::Quad,
            size: UVec3::new(2, 2, 1),
            count: UVec3::new(3, 2, 1),
            dispatched_at: Location::caller(),
        };
        let queue = GroupQueue::new(6, 2, &DispatchOptions::default());
        let shader_fn = |_: FragmentBuiltins, x: u32, y: u32| {
            if x == 2 {
                discard();
            }
            format!("{x} {y}")
        };
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let (target, queue, shader_fn) = (&target, &queue, &shader_fn);
                scope.spawn(move || {
                    let progress = Progress::default();
                    let group = Group::new(shape, Schedule::InOrder, thread, progress);
                    let _entered = group.enter();
                    let quads = Quads {
                        share: QueueShare::new(queue, u64::MAX),
                        first: 0,
                        columns: 3,
                        target,
                        shader_fn,
                    };
                    while quads.next_group(&group) {
                        for member in 0..4 {
                            group.set_running(member, std::ptr::null());
                            quads.run(&group, member);
                        }
                    }
                });
            }
        });
        for (i, pixel) in pixels.iter().enumerate() {
            let expected = match i % 5 {
                2 => "old".to_owned(),
                x => format!("{x} {}", i / 5),
            };
            assert_eq!(*pixel, expected);
        }
    }
}
