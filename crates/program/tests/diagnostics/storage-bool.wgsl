@group(0) @binding(0) var<storage> flags: array<bool>;
