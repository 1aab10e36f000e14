//! Reports the stack overflow of an invocation.
//!
//! The lowest page of every stack is an inaccessible guard page. Touching it raises a signal. The
//! handler knows the stack of the invocation that runs on the thread, prints a message and ends the
//! process. Every other fault is forwarded to the previous handler.

use std::cell::Cell;

thread_local! {
    /// The guard page of the running invocation's stack; zero if none runs.
    static LIMIT: Cell<usize> = const { Cell::new(0) };
}

/// Sets the stack limit of the fiber that the thread runs next.
#[inline(always)]
pub(crate) fn set_limit(limit: usize) {
    LIMIT.set(limit);
}

/// Restores the thread's outer limit on drop: a dispatch may run inside another.
pub(crate) struct SavedLimit(usize);

impl Drop for SavedLimit {
    fn drop(&mut self) {
        LIMIT.set(self.0);
    }
}

pub(crate) fn save_limit() -> SavedLimit {
    handler::install();
    SavedLimit(LIMIT.get())
}

#[cfg(unix)]
mod handler {
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;

    use super::LIMIT;

    /// The previous handlers of SIGSEGV and SIGBUS.
    static PREVIOUS: OnceLock<[libc::sigaction; 2]> = OnceLock::new();

    /// The size of a guard page. Large frames are probed page by page, so the guard page is always
    /// touched first.
    static PAGE: OnceLock<usize> = OnceLock::new();

    pub(super) fn install() {
        // SAFETY: Asking for the page size has no conditions.
        PAGE.get_or_init(|| unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize);
        PREVIOUS.get_or_init(|| [libc::SIGSEGV, libc::SIGBUS].map(replace));
    }

    fn replace(signal: libc::c_int) -> libc::sigaction {
        // SAFETY: Both structures are plain C data; zeros are an empty mask and no flags. The
        // handler does only what is allowed in one. Threads of the standard library have an
        // alternate signal stack, which SA_ONSTACK makes it run on.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            let mut previous = MaybeUninit::<libc::sigaction>::zeroed();
            libc::sigaction(signal, &action, previous.as_mut_ptr());
            previous.assume_init()
        }
    }

    extern "C" fn handle(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        // SAFETY: The system passes a valid structure.
        let address = unsafe { (*info).si_addr() } as usize;
        let guard = LIMIT.get();
        let page = PAGE.get().copied().unwrap_or(0);
        if guard != 0 && (guard..guard + page).contains(&address) {
            let text = b"anywarp: an invocation has overflowed its stack; \
                give it a larger one with DispatchOptions::stack_size\n";
            // SAFETY: Both functions may be called in a signal handler.
            unsafe {
                libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
                libc::abort();
            }
        }
        forward(signal, info, context);
    }

    /// Calls the previous handler.
    fn forward(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        type Handler = unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
        let index = usize::from(signal != libc::SIGSEGV);
        let previous = PREVIOUS.get().map(|previous| previous[index]);
        match previous {
            Some(action)
                if action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN =>
            {
                // SAFETY: The previous handler was installed with this type, or with a prefix of
                // its parameters, which the C calling convention allows.
                unsafe {
                    let handler = std::mem::transmute::<usize, Handler>(action.sa_sigaction);
                    handler(signal, info, context);
                }
            }
            // SAFETY: Restoring the default handler lets the fault, which happens again on return,
            // end the process as it would have without this handler.
            _ => unsafe {
                libc::signal(signal, libc::SIG_DFL);
            },
        }
    }
}

#[cfg(not(unix))]
mod handler {
    pub(super) fn install() {}
}
