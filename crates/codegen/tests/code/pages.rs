//! The protection of the pages of code and constants, from `/proc/self/maps`.

use std::ops::Range;

use anywarp_codegen::compile;
use anywarp_lanes::ir::{Op, Type};

use crate::kernel::{Kernel, PLAIN};
use crate::run::targets;

/// The first word of every constant.
const MARK: u32 = 0x5ec2_e75e;

/// A mapping of this process.
struct Mapping {
    addresses: Range<usize>,
    /// As in `r-xp`.
    protection: String,
}

fn mappings() -> Vec<Mapping> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mapping = |line: &str| {
        let mut fields = line.split_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).unwrap());
        Some(Mapping {
            addresses: start..end,
            protection: fields.next()?.to_owned(),
        })
    };
    maps.lines().filter_map(mapping).collect()
}

fn protection(mappings: &[Mapping], address: usize) -> &str {
    let found = mappings
        .iter()
        .find(|mapping| mapping.addresses.contains(&address));
    &found.unwrap().protection
}

/// Stores vectors that the program has chosen, more of them than a page holds.
fn with_constants(lanes: u32) -> Kernel {
    let mut kernel = Kernel::new(lanes);
    let (base, zero) = (kernel.buffer(0), kernel.word(0));
    for number in 0..200 {
        let words = (0..lanes).map(|lane| if lane == 0 { MARK } else { number + lane });
        let pattern = kernel.function.pattern(&words.collect::<Vec<_>>());
        let values = kernel.put(Op::Pattern(pattern), &[], Type::Lanes);
        kernel.effect(Op::StoreRow(PLAIN), &[base, zero, values]);
    }
    kernel
}

#[test]
#[cfg(target_os = "linux")]
fn constants_are_not_executable_and_nothing_is_writable_and_executable() {
    for target in targets() {
        let kernel = with_constants(target.lanes());
        let code = compile(&kernel.function, target).unwrap();
        let mappings = mappings();
        assert_eq!(protection(&mappings, code.address().addr()), "r-xp");
        // SAFETY: the constants are there as long as the code, and never written.
        let constants = unsafe { &*code.constants() };
        let marks = constants
            .windows(4)
            .filter(|window| **window == MARK.to_le_bytes());
        assert_eq!(marks.count(), 200, "{target}");
        for place in [0, constants.len() - 1] {
            let address = constants[place..].as_ptr().addr();
            assert_eq!(protection(&mappings, address), "r--p", "{target}");
        }
        let both = |mapping: &&Mapping| {
            mapping.protection.contains('w') && mapping.protection.contains('x')
        };
        assert_eq!(mappings.iter().filter(both).count(), 0);
    }
}

#[test]
fn code_without_constants_has_no_page_of_them() {
    for target in targets() {
        let code = compile(&Kernel::new(target.lanes()).function, target).unwrap();
        assert_eq!(code.constants().len(), 0);
        assert_eq!(code.address().addr() % 4096, 0);
    }
}
