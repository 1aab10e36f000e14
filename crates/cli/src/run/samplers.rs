//! Samplers: checks the samplers of `--bind` against the binding, the device and the textures that are sampled with
//! them.

use std::collections::BTreeMap;

use super::request::ResolvedRequest;
use super::textures::{PlannedTexture, wrong};
use crate::error::Error;
use crate::specs::{Address, Compare, Filter, Given, SamplerSpec, Slot};
use crate::texture;
use anywarp::SamplerData;
use anywarp::reflection::{Binding, BindingKind, Interface};

/// The samplers of all sampler bindings; a binding without `--bind` gets WebGPU's default sampler.
pub(super) fn samplers(
    request: &ResolvedRequest<'_>,
    interface: &Interface,
    adapter: &wgpu::Adapter,
) -> Result<BTreeMap<Slot, SamplerSpec>, Error> {
    let mut samplers = BTreeMap::new();
    for binding in &interface.bindings {
        let BindingKind::Sampler { compares } = binding.kind else {
            continue;
        };
        if anywarp_adapter::is_cpu(adapter) {
            return Err(Error::NoSamplers {
                slot: binding.slot,
                name: binding.name.clone(),
                ty: binding.ty.clone(),
            });
        }
        let given = request.given(binding.slot);
        samplers.insert(binding.slot, sampler(binding, compares, given)?);
    }
    Ok(samplers)
}

fn sampler(binding: &Binding, compares: bool, given: Option<&Given>) -> Result<SamplerSpec, Error> {
    let mut spec = match given {
        None => SamplerSpec::default(),
        Some(Given::Sampler(spec)) => *spec,
        Some(other) => {
            let reason = format!("{other} is not a sampler: give sampler or sampler:linear");
            return Err(wrong(binding, reason));
        }
    };
    match (compares, spec.compare) {
        (true, None) => spec.compare = Some(Compare::Less),
        (false, Some(_)) => {
            let reason = format!("{spec} compares, but the shader's sampler does not");
            return Err(wrong(binding, reason));
        }
        _ => {}
    }
    Ok(spec)
}

/// Whether a texture is sampled with a filtering sampler, which determines its type in the layout.
fn is_filtered(
    interface: &Interface,
    samplers: &BTreeMap<Slot, SamplerSpec>,
    texture: Slot,
) -> bool {
    let mut of_texture = interface
        .sampling
        .iter()
        .filter(|(image, _)| *image == texture);
    of_texture.any(|(_, sampler)| samplers.get(sampler).is_some_and(SamplerSpec::is_filtering))
}

/// A texture whose format the device cannot filter must be sampled with the filter `nearest`.
pub(super) fn check_filtering(
    interface: &Interface,
    samplers: &BTreeMap<Slot, SamplerSpec>,
    textures: &BTreeMap<Slot, PlannedTexture>,
    adapter: &wgpu::Adapter,
) -> Result<(), Error> {
    for binding in &interface.bindings {
        let Some(planned) = textures.get(&binding.slot) else {
            continue;
        };
        let is_filtered = is_filtered(interface, samplers, binding.slot);
        if is_filtered && !texture::is_filterable(adapter, planned.descriptor.format) {
            let (format, device) = (planned.descriptor.format.name(), adapter.get_info().name);
            let reason = format!(
                "device `{device}` samples {format} with sampler:nearest only; it is sampled with a linear filter"
            );
            return Err(wrong(binding, reason));
        }
    }
    Ok(())
}

/// WebGPU's description of a sampler.
pub(super) fn descriptor(spec: &SamplerSpec) -> SamplerData {
    let filter = |filter| match filter {
        Filter::Nearest => wgpu::FilterMode::Nearest,
        Filter::Linear => wgpu::FilterMode::Linear,
    };
    let address = match spec.address {
        Address::Clamp => wgpu::AddressMode::ClampToEdge,
        Address::Repeat => wgpu::AddressMode::Repeat,
        Address::Mirror => wgpu::AddressMode::MirrorRepeat,
    };
    SamplerData {
        address_mode_u: address,
        address_mode_v: address,
        address_mode_w: address,
        mag_filter: filter(spec.filter),
        min_filter: filter(spec.filter),
        mipmap_filter: match spec.mipmap {
            Filter::Nearest => wgpu::MipmapFilterMode::Nearest,
            Filter::Linear => wgpu::MipmapFilterMode::Linear,
        },
        compare: spec.compare.map(compare),
        ..Default::default()
    }
}

fn compare(compare: Compare) -> wgpu::CompareFunction {
    match compare {
        Compare::Never => wgpu::CompareFunction::Never,
        Compare::Less => wgpu::CompareFunction::Less,
        Compare::Equal => wgpu::CompareFunction::Equal,
        Compare::LessEqual => wgpu::CompareFunction::LessEqual,
        Compare::Greater => wgpu::CompareFunction::Greater,
        Compare::NotEqual => wgpu::CompareFunction::NotEqual,
        Compare::GreaterEqual => wgpu::CompareFunction::GreaterEqual,
        Compare::Always => wgpu::CompareFunction::Always,
    }
}
