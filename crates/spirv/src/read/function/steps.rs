//! The steps of a pointer: a vector with inline storage.
//!
//! Most pointers have one to three steps, which need no heap allocation.

use std::ops::Deref;

use super::memory::Step;

/// The number of steps in inline storage.
const FEW: usize = 3;

/// A list of steps.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    few: [Step; FEW],
    /// The number of steps in inline storage. If there are more, `many` has all of them.
    count: usize,
    many: Vec<Step>,
}

impl Steps {
    const fn new() -> Self {
        Self {
            few: [Step::Member(0); FEW],
            count: 0,
            many: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, step: Step) {
        if self.many.is_empty() {
            if let Some(place) = self.few.get_mut(self.count) {
                *place = step;
                self.count += 1;
                return;
            }
            self.many.extend_from_slice(&self.few);
        }
        self.many.push(step);
    }

    pub(crate) fn pop(&mut self) -> Option<Step> {
        if self.many.is_empty() {
            let last = self.last().copied();
            self.count = self.count.saturating_sub(1);
            return last;
        }
        let last = self.many.pop();
        if self.many.is_empty() {
            self.count = 0;
        }
        last
    }
}

impl Default for Steps {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Steps {
    type Target = [Step];

    fn deref(&self) -> &[Step] {
        if self.many.is_empty() {
            &self.few[..self.count]
        } else {
            &self.many
        }
    }
}

impl FromIterator<Step> for Steps {
    fn from_iter<T: IntoIterator<Item = Step>>(steps: T) -> Self {
        let mut made = Self::new();
        steps.into_iter().for_each(|step| made.push(step));
        made
    }
}

impl PartialEq for Steps {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Steps {}
