//! Memory of a fiber's stack: on Linux, mapped so that many stacks share one mapping.
//!
//! A process may have some 65,000 mappings. A guard page with its own protection splits every stack
//! into two mappings, so that workgroups of 1024 invocations on 32 threads would use them up. Since
//! Linux 6.13 a page inside a mapping can be a guard (`MADV_GUARD_INSTALL`), and the kernel merges
//! adjacent mappings: any number of stacks then needs few mappings.

#[cfg(not(target_os = "linux"))]
pub(crate) use corosensei::stack::DefaultStack as MappedStack;

#[cfg(target_os = "linux")]
pub(crate) use linux::MappedStack;

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{Error, ErrorKind, Result};
    use std::num::NonZeroUsize;
    use std::ptr;

    use corosensei::stack::{MIN_STACK_SIZE, Stack, StackPointer};

    /// From the kernel's headers; not yet in every version of `libc`.
    const MADV_GUARD_INSTALL: libc::c_int = 102;

    /// A stack with a guard page at its low end.
    pub(crate) struct MappedStack {
        lowest: NonZeroUsize,
        base: NonZeroUsize,
    }

    impl MappedStack {
        /// A stack of at least `size` bytes.
        pub(crate) fn new(size: usize) -> Result<Self> {
            // SAFETY: Asking for the page size has no conditions.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
            let len = size
                .max(MIN_STACK_SIZE)
                .checked_next_multiple_of(page)
                .and_then(|size| size.checked_add(page))
                .ok_or(ErrorKind::InvalidInput)?;
            // SAFETY: A new mapping, at an address that the kernel chooses, touches nothing.
            let lowest = unsafe {
                let access = libc::PROT_READ | libc::PROT_WRITE;
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
                libc::mmap(ptr::null_mut(), len, access, flags, -1, 0)
            };
            if lowest == libc::MAP_FAILED {
                return Err(Error::last_os_error());
            }
            let stack = Self {
                lowest: NonZeroUsize::new(lowest as usize).ok_or(ErrorKind::Other)?,
                base: NonZeroUsize::new(lowest as usize + len).ok_or(ErrorKind::Other)?,
            };
            // From here on, dropping the stack unmaps the memory.
            stack.guard(page)?;
            Ok(stack)
        }

        /// Makes the lowest page inaccessible.
        fn guard(&self, page: usize) -> Result<()> {
            let lowest = ptr::with_exposed_provenance_mut(self.lowest.get());
            // SAFETY: The page belongs to this stack, and is not used yet. Huge pages would make
            // memory resident that no invocation has touched; it does not matter if the kernel does
            // not support them.
            unsafe {
                libc::madvise(lowest, self.len(), libc::MADV_NOHUGEPAGE);
                if libc::madvise(lowest, page, MADV_GUARD_INSTALL) == 0
                    || libc::mprotect(lowest, page, libc::PROT_NONE) == 0
                {
                    return Ok(());
                }
            }
            Err(Error::last_os_error())
        }

        fn len(&self) -> usize {
            self.base.get() - self.lowest.get()
        }
    }

    impl Drop for MappedStack {
        fn drop(&mut self) {
            let lowest = ptr::with_exposed_provenance_mut(self.lowest.get());
            // SAFETY: The mapping belongs to this stack alone, and no code runs on it when it is
            // dropped.
            unsafe { libc::munmap(lowest, self.len()) };
        }
    }

    // SAFETY: The lowest page is a guard, the rest has at least the smallest size, and both ends are
    // page boundaries, which is more than the alignment of a stack.
    unsafe impl Stack for MappedStack {
        fn base(&self) -> StackPointer {
            self.base
        }

        fn limit(&self) -> StackPointer {
            self.lowest
        }
    }
}
