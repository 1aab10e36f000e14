//! `#[derive(HostShareable)]`: implements WGSL's memory layout for a struct.
//!
//! The macro sees types only as tokens, so it does not compute offsets. Constant functions of
//! `gpu_sdk::layout` compute them when the compiler knows the types.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields, Generics, LitInt, Member, Result, Type, parse_quote};

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(item)?;
    let members: Vec<Member> = fields.members().collect();
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let descriptions = fields
        .iter()
        .zip(&members)
        .map(|(field, member)| describe(field, member))
        .collect::<Result<Vec<_>>>()?;
    let generics = bounded(&item.generics);
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let name = &item.ident;
    // Invalid attributes are an error even if the layout is never used.
    let check = generics.params.is_empty().then(|| {
        quote! {
            const _: &[::gpu_sdk::layout::Member] = <#name as ::gpu_sdk::layout::Struct>::MEMBERS;
        }
    });
    let functions = functions(&members, &types);
    Ok(quote! {
        #check

        impl #parameters ::gpu_sdk::layout::Struct for #name #arguments #conditions {
            const MEMBERS: &'static [::gpu_sdk::layout::Member] =
                &::gpu_sdk::layout::place([#(#descriptions),*]);
        }

        impl #parameters ::gpu_sdk::HostShareable for #name #arguments #conditions {
            const ALIGN: usize = ::gpu_sdk::layout::align_of(
                <Self as ::gpu_sdk::layout::Struct>::MEMBERS,
            );
            const SIZE: usize = ::gpu_sdk::layout::size_of(
                <Self as ::gpu_sdk::layout::Struct>::MEMBERS,
            );

            #functions
        }
    })
}

/// The generics with every type parameter bound to host-shareable types.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter
            .bounds
            .push(parse_quote!(::gpu_sdk::HostShareable));
    }
    generics
}

/// The functions that read, write and zero the members.
fn functions(members: &[Member], types: &[&Type]) -> TokenStream {
    let numbers = (0..members.len()).map(syn::Index::from);
    let numbers: Vec<_> = numbers.collect();
    quote! {
        fn read(words: impl ::gpu_sdk::layout::Words) -> Self {
            let members = <Self as ::gpu_sdk::layout::Struct>::MEMBERS;
            Self {#(
                #members: <#types as ::gpu_sdk::HostShareable>::read(
                    ::gpu_sdk::layout::Words::from(words, members[#numbers].offset / 4),
                ),
            )*}
        }

        fn write(self, words: impl ::gpu_sdk::layout::Words) {
            let members = <Self as ::gpu_sdk::layout::Struct>::MEMBERS;
            #(
                <#types as ::gpu_sdk::HostShareable>::write(
                    self.#members,
                    ::gpu_sdk::layout::Words::from(words, members[#numbers].offset / 4),
                );
            )*
        }

        fn zero() -> Self {
            Self {#( #members: <#types as ::gpu_sdk::HostShareable>::zero(), )*}
        }
    }
}

/// The members of a struct; an error if there are none.
fn fields(item: &DeriveInput) -> Result<&Fields> {
    let what = match &item.data {
        Data::Struct(data) if data.fields.is_empty() => "a struct without members",
        Data::Struct(data) => return Ok(&data.fields),
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let message = format!("{what} cannot lie in a buffer: WGSL has no such type");
    Err(syn::Error::new_spanned(&item.ident, message))
}

/// Generates `Member::of::<Type>("name")` with the attributes of the field.
fn describe(field: &Field, member: &Member) -> Result<TokenStream> {
    let name = member.to_token_stream().to_string();
    let name = name.trim_start_matches("r#");
    let ty = &field.ty;
    let mut description = quote_spanned! {ty.span()=>
        ::gpu_sdk::layout::Member::of::<#ty>(#name)
    };
    for attribute in &field.attrs {
        if !attribute.path().is_ident("gpu") {
            continue;
        }
        attribute.parse_nested_meta(|meta| {
            let bytes = || -> Result<LitInt> { meta.value()?.parse() };
            if meta.path.is_ident("align") {
                let bytes = bytes()?;
                description.extend(quote!(.with_align(#bytes)));
            } else if meta.path.is_ident("size") {
                let bytes = bytes()?;
                description.extend(quote!(.with_size(#bytes)));
            } else {
                return Err(meta.error("only `align` and `size` are known here"));
            }
            Ok(())
        })?;
    }
    Ok(description)
}
