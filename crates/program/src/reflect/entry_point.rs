//! Reflection of entry points.
//!
//! In: a module, and naga's analysis of the globals that each entry point uses directly or through calls. Out:
//! [`EntryPoint`]s in the order of declaration.

use naga::{AddressSpace, ArraySize, Module, ShaderStage, TypeInner};

use super::binding::{Binding, sorted};
use super::overrides::{OverrideDefault, RequiredOverrides};
use crate::{Constants, Program, ProgramError};

/// An entry point and the resources it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryPoint {
    /// The name.
    pub name: String,
    /// The shader stage.
    pub stage: ShaderStage,
    /// Invocations per workgroup along each axis; `None` for stages without workgroups.
    pub workgroup_size: Option<WorkgroupSize>,
    /// The resources that it uses, sorted by group and binding.
    pub bindings: Vec<Binding>,
    /// The workgroup memory that it uses.
    pub workgroup_memory: WorkgroupMemory,
    /// Bytes of immediate data (push constants) that it uses.
    pub immediate_size: u32,
}

/// The size of a workgroup.
#[derive(Clone, Debug, PartialEq, Eq)]
// Exhaustive: the size is known or depends on overrides.
pub enum WorkgroupSize {
    /// Constant, or computed from the default values of overrides.
    Known([u32; 3]),
    /// Depends on overrides without a usable default.
    Unresolved {
        /// Names of these overrides.
        overrides: Vec<String>,
    },
}

/// The workgroup memory of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
// Exhaustive: the size is known or depends on overrides.
pub enum WorkgroupMemory {
    /// Size in bytes, each variable rounded up to 16 bytes as in WebGPU.
    Known(u64),
    /// Depends on overrides without a usable default.
    Unresolved {
        /// Names of these overrides.
        overrides: Vec<String>,
    },
}

impl Program {
    /// All entry points, in the order of declaration.
    pub fn entry_points(&self) -> Vec<EntryPoint> {
        let count = self.module().entry_points.len();
        (0..count).map(|index| self.reflect(index)).collect()
    }

    /// The entry point with this name; without a name, the only entry point.
    pub fn entry_point(&self, name: Option<&str>) -> Result<EntryPoint, ProgramError> {
        Ok(self.reflect(self.find_entry_point(name)?))
    }

    /// The index of that entry point in the module.
    pub(crate) fn find_entry_point(&self, name: Option<&str>) -> Result<usize, ProgramError> {
        let entry_points = &self.module().entry_points;
        let index = match name {
            Some(name) => entry_points.iter().position(|e| e.name == name),
            None => (entry_points.len() == 1).then_some(0),
        };
        index.ok_or_else(|| self.no_entry_point(name))
    }

    fn no_entry_point(&self, name: Option<&str>) -> ProgramError {
        let names = self.module().entry_points.iter();
        let names: Vec<_> = names.map(|e| format!("`{}`", e.name)).collect();
        let names = names.join(", ");
        ProgramError::EntryPoint(match name {
            _ if names.is_empty() => "the program has no entry points".to_owned(),
            Some(name) => format!("there is no entry point `{name}`; the program has {names}"),
            None => format!("the program has several entry points, name one of {names}"),
        })
    }

    fn reflect(&self, index: usize) -> EntryPoint {
        let module = self.module();
        let entry_point = &module.entry_points[index];
        let resolved = self.with_defaults(index);
        let immediates = used(self, index, |space| space == AddressSpace::Immediate);
        EntryPoint {
            name: entry_point.name.clone(),
            stage: entry_point.stage,
            workgroup_size: entry_point
                .stage
                .compute_like()
                .then(|| workgroup_size(self, index, resolved.as_ref())),
            bindings: sorted(used(self, index, |_| true).filter_map(|v| Binding::new(module, v))),
            workgroup_memory: workgroup_memory(self, index, resolved.as_ref()),
            immediate_size: immediates.map(|v| size(module, v)).sum(),
        }
    }

    /// The program specialized for one entry point with the defaults of its overrides; `None` if these give no valid
    /// program.
    ///
    /// Overrides without a default are set to one, so that sizes that do not depend on them can still be computed.
    fn with_defaults(&self, index: usize) -> Option<Program> {
        let entry_point = &self.module().entry_points[index];
        let required = self.overrides().into_iter();
        let required = required.filter(|o| o.default == OverrideDefault::Required);
        let constants: Constants = required.map(|o| (o.name, 1.0)).collect();
        let resolved = self.resolve(entry_point.stage, &entry_point.name, &constants);
        resolved
            .ok()
            .filter(|program| program.module().entry_points.len() == 1)
    }
}

/// The global variables in the given address spaces that an entry point uses.
fn used(
    program: &Program,
    entry_point: usize,
    is_asked: impl Fn(AddressSpace) -> bool,
) -> impl Iterator<Item = &naga::GlobalVariable> {
    let info = program.info().get_entry_point(entry_point);
    let variables = program.module().global_variables.iter();
    variables
        .filter(move |(handle, variable)| !info[*handle].is_empty() && is_asked(variable.space))
        .map(|(_, variable)| variable)
}

fn size(module: &Module, variable: &naga::GlobalVariable) -> u32 {
    module.types[variable.ty].inner.size(module.to_ctx())
}

fn workgroup_size(program: &Program, index: usize, resolved: Option<&Program>) -> WorkgroupSize {
    let entry_point = &program.module().entry_points[index];
    let Some(computed) = entry_point.workgroup_size_overrides else {
        return WorkgroupSize::Known(entry_point.workgroup_size);
    };
    let mut required = RequiredOverrides::new(program.module());
    for expression in computed.into_iter().flatten() {
        required.add_expression(expression);
    }
    let overrides = required.into_names();
    match resolved {
        Some(resolved) if overrides.is_empty() => {
            WorkgroupSize::Known(resolved.module().entry_points[0].workgroup_size)
        }
        _ => WorkgroupSize::Unresolved { overrides },
    }
}

fn workgroup_memory(
    program: &Program,
    index: usize,
    resolved: Option<&Program>,
) -> WorkgroupMemory {
    let is_workgroup = |space| space == AddressSpace::WorkGroup;
    let mut required = RequiredOverrides::new(program.module());
    for variable in used(program, index, is_workgroup) {
        // Only the outermost array of a type can be sized by an override.
        if let TypeInner::Array { size, .. } = program.module().types[variable.ty].inner
            && let ArraySize::Pending(constant) = size
        {
            required.add_override(constant);
        }
    }
    let overrides = required.into_names();
    match resolved {
        Some(resolved) if overrides.is_empty() => WorkgroupMemory::Known(
            used(resolved, 0, is_workgroup)
                .map(|v| u64::from(size(resolved.module(), v)).next_multiple_of(16))
                .sum(),
        ),
        _ => WorkgroupMemory::Unresolved { overrides },
    }
}

/// The name of a stage in messages.
pub fn stage_name(stage: ShaderStage) -> &'static str {
    match stage {
        ShaderStage::Vertex => "vertex",
        ShaderStage::Fragment => "fragment",
        ShaderStage::Compute => "compute",
        ShaderStage::Task => "task",
        ShaderStage::Mesh => "mesh",
        ShaderStage::RayGeneration => "ray generation",
        ShaderStage::Miss => "miss",
        ShaderStage::AnyHit => "any hit",
        ShaderStage::ClosestHit => "closest hit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry_points(text: &str) -> Vec<EntryPoint> {
        Program::from_wgsl(text).unwrap().entry_points()
    }

    #[test]
    fn each_entry_point_has_what_it_uses() {
        let entry_points = entry_points(
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
             @group(0) @binding(1) var<uniform> b: vec4<f32>;
             var<workgroup> w: array<u32, 5>;
             var<workgroup> x: u32;
             var<immediate> i: vec2<u32>;
             fn through_a_call() -> u32 { return a[0]; }
             @compute @workgroup_size(8, 4) fn one() { w[0] = through_a_call(); x = 1; }
             @compute @workgroup_size(2) fn two() { _ = b.x; _ = i.x; }
             @fragment fn three() -> @location(0) vec4<f32> { return b; }",
        );
        let names = |e: &EntryPoint| {
            e.bindings
                .iter()
                .map(|b| b.name.clone())
                .collect::<Vec<_>>()
        };

        assert_eq!(entry_points[0].name, "one");
        assert_eq!(
            entry_points[0].workgroup_size,
            Some(WorkgroupSize::Known([8, 4, 1]))
        );
        assert_eq!(names(&entry_points[0]), ["a"]);
        assert_eq!(entry_points[0].workgroup_memory, WorkgroupMemory::Known(48));
        assert_eq!(entry_points[0].immediate_size, 0);

        assert_eq!(names(&entry_points[1]), ["b"]);
        assert_eq!(entry_points[1].workgroup_memory, WorkgroupMemory::Known(0));
        assert_eq!(entry_points[1].immediate_size, 8);

        assert_eq!(entry_points[2].stage, ShaderStage::Fragment);
        assert_eq!(entry_points[2].workgroup_size, None);
    }

    #[test]
    fn sizes_follow_the_defaults_of_overrides() {
        let entry_points = entry_points(
            "override a: u32 = 8; override b = a * 2; override c: u32; override unrelated: f32;
             var<workgroup> w: array<array<u32, 3>, b>;
             var<workgroup> v: array<u32, c + 1>;
             @compute @workgroup_size(b, 3) fn known() { w[0][1] = u32(unrelated); }
             @compute @workgroup_size(a, b * c) fn unknown() { v[0] = 1; }",
        );
        assert_eq!(
            entry_points[0].workgroup_size,
            Some(WorkgroupSize::Known([16, 3, 1]))
        );
        assert_eq!(
            entry_points[0].workgroup_memory,
            WorkgroupMemory::Known(16 * 3 * 4)
        );
        let overrides = vec!["c".to_owned()];
        assert_eq!(
            entry_points[1].workgroup_size,
            Some(WorkgroupSize::Unresolved {
                overrides: overrides.clone()
            })
        );
        assert_eq!(
            entry_points[1].workgroup_memory,
            WorkgroupMemory::Unresolved { overrides }
        );
    }

    #[test]
    fn unusable_defaults_leave_sizes_unresolved() {
        let entry_points =
            entry_points("override n: u32 = 0; @compute @workgroup_size(n) fn main() {}");
        let unresolved = WorkgroupSize::Unresolved {
            overrides: Vec::new(),
        };
        assert_eq!(entry_points[0].workgroup_size, Some(unresolved));
    }

    #[test]
    fn entry_points_are_found_by_name_or_by_being_alone() {
        let one = Program::from_wgsl("@compute @workgroup_size(1) fn main() {}").unwrap();
        assert_eq!(one.entry_point(None).unwrap().name, "main");
        assert_eq!(one.entry_point(Some("main")).unwrap().name, "main");
        let message = |program: &Program, name| program.entry_point(name).unwrap_err().to_string();
        assert_eq!(
            message(&one, Some("mian")),
            "there is no entry point `mian`; the program has `main`"
        );
        let none = Program::from_wgsl("fn f() {}").unwrap();
        assert_eq!(message(&none, None), "the program has no entry points");
        let two = "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}";
        assert_eq!(
            message(&Program::from_wgsl(two).unwrap(), None),
            "the program has several entry points, name one of `a`, `b`"
        );
    }
}
