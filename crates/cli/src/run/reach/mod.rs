//! Derives the size of runtime-sized arrays from the grid of a dispatch.
//!
//! In: a specialised program, an entry point and the number of workgroups. Out: for each runtime-sized array that can
//! be analysed, the number of elements that the grid accesses: one more than the largest index. The algorithm is
//! interval analysis (abstract interpretation) with upper bounds only, over non-negative expressions: builtins that
//! give an invocation's position in the grid, constants, sums, products, quotients, remainders, minima, shifts and
//! bit masks.
//!
//! What always holds: with the computed size, no access of the shader is out of bounds. An array is left out if one
//! of its indices cannot be bounded (it is loaded, counted in a loop or subtracted), or if the array is passed to a
//! function or accessed in one.

mod bounds;
mod grid;
mod statements;

use std::cell::RefCell;
use std::collections::BTreeMap;

use anywarp_program::Program;
use anywarp_program::naga::{EntryPoint, Function, GlobalVariable, Handle, ShaderStage};

use crate::specs::Slot;
use bounds::Bounds;
use grid::Grid;
use statements::Statements;

/// The number of elements of each runtime-sized array that the grid accesses.
pub(super) fn lengths(program: &Program, entry: &str, workgroups: [u32; 3]) -> BTreeMap<Slot, u64> {
    let module = program.module();
    let is_entry = |it: &EntryPoint| it.stage == ShaderStage::Compute && it.name == entry;
    let Some(index) = module.entry_points.iter().position(is_entry) else {
        return BTreeMap::new();
    };
    let point = &module.entry_points[index];
    let grid = Grid {
        workgroups: workgroups.map(u64::from),
        size: point.workgroup_size.map(u64::from),
    };
    let used = |variable: Handle<GlobalVariable>| {
        let info = program.info();
        let is_elsewhere =
            |(function, _): (Handle<Function>, _)| !info[function][variable].is_empty();
        !info.get_entry_point(index)[variable].is_empty()
            && !module.functions.iter().any(is_elsewhere)
    };
    let statements = Statements::of(&point.function);
    let mut lengths = BTreeMap::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(place) = variable.binding.filter(|_| used(handle)) else {
            continue;
        };
        let bounds = Bounds {
            module,
            function: &point.function,
            info: program.info().get_entry_point(index),
            statements: &statements,
            grid: &grid,
            known: RefCell::default(),
        };
        if let Some(length) = bounds.length(handle, variable.ty) {
            let (group, binding) = (place.group, place.binding);
            lengths.insert(Slot { group, binding }, length);
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements of `out` that a shader body accesses on a grid of 3 by 2 workgroups of 8 by 4 invocations.
    fn length(body: &str) -> Option<u64> {
        let text = format!(
            "const WIDTH = 24u;
            @group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @group(0) @binding(1) var<storage, read_write> other: array<u32, 4>;
            struct Pair {{ place: vec2u, more: u32 }}
            fn helper(i: u32) {{ other[0] = i; }}
            @compute @workgroup_size(8, 4)
            fn main(
                @builtin(global_invocation_id) id: vec3u,
                @builtin(workgroup_id) group: vec3u,
                @builtin(num_workgroups) groups: vec3u,
                @builtin(local_invocation_index) local: u32,
            ) {{ {body} }}"
        );
        let program = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}"));
        let slot = Slot {
            group: 0,
            binding: 0,
        };
        lengths(&program, "main", [3, 2, 1]).get(&slot).copied()
    }

    #[test]
    fn indices_are_bounded_by_the_grid() {
        for (body, expected) in [
            ("out[id.x] = 1u;", 24),
            ("if id.x < arrayLength(&out) { out[id.x] = 1u; }", 24),
            (
                "if id.x >= arrayLength(&out) { return; } out[id.x] += 1u;",
                24,
            ),
            ("out[id.y] = 1u;", 8),
            ("let i = id.y * WIDTH + id.x; out[i] = 1u;", 192),
            ("out[id.y * (groups.x * 8u) + id.x] = 1u;", 192),
            ("var i = id.x; out[i] = 1u;", 24),
            ("var i: u32; if id.y > 1u { i = id.x; } out[i] = 1u;", 24),
            ("out[i32(id.x)] = 1u;", 24),
            ("out[2u * id.x] = 1u; out[2u * id.x + 1u] = 2u;", 48),
            ("out[id.x % 5u] = 1u; out[7] = 2u;", 8),
            ("out[local] = group.x;", 32),
            ("out[id.xy.y] = 1u;", 8),
            ("out[id.x / 2u] = 1u;", 12),
            ("out[id.x >> 1u] = out[id.x & 3u];", 12),
            ("out[min(id.x, 9u)] = 1u;", 10),
            ("out[min(other[0], 9u)] = 1u;", 10),
            ("out[min(i32(id.x), 9)] = 1u;", 10),
            ("out[i32(id.x) / 2] = 1u;", 12),
            ("out[id.x / other[0]] = 1u;", 24),
            ("out[id.x << 2u] = 1u;", 93),
            ("out[vec3u(id.xy, 5u).y] = 1u;", 8),
            ("out[vec3u(7u, id.xy).z] = 1u;", 8),
            ("let p = 2u * id.xy; out[p.y] = 1u;", 15),
            ("let p = vec2u(id.y, id.x); out[p.y] = 1u;", 24),
            ("helper(id.x); out[id.x] = other[id.y];", 24),
        ] {
            assert_eq!(length(body), Some(expected), "{body}");
        }
    }

    #[test]
    fn what_cannot_be_bounded_is_not_guessed() {
        for body in [
            "out[id.x - 1u] = 1u;",
            "out[other[0]] = 1u;",
            "for (var i = 0u; i < 4u; i++) { out[i] = 1u; }",
            "out[id.x] = 1u; out[other[1]] = 2u;",
            "var i = id.x; i = i * 2u; out[i] = 1u;",
            "out[id.x * 4000000000u] = 1u;",
            "out[id.x << other[0]] = 1u;",
            "other[0] = arrayLength(&out);",
            "var v = id; v.x = other[0]; out[v.x] = 1u;",
            "out[min(i32(id.x), i32(other[0]))] = 1u;",
            "out[min(vec2i(id.xy), vec2i(-1)).x] = 1u;",
            "out[i32(id.x) / -2] = 1u;",
            "out[i32(id.x) / i32(other[0])] = 1u;",
            "out[id.x << 30u] = 1u;",
            "out[(id.x << 16u) << 16u] = 1u;",
            "out[id.x * 65536u * 65536u] = 1u;",
            "out[(id.x + 2000000000u) + 2300000000u] = 1u;",
            "out[vec3u(vec2u(1u, other[0]), 5u).y] = 1u;",
            "var s = Pair(vec2u(1u, other[0]), 2u); let p = s.place; out[p.y] = 1u;",
            "let p = Pair(vec2u(1u, other[0]), 2u).place * 1u; out[p.y] = 1u;",
        ] {
            assert_eq!(length(body), None, "{body}");
        }
    }

    #[test]
    fn members_arguments_in_structs_and_functions() {
        let found = |text: &str| {
            let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}"));
            lengths(&program, "main", [5, 1, 1]).into_values().next()
        };
        let items = "struct Items { count: u32, list: array<vec4f> }
            @group(0) @binding(0) var<storage, read_write> items: Items;
            struct In { @builtin(global_invocation_id) id: vec3u }
            @compute @workgroup_size(2) fn main(in: In) { items.list[in.id.x].y = f32(items.count); }";
        assert_eq!(found(items), Some(10));
        let component = items.replace("[in.id.x]", "[(in.id * 3u).y]");
        assert_eq!(found(&component), Some(1));
        let called = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            fn put(i: u32) { out[i] = 1u; }
            @compute @workgroup_size(2)
            fn main(@builtin(global_invocation_id) id: vec3u) { put(id.x); out[id.x] = 2u; }";
        assert_eq!(found(called), None);
        let empty = Program::from_wgsl(items).unwrap();
        let reached = lengths(&empty, "main", [5, 0, 1]).into_values().next();
        assert_eq!(reached, Some(0));
    }
}
