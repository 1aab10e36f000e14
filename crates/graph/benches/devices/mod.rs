//! The devices that a benchmark runs on.
//!
//! In: words given as arguments. Out: adapters whose names have one of them, in any case of letters, or all
//! if there are no words; ours is the first of all. A word that no name has is an error with all names.

use anywarp_adapter::AdapterOptions;

/// The words among the arguments.
fn words() -> Vec<String> {
    let arguments = std::env::args().skip(1);
    arguments.filter(|word| !word.starts_with('-')).collect()
}

fn has(name: &str, word: &str) -> bool {
    name.to_lowercase().contains(&word.to_lowercase())
}

/// Adapters that the arguments choose.
pub(crate) fn chosen() -> Result<Vec<wgpu::Adapter>, String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        // wgpu validates indirect dispatches in a pass of its own, which would be measured too.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let vulkan = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let cpu = anywarp_adapter::adapter(AdapterOptions::default());
    let mut adapters = vec![cpu];
    adapters.extend(vulkan);
    choose(adapters, &words(), |adapter| adapter.get_info().name)
}

fn choose<T>(all: Vec<T>, words: &[String], name: impl Fn(&T) -> String) -> Result<Vec<T>, String> {
    let names: Vec<_> = all.iter().map(&name).collect();
    if let Some(word) = words
        .iter()
        .find(|word| !names.iter().any(|name| has(name, word)))
    {
        let names = names.join("`, `");
        return Err(format!(
            "no adapter has `{word}` in its name; there are `{names}`"
        ));
    }
    let is_wanted = |one: &T| words.is_empty() || words.iter().any(|word| has(&name(one), word));
    Ok(all.into_iter().filter(is_wanted).collect())
}
