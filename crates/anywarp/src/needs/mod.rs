//! The features that a program needs beyond the core of WebGPU.
//!
//! In: a validated program. Out: a list of [`Need`]s. A feature is needed if and only if naga's validator rejects the
//! program without the capabilities of the feature; wgpu makes the same check. Checked separately: the formats of
//! storage textures, which wgpu checks elsewhere, and sampling and drawing, which the CPU device lacks.

mod operations;

use anywarp_program::naga::valid::{Capabilities, ValidationFlags, Validator};
use anywarp_program::naga::{AddressSpace, ShaderStage, TypeInner};
use anywarp_program::{Program, naga};
use serde::Serialize;

use crate::panics::catch_panic;
use crate::reflection::{Interface, TextureClass};
use crate::texture_format::check_format;

/// One thing that a program needs.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// A description in words.
    pub name: String,
    /// The name of wgpu's feature in lower case, as `anywarp devices` prints it; null if there is none.
    pub feature: Option<String>,
    /// The operations, or bindings, that need it.
    pub of: Vec<String>,
    /// Whether the CPU device supports it.
    pub cpu: bool,
}

/// Descriptions of features; features not listed here are shown by wgpu's name.
const WORDS: &[(wgpu::Features, &str)] = &[
    (wgpu::Features::SHADER_F16, "f16"),
    (wgpu::Features::SHADER_F64, "f64"),
    (wgpu::Features::SHADER_I16, "16-bit integers"),
    (wgpu::Features::SHADER_INT64, "64-bit integers"),
    (
        wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS,
        "64-bit atomics",
    ),
    (
        wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX,
        "64-bit atomic minimum and maximum",
    ),
    (wgpu::Features::SHADER_FLOAT32_ATOMIC, "f32 atomics"),
    (wgpu::Features::SUBGROUP, "subgroups"),
    (wgpu::Features::SUBGROUP_BARRIER, "subgroup barriers"),
    (wgpu::Features::TEXTURE_ATOMIC, "texture atomics"),
    (
        wgpu::Features::TEXTURE_INT64_ATOMIC,
        "64-bit texture atomics",
    ),
    (
        wgpu::Features::TEXTURE_FORMAT_16BIT_NORM,
        "16-bit normalised formats",
    ),
    (
        wgpu::Features::BGRA8UNORM_STORAGE,
        "bgra8unorm storage textures",
    ),
    (wgpu::Features::TEXTURE_BINDING_ARRAY, "arrays of textures"),
    (wgpu::Features::BUFFER_BINDING_ARRAY, "arrays of buffers"),
    (
        wgpu::Features::STORAGE_RESOURCE_BINDING_ARRAY,
        "arrays of storage buffers or storage textures",
    ),
    (
        wgpu::Features::UNIFORM_BUFFER_BINDING_ARRAYS,
        "arrays of uniform buffers",
    ),
    (
        wgpu::Features::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING,
        "non-uniform indexing of arrays of textures or storage buffers",
    ),
    (
        wgpu::Features::STORAGE_TEXTURE_ARRAY_NON_UNIFORM_INDEXING,
        "non-uniform indexing of arrays of storage textures",
    ),
    (wgpu::Features::IMMEDIATES, "immediate data"),
    (wgpu::Features::EXPERIMENTAL_RAY_QUERY, "ray queries"),
    (
        wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX,
        "cooperative matrices",
    ),
];

fn words(feature: wgpu::Features) -> String {
    let known = WORDS.iter().find(|(known, _)| *known == feature);
    known.map_or_else(|| feature_name(feature), |(_, words)| (*words).to_owned())
}

fn feature_name(feature: wgpu::Features) -> String {
    let names = feature.iter_names().map(|(name, _)| name.to_lowercase());
    names.collect::<Vec<_>>().join(" ")
}

/// The features that a program needs, each tested by itself.
fn features(program: &Program) -> Vec<wgpu::Features> {
    if is_valid(program, wgpu::Features::empty()) {
        return of_bindings(program);
    }
    // The same capability as SUBGROUP, for vertex shaders.
    let all = wgpu::Features::all() - wgpu::Features::SUBGROUP_VERTEX;
    let mut needed = Vec::new();
    for (_, feature) in all.iter_names() {
        let without = match feature {
            // SHADER_INT64_ATOMIC_ALL_OPS includes this feature.
            wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX => {
                feature | wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS
            }
            _ => feature,
        };
        let changes = capabilities(all - without) != capabilities(all);
        if changes && !is_valid(program, all - without) {
            needed.push(feature);
        }
    }
    if needed.contains(&wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS) {
        needed.retain(|feature| *feature != wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX);
    }
    needed.extend(of_bindings(program));
    needed
}

/// The features that wgpu requires for bind group layouts.
fn of_bindings(program: &Program) -> Vec<wgpu::Features> {
    let module = program.module();
    let variables = || module.global_variables.iter().map(|(_, variable)| variable);
    let mut needed = Vec::new();
    let uniform_array = variables().any(|variable| {
        let inner = &module.types[variable.ty].inner;
        variable.space == AddressSpace::Uniform && matches!(inner, TypeInner::BindingArray { .. })
    });
    if uniform_array {
        needed.push(wgpu::Features::UNIFORM_BUFFER_BINDING_ARRAYS);
    }
    let stores_bgra = variables().any(|variable| {
        let class = match module.types[variable.ty].inner {
            TypeInner::Image { class, .. } => Some(class),
            _ => None,
        };
        matches!(
            class,
            Some(naga::ImageClass::Storage {
                format: naga::StorageFormat::Bgra8Unorm,
                ..
            })
        )
    });
    if stores_bgra {
        needed.push(wgpu::Features::BGRA8UNORM_STORAGE);
    }
    needed
}

fn capabilities(features: wgpu::Features) -> Capabilities {
    let downlevel = wgpu::DownlevelFlags::all();
    wgpu_naga_bridge::features_to_naga_capabilities(features, downlevel)
}

/// Whether naga's validator accepts the program with these features. If naga panics, the decision is left to the
/// device.
fn is_valid(program: &Program, features: wgpu::Features) -> bool {
    let mut validator = Validator::new(ValidationFlags::all(), capabilities(features));
    catch_panic(|| validator.validate(program.module()).is_ok()).unwrap_or(true)
}

/// Everything that a program needs, and whether the CPU adapter `cpu` supports it.
pub fn needs(program: &Program, cpu: &wgpu::Adapter) -> Vec<Need> {
    let has = cpu.features();
    let operations = operations::Operations::of(program.module());
    let mut needs: Vec<_> = features(program)
        .into_iter()
        .map(|feature| Need {
            name: words(feature),
            feature: Some(feature_name(feature)),
            of: match feature {
                wgpu::Features::SUBGROUP => operations.subgroup.iter().cloned().collect(),
                _ => Vec::new(),
            },
            cpu: has.contains(feature),
        })
        .collect();
    needs.extend(formats(program, cpu));
    if !operations.sampling.is_empty() {
        needs.push(Need {
            name: "texture sampling".to_owned(),
            feature: None,
            of: operations.sampling.into_iter().collect(),
            cpu: false,
        });
    }
    let drawing = program
        .module()
        .entry_points
        .iter()
        .filter(|point| point.stage != ShaderStage::Compute);
    let drawing: Vec<_> = drawing.map(|point| format!("`{}`", point.name)).collect();
    if !drawing.is_empty() {
        needs.push(Need {
            name: "stages other than compute".to_owned(),
            feature: None,
            of: drawing,
            cpu: false,
        });
    }
    needs
}

/// The formats of storage textures, each with the bindings that have it.
fn formats(program: &Program, cpu: &wgpu::Adapter) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    for point in program.entry_points() {
        for binding in Interface::new(program, &point).bindings {
            let Some(ty) = binding.texture() else {
                continue;
            };
            let TextureClass::Storage { format, access } = ty.class else {
                continue;
            };
            let name = format!("{} storage textures with {access} access", format.name());
            let place = format!("{} `{}`", binding.slot, binding.name);
            match needs.iter_mut().find(|need| need.name == name) {
                Some(need) if need.of.contains(&place) => {}
                Some(need) => need.of.push(place),
                None => needs.push(Need {
                    name,
                    feature: None,
                    of: vec![place],
                    cpu: check_format(cpu, &ty, format, 1).is_ok(),
                }),
            }
        }
    }
    needs
}

/// A need as one line of text.
pub fn text(need: &Need) -> String {
    let feature = match &need.feature {
        Some(feature) if *feature != need.name => format!(" ({feature})"),
        _ => String::new(),
    };
    let used = match need.of.as_slice() {
        [] => String::new(),
        of => format!("; used: {}", of.join(", ")),
    };
    let cpu = if need.cpu {
        "supported on the CPU"
    } else {
        "not supported on the CPU"
    };
    format!("{}{feature}: {cpu}{used}", need.name)
}

/// The first feature that a program needs and that is not among `has`.
fn missing(program: &Program, has: wgpu::Features) -> Option<wgpu::Features> {
    if is_valid(program, has) && of_bindings(program).iter().all(|it| has.contains(*it)) {
        return None;
    }
    features(program).into_iter().find(|it| !has.contains(*it))
}

/// A device lacks a feature that a program needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{need} ({feature})")]
pub struct MissingFeature {
    /// A description in words.
    pub need: String,
    /// The name of wgpu's feature in lower case.
    pub feature: String,
}

/// Checks that a device with these features supports what a program needs; the error names the first missing one.
pub fn check(program: &Program, has: wgpu::Features) -> Result<(), MissingFeature> {
    match missing(program, has) {
        None => Ok(()),
        Some(feature) => Err(MissingFeature {
            need: words(feature),
            feature: feature_name(feature),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn names(text: &str) -> Vec<String> {
        features(&program(text))
            .into_iter()
            .map(feature_name)
            .collect()
    }

    /// Each row: declarations and statements, and the features that they need.
    const CASES: &[(&str, &str, &[&str])] = &[
        ("", "var x = 1.0;", &[]),
        ("enable f16;", "var x = 1.0h;", &["shader_f16"]),
        ("", "var x = f64(1.0);", &["shader_f64"]),
        ("", "var x = 1li;", &["shader_int64"]),
        (
            "@group(0) @binding(0) var<storage, read_write> a: atomic<u64>;",
            "atomicMax(&a, 1lu);",
            &["shader_int64", "shader_int64_atomic_min_max"],
        ),
        (
            "@group(0) @binding(0) var<storage, read_write> a: atomic<u64>;",
            "atomicAdd(&a, 1lu);",
            &["shader_int64", "shader_int64_atomic_all_ops"],
        ),
        (
            "@group(0) @binding(0) var<storage, read_write> a: atomic<f32>;",
            "atomicAdd(&a, 1.0);",
            &["shader_float32_atomic"],
        ),
        (
            "enable subgroups;",
            "var x = subgroupAdd(1);",
            &["subgroup"],
        ),
        (
            "enable subgroups;",
            "subgroupBarrier();",
            &["subgroup", "subgroup_barrier"],
        ),
        (
            "enable wgpu_binding_array; @group(0) @binding(0) var t: binding_array<texture_2d<f32>, 2>;",
            "var x = textureLoad(t[1], vec2u(), 0);",
            &["texture_binding_array"],
        ),
        (
            "@group(0) @binding(0) var t: texture_storage_2d<bgra8unorm, write>;",
            "textureStore(t, vec2u(), vec4f());",
            &["bgra8unorm_storage"],
        ),
        (
            "@group(0) @binding(0) var t: texture_storage_2d<r16unorm, write>;",
            "textureStore(t, vec2u(), vec4f());",
            &["texture_format_16bit_norm"],
        ),
        (
            "@group(0) @binding(0) var t: texture_storage_2d<r32uint, atomic>;",
            "textureAtomicAdd(t, vec2u(), 1u);",
            &["texture_atomic"],
        ),
        ("var<immediate> i: u32;", "var x = i;", &["immediates"]),
    ];

    #[test]
    fn each_feature_is_found_and_no_other() {
        for (declarations, statements, expected) in CASES {
            let text =
                format!("{declarations} @compute @workgroup_size(1) fn main() {{ {statements} }}");
            assert_eq!(names(&text), *expected, "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_the_first_that_is_not_there() {
        let text =
            "enable f16; @compute @workgroup_size(1) fn main() { var h = 1.0h; var d = f64(h); }";
        let program = program(text);
        let half = wgpu::Features::SHADER_F16;
        let double = wgpu::Features::SHADER_F64;
        assert_eq!(missing(&program, wgpu::Features::all()), None);
        assert_eq!(missing(&program, half | double), None);
        assert_eq!(missing(&program, half), Some(double));
        assert_eq!(missing(&program, double), Some(half));
        let bgra = self::program(
            "@group(0) @binding(0) var t: texture_storage_2d<bgra8unorm, write>;
            @compute @workgroup_size(1) fn main() { textureStore(t, vec2u(), vec4f()); }",
        );
        let storage = wgpu::Features::BGRA8UNORM_STORAGE;
        assert_eq!(missing(&bgra, wgpu::Features::empty()), Some(storage));
        assert_eq!(missing(&bgra, storage), None);
    }

    #[test]
    fn our_device_has_all_of_them_but_sampling_and_drawing() {
        let adapter = crate::device::adapters::find("cpu").unwrap();
        for (declarations, statements, _) in CASES {
            let text =
                format!("{declarations} @compute @workgroup_size(1) fn main() {{ {statements} }}");
            let needs = needs(&program(&text), &adapter);
            assert!(needs.iter().all(|need| need.cpu), "{needs:?}");
        }
        let text = "@group(0) @binding(0) var t: texture_2d<f32>;
            @group(0) @binding(1) var s: sampler;
            @fragment fn shade() -> @location(0) vec4f { return textureSample(t, s, vec2f()); }";
        let needs = needs(&program(text), &adapter);
        let names: Vec<_> = needs
            .iter()
            .map(|need| (need.name.as_str(), need.cpu))
            .collect();
        assert_eq!(
            names,
            [
                ("texture sampling", false),
                ("stages other than compute", false)
            ]
        );
    }
}
