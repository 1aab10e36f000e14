//! The official test suite of WebAssembly, versions 1 and 2, on the virtual machine.

mod gpu;
mod machine;
mod runner;
mod table;
mod values;

use machine::VirtualMachine;
use runner::Version;

#[test]
fn version_1_on_the_virtual_machine() {
    all_of(Version::V1);
}

#[test]
fn version_2_on_the_virtual_machine() {
    all_of(Version::V2);
}

#[test]
fn version_1_on_the_gpu_interpreter() {
    on_the_cpu_adapter(Version::V1);
}

#[test]
fn version_2_on_the_gpu_interpreter() {
    on_the_cpu_adapter(Version::V2);
}

fn on_the_cpu_adapter(version: Version) {
    let interpreter = gpu::on_cpu();
    all_on(version, &mut || Box::new(gpu::GpuMachine::new(interpreter)));
}

fn all_of(version: Version) {
    all_on(version, &mut || Box::new(VirtualMachine::default()));
}

fn all_on(version: Version, machine: &mut dyn FnMut() -> Box<dyn machine::Machine>) {
    let reports = runner::run_version(version, machine);
    let text = table::render(&reports);
    table::show(&text);
    let failures: Vec<&str> = reports
        .iter()
        .flat_map(|report| report.failures.iter().map(String::as_str))
        .collect();
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
    let passed: usize = reports.iter().map(|report| report.passed).sum();
    // The suite has not shrunk, and the runner has not learnt to skip.
    let least = match version {
        Version::V1 => 16_000,
        Version::V2 => 24_000,
    };
    assert!(passed >= least, "only {passed} assertions passed");
}
