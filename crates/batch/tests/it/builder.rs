//! The builder: typed parameters and results, the check for the guard, and every error by name.

use std::error::Error;
use std::sync::Arc;

use anywarp_batch::{
    Batch, BatchBuilder, BatchLock, BatchRunner, BatchSlots, BuildError, Completed, Failed,
    LossNotifier, Outcomes, PassError, PassShader, SubmitError, Workgroups,
};
use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages as Usage;

use crate::gpu::Gpu;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    digit: u32,
    scale: f32,
}

const STEP: &str = "
struct Params { digit: u32, scale: f32 }
@group(0) @binding(2) var<uniform> params: Params;
@group(1) @binding(0) var<storage, read_write> state: array<u32>;
@group(1) @binding(3) var<uniform> factor: u32;
@group(2) @binding(0) var<storage, read_write> scaled: array<f32>;
@compute @workgroup_size(1) fn append() {
    if !batch_is_active() { return; }
    state[0] = state[0] * factor + params.digit;
    state[1] += 1u;
}
fn is_allowed() -> bool { return batch_is_active(); }
@compute @workgroup_size(1) fn scale() {
    if is_allowed() { scaled[0] = f32(state[0]) * params.scale; }
}
@compute @workgroup_size(1) fn forgetful() { state[0] = 1u; }
@compute @workgroup_size(1) fn textured() {
    if !batch_is_active() { return; }
    state[0] = textureDimensions(picture).x;
}
@group(1) @binding(4) var picture: texture_2d<f32>;
";

struct Buffers {
    state: wgpu::Buffer,
    factor: wgpu::Buffer,
    scaled: wgpu::Buffer,
}

impl Buffers {
    fn new(gpu: &Gpu) -> Self {
        let factor = gpu.buffer(4, Usage::UNIFORM | Usage::COPY_DST);
        gpu.queue.write_buffer(&factor, 0, &10_u32.to_le_bytes());
        gpu.settle();
        Self {
            state: gpu.storage(8),
            factor,
            scaled: gpu.storage(4),
        }
    }

    fn builder<'a>(&self, gpu: &Gpu) -> BatchBuilder<'a, Params> {
        Batch::builder(&gpu.device, &gpu.queue)
            .params::<Params>()
            .bind(1, 0, &self.state)
            .bind(1, 3, &self.factor)
    }
}

#[test]
fn parameters_and_results_have_types() {
    Gpu::each("builder", |gpu| {
        let buffers = Buffers::new(gpu);
        let mut batch = buffers
            .builder(gpu)
            .bind(2, 0, &buffers.scaled)
            .pass(STEP, "append", [1, 1, 1])
            .pass(
                PassShader::from(STEP).label("step.wgsl"),
                "scale",
                [1, 1, 1],
            )
            .read_back_range::<u32>(&buffers.state, 0..4)
            .read_back::<u32>(&buffers.state)
            .read_back::<f32>(&buffers.scaled)
            .build()
            .unwrap();
        let mut last = None;
        for digit in [4, 2, 7] {
            while batch.submit(&Params { digit, scale: 0.5 }) == Err(SubmitError::Full) {
                last = batch.wait();
            }
        }
        while let Some(outcome) = batch.wait() {
            last = Some(outcome);
        }
        let (first, state, scaled) = last.unwrap().unwrap().results;
        assert_eq!(
            (first, state, scaled),
            (vec![427], vec![427, 3], vec![213.5])
        );
        assert_eq!(batch.stats().completed, 3);
    });
}

#[test]
fn a_pass_without_parameters_or_results() {
    let gpu = Gpu::cpu();
    let state = gpu.storage(4);
    let count = "@group(1) @binding(0) var<storage, read_write> state: u32;
        @compute @workgroup_size(1) fn main() { if batch_is_active() { state++; } }";
    let mut batch = Batch::builder(&gpu.device, &gpu.queue)
        .bind(1, 0, &state)
        .pass(count.to_owned(), "main", [1, 1, 1])
        .build()
        .unwrap();
    for _ in 0..3 {
        batch.submit(&()).unwrap();
        let () = batch.wait().unwrap().unwrap().results;
    }
    assert_eq!(gpu.read(&state), [3]);
}

#[test]
fn an_unguarded_pass_must_say_so() {
    let gpu = Gpu::cpu();
    let buffers = Buffers::new(&gpu);
    let forgetful = PassShader::from(STEP).label("step.wgsl");
    let builder = || Batch::builder(&gpu.device, &gpu.queue).bind(1, 0, &buffers.state);
    let error = builder()
        .pass(forgetful.clone(), "forgetful", [1; 3])
        .build();
    let text = chain(&error.unwrap_err());
    assert!(
        text.starts_with(
            "pass 0: entry point `forgetful` of `step.wgsl`: it never calls `batch_is_active()`"
        ),
        "{text}"
    );
    let built = builder()
        .pass(forgetful.unguarded(), "forgetful", [1; 3])
        .build();
    assert!(built.is_ok());
}

#[test]
fn a_pipeline_for_slots_is_checked_too() {
    let gpu = Gpu::cpu();
    let slots = BatchSlots::new(&gpu.device, &gpu.queue, Default::default()).unwrap();
    let (layout, _) = gpu.group(&[&gpu.storage(4)]);
    let text = |guard| {
        format!(
            "@group(1) @binding(0) var<storage, read_write> state: u32;
            @compute @workgroup_size(1) fn main() {{ {guard} state++; }}"
        )
    };
    let guarded = text("if !batch_is_active() { return; }");
    assert!(slots.pipeline(guarded, "main", &[(1, &layout)]).is_ok());
    let error: PassError = slots
        .pipeline(text(""), "main", &[(1, &layout)])
        .unwrap_err();
    assert_eq!(error.to_string(), "entry point `main` of `shader`");
    // The layout is missing.
    gpu.device.on_uncaptured_error(Arc::new(|_| {}));
    let guarded = text("if !batch_is_active() { return; }");
    let error = slots.pipeline(guarded, "main", &[]).unwrap_err();
    assert!(
        chain(&error).contains("the device rejected it"),
        "{}",
        chain(&error)
    );
}

/// The messages of an error and of its sources; of an error of the device only the first.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next.filter(|source| !source.is::<Arc<wgpu::Error>>()) {
        text = format!("{text}: {source}");
        next = source.source();
    }
    text
}

#[test]
fn every_error_names_what_is_wrong() {
    let gpu = Gpu::cpu();
    gpu.device.on_uncaptured_error(Arc::new(|_| {}));
    let buffers = Buffers::new(&gpu);
    let other = gpu.buffer(8, Usage::COPY_DST);
    let small = gpu.buffer(2, Usage::STORAGE | Usage::COPY_DST);
    let (layout, group) = gpu.group(&[&buffers.state]);
    let builder = || buffers.builder(&gpu);
    let plain = || Batch::builder(&gpu.device, &gpu.queue);
    let append = |builder: BatchBuilder<'static, Params>| builder.pass(STEP, "append", [1; 3]);
    let text = |build: Result<(), BuildError>| chain(&build.unwrap_err());
    let built = |builder: BatchBuilder<'static, Params>| text(builder.build().map(drop));
    let cases = [
        (
            built(builder().pass(STEP, "step", [1; 3])),
            "pass 0: entry point `step` of `shader`: there is no such compute entry point; there is `append`, `scale`, `forgetful`, `textured`",
        ),
        (
            built(append(builder()).pass("fn main( {}", "main", [1; 3])),
            "pass 1: entry point `main` of `shader`: line 1, column 10: expected",
        ),
        (
            built(append(plain().params::<Params>().bind(
                1,
                3,
                &buffers.factor,
            ))),
            "pass 0: entry point `append` of `shader`: `state` (group 1, binding 0) is not bound",
        ),
        (
            built(append(builder().bind(1, 1, &buffers.state))),
            "no pass uses group 1, binding 1",
        ),
        (
            built(append(builder().bind(1, 0, &buffers.state))),
            "group 1, binding 0 is bound twice",
        ),
        (
            built(append(builder().bind(0, 0, &buffers.state))),
            "bind group 0 is reserved for the batch; use another one",
        ),
        (
            built(append(builder().bind_group(1, &layout, &group))),
            "bind group 1 is bound twice",
        ),
        (
            built(append(plain().params::<Params>().bind(1, 0, &other).bind(
                1,
                3,
                &buffers.factor,
            ))),
            "pass 0: entry point `append` of `shader`: the buffer of `state` (group 1, binding 0) lacks the usage STORAGE",
        ),
        (
            built(append(plain().params::<Params>().bind(1, 0, &small).bind(
                1,
                3,
                &buffers.factor,
            ))),
            "pass 0: entry point `append` of `shader`: `state` (group 1, binding 0) needs 4 bytes, but its buffer has 2",
        ),
        (
            built(
                builder()
                    .bind(1, 4, &buffers.state)
                    .pass(STEP, "textured", [1; 3]),
            ),
            "pass 0: entry point `textured` of `shader`: `picture` (group 1, binding 4) is not a buffer; give a whole bind group with `bind_group`",
        ),
        (
            built(builder().pass(STEP, "append", [1, 65536, 1])),
            "pass 0: entry point `append` of `shader`: 1x65536x1 workgroups exceed the device's limit of 65535 in each dimension",
        ),
        (
            text(
                plain()
                    .params::<[u32; 5]>()
                    .bind(1, 0, &buffers.state)
                    .bind(1, 3, &buffers.factor)
                    .pass(STEP, "append", [1; 3])
                    .build()
                    .map(drop),
            ),
            "pass 0: entry point `append` of `shader`: the parameters `params` have 8 bytes in the shader, but 20 in Rust",
        ),
        (
            text(
                plain()
                    .bind(1, 0, &buffers.state)
                    .bind(1, 3, &buffers.factor)
                    .pass(STEP, "append", [1; 3])
                    .build()
                    .map(drop),
            ),
            "pass 0: entry point `append` of `shader`: `params` (group 0, binding 2) is not bound",
        ),
        (
            text(
                append(builder())
                    .read_back::<[u32; 3]>(&buffers.state)
                    .build()
                    .map(drop),
            ),
            "result range 0: its size is not a multiple of its elements, which have 12 bytes",
        ),
        (
            text(append(builder()).read_back::<u32>(&other).build().map(drop)),
            "result range 0: its buffer lacks STORAGE usage",
        ),
        (
            text(
                append(builder())
                    .read_back_range::<u32>(&buffers.state, 4..16)
                    .build()
                    .map(drop),
            ),
            "result range 0: it extends past the end of its buffer",
        ),
        (
            built(append(builder().slots(0))),
            "at least one slot is needed",
        ),
        (
            built(builder().pass(
                "@compute @workgroup_size(1025) fn main() { _ = batch_is_active(); }",
                "main",
                [1; 3],
            )),
            "pass 0: entry point `main` of `shader`: the device rejected it",
        ),
    ];
    for (found, expected) in cases {
        assert!(
            found.starts_with(expected),
            "{found}\n  instead of\n{expected}"
        );
    }
}

#[test]
fn public_handles_go_to_other_threads() {
    fn is_sendable<T: Send + Sync + 'static>() {}
    is_sendable::<Batch<Params, Vec<u32>>>();
    is_sendable::<BatchBuilder<'static, Params>>();
    is_sendable::<BatchLock>();
    is_sendable::<BatchRunner>();
    is_sendable::<BatchSlots>();
    is_sendable::<BuildError>();
    is_sendable::<Completed>();
    is_sendable::<Failed>();
    is_sendable::<LossNotifier>();
    is_sendable::<Outcomes>();
    is_sendable::<PassShader<'static>>();
    is_sendable::<SubmitError>();
    is_sendable::<Workgroups>();
}
