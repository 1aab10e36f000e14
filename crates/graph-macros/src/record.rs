//! `#[derive(Record)]`: the fields of a struct as the declaration of a record.
//!
//! The macro sees types only as tokens. So the generated code names their declarations by a trait,
//! and compares offsets and sizes in constants, when the compiler knows the types.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, FieldsNamed, Ident, Path, Result};

use crate::attributes::{FieldAttributes, StructAttributes, is_repr_c};

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(item)?;
    if !item.generics.params.is_empty() {
        let message = "a record cannot be generic: its layout must be known";
        return Err(Error::new_spanned(&item.generics, message));
    }
    if !is_repr_c(&item.attrs) {
        let message = "a record needs `#[repr(C)]`: otherwise its fields may lie in any order";
        return Err(Error::new_spanned(&item.ident, message));
    }
    let StructAttributes { name, krate } = StructAttributes::parse(&item.attrs)?;
    let ident = &item.ident;
    let record = match &name {
        Some(name) => name.value(),
        None => ident.unraw().to_string(),
    };
    let declarations = fields.named.iter().map(|field| declaration(field, &krate));
    let declarations = declarations.collect::<Result<Vec<_>>>()?;
    let checks = checks(ident, fields, &krate, &record)?;
    Ok(quote! {
        impl #krate::record::Record for #ident {
            const NAME: &'static str = #record;
            const FIELDS: &'static [#krate::record::FieldDeclaration] = &[#(#declarations),*];
        }
        #checks
    })
}

/// The fields of a struct with named fields, of which there is at least one.
fn fields(item: &DeriveInput) -> Result<&FieldsNamed> {
    let what = match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) if !fields.named.is_empty() => return Ok(fields),
            Fields::Named(_) | Fields::Unit => {
                "a struct without fields cannot be a record; nodes without records have empty inputs, which are only counted"
            }
            Fields::Unnamed(_) => {
                "the fields of a record need names: node code refers to them by name"
            }
        },
        Data::Enum(_) => "an enum cannot be a record, only a struct",
        Data::Union(_) => "a union cannot be a record, only a struct",
    };
    Err(Error::new_spanned(&item.ident, what))
}

/// The name of a field, which becomes a part of the names of WGSL functions.
fn field_name(field: &Field) -> Result<Ident> {
    let Some(ident) = &field.ident else {
        return Err(Error::new_spanned(
            field,
            "the fields of a record need names",
        ));
    };
    let name = ident.unraw().to_string();
    let begins_with_letter = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if begins_with_letter && name.is_ascii() && !name.contains("__") {
        Ok(ident.clone())
    } else {
        let message = format!(
            "field `{name}`: the names of a record's fields begin with a letter and have only ASCII letters, digits and single underscores"
        );
        Err(Error::new_spanned(ident, message))
    }
}

/// Generates `FieldDeclaration::new("name", TYPE)`.
fn declaration(field: &Field, krate: &Path) -> Result<TokenStream> {
    let name = field_name(field)?.unraw().to_string();
    let attributes = FieldAttributes::parse(&field.attrs)?;
    let ty = attributes.declared_as.as_ref().unwrap_or(&field.ty);
    // At the span of the type, where the compiler reports a type that is not a field.
    let mut declared = quote_spanned! {ty.span()=>
        <#ty as #krate::record::RecordField>::TYPE
    };
    if attributes.is_array {
        declared = quote!(#declared.unpacked());
    }
    let mut declaration = quote!(#krate::record::FieldDeclaration::new(#name, #declared));
    if attributes.is_grid {
        declaration = quote!(#declaration.grid());
    }
    Ok(declaration)
}

/// Constants whose evaluation fails, with the name of the field, if Rust's layout differs.
fn checks(ident: &Ident, fields: &FieldsNamed, krate: &Path, record: &str) -> Result<TokenStream> {
    let declared = quote!(<#ident as #krate::record::Record>::FIELDS);
    let mut checks = TokenStream::new();
    for (index, field) in fields.named.iter().enumerate() {
        let name = field_name(field)?;
        let message = format!(
            "record `{record}`: field `{}` has a larger alignment or size than its type in a record, which is packed like a C struct of 16-bit and 32-bit numbers",
            name.unraw()
        );
        let end = if index + 1 < fields.named.len() {
            quote!(#krate::record::offset_of_field(#declared, #index + 1))
        } else {
            quote!(#krate::record::size_of_fields(#declared))
        };
        let ty = &field.ty;
        checks.extend(quote_spanned! {field.span()=>
            const _: () = assert!(
                ::core::mem::offset_of!(#ident, #name) == #krate::record::offset_of_field(#declared, #index)
                    && ::core::mem::offset_of!(#ident, #name) + ::core::mem::size_of::<#ty>() <= #end,
                #message
            );
        });
    }
    let message = format!(
        "record `{record}`: its size is not that of the record, which is a multiple of four bytes; add a field as padding"
    );
    checks.extend(quote! {
        const _: () = assert!(
            ::core::mem::size_of::<#ident>() == #krate::record::size_of_fields(#declared),
            #message
        );
    });
    Ok(checks)
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn refused(item: &DeriveInput) -> String {
        expand(item).unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_a_record_is_named() {
        assert_eq!(
            refused(&parse_quote!(
                enum E {}
            )),
            "an enum cannot be a record, only a struct"
        );
        assert!(
            refused(&parse_quote!(
                #[repr(C)]
                struct S;
            ))
            .starts_with("a struct without fields")
        );
        assert!(
            refused(&parse_quote!(
                #[repr(C)]
                struct S(u32);
            ))
            .starts_with("the fields of a record need names")
        );
        assert!(
            refused(&parse_quote!(
                struct S {
                    a: u32,
                }
            ))
            .contains("`#[repr(C)]`")
        );
        assert!(
            refused(&parse_quote!(
                #[repr(C)]
                struct S<T> {
                    a: T,
                }
            ))
            .contains("cannot be generic")
        );
        assert!(
            refused(&parse_quote!(
                #[repr(C)]
                struct S {
                    _a: u32,
                }
            ))
            .contains("field `_a`")
        );
        let item = parse_quote!(
            #[repr(C)]
            struct S {
                #[record(vector)]
                a: u32,
            }
        );
        assert_eq!(
            refused(&item),
            "a field has only `grid`, `array` and `as = TYPE` here"
        );
        let item = parse_quote!(
            #[repr(C)]
            #[record(grid)]
            struct S {
                a: u32,
            }
        );
        assert_eq!(refused(&item), "a struct has only `name` and `crate` here");
    }

    #[test]
    fn attributes_change_the_declaration() {
        let item: DeriveInput = parse_quote! {
            #[repr(C, align(4))]
            #[record(name = "Other", crate = ::anywarp::graph)]
            struct S {
                #[record(grid)]
                size: [u16; 2],
                #[record(as = [f32; 3])]
                at: Vec3,
                #[record(array)]
                seen: [u32; 4],
            }
        };
        let text = expand(&item).unwrap().to_string();
        let expected = quote! {
            const NAME: &'static str = "Other";
            const FIELDS: &'static [::anywarp::graph::record::FieldDeclaration] = &[
                ::anywarp::graph::record::FieldDeclaration::new(
                    "size", <[u16; 2] as ::anywarp::graph::record::RecordField>::TYPE).grid(),
                ::anywarp::graph::record::FieldDeclaration::new(
                    "at", <[f32; 3] as ::anywarp::graph::record::RecordField>::TYPE),
                ::anywarp::graph::record::FieldDeclaration::new(
                    "seen", <[u32; 4] as ::anywarp::graph::record::RecordField>::TYPE.unpacked())
            ];
        };
        assert!(text.contains(&expected.to_string()), "{text}");
    }
}
