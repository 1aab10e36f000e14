//! Encodes the passes of a sweep.
//!
//! In: the [`PassBindings`] of a run. Out: dispatches, part by part, in the order of levels. The
//! caller decides which parts form a pass or a submission, and which are timed; the dispatches are
//! the same.

use super::bind_groups::PassBindings;
use super::runner::GraphRunner;
use super::sweeps::Sweep;
use super::tables::{self, Tables};
use crate::layout::RUNTIME_GROUP;

/// Up to this number of blocks, one workgroup scans all of them faster than three dispatches do.
const FEW_BLOCKS: u32 = 4;

/// A part of a sweep that can be encoded as a pass of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SweepPart {
    /// Restores the initial state of a recorded run.
    Begin,
    /// Copies inputs to the queues of entries.
    CopyInputs,
    /// Decides how many launches of each stage of a level are admitted.
    Admission(u32),
    /// Runs a stage.
    Stage(usize),
    /// Resets the queues that the last level of the previous sweep has emptied.
    ResetQueues,
}

impl GraphRunner {
    /// The parts of a sweep in order, from its first level on. If `copies_inputs`, they include the
    /// passes that copy inputs.
    pub(super) fn pieces(&self, copies_inputs: bool, sweep: Sweep) -> Vec<SweepPart> {
        let mut pieces = self.first_pieces(copies_inputs, sweep);
        for level in sweep.from..self.plan.levels() {
            pieces.extend(self.level_pieces(level));
        }
        pieces
    }

    /// The parts before the first level of a sweep.
    pub(super) fn first_pieces(&self, copies_inputs: bool, sweep: Sweep) -> Vec<SweepPart> {
        let reset = (!sweep.is_first).then_some(SweepPart::ResetQueues);
        let copy = (copies_inputs && sweep.from == 0).then_some(SweepPart::CopyInputs);
        reset.into_iter().chain(copy).collect()
    }

    /// The parts of a level in order.
    pub(super) fn level_pieces(&self, level: u32) -> Vec<SweepPart> {
        let stages = self.plan.stages().iter().enumerate();
        let stages = stages.filter(|(_, stage)| stage.stage.level == level);
        let stages = stages.map(|(index, _)| SweepPart::Stage(index));
        [SweepPart::Admission(level)]
            .into_iter()
            .chain(stages)
            .collect()
    }

    /// Describes a part, for messages.
    pub(super) fn describe(&self, piece: SweepPart) -> String {
        match piece {
            SweepPart::Begin => "at the beginning".to_owned(),
            SweepPart::CopyInputs => "while inputs were copied".to_owned(),
            SweepPart::Admission(level) => format!("before level {level}"),
            SweepPart::ResetQueues => "between sweeps".to_owned(),
            SweepPart::Stage(stage) => {
                let stage = self.plan.stages()[stage].stage;
                let id = &self.graph.nodes()[stage.node].id;
                format!("at level {} in node `{id}`", stage.level)
            }
        }
    }

    /// Encodes parts as one compute pass.
    pub(super) fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        run: PassBindings<'_>,
        pieces: &[SweepPart],
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(self.graph.name()),
            timestamp_writes,
        });
        for &piece in pieces {
            match piece {
                SweepPart::Begin => self.encode_begin(&mut pass, run),
                SweepPart::CopyInputs => self.encode_input_copy(&mut pass, run),
                SweepPart::Admission(level) => self.encode_admission(&mut pass, run, level),
                SweepPart::Stage(stage) => self.encode_stage(&mut pass, run, stage),
                SweepPart::ResetQueues => self.encode_queue_reset(&mut pass, run),
            }
        }
    }

    fn encode_begin(&self, pass: &mut wgpu::ComputePass<'_>, run: PassBindings<'_>) {
        let Some(initial_state) = run.initial_state else {
            return;
        };
        let [x, y] = initial_state.groups;
        pass.push_debug_group("begin");
        pass.set_pipeline(&self.pipelines.begin);
        pass.set_bind_group(0, &run.groups.scheduler, &[0]);
        pass.set_bind_group(1, &initial_state.group, &[]);
        pass.dispatch_workgroups(x, y, 1);
        pass.pop_debug_group();
    }

    fn encode_input_copy(&self, pass: &mut wgpu::ComputePass<'_>, run: PassBindings<'_>) {
        let Some(source) = run.source else {
            return;
        };
        pass.push_debug_group("copy inputs");
        pass.set_pipeline(&self.pipelines.admit_inputs);
        pass.set_bind_group(0, &source.scheduler, &[0]);
        pass.set_bind_group(1, &source.inputs[0], &[]);
        pass.dispatch_workgroups(1, 1, 1);
        for (buffer, input) in source.inputs[..source.buffers].iter().enumerate() {
            pass.set_pipeline(&self.pipelines.copy_inputs);
            pass.set_bind_group(0, &source.node, &[Tables::slot(buffer)]);
            pass.set_bind_group(1, input, &[]);
            let arguments = 4 * u64::from(self.layout.input_launch);
            pass.dispatch_workgroups_indirect(run.plan, arguments);
        }
        pass.pop_debug_group();
    }

    fn encode_admission(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        run: PassBindings<'_>,
        level: u32,
    ) {
        let stages = self.plan.stages_at(level);
        let dynamic = stages
            .iter()
            .filter(|stage| self.graph.has_dynamic_grid(stage.stage.node))
            .count() as u32;
        let slot = Tables::slot(self.plan.stages().len() + level as usize);
        pass.push_debug_group(&format!("level {level}: admission"));
        pass.set_bind_group(0, &run.groups.scheduler, &[slot]);
        let groups = self.layout.scan_groups(&self.graph, &self.plan, level);
        if dynamic > 0 && groups <= FEW_BLOCKS && !tables::is_contended(stages) {
            pass.set_pipeline(&self.pipelines.admit_few);
            pass.dispatch_workgroups(1 + dynamic, 1, 1);
        } else {
            if dynamic > 0 {
                pass.set_pipeline(&self.pipelines.scan_records);
                pass.dispatch_workgroups(groups, dynamic, 1);
                pass.set_pipeline(&self.pipelines.scan_blocks);
                pass.dispatch_workgroups(dynamic, 1, 1);
            }
            pass.set_pipeline(&self.pipelines.admit);
            pass.dispatch_workgroups(1 + groups, dynamic.max(1), 1);
        }
        pass.pop_debug_group();
    }

    fn encode_stage(&self, pass: &mut wgpu::ComputePass<'_>, run: PassBindings<'_>, stage: usize) {
        let planned = self.plan.stages()[stage].stage;
        let id = &self.graph.nodes()[planned.node].id;
        pass.push_debug_group(&format!("level {}: {id}", planned.level));
        pass.set_pipeline(&self.pipelines.nodes[planned.node]);
        for (index, group) in (0..).zip(run.users) {
            pass.set_bind_group(index, group, &[]);
        }
        pass.set_bind_group(RUNTIME_GROUP, &run.groups.node, &[Tables::slot(stage)]);
        match run.first.get(stage) {
            Some(&[x, y, z]) => pass.dispatch_workgroups(x, y, z),
            None => {
                let arguments = 4 * u64::from(self.layout.launch(stage));
                pass.dispatch_workgroups_indirect(run.plan, arguments);
            }
        }
        pass.pop_debug_group();
    }

    fn encode_queue_reset(&self, pass: &mut wgpu::ComputePass<'_>, run: PassBindings<'_>) {
        let after_last = self.plan.stages().len() + self.plan.levels() as usize;
        pass.push_debug_group("reset queues");
        pass.set_bind_group(0, &run.groups.scheduler, &[Tables::slot(after_last)]);
        pass.set_pipeline(&self.pipelines.reset_queues);
        pass.dispatch_workgroups(1, 1, 1);
        pass.pop_debug_group();
    }
}
