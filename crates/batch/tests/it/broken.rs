//! Guards with one part missing: each simplification, taken alone, corrupts the state on a queue
//! that overlaps submissions. The complete guard in the same test never does.
//!
//! Six batches in six slots each add one to every cell, in two passes. In any order, every cell
//! must hold the number of batches that took the lock, and the lock must be free at the end.

use std::io::{Write, stderr};

use anywarp_adapter::Misbehaviour;

use crate::gpu::{Gpu, Mapping};

const BATCHES: u32 = 6;
const CELLS: u32 = 8;
const SEEDS: u64 = 100;

/// A guard that may lack some of its parts.
#[derive(Clone, Copy)]
struct Guard {
    /// Whether there is one at all.
    exists: bool,
    /// Which active flag a slot has.
    flag: &'static str,
    /// When the lock counts as taken.
    is_taken: &'static str,
    /// When the staging pass releases it.
    releases: &'static str,
    spurious_failures: f64,
}

const RIGHT: Guard = Guard {
    exists: true,
    flag: "info.slot",
    is_taken: "exchange.exchanged",
    releases: "is_active()",
    spurious_failures: 0.0,
};

impl Guard {
    fn wgsl(&self) -> String {
        let Self {
            exists,
            flag,
            is_taken,
            releases,
            ..
        } = self;
        format!(
            "
struct Info {{ slot: u32 }}
struct Lock {{
    lock: atomic<u32>,
    batch_active: array<atomic<u32>, {BATCHES}>,
    taken_count: atomic<u32>,
}}
@group(0) @binding(0) var<storage, read_write> lock: Lock;
@group(0) @binding(1) var<storage, read_write> state: array<u32>;
@group(0) @binding(2) var<storage, read_write> scratch: array<u32>;
@group(0) @binding(3) var<storage, read_write> info: Info;

fn is_active() -> bool {{
    return !{exists} || atomicLoad(&lock.batch_active[{flag}]) != 0u;
}}
@compute @workgroup_size(1) fn guard() {{
    let exchange = atomicCompareExchangeWeak(&lock.lock, 0u, 1u);
    let is_taken = {is_taken};
    atomicStore(&lock.batch_active[{flag}], select(0u, 1u, is_taken));
    if is_taken || !{exists} {{ atomicAdd(&lock.taken_count, 1u); }}
}}
@compute @workgroup_size(1) fn compute(@builtin(workgroup_id) id: vec3<u32>) {{
    if is_active() {{ scratch[id.x] = state[id.x] + 1u; }}
}}
@compute @workgroup_size(1) fn store(@builtin(workgroup_id) id: vec3<u32>) {{
    if is_active() {{ state[id.x] = scratch[id.x]; }}
}}
@compute @workgroup_size(1) fn staging() {{
    if {releases} {{ atomicStore(&lock.lock, 0u); }}
}}
"
        )
    }

    /// Whether the state is correct after six batches with this seed.
    fn holds(&self, seed: u64) -> bool {
        let misbehaviour = Misbehaviour {
            seed,
            overlap: 4,
            spurious_failures: self.spurious_failures,
        };
        let gpu = Gpu::reordering(misbehaviour, Mapping::SomeBuffers);
        let lock = gpu.storage(4 * u64::from(BATCHES + 2));
        let [state, scratch] = [0, 1].map(|_| gpu.storage(4 * u64::from(CELLS)));
        for buffer in [&lock, &state, &scratch] {
            let zeros = vec![0; buffer.size() as usize];
            gpu.queue.write_buffer(buffer, 0, &zeros);
        }
        let infos: Vec<_> = (0..BATCHES).map(|_| gpu.storage(4)).collect();
        for (slot, info) in (0_u32..).zip(&infos) {
            gpu.queue.write_buffer(info, 0, &slot.to_le_bytes());
        }
        gpu.settle();
        let groups = infos
            .iter()
            .map(|info| gpu.group(&[&lock, &state, &scratch, info]));
        let groups: Vec<_> = groups.collect();
        let module = gpu.module(&self.wgsl());
        let passes = [
            ("guard", 1),
            ("compute", CELLS),
            ("store", CELLS),
            ("staging", 1),
        ];
        let passes =
            passes.map(|(entry, size)| (gpu.pipeline(&module, entry, &[&groups[0].0]), size));
        for (_, group) in &groups {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            for (pipeline, workgroups) in &passes {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, group, &[]);
                pass.dispatch_workgroups(*workgroups, 1, 1);
            }
            gpu.queue.submit([encoder.finish()]);
        }
        let lock = gpu.read(&lock);
        let taken = lock[BATCHES as usize + 1];
        let is_free = lock[0] == 0 || !self.exists;
        is_free && gpu.read(&state) == [taken; CELLS as usize]
    }

    /// How many of a hundred seeds end with a corrupt state; also printed on stderr.
    fn corrupted(&self, name: &str) -> usize {
        let corrupted = (0..SEEDS).filter(|seed| !self.holds(*seed)).count();
        let line = format!("{name}: {corrupted} of {SEEDS} seeds corrupt\n");
        let _ = stderr().write_all(line.as_bytes());
        corrupted
    }
}

#[test]
fn without_a_guard_the_state_corrupts() {
    let corrupted = Guard {
        exists: false,
        ..RIGHT
    }
    .corrupted("no guard");
    assert!(corrupted > 50, "{corrupted} seeds");
}

#[test]
fn one_flag_for_all_slots_is_wrong() {
    let corrupted = Guard {
        flag: "0u",
        ..RIGHT
    }
    .corrupted("one flag for all slots");
    assert!(corrupted > 10, "{corrupted} seeds");
}

#[test]
fn a_release_by_whoever_comes_is_wrong() {
    let corrupted = Guard {
        releases: "true",
        ..RIGHT
    }
    .corrupted("release by whoever comes");
    assert!(corrupted > 10, "{corrupted} seeds");
}

/// The old value of a weak compare-exchange does not tell whether the exchange happened.
#[test]
fn the_old_value_is_no_proof_of_the_lock() {
    let trusting = Guard {
        is_taken: "exchange.old_value == 0u",
        ..RIGHT
    };
    assert_eq!(
        trusting.corrupted("old value, no spurious failures"),
        0,
        "without spurious failures it holds"
    );
    let corrupted = Guard {
        spurious_failures: 0.5,
        ..trusting
    }
    .corrupted("old value");
    assert!(corrupted > 10, "{corrupted} seeds");
}

#[test]
fn without_a_shortcut_it_holds() {
    assert_eq!(RIGHT.corrupted("no shortcut, no spurious failures"), 0);
    let spurious = Guard {
        spurious_failures: 0.5,
        ..RIGHT
    };
    assert_eq!(spurious.corrupted("no shortcut"), 0);
}
