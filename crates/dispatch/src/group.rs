//! The state of the workgroup or quad that a thread is running, and the synchronization of its
//! members.
//!
//! One group belongs to one thread. Barriers, derivatives and builtin functions act on the thread's
//! current group; outside a dispatch there is none.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::marker::PhantomData;
use std::panic::{Location, resume_unwind};
use std::ptr;

use fastrand::Rng;
use glam::UVec3;

use crate::builtins::ComputeBuiltins;
use crate::error::{DispatchError, Panic, SourceLocation};
use crate::fiber::{FiberYielder, SuspendReason};
use crate::options::Schedule;
use crate::quad::Exchange;
use crate::variable::Variables;
use crate::watchdog::Progress;

thread_local! {
    static CURRENT: Cell<*const Group> = const { Cell::new(ptr::null()) };
}

/// The kind of group, which determines how its members synchronize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    /// A workgroup: all members synchronize at barriers.
    Workgroup,
    /// A quad: its four fragments synchronize at derivatives and quad operations; fragments that
    /// have ended are not waited for.
    Quad,
}

/// The payload with which a cancelled invocation unwinds. Only the scheduler sees it.
struct Cancelled;

/// Constants of a dispatch.
#[derive(Clone, Copy)]
pub(crate) struct GroupShape {
    pub(crate) kind: GroupKind,
    /// Invocations of a group along each axis.
    pub(crate) size: UVec3,
    /// Groups along each axis.
    pub(crate) count: UVec3,
    pub(crate) dispatched_at: SourceLocation,
}

/// The group that a thread is running.
pub(crate) struct Group {
    pub(crate) kind: GroupKind,
    shape: GroupShape,
    members: u32,
    /// `workgroup_id`, or the first pixel of the quad.
    id: Cell<UVec3>,
    /// Counts groups, to recognize data of an earlier group.
    epoch: Cell<u64>,

    started: Cell<u32>,
    finished: Cell<u32>,
    last_finished: Cell<u32>,
    schedule: Schedule,
    random: RefCell<Option<Rng>>,
    order: RefCell<Vec<u32>>,

    arrived: Cell<u32>,
    site: Cell<Option<SourceLocation>>,
    first_arrived: Cell<u32>,
    /// Counts synchronizations; its parity selects the slots of a quad.
    round: Cell<u32>,
    /// Members that are released and not resumed yet.
    released: Cell<u32>,

    member: Cell<u32>,
    yielder: Cell<*const FiberYielder>,

    /// Set after a failure: no further member starts or waits.
    halted: Cell<bool>,
    failure: RefCell<Option<DispatchError>>,
    /// All groups of this thread are done.
    done: Cell<bool>,

    helpers: Cell<u8>,
    pub(crate) exchange: Exchange,
    pub(crate) variables: Variables,
    pub(crate) progress: Progress,
}

impl Group {
    pub(crate) fn new(
        shape: GroupShape,
        schedule: Schedule,
        thread: u64,
        progress: Progress,
    ) -> Self {
        let members = shape.size.element_product();
        let random = match schedule {
            Schedule::InOrder => None,
            Schedule::Random(seed) => Some(Rng::with_seed(seed ^ thread.rotate_left(32))),
        };
        Self {
            kind: shape.kind,
            shape,
            members,
            id: Cell::new(UVec3::ZERO),
            epoch: Cell::new(0),
            // Before the first group: complete, so that the scheduler takes the first group.
            started: Cell::new(members),
            finished: Cell::new(members),
            last_finished: Cell::new(0),
            schedule,
            random: RefCell::new(random),
            order: RefCell::new((0..members).collect()),
            arrived: Cell::new(0),
            site: Cell::new(None),
            first_arrived: Cell::new(0),
            round: Cell::new(0),
            released: Cell::new(0),
            member: Cell::new(0),
            yielder: Cell::new(ptr::null()),
            halted: Cell::new(false),
            failure: RefCell::new(None),
            done: Cell::new(false),
            helpers: Cell::new(0),
            exchange: Exchange::default(),
            variables: Variables::default(),
            progress,
        }
    }

    /// Calls `f` with the thread's current group, if there is one.
    #[inline(always)]
    pub(crate) fn with_current<R>(f: impl FnOnce(&Self) -> R) -> Option<R> {
        let current = CURRENT.get();
        // SAFETY: `enter` sets the pointer, and its guard clears it before the group is dropped.
        // Only the group's own thread reads it.
        unsafe { current.as_ref() }.map(f)
    }

    /// Makes this the thread's current group until the guard is dropped.
    pub(crate) fn enter(&self) -> CurrentGroupGuard<'_> {
        CurrentGroupGuard {
            outer: CURRENT.replace(self),
            _group: PhantomData,
        }
    }

    /// Makes the thread have no current group until the guard is dropped.
    pub(crate) fn hide() -> CurrentGroupGuard<'static> {
        CurrentGroupGuard {
            outer: CURRENT.replace(ptr::null()),
            _group: PhantomData,
        }
    }

    /// Whether the thread is inside an invocation.
    pub(crate) fn is_inside() -> bool {
        !CURRENT.get().is_null()
    }

    // Lifecycle of a group.

    /// Begins the next group.
    pub(crate) fn begin(&self, id: UVec3) {
        self.id.set(id);
        self.epoch.set(self.epoch.get() + 1);
        self.started.set(0);
        self.finished.set(0);
        self.helpers.set(0);
        self.exchange.reset();
        if let Some(random) = &mut *self.random.borrow_mut() {
            random.shuffle(&mut self.order.borrow_mut());
        }
        self.progress.group(id);
    }

    /// The next member to start, if one is left and nothing has failed.
    #[inline(always)]
    pub(crate) fn start_next(&self, yielder: &FiberYielder) -> Option<u32> {
        let started = self.started.get();
        if started == self.members || self.halted.get() {
            return None;
        }
        self.started.set(started + 1);
        let member = match self.schedule {
            Schedule::InOrder => started,
            Schedule::Random(_) => self.order.borrow()[started as usize],
        };
        self.set_running(member, yielder);
        Some(member)
    }

    /// Sets the running member and its fiber.
    #[inline(always)]
    pub(crate) fn set_running(&self, member: u32, yielder: *const FiberYielder) {
        self.member.set(member);
        self.yielder.set(yielder);
        self.progress.member(member);
    }

    /// Marks a member as ended.
    #[inline(always)]
    pub(crate) fn finish(&self, member: u32) {
        self.finished.set(self.finished.get() + 1);
        self.last_finished.set(member);
        if self.kind == GroupKind::Quad {
            self.exchange.set_ended(member);
            if self.arrived.get() > 0 && self.arrived.get() == self.expected() {
                self.release(self.arrived.get());
            }
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.finished.get() == self.members
    }

    pub(crate) fn has_unstarted(&self) -> bool {
        self.started.get() < self.members
    }

    pub(crate) fn finish_thread(&self) {
        self.done.set(true);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.get()
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.get()
    }

    /// A random choice of `n`; `None` with the in-order schedule.
    #[inline(always)]
    pub(crate) fn choose(&self, n: usize) -> Option<usize> {
        match self.schedule {
            Schedule::InOrder => None,
            Schedule::Random(_) => {
                let mut random = self.random.borrow_mut();
                random.as_mut().map(|random| random.usize(..n))
            }
        }
    }

    /// Invocations of a workgroup along each axis; `None` in a quad.
    pub(crate) fn workgroup_size(&self) -> Option<UVec3> {
        (self.kind == GroupKind::Workgroup).then_some(self.shape.size)
    }

    // The running member.

    pub(crate) fn member(&self) -> u32 {
        self.member.get()
    }

    pub(crate) fn id(&self) -> UVec3 {
        self.id.get()
    }

    /// The position of a member in the group.
    pub(crate) fn local_id(&self, member: u32) -> UVec3 {
        let UVec3 { x, y, .. } = self.shape.size;
        UVec3::new(member % x, member / x % y, member / (x * y))
    }

    /// The builtin values of the running member of a workgroup.
    pub(crate) fn compute_builtins(&self) -> Option<ComputeBuiltins> {
        (self.kind == GroupKind::Workgroup)
            .then(|| self.builtins_at(self.member(), self.local_id(self.member())))
    }

    #[inline(always)]
    pub(crate) fn builtins_at(&self, member: u32, local: UVec3) -> ComputeBuiltins {
        ComputeBuiltins {
            global_invocation_id: self.id.get() * self.shape.size + local,
            local_invocation_id: local,
            local_invocation_index: member,
            workgroup_id: self.id.get(),
            num_workgroups: self.shape.count,
        }
    }

    /// `global_invocation_id`, or the pixel.
    fn invocation(&self, member: u32) -> UVec3 {
        match self.kind {
            GroupKind::Workgroup => self.id.get() * self.shape.size + self.local_id(member),
            GroupKind::Quad => self.id.get() + self.local_id(member),
        }
    }

    pub(crate) fn is_helper(&self) -> bool {
        self.helpers.get() & (1 << self.member()) != 0
    }

    /// The running fragment becomes a helper.
    pub(crate) fn make_helper(&self) {
        self.helpers.set(self.helpers.get() | 1 << self.member());
    }

    // Synchronization.

    /// The number of members that a synchronization waits for.
    fn expected(&self) -> u32 {
        match self.kind {
            GroupKind::Workgroup => self.members,
            GroupKind::Quad => self.members - self.finished.get(),
        }
    }

    /// The number of the next synchronization.
    #[inline(always)]
    pub(crate) fn round(&self) -> u32 {
        self.round.get()
    }

    /// Waits until every member has arrived here. The last one to arrive calls `last` before any is
    /// resumed.
    #[inline(always)]
    pub(crate) fn synchronize(&self, site: SourceLocation, last: impl FnOnce(&Self)) {
        // A destructor that runs during unwinding does not wait either: the other members will
        // never arrive there.
        if self.halted.get() || std::thread::panicking() {
            return self.unwind();
        }
        let arrived = self.arrived.get() + 1;
        if arrived == 1 {
            self.site.set(Some(site));
            self.first_arrived.set(self.member());
        } else if !self
            .site
            .get()
            .is_some_and(|first| is_same_location(first, site))
        {
            return self.diverge(site);
        }
        if arrived == self.expected() {
            last(self);
            self.release(arrived - 1);
            return;
        }
        self.arrived.set(arrived);
        let (member, yielder) = (self.member.get(), self.yielder.get());
        // SAFETY: The member runs on the fiber that `yielder` belongs to, which is alive because its
        // code is executing here.
        let _ = unsafe { &*yielder }.suspend(SuspendReason::Waiting);
        self.set_running(member, yielder);
        if self.halted.get() {
            self.unwind();
        }
    }

    #[inline(always)]
    fn release(&self, waiting: u32) {
        self.arrived.set(0);
        self.released.set(waiting);
        self.round.set(self.round.get().wrapping_add(1));
    }

    /// Takes one of the released members; `false` if there is none.
    #[inline(always)]
    pub(crate) fn take_released(&self) -> bool {
        let released = self.released.get();
        self.released.set(released.saturating_sub(1));
        released > 0
    }

    /// Members that are released and have not been taken.
    pub(crate) fn released(&self) -> u32 {
        self.released.get()
    }

    /// Unwinds an invocation of a dispatch that has failed.
    #[cold]
    #[inline(never)]
    fn unwind(&self) {
        // A destructor that runs while its invocation unwinds must not unwind again.
        if !std::thread::panicking() {
            if cfg!(panic = "abort") {
                // Unwinding would end the process without a message.
                let _ = writeln!(std::io::stderr(), "anywarp: {}", self.failure_text());
            }
            resume_unwind(Box::new(Cancelled));
        }
    }

    // Failures.

    #[cold]
    #[inline(never)]
    fn diverge(&self, site: SourceLocation) {
        let (Some(first_location), first) = (self.site.get(), self.first_arrived.get()) else {
            return;
        };
        let (second, second_location) = (self.member(), site);
        self.fail(match self.kind {
            GroupKind::Workgroup => DispatchError::DifferentBarriers {
                workgroup: self.id(),
                first,
                first_location,
                second,
                second_location,
            },
            GroupKind::Quad => DispatchError::DifferentQuadOperations {
                pixel: self.id(),
                first,
                first_location,
                second,
                second_location,
            },
        });
        self.unwind();
    }

    /// Fails the dispatch: no member can be resumed, since some wait and the others have ended.
    pub(crate) fn fail_stuck(&self) {
        let location = self.site.get().unwrap_or(self.shape.dispatched_at);
        self.fail(DispatchError::BarrierNotReached {
            workgroup: self.id(),
            waiting: self.first_arrived.get(),
            location,
            ended: self.last_finished.get(),
            dispatched_at: self.shape.dispatched_at,
        });
    }

    /// Records the first failure and cancels all members.
    pub(crate) fn fail(&self, error: DispatchError) {
        self.halted.set(true);
        let mut failure = self.failure.borrow_mut();
        if failure.is_none() {
            *failure = Some(error);
        } else {
            // The destructor of a later error may run user code, so the failure is not borrowed
            // while it runs.
            drop(failure);
            error.discard();
        }
    }

    fn failure_text(&self) -> String {
        let failure = self.failure.borrow();
        let text = failure.as_ref().map(ToString::to_string);
        text.unwrap_or_else(|| "the dispatch has failed".to_owned())
    }

    /// Handles an invocation that has unwound: cancelled, or with a panic of its own.
    #[cold]
    pub(crate) fn unwound(&self, payload: Box<dyn Any + Send>) {
        // A cancellation that was caught and kept may be thrown later, when nothing has failed.
        if !payload.is::<Cancelled>() || !self.halted.get() {
            self.fail(DispatchError::Panicked {
                invocation: self.invocation(self.member()),
                panic: Panic::new(payload),
            });
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.halted.get()
    }

    pub(crate) fn take_failure(&self) -> Option<DispatchError> {
        self.failure.borrow_mut().take()
    }
}

/// Compares by value, because the compiler may emit several copies of one location.
#[inline(always)]
fn is_same_location(a: &'static Location<'static>, b: &'static Location<'static>) -> bool {
    ptr::eq(a, b) || a == b
}

/// Restores the thread's outer group on drop.
pub(crate) struct CurrentGroupGuard<'g> {
    outer: *const Group,
    _group: PhantomData<&'g Group>,
}

impl Drop for CurrentGroupGuard<'_> {
    fn drop(&mut self) {
        CURRENT.set(self.outer);
    }
}
