//! Error messages of graph files, with file, line and key.

use anywarp_graph::GraphFile;

use crate::file::{EVERYTHING, parse};

/// The message of the file with one text replaced; lines are counted in the whole.
#[track_caller]
pub(crate) fn fails(from: &str, to: &str, place: &str, message: &str) {
    assert_eq!(EVERYTHING.matches(from).count(), 1, "{from}");
    let at = EVERYTHING.find(from).unwrap();
    let first = EVERYTHING[..at].matches('\n').count() + 1;
    let text = EVERYTHING.replace(from, to);
    let error = parse(&text).expect_err(message);
    // `+1` in a location means one line after the first line of the replaced text.
    let (key, after) = place.split_once('+').unwrap_or((place, "0"));
    let line = first.strict_add_signed(after.parse().unwrap());
    let expected = format!("folder/g.toml:{line}: `{key}`: {message}");
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.key(), Some(key));
    assert_eq!(error.line(), Some(line));
}

#[test]
fn unknown_keys() {
    fails(
        "function = \"a\"",
        "funktion = \"a\"",
        "node[0].funktion",
        "unknown field `funktion`, expected one of `name`, `launch`, `grid`, `max_grid`, `workgroup_size`, `max_records`, `input`, `access`, `output`, `recursion`, `entry`, `share_input_of`, `local_row`, `function`, `source`",
    );
    fails(
        "budget = 16",
        "budget = 16\nmost = 1",
        "node[0].output[1].most+1",
        "unknown field `most`, expected one of `to`, `name`, `record`, `array`, `size`, `budget`, `share_budget`",
    );
    let error = parse("[[nodes]]\n").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("folder/g.toml:1: `nodes`: unknown field `nodes`")
    );
}

#[test]
fn wrong_types() {
    fails(
        "budget = 16",
        "budget = \"16\"",
        "node[0].output[1].budget",
        "invalid type: string \"16\", expected u32",
    );
    fails(
        "recursion = 2",
        "recursion = -2",
        "node[0].recursion",
        "invalid value: integer `-2`, expected u32",
    );
    fails(
        "launch = \"coalescing\"\nmax_records = 7\nworkgroup_size = [32]\ninput = \"Cell\"\nsource",
        "launch = \"mesh\"\nmax_records = 7\nworkgroup_size = [32]\ninput = \"Cell\"\nsource",
        "node[1].launch",
        "unknown variant `mesh`, expected one of `thread`, `coalescing`, `broadcasting`",
    );
    fails(
        "source = [\"a.wgsl\", \"b.wgsl\"]",
        "source = 3",
        "node[0].source",
        "expected the name of a file or a list of names",
    );
    fails(
        "memory = 65536",
        "memory = true",
        "memory",
        "invalid type: boolean `true`, expected u64",
    );
}

#[test]
fn missing_keys_and_files() {
    fails(
        "[[node]]\nname = \"count\"",
        "[[node]]",
        "node[3]",
        "missing field `name`",
    );
    fails(
        "source = [\"a.wgsl\", \"b.wgsl\"]",
        "source = [\"a.wgsl\", \"c.wgsl\"]",
        "node[0].source",
        "cannot read `c.wgsl`: entity not found",
    );
    fails(
        "name = \"tile\"\nentry = true\nmax_grid = [4, 4]",
        "name = \"tile\"\nentry = true",
        "node[0].name",
        "the node needs the key `grid` or `max_grid`",
    );
    fails(
        "to = \"tile\"\nname = \"again\"\nrecord = \"Tile\"\nbudget = 4",
        "to = \"tile\"\nname = \"again\"\nrecord = \"Tile\"",
        "node[0].output[0].to",
        "the output needs a `budget` or a `share_budget`",
    );
}

#[test]
fn no_toml() {
    let error = parse("a = \"x\"\nb = [1,,2]\n").unwrap_err();
    assert_eq!(error.line(), Some(2));
    assert!(!error.to_string().contains('\n'));
}

#[test]
fn files_that_are_not_there() {
    let error = GraphFile::read("no/such.toml").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no/such.toml: cannot be read: ")
    );
}

#[test]
fn keys_that_do_not_go_together() {
    fails(
        "launch = \"thread\"\nentry = true",
        "launch = \"thread\"\ngrid = [1]\nentry = true",
        "node[3].grid+1",
        "only broadcasting nodes have this key",
    );
    fails(
        "max_grid = [4, 4]",
        "max_grid = [4, 4]\ngrid = [1]",
        "node[0].max_grid",
        "a node has a `grid` or a `max_grid`, not both",
    );
    fails(
        "workgroup_size = [8, 8]",
        "workgroup_size = [8, 8, 1, 1]",
        "node[0].workgroup_size",
        "give one to three numbers",
    );
    fails(
        "to = \"leaf\"\narray = \"sparse\"",
        "to = \"leaf\"",
        "node[0].output[1].to",
        "`size` comes with `array = \"dense\"` or `array = \"sparse\"`, and only with these",
    );
}

#[test]
fn records_and_fields() {
    fails(
        "\"depth: i32\"",
        "\"depth: i33\"",
        "record[0].fields[2]",
        "is not a field: give `name: type`, where the type is u32, i32, f32, u16, a vector such as vec3<f32>, or array<type, count>",
    );
    fails(
        "grid = \"grid\"",
        "grid = \"gird\"",
        "record[0].grid",
        "is not a field of the record",
    );
}

#[test]
fn inputs() {
    fails(
        "[[input]]\nnode = \"count\"",
        "[[input]]\nnode = \"sees\"",
        "input[2].node+1",
        "the node is not an entry",
    );
    fails(
        "depth = -1",
        "depth = 1.5",
        "input[0].records[0].depth",
        "is not of type i32 (the field is i32)",
    );
    fails(
        "corner = [0.5, 1]",
        "corner = [0.5]",
        "input[0].records[0].corner",
        "is not a list of length 2 (the field is vec2<f32>)",
    );
    fails(
        "grid = [1, 2, 3]",
        "grid = [1, 2, 65536]",
        "input[0].records[0].grid",
        "is not of type u16 (the field is vec3<u16>)",
    );
    fails(
        "depth = -1, seen = [7, 8]",
        "depth = -1",
        "input[0].records[0]",
        "the field `seen` is missing",
    );
    fails(
        "depth = -1, seen = [7, 8]",
        "depth = -1, seen = [7, 8], x = 1",
        "input[0].records[0].x",
        "the record `Tile` has no field `x`",
    );
    fails(
        "node = \"tile\"\ncount = 9",
        "node = \"nobody\"\ncount = 9",
        "input[1].node",
        "there is no such node",
    );
}

#[test]
fn buffers_and_the_image() {
    fails(
        "width = 32",
        "width = 33",
        "image.width",
        "a picture of 33x32 needs 4224 bytes, but the buffer `pixels` has 4096",
    );
    fails(
        "buffer = \"pixels\"",
        "buffer = \"pixel\"",
        "image.buffer",
        "there is no such buffer",
    );
    fails(
        "group = 2",
        "group = 3",
        "buffer[1].group",
        "belongs to the graph; use groups 0 to 2",
    );
    fails(
        "binding = 1\n",
        "binding = 0\n",
        "buffer[2].binding",
        "another resource has this binding",
    );
    fails(
        "i32 = [-1]\nsize = 16",
        "i32 = [-1]\nsize = 2",
        "buffer[2].size+1",
        "is less than the 4 bytes of its contents",
    );
    fails(
        "f32 = [1.0, 2.5]",
        "f32 = [1.0, 2.5]\nu32 = [1]",
        "buffer[1].f32",
        "the buffer has contents already",
    );
}

#[test]
fn rules_of_graphs_have_a_line_too() {
    fails(
        "name = \"count\"\nlaunch = \"thread\"\nentry = true",
        "name = \"count\"\nlaunch = \"thread\"",
        "node[3].name",
        "node `count`: no node sends to it, and it is not an entry",
    );
}

#[test]
fn what_a_device_has_not_is_named() {
    let adapter = anywarp_adapter::adapter(Default::default());
    let request = adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits::downlevel_defaults(),
        ..Default::default()
    });
    let (device, queue) = pollster::block_on(request).unwrap();
    let limits = device.limits();
    let resources = |text: &str| {
        let file = parse(text).unwrap();
        file.resources(&device, &queue).unwrap_err().to_string()
    };
    let most = limits.max_storage_buffers_per_shader_stage - 3;
    let many: String = (0..=most)
        .map(|index| format!("[[buffer]]\nname = \"b{index}\"\nbinding = {index}\nsize = 4\n"))
        .collect();
    assert_eq!(
        resources(&many),
        format!(
            "folder/g.toml: has {} storage buffers, but this device has only {most} left besides those of the graph",
            most + 1
        )
    );
    let size = limits.max_storage_buffer_binding_size;
    assert_eq!(
        resources(&format!(
            "\n[[buffer]]\nname = \"b\"\nbinding = 0\nsize = {}\n",
            size + 4
        )),
        format!(
            "folder/g.toml:3: the buffer `b` has {} bytes, but this device binds at most {size}",
            size + 4
        )
    );
}
