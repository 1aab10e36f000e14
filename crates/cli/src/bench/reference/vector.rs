//! Vectors of three floats, as WGSL computes with them.

use std::ops::{Add, Mul, Sub};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vec3(pub(super) [f32; 3]);

impl Vec3 {
    pub(super) const fn new(x: f32, y: f32, z: f32) -> Self {
        Self([x, y, z])
    }

    pub(super) fn map(self, function: impl FnMut(f32) -> f32) -> Self {
        Self(self.0.map(function))
    }

    fn zip(self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| function(self.0[i], other.0[i])))
    }

    pub(super) fn dot(self, other: Self) -> f32 {
        let [x, y, z] = (self * other).0;
        x + y + z
    }

    pub(super) fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    pub(super) fn normalize(self) -> Self {
        self * (1.0 / self.length())
    }

    pub(super) fn mix(self, other: Self, share: f32) -> Self {
        self * (1.0 - share) + other * share
    }
}

impl Add for Vec3 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Vec3 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Vec3 {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Mul<f32> for Vec3 {
    type Output = Self;

    fn mul(self, factor: f32) -> Self {
        self.map(|a| a * factor)
    }
}
