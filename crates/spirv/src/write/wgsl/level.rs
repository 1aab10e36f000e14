//! Operator precedence: where an expression needs parentheses.
//!
//! In: the [`Precedence`] of an expression and the [`Slot`] it is written in. Out: whether it needs parentheses. WGSL's
//! grammar has no total order of precedence: shifts and bitwise operators accept only unary operands, `&&` and `||` do
//! not mix, comparisons do not chain.

use anywarp_program::naga::BinaryOperator;

/// The grammar production of an expression, in order of increasing precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
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
    least: Level,
    /// The operator that may be chained here, as left operand of itself.
    chain: Option<Level>,
}

impl Slot {
    /// Accepts any expression.
    pub(super) const ANY: Self = Self::least(Level::LogicalOr);
    /// In a template list, which `>` would end.
    pub(super) const TEMPLATE: Self = Self::least(Level::Additive);
    /// The operand of a unary operator.
    pub(super) const UNARY: Self = Self::least(Level::Unary);
    /// Before `.` or `[`.
    pub(super) const PRIMARY: Self = Self::least(Level::Primary);

    const fn least(least: Level) -> Self {
        Self { least, chain: None }
    }

    pub(super) fn takes(self, level: Level) -> bool {
        level >= self.least || self.chain == Some(level)
    }
}

/// The precedence of an operator's result, and the slots of its operands.
pub(super) fn of_operator(operator: BinaryOperator) -> (Level, Slot, Slot) {
    use BinaryOperator as Op;
    let chain = |level, operand| {
        let left = Slot {
            least: operand,
            chain: Some(level),
        };
        (level, left, Slot::least(operand))
    };
    match operator {
        Op::Multiply | Op::Divide | Op::Modulo => chain(Level::Multiplicative, Level::Unary),
        Op::Add | Op::Subtract => chain(Level::Additive, Level::Multiplicative),
        Op::ShiftLeft | Op::ShiftRight => (Level::Shift, Slot::UNARY, Slot::UNARY),
        // `a < b >> c` would be parsed as a template list.
        Op::Less => (Level::Relational, Slot::least(Level::Shift), Slot::TEMPLATE),
        Op::Equal | Op::NotEqual | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            let operand = Slot::least(Level::Shift);
            (Level::Relational, operand, operand)
        }
        Op::And => chain(Level::BitAnd, Level::Unary),
        Op::InclusiveOr => chain(Level::BitOr, Level::Unary),
        Op::ExclusiveOr => chain(Level::BitXor, Level::Unary),
        Op::LogicalAnd => chain(Level::LogicalAnd, Level::Relational),
        Op::LogicalOr => chain(Level::LogicalOr, Level::Relational),
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
