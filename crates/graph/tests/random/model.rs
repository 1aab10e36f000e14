//! The bodies of a random graph's nodes, for the oracle.
//!
//! Out: the log of all nodes, as (node, hash).

use std::cell::RefCell;

use anywarp_graph::model::{InputAccess, Launch};
use anywarp_graph::oracle::{Oracle, OracleError, OracleFault, OracleLaunch, OracleRecord};

use crate::random::shape::{Body, Component, OutputBody, Shape, Style, mix, salt};

type Log = RefCell<Vec<(u32, u32)>>;

/// The log, or why the oracle stopped.
pub(crate) fn run(
    shape: &Shape,
    max: u64,
    grouping: impl FnMut(u32) -> u32,
) -> Result<Vec<(u32, u32)>, OracleError> {
    let log = Log::default();
    let mut oracle = Oracle::new(&shape.graph);
    oracle.max_launches(max);
    oracle.local_arguments(shape.local.clone());
    oracle.grouping(grouping);
    for (node, body) in shape.graph.nodes().iter().zip(&shape.bodies) {
        let outputs = node.resolved_outputs.iter().zip(&body.outputs);
        let outputs = outputs.map(|(output, body)| Out {
            name: &output.name,
            fields: shape.components(output.record),
            is_empty: output.record.is_none(),
            body,
        });
        let model = Model {
            thin: shape.thin,
            launch: node.launch,
            access: node.access,
            body,
            input: shape.components(node.record),
            outputs: outputs.collect(),
            log: &log,
        };
        oracle.body(node.id.clone(), move |launch| model.run(launch))?;
    }
    let inputs: Vec<_> = shape.inputs.iter().map(|input| input.records()).collect();
    oracle.run(&inputs)?;
    drop(oracle);
    Ok(log.into_inner())
}

struct Out<'a> {
    name: &'a str,
    fields: Vec<Component>,
    is_empty: bool,
    body: &'a OutputBody,
}

struct Model<'a> {
    thin: u32,
    launch: Launch,
    access: InputAccess,
    body: &'a Body,
    input: Vec<Component>,
    outputs: Vec<Out<'a>>,
    log: &'a Log,
}

impl Model<'_> {
    fn log(&self, what: u32) {
        self.log.borrow_mut().push((self.body.number, what));
    }

    fn run(&self, launch: &mut OracleLaunch<'_>) -> Result<(), OracleFault> {
        match self.launch {
            Launch::Thread => self.record(launch, 0),
            Launch::Coalescing { .. } => self.coalesced(launch),
            Launch::Broadcasting { .. } => self.broadcast(launch),
        }
    }

    fn digest(&self, launch: &OracleLaunch<'_>, record: u32) -> Result<u32, OracleFault> {
        let mut digest = self.body.number;
        for word in 0..self.body.words {
            digest = mix(digest, launch.local_argument(word)?);
        }
        let record = launch.record(record)?;
        let seen = self.input.iter();
        for part in seen.filter(|part| Some(&part.field) != self.body.sum.as_ref()) {
            let bits = record.get(&part.field, part.element.unwrap_or(0), part.component)?;
            digest = mix(digest, bits);
        }
        Ok(digest)
    }

    /// The work of an invocation with its own record.
    fn record(&self, launch: &mut OracleLaunch<'_>, record: u32) -> Result<(), OracleFault> {
        let key = self.digest(launch, record)?;
        self.log(mix(key, launch.remaining_recursion_levels()));
        for (number, output) in self.outputs.iter().enumerate() {
            if output.body.style == Style::Thread {
                self.send_own(launch, number, key)?;
            }
        }
        if self.access == InputAccess::ReadWrite {
            for part in &self.input {
                let bits = part.bits(mix(mix(key, salt::REWRITTEN), part.salt));
                let record = launch.record_mut(record)?;
                record.set(&part.field, part.element.unwrap_or(0), part.component, bits)?;
            }
            self.log(self.digest(launch, record)?);
        }
        Ok(())
    }

    fn count(&self, output: &Out<'_>, k: u32) -> u32 {
        if !(k >> 8).is_multiple_of(self.thin) {
            0
        } else if output.body.is_full {
            output.body.each
        } else {
            k % (output.body.each + 1)
        }
    }

    fn index(output: &Out<'_>, k: u32) -> u32 {
        output
            .body
            .indices
            .map_or(0, |most| mix(k, salt::INDEX) % most)
    }

    /// Records that an invocation allocates by itself.
    fn send_own(
        &self,
        launch: &mut OracleLaunch<'_>,
        number: usize,
        key: u32,
    ) -> Result<(), OracleFault> {
        let output = &self.outputs[number];
        let k = mix(key, salt::OUTPUT + number as u32);
        let count = match output.body.style {
            Style::Last => 1,
            Style::Thread | Style::Group => self.count(output, k),
        };
        let index = Self::index(output, k);
        if count > 0 && !launch.is_valid(output.name, index)? {
            self.log(mix(k, salt::INVALID));
            return Ok(());
        }
        for place in 0..count {
            let record = self.made(launch, output, k, place)?;
            if output.body.reads_back {
                let digest = output.fields.iter().try_fold(k, |digest, part| {
                    let element = part.element.unwrap_or(0);
                    Ok(mix(
                        digest,
                        record.get(&part.field, element, part.component)?,
                    ))
                });
                self.log(mix(digest?, salt::READ_BACK));
            }
            launch.send(output.name, index, [record])?;
        }
        Ok(())
    }

    fn made(
        &self,
        launch: &OracleLaunch<'_>,
        output: &Out<'_>,
        k: u32,
        place: u32,
    ) -> Result<OracleRecord, OracleFault> {
        let mut record = launch.new_record(output.name)?;
        let v = mix(k, salt::RECORD + place);
        for part in &output.fields {
            let bits = part.bits(mix(v, part.salt));
            record.set(&part.field, part.element.unwrap_or(0), part.component, bits)?;
        }
        Ok(record)
    }

    /// Records that a workgroup allocates at once, for one record of the input.
    fn send_group(
        &self,
        launch: &mut OracleLaunch<'_>,
        number: usize,
        key: u32,
        index: Option<u32>,
    ) -> Result<(), OracleFault> {
        let output = &self.outputs[number];
        let k = mix(key, salt::OUTPUT + number as u32);
        let count = self.count(output, k);
        let index = index.unwrap_or(Self::index(output, k));
        if !launch.is_valid(output.name, index)? {
            self.log(mix(k, salt::INVALID));
            return Ok(());
        }
        if output.is_empty {
            return launch.count(output.name, index, count);
        }
        for place in 0..count {
            let record = self.made(launch, output, k, place)?;
            launch.send(output.name, index, [record])?;
        }
        Ok(())
    }

    fn coalesced(&self, launch: &mut OracleLaunch<'_>) -> Result<(), OracleFault> {
        for (number, output) in self.outputs.iter().enumerate() {
            if output.body.style == Style::Group {
                let index = Self::index(output, mix(self.body.number, number as u32));
                for record in 0..launch.input_count() {
                    let key = self.digest(launch, record)?;
                    self.send_group(launch, number, key, Some(index))?;
                }
            }
        }
        (0..launch.input_count()).try_for_each(|record| self.record(launch, record))
    }

    fn broadcast(&self, launch: &mut OracleLaunch<'_>) -> Result<(), OracleFault> {
        let digest = self.digest(launch, 0)?;
        let (group, grid) = (launch.group_id(), launch.grid());
        let mut key = mix(digest, launch.remaining_recursion_levels());
        for side in group.into_iter().chain(grid) {
            key = mix(key, side);
        }
        for (number, output) in self.outputs.iter().enumerate() {
            if output.body.style == Style::Group {
                self.send_group(launch, number, mix(key, salt::GROUP), None)?;
            }
        }
        let Launch::Broadcasting { workgroup_size, .. } = self.launch else {
            return Ok(());
        };
        for (index, local) in launch.invocations() {
            let mut own = mix(key, index);
            for side in 0..3 {
                own = mix(own, local[side]);
                own = mix(own, group[side] * workgroup_size[side] + local[side]);
            }
            self.log(own);
            for (number, output) in self.outputs.iter().enumerate() {
                if output.body.style == Style::Thread {
                    self.send_own(launch, number, own)?;
                }
            }
        }
        let Some(sum) = &self.body.sum else {
            return Ok(());
        };
        let record = launch.record_mut(0)?;
        let total = record.get(sum, 0, 0)?.wrapping_add(mix(key, salt::ADDED));
        record.set(sum, 0, 0, total)?;
        if self.access == InputAccess::Tracked && launch.finished_cross_group_sharing()? {
            let total = mix(mix(digest, total), salt::TOTAL);
            self.log(total);
            for (number, output) in self.outputs.iter().enumerate() {
                if output.body.style == Style::Last {
                    self.send_own(launch, number, total)?;
                }
            }
        }
        Ok(())
    }
}
