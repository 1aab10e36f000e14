//! Attributes of pipeline inputs and outputs.
//!
//! In: the binding of a parameter, result or structure member. Out: its WGSL attributes (`@location`, `@builtin`,
//! `@interpolate`, ...), or an error if the dialect lacks the builtin.

use std::fmt::Write;

use anywarp_program::naga::common::wgsl::{ToWgsl, TryToWgsl};
use anywarp_program::naga::{Binding, BuiltIn, Interpolation, Sampling};

use super::Dialect;
use super::context::{Context, DeclarationName};
use super::extension::Extension;
use crate::WriteError;

impl Context<'_> {
    /// Appends the attributes of a pipeline input or output, each followed by a space.
    pub(super) fn binding(
        &self,
        binding: &Binding,
        place: DeclarationName<'_>,
        out: &mut String,
    ) -> Result<(), WriteError> {
        match *binding {
            Binding::BuiltIn(builtin) => self.builtin_value(builtin, place, out),
            Binding::Location {
                location,
                interpolation,
                sampling,
                blend_src,
                per_primitive,
            } => {
                let _ = write!(out, "@location({location}) ");
                if let Some(source) = blend_src {
                    self.enable(Extension::DualSourceBlending);
                    let _ = write!(out, "@blend_src({source}) ");
                }
                if per_primitive {
                    self.naga_only("values per primitive", place)?;
                    self.enable(Extension::MeshShader);
                    out.push_str("@per_primitive ");
                }
                if interpolation == Some(Interpolation::PerVertex) {
                    self.naga_only("values per vertex", place)?;
                    self.enable(Extension::PerVertex);
                }
                interpolate(interpolation, sampling, out);
                Ok(())
            }
        }
    }

    fn builtin_value(
        &self,
        builtin: BuiltIn,
        place: DeclarationName<'_>,
        out: &mut String,
    ) -> Result<(), WriteError> {
        let Some(name) = builtin.try_to_wgsl() else {
            return Err(self.unsupported(nameless(builtin), place));
        };
        match name {
            "position"
            | "vertex_index"
            | "instance_index"
            | "frag_depth"
            | "front_facing"
            | "sample_index"
            | "sample_mask"
            | "global_invocation_id"
            | "local_invocation_id"
            | "local_invocation_index"
            | "workgroup_id"
            | "num_workgroups" => {}
            "clip_distances" => self.enable(Extension::ClipDistances),
            "primitive_index" => self.enable(Extension::PrimitiveIndex),
            "subgroup_size" | "subgroup_invocation_id" | "num_subgroups" | "subgroup_id" => {
                self.enable(Extension::Subgroups);
            }
            _ => self.naga_only(&format!("the builtin value `{name}`"), place)?,
        }
        if self.dialect == Dialect::Naga {
            match name {
                "draw_index" => self.enable(Extension::DrawIndex),
                "mesh_task_size" | "triangle_indices" | "line_indices" | "point_index"
                | "vertices" | "primitives" | "vertex_count" | "primitive_count"
                | "cull_primitive" => self.enable(Extension::MeshShader),
                "ray_invocation_id"
                | "num_ray_invocations"
                | "instance_custom_data"
                | "geometry_index"
                | "world_ray_origin"
                | "world_ray_direction"
                | "object_ray_origin"
                | "object_ray_direction"
                | "ray_t_min"
                | "ray_t_current_max"
                | "object_to_world"
                | "world_to_object"
                | "hit_kind" => {
                    self.enable(Extension::RayTracingPipeline);
                }
                _ => {}
            }
        }
        let _ = write!(out, "@builtin({name}) ");
        if builtin == (BuiltIn::Position { invariant: true }) {
            out.push_str("@invariant ");
        }
        Ok(())
    }
}

/// Appends `@interpolate`, unless it is WGSL's default.
fn interpolate(interpolation: Option<Interpolation>, sampling: Option<Sampling>, out: &mut String) {
    let Some(interpolation) = interpolation else {
        return;
    };
    let sampling = sampling.filter(|sampling| match sampling {
        Sampling::Center | Sampling::First => false,
        Sampling::Centroid | Sampling::Sample | Sampling::Either => true,
    });
    let _ = match (interpolation, sampling) {
        (Interpolation::Perspective, None) => Ok(()),
        (interpolation, None) => write!(out, "@interpolate({}) ", interpolation.to_wgsl()),
        (interpolation, Some(sampling)) => write!(
            out,
            "@interpolate({}, {}) ",
            interpolation.to_wgsl(),
            sampling.to_wgsl()
        ),
    };
}

/// The name used in messages for a builtin value that WGSL lacks.
fn nameless(builtin: BuiltIn) -> &'static str {
    match builtin {
        BuiltIn::BaseInstance => "the first instance as a builtin value",
        BuiltIn::BaseVertex => "the first vertex as a builtin value",
        BuiltIn::CullDistance => "cull distances",
        BuiltIn::PointSize => "the size of points",
        BuiltIn::PointCoord => "coordinates in points",
        BuiltIn::WorkGroupSize => "the size of workgroups as a builtin value",
        _ => "an unknown builtin value",
    }
}
