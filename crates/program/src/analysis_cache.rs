//! Cache of analyses of a program.
//!
//! In: an analysis function. Out: its result, computed once and shared by all clones of the program. What always holds:
//! a cached result belongs to one module, because programs are immutable.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Program;

type CachedResult = Arc<dyn Any + Send + Sync>;

/// Results, keyed by their type.
#[derive(Default)]
pub(crate) struct AnalysisCache(Mutex<HashMap<TypeId, CachedResult>>);

impl fmt::Debug for AnalysisCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnalysisCache")
    }
}

impl Program {
    /// The result of an analysis, computed on first use and then shared by all clones of the program.
    ///
    /// The key is the type `T`, so `find` must depend on the module alone, and each analysis needs a result type of its
    /// own.
    ///
    /// ```
    /// use anywarp_program::Program;
    ///
    /// struct Functions(usize);
    /// let program = Program::from_wgsl("fn one() {}")?;
    /// let count = |program: &Program| Functions(program.module().functions.len());
    /// assert_eq!(program.cached_analysis(count).0, 1);
    /// assert_eq!(program.clone().cached_analysis(|_| -> Functions { unreachable!() }).0, 1);
    /// # Ok::<(), anywarp_program::ProgramError>(())
    /// ```
    pub fn cached_analysis<T: Any + Send + Sync>(&self, find: impl FnOnce(&Self) -> T) -> Arc<T> {
        let key = TypeId::of::<T>();
        let results = || {
            self.analyses
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let known = results().get(&key).cloned();
        if let Some(Ok(result)) = known.map(Arc::downcast) {
            return result;
        }
        // Computed without holding the lock, because an analysis may use another.
        let result = Arc::new(find(self));
        results().insert(key, Arc::<T>::clone(&result));
        result
    }
}
