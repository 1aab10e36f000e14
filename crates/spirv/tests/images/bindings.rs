//! Bindings of split combined image samplers, and binding maps passed by callers.

use anywarp_program::naga::{AddressSpace, Module};
use anywarp_spirv::{BindingPoint, Bindings, Parsed, ReadOptions, read};

use crate::images::tools::Tools;

const COMBINED: &str = "#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(set = 0, binding = 3) uniform sampler2D second;
layout(set = 0, binding = 1) uniform sampler2D first;
layout(set = 0, binding = 7) uniform U { vec4 tint; };
layout(set = 2, binding = 0) uniform sampler2D third;
layout(set = 2, binding = 1) uniform texture2D apart;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
    color = tint * texture(first, uv) * texture(second, uv) * texture(third, uv)
        * texelFetch(apart, ivec2(uv), 0);
}";

fn parse(tools: &Tools, source: &str, stage: &str, map: &str) -> Parsed {
    let options = ReadOptions::default().bindings(Bindings::from_json(map).unwrap());
    read(&tools.compile(source, stage, &[]), &options).unwrap()
}

fn binding(module: &Module, name: &str) -> (u32, u32) {
    let mut variables = module.global_variables.iter().map(|(_, variable)| variable);
    let variable = variables.find(|it| it.name.as_deref() == Some(name));
    let binding = variable
        .and_then(|it| it.binding)
        .unwrap_or_else(|| panic!("no {name}"));
    (binding.group, binding.binding)
}

#[test]
fn samplers_get_the_bindings_behind_the_highest_of_their_group() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let parsed = parse(&tools, COMBINED, "frag", r#"{"bindings":[]}"#);
    let module = parsed.program.module();
    let found = ["first", "second", "third", "apart"].map(|name| binding(module, name));
    assert_eq!(found, [(0, 1), (0, 3), (2, 0), (2, 1)]);
    let samplers = ["first_sampler", "second_sampler", "third_sampler"];
    assert_eq!(
        samplers.map(|name| binding(module, name)),
        [(0, 8), (0, 9), (2, 2)]
    );
    let first = parsed.bindings.get(0, 1).unwrap();
    assert_eq!(first.name.as_deref(), Some("first"));
    let place = |group, binding| Some(BindingPoint { group, binding });
    assert_eq!((first.texture, first.sampler), (place(0, 1), place(0, 8)));
    assert_eq!(
        parsed.bindings.bindings.len(),
        3,
        "what is not split is not listed"
    );
}

#[test]
fn the_map_is_what_it_was_after_json() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let parsed = parse(&tools, COMBINED, "frag", r#"{"bindings":[]}"#);
    let text = parsed.bindings.to_json().unwrap();
    assert_eq!(Bindings::from_json(&text).unwrap(), parsed.bindings);
    let wrong = Bindings::from_json(r#"{"bindings":[{"group":0,"binding":0,"texure":1}]}"#);
    assert!(wrong.unwrap_err().to_string().contains("texure"));
}

#[test]
fn callers_say_where_things_go() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let map = r#"{"bindings":[
        {"group":0,"binding":1,"texture":{"group":1,"binding":0},"sampler":{"group":1,"binding":1}},
        {"group":0,"binding":7,"buffer":{"group":3,"binding":12}},
        {"group":2,"binding":1,"texture":{"group":2,"binding":5}}]}"#;
    let parsed = parse(&tools, COMBINED, "frag", map);
    let module = parsed.program.module();
    let names = [
        "first",
        "first_sampler",
        "second_sampler",
        "third_sampler",
        "apart",
    ];
    let found = names.map(|name| binding(module, name));
    assert_eq!(found, [(1, 0), (1, 1), (0, 8), (2, 6), (2, 5)]);
    let mut buffers = module.global_variables.iter().map(|(_, it)| it);
    let buffer = buffers.find(|it| it.space == AddressSpace::Uniform);
    assert_eq!(buffer.unwrap().binding.unwrap().binding, 12);
}

#[test]
fn callers_name_formats_that_the_module_does_not() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) uniform writeonly image2D any;
        void main() { imageStore(any, ivec2(0), vec4(1)); }";
    let map = r#"{"bindings":[{"group":0,"binding":0,"format":"rgba8unorm"}]}"#;
    let text = |map| {
        let parsed = parse(&tools, source, "comp", map);
        format!("{:?}", parsed.program.module().types)
    };
    assert!(text(map).contains("Rgba8Unorm"));
    assert!(text(r#"{"bindings":[]}"#).contains("Rgba32Float"));
    let options = ReadOptions::default()
        .bindings(Bindings::from_json(&map.replace("rgba8unorm", "rgba9")).unwrap());
    let error = read(&tools.compile(source, "comp", &[]), &options).unwrap_err();
    assert!(error.to_string().contains("`rgba9`"), "{error}");
}

fn names(module: &Module) -> Vec<(String, u32)> {
    let variables = module.global_variables.iter().map(|(_, it)| it);
    let bound = variables.filter_map(|it| Some((it.name.clone()?, it.binding?.binding)));
    let mut bound: Vec<_> = bound.collect();
    bound.sort_by_key(|(_, binding)| *binding);
    bound
}

/// A fragment shader with these resources, which writes this color.
fn aliased(resources: &str, color: &str) -> String {
    format!(
        "#version 450
        #extension GL_EXT_samplerless_texture_functions : require
        #extension GL_EXT_nonuniform_qualifier : require
        {resources}
        layout(location = 0) in vec2 uv;
        layout(location = 1) flat in int which;
        layout(location = 0) out vec4 color;
        void main() {{ color = {color}; }}"
    )
}

/// Checks the bindings of the variables, and that reading with the returned map gives the same result.
fn aliases(source: &str, stage: &str, expected: &[(&str, u32)]) {
    let Some(tools) = Tools::find() else {
        return;
    };
    let first = parse(&tools, source, stage, r#"{"bindings":[]}"#);
    let found = names(first.program.module());
    let found: Vec<_> = found
        .iter()
        .map(|(name, at)| (name.as_str(), *at))
        .collect();
    assert_eq!(found, expected, "{source}");
    let again = parse(&tools, source, stage, &first.bindings.to_json().unwrap());
    assert_eq!(names(again.program.module()), names(first.program.module()));
    assert_eq!(again.bindings, first.bindings);
}

#[test]
fn images_of_different_types_at_one_binding_are_told_apart() {
    let resources = "layout(binding = 1) uniform texture2D flat_one;
        layout(binding = 1) uniform textureCube cube;
        layout(binding = 2) uniform sampler s;";
    let color = "texture(sampler2D(flat_one, s), uv) + texture(samplerCube(cube, s), vec3(uv, 1))";
    let expected = [("flat_one", 1), ("s", 2), ("cube", 3)];
    aliases(&aliased(resources, color), "frag", &expected);
}

#[test]
fn combined_images_at_one_binding_have_one_sampler() {
    let resources = "layout(binding = 1) uniform sampler2D flat_one;
        layout(binding = 1) uniform samplerCube cube;
        layout(binding = 1) uniform usampler2D whole;";
    let color = "texture(flat_one, uv) + texture(cube, vec3(uv, 1))
        + vec4(texelFetch(whole, ivec2(uv), 0))";
    let expected = [
        ("flat_one", 1),
        ("flat_one_sampler", 2),
        ("cube", 3),
        ("whole", 4),
    ];
    aliases(&aliased(resources, color), "frag", &expected);
}

#[test]
fn arrays_of_images_at_one_binding_are_told_apart() {
    let resources = "layout(binding = 1) uniform texture2D a[4];
        layout(binding = 1) uniform utexture2D b[4];
        layout(binding = 0) uniform sampler s;";
    let color = "texture(sampler2D(a[nonuniformEXT(which)], s), uv)
        + vec4(texelFetch(b[nonuniformEXT(which)], ivec2(uv), 0))";
    let expected = [("s", 0), ("a", 1), ("b", 2)];
    aliases(&aliased(resources, color), "frag", &expected);
}

#[test]
fn a_combined_image_and_its_texture_are_one() {
    let resources = "layout(binding = 1) uniform sampler2D combined;
        layout(binding = 1) uniform texture2D alone;";
    let color = "texture(combined, uv) + texelFetch(alone, ivec2(uv), 0)";
    let expected = [("combined", 1), ("combined_sampler", 2)];
    aliases(&aliased(resources, color), "frag", &expected);
}

#[test]
fn storage_images_of_one_format_at_one_binding_are_one() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(binding = 1, r32ui) uniform readonly uimage2D from;
        layout(binding = 1, r32ui) uniform writeonly uimage2D to;
        layout(binding = 1, r32f) uniform writeonly image2D other;
        void main() {
            imageStore(to, ivec2(1), imageLoad(from, ivec2(0)));
            imageStore(other, ivec2(2), vec4(1));
        }";
    aliases(source, "comp", &[("to", 1), ("other", 2)]);
    let Some(tools) = Tools::find() else {
        return;
    };
    let parsed = parse(&tools, source, "comp", r#"{"bindings":[]}"#);
    let types = format!("{:?}", parsed.program.module().types);
    assert!(types.contains("StorageAccess(LOAD | STORE)"), "{types}");
}
