//! One call on the virtual machine and on the compiled tier.

use anywarp_wasm::{
    Engine, Kernel, LaunchError, LaunchOutcome, Module, Resources, ThreadEnd, TrapCode, Value,
};

use super::engine;

/// A module on both tiers.
pub(super) struct Pair {
    vm: Module,
    compiled: Module,
}

/// What came of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// Both tiers gave the same results.
    Equal,
    /// Both tiers trapped alike.
    Trapped,
    /// It was not compared, for this reason.
    Skipped(String),
}

/// Back edges and calls that the virtual machine may execute.
const FUEL: u64 = 1_000_000;

impl Pair {
    /// The module, if the virtual machine takes it.
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            vm: Module::new(&Engine::vm(), bytes).ok()?,
            compiled: Module::new(&engine(), bytes).ok()?,
        })
    }

    /// The names of the exported functions.
    pub(super) fn kernels(&self) -> Vec<String> {
        self.vm.kernels().map(str::to_owned).collect()
    }

    /// The types of a kernel's parameters.
    pub(super) fn params(&self, name: &str) -> Vec<anywarp_wasm::Type> {
        self.vm
            .kernel(name)
            .map_or_else(|_| Vec::new(), |kernel| kernel.params().to_vec())
    }

    /// Calls a kernel with one thread and fresh memories on both.
    pub(super) fn call(&self, name: &str, args: &[Value]) -> Result<Compared, String> {
        let skip = |error: &LaunchError| Ok(Compared::Skipped(error.to_string()));
        let run = |kernel: Kernel| kernel.run(&mut Resources::new());
        let kernel = |module: &Module| module.kernel(name)?.args(args.iter().copied());
        let expected = match kernel(&self.vm).and_then(|kernel| run(kernel.fuel(FUEL))) {
            Ok(outcome) => outcome,
            Err(error) => return skip(&error),
        };
        if let ThreadEnd::Trapped(trap) = &expected.threads[0]
            && matches!(
                trap.code,
                TrapCode::FuelExhausted | TrapCode::StackExhausted
            )
        {
            return Ok(Compared::Skipped("endless or very deep".to_owned()));
        }
        let found = match kernel(&self.compiled).and_then(run) {
            Ok(outcome) => outcome,
            Err(LaunchError::NotCompiled(reason)) => {
                return Ok(Compared::Skipped(format!("not compiled: {reason}")));
            }
            Err(error) => return Err(format!("{name}{args:?}: {error}")),
        };
        if !same(&expected, &found) {
            return Err(format!(
                "{name}{args:?}: {:?}, but compiled {:?}",
                expected.threads[0], found.threads[0]
            ));
        }
        Ok(match &expected.threads[0] {
            ThreadEnd::Done(_) => Compared::Equal,
            ThreadEnd::Trapped(_) => Compared::Trapped,
        })
    }
}

/// Whether the ends of the thread are the same; the bits of NaN results are free.
fn same(expected: &LaunchOutcome, found: &LaunchOutcome) -> bool {
    match (&expected.threads[0], &found.threads[0]) {
        (ThreadEnd::Done(expected), ThreadEnd::Done(found)) => {
            let is_nan = |value: &Value| {
                value.as_f32().is_some_and(f32::is_nan) || value.as_f64().is_some_and(f64::is_nan)
            };
            let pairs = expected.iter().zip(found);
            expected.len() == found.len()
                && pairs
                    .into_iter()
                    .all(|(one, other)| one == other || is_nan(one) && is_nan(other))
        }
        (ThreadEnd::Trapped(expected), ThreadEnd::Trapped(found)) => expected == found,
        _ => false,
    }
}
