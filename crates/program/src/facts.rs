//! What follows from a program, found once.
//!
//! In: a question about a program. Out: its answer, which clones of the program share. What always holds:
//! an answer belongs to one module, since programs never change.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Program;

type Answer = Arc<dyn Any + Send + Sync>;

/// Answers by their type.
#[derive(Default)]
pub(crate) struct Facts(Mutex<HashMap<TypeId, Answer>>);

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Facts")
    }
}

impl Program {
    /// What `find` says of this program. It is asked once for each type of answer, however many clones
    /// there are, so it must depend on the module alone.
    ///
    /// ```
    /// use anywarp_program::Program;
    ///
    /// struct Functions(usize);
    /// let program = Program::from_wgsl("fn one() {}")?;
    /// let count = |program: &Program| Functions(program.module().functions.len());
    /// assert_eq!(program.fact(count).0, 1);
    /// assert_eq!(program.clone().fact(|_| -> Functions { unreachable!() }).0, 1);
    /// # Ok::<(), anywarp_program::ProgramError>(())
    /// ```
    pub fn fact<T: Any + Send + Sync>(&self, find: impl FnOnce(&Self) -> T) -> Arc<T> {
        let key = TypeId::of::<T>();
        let answers = || self.facts.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers().get(&key).cloned();
        if let Some(Ok(answer)) = known.map(Arc::downcast) {
            return answer;
        }
        // Found without the lock, since the answer to one question may need that to another.
        let answer = Arc::new(find(self));
        answers().insert(key, Arc::<T>::clone(&answer));
        answer
    }
}
