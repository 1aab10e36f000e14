var t: texture_2d<f32>;
