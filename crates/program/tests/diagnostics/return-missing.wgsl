fn f(a: bool) -> f32 {
    if a { return 1.0; }
}
