//! Bindings of almost 4 GiB in the middle of a sparse mapping: an access at any index accesses the element of that
//! index and no other byte, from 4 GiB before the binding to 4 GiB after it.
//!
//! Only pages that a kernel touches have memory. So a page without memory was not touched.

use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_cpu::{
    Arguments, BufferView, DispatchError, Engine, Executor, ExecutorOptions, Kernel, Runner, Target,
};
use anywarp_program::Program;
use anywarp_program::units::{Bytes, MAX_BINDING_SIZE, Words};
use anywarp_test_support::report_skip;

use super::check::kernel;

const GIB: u64 = 1 << 30;
const PAGE: u64 = 4096;

/// Bytes of the mapping: 4 GiB, the binding, and 4 GiB.
const MAPPED: u64 = 12 * GIB;

/// The start of the binding.
const START: u64 = 4 * GIB;

/// Address space whose pages get memory when they are touched.
struct Sparse(NonNull<u8>);

impl Sparse {
    /// `None` where the system refuses so much address space.
    fn new() -> Option<Self> {
        // SAFETY: a fresh private mapping is asked for, at no given place.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                MAPPED as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            let error = std::io::Error::last_os_error();
            report_skip(&format!("no address space of {MAPPED} bytes: {error}"));
            return None;
        }
        // Huge pages would make one touch look like 512.
        // SAFETY: the mapping is ours.
        unsafe { libc::madvise(start, MAPPED as usize, libc::MADV_NOHUGEPAGE) };
        Some(Self(NonNull::new(start.cast()).unwrap()))
    }

    /// The words of a binding of the given size.
    fn binding(&self, Bytes(bytes): Bytes) -> &[AtomicU32] {
        assert!(START + bytes <= MAPPED);
        // SAFETY: the range is inside the mapping, which lives as long as `self`, and is used as atomic words only.
        unsafe {
            let start = self.0.as_ptr().add(START as usize);
            std::slice::from_raw_parts(start.cast(), Bytes(bytes).words().0 as usize)
        }
    }

    /// The half at a byte of the binding.
    fn half(&self, at: u64) -> u16 {
        let word = self.binding(MAX_BINDING_SIZE)[(at / 4) as usize].load(Ordering::Relaxed);
        (word >> (at % 4 * 8)) as u16
    }

    /// Bytes, from the binding's first on, where pages begin that have been touched.
    fn touched(&self) -> Vec<i64> {
        let mut pages = vec![0u8; (MAPPED / PAGE) as usize];
        // SAFETY: there is a byte for each page of the mapping.
        let result =
            unsafe { libc::mincore(self.0.as_ptr().cast(), MAPPED as usize, pages.as_mut_ptr()) };
        assert_eq!(result, 0);
        let touched = (0i64..).zip(&pages).filter(|(_, state)| **state & 1 != 0);
        touched
            .map(|(page, _)| page * PAGE as i64 - START as i64)
            .collect()
    }

    /// Makes every page as if it had never been touched.
    fn reset(&self) {
        // SAFETY: the mapping is ours and private, and nothing borrows from it but atomic words.
        unsafe { libc::madvise(self.0.as_ptr().cast(), MAPPED as usize, libc::MADV_DONTNEED) };
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours.
        unsafe { libc::munmap(self.0.as_ptr().cast(), MAPPED as usize) };
    }
}

/// An element type: its name, its bytes, and how a number becomes one.
struct Element {
    name: &'static str,
    bytes: u64,
    from: &'static str,
    to: &'static str,
    enables: &'static str,
}

const ELEMENTS: [Element; 6] = [
    Element {
        name: "f16",
        bytes: 2,
        from: "f16(x)",
        to: "u32(x)",
        enables: "enable f16;",
    },
    Element {
        name: "i16",
        bytes: 2,
        from: "i16(x)",
        to: "u32(x)",
        enables: "enable wgpu_int16;",
    },
    Element {
        name: "u16",
        bytes: 2,
        from: "u16(x)",
        to: "u32(x)",
        enables: "enable wgpu_int16;",
    },
    Element {
        name: "u32",
        bytes: 4,
        from: "x",
        to: "x",
        enables: "",
    },
    Element {
        name: "vec4<f32>",
        bytes: 16,
        from: "vec4(f32(x))",
        to: "u32(x.w)",
        enables: "",
    },
    Element {
        name: "vec2<f16>",
        bytes: 4,
        from: "vec2(f16(x))",
        to: "u32(x.y)",
        enables: "enable f16;",
    },
];

/// The index pattern of the lanes.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    /// The same for all.
    Same,
    /// Side by side.
    Row,
    /// Every third one, backwards.
    Apart,
}

const LANES: u32 = 16;

impl Pattern {
    fn wgsl(self) -> &'static str {
        match self {
            Self::Same => "p.first",
            Self::Row => "p.first + lane",
            Self::Apart => "p.first - 3u * lane",
        }
    }

    fn index(self, first: u32, lane: u32) -> u32 {
        match self {
            Self::Same => first,
            Self::Row => first.wrapping_add(lane),
            Self::Apart => first.wrapping_sub(3 * lane),
        }
    }
}

/// Stores `lane + 1`, then loads the elements into the results.
fn program(element: &Element, pattern: Pattern) -> Program {
    let Element {
        name,
        from,
        to,
        enables,
        ..
    } = element;
    let index = pattern.wgsl();
    let value = match pattern {
        Pattern::Same => "7u",
        _ => "lane + 1u",
    };
    let wgsl = format!(
        "{enables}
struct Parameters {{ first: u32, store: u32 }}
@group(0) @binding(0) var<storage, read_write> large: array<{name}>;
@group(0) @binding(1) var<storage, read> p: Parameters;
@group(0) @binding(2) var<storage, read_write> results: array<u32, {LANES}>;
fn from_number(x: u32) -> {name} {{ return {from}; }}
fn to_number(x: {name}) -> u32 {{ return {to}; }}
@compute @workgroup_size({LANES}) fn main(@builtin(local_invocation_index) lane: u32) {{
    if (p.store == 1u) {{
        large[{index}] = from_number({value});
    }} else {{
        results[lane] = to_number(large[{index}]);
    }}
}}"
    );
    Program::from_wgsl(&wgsl).unwrap_or_else(|error| panic!("{error}\n{wgsl}"))
}

fn dispatch(kernel: &Kernel, buffers: [&[AtomicU32]; 3]) -> Result<(), DispatchError> {
    let arguments = Arguments {
        buffers: &buffers.map(|words| BufferView { words }),
        textures: &[],
        arrays: &[],
        immediates: &[],
        workgroup_count: [1, 1, 1],
    };
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        ..Default::default()
    });
    executor.dispatch(&mut Runner::new(kernel), &arguments)
}

fn engines() -> Vec<Engine> {
    let code = Target::all().flat_map(|target| [target, target.plain()]);
    code.map(Engine::Code)
        .chain([Engine::Interpreter])
        .collect()
}

/// The indices where signs, units or limits change, and those around them.
fn edges(count: u64) -> Vec<u32> {
    let at = [0, 0x4000_0000, 0x8000_0000, 0xc000_0000, count];
    let mut edges: Vec<u32> = at
        .into_iter()
        .flat_map(|index| [-16, -15, -1, 0, 1].map(|by| index.wrapping_add_signed(by)))
        .map(|index| index as u32)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Checks that the elements of the lanes have been stored, and that nothing else has been.
fn check(memory: &Sparse, element: &Element, pattern: Pattern, first: u32, what: &str) {
    let count = MAX_BINDING_SIZE.0 / element.bytes;
    let mut pages: Vec<i64> = Vec::new();
    for lane in 0..LANES {
        let index = u64::from(pattern.index(first, lane));
        if index < count {
            let at = index * element.bytes;
            let is_there = (0..element.bytes / 2).any(|half| memory.half(at + 2 * half) != 0);
            assert!(is_there, "{what}: nothing stored at {index:#x}");
            pages.extend([at, at + element.bytes - 1].map(|byte| (byte / PAGE * PAGE) as i64));
        }
    }
    pages.sort_unstable();
    pages.dedup();
    assert_eq!(memory.touched(), pages, "{what}: pages touched");
    // In those pages only the elements of the lanes are not zero.
    for page in &pages {
        for half in 0..(PAGE / 2) {
            let at = *page as u64 + 2 * half;
            if at < MAX_BINDING_SIZE.0 && memory.half(at) != 0 {
                let index = (at / element.bytes) as u32;
                let is_ours = (0..LANES).any(|lane| pattern.index(first, lane) == index);
                assert!(is_ours, "{what}: element {index:#x} has changed");
            }
        }
    }
}

#[test]
fn accesses_at_the_edges_of_the_largest_binding_touch_their_elements_alone() {
    let Some(memory) = Sparse::new() else { return };
    let binding = memory.binding(MAX_BINDING_SIZE);
    for element in &ELEMENTS {
        for pattern in [Pattern::Same, Pattern::Row, Pattern::Apart] {
            let program = program(element, pattern);
            for engine in engines() {
                let kernel = kernel(&program, engine);
                if let (Engine::Code(target), Err(reason)) = (engine, kernel.code()) {
                    panic!("{} has no code for {target}: {reason}", element.name);
                }
                for first in edges(MAX_BINDING_SIZE.0 / element.bytes) {
                    let what = format!("{} {pattern:?} at {first:#x} on {engine:?}", element.name);
                    try_index(&memory, binding, &kernel, (element, pattern), first, &what);
                }
            }
        }
    }
}

fn try_index(
    memory: &Sparse,
    binding: &[AtomicU32],
    kernel: &Kernel,
    (element, pattern): (&Element, Pattern),
    first: u32,
    what: &str,
) {
    memory.reset();
    let parameters = [first, 1].map(AtomicU32::new);
    let results = [const { AtomicU32::new(99) }; LANES as usize];
    dispatch(kernel, [binding, &parameters, &results]).unwrap();
    check(memory, element, pattern, first, what);
    parameters[1].store(0, Ordering::Relaxed);
    dispatch(kernel, [binding, &parameters, &results]).unwrap();
    let count = MAX_BINDING_SIZE.0 / element.bytes;
    for (lane, result) in (0..LANES).zip(&results) {
        let exists = u64::from(pattern.index(first, lane)) < count;
        let value = match pattern {
            Pattern::Same => 7,
            _ => lane + 1,
        };
        let expected = if exists { value } else { 0 };
        let found = result.load(Ordering::Relaxed);
        assert_eq!(found, expected, "{what}: lane {lane} loads");
    }
}

#[test]
fn larger_bindings_are_refused_by_name() {
    let Some(memory) = Sparse::new() else { return };
    let program = program(&ELEMENTS[0], Pattern::Row);
    for engine in engines() {
        let kernel = kernel(&program, engine);
        for bytes in [MAX_BINDING_SIZE.0 + 4, 5 * GIB, 8 * GIB] {
            let parameters = [0x8000_0000, 1].map(AtomicU32::new);
            let results = [const { AtomicU32::new(0) }; LANES as usize];
            let binding = memory.binding(Bytes(bytes));
            let error = dispatch(&kernel, [binding, &parameters, &results]).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "`large` at @group(0) @binding(0) is bound to {bytes} bytes, and the largest binding is 4294967292 \
                     bytes"
                ),
            );
            assert_eq!(Words::of(binding).bytes(), Bytes(bytes));
        }
        assert!(memory.touched().is_empty());
    }
}
