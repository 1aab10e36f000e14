//! Fallible allocation: programs determine the sizes, so running out of memory is an error and not
//! a crash.

use bytemuck::Zeroable;

use crate::runtime::LaunchError;

/// A zeroed list; untouched pages take no physical memory.
pub(super) fn zeroed<T: Zeroable>(count: usize, what: &'static str) -> Result<Vec<T>, LaunchError> {
    let none = |()| out_of_memory::<T>(count, what);
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => {
            bytemuck::try_zeroed_vec(count).map_err(none)
        }
        _ => Err(none(())),
    }
}

/// An empty list with a capacity.
pub(super) fn with_capacity<T>(count: usize, what: &'static str) -> Result<Vec<T>, LaunchError> {
    let mut list = Vec::new();
    let reserved = list.try_reserve_exact(count);
    reserved.map_err(|_| out_of_memory::<T>(count, what))?;
    Ok(list)
}

/// A copy of a list.
pub(super) fn copied<T: Copy>(from: &[T], what: &'static str) -> Result<Vec<T>, LaunchError> {
    let mut list = with_capacity(from.len(), what)?;
    list.extend_from_slice(from);
    Ok(list)
}

fn out_of_memory<T>(count: usize, what: &'static str) -> LaunchError {
    let bytes = count as u64;
    let bytes = bytes.saturating_mul(size_of::<T>() as u64);
    LaunchError::OutOfMemory { what, bytes }
}

#[cfg(test)]
mod tests {
    use super::{copied, with_capacity, zeroed};
    use crate::runtime::{LaunchError, ThreadEnd};

    #[test]
    fn too_much_is_an_error_and_no_crash() {
        let text = |error: LaunchError| error.to_string();
        for count in [1 << 50, usize::MAX / 4, usize::MAX] {
            let error = zeroed::<u32>(count, "a table").map(|_| ()).map_err(text);
            let bytes = (count as u64).saturating_mul(4);
            let expected = format!("there is not enough memory: {bytes} bytes for a table");
            assert_eq!(error, Err(expected));
            assert!(with_capacity::<ThreadEnd>(count, "results").is_err());
        }
        assert_eq!(zeroed::<u32>(3, "a table"), Ok(vec![0; 3]));
        assert_eq!(copied(&[1, 2], "a table"), Ok(vec![1, 2]));
    }
}
