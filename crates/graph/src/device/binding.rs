//! Matches the user's buffers with the bindings that node code uses.
//!
//! In: the modules of nodes, and buffers by group and binding. Out: a bind group layout and a bind
//! group for each group, or a [`BindingError`] that names the node and its variable. What always
//! holds: the layouts have exactly the bindings that some node uses, as that node declares them.

use std::collections::BTreeMap;

use anywarp_program::naga::{AddressSpace, GlobalVariable, Module, StorageAccess};

use crate::layout::RUNTIME_GROUP;
use crate::model::{Graph, NodeId};
use crate::shader::NodeShader;

/// Why the bindings of a graph do not match its nodes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindingError {
    /// A node uses a binding that has no buffer.
    #[error("node `{node}`: `{variable}` (group {group}, binding {binding}) is not bound")]
    Missing {
        /// The node.
        node: NodeId,
        /// The variable in its code.
        variable: String,
        /// The bind group.
        group: u32,
        /// The binding.
        binding: u32,
    },
    /// No node uses the binding.
    #[error("no node uses group {group}, binding {binding}")]
    Unused {
        /// The bind group.
        group: u32,
        /// The binding.
        binding: u32,
    },
    /// Two resources have the same binding.
    #[error("group {group}, binding {binding} is bound twice")]
    Duplicate {
        /// The bind group.
        group: u32,
        /// The binding.
        binding: u32,
    },
    /// A whole bind group was given for a group that also has single buffers, or twice.
    #[error("group {group} is bound twice")]
    DuplicateGroup {
        /// The bind group.
        group: u32,
    },
    /// The group belongs to the runtime.
    #[error("group {group} belongs to the graph; use groups 0 to 2")]
    ReservedGroup {
        /// The bind group.
        group: u32,
    },
    /// The variable is a texture or a sampler.
    #[error(
        "node `{node}`: `{variable}` (group {group}, binding {binding}) is not a buffer; give a whole bind group with `bind_group`"
    )]
    NotABuffer {
        /// The node.
        node: NodeId,
        /// The variable in its code.
        variable: String,
        /// The bind group.
        group: u32,
        /// The binding.
        binding: u32,
    },
    /// The buffer cannot be bound as the variable is declared.
    #[error(
        "node `{node}`: the buffer of `{variable}` (group {group}, binding {binding}) lacks the usage {usage}"
    )]
    Usage {
        /// The node.
        node: NodeId,
        /// The variable in its code.
        variable: String,
        /// The bind group.
        group: u32,
        /// The binding.
        binding: u32,
        /// The name of the missing usage.
        usage: &'static str,
    },
    /// The buffer is smaller than the variable's type.
    #[error(
        "node `{node}`: `{variable}` (group {group}, binding {binding}) needs {needed} bytes, but its buffer has {given}"
    )]
    TooSmall {
        /// The node.
        node: NodeId,
        /// The variable in its code.
        variable: String,
        /// The bind group.
        group: u32,
        /// The binding.
        binding: u32,
        /// The size of its type in bytes; of an array without a size, that of one element.
        needed: u64,
        /// The size of the buffer in bytes.
        given: u64,
    },
    /// Two nodes declare a binding differently.
    #[error(
        "group {group}, binding {binding} is {first_type} in node `{first}`, but {second_type} in node `{second}`"
    )]
    Conflict {
        /// The bind group.
        group: u32,
        /// The binding.
        binding: u32,
        /// A node.
        first: NodeId,
        /// Its declaration, without name and type.
        first_type: &'static str,
        /// Another node.
        second: NodeId,
        /// Its declaration, without name and type.
        second_type: &'static str,
    },
}

/// Where a resource is bound: group and binding.
type Point = (u32, u32);

/// How a buffer is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BufferDeclaration {
    Uniform,
    ReadOnly,
    ReadWrite,
}

impl BufferDeclaration {
    /// `None` for variables that are not buffers.
    fn of(variable: &GlobalVariable) -> Option<Self> {
        match variable.space {
            AddressSpace::Uniform => Some(Self::Uniform),
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                Some(Self::ReadWrite)
            }
            AddressSpace::Storage { .. } => Some(Self::ReadOnly),
            _ => None,
        }
    }

    fn wgsl(self) -> &'static str {
        match self {
            Self::Uniform => "`var<uniform>`",
            Self::ReadOnly => "`var<storage, read>`",
            Self::ReadWrite => "`var<storage, read_write>`",
        }
    }

    fn layout(self) -> wgpu::BindingType {
        use wgpu::BufferBindingType as Type;
        wgpu::BindingType::Buffer {
            ty: match self {
                Self::Uniform => Type::Uniform,
                Self::ReadOnly => Type::Storage { read_only: true },
                Self::ReadWrite => Type::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        }
    }

    fn usage(self) -> (wgpu::BufferUsages, &'static str) {
        match self {
            Self::Uniform => (wgpu::BufferUsages::UNIFORM, "UNIFORM"),
            Self::ReadOnly | Self::ReadWrite => (wgpu::BufferUsages::STORAGE, "STORAGE"),
        }
    }
}

/// A variable that a node uses.
struct UsedVariable<'a> {
    node: &'a NodeId,
    name: String,
    point: Point,
    /// `None` if it is not a buffer.
    declaration: Option<BufferDeclaration>,
    /// The size of its type in bytes.
    bytes: u64,
}

impl UsedVariable<'_> {
    /// Checks that a buffer can be bound, and returns its declaration.
    fn check(&self, buffer: &wgpu::Buffer) -> Result<BufferDeclaration, BindingError> {
        let (group, binding) = self.point;
        let (node, variable) = (self.node.clone(), self.name.clone());
        let Some(declaration) = self.declaration else {
            return Err(BindingError::NotABuffer {
                node,
                variable,
                group,
                binding,
            });
        };
        let (needed_usage, usage) = declaration.usage();
        if !buffer.usage().contains(needed_usage) {
            return Err(BindingError::Usage {
                node,
                variable,
                group,
                binding,
                usage,
            });
        }
        if buffer.size() < self.bytes {
            return Err(BindingError::TooSmall {
                node,
                variable,
                group,
                binding,
                needed: self.bytes,
                given: buffer.size(),
            });
        }
        Ok(declaration)
    }
}

/// The variables in groups of the user that a node's entry point uses.
fn used_variables<'a>(node: &'a NodeId, shader: &NodeShader) -> Vec<UsedVariable<'a>> {
    let program = shader.program();
    let module: &Module = program.module();
    let uses = program.info().get_entry_point(0);
    let variables = module.global_variables.iter();
    let used = variables.filter_map(|(handle, variable)| {
        let at = variable.binding.as_ref()?;
        if at.group >= RUNTIME_GROUP || uses[handle].is_empty() {
            return None;
        }
        let bytes = module.types[variable.ty].inner.size(module.to_ctx());
        Some(UsedVariable {
            node,
            name: variable.name.clone().unwrap_or_default(),
            point: (at.group, at.binding),
            declaration: BufferDeclaration::of(variable),
            bytes: bytes.into(),
        })
    });
    used.collect()
}

/// The resources that the user binds.
#[derive(Clone, Debug, Default)]
pub(super) struct UserBindings {
    pub(super) buffers: Vec<(Point, wgpu::Buffer)>,
    pub(super) groups: Vec<(u32, wgpu::BindGroupLayout, wgpu::BindGroup)>,
}

/// The layouts and bind groups from group 0 on.
#[derive(Default)]
pub(super) struct BoundGroups {
    pub(super) layouts: Vec<wgpu::BindGroupLayout>,
    pub(super) groups: Vec<wgpu::BindGroup>,
}

impl UserBindings {
    /// Matches the resources with the variables of nodes.
    pub(super) fn resolve(
        &self,
        device: &wgpu::Device,
        graph: &Graph,
        shaders: &[NodeShader],
    ) -> Result<BoundGroups, BindingError> {
        let buffers = self.by_point()?;
        let declared = self.declarations(graph, shaders, &buffers)?;
        if let Some(&(group, binding)) = buffers.keys().find(|point| !declared.contains_key(point))
        {
            return Err(BindingError::Unused { group, binding });
        }
        let mut bound = BoundGroups::default();
        let whole = self.groups.iter().map(|(group, ..)| *group);
        let single = buffers.keys().map(|(group, _)| *group);
        let count = whole.chain(single).max().map_or(0, |last| last + 1);
        for group in 0..count {
            if let Some((_, layout, made)) = self.groups.iter().find(|(at, ..)| *at == group) {
                bound.layouts.push(layout.clone());
                bound.groups.push(made.clone());
                continue;
            }
            let members = declared.range((group, 0)..=(group, u32::MAX));
            let members: Vec<_> = members
                .filter_map(|(point, (declaration, _))| {
                    Some((point.1, *declaration, *buffers.get(point)?))
                })
                .collect();
            bound.add(device, graph.name(), &members);
        }
        Ok(bound)
    }

    /// The buffers by group and binding, each once.
    fn by_point(&self) -> Result<BTreeMap<Point, &wgpu::Buffer>, BindingError> {
        for (index, (group, ..)) in self.groups.iter().enumerate() {
            let group = *group;
            if group >= RUNTIME_GROUP {
                return Err(BindingError::ReservedGroup { group });
            }
            let is_earlier = self.groups[..index].iter().any(|(at, ..)| *at == group);
            if is_earlier || self.buffers.iter().any(|((at, _), _)| *at == group) {
                return Err(BindingError::DuplicateGroup { group });
            }
        }
        let mut buffers = BTreeMap::new();
        for (point, buffer) in &self.buffers {
            let (group, binding) = *point;
            if group >= RUNTIME_GROUP {
                return Err(BindingError::ReservedGroup { group });
            }
            if buffers.insert(*point, buffer).is_some() {
                return Err(BindingError::Duplicate { group, binding });
            }
        }
        Ok(buffers)
    }

    /// How each binding is declared, and by which node first.
    fn declarations<'a>(
        &self,
        graph: &'a Graph,
        shaders: &[NodeShader],
        buffers: &BTreeMap<Point, &wgpu::Buffer>,
    ) -> Result<BTreeMap<Point, (BufferDeclaration, &'a NodeId)>, BindingError> {
        let mut declared = BTreeMap::<Point, (BufferDeclaration, &NodeId)>::new();
        for (node, shader) in graph.nodes().iter().zip(shaders) {
            for variable in used_variables(&node.id, shader) {
                let (group, binding) = variable.point;
                if self.groups.iter().any(|(whole, ..)| *whole == group) {
                    continue;
                }
                let buffer = buffers.get(&variable.point);
                let buffer = buffer.ok_or_else(|| BindingError::Missing {
                    node: node.id.clone(),
                    variable: variable.name.clone(),
                    group,
                    binding,
                })?;
                let declaration = variable.check(buffer)?;
                let entry = declared.entry(variable.point);
                let &mut (known, first) = entry.or_insert((declaration, &node.id));
                if known != declaration {
                    return Err(BindingError::Conflict {
                        group,
                        binding,
                        first: first.clone(),
                        first_type: known.wgsl(),
                        second: node.id.clone(),
                        second_type: declaration.wgsl(),
                    });
                }
            }
        }
        Ok(declared)
    }
}

impl BoundGroups {
    /// Creates the next group; it may be empty.
    fn add(
        &mut self,
        device: &wgpu::Device,
        label: &str,
        members: &[(u32, BufferDeclaration, &wgpu::Buffer)],
    ) {
        let entries = members
            .iter()
            .map(|(binding, declaration, _)| wgpu::BindGroupLayoutEntry {
                binding: *binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: declaration.layout(),
                count: None,
            });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries.collect::<Vec<_>>(),
        });
        let entries = members
            .iter()
            .map(|(binding, _, buffer)| wgpu::BindGroupEntry {
                binding: *binding,
                resource: buffer.as_entire_binding(),
            });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(label),
            layout: &layout,
            entries: &entries.collect::<Vec<_>>(),
        });
        self.layouts.push(layout);
        self.groups.push(group);
    }
}
