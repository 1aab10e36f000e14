//! The steps of a pointer.
//!
//! Nearly every pointer has one to three, so these need no memory of their own.

use std::ops::Deref;

use super::memory::Step;

/// So many steps lie in place.
const FEW: usize = 3;

/// Steps, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    few: [Step; FEW],
    /// How many of the few there are; all of them are in `many` once they are more.
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
