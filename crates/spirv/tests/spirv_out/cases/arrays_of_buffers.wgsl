enable wgpu_binding_array;
struct Numbers { first: f32, rest: array<f32, 4> }
struct Colour { colour: vec4<f32> }
struct Growing { first: f32, rest: array<f32> }
@group(0) @binding(0) var<storage, read_write> few: binding_array<Numbers, 4>;
@group(0) @binding(1) var<storage> many: binding_array<Numbers>;
@group(0) @binding(2) var<uniform> colours: binding_array<Colour, 4>;
@group(0) @binding(3) var<storage, read_write> growing: binding_array<Growing>;
@group(0) @binding(4) var<uniform> same: u32;
@fragment fn main(@location(0) @interpolate(flat) own: u32) -> @location(0) vec4<f32> {
    few[same].first = many[own].rest[2] + few[1].rest[same];
    growing[own].rest[1] = growing[1].first + f32(arrayLength(&growing[same].rest));
    return colours[1].colour + colours[own].colour;
}
