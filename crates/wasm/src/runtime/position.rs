//! Maps code words to source positions.
//!
//! In: a program and a word of its code. Out: a [`Trap`] with the function and the byte offset. The
//! nearest position at or before the word applies, if it belongs to the same function.

use crate::bytecode::{Bytecode, Trap, TrapCode};

/// The trap at a code word.
pub fn trap_at(program: &Bytecode, word: u32, code: TrapCode, message: Option<String>) -> Trap {
    let holds =
        |function: &crate::bytecode::Function| (function.entry..function.end).contains(&word);
    let number = program.functions.iter().position(holds);
    let entry = number.map_or(0, |number| program.functions[number].entry);
    let positions = &program.debug.positions;
    let end = positions.partition_point(|position| position.word <= word);
    let nearest = positions[..end].last();
    let nearest = nearest.filter(|position| position.word >= entry);
    let name = nearest.and_then(|position| program.debug.names.get(position.name as usize));
    Trap {
        code,
        function: match (name, number) {
            (Some(name), _) => name.clone(),
            (None, Some(number)) => format!("function {number}"),
            (None, None) => "no function".to_owned(),
        },
        offset: nearest.map(|position| position.offset),
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::trap_at;
    use crate::bytecode::{Bytecode, Debug, Function, Position, TrapCode};

    #[test]
    fn the_nearest_position_of_the_same_function_counts() {
        let function = |entry, end| Function {
            entry,
            end,
            frame: 0,
            type_index: 0,
        };
        let position = |word, name, offset| Position { word, name, offset };
        let program = Bytecode {
            functions: vec![function(1, 10), function(10, 20)],
            debug: Debug {
                names: vec!["f".to_owned(), "g".to_owned()],
                positions: vec![position(1, 0, 0x20), position(4, 1, 0x30)],
            },
            ..Bytecode::default()
        };
        let text = |word| trap_at(&program, word, TrapCode::Unreachable, None).to_string();
        assert_eq!(text(3), "unreachable in `f` at 0x20");
        assert_eq!(text(9), "unreachable in `g` at 0x30");
        assert_eq!(text(12), "unreachable in `function 1`");
        assert_eq!(text(0), "unreachable in `no function`");
    }
}
