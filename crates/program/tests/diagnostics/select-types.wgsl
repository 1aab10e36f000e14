fn f(a: bool) -> f32 { return select(1.0, 2u, a); }
