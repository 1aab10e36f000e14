//! Inputs of random graphs.

use crate::random::chance::Chance;
use crate::random::shape::{InputShape, Shape, components, mix};

pub(crate) fn inputs(chance: &mut Chance, shape: &Shape) -> Vec<InputShape> {
    let mut inputs = Vec::new();
    for &entry in shape.graph.entries() {
        for _ in 0..chance.of(&[1, 1, 1, 2, 0]) {
            let count = chance.of(&[1, 2, 3, 5, 9, 17, 0]);
            inputs.push(input(chance, shape, entry, count));
        }
    }
    inputs
}

pub(crate) fn input(chance: &mut Chance, shape: &Shape, entry: usize, count: u32) -> InputShape {
    let node = &shape.graph.nodes()[entry];
    let mut input = InputShape {
        node: node.id.clone(),
        count,
        stride: None,
        bytes: Vec::new(),
    };
    if let Some(record) = node.record {
        let ty = &shape.graph.records()[record];
        input.stride = chance.of(&[None, None, Some(0), Some(ty.bytes() + 8)]);
        let step = input.stride.unwrap_or(ty.bytes());
        for _ in 0..count {
            let mut record = encode(shape, record, chance.word());
            record.resize(record.len().max(step as usize), 0xee);
            input.bytes.extend(record);
        }
    }
    input
}

/// A record with values derived from a hash.
fn encode(shape: &Shape, record: usize, v: u32) -> Vec<u8> {
    let ty = &shape.graph.records()[record];
    let mut bytes = vec![0; ty.bytes() as usize];
    for part in components(ty, shape.limits[record]) {
        let field = ty.fields().iter().find(|field| field.name == part.field);
        let field = field.unwrap();
        let size = field.ty.scalar.bytes();
        let element = part.element.unwrap_or(0) * field.ty.element_bytes();
        let at = (field.offset + element + part.component * size) as usize;
        let bits = part.bits(mix(v, part.salt)).to_le_bytes();
        bytes[at..at + size as usize].copy_from_slice(&bits[..size as usize]);
    }
    bytes
}
