struct Lights { levels: array<f32, 8> }
@group(0) @binding(0) var<uniform> lights: Lights;
