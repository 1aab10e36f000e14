//! Functions with callees, which may have callees themselves.

use super::{DRAWN, FRAME_BYTES, Generator, Random};
use crate::ir::{CalleeWrites, Function, Inst, Op, Type, Value};

/// A function that others may call, and its frame slots.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    number: u32,
    /// The frame slots of its arguments, and their types.
    arguments: Vec<(u32, Type)>,
    /// The frame slots of its results, and their types.
    results: Vec<(u32, Type)>,
}

/// A random function of about `size` statements, and its callees. All have the same frame.
pub fn functions(seed: u64, lanes: u32, size: usize) -> (Function, Vec<Function>) {
    let mut random = Random::new(seed ^ 0x6361_6c6c);
    let mut known: Vec<Callee> = Vec::new();
    let mut callees = Vec::new();
    let mut frame = FRAME_BYTES;
    for number in 0..1 + random.below(3) as u32 {
        let mut slots = |random: &mut Random| -> Vec<(u32, Type)> {
            (0..random.below(4))
                .map(|_| {
                    frame += 64;
                    (frame - 64, random.pick(&DRAWN))
                })
                .collect()
        };
        let callee = Callee {
            number,
            arguments: slots(&mut random),
            results: slots(&mut random),
        };
        let own = Random::new(random.bits());
        let mut generator = Generator::new(own, lanes, size / 4);
        generator.frame = frame;
        generator.function.frame_bytes = frame;
        generator.callees = known.clone();
        generator.callee(&callee);
        frame += FRAME_BYTES;
        callees.push(generator.function);
        known.push(callee);
    }
    let mut generator = Generator::new(random, lanes, size);
    generator.function.frame_bytes = frame;
    generator.callees = known;
    generator.begin();
    while generator.left > 0 {
        generator.statement(0);
    }
    generator.call();
    generator.end();
    for callee in &mut callees {
        callee.frame_bytes = frame;
    }
    (generator.function, callees)
}

impl Generator {
    /// Generates a callee.
    fn callee(&mut self, callee: &Callee) {
        self.is_uniform = false;
        self.begin();
        let lanes = self.emit(Op::ActiveLanes, &[]);
        let mask = self.emit(Op::FromBallot, &[lanes]);
        self.offer(mask);
        for &(offset, ty) in &callee.arguments {
            let value = self.frame_load(offset, ty);
            self.offer(value);
        }
        while self.left > 0 {
            self.statement(0);
        }
        for &(offset, ty) in &callee.results {
            let value = self.draw(ty);
            self.emit(Op::FrameStore(offset), &[value]);
        }
        self.end();
    }

    /// Generates a call with random active lanes.
    pub(super) fn call(&mut self) {
        let place = self.random.below(self.callees.len());
        let callee = self.callees[place].clone();
        for &(offset, ty) in &callee.arguments {
            let value = self.draw(ty);
            self.emit(Op::FrameStore(offset), &[value]);
        }
        let mask = self.draw(Type::Mask);
        let lanes = self.emit(Op::Ballot, &[mask]);
        self.emit(Op::Call(callee.number, CalleeWrites::Everything), &[lanes]);
        for &(offset, ty) in &callee.results {
            let value = self.frame_load(offset, ty);
            self.offer(value);
        }
    }

    fn frame_load(&mut self, offset: u32, ty: Type) -> Value {
        let value = self.function.add_value(ty);
        self.function.block_mut(self.block).insts.push(Inst {
            op: Op::FrameLoad(offset),
            operands: Default::default(),
            result: Some(value),
        });
        value
    }
}
