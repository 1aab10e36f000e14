//! Lowers overrides to specialization constants.
//!
//! In: a module with overrides, which naga's writer does not support. Out: a module without overrides, and a
//! [`SpecConstantPlan`] of what to insert into the words. What always holds:
//! - An override with an `@id`, or whose default depends on no other override, becomes an `OpSpecConstant`. Its
//!   `SpecId` is its `@id`. Overrides without `@id` get the smallest unused numbers, in the order of their
//!   declarations, whether they are used or not.
//! - All other overrides are computed from those they depend on: in functions as expressions, in array lengths and
//!   workgroup sizes as trees of `OpSpecConstantOp`.
//! - An override without a default is 1 if it is an integer, because it may be a size, else zero.

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

/// A specialization constant.
pub(super) struct SpecConstant {
    pub(super) name: Option<String>,
    pub(super) id: Option<u32>,
    pub(super) default: Literal,
}

/// What replaces the overrides in the words.
#[derive(Default)]
pub(super) struct SpecConstantPlan {
    pub(super) constants: Vec<SpecConstant>,
    /// Lengths of the marked arrays.
    pub(super) lengths: Vec<Tree>,
    /// Workgroup sizes, by index of the entry point.
    pub(super) workgroup_sizes: BTreeMap<usize, [Tree; 3]>,
}

/// How an override is lowered.
#[derive(Clone, Copy)]
enum Lowering {
    /// To a specialization constant: its index in the plan, and the variable that marks it.
    Constant(usize, Handle<GlobalVariable>),
    /// To the expression of its default.
    Expression(Handle<Expression>),
}

/// Assigns `SpecId`s to overrides without an `@id`; the key is the name.
///
/// This is done before unused declarations are removed, so the numbers do not depend on the chosen entry point.
pub(super) fn assign_spec_ids(module: &Module) -> HashMap<String, u32> {
    let dependent = dependent(module);
    let taken: HashSet<u32> = module
        .overrides
        .iter()
        .filter_map(|(_, declaration)| declaration.id)
        .map(u32::from)
        .collect();
    let free = (0..u32::MAX).filter(|id| !taken.contains(id));
    let own = module
        .overrides
        .iter()
        .filter(|(_, declaration)| declaration.id.is_none() && is_own(declaration, &dependent));
    own.filter_map(|(_, declaration)| declaration.name.clone())
        .zip(free)
        .collect()
}

/// Whether an override becomes a specialization constant, and is not computed from others.
fn is_own(declaration: &Override, dependent: &HashSet<Handle<Expression>>) -> bool {
    declaration.id.is_some()
        || declaration
            .init
            .is_none_or(|init| !dependent.contains(&init))
}

/// Removes the overrides from a module and plans their replacement.
pub(super) fn lower(
    module: &mut Module,
    numbers: &HashMap<String, u32>,
) -> Result<SpecConstantPlan, SpirvError> {
    let mut plan = SpecConstantPlan::default();
    if module.overrides.is_empty() {
        return Ok(plan);
    }
    let lowerings = lower_overrides(module, numbers, &mut plan)?;
    size_arrays(module, &lowerings, &mut plan)?;
    size_workgroups(module, &lowerings, &mut plan)?;
    inline::all(module, &lowerings);
    Ok(plan)
}

/// The global expressions that depend on an override.
fn dependent(module: &Module) -> HashSet<Handle<Expression>> {
    let mut found = HashSet::new();
    for (handle, expression) in module.global_expressions.iter() {
        let mut depends = matches!(expression, Expression::Override(_));
        anywarp_program::operands::of_expression(expression, |operand| {
            depends |= found.contains(operand);
        });
        if depends {
            found.insert(handle);
        }
    }
    found
}

fn lower_overrides(
    module: &mut Module,
    numbers: &HashMap<String, u32>,
    plan: &mut SpecConstantPlan,
) -> Result<HashMap<Handle<Override>, Lowering>, SpirvError> {
    let dependent = dependent(module);
    let own = module
        .overrides
        .iter()
        .filter(|(_, declaration)| is_own(declaration, &dependent));
    let own: Vec<_> = own.map(|(handle, _)| handle).collect();
    let defaults = defaults::evaluate(module, &own)?;
    let mut lowerings = HashMap::new();
    for (handle, default) in own.iter().zip(defaults) {
        let Override { name, id, ty, .. } = module.overrides[*handle].clone();
        // An override without a name cannot be set from outside.
        let number = name.as_ref().and_then(|name| numbers.get(name)).copied();
        let id = id.map(u32::from).or(number);
        let place = plan.constants.len();
        plan.constants.push(SpecConstant { name, id, default });
        let marker = GlobalVariable {
            name: Some(Marker::Constant(place).name()),
            space: AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: Default::default(),
        };
        let marker = module.global_variables.append(marker, Span::UNDEFINED);
        lowerings.insert(*handle, Lowering::Constant(place, marker));
    }
    for (handle, declaration) in module.overrides.iter() {
        if let (false, Some(init)) = (lowerings.contains_key(&handle), declaration.init) {
            lowerings.insert(handle, Lowering::Expression(init));
        }
    }
    Ok(lowerings)
}

/// Gives arrays sized by an override a large constant length and a marker.
fn size_arrays(
    module: &mut Module,
    lowerings: &HashMap<Handle<Override>, Lowering>,
    plan: &mut SpecConstantPlan,
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
        let tree = tree::of_override(module, lowerings, length)
            .ok_or_else(|| unsayable("the length of an array"))?;
        // Below naga's limit on the size of a type, and above any index that occurs in a program.
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
    lowerings: &HashMap<Handle<Override>, Lowering>,
    plan: &mut SpecConstantPlan,
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
                let tree = tree::of_expression(module, lowerings, expression);
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
