//! Operator precedence: where an expression needs parentheses.
//!
//! In: the [`Precedence`] of an expression and the [`Slot`] it is written in. Out: whether it needs parentheses. WGSL's
//! grammar has no total order of precedence: shifts and bitwise operators accept only unary operands, `&&` and `||` do
//! not mix, comparisons do not chain.

use anywarp_program::naga::BinaryOperator;

/// The grammar production of an expression, in order of increasing precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    LogicalOr,
    LogicalAnd,
    BitAnd,
    BitOr,
    BitXor,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    Unary,
    Primary,
}

/// What a position accepts without parentheses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    least: Precedence,
    /// The operator that may be chained here, as left operand of itself.
    chain: Option<Precedence>,
}

impl Slot {
    /// Accepts any expression.
    pub(super) const ANY: Self = Self::least(Precedence::LogicalOr);
    /// In a template list, which `>` would end.
    pub(super) const TEMPLATE: Self = Self::least(Precedence::Additive);
    /// The operand of a unary operator.
    pub(super) const UNARY: Self = Self::least(Precedence::Unary);
    /// Before `.` or `[`.
    pub(super) const PRIMARY: Self = Self::least(Precedence::Primary);

    const fn least(least: Precedence) -> Self {
        Self { least, chain: None }
    }

    pub(super) fn takes(self, level: Precedence) -> bool {
        level >= self.least || self.chain == Some(level)
    }
}

/// The precedence of an operator's result, and the slots of its operands.
pub(super) fn of_operator(operator: BinaryOperator) -> (Precedence, Slot, Slot) {
    use BinaryOperator as Op;
    let chain = |level, operand| {
        let left = Slot {
            least: operand,
            chain: Some(level),
        };
        (level, left, Slot::least(operand))
    };
    match operator {
        Op::Multiply | Op::Divide | Op::Modulo => {
            chain(Precedence::Multiplicative, Precedence::Unary)
        }
        Op::Add | Op::Subtract => chain(Precedence::Additive, Precedence::Multiplicative),
        Op::ShiftLeft | Op::ShiftRight => (Precedence::Shift, Slot::UNARY, Slot::UNARY),
        // `a < b >> c` would be parsed as a template list.
        Op::Less => (
            Precedence::Relational,
            Slot::least(Precedence::Shift),
            Slot::TEMPLATE,
        ),
        Op::Equal | Op::NotEqual | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            let operand = Slot::least(Precedence::Shift);
            (Precedence::Relational, operand, operand)
        }
        Op::And => chain(Precedence::BitAnd, Precedence::Unary),
        Op::InclusiveOr => chain(Precedence::BitOr, Precedence::Unary),
        Op::ExclusiveOr => chain(Precedence::BitXor, Precedence::Unary),
        Op::LogicalAnd => chain(Precedence::LogicalAnd, Precedence::Relational),
        Op::LogicalOr => chain(Precedence::LogicalOr, Precedence::Relational),
    }
}

/// The operator as text.
pub(super) fn sign(operator: BinaryOperator) -> &'static str {
    use BinaryOperator as Op;
    match operator {
        Op::Add => "+",
        Op::Subtract => "-",
        Op::Multiply => "*",
        Op::Divide => "/",
        Op::Modulo => "%",
        Op::Equal => "==",
        Op::NotEqual => "!=",
        Op::Less => "<",
        Op::LessEqual => "<=",
        Op::Greater => ">",
        Op::GreaterEqual => ">=",
        Op::And => "&",
        Op::ExclusiveOr => "^",
        Op::InclusiveOr => "|",
        Op::LogicalAnd => "&&",
        Op::LogicalOr => "||",
        Op::ShiftLeft => "<<",
        Op::ShiftRight => ">>",
    }
}
