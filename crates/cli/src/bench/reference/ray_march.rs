//! The reference of the row `ray_march`.

use super::vector::Vec3;

/// The pixels of a square picture: red, green, blue and one.
pub(in crate::bench) fn picture(n: u32) -> Vec<f32> {
    let places = (0..n).flat_map(|y| (0..n).map(move |x| [x, y]));
    places.flat_map(|place| pixel(place, n as f32)).collect()
}

fn pixel([x, y]: [u32; 2], n: f32) -> [f32; 4] {
    let [u, v] = [x, y].map(|place| (2.0 * (place as f32 + 0.5) - n) / n);
    let origin = Vec3::new(0.0, 0.6, -3.0);
    let direction = Vec3::new(u, -v - 0.2, 1.5).normalize();
    let t = march(origin, direction);
    let sky = Vec3::new(0.5, 0.7, 0.9) * (1.0 - 0.5 * direction.0[1].max(0.0));
    let mut color = sky;
    if t < 20.0 {
        let p = origin + direction * t;
        let n = normal(p);
        let sun = Vec3::new(0.6, 0.7, -0.5).normalize();
        let diffuse = n.dot(sun).max(0.0) * shadow(p + n * 0.01, sun);
        let halfway = (sun - direction).normalize();
        let specular = n.dot(halfway).max(0.0).powf(32.0);
        let lit = Vec3::new(0.9, 0.6, 0.4) * (0.2 + 0.8 * diffuse);
        let lit = lit.map(|part| part + 0.3 * specular * diffuse);
        color = sky.mix(lit, (-0.02 * t * t).exp());
    }
    let [red, green, blue] = color.0.map(f32::sqrt);
    [red, green, blue, 1.0]
}

fn scene(p: Vec3) -> f32 {
    let [x, y, z] = p.0;
    let fract = |part: f32| part - part.floor();
    let ground = y + 1.0;
    let ball = (p - Vec3::new(-0.5, 0.0, 0.0)).length() - 0.8;
    let cube = cube(p - Vec3::new(0.7, -0.4, 0.2), 0.5);
    let cell = Vec3::new(fract(x + 0.5) - 0.5, y + 0.9, fract(z + 0.5) - 0.5);
    let pearls = cell.length() - 0.15;
    ground.min(pearls).min(smooth_min(ball, cube, 0.3))
}

fn cube(p: Vec3, size: f32) -> f32 {
    let q = p.map(|part| part.abs() - size);
    let [x, y, z] = q.0;
    q.map(|part| part.max(0.0)).length() + x.max(y.max(z)).min(0.0)
}

fn smooth_min(a: f32, b: f32, k: f32) -> f32 {
    let h = (0.5 + 0.5 * (b - a) / k).clamp(0.0, 1.0);
    b * (1.0 - h) + a * h - k * h * (1.0 - h)
}

fn normal(p: Vec3) -> Vec3 {
    let slope = |axis: usize| {
        let step = Vec3(std::array::from_fn(|i| if i == axis { 0.01 } else { 0.0 }));
        scene(p + step) - scene(p - step)
    };
    Vec3([0, 1, 2].map(slope)).normalize()
}

fn march(origin: Vec3, direction: Vec3) -> f32 {
    let mut t = 0.0;
    for _ in 0..96 {
        let d = scene(origin + direction * t);
        if d < 0.001 || t > 20.0 {
            break;
        }
        t += d;
    }
    t
}

fn shadow(origin: Vec3, direction: Vec3) -> f32 {
    let mut light = 1.0_f32;
    let mut t = 0.05;
    for _ in 0..32 {
        let d = scene(origin + direction * t);
        light = light.min(8.0 * d / t);
        t += d.clamp(0.02, 0.25);
        if light < 0.005 || t > 5.0 {
            break;
        }
    }
    light.clamp(0.0, 1.0)
}
