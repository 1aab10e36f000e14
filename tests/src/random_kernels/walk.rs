//! Visits every block and every expression of a kernel, in a fixed order.

use super::tree::{Accessor, Argument, Block, Expr, Kernel, Kind, Phase, Reference, Statement};

/// The callback for blocks.
type OnBlock<'f> = dyn FnMut(&mut Block) + 'f;
/// The callback for expressions, outer ones first.
type OnExpr<'f> = dyn FnMut(&mut Expr) + 'f;

impl Kernel {
    /// Visits every block, outer ones first.
    pub(crate) fn each_block(&mut self, f: &mut OnBlock<'_>) {
        for function in &mut self.functions {
            each_block(&mut function.body, f);
        }
        each_block(&mut self.locals, f);
        each_phase_list(&mut self.phases, &mut |phases| {
            for phase in phases {
                if let Phase::Body(body) = phase {
                    each_block(body, f);
                }
            }
        });
    }

    /// Visits every list of barrier regions, outer ones first.
    pub(crate) fn each_phase_list(&mut self, f: &mut dyn FnMut(&mut Vec<Phase>)) {
        each_phase_list(&mut self.phases, f);
    }

    /// Visits every expression.
    pub(crate) fn each_expr(&mut self, f: &mut OnExpr<'_>) {
        self.each_block(&mut |block| {
            for statement in block {
                statement.each_own_expr(f);
            }
        });
        self.each_phase_list(&mut |phases| {
            for phase in phases {
                match phase {
                    Phase::When(condition, _) => condition.each(f),
                    Phase::UniformLoad(_, place) => place.each(f),
                    Phase::Body(_) | Phase::Repeat(..) => {}
                }
            }
        });
    }
}

fn each_phase_list(phases: &mut Vec<Phase>, f: &mut dyn FnMut(&mut Vec<Phase>)) {
    f(phases);
    for phase in phases {
        if let Phase::When(_, inner) | Phase::Repeat(_, _, inner) = phase {
            each_phase_list(inner, f);
        }
    }
}

fn each_block(block: &mut Block, f: &mut OnBlock<'_>) {
    f(block);
    for statement in block {
        for inner in statement.blocks() {
            each_block(inner, f);
        }
    }
}

impl Statement {
    /// The blocks directly inside.
    pub(crate) fn blocks(&mut self) -> Vec<&mut Block> {
        match self {
            Self::If(_, then, otherwise) => vec![then, otherwise],
            Self::Switch(_, cases) => cases.iter_mut().map(|case| &mut case.body).collect(),
            Self::Loop(inner) => vec![&mut inner.body, &mut inner.continuing],
            Self::Block(block) => vec![block],
            _ => Vec::new(),
        }
    }

    /// The expressions outside inner blocks.
    fn each_own_expr(&mut self, f: &mut OnExpr<'_>) {
        match self {
            Self::Let(_, value)
            | Self::Var(_, _, Some(value))
            | Self::If(value, ..)
            | Self::Switch(value, _)
            | Self::Return(Some(value))
            | Self::Store(_, value)
            | Self::Phony(value) => value.each(f),
            Self::Assign(place, _, value) | Self::Atomic(_, place, value) => {
                place.each(f);
                value.each(f);
            }
            Self::Step(place, _) | Self::Pointer(_, place) => place.each(f),
            Self::Call(_, arguments) => each_argument(arguments, f),
            Self::Var(_, _, None)
            | Self::Return(None)
            | Self::Loop(_)
            | Self::Block(_)
            | Self::Break
            | Self::Continue => {}
        }
    }
}

fn each_argument(arguments: &mut [Argument], f: &mut OnExpr<'_>) {
    for argument in arguments {
        match argument {
            Argument::Value(value) => value.each(f),
            Argument::Pointer(place) => place.each(f),
        }
    }
}

impl Reference {
    fn each(&mut self, f: &mut OnExpr<'_>) {
        for access in &mut self.path {
            if let Accessor::Index(_, index) = access {
                index.each(f);
            }
        }
    }
}

impl Expr {
    fn each(&mut self, f: &mut OnExpr<'_>) {
        f(self);
        match &mut self.kind {
            Kind::Load(place) => place.each(f),
            Kind::Call(_, arguments) => each_argument(arguments, f),
            Kind::Access(value, Accessor::Index(_, index)) => {
                value.each(f);
                index.each(f);
            }
            _ => {
                for operand in self.operands() {
                    operand.each(f);
                }
            }
        }
    }

    /// The values directly inside.
    pub(crate) fn operands(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Literal(_) | Kind::Zero | Kind::Name(..) | Kind::Load(_) => Vec::new(),
            Kind::Access(value, _)
            | Kind::Swizzle(value, _)
            | Kind::Unary(_, value)
            | Kind::Convert(value)
            | Kind::Lanes(_, value)
            | Kind::Bitcast(value) => vec![value],
            Kind::Binary(_, left, right) => vec![left, right],
            Kind::Builtin(_, _, values) | Kind::Construct(values) | Kind::Named(_, values) => {
                values.iter_mut().collect()
            }
            Kind::Call(_, arguments) => {
                let values = arguments.iter_mut().filter_map(|argument| match argument {
                    Argument::Value(value) => Some(value),
                    Argument::Pointer(_) => None,
                });
                values.collect()
            }
        }
    }
}
