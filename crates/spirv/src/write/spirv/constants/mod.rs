//! Overrides, on their way to specialisation constants.
//!
//! In: a module with overrides, for which naga's writer has no words. Out: a module without any, and
//! a plan of what to put into the words in their place. What always holds:
//! - an override with an `@id`, or whose default depends on no other override, becomes an
//!   `OpSpecConstant` of its own. Its `SpecId` is its `@id`; those without one are numbered in the
//!   order of their declarations by the least numbers that no `@id` takes, whether they are used
//!   or not;
//! - any other override follows those that it depends on: functions compute it, and lengths of
//!   arrays and sizes of workgroups are trees of `OpSpecConstantOp`;
//! - an override without a default gets 1 if it is an integer, because that is a size too, else zero.

mod defaults;
mod inline;
mod tree;

use std::collections::{BTreeMap, HashMap, HashSet};

use anywarp_program::naga::{
    AddressSpace, ArraySize, Expression, GlobalVariable, Handle, Literal, Module, Override, Span,
    Type, TypeInner,
};

use super::error::SpirvError;
use super::marker::Marker;
pub(super) use tree::Tree;

/// One specialisation constant.
pub(super) struct Constant {
    pub(super) name: Option<String>,
    pub(super) id: Option<u32>,
    pub(super) default: Literal,
}

/// What the words need in place of overrides.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) constants: Vec<Constant>,
    /// Lengths of the arrays that are marked.
    pub(super) lengths: Vec<Tree>,
    /// The size of a workgroup, by the entry point's place.
    pub(super) workgroup_sizes: BTreeMap<usize, [Tree; 3]>,
}

/// How an override is said.
#[derive(Clone, Copy)]
enum Said {
    /// As a specialisation constant, by its place in the plan, with the variable that marks it.
    Constant(usize, Handle<GlobalVariable>),
    /// By the expression of its default.
    Expression(Handle<Expression>),
}

/// The `SpecId`s of overrides that have no `@id`, by their names.
///
/// They are given before anything is left out of the module, so that they do not depend on what an
/// entry point uses.
pub(super) fn number(module: &Module) -> HashMap<String, u32> {
    let dependent = dependent(module);
    let taken: HashSet<u32> = module
        .overrides
        .iter()
        .filter_map(|(_, it)| it.id)
        .map(u32::from)
        .collect();
    let free = (0..u32::MAX).filter(|id| !taken.contains(id));
    let own = module
        .overrides
        .iter()
        .filter(|(_, it)| it.id.is_none() && is_own(it, &dependent));
    own.filter_map(|(_, it)| it.name.clone())
        .zip(free)
        .collect()
}

/// Whether an override is a constant of its own and not computed from others.
fn is_own(it: &Override, dependent: &HashSet<Handle<Expression>>) -> bool {
    it.id.is_some() || it.init.is_none_or(|init| !dependent.contains(&init))
}

/// Takes the overrides out of a module.
pub(super) fn take(
    module: &mut Module,
    numbers: &HashMap<String, u32>,
) -> Result<Plan, SpirvError> {
    let mut plan = Plan::default();
    if module.overrides.is_empty() {
        return Ok(plan);
    }
    let said = say(module, numbers, &mut plan)?;
    size_arrays(module, &said, &mut plan)?;
    size_workgroups(module, &said, &mut plan)?;
    inline::all(module, &said);
    Ok(plan)
}

/// Which global expressions depend on an override.
fn dependent(module: &Module) -> HashSet<Handle<Expression>> {
    let mut found = HashSet::new();
    for (handle, expression) in module.global_expressions.iter() {
        let mut depends = matches!(expression, Expression::Override(_));
        crate::write::operands::of_expression(expression, |operand| {
            depends |= found.contains(operand);
        });
        if depends {
            found.insert(handle);
        }
    }
    found
}

fn say(
    module: &mut Module,
    numbers: &HashMap<String, u32>,
    plan: &mut Plan,
) -> Result<HashMap<Handle<Override>, Said>, SpirvError> {
    let dependent = dependent(module);
    let own = module
        .overrides
        .iter()
        .filter(|(_, it)| is_own(it, &dependent));
    let own: Vec<_> = own.map(|(handle, _)| handle).collect();
    let defaults = defaults::evaluate(module, &own)?;
    let mut said = HashMap::new();
    for (handle, default) in own.iter().zip(defaults) {
        let Override { name, id, ty, .. } = module.overrides[*handle].clone();
        // Only what has a name can be set from outside.
        let number = name.as_ref().and_then(|name| numbers.get(name)).copied();
        let id = id.map(u32::from).or(number);
        let place = plan.constants.len();
        plan.constants.push(Constant { name, id, default });
        let marker = GlobalVariable {
            name: Some(Marker::Constant(place).name()),
            space: AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: Default::default(),
        };
        let marker = module.global_variables.append(marker, Span::UNDEFINED);
        said.insert(*handle, Said::Constant(place, marker));
    }
    for (handle, it) in module.overrides.iter() {
        if let (false, Some(init)) = (said.contains_key(&handle), it.init) {
            said.insert(handle, Said::Expression(init));
        }
    }
    Ok(said)
}

/// Arrays whose length is an override get a length that bounds nothing, and a mark.
fn size_arrays(
    module: &mut Module,
    said: &HashMap<Handle<Override>, Said>,
    plan: &mut Plan,
) -> Result<(), SpirvError> {
    let pending: Vec<_> = module
        .types
        .iter()
        .filter_map(|(handle, ty)| match ty.inner {
            TypeInner::Array {
                base,
                size: ArraySize::Pending(length),
                stride,
            } => Some((handle, base, length, stride)),
            _ => None,
        })
        .collect();
    for (handle, base, length, stride) in pending {
        let tree = tree::of_override(module, said, length)
            .ok_or_else(|| unsayable("the length of an array"))?;
        // Below naga's limit for the size of a type, and above any index that a program has.
        let count = ((1 << 28) / stride.max(1)).max(1);
        let Some(count) = std::num::NonZeroU32::new(count) else {
            continue;
        };
        let name = Some(Marker::Array(plan.lengths.len()).name());
        let inner = TypeInner::Array {
            base,
            size: ArraySize::Constant(count),
            stride,
        };
        module.types.replace(handle, Type { name, inner });
        plan.lengths.push(tree.into_unsigned());
    }
    Ok(())
}

fn size_workgroups(
    module: &mut Module,
    said: &HashMap<Handle<Override>, Said>,
    plan: &mut Plan,
) -> Result<(), SpirvError> {
    for place in 0..module.entry_points.len() {
        let entry = &module.entry_points[place];
        let Some(overrides) = entry.workgroup_size_overrides else {
            continue;
        };
        let mut sizes = entry
            .workgroup_size
            .map(|size| Tree::Literal(Literal::U32(size)));
        for (size, expression) in sizes.iter_mut().zip(overrides) {
            if let Some(expression) = expression {
                let tree = tree::of_expression(module, said, expression);
                let what = || unsayable(&format!("the workgroup size of `{}`", entry.name));
                *size = tree.ok_or_else(what)?.into_unsigned();
            }
        }
        plan.workgroup_sizes.insert(place, sizes);
        let entry = &mut module.entry_points[place];
        entry.workgroup_size_overrides = None;
        entry.workgroup_size = [1; 3];
    }
    Ok(())
}

fn unsayable(what: &str) -> SpirvError {
    SpirvError::Constant(format!(
        "{what} depends on overrides by arithmetic that constants of SPIR-V do not have; freeze the constants"
    ))
}
