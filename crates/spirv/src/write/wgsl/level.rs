//! Where an expression needs parentheses.
//!
//! WGSL's grammar has no single order of precedence: shifts and bit operators take only unary
//! operands, `&&` and `||` do not mix, comparisons do not chain. A [`Slot`] says what may stand
//! at a place; a [`Level`] what an expression is.

use anywarp_program::naga::BinaryOperator;

/// What an expression is, loosest first.
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

/// What may stand at a place without parentheses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    least: Level,
    /// A chain of one operator may go on to the left.
    chain: Option<Level>,
}

impl Slot {
    /// Anything.
    pub(super) const ANY: Self = Self::least(Level::LogicalOr);
    /// In a template list, where `>` would end it.
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

/// The level of an operator's result, and what its operands may be.
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
        // In `a < b >> c` the brackets would be a template list.
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

/// The operator's sign.
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
