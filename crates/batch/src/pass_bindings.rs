//! Matches the user's buffers with the variables of a pass.
//!
//! In: buffers by group and binding, bind groups of the user, and the variables that an entry point
//! uses. Out: layouts and bind groups for the pass, with the access that its text declares.

use std::collections::{BTreeMap, HashSet};

use naga::{AddressSpace, GlobalVariable, StorageAccess};

use crate::error::{BuildError, PassProblem};
use crate::pass_pipeline::ResolvedGroups;
use crate::pipelines::{layout_of, storage, uniform};
use crate::shader_analysis::ShaderAnalysis;
use crate::slots::BatchSlots;

/// Where a resource is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Point {
    pub(crate) group: u32,
    pub(crate) binding: u32,
}

/// The resources that the user binds for all passes.
#[derive(Clone, Debug, Default)]
pub(crate) struct PassBindings {
    pub(crate) buffers: Vec<(Point, wgpu::Buffer)>,
    pub(crate) groups: Vec<(u32, wgpu::BindGroupLayout, wgpu::BindGroup)>,
}

/// The buffers of a group: layout entries and bindings.
#[derive(Default)]
struct Members<'a> {
    layout: Vec<wgpu::BindGroupLayoutEntry>,
    buffers: Vec<(u32, &'a wgpu::Buffer)>,
}

impl PassBindings {
    /// Checks what does not depend on a pass.
    pub(crate) fn check(&self, own_group: u32) -> Result<(), BuildError> {
        let mut groups = HashSet::new();
        for (group, ..) in &self.groups {
            let is_split = self.buffers.iter().any(|(point, _)| point.group == *group);
            if is_split || !groups.insert(*group) {
                return Err(BuildError::DuplicateGroup { group: *group });
            }
        }
        let mut points = HashSet::new();
        for (point, _) in &self.buffers {
            let Point { group, binding } = *point;
            if !points.insert(*point) {
                return Err(BuildError::DuplicateBinding { group, binding });
            }
            groups.insert(group);
        }
        if groups.contains(&own_group) {
            return Err(BuildError::ReservedGroup { group: own_group });
        }
        Ok(())
    }

    /// Checks that every buffer is used by some pass.
    pub(crate) fn check_used(&self, used: &HashSet<Point>) -> Result<(), BuildError> {
        let mut buffers = self.buffers.iter();
        match buffers.find(|(point, _)| !used.contains(point)) {
            None => Ok(()),
            Some((Point { group, binding }, _)) => Err(BuildError::UnusedBinding {
                group: *group,
                binding: *binding,
            }),
        }
    }

    /// Creates the bind groups of a pass, and notes which bindings it uses.
    pub(crate) fn resolve(
        &self,
        slots: &BatchSlots,
        analysis: &ShaderAnalysis,
        used: &mut HashSet<Point>,
    ) -> Result<ResolvedGroups, PassProblem> {
        let mut members = BTreeMap::<u32, Members<'_>>::new();
        let mut whole = HashSet::new();
        for variable in analysis.variables() {
            let Some(at) = &variable.binding else {
                continue;
            };
            if at.group == slots.bindings().group {
                check_params(slots, analysis, variable, at.binding)?;
                continue;
            }
            if self.groups.iter().any(|(group, ..)| *group == at.group) {
                whole.insert(at.group);
                continue;
            }
            let point = Point {
                group: at.group,
                binding: at.binding,
            };
            let (entry, buffer) = self.member(analysis, variable, point)?;
            used.insert(point);
            let group = members.entry(at.group).or_default();
            group.layout.push(entry);
            group.buffers.push((at.binding, buffer));
        }
        let mut resolved = ResolvedGroups::default();
        for (group, layout, bind_group) in &self.groups {
            if whole.contains(group) {
                resolved.layouts.push((*group, layout.clone()));
                resolved.groups.push((*group, bind_group.clone()));
            }
        }
        for (group, members) in members {
            let (layout, bind_group) = members.create(slots.device());
            resolved.layouts.push((group, layout));
            resolved.groups.push((group, bind_group));
        }
        Ok(resolved)
    }

    /// The buffer of a variable, and how it is bound.
    fn member(
        &self,
        analysis: &ShaderAnalysis,
        variable: &GlobalVariable,
        point: Point,
    ) -> Result<(wgpu::BindGroupLayoutEntry, &wgpu::Buffer), PassProblem> {
        let Point { group, binding } = point;
        let name = || variable.name.clone().unwrap_or_default();
        let found = self.buffers.iter().find(|(at, _)| *at == point);
        let Some((_, buffer)) = found else {
            return Err(PassProblem::MissingBinding {
                variable: name(),
                group,
                binding,
            });
        };
        let (entry, usage, usage_name) = match variable.space {
            AddressSpace::Uniform => (uniform(binding), wgpu::BufferUsages::UNIFORM, "UNIFORM"),
            AddressSpace::Storage { access } => (
                storage(binding, !access.contains(StorageAccess::STORE)),
                wgpu::BufferUsages::STORAGE,
                "STORAGE",
            ),
            _ => {
                return Err(PassProblem::NotABuffer {
                    variable: name(),
                    group,
                    binding,
                });
            }
        };
        if !buffer.usage().contains(usage) {
            return Err(PassProblem::BufferUsage {
                variable: name(),
                group,
                binding,
                usage: usage_name,
            });
        }
        let needed = analysis.size(variable);
        if buffer.size() < needed {
            return Err(PassProblem::BufferSize {
                variable: name(),
                group,
                binding,
                needed,
                given: buffer.size(),
            });
        }
        Ok((entry, buffer))
    }
}

/// Checks the parameters, the only variable of the user in the batch's own group.
fn check_params(
    slots: &BatchSlots,
    analysis: &ShaderAnalysis,
    variable: &GlobalVariable,
    binding: u32,
) -> Result<(), PassProblem> {
    let own = slots.bindings();
    if binding == own.lock || binding == own.info {
        return Ok(());
    }
    let name = variable.name.clone().unwrap_or_default();
    if binding != own.params || slots.params_size() == 0 {
        return Err(PassProblem::MissingBinding {
            variable: name,
            group: own.group,
            binding,
        });
    }
    // Both may have a tail of padding up to the alignment of a uniform.
    let round = |bytes: u64| bytes.next_multiple_of(16);
    let (declared, given) = (analysis.size(variable), u64::from(slots.params_size()));
    if round(declared) == round(given) {
        return Ok(());
    }
    Err(PassProblem::ParamsSize {
        variable: name,
        declared,
        given,
    })
}

impl Members<'_> {
    fn create(self, device: &wgpu::Device) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
        let layout = layout_of(device, "batch pass", &self.layout);
        let entries = self
            .buffers
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: *binding,
                resource: buffer.as_entire_binding(),
            });
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("batch pass"),
            layout: &layout,
            entries: &entries.collect::<Vec<_>>(),
        });
        (layout, bind_group)
    }
}
