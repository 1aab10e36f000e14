//! Work estimates of loops and callees, for polls of the cancel flag.
//!
//! In: code with all jump targets resolved. Out: the same code with the work of one iteration on each back edge,
//! and the work of the callee on each call, in units of about one instruction. Only these two instructions execute
//! code repeatedly, so all code executed between two polls has been charged before. Instructions that an iteration
//! or a callee skips are charged too; nested calls and loops are not, as they charge themselves.

use super::{Bytecode, Instr, Pc};

/// Words that are moved in the time of about one instruction.
const WORDS_PER_UNIT: u64 = 16;

impl Bytecode {
    /// Fills in the work of back edges and calls.
    pub(crate) fn count_work(&mut self) {
        let mut before = Vec::with_capacity(self.instrs.len() + 1);
        let mut sum = 0u64;
        for instr in &self.instrs {
            before.push(sum);
            sum = sum.saturating_add(self.work_of(*instr));
        }
        before.push(sum);
        let between = |start: Pc, end: Pc| {
            let work = before[end as usize] - before[start as usize];
            u32::try_from(work).unwrap_or(u32::MAX)
        };
        self.work = between(0, self.instrs.len() as Pc);
        for here in 0..self.instrs.len() as Pc {
            let counted = match self.instrs[here as usize] {
                Instr::LoopBack { to, .. } => between(to, here + 1),
                Instr::Call { to, .. } => between(to, self.end_of_function(to)),
                _ => continue,
            };
            if let Instr::LoopBack { work, .. } | Instr::Call { work, .. } =
                &mut self.instrs[here as usize]
            {
                *work = counted;
            }
        }
    }

    /// The end of the function that contains an instruction.
    fn end_of_function(&self, at: Pc) -> Pc {
        let next = self
            .functions
            .partition_point(|function| function.start <= at);
        let next = self.functions.get(next).map(|function| function.start);
        next.unwrap_or(self.instrs.len() as Pc)
    }

    fn work_of(&self, instr: Instr) -> u64 {
        let words = u64::from(self.words_moved(instr));
        match instr {
            Instr::LoadRuns { runs, .. } | Instr::StoreRuns { runs, .. } => {
                words / WORDS_PER_UNIT + self.run_lists[runs as usize].len() as u64
            }
            Instr::LoadHalves { .. } | Instr::StoreHalves { .. } => words,
            Instr::Matrix { .. } | Instr::Typed { .. } => 8,
            Instr::Texture { .. } => 32,
            _ => 1 + words / WORDS_PER_UNIT,
        }
    }

    /// The words that an instruction copies or clears, if there may be many.
    pub(crate) fn words_moved(&self, instr: Instr) -> u32 {
        match instr {
            Instr::Copy { n, .. }
            | Instr::Zero { n, .. }
            | Instr::Element { n, .. }
            | Instr::Load { n, .. }
            | Instr::Store { n, .. } => n,
            Instr::LoadRuns { runs, .. }
            | Instr::StoreRuns { runs, .. }
            | Instr::LoadHalves { runs, .. }
            | Instr::StoreHalves { runs, .. } => {
                let runs = &self.run_lists[runs as usize];
                runs.iter().map(|run| run.words).sum()
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::FunctionCode;

    #[test]
    fn turns_and_callees_are_counted() {
        let copy = Instr::Copy {
            dst: 0,
            src: 8,
            n: 64,
        };
        let call = Instr::Call {
            to: 0,
            link: 1,
            work: 0,
        };
        let back = Instr::LoopBack { to: 3, work: 0 };
        let function = |start, link| FunctionCode { start, link };
        let mut code = Bytecode {
            instrs: vec![
                copy,
                copy,
                Instr::Return { link: 1 },
                call,
                copy,
                back,
                Instr::End,
            ],
            functions: vec![function(0, Some(1)), function(3, None)],
            ..Bytecode::default()
        };
        code.count_work();
        assert!(matches!(code.instrs[3], Instr::Call { work: 11, .. }));
        assert!(matches!(code.instrs[5], Instr::LoopBack { work: 7, .. }));
        assert_eq!(code.work, 19);
    }
}
