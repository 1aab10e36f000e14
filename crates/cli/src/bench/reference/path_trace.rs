//! The reference of the row `path_trace`.

use super::vector::Vec3;

/// Center, radius, colour, and the share of mirrored rays.
type Sphere = [f32; 8];

const FAR: f32 = 1e9;
const SAMPLES: u8 = 4;
const BOUNCES: u32 = 5;

/// The pixels of a square picture: red, green, blue and one.
pub(in crate::bench) fn picture(spheres: &[Sphere], n: u32) -> Vec<f32> {
    let places = (0..n).flat_map(|y| (0..n).map(move |x| [x, y]));
    places.flat_map(|place| pixel(spheres, place, n)).collect()
}

fn pixel(spheres: &[Sphere], [x, y]: [u32; 2], n: u32) -> [f32; 4] {
    let mut random = Random((y * n + x).wrapping_mul(9781).wrapping_add(1));
    let mut color = Vec3::new(0.0, 0.0, 0.0);
    for _ in 0..SAMPLES {
        let px = (x as f32 + random.unit()) / n as f32 * 2.0 - 1.0;
        let py = 1.0 - (y as f32 + random.unit()) / n as f32 * 2.0;
        let direction = Vec3::new(px, py - 0.2, 1.5).normalize();
        color = color + trace(spheres, Vec3::new(0.0, 1.0, -4.0), direction, &mut random);
    }
    let [red, green, blue] = color.0.map(|part| part / f32::from(SAMPLES));
    [red, green, blue, 1.0]
}

/// A permuted congruential generator.
struct Random(u32);

impl Random {
    fn unit(&mut self) -> f32 {
        let old = self.0;
        self.0 = old.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((old >> ((old >> 28) + 4)) ^ old).wrapping_mul(277_803_737);
        (((word >> 22) ^ word) >> 8) as f32 / (1 << 24) as f32
    }

    fn direction(&mut self) -> Vec3 {
        let z = 1.0 - 2.0 * self.unit();
        let (sin, cos) = (6.283_185_3 * self.unit()).sin_cos();
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(r * cos, r * sin, z)
    }
}

fn nearest<'a>(spheres: &'a [Sphere], origin: Vec3, direction: Vec3) -> Option<(f32, &'a Sphere)> {
    let mut hit = None;
    let mut distance = FAR;
    for sphere in spheres {
        let [x, y, z, radius, ..] = *sphere;
        let offset = Vec3::new(x, y, z) - origin;
        let along = offset.dot(direction);
        let discriminant = along * along - offset.dot(offset) + radius * radius;
        if discriminant < 0.0 {
            continue;
        }
        let root = discriminant.sqrt();
        let entry = along - root;
        let t = if entry < 0.01 { along + root } else { entry };
        if t >= 0.01 && t < distance {
            distance = t;
            hit = Some((t, sphere));
        }
    }
    hit
}

fn trace(spheres: &[Sphere], start: Vec3, toward: Vec3, random: &mut Random) -> Vec3 {
    let (mut origin, mut direction) = (start, toward);
    let mut weight = Vec3::new(1.0, 1.0, 1.0);
    for _ in 0..BOUNCES {
        let Some((t, sphere)) = nearest(spheres, origin, direction) else {
            let height = (0.5 + 0.5 * direction.0[1]).clamp(0.0, 1.0);
            return weight * Vec3::new(1.0, 1.0, 1.0).mix(Vec3::new(0.4, 0.6, 1.0), height);
        };
        let [x, y, z, radius, red, green, blue, mirror] = *sphere;
        origin = origin + direction * t;
        let normal = (origin - Vec3::new(x, y, z)) * (1.0 / radius);
        direction = if random.unit() < mirror {
            direction - normal * (2.0 * normal.dot(direction))
        } else {
            (normal * 1.001 + random.direction()).normalize()
        };
        weight = weight * Vec3::new(red, green, blue);
    }
    Vec3::new(0.0, 0.0, 0.0)
}
