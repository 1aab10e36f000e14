//! WGSL generation: the declarations that a user's shader includes, the guard, and the staging
//! passes.
//!
//! In: the lock layout and the binding numbers. Out: WGSL text. The struct declarations come from
//! [`layout`](crate::layout).

use std::fmt::Write;

use crate::layout::{LockLayout, STATUS_WORDS, info_wgsl};

/// The group and binding numbers of the batch's own bindings in the user's shader.
///
/// All are in one bind group; [`BatchSlots`](crate::BatchSlots::bind_group_layout) creates its
/// layout and the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchBindings {
    /// Index of the bind group.
    pub group: u32,
    /// Binding of the lock buffer.
    pub lock: u32,
    /// Binding of the batch's info words.
    pub info: u32,
    /// Binding of the batch's parameters, a uniform that the user's shader declares. Unused when
    /// the parameters have no bytes.
    pub params: u32,
}

impl Default for BatchBindings {
    fn default() -> Self {
        Self {
            group: 0,
            lock: 0,
            info: 1,
            params: 2,
        }
    }
}

impl BatchBindings {
    /// The WGSL text that a user's shader includes.
    ///
    /// It declares `batch_lock` and `batch` at these bindings, `batch_is_active()`, which every
    /// entry point must check first, and `batch_slot_is_active(slot)`, which reads the flag of any
    /// slot in the lock.
    ///
    /// ```
    /// use anywarp_batch::{BatchBindings, LockLayout};
    /// let text = BatchBindings::default().wgsl(LockLayout::new(2));
    /// assert!(text.contains("fn batch_is_active() -> bool"));
    /// ```
    pub fn wgsl(&self, layout: LockLayout) -> String {
        let Self {
            group, lock, info, ..
        } = self;
        let mut text = layout.wgsl() + &info_wgsl();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "@group({group}) @binding({lock}) var<storage, read_write> batch_lock: BatchLock;
@group({group}) @binding({info}) var<uniform> batch: BatchInfo;
fn batch_slot_is_active(slot: u32) -> bool {{
    return atomicLoad(&batch_lock.batch_active[slot]) != 0u;
}}
fn batch_is_active() -> bool {{
    return batch.is_active != 0u;
}}
"
        );
        text
    }
}

/// The bindings in the shaders of this crate.
pub(crate) const OWN_BINDINGS: BatchBindings = BatchBindings {
    group: 0,
    lock: 0,
    info: 1,
    params: 2,
};

/// How often the guard retries when the compare-exchange fails spuriously although the lock is
/// free. If all tries fail, the batch is skipped and submitted again.
const LOCK_RETRIES: u32 = 1000;

/// The maximum workgroup size of a copy.
pub(crate) const COPY_WORKGROUP_SIZE: u32 = 256;

/// How many words each invocation of a copy moves, where there are enough.
pub(crate) const WORDS_PER_INVOCATION: u32 = 4;

/// The guard pass, one invocation. It is the only pass that writes to the batch's info words.
///
/// A batch whose ticket is not next never touches the lock, since it could make the batch with the
/// next ticket fail. `next_ticket` can be read before the lock is taken, because it changes only
/// when the batch with exactly that ticket releases the lock.
pub(crate) fn guard(layout: LockLayout) -> String {
    layout.wgsl()
        + &info_wgsl()
        + &format!(
            "
@group(0) @binding(0) var<storage, read_write> batch_lock: BatchLock;
@group(0) @binding(1) var<storage, read_write> batch: BatchInfo;
@compute @workgroup_size(1)
fn guard() {{
    var is_active = 0u;
    if batch.ordered != 0u && atomicLoad(&batch_lock.next_ticket[batch.sequence]) != batch.ticket {{
        atomicAdd(&batch_lock.early_count, 1u);
    }} else {{
        for (var tries = 0u; tries < {LOCK_RETRIES}u; tries++) {{
            let exchange = atomicCompareExchangeWeak(&batch_lock.lock, 0u, 1u);
            if exchange.exchanged {{
                is_active = 1u;
                break;
            }}
            if exchange.old_value != 0u {{
                break;
            }}
            atomicAdd(&batch_lock.spurious_count, 1u);
        }}
    }}
    atomicStore(&batch_lock.batch_active[batch.slot], is_active);
    batch.is_active = is_active;
    if is_active == 0u {{
        atomicAdd(&batch_lock.collision_count, 1u);
    }}
}}
"
        )
}

/// The declarations of passes that copy results: the range, in words.
const RANGE: &str = "
override SOURCE: u32;
override TARGET: u32;
override WORDS: u32;
@group(0) @binding(2) var<storage, read_write> staging: array<u32>;
@group(1) @binding(0) var<storage, read> results: array<u32>;
";

/// The copy of a large result range, over many workgroups.
///
/// The copy and the release are separate dispatches because a barrier does not synchronize
/// different workgroups. Both bind the lock as writable, so every device orders one after the
/// other.
pub(crate) fn copy(layout: LockLayout) -> String {
    OWN_BINDINGS.wgsl(layout)
        + RANGE
        + &format!(
            "
@compute @workgroup_size({COPY_WORKGROUP_SIZE})
fn copy_results(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {{
    if !batch_is_active() {{
        return;
    }}
    for (var i = id.x; i < WORDS; i += workgroups.x * {COPY_WORKGROUP_SIZE}u) {{
        staging[TARGET + i] = results[SOURCE + i];
    }}
}}
"
        )
}

/// What the releasing dispatch does besides the release: it may copy a result range that is small
/// enough for one workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReleasePass {
    Copies {
        /// Words of the range.
        words: u64,
    },
    OnlyReleases,
}

impl ReleasePass {
    /// The workgroup size: on a software device each invocation has a cost.
    fn width(self) -> u32 {
        match self {
            Self::Copies { words } => {
                let width = words
                    .div_ceil(u64::from(WORDS_PER_INVOCATION))
                    .next_power_of_two();
                // At most `COPY_WORKGROUP_SIZE`, which is 32 bits.
                width.min(u64::from(COPY_WORKGROUP_SIZE)) as u32
            }
            Self::OnlyReleases => 1,
        }
    }
}

/// The releasing pass, one workgroup.
///
/// Only the batch that holds the lock releases it: a slot is active if and only if its batch holds
/// the lock. The barrier orders the copied results before the release.
pub(crate) fn release(layout: LockLayout, last: ReleasePass) -> String {
    let mut text = OWN_BINDINGS.wgsl(layout);
    text += match last {
        ReleasePass::Copies { .. } => RANGE,
        ReleasePass::OnlyReleases => {
            "@group(0) @binding(2) var<storage, read_write> staging: array<u32>;\n"
        }
    };
    let width = last.width();
    let _ = write!(
        text,
        "
@compute @workgroup_size({width})
fn release(@builtin(local_invocation_index) lane: u32) {{
    let is_active = batch_is_active();
"
    );
    if last != ReleasePass::OnlyReleases {
        let _ = write!(
            text,
            "    if is_active {{
        for (var i = lane; i < WORDS; i += {width}u) {{
            staging[TARGET + i] = results[SOURCE + i];
        }}
    }}
    workgroupBarrier();
    storageBarrier();
"
        );
    }
    text += "    if lane != 0u {
        return;
    }
    if is_active {
        atomicAdd(&batch_lock.applied_count, 1u);
        if batch.ordered != 0u {
            atomicAdd(&batch_lock.next_ticket[batch.sequence], 1u);
        }
    }
";
    for (place, word) in STATUS_WORDS.iter().enumerate() {
        let value = match *word {
            "serial" => "batch.serial".to_owned(),
            "applied" => "select(0u, 1u, is_active)".to_owned(),
            counter => format!("atomicLoad(&batch_lock.{counter})"),
        };
        let _ = writeln!(text, "    staging[{place}] = {value};");
    }
    text + "    if is_active {
        atomicStore(&batch_lock.batch_active[batch.slot], 0u);
        atomicStore(&batch_lock.lock, 0u);
    }
}
"
}
