//! Parses `#[record(..)]` of structs and fields, and finds `#[repr(C)]`.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, LitStr, Path, Result, Token, Type, parse_quote};

/// `#[record(..)]` of a struct.
pub(crate) struct StructAttributes {
    /// The name of the record type, if it differs from the struct's.
    pub(crate) name: Option<LitStr>,
    /// The path of `anywarp-graph`.
    pub(crate) krate: Path,
}

/// `#[record(..)]` of a field.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    /// The grid of broadcasting nodes.
    pub(crate) is_grid: bool,
    /// An array instead of a vector.
    pub(crate) is_array: bool,
    /// The Rust type that declares the type of the field.
    pub(crate) declared_as: Option<Type>,
}

impl StructAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut parsed = Self {
            name: None,
            krate: parse_quote!(::anywarp_graph),
        };
        each(attributes, |meta| {
            if meta.path.is_ident("name") {
                parsed.name = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("crate") {
                parsed.krate = meta.value()?.call(Path::parse_mod_style)?;
            } else {
                return Err(meta.error("a struct has only `name` and `crate` here"));
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

impl FieldAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut parsed = Self::default();
        each(attributes, |meta| {
            if meta.path.is_ident("grid") {
                parsed.is_grid = true;
            } else if meta.path.is_ident("array") {
                parsed.is_array = true;
            } else if meta.input.peek(Token![=]) && is_keyword_as(&meta.path) {
                parsed.declared_as = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("a field has only `grid`, `array` and `as = TYPE` here"));
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

fn is_keyword_as(path: &Path) -> bool {
    path.get_ident().is_some_and(|name| name == "as")
}

fn each(
    attributes: &[Attribute],
    mut parse: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    let ours = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("record"));
    for attribute in ours {
        attribute.parse_nested_meta(|meta| parse(&meta))?;
    }
    Ok(())
}

/// Whether the fields of a struct lie in the order of their declaration.
pub(crate) fn is_repr_c(attributes: &[Attribute]) -> bool {
    let mut found = false;
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("repr"))
    {
        // The compiler reports invalid arguments; `align(16)` and the like are not relevant here.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta.path.is_ident("C");
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                let _: proc_macro2::TokenStream = content.parse()?;
            }
            Ok(())
        });
    }
    found
}
