//! Expands a bitwise operation of three operands, given as a truth table, into two-operand operations, for CPUs without
//! a ternary logic instruction.
//!
//! Positive Davio expansion: with `p(a, b) = f(a, b, 0)` and `q(a, b) = f(a, b, 0) ^ f(a, b, 1)`, it is `f(a, b, c) = p
//! ^ (c & q)`. Any of the three operands can be the expanded variable; the cheapest one is chosen.

/// The truth table of a function of two bits: bit `2x + y`.
pub type Table = u8;

/// A function of three bits as `p(x, y) ^ (z & q(x, y))`, where `z` is the expanded variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The expanded variable: operand 0 to 2. The other two keep their order.
    pub taken: usize,
    /// `p`: the function where the expanded variable is 0.
    pub p: Table,
    /// `q`: where the function depends on the expanded variable.
    pub q: Table,
}

/// The cheapest expansion of the function of a truth table ([`Op::Ternary`](crate::ir::Op::Ternary)).
pub fn split(table: u8) -> Split {
    let [first, others @ ..] = [0, 1, 2].map(|taken| Split::new(table, taken));
    let cheaper = |best: Split, other: Split| {
        if other.cost() < best.cost() {
            other
        } else {
            best
        }
    };
    others.into_iter().fold(first, cheaper)
}

impl Split {
    fn new(table: u8, taken: usize) -> Self {
        let bit = |values: [u8; 3]| table >> (4 * values[0] + 2 * values[1] + values[2]) & 1;
        let (mut p, mut q) = (0, 0);
        for index in 0..4u8 {
            let (x, y) = (index >> 1, index & 1);
            let at = |value: u8| match taken {
                0 => [value, x, y],
                1 => [x, value, y],
                _ => [x, y, value],
            };
            p |= bit(at(0)) << index;
            q |= (bit(at(0)) ^ bit(at(1))) << index;
        }
        Self { taken, p, q }
    }

    /// The number of two-operand instructions. A conjunction may invert one operand for free (and-not).
    pub fn cost(self) -> u32 {
        match (self.p, self.q) {
            (p, 0) => cost_of_two(p),
            (p, 0b1111) => cost_of_two(p) + 1,
            (0, q) => cost_of_two(q) + 1,
            (p, q) => cost_of_two(p) + cost_of_two(q) + 2,
        }
    }
}

fn cost_of_two(table: Table) -> u32 {
    match table {
        0b1100 | 0b1010 => 0,
        0b0000 | 0b1111 | 0b1000 | 0b1110 | 0b0110 | 0b0100 | 0b0010 | 0b0011 | 0b0101 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::ternary;

    fn of_two(table: Table, x: u32, y: u32) -> u32 {
        u32::from(table) >> (2 * x + y) & 1
    }

    #[test]
    fn a_split_is_the_same_function() {
        for table in 0..=u8::MAX {
            let Split { taken, p, q } = split(table);
            for row in 0..8 {
                let operands = [row >> 2, row >> 1 & 1, row & 1];
                let mut others = operands.to_vec();
                let z = others.remove(taken);
                let [x, y] = [others[0], others[1]];
                let [a, b, c] = operands;
                let expected = ternary(table, a, b, c) & 1;
                assert_eq!(of_two(p, x, y) ^ (z & of_two(q, x, y)), expected);
            }
        }
    }

    #[test]
    fn choice_and_majority_are_cheap() {
        assert_eq!(split(0xca).cost(), 3);
        assert_eq!(split(0xe8).cost(), 4);
        assert_eq!(split(0x96).cost(), 2);
    }
}
