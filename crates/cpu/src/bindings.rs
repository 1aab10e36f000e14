//! Bind groups, and the resolution of a kernel's resources to bindings.
//!
//! In: the resources of a kernel and the groups that are set. Out: views in the order that the kernel expects
//! ([`ResolvedBindings`]), or an error that names group, binding and variable. A view covers exactly the bound range,
//! because out-of-bounds checks are relative to it. No view is larger than [`MAX_BINDING_SIZE`]; [`check_sizes`] checks
//! the same for views that callers have created, so that no engine ever gets a larger one.

use std::ops::Range;

use anywarp_execution::{
    Arguments, BufferView, Elements, Resource, ResourceKind, TextureBinding, TextureView,
};

use anywarp_program::units::{Bytes, MAX_BINDING_SIZE, Words};

use crate::{BindingError, Buffer, ViewedTexture};

/// Whether a binding has a dynamic offset, which is given each time that the group is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetKind {
    /// The offset is part of the group.
    Fixed,
    /// A dynamic offset is added to the group's offset.
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

/// A texture at a binding number.
#[derive(Clone, Debug)]
pub struct BoundTexture {
    /// `@binding`.
    pub binding: u32,
    /// The view.
    pub texture: ViewedTexture,
}

/// The buffers and textures of one `@group`, by binding number. Several with the same number are the
/// elements of an array.
#[derive(Debug, Default)]
pub struct BindGroup {
    buffers: Vec<BoundBuffer>,
    textures: Vec<BoundTexture>,
}

impl BindGroup {
    /// Collects buffers, in any order; elements of an array in theirs.
    pub fn new(buffers: Vec<BoundBuffer>) -> Self {
        Self::with_textures(buffers, Vec::new())
    }

    /// Collects buffers and textures, in any order; elements of an array in theirs.
    pub fn with_textures(mut buffers: Vec<BoundBuffer>, mut textures: Vec<BoundTexture>) -> Self {
        buffers.sort_by_key(|bound| bound.binding);
        textures.sort_by_key(|bound| bound.binding);
        Self { buffers, textures }
    }

    /// The buffers, in the order of their binding numbers.
    pub fn buffers(&self) -> &[BoundBuffer] {
        &self.buffers
    }

    /// The textures, in the order of their binding numbers.
    pub fn textures(&self) -> &[BoundTexture] {
        &self.textures
    }

    /// The buffers at a binding number, and how many dynamic offsets come before theirs.
    fn find(&self, binding: u32) -> (&[BoundBuffer], usize) {
        let first = self
            .buffers
            .partition_point(|bound| bound.binding < binding);
        let end = self
            .buffers
            .partition_point(|bound| bound.binding <= binding);
        let is_dynamic = |bound: &&BoundBuffer| bound.offset_kind == OffsetKind::Dynamic;
        let dynamics_before = self.buffers[..first].iter().filter(is_dynamic).count();
        (&self.buffers[first..end], dynamics_before)
    }

    fn find_textures(&self, binding: u32) -> &[BoundTexture] {
        let first = self
            .textures
            .partition_point(|bound| bound.binding < binding);
        let end = self
            .textures
            .partition_point(|bound| bound.binding <= binding);
        &self.textures[first..end]
    }
}

/// A bind group as set in a pass, with its dynamic offsets.
#[derive(Clone, Copy, Debug)]
pub struct BoundGroup<'a> {
    /// The group.
    pub group: &'a BindGroup,
    /// One offset for each dynamic binding, in the order of binding numbers; a missing one is zero.
    pub dynamic_offsets: &'a [u32],
}

/// The bindings of a kernel: views of buffers and textures in the kernel's order.
#[derive(Debug, Default)]
pub struct ResolvedBindings<'a> {
    buffers: Vec<BufferView<'a>>,
    textures: Vec<TextureView<'a>>,
    arrays: Vec<Range<u32>>,
}

impl ResolvedBindings<'_> {
    /// The arguments of a dispatch.
    pub fn arguments<'v>(
        &'v self,
        immediates: &'v [u32],
        workgroup_count: [u32; 3],
    ) -> Arguments<'v> {
        Arguments {
            buffers: &self.buffers,
            textures: &self.textures,
            arrays: &self.arrays,
            immediates,
            workgroup_count,
        }
    }
}

/// Resolves the resources of a kernel to bindings; overwrites `views`.
///
/// `groups` is indexed by `@group`.
pub fn resolve_bindings<'a>(
    resources: &[Resource],
    groups: &[Option<BoundGroup<'a>>],
    views: &mut ResolvedBindings<'a>,
) -> Result<(), BindingError> {
    *views = ResolvedBindings::default();
    let group = |resource: &Resource| groups.get(resource.group as usize).copied().flatten();
    let is_single = |resource: &&Resource| resource.elements == Elements::Single;
    for resource in resources.iter().filter(is_single) {
        views.add(resource, group(resource), 1)?;
    }
    for resource in resources.iter().filter(|resource| !is_single(resource)) {
        let most = match resource.elements {
            Elements::Exactly(count) => count as usize,
            Elements::Single | Elements::Any => usize::MAX,
        };
        let elements = views.add(resource, group(resource), most)?;
        views.arrays.push(elements);
    }
    Ok(())
}

impl<'a> ResolvedBindings<'a> {
    /// Adds up to `most` bindings of a resource, and returns their range of indices.
    fn add(
        &mut self,
        resource: &Resource,
        group: Option<BoundGroup<'a>>,
        most: usize,
    ) -> Result<Range<u32>, BindingError> {
        let missing = || BindingError::Missing {
            name: resource.name.clone(),
            group: resource.group,
            binding: resource.binding,
        };
        let set = group.ok_or_else(missing)?;
        let (start, end) = match resource.kind {
            ResourceKind::Uniform | ResourceKind::Storage => {
                let start = self.buffers.len();
                let (bound, dynamics_before) = set.group.find(resource.binding);
                let dynamic = set.dynamic_offsets.get(dynamics_before).copied();
                for bound in bound.iter().take(most) {
                    self.buffers.push(view(resource, bound, dynamic)?);
                }
                (start, self.buffers.len())
            }
            ResourceKind::Texture(wanted) => {
                let start = self.textures.len();
                for bound in set.group.find_textures(resource.binding).iter().take(most) {
                    self.textures.push(texture(resource, wanted, bound)?);
                }
                (start, self.textures.len())
            }
        };
        if start == end {
            return Err(missing());
        }
        // Far fewer than 2^32 fit into memory.
        Ok(start as u32..end as u32)
    }
}

fn texture<'a>(
    resource: &Resource,
    wanted: TextureBinding,
    bound: &'a BoundTexture,
) -> Result<TextureView<'a>, BindingError> {
    let checked = wanted.check(bound.texture.view());
    checked.map_err(|mismatch| BindingError::TextureMismatch {
        name: resource.name.clone(),
        group: resource.group,
        binding: resource.binding,
        mismatch,
    })?;
    Ok(bound.texture.for_kernel(resource.access))
}

fn view<'a>(
    resource: &Resource,
    bound: &'a BoundBuffer,
    dynamic_offset: Option<u32>,
) -> Result<BufferView<'a>, BindingError> {
    let (name, group, binding) = (|| resource.name.clone(), resource.group, resource.binding);
    if bound.size < resource.min_size {
        return Err(BindingError::TooSmall {
            name: name(),
            group,
            binding,
            needed: resource.min_size,
            bound: bound.size,
        });
    }
    if Bytes(bound.size) > MAX_BINDING_SIZE {
        return Err(too_large(resource, Bytes(bound.size)));
    }
    let moved = match bound.offset_kind {
        OffsetKind::Fixed => 0,
        OffsetKind::Dynamic => dynamic_offset.unwrap_or(0),
    };
    let offset = bound.offset.saturating_add(u64::from(moved));
    let end = offset.saturating_add(bound.size);
    if end > bound.buffer.size() || !offset.is_multiple_of(4) {
        return Err(BindingError::OutOfRange {
            name: name(),
            group,
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

pub(crate) fn too_large(resource: &Resource, Bytes(bound): Bytes) -> BindingError {
    BindingError::TooLarge {
        name: resource.name.clone(),
        group: resource.group,
        binding: resource.binding,
        bound,
        limit: MAX_BINDING_SIZE.0,
    }
}

/// Checks that all buffers of a dispatch can be addressed; the error names the first one that cannot.
pub(crate) fn check_sizes(
    resources: &[Resource],
    arguments: &Arguments<'_>,
) -> Result<(), BindingError> {
    let bytes = |view: &BufferView<'_>| Words::of(view.words).bytes();
    let oversized = arguments
        .buffers
        .iter()
        .enumerate()
        .filter(|(_, view)| bytes(view) > MAX_BINDING_SIZE);
    for (index, view) in oversized {
        // A kernel may not use all bindings.
        if let Some(resource) = resource_at(resources, arguments, index) {
            return Err(too_large(resource, bytes(view)));
        }
    }
    Ok(())
}

/// The resource of a buffer, by the buffer's index.
fn resource_at<'r>(
    resources: &'r [Resource],
    arguments: &Arguments<'_>,
    index: usize,
) -> Option<&'r Resource> {
    let is_buffer = |resource: &&Resource| !matches!(resource.kind, ResourceKind::Texture(_));
    let is_single = |resource: &&Resource| resource.elements == Elements::Single;
    // Single buffers come first, then the elements of arrays.
    let mut singles = resources.iter().filter(is_buffer).filter(is_single);
    let arrays = resources.iter().filter(|resource| !is_single(resource));
    let mut arrays = arrays.zip(arguments.arrays);
    let contains = |range: &Range<u32>| (range.start as usize..range.end as usize).contains(&index);
    singles.nth(index).or_else(|| {
        arrays
            .find(|(resource, range)| is_buffer(resource) && contains(range))
            .map(|(resource, _)| resource)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use anywarp_execution::Access;

    use super::*;

    fn resource(group: u32, binding: u32, min_size: u64) -> Resource {
        Resource {
            group,
            binding,
            name: format!("v{binding}"),
            kind: ResourceKind::Storage,
            elements: Elements::Single,
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

    /// A buffer with words that count from zero.
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
        let mut views = ResolvedBindings::default();
        resolve_bindings(&resources, &[None, Some(set)], &mut views).unwrap();
        let firsts: Vec<_> = views
            .buffers
            .iter()
            .map(|view| (view.words[0].load(Ordering::Relaxed), view.words.len()))
            .collect();
        assert_eq!(firsts, [(9, 2), (3, 2), (4, 2)]);
    }

    #[test]
    fn errors_name_the_binding() {
        let buffer = counting();
        let group = BindGroup::new(vec![bound(0, &buffer, 0, OffsetKind::Dynamic)]);
        let set = |dynamic_offsets| {
            [Some(BoundGroup {
                group: &group,
                dynamic_offsets,
            })]
        };
        let message = |resource: Resource, groups: &[Option<BoundGroup<'_>>]| {
            resolve_bindings(&[resource], groups, &mut ResolvedBindings::default())
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
            "`v0` at @group(0) @binding(0) is bound to bytes 60 to 68, outside its buffer of 64 bytes"
        );
    }
}
