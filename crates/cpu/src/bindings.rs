//! Bind groups, and the search for what a kernel needs in them.
//!
//! In: the resources of a kernel and the groups that are set. Out: one view per resource, in the
//! kernel's order, or an error that names group, binding and variable. A view covers the bound range
//! and not a byte more: that range is what out-of-bounds checks are about.

use anywarp_interpret::{BufferView, Resource};

use crate::{BindingError, Buffer};

/// Whether a binding takes an offset of its own each time the group is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetKind {
    /// The offset is part of the group.
    Fixed,
    /// A dynamic offset is added to it.
    Dynamic,
}

/// A range of a buffer at a binding number.
#[derive(Clone, Debug)]
pub struct BoundBuffer {
    /// `@binding`.
    pub binding: u32,
    /// The buffer.
    pub buffer: Buffer,
    /// The first byte that is bound.
    pub offset: u64,
    /// Bytes that are bound.
    pub size: u64,
    /// Whether a dynamic offset is added.
    pub offset_kind: OffsetKind,
}

/// The buffers of one `@group`, by binding number.
#[derive(Debug, Default)]
pub struct BindGroup {
    buffers: Vec<BoundBuffer>,
}

impl BindGroup {
    /// Collects buffers, in any order.
    pub fn new(mut buffers: Vec<BoundBuffer>) -> Self {
        buffers.sort_by_key(|bound| bound.binding);
        Self { buffers }
    }

    /// The buffers, in the order of their binding numbers.
    pub fn buffers(&self) -> &[BoundBuffer] {
        &self.buffers
    }

    fn find(&self, binding: u32) -> Option<(&BoundBuffer, usize)> {
        let index = self
            .buffers
            .binary_search_by_key(&binding, |bound| bound.binding);
        let index = index.ok()?;
        let is_dynamic = |bound: &&BoundBuffer| bound.offset_kind == OffsetKind::Dynamic;
        let dynamics_before = self.buffers[..index].iter().filter(is_dynamic).count();
        Some((&self.buffers[index], dynamics_before))
    }
}

/// A group that is set, with its dynamic offsets.
#[derive(Clone, Copy, Debug)]
pub struct BoundGroup<'a> {
    /// The group.
    pub group: &'a BindGroup,
    /// One offset for each dynamic binding, in the order of binding numbers; a missing one is zero.
    pub dynamic_offsets: &'a [u32],
}

/// Finds what a kernel needs; `views` is overwritten with one view per resource.
///
/// `groups` is indexed by `@group`.
pub fn resolve<'a>(
    resources: &[Resource],
    groups: &[Option<BoundGroup<'a>>],
    views: &mut Vec<BufferView<'a>>,
) -> Result<(), BindingError> {
    views.clear();
    for resource in resources {
        let group = groups.get(resource.group as usize).copied().flatten();
        views.push(view(resource, group)?);
    }
    Ok(())
}

fn view<'a>(
    resource: &Resource,
    group: Option<BoundGroup<'a>>,
) -> Result<BufferView<'a>, BindingError> {
    let (name, group_index, binding) = (|| resource.name.clone(), resource.group, resource.binding);
    let found = group.and_then(|set| Some((set, set.group.find(binding)?)));
    let Some((set, (bound, dynamics_before))) = found else {
        return Err(BindingError::Missing {
            name: name(),
            group: group_index,
            binding,
        });
    };
    if bound.size < resource.min_size {
        return Err(BindingError::TooSmall {
            name: name(),
            group: group_index,
            binding,
            needed: resource.min_size,
            bound: bound.size,
        });
    }
    let moved = match bound.offset_kind {
        OffsetKind::Fixed => 0,
        OffsetKind::Dynamic => set
            .dynamic_offsets
            .get(dynamics_before)
            .copied()
            .unwrap_or(0),
    };
    let offset = bound.offset.saturating_add(u64::from(moved));
    let end = offset.saturating_add(bound.size);
    if end > bound.buffer.size() || !offset.is_multiple_of(4) {
        return Err(BindingError::OutOfRange {
            name: name(),
            group: group_index,
            binding,
            offset,
            end,
            size: bound.buffer.size(),
        });
    }
    Ok(BufferView {
        words: bound.buffer.words(offset..end, resource.access),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use anywarp_interpret::{Access, ResourceKind};

    use super::*;

    fn resource(group: u32, binding: u32, min_size: u64) -> Resource {
        Resource {
            group,
            binding,
            name: format!("v{binding}"),
            kind: ResourceKind::Storage,
            access: Access::Read,
            min_size,
        }
    }

    fn bound(binding: u32, buffer: &Buffer, offset: u64, offset_kind: OffsetKind) -> BoundBuffer {
        BoundBuffer {
            binding,
            buffer: buffer.clone(),
            offset,
            size: 8,
            offset_kind,
        }
    }

    /// A buffer whose words count from zero.
    fn counting() -> Buffer {
        let buffer = Buffer::new(64).unwrap();
        for (i, word) in buffer.words(0..64, Access::ReadWrite).iter().enumerate() {
            word.store(i as u32, Ordering::Relaxed);
        }
        buffer
    }

    #[test]
    fn dynamic_offsets_follow_binding_order() {
        let buffer = counting();
        let group = BindGroup::new(vec![
            bound(5, &buffer, 4, OffsetKind::Dynamic),
            bound(1, &buffer, 0, OffsetKind::Dynamic),
            bound(3, &buffer, 12, OffsetKind::Fixed),
        ]);
        let set = BoundGroup {
            group: &group,
            dynamic_offsets: &[16, 32],
        };
        let resources = [resource(1, 5, 4), resource(1, 3, 8), resource(1, 1, 0)];
        let mut views = Vec::new();
        resolve(&resources, &[None, Some(set)], &mut views).unwrap();
        let firsts: Vec<_> = views
            .iter()
            .map(|view| (view.words[0].load(Ordering::Relaxed), view.words.len()))
            .collect();
        assert_eq!(firsts, [(9, 2), (3, 2), (4, 2)]);
    }

    #[test]
    fn errors_name_the_place() {
        let buffer = counting();
        let group = BindGroup::new(vec![bound(0, &buffer, 0, OffsetKind::Dynamic)]);
        let set = |dynamic_offsets| {
            [Some(BoundGroup {
                group: &group,
                dynamic_offsets,
            })]
        };
        let message = |resource: Resource, groups: &[Option<BoundGroup<'_>>]| {
            resolve(&[resource], groups, &mut Vec::new())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message(resource(0, 2, 4), &set(&[])),
            "nothing is bound for `v2` at @group(0) @binding(2)"
        );
        assert_eq!(
            message(resource(3, 0, 4), &set(&[])),
            "nothing is bound for `v0` at @group(3) @binding(0)"
        );
        assert_eq!(
            message(resource(0, 0, 12), &set(&[])),
            "`v0` at @group(0) @binding(0) needs 12 bytes, but 8 are bound"
        );
        assert_eq!(
            message(resource(0, 0, 4), &set(&[60])),
            "`v0` at @group(0) @binding(0) is bound to bytes 60 to 68 of a buffer of 64 bytes"
        );
    }
}
