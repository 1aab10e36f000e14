//! Loads from push constants that are represented as a struct of words.
//!
//! WebGPU's immediate data cannot contain arrays, so the words are struct members: vectors of 4 or 2 words, or single
//! words. A constant address is a member access. For dynamic addresses there is one generated function for each
//! variable, which copies all members to an array and indexes it.

use crate::read::function::Expr;
use std::num::NonZeroU32;

use anywarp_program::naga::{
    ArraySize, BinaryOperator as Binary, Expression, Function, FunctionArgument, FunctionResult,
    GlobalVariable, Handle, Literal, Scalar, ScalarKind, Span, Statement, Type, TypeInner,
};

use super::body::Body;
use super::word_access::Address;
use crate::error::Result;
use crate::module::Id;
use crate::read::types;
use crate::read::word_buffers::PushConstantLayout;

impl Body<'_, '_> {
    /// Loads the word at an address.
    pub(super) fn load_member_word(
        &mut self,
        base: Expr,
        members: PushConstantLayout,
        address: Address,
    ) -> Expr {
        let bytes = members.words * 4;
        if address.multiple.is_multiple_of(bytes) {
            let member = self.load_member(base, members, address);
            return self.member_component(member, members, address.fixed / 4 % members.words);
        }
        let index = self.word_index(address);
        let words = self.literal(Literal::U32(members.words));
        let which = self.two(Binary::Divide, index, words);
        let part = self.two(Binary::Modulo, index, words);
        let member = self.member_by_index(base, members, which);
        match members.words {
            1 => member,
            _ => self.add(Expression::Access {
                base: member,
                index: part,
            }),
        }
    }

    /// Loads a vector of 32-bit numbers with a single access, if one member contains it.
    pub(super) fn load_member_vector(
        &mut self,
        base: Expr,
        members: PushConstantLayout,
        address: Address,
        ty: Id,
    ) -> Result<Option<Expr>> {
        let types::Type::Vector { component, count } = *self.reader.types.get(ty)? else {
            return Ok(None);
        };
        let kind = match *self.reader.types.get(component)? {
            types::Type::Int {
                bits: 32,
                is_signed,
            } if is_signed => ScalarKind::Sint,
            types::Type::Int { bits: 32, .. } => ScalarKind::Uint,
            types::Type::Float { bits: 32 } => ScalarKind::Float,
            _ => return Ok(None),
        };
        let first = address.fixed / 4 % members.words;
        let is_inside = first + count <= members.words;
        if !is_inside || !address.multiple.is_multiple_of(members.words * 4) {
            return Ok(None);
        }
        let member = self.load_member(base, members, address);
        let words = if count == members.words {
            member
        } else {
            let part = self.reader.insert_type(TypeInner::Vector {
                size: crate::read::layout::vector_size(count)?,
                scalar: Scalar::U32,
            });
            let components =
                (first..first + count).map(|at| self.member_component(member, members, at));
            let components = components.collect();
            self.add(Expression::Compose {
                ty: part,
                components,
            })
        };
        Ok(Some(match kind {
            ScalarKind::Uint => words,
            kind => self.add(Expression::As {
                expr: words,
                kind,
                convert: None,
            }),
        }))
    }

    fn member_component(&mut self, member: Expr, members: PushConstantLayout, index: u32) -> Expr {
        match members.words {
            1 => member,
            _ => self.add(Expression::AccessIndex {
                base: member,
                index,
            }),
        }
    }

    /// Loads the member at an address that is a multiple of the member size.
    fn load_member(&mut self, base: Expr, members: PushConstantLayout, address: Address) -> Expr {
        let bytes = members.words * 4;
        let index = address.fixed / bytes;
        if address.moving.is_none() && index < members.count {
            let pointer = self.add(Expression::AccessIndex { base, index });
            return self.add(Expression::Load { pointer });
        }
        let at = self.bytes(address);
        let bytes = self.literal(Literal::U32(bytes));
        let which = self.two(Binary::Divide, at, bytes);
        self.member_by_index(base, members, which)
    }

    fn member_by_index(&mut self, base: Expr, members: PushConstantLayout, index: Expr) -> Expr {
        let Expression::GlobalVariable(global) = self.function.expressions[base] else {
            unreachable!("push constants are variables of the module")
        };
        let function = self.member_function(global, members);
        let result = self.add_apart(Expression::CallResult(function));
        self.push(Statement::Call {
            function,
            arguments: vec![index],
            result: Some(result),
        });
        result
    }

    /// The function that loads a member of a variable by its index; generated once.
    fn member_function(
        &mut self,
        global: Handle<GlobalVariable>,
        members: PushConstantLayout,
    ) -> Handle<Function> {
        if let Some(known) = self.reader.buffers.member_functions.get(&global) {
            return *known;
        }
        let variable = &self.reader.module.global_variables[global];
        let name = variable.name.as_deref().unwrap_or("immediate");
        let name = format!("{name}_words");
        let ty = self.member_type(global);
        let index = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let function = Function {
            name: Some(name),
            arguments: vec![FunctionArgument {
                name: Some("index".to_owned()),
                ty: index,
                binding: None,
            }],
            result: Some(FunctionResult { ty, binding: None }),
            ..Default::default()
        };
        let mut body = Body::new(&mut *self.reader, function);
        body.member_of_all(global, members, ty);
        let function = body.end();
        let functions = &mut self.reader.module.functions;
        let handle = functions.append(function, Span::UNDEFINED);
        self.reader.buffers.member_functions.insert(global, handle);
        handle
    }

    fn member_type(&self, global: Handle<GlobalVariable>) -> Handle<Type> {
        let ty = self.reader.module.global_variables[global].ty;
        match &self.reader.module.types[ty].inner {
            TypeInner::Struct { members, .. } => members[0].ty,
            _ => ty,
        }
    }

    /// The body of this function.
    fn member_of_all(
        &mut self,
        global: Handle<GlobalVariable>,
        members: PushConstantLayout,
        ty: Handle<Type>,
    ) {
        let base = self.global(global);
        let mut components = Vec::new();
        for index in 0..members.count {
            let pointer = self.add(Expression::AccessIndex { base, index });
            components.push(self.add(Expression::Load { pointer }));
        }
        let array = self.reader.insert_type(TypeInner::Array {
            base: ty,
            size: ArraySize::Constant(NonZeroU32::new(members.count).unwrap_or(NonZeroU32::MIN)),
            stride: members.words * 4,
        });
        let all = self.add(Expression::Compose {
            ty: array,
            components,
        });
        let local = self.local(Some("all".to_owned()), array);
        self.store_local(local, all);
        let (base, index) = (self.local_pointer(local), self.argument(0));
        let pointer = self.add(Expression::Access { base, index });
        let value = self.add(Expression::Load { pointer });
        self.push(Statement::Return { value: Some(value) });
    }
}
