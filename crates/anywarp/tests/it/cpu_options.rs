//! Options of dispatches on the CPU: engines, threads, limits on time, floats; with and without textures.

use std::time::Duration;

use anywarp::adapter::SubgroupSize;
use anywarp::{
    AdapterOptions, Cpu, Device, Engine, Floats, LostReason, Shader, ShaderError, Target, Texels,
};

const SUM: &str = "enable subgroups;
    @group(0) @binding(0) var<storage> numbers: array<f32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<f32>;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_size) lanes: u32) {
        var sum = f32(lanes) * 0.0;
        for (var i = 0u; i <= id.x % 17u; i++) { sum = sum * 0.3 + numbers[(id.x + i) % 256u]; }
        sums[id.x] = sum;
    }";

const LANES: &str = "enable subgroups;
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(subgroup_size) lanes: u32) { out[0] = lanes; }";

const ENDLESS: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(1) fn main() { loop { out[0] += 1u; if out[0] == 0u { break; } } }";

fn engines() -> Vec<Engine> {
    let mut engines = vec![Engine::Fastest, Engine::Interpreter];
    engines.extend(Target::all().map(Engine::Code));
    engines
}

#[test]
fn every_engine_and_number_of_threads_gives_the_same_bits() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(SUM)?;
    let numbers: Vec<f32> = (0..256).map(|index| (index as f32).sin()).collect();
    let run = |cpu: &Cpu| -> Result<Vec<u32>, ShaderError> {
        let mut sums = vec![0.0_f32; 64 * 40];
        let dispatch = shader.only_entry()?.bind("numbers", &numbers);
        dispatch
            .bind("sums", &mut sums)
            .dispatch_with(cpu, [40, 1, 1])?;
        Ok(sums.into_iter().map(f32::to_bits).collect())
    };
    let expected = run(&Cpu::default())?;
    let strict = run(&Cpu::new(AdapterOptions::default().floats(Floats::Strict)))?;
    assert_ne!(strict, expected, "fusing changes some results");
    for engine in engines() {
        for threads in [1, 3] {
            let options = AdapterOptions::default().engine(engine).threads(threads);
            assert_eq!(run(&Cpu::new(options.clone()))?, expected, "{options:?}");
            let options = options.floats(Floats::Strict);
            assert_eq!(run(&Cpu::new(options.clone()))?, strict, "{options:?}");
        }
    }
    Ok(())
}

#[test]
fn the_engine_and_the_subgroup_size_are_those_of_the_options() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(LANES)?;
    let lanes = |options: AdapterOptions| -> Result<u32, ShaderError> {
        let mut out = [0_u32];
        let dispatch = shader.only_entry()?.bind("out", &mut out);
        dispatch.dispatch_with(&Cpu::new(options), [1, 1, 1])?;
        Ok(out[0])
    };
    for engine in engines() {
        let options = AdapterOptions::default().engine(engine);
        assert_eq!(
            lanes(options.clone())?,
            engine.default_subgroup_size().get()
        );
        assert_eq!(lanes(options.subgroup_size(SubgroupSize::new(32)))?, 32);
    }
    Ok(())
}

#[test]
fn limits_on_time_end_a_dispatch_and_leave_the_cpu_usable() -> Result<(), ShaderError> {
    let short = Duration::from_millis(50);
    let endless = Shader::wgsl(ENDLESS)?;
    for (options, expected) in [
        (AdapterOptions::default().watchdog(short), "endless loop"),
        (
            AdapterOptions::default()
                .watchdog(None)
                .dispatch_limit(short),
            "limit",
        ),
        (AdapterOptions::default().loop_iterations(1000), "1000"),
    ] {
        let cpu = Cpu::new(options);
        let mut out = [0_u32];
        let dispatch = endless.only_entry()?.bind("out", &mut out);
        let error = dispatch.dispatch_with(&cpu, [1, 1, 1]).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        let ShaderError::Dispatch(reason) = error else {
            panic!("{error}");
        };
        assert_eq!(
            matches!(reason, LostReason::TooMuchWork(_)),
            expected == "limit"
        );
        let mut lanes = [0_u32];
        let dispatch = Shader::wgsl(LANES)?.only_entry()?.bind("out", &mut lanes);
        dispatch.dispatch_with(&cpu, [1, 1, 1])?;
        assert_ne!(lanes, [0]);
    }
    Ok(())
}

/// Entry points with textures run on a device, which is kept for later dispatches, unless it was lost.
#[test]
fn textures_have_the_options_too() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(
        "override turns: u32 = 1u;
        @group(0) @binding(0) var photo: texture_2d<f32>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main() {
            for (var i = 0u; i < turns; i++) { out[0] += u32(textureLoad(photo, vec2u(), 0).x * 255.0); }
        }",
    )?;
    let cpu = Cpu::new(AdapterOptions::default().loop_iterations(100));
    let texel = [3_u8, 0, 0, 0];
    let run = |turns: f64| -> Result<u32, ShaderError> {
        let mut out = [0_u32];
        let dispatch = shader
            .only_entry()?
            .constant("turns", turns)
            .bind("out", &mut out);
        let dispatch = dispatch.bind("photo", Texels::new([1, 1], &texel));
        dispatch.dispatch_with(&cpu, [1, 1, 1])?;
        Ok(out[0])
    };
    assert_eq!(run(1.0)?, 3);
    assert_eq!(run(2.0)?, 6);
    let error = run(1e6).unwrap_err().to_string();
    assert!(error.contains("100 iterations"), "{error}");
    assert_eq!(run(3.0)?, 9, "a lost device is replaced");
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8)
            .map(|turns| scope.spawn(move || run(f64::from(turns))))
            .collect();
        for (turns, run) in (0..).zip(runs) {
            assert_eq!(run.join().expect("no panic").ok(), Some(turns * 3));
        }
    });
    Ok(())
}

#[test]
fn devices_and_instances_have_options() -> Result<(), ShaderError> {
    let options = AdapterOptions::default().subgroup_size(SubgroupSize::new(64));
    let device = Device::cpu_with(options.clone())?;
    let mut out = [0_u32];
    let dispatch = Shader::wgsl(LANES)?.only_entry()?.bind("out", &mut out);
    dispatch.dispatch_on(&device, [1, 1, 1])?;
    assert_eq!(out, [64]);
    let instance = anywarp::instance_with(options);
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()));
    assert_eq!(adapter.expect("the CPU").get_info().subgroup_min_size, 64);
    Ok(())
}
