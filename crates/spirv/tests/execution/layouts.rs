//! Generates buffer blocks with GLSL's memory layouts, and shaders that copy each scalar.

use std::fmt::Write;

use crate::common::random::Random;

/// GLSL's layout rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rules {
    Std140,
    Std430,
    Scalar,
}

enum Type {
    /// A scalar type of 32 bits.
    Number(&'static str),
    Vector(u32),
    Matrix {
        columns: u32,
        rows: u32,
    },
    Array(Box<Type>, u32),
    Struct(usize),
}

struct Member {
    ty: Type,
    is_row_major: bool,
}

/// A block with nested structs, and its layout rules.
pub(crate) struct Block {
    rules: Rules,
    /// Each contains only previous ones; the last is the block itself.
    structs: Vec<Vec<Member>>,
}

/// A scalar of the block: its access path and its word offset.
struct Leaf {
    path: String,
    word: u32,
    kind: &'static str,
}

pub(crate) fn block(seed: u64, rules: Rules) -> Block {
    let mut random = Random(seed);
    let mut structs = Vec::new();
    for depth in 0..1 + random.below(3) as usize {
        let count = 1 + random.below(5);
        let members = (0..count).map(|_| Member {
            ty: ty(&mut random, depth, 2),
            is_row_major: random.below(2) == 0,
        });
        structs.push(members.collect());
    }
    Block { rules, structs }
}

fn ty(random: &mut Random, structs: usize, depth: u32) -> Type {
    match random.below(9) {
        0 => Type::Number("float"),
        1 => Type::Number("int"),
        2 => Type::Number("uint"),
        3 | 4 => Type::Vector(2 + random.below(3) as u32),
        5 => Type::Matrix {
            columns: 2 + random.below(3) as u32,
            rows: 2 + random.below(3) as u32,
        },
        6 | 7 if depth > 0 => {
            let element = ty(random, structs, depth - 1);
            Type::Array(Box::new(element), 1 + random.below(3) as u32)
        }
        8 if structs > 0 => Type::Struct(random.below(structs as u64) as usize),
        _ => Type::Number("float"),
    }
}

impl Block {
    /// Alignment and size in bytes, and the stride of matrix columns or rows, or of array elements.
    fn layout(&self, ty: &Type, is_row_major: bool) -> (u32, u32, u32) {
        let vector = |count: u32| match (self.rules, count) {
            (Rules::Scalar, _) => 4,
            (_, 3) => 16,
            (_, count) => 4 * count,
        };
        let rounded = |alignment: u32| match self.rules {
            Rules::Std140 => alignment.next_multiple_of(16),
            _ => alignment,
        };
        match ty {
            Type::Number(_) => (4, 4, 4),
            Type::Vector(count) => (vector(*count), 4 * count, 4),
            Type::Matrix { columns, rows } => {
                let (count, length) = if is_row_major {
                    (*rows, *columns)
                } else {
                    (*columns, *rows)
                };
                let alignment = rounded(vector(length));
                let stride = (4 * length).next_multiple_of(alignment);
                (alignment, stride * count, stride)
            }
            Type::Array(element, count) => {
                let (alignment, size, _) = self.layout(element, is_row_major);
                let alignment = rounded(alignment);
                let stride = size.next_multiple_of(alignment);
                (alignment, stride * count, stride)
            }
            Type::Struct(number) => {
                let (mut alignment, mut end) = (4, 0_u32);
                for member in &self.structs[*number] {
                    let order = self.order(*number, member, is_row_major);
                    let (own, size, _) = self.layout(&member.ty, order);
                    alignment = alignment.max(own);
                    end = end.next_multiple_of(own) + size;
                }
                let alignment = rounded(alignment);
                let size = match self.rules {
                    Rules::Scalar => end,
                    _ => end.next_multiple_of(alignment),
                };
                (alignment, size, 0)
            }
        }
    }

    /// Whether a member's matrices are row-major: set by members of the block, and inherited by nested members.
    fn order(&self, number: usize, member: &Member, around: bool) -> bool {
        if number + 1 == self.structs.len() {
            member.is_row_major
        } else {
            around
        }
    }

    fn leaves(&self, ty: &Type, is_row_major: bool, path: &str, at: u32, found: &mut Vec<Leaf>) {
        let mut leaf = |path: String, at: u32, kind: &'static str| {
            let word = at / 4;
            found.push(Leaf { path, word, kind });
        };
        let (_, _, stride) = self.layout(ty, is_row_major);
        match ty {
            Type::Number(name) => leaf(path.to_owned(), at, name),
            Type::Vector(count) => {
                for index in 0..*count {
                    leaf(format!("{path}[{index}]"), at + 4 * index, "float");
                }
            }
            Type::Matrix { columns, rows } => {
                for (column, row) in (0..*columns).flat_map(|c| (0..*rows).map(move |r| (c, r))) {
                    let offset = if is_row_major {
                        row * stride + column * 4
                    } else {
                        column * stride + row * 4
                    };
                    leaf(format!("{path}[{column}][{row}]"), at + offset, "float");
                }
            }
            Type::Array(element, count) => {
                for index in 0..*count {
                    let path = format!("{path}[{index}]");
                    self.leaves(element, is_row_major, &path, at + stride * index, found);
                }
            }
            Type::Struct(number) => {
                let mut end = 0_u32;
                for (index, member) in self.structs[*number].iter().enumerate() {
                    let order = self.order(*number, member, is_row_major);
                    let (own, size, _) = self.layout(&member.ty, order);
                    let offset = end.next_multiple_of(own);
                    end = offset + size;
                    let path = format!("{path}.m{index}");
                    self.leaves(&member.ty, order, &path, at + offset, found);
                }
            }
        }
    }

    fn all_leaves(&self) -> Vec<Leaf> {
        let mut found = Vec::new();
        let block = Type::Struct(self.structs.len() - 1);
        self.leaves(&block, false, "b", 0, &mut found);
        found
    }

    /// The word offset of each scalar, in the order of the shader.
    pub(crate) fn words(&self) -> Vec<u32> {
        self.all_leaves().iter().map(|leaf| leaf.word).collect()
    }

    /// A shader that copies each scalar from the block to another buffer, or in the other direction.
    pub(crate) fn glsl(&self, writes: bool) -> String {
        let mut text = String::from(
            "#version 450\n#extension GL_EXT_scalar_block_layout : require\n\
             layout(local_size_x = 1) in;\n\
             layout(binding = 1, std430) buffer Other { uint other[]; };\n",
        );
        let last = self.structs.len() - 1;
        for (number, members) in self.structs.iter().enumerate() {
            let begin = if number == last {
                let rules = format!("{:?}", self.rules).to_lowercase();
                format!("layout(binding = 0, {rules}) buffer Block")
            } else {
                format!("struct S{number}")
            };
            let _ = writeln!(text, "{begin} {{");
            for (index, member) in members.iter().enumerate() {
                let (name, lengths) = declared(&member.ty);
                let order = match (number == last, member.is_row_major) {
                    (true, true) => "layout(row_major) ",
                    _ => "",
                };
                let _ = writeln!(text, "    {order}{name} m{index}{lengths};");
            }
            let _ = writeln!(text, "}}{};", if number == last { " b" } else { "" });
        }
        text.push_str("void main() {\n");
        for (index, leaf) in self.all_leaves().iter().enumerate() {
            let path = &leaf.path;
            let kind = leaf.kind;
            let _ = match (writes, kind) {
                (false, "float") => writeln!(text, "    other[{index}] = floatBitsToUint({path});"),
                (false, _) => writeln!(text, "    other[{index}] = uint({path});"),
                (true, "float") => writeln!(text, "    {path} = uintBitsToFloat(other[{index}]);"),
                (true, _) => writeln!(text, "    {path} = {kind}(other[{index}]);"),
            };
        }
        text.push_str("}\n");
        text
    }
}

fn declared(ty: &Type) -> (String, String) {
    match ty {
        Type::Number(name) => ((*name).to_owned(), String::new()),
        Type::Vector(count) => (format!("vec{count}"), String::new()),
        Type::Matrix { columns, rows } => (format!("mat{columns}x{rows}"), String::new()),
        Type::Array(element, count) => {
            let (name, lengths) = declared(element);
            (name, format!("[{count}]{lengths}"))
        }
        Type::Struct(number) => (format!("S{number}"), String::new()),
    }
}
