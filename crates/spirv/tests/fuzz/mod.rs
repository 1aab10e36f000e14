//! Mutation fuzzing: corrupted modules give errors, without panics and in bounded time.
//!
//! Valid modules, stored as GLSL with their compiled SPIR-V, are mutated with seeds: words are changed, removed,
//! duplicated and swapped, and modules are truncated.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

const MODULES: [&[u8]; 9] = [
    include_bytes!("a.comp.spv"),
    include_bytes!("b.frag.spv"),
    include_bytes!("c.vert.spv"),
    include_bytes!("e.comp.spv"),
    include_bytes!("f.comp.spv"),
    include_bytes!("subgroups.comp.spv"),
    include_bytes!("wide_subgroups.comp.spv"),
    include_bytes!("atomics.comp.spv"),
    include_bytes!("extended.comp.spv"),
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end.max(1)
    }
}

fn broken(random: &mut Random) -> Vec<u8> {
    let module = MODULES[random.below(MODULES.len())];
    let mut words: Vec<[u8; 4]> = module.as_chunks::<4>().0.to_vec();
    for _ in 0..1 + random.below(4) {
        let (at, from) = (random.below(words.len()), random.below(words.len()));
        match random.below(8) {
            0 => words[at] = (random.next() as u32).to_le_bytes(),
            1 => words[at] = (random.below(300) as u32).to_le_bytes(),
            2 => words[at][random.below(4)] ^= 1 << random.below(8),
            3 => words[at] = words[from],
            4 => words.truncate(at.max(5)),
            5 => {
                words.remove(at);
            }
            6 => words.insert(at, words[from]),
            _ => words.swap(at, from),
        }
    }
    words.concat()
}

#[test]
fn broken_modules_are_errors() {
    let seeds = std::env::var("ANYWARP_SEEDS")
        .ok()
        .and_then(|it| it.parse().ok());
    let (mut read, mut refused) = (0, 0);
    for seed in 0..seeds.unwrap_or(3000_u64) {
        let bytes = broken(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let begin = Instant::now();
        let result = catch_unwind(|| anywarp_spirv::read(&bytes, &Default::default()).map(drop));
        match result {
            Ok(Ok(())) => read += 1,
            Ok(Err(error)) => {
                refused += 1;
                assert!(!error.to_string().contains('\n'), "seed {seed}: {error}");
            }
            Err(_) => panic!("seed {seed} makes it panic"),
        }
        assert!(
            begin.elapsed() < Duration::from_secs(5),
            "seed {seed} takes long"
        );
    }
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
}

#[test]
fn nothing_and_noise_are_errors() {
    for bytes in [&[][..], &[3], b"\x03\x02\x23\x07", &[0xff; 64]] {
        anywarp_spirv::read(bytes, &Default::default()).unwrap_err();
    }
}
