//! Names that every shading language accepts.

/// A valid identifier that resembles a text.
pub(super) fn identifier(text: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut name: String = text
        .chars()
        .map(|c| if is_allowed(c) { c } else { '_' })
        .collect();
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    let begins_well =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.starts_with("gl_");
    if !begins_well {
        name.insert_str(0, "kernel_");
        name = name.replace("__", "_");
    }
    if naga::keywords::wgsl::RESERVED_SET.contains(&name) {
        name.push_str("_kernel");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn identifiers() {
        assert_eq!(identifier("ray_tracer"), "ray_tracer");
        assert_eq!(identifier("my kernel::<u32>"), "my_kernel_u32_");
        assert_eq!(identifier("0"), "kernel_0");
        assert_eq!(identifier("__x"), "kernel_x");
        assert_eq!(identifier("loop"), "loop_kernel");
        assert_eq!(identifier(""), "kernel_");
    }
}
