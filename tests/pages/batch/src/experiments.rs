//! The experiments and their report.

use std::fmt::Write;

use crate::digits::{Digits, Error, number};

/// Number of skipped batches before the lock is released.
const SKIPS: u64 = 3;

/// Number of elements for which the staging copy needs many workgroups.
const MANY: u32 = 50_000;

/// Runs all experiments. The report does not depend on the device.
pub async fn report(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<String, Error> {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let report = run_all(device, queue).await;
    match scope.pop().await {
        Some(error) => Err(error.into()),
        None => report,
    }
}

async fn run_all(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<String, Error> {
    let mut report = String::new();
    for slots in 1..=3 {
        let mut digits = Digits::new(device, queue, slots, 1)?;
        let numbers = digits.run(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).await?;
        let applied = digits.runner.stats().device.applied;
        writeln!(report, "{slots} slots: {numbers:?}, {applied} applied")?;
    }
    let mut digits = Digits::new(device, queue, 2, MANY)?;
    let numbers = digits.run(&[1, 2, 3]).await?;
    writeln!(report, "{MANY} numbers: {numbers:?}")?;
    let (numbers, retries) = skipped(Digits::new(device, queue, 2, 1)?).await?;
    let is_retried = retries >= SKIPS;
    writeln!(report, "lock held: {numbers:?}, retried {is_retried}")?;
    let numbers = cancelled(Digits::new(device, queue, 3, 1)?).await?;
    writeln!(report, "second cancelled: {numbers:?}")?;
    let numbers = reset(Digits::new(device, queue, 3, 1)?).await?;
    writeln!(report, "reset to 7: {numbers:?}")?;
    let message = dropped(Digits::new(device, queue, 2, 1)?).await?;
    writeln!(report, "dropped: {message}")?;
    Ok(report)
}

/// The host holds the lock until some batches have been skipped.
async fn skipped(mut digits: Digits) -> Result<(Vec<u32>, u64), Error> {
    let mut numbers = digits.run(&[1]).await?;
    digits.hold_lock(true);
    digits.runner.submit(&2_u32.to_le_bytes())?;
    digits.runner.submit(&3_u32.to_le_bytes())?;
    let (mut is_held, mut retries) = (true, 0);
    while let Some(outcome) = std::future::poll_fn(|context| {
        let poll = digits.runner.poll_next(context);
        if is_held && digits.runner.stats().skipped >= SKIPS {
            digits.hold_lock(false);
            is_held = false;
        }
        poll
    })
    .await
    {
        let completed = outcome?;
        retries += u64::from(completed.retries);
        numbers.push(number(&completed.results)?);
    }
    Ok((numbers, retries))
}

/// Only the first batch is in flight, so the second one never reaches the device.
async fn cancelled(mut digits: Digits) -> Result<Vec<u32>, Error> {
    digits.runner.submit(&1_u32.to_le_bytes())?;
    let second = digits.runner.submit(&2_u32.to_le_bytes())?;
    digits.runner.submit(&3_u32.to_le_bytes())?;
    if !digits.runner.cancel(second) {
        return Err("the batch cannot be cancelled".into());
    }
    digits.run(&[]).await
}

/// The state is reset while batches are in flight.
async fn reset(mut digits: Digits) -> Result<Vec<u32>, Error> {
    for digit in 1..=3_u32 {
        digits.runner.submit(&digit.to_le_bytes())?;
    }
    digits.runner.reset();
    digits.write(7);
    digits.run(&[4, 5, 6]).await
}

/// The outcome of a batch in flight whose runner is dropped.
async fn dropped(mut digits: Digits) -> Result<String, Error> {
    digits.runner.submit(&1_u32.to_le_bytes())?;
    let outcomes = digits.runner.outcomes();
    drop(digits);
    match outcomes.next().await {
        Some(Err(failed)) => Ok(failed.error.to_string()),
        other => Err(format!("{other:?} from a runner that is gone").into()),
    }
}
