//! A small ray tracer: spheres on a chequered floor, with a shadow and reflections.

use gpu_sdk::{
    Vec3f, clamp, dot, floor, max, mix, normalize, reflect, set_pixel, sqrt, thread_id, vec3f,
};

/// Maximum number of reflections of a ray.
const BOUNCES: u32 = 3;
/// Minimum distance of a hit, so that a ray does not hit the surface where it starts.
const NEAR: f32 = 1e-3;

#[derive(Clone, Copy)]
struct Ray {
    origin: Vec3f,
    direction: Vec3f,
}

impl Ray {
    fn at(self, distance: f32) -> Vec3f {
        self.origin + self.direction * distance
    }
}

#[derive(Clone, Copy)]
struct Material {
    colour: Vec3f,
    /// The specular part of the reflected light.
    shine: f32,
}

struct Sphere {
    centre: Vec3f,
    radius: f32,
    material: Material,
}

struct Hit {
    distance: f32,
    position: Vec3f,
    normal: Vec3f,
    material: Material,
}

const fn sphere(centre: Vec3f, radius: f32, colour: Vec3f, shine: f32) -> Sphere {
    let material = Material { colour, shine };
    Sphere {
        centre,
        radius,
        material,
    }
}

static SPHERES: [Sphere; 4] = [
    sphere(vec3f(0.0, 1.0, 0.0), 1.0, vec3f(0.9, 0.25, 0.2), 0.25),
    sphere(vec3f(-2.1, 0.75, 0.6), 0.75, vec3f(0.25, 0.5, 0.95), 0.4),
    sphere(vec3f(1.9, 0.6, 0.8), 0.6, vec3f(0.95, 0.75, 0.2), 0.3),
    sphere(vec3f(0.7, 0.35, 2.0), 0.35, vec3f(0.8, 0.85, 0.9), 0.8),
];

/// The direction of the light.
fn sun() -> Vec3f {
    normalize(vec3f(-0.6, 1.0, 0.7))
}

impl Sphere {
    /// The distance along the ray to the sphere, if it is hit.
    fn meets(&self, ray: Ray) -> Option<f32> {
        let to = ray.origin - self.centre;
        let half = dot(to, ray.direction);
        let rest = half * half - (dot(to, to) - self.radius * self.radius);
        if rest < 0.0 {
            return None;
        }
        let root = sqrt(rest);
        let near = -half - root;
        let distance = if near > NEAR { near } else { -half + root };
        (distance > NEAR).then_some(distance)
    }
}

/// The floor at height 0.
fn floor_hit(ray: Ray) -> Option<Hit> {
    let distance = -ray.origin.y / ray.direction.y;
    if !(distance > NEAR && distance < 60.0) {
        return None;
    }
    let position = ray.at(distance);
    let is_even = (floor(position.x) + floor(position.z)) as i32 & 1 == 0;
    let colour = if is_even {
        vec3f(0.85, 0.85, 0.82)
    } else {
        vec3f(0.2, 0.22, 0.25)
    };
    Some(Hit {
        distance,
        position,
        normal: vec3f(0.0, 1.0, 0.0),
        material: Material { colour, shine: 0.1 },
    })
}

/// The nearest hit of a ray.
fn first_hit(ray: Ray) -> Option<Hit> {
    let mut nearest = floor_hit(ray);
    for sphere in &SPHERES {
        let Some(distance) = sphere.meets(ray) else {
            continue;
        };
        if nearest.as_ref().is_none_or(|hit| distance < hit.distance) {
            let position = ray.at(distance);
            nearest = Some(Hit {
                distance,
                position,
                normal: (position - sphere.centre) / sphere.radius,
                material: sphere.material,
            });
        }
    }
    nearest
}

fn sky(direction: Vec3f) -> Vec3f {
    let height = clamp(direction.y, 0.0, 1.0);
    mix(vec3f(0.85, 0.9, 1.0), vec3f(0.25, 0.45, 0.85), height)
}

/// The light of the sun and of the sky at a surface point.
fn light(hit: &Hit) -> f32 {
    let to_sun = Ray {
        origin: hit.position,
        direction: sun(),
    };
    let is_lit = !SPHERES.iter().any(|sphere| sphere.meets(to_sun).is_some());
    let direct = if is_lit {
        max(dot(hit.normal, sun()), 0.0)
    } else {
        0.0
    };
    0.25 + 0.75 * direct
}

/// The colour that a ray sees.
fn trace(mut ray: Ray) -> Vec3f {
    let (mut colour, mut weight) = (Vec3f::ZERO, 1.0);
    for _ in 0..BOUNCES {
        let Some(hit) = first_hit(ray) else {
            return colour + sky(ray.direction) * weight;
        };
        let shine = hit.material.shine;
        colour += hit.material.colour * (light(&hit) * weight * (1.0 - shine));
        weight *= shine;
        ray = Ray {
            origin: hit.position,
            direction: reflect(ray.direction, hit.normal),
        };
    }
    colour
}

/// Draws one pixel of a picture of `width` times `height` pixels.
#[gpu_sdk::kernel]
pub fn ray_tracer(width: i32, height: i32) {
    let (x, y) = (thread_id() % width, thread_id() / width);
    let scale = 2.0 / height as f32;
    let across = (x as f32 + 0.5 - 0.5 * width as f32) * scale;
    let up = (0.5 * height as f32 - y as f32 - 0.5) * scale;
    let ray = Ray {
        origin: vec3f(0.0, 1.6, 6.0),
        direction: normalize(vec3f(across * 0.6, up * 0.6 - 0.2, -1.6)),
    };
    let colour = trace(ray);
    // Gamma correction, approximated by the square root.
    let shown = |part: f32| sqrt(clamp(part, 0.0, 1.0));
    set_pixel(x, y, shown(colour.x), shown(colour.y), shown(colour.z), 1.0);
}
