//! Memory between guard regions: reserved address space that cannot be accessed.
//!
//! In: a size. Out: zeros, from fresh pages or from a block that was used before, with inaccessible bytes before the
//! first page and after the last; large blocks are huge pages where the system has them. Machine code adds a signed
//! 32-bit word index to the address of a buffer; with the largest guard, a wrong word index ends the process instead of
//! accessing other memory. This is a second defence: the first one is that code checks every index (WebAssembly engines
//! use guard regions as the first).
//!
//! A guard takes address space and an entry in the system's list of mappings, and no memory. Both are limited, so
//! guards become smaller when [`MAX_RESERVED`] is used up or the process has little address space (`RLIMIT_AS`), and
//! blocks after the first [`MAX_BLOCKS`] have no guards. Only x86-64 has a code generator, so other machines need no
//! guards.

use std::io::{Error, ErrorKind, Result};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

const PAGE: usize = 4096;

/// The size of a huge page, on x86-64 and with pages of 4 KiB on aarch64.
const HUGE_PAGE: usize = 2 << 20;

const GIB: usize = 1 << 30;

/// Sizes of guards in bytes, on each side: the largest is the reach of a signed word index.
const GUARDS: [usize; 3] = [8 * GIB, 64 << 20, 64 << 10];

/// Address space that large guards may take, an eighth of what a process has.
const MAX_RESERVED: usize = 16 << 40;

/// The largest number of blocks. Each takes two or three mappings, of which a process may have 65,530 by default.
const MAX_BLOCKS: usize = 8192;

static RESERVED: AtomicUsize = AtomicUsize::new(0);
static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// Whether the address space of the process is not limited.
static IS_UNLIMITED: LazyLock<bool> = LazyLock::new(|| {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the system writes a limit to the given address, if it returns 0.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_AS, limit.as_mut_ptr()) };
    // SAFETY: the limit was written.
    result == 0 && unsafe { limit.assume_init() }.rlim_cur == libc::RLIM_INFINITY
});

/// A part of a process-wide quota, returned when dropped.
#[derive(Debug)]
struct QuotaShare {
    taken: &'static AtomicUsize,
    amount: usize,
}

impl QuotaShare {
    fn take(taken: &'static AtomicUsize, amount: usize, most: usize) -> Option<Self> {
        let before = taken.fetch_add(amount, Ordering::Relaxed);
        let share = Self { taken, amount };
        (before.saturating_add(amount) <= most).then_some(share)
    }
}

impl Drop for QuotaShare {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.amount, Ordering::Relaxed);
    }
}

/// Zeros with a guard on each side. Its pages are reused.
#[derive(Debug)]
pub(crate) struct GuardedMemory {
    /// Present until the drop.
    pages: Option<Pages>,
    start: NonNull<u8>,
}

impl GuardedMemory {
    /// Allocates bytes between guards; `None` if the system or the limits above refuse them.
    pub(crate) fn zeroed(bytes: usize) -> Option<Self> {
        let bytes = bytes.checked_next_multiple_of(PAGE)?;
        let pages = FREE.take(bytes).or_else(|| Pages::zeroed(bytes))?;
        Some(Self {
            start: pages.start(),
            pages: Some(pages),
        })
    }

    /// The first byte, at the beginning of a page.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for GuardedMemory {
    fn drop(&mut self) {
        if let Some(pages) = self.pages.take_if(|pages| pages.bytes <= LARGEST_FREE) {
            FREE.give(pages);
        }
    }
}

/// Free blocks, the oldest first. Fresh pages cost a page fault each, which takes far longer than setting them to zero.
/// The allocator does the same for blocks of this size.
struct FreeList(Mutex<Vec<Pages>>);

static FREE: FreeList = FreeList(Mutex::new(Vec::new()));

/// The size of the largest block that is kept.
const LARGEST_FREE: usize = 32 << 20;

/// The total size of blocks that are kept.
const MAX_FREE: usize = 64 << 20;

impl FreeList {
    fn lock(&self) -> MutexGuard<'_, Vec<Pages>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The smallest free block of at least `bytes` bytes that is not much larger; its contents are zero.
    fn take(&self, bytes: usize) -> Option<Pages> {
        let fits = |entry: &(usize, &Pages)| (bytes..=bytes / 4 * 5).contains(&entry.1.bytes);
        let mut free = self.lock();
        let best = free.iter().enumerate().filter(fits);
        let (index, _) = best.min_by_key(|entry| entry.1.bytes)?;
        let pages = free.remove(index);
        drop(free);
        // SAFETY: there are at least that many, and they are ours alone.
        unsafe { pages.start().write_bytes(0, bytes) };
        Some(pages)
    }

    /// Adds a free block, and unmaps the oldest ones if there are too many.
    fn give(&self, pages: Pages) {
        let mut free = self.lock();
        free.push(pages);
        let mut bytes: usize = free.iter().map(|pages| pages.bytes).sum();
        let mut surplus = 0;
        while bytes > MAX_FREE {
            bytes -= free[surplus].bytes;
            surplus += 1;
        }
        let surplus: Vec<Pages> = free.drain(..surplus).collect();
        // Unmapping takes long, and other threads wait for the lock.
        drop(free);
        drop(surplus);
    }
}

/// The alignment of a block: blocks that hold huge pages start with one.
fn alignment(bytes: usize) -> usize {
    if bytes >= HUGE_PAGE { HUGE_PAGE } else { PAGE }
}

/// Pages with a guard on each side.
#[derive(Debug)]
struct Pages {
    /// Where the first guard begins.
    reservation: NonNull<u8>,
    /// The least size of each guard.
    guard: usize,
    start: NonNull<u8>,
    bytes: usize,
    _block: QuotaShare,
    _reserved: QuotaShare,
}

// SAFETY: the pages are plain bytes with no tie to a thread, and nothing here reads them.
unsafe impl Send for Pages {}

impl Pages {
    /// Fresh pages with the largest guards that can be reserved.
    fn zeroed(bytes: usize) -> Option<Self> {
        for guard in GUARDS {
            match Self::with_guard(bytes, guard) {
                Ok(pages) => return Some(pages),
                // There is not enough memory for the block itself, whatever its guards.
                Err(error) if error.kind() == ErrorKind::OutOfMemory => return None,
                Err(_) => {}
            }
        }
        None
    }

    fn with_guard(bytes: usize, guard: usize) -> Result<Self> {
        let refused = || Error::from(ErrorKind::QuotaExceeded);
        if guard > GUARDS[GUARDS.len() - 1] && !*IS_UNLIMITED {
            return Err(refused());
        }
        let slack = alignment(bytes) - PAGE;
        let mapped = bytes.checked_add(2 * guard + slack).ok_or_else(refused)?;
        let block = QuotaShare::take(&BLOCKS, 1, MAX_BLOCKS).ok_or_else(refused)?;
        let reserved = QuotaShare::take(&RESERVED, 2 * guard, MAX_RESERVED).ok_or_else(refused)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh private mapping is asked for, at no given place.
        let reservation = unsafe {
            let flags = flags | libc::MAP_NORESERVE;
            libc::mmap(ptr::null_mut(), mapped, libc::PROT_NONE, flags, -1, 0)
        };
        if reservation == libc::MAP_FAILED {
            return Err(refused());
        }
        let reservation: NonNull<u8> = NonNull::new(reservation.cast()).ok_or_else(refused)?;
        let address = reservation.addr().get() + guard;
        let offset = address.next_multiple_of(alignment(bytes)) - reservation.addr().get();
        let pages = Self {
            reservation,
            guard,
            // SAFETY: with the offset for the alignment, block and guards still fit into the reservation.
            start: unsafe { reservation.add(offset) },
            bytes,
            _block: block,
            _reserved: reserved,
        };
        // Mapped again rather than only made writable: then the system accounts for the memory, and refuses if it is
        // short of it.
        // SAFETY: the range lies inside the reservation, which belongs to this call alone and holds no data.
        let middle = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let start = pages.start().as_ptr().cast();
            libc::mmap(start, bytes, access, flags | libc::MAP_FIXED, -1, 0)
        };
        if middle == libc::MAP_FAILED {
            return Err(ErrorKind::OutOfMemory.into());
        }
        if bytes >= HUGE_PAGE {
            pages.ask_for_huge_pages();
        }
        Ok(pages)
    }

    /// Asks for huge pages, which take fewer entries of the TLB: kernels that go through a picture in squares touch a
    /// page for each row of a square. The system may refuse; then the pages are small.
    fn ask_for_huge_pages(&self) {
        // SAFETY: the range is mapped and ours; the advice does not change its contents.
        unsafe { libc::madvise(self.start.as_ptr().cast(), self.bytes, libc::MADV_HUGEPAGE) };
    }

    fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let mapped = self.bytes + 2 * self.guard + alignment(self.bytes) - PAGE;
        // SAFETY: the mappings are ours, and nothing borrows from them any longer.
        unsafe { libc::munmap(self.reservation.as_ptr().cast(), mapped) };
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    use super::*;

    /// The protection of the mapping that contains an address, as in `rw-p`, and how far it extends below and above.
    fn mapping(address: usize) -> (String, usize, usize) {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let found = maps.lines().find_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let [start, end] =
                [start, end].map(|digits| usize::from_str_radix(digits, 16).unwrap());
            let protection = rest.split(' ').next()?.to_owned();
            (start..end)
                .contains(&address)
                .then(|| (protection, address - start, end - address))
        });
        found.unwrap_or_default()
    }

    #[test]
    fn both_sides_are_unreadable_as_far_as_an_index_reaches() {
        let guarded = GuardedMemory::zeroed((1 << 20) + 5).unwrap();
        let start = guarded.start().as_ptr().addr();
        let guard = guarded.pages.as_ref().unwrap().guard;
        let (before, below, _) = mapping(start - 1);
        assert_eq!(before, "---p");
        assert!(below + 1 >= guard);
        let (after, _, above) = mapping(start + (1 << 20) + PAGE);
        assert_eq!(after, "---p");
        assert!(above >= guard);
        if *IS_UNLIMITED {
            assert!(guard >= 8 * GIB);
        }
        let (inside, ..) = mapping(start);
        assert_eq!(inside, "rw-p");
        // SAFETY: the pages are ours.
        unsafe {
            assert_eq!(guarded.start().add(1 << 20).read(), 0);
            guarded.start().write_bytes(1, (1 << 20) + 5);
        }
    }

    /// The flags of the mapping that starts at an address, as in `rd wr mr`.
    fn flags(address: usize) -> Vec<String> {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let start = format!("{address:x}-");
        let lines = maps.lines().skip_while(|line| !line.starts_with(&start));
        let mut flags = { lines }.filter_map(|line| line.strip_prefix("VmFlags: "));
        let flags = flags.next().unwrap_or_default();
        flags.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn large_blocks_are_huge_pages_between_guards() {
        for guard in GUARDS {
            let pages = Pages::with_guard(2 * HUGE_PAGE + PAGE, guard).unwrap();
            let start = pages.start().as_ptr().addr();
            assert!(start.is_multiple_of(HUGE_PAGE));
            let (before, below, _) = mapping(start - 1);
            assert!(before == "---p" && below + 1 >= guard);
            let (after, _, above) = mapping(start + 2 * HUGE_PAGE + PAGE);
            assert!(after == "---p" && above >= guard);
            if std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
                assert!(flags(start).contains(&"hg".to_owned()));
            }
        }
        let small = Pages::with_guard(HUGE_PAGE - PAGE, GUARDS[2]).unwrap();
        assert!(!flags(small.start().as_ptr().addr()).contains(&"hg".to_owned()));
    }

    #[test]
    fn guards_become_smaller_and_shares_come_back() {
        for guard in GUARDS {
            let pages = Pages::with_guard(PAGE, guard).unwrap();
            assert_eq!(pages.guard, guard);
        }
        let taken: &'static AtomicUsize = Box::leak(Box::default());
        let first = QuotaShare::take(taken, 3, 5).unwrap();
        assert!(QuotaShare::take(taken, 3, 5).is_none());
        assert_eq!(taken.load(Ordering::Relaxed), 3);
        drop(first);
        assert_eq!(taken.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn blocks_are_used_again_as_zeros() {
        let free = FreeList(Mutex::default());
        let pages = Pages::zeroed(5 * PAGE).unwrap();
        let address = pages.start();
        // SAFETY: the pages are ours.
        unsafe { address.write_bytes(9, 5 * PAGE) };
        free.give(pages);
        assert!(free.take(6 * PAGE).is_none() && free.take(3 * PAGE).is_none());
        let pages = free.take(4 * PAGE).unwrap();
        assert_eq!(pages.start(), address);
        // SAFETY: the pages are ours, and nothing writes them now.
        let bytes = unsafe { std::slice::from_raw_parts(address.as_ptr(), 4 * PAGE) };
        assert!(bytes.iter().all(|byte| *byte == 0));
        assert!(free.take(4 * PAGE).is_none());
    }

    #[test]
    fn a_bounded_amount_waits() {
        let free = FreeList(Mutex::default());
        for _ in 0..6 {
            free.give(Pages::zeroed(LARGEST_FREE - PAGE).unwrap());
        }
        assert_eq!(free.lock().len(), MAX_FREE / LARGEST_FREE);
    }

    #[test]
    fn memory_that_the_system_does_not_have_is_refused() {
        assert!(GuardedMemory::zeroed(usize::MAX).is_none());
        assert!(GuardedMemory::zeroed(1 << 46).is_none());
    }

    /// Set in a child process with an address space that is limited to this many bytes.
    const LIMIT: &str = "ANYWARP_TEST_ADDRESS_SPACE";

    /// The limit belongs to the process and is read once, so a child process has it. The first limit has space for
    /// large guards, which would leave little of it.
    #[test]
    fn buffers_are_allocated_and_work_where_address_space_is_limited() {
        if std::env::var_os(LIMIT).is_some() {
            return use_limited_address_space();
        }
        let name = "buffers_are_allocated_and_work_where_address_space_is_limited";
        for limit in [64 * GIB, 2 * GIB] {
            let lower = move || {
                let limit = libc::rlimit {
                    rlim_cur: limit as libc::rlim_t,
                    rlim_max: limit as libc::rlim_t,
                };
                // SAFETY: the system reads the limit from the given address.
                match unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) } {
                    0 => Ok(()),
                    _ => Err(Error::last_os_error()),
                }
            };
            let mut child = Command::new(std::env::current_exe().unwrap());
            let name = format!("guarded::tests::{name}");
            child.args([&name, "--exact", "--test-threads=1"]);
            child.env(LIMIT, limit.to_string());
            // SAFETY: `setrlimit` may be called between fork and exec, and allocates nothing.
            let child = unsafe { child.pre_exec(lower) }.output().unwrap();
            let [output, errors] = [child.stdout, child.stderr]
                .map(|output| String::from_utf8_lossy(&output).into_owned());
            assert!(child.status.success(), "{output}{errors}");
            assert!(output.contains("1 passed"), "{output}");
        }
    }

    /// Checks that the smallest guards are used; that blocks are zero, hold what is written, and are refused only if
    /// they do not fit.
    fn use_limited_address_space() {
        let limit: usize = std::env::var(LIMIT).unwrap().parse().unwrap();
        assert!(!*IS_UNLIMITED);
        let smallest = GUARDS[GUARDS.len() - 1];
        let all: Vec<_> = [1 << 20, (1 << 20) + 5, 40 << 20, 100 << 20]
            .into_iter()
            .map(|bytes| (bytes, GuardedMemory::zeroed(bytes).expect("room for it")))
            .collect();
        for (number, (bytes, guarded)) in (1..).zip(&all) {
            assert_eq!(guarded.pages.as_ref().unwrap().guard, smallest);
            let start = guarded.start().as_ptr();
            // SAFETY: the pages are ours.
            unsafe {
                assert!(
                    (0..*bytes)
                        .step_by(PAGE)
                        .all(|index| start.add(index).read() == 0)
                );
                start.write_bytes(number, *bytes);
            }
            let end = start.addr() + bytes.next_multiple_of(PAGE);
            assert_eq!(mapping(start.addr()).0, "rw-p");
            for outside in [start.addr() - 1, end] {
                assert_eq!(mapping(outside).0, "---p");
            }
        }
        for (number, (bytes, guarded)) in (1..).zip(&all) {
            let start = guarded.start().as_ptr();
            // SAFETY: the pages are ours, and were written above.
            unsafe {
                assert!(
                    (0..*bytes)
                        .step_by(PAGE)
                        .all(|index| start.add(index).read() == number)
                );
            }
        }
        assert!(
            GuardedMemory::zeroed(limit).is_none(),
            "more than the limit"
        );
        drop(all);
        assert!(
            GuardedMemory::zeroed(100 << 20).is_some(),
            "room that came back"
        );
        let buffer = crate::Buffer::new(8 << 20).unwrap();
        let words = buffer.words(0..8 << 20, crate::Access::ReadWrite);
        let last = &words[words.len() - 1];
        assert_eq!(last.load(Ordering::Relaxed), 0);
        last.store(7, Ordering::Relaxed);
        assert_eq!(last.load(Ordering::Relaxed), 7);
    }
}
