//! A cache of kernels by content: pipelines with equal programs share one compiled kernel.
//!
//! In: a program, an entry point and the values of constants. Out: a kernel, which pipelines may share. Two programs
//! are equal if their modules and their texts are equal, file name included, so that messages name the right location;
//! they may come from different shader modules. Each device has one cache of at most [`MAX_KERNELS`] kernels, with LRU
//! eviction.
//!
//! What always holds: programs share a kernel only if their contents are equal byte by byte. A hash with a random key
//! only finds candidates.

use std::collections::VecDeque;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use anywarp_cpu::Kernel;
use anywarp_program::{Program, Source};
use naga::back::PipelineConstants;

/// The capacity. Pipelines keep their kernels alive independently of it.
const MAX_KERNELS: usize = 64;

/// The key of all hashes, drawn once per process: a program keeps its content, hash included, for the caches of all
/// devices.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The inputs of compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    program: Arc<ProgramContent>,
    entry_point: String,
    /// Sorted by name, with values as bits.
    constants: Vec<(String, u64)>,
}

/// The content of a program, as bytes.
#[derive(PartialEq, Eq)]
struct ProgramContent {
    /// The hash of the bytes; compared first.
    hash: u64,
    /// The module serialised through serde: structure and values, without source spans.
    module: Vec<u8>,
    source: Option<Source>,
}

impl ProgramContent {
    /// `None` where the module cannot be serialized.
    fn of(program: &Program, hasher: &impl BuildHasher) -> Option<Self> {
        let module = postcard::to_allocvec(program.module()).ok()?;
        let source = program.source().cloned();
        Some(Self {
            hash: hasher.hash_one((&module, source.as_ref().map(Source::text))),
            module,
            source,
        })
    }
}

impl fmt::Debug for ProgramContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramContent")
            .field("bytes", &self.module.len())
            .finish_non_exhaustive()
    }
}

/// The content of a program, computed once per program.
struct CachedContent(Option<Arc<ProgramContent>>);

/// The kernels of a device, the most recently used one at the end (LRU).
#[derive(Debug, Default)]
pub(crate) struct KernelCache {
    kernels: Mutex<VecDeque<(Key, Arc<Kernel>)>>,
}

impl KernelCache {
    /// The cached kernel of equal inputs, or a newly compiled one.
    pub(crate) fn get<E>(
        &self,
        program: &Program,
        entry_point: &str,
        constants: &PipelineConstants,
        make: impl FnOnce() -> Result<Kernel, E>,
    ) -> Result<Arc<Kernel>, E> {
        let content = program.cached_analysis(|module| {
            CachedContent(ProgramContent::of(module, &*HASHER).map(Arc::new))
        });
        match &content.0 {
            Some(content) => self.get_content(content, entry_point, constants, make),
            None => Ok(Arc::new(make()?)),
        }
    }

    fn get_content<E>(
        &self,
        content: &Arc<ProgramContent>,
        entry_point: &str,
        constants: &PipelineConstants,
        make: impl FnOnce() -> Result<Kernel, E>,
    ) -> Result<Arc<Kernel>, E> {
        let mut constants: Vec<_> = constants
            .iter()
            .map(|(name, value)| (name.clone(), value.to_bits()))
            .collect();
        constants.sort();
        let key = Key {
            program: Arc::clone(content),
            entry_point: entry_point.to_owned(),
            constants,
        };
        if let Some(kernel) = self.find(&key) {
            return Ok(kernel);
        }
        // Compiled without the lock: other threads need not wait; at worst they compile the same.
        let kernel = Arc::new(make()?);
        Ok(self.keep(key, kernel))
    }

    fn find(&self, key: &Key) -> Option<Arc<Kernel>> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kernels.iter().position(|(known, _)| known == key)?;
        let found = kernels.remove(at)?;
        let kernel = Arc::clone(&found.1);
        kernels.push_back(found);
        Some(kernel)
    }

    /// Inserts a kernel, unless another thread was faster.
    fn keep(&self, key: Key, kernel: Arc<Kernel>) -> Arc<Kernel> {
        if let Some(known) = self.find(&key) {
            return known;
        }
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.push_back((key, Arc::clone(&kernel)));
        if kernels.len() > MAX_KERNELS {
            kernels.pop_front();
        }
        kernel
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasherDefault, Hasher};

    use super::*;

    fn program(factor: u32) -> Program {
        Program::from_wgsl(&format!(
            "override n = 1u; var<private> x: u32;
             @compute @workgroup_size(1) fn one() {{ x *= {factor}u; }}
             @compute @workgroup_size(1) fn two() {{ x *= n; }}"
        ))
        .unwrap()
    }

    /// The address of the kernel, and whether this call compiled it.
    fn get(cache: &KernelCache, program: &Program, entry: &str, n: f64) -> (usize, bool) {
        let constants = PipelineConstants::from_iter([("n".to_owned(), n)]);
        let mut is_new = false;
        let kernel = cache.get(program, entry, &constants, || {
            is_new = true;
            let stage = naga::ShaderStage::Compute;
            let constants = [("n".to_owned(), n)].into();
            let program = program.specialize(stage, entry, &constants).unwrap();
            Kernel::new(&program, entry)
        });
        (Arc::as_ptr(&kernel.unwrap()).addr(), is_new)
    }

    #[test]
    fn the_same_is_made_once() {
        let cache = KernelCache::default();
        let (first, is_new) = get(&cache, &program(3), "one", 1.0);
        assert!(is_new);
        assert_eq!(get(&cache, &program(3), "one", 1.0), (first, false));
        for (program, entry, n) in [
            (program(4), "one", 1.0),
            (program(3), "two", 1.0),
            (program(3), "two", 2.0),
        ] {
            let (other, is_new) = get(&cache, &program, entry, n);
            assert!(is_new && other != first, "{entry} {n}");
        }
        assert_eq!(get(&cache, &program(3), "one", 1.0), (first, false));
    }

    /// As wgpu-core does it, from two shader modules with the same text.
    #[test]
    fn pipelines_share_kernels() {
        use crate::compute_limits::ComputeLimits;
        use crate::resources::{ComputePipeline, ShaderModule};
        use wgpu::hal;

        let module = |wgsl: &str| {
            let module = naga::front::wgsl::parse_str(wgsl).unwrap();
            let all = naga::valid::Capabilities::all();
            let info = naga::valid::Validator::new(Default::default(), all).validate(&module);
            let shader = hal::NagaShader {
                module: std::borrow::Cow::Owned(module),
                info: info.unwrap(),
                debug_source: None,
            };
            ShaderModule::new(None, shader).unwrap()
        };
        let (limits, cache) = (
            ComputeLimits::new(&wgpu::Limits::defaults()),
            KernelCache::default(),
        );
        let kernel = |wgsl: &str| {
            let stage = hal::ProgrammableStage {
                module: &module(wgsl),
                entry_point: "main",
                constants: &Default::default(),
                zero_initialize_workgroup_memory: true,
            };
            let options = crate::AdapterOptions::default().kernels();
            let pipeline = ComputePipeline::new(None, &stage, &limits, options, &cache).unwrap();
            Arc::clone(&pipeline.shared.kernel)
        };
        let first = kernel("@compute @workgroup_size(1) fn main() {}");
        let again = kernel("@compute @workgroup_size(1) fn main() {}");
        let other = kernel("@compute @workgroup_size(2) fn main() {}");
        assert!(Arc::ptr_eq(&first, &again));
        assert!(!Arc::ptr_eq(&first, &other));
    }

    /// A hasher that returns the same hash for everything.
    #[derive(Default)]
    struct ConstantHasher;

    impl Hasher for ConstantHasher {
        fn finish(&self) -> u64 {
            0
        }

        fn write(&mut self, _: &[u8]) {}
    }

    #[test]
    fn programs_with_equal_hashes_do_not_share_a_kernel() {
        let cache = KernelCache::default();
        let hasher = BuildHasherDefault::<ConstantHasher>::default();
        let contents = [3, 4, 3].map(|factor| {
            let content = ProgramContent::of(&program(factor), &hasher);
            Arc::new(content.unwrap())
        });
        assert_eq!(contents[0].hash, contents[1].hash);
        let kernels = contents.map(|content| {
            let make = || Kernel::new(&program(3), "one");
            let kernel = cache.get_content(&content, "one", &Default::default(), make);
            kernel.unwrap()
        });
        assert!(!Arc::ptr_eq(&kernels[0], &kernels[1]));
        assert!(Arc::ptr_eq(&kernels[0], &kernels[2]));
        let strong =
            [3, 4].map(|factor| ProgramContent::of(&program(factor), &*HASHER).unwrap().hash);
        assert_ne!(strong[0], strong[1]);
    }

    #[test]
    fn keeps_those_last_asked_for() {
        let cache = KernelCache::default();
        let all = MAX_KERNELS as u32 + 10;
        for factor in 0..all {
            assert!(get(&cache, &program(factor), "one", 1.0).1);
            assert!(!get(&cache, &program(0), "one", 1.0).1, "asked for often");
        }
        assert_eq!(cache.kernels.lock().unwrap().len(), MAX_KERNELS);
        assert!(!get(&cache, &program(all - 1), "one", 1.0).1);
        assert!(get(&cache, &program(1), "one", 1.0).1, "long ago");
    }

    #[test]
    fn failures_are_not_kept() {
        let cache = KernelCache::default();
        let result = cache.get(&program(0), "one", &Default::default(), || Err("no"));
        assert_eq!(result.err(), Some("no"));
        assert!(cache.kernels.lock().unwrap().is_empty());
    }
}
