//! `#[kernel]`: exports a function on wasm32 and leaves the function unchanged.
//!
//! The export is a generated wrapper that calls the kernel, so the kernel stays an ordinary Rust
//! function that other kernels and tests can call.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn, ReturnType, Safety, Signature, Type};

pub(crate) fn expand(arguments: &TokenStream, function: &ItemFn) -> TokenStream {
    let mut errors = problems(&function.sig);
    if !arguments.is_empty() {
        let message = "`#[kernel]` takes no arguments";
        errors.push(syn::Error::new_spanned(arguments, message));
    }
    let errors = errors.into_iter().map(syn::Error::into_compile_error);
    let errors: TokenStream = errors.collect();
    if !errors.is_empty() {
        // The function is emitted too, so that its uses cause no further errors.
        return quote!(#function #errors);
    }
    let checks = checks(&function.sig);
    let export = export(function);
    quote!(#function #checks #export)
}

/// The errors of a signature that a kernel cannot have.
fn problems(signature: &Signature) -> Vec<syn::Error> {
    let mut errors = Vec::new();
    let mut refuse = |place: &dyn quote::ToTokens, message: &str| {
        errors.push(syn::Error::new_spanned(place, message));
    };
    if !signature.generics.params.is_empty() {
        let message = "a kernel cannot be generic: call the generic function from a kernel for each \
                       type it is needed for";
        refuse(&signature.generics, message);
    }
    if let Some(asyncness) = &signature.asyncness {
        refuse(asyncness, "a kernel cannot be async: nothing would poll it");
    }
    if let Safety::Unsafe(unsafety) = &signature.safety {
        refuse(
            unsafety,
            "a kernel cannot be unsafe: its caller is the host",
        );
    }
    if let Some(abi) = &signature.abi {
        refuse(
            abi,
            "leave out `extern`: `#[kernel]` exports the function where that is needed",
        );
    }
    if let Some(variadic) = &signature.variadic {
        refuse(
            variadic,
            "a kernel cannot have a variable number of arguments",
        );
    }
    if let Some(receiver) = signature.receiver() {
        refuse(
            receiver,
            "a kernel cannot be a method: make it a function outside of the impl",
        );
    }
    errors
}

fn argument_types(signature: &Signature) -> impl Iterator<Item = &Type> {
    signature
        .inputs
        .iter()
        .filter_map(|argument| match argument {
            FnArg::Typed(argument) => Some(&*argument.ty),
            FnArg::Receiver(_) => None,
        })
}

/// Generates compile-time checks that wasm32 can pass the types. They run natively too, so that
/// errors appear before the first build for wasm32. The compiler checks the types, not their names,
/// so aliases work.
fn checks(signature: &Signature) -> TokenStream {
    let arguments = argument_types(signature)
        .map(|ty| quote_spanned!(ty.span()=> ::gpu_sdk::__private::is_argument::<#ty>();));
    let result = match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => {
            Some(quote_spanned!(ty.span()=> ::gpu_sdk::__private::is_result::<#ty>();))
        }
    };
    quote! {
        const _: () = {
            #(#arguments)*
            #result
        };
    }
}

/// Generates the wrapper that wasm32 exports under the kernel's name.
fn export(function: &ItemFn) -> TokenStream {
    let cfgs = function.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let kernel = &function.sig.ident;
    let name = kernel.to_string();
    let name = name.trim_start_matches("r#");
    let output = &function.sig.output;
    let types: Vec<_> = argument_types(&function.sig).collect();
    let names: Vec<_> = (0..types.len())
        .map(|i| format_ident!("argument_{i}"))
        .collect();
    quote! {
        #(#cfgs)*
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            #[unsafe(export_name = #name)]
            extern "C" fn export(#(#names: #types),*) #output {
                #kernel(#(#names),*)
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn expanded(function: &ItemFn) -> String {
        expand(&TokenStream::new(), function).to_string()
    }

    #[test]
    fn what_a_kernel_cannot_be() {
        let cases: [(ItemFn, &str); 6] = [
            (
                parse_quote!(
                    fn f<T>(x: T) {}
                ),
                "a kernel cannot be generic",
            ),
            (
                parse_quote!(
                    async fn f() {}
                ),
                "a kernel cannot be async",
            ),
            (
                parse_quote!(
                    unsafe fn f() {}
                ),
                "a kernel cannot be unsafe",
            ),
            (
                parse_quote!(
                    extern "C" fn f() {}
                ),
                "leave out `extern`",
            ),
            (
                parse_quote!(
                    fn f(&self) {}
                ),
                "a kernel cannot be a method",
            ),
            (
                parse_quote!(
                    fn f<'a>(x: &'a i32) {}
                ),
                "a kernel cannot be generic",
            ),
        ];
        for (function, message) in cases {
            let text = expanded(&function);
            assert!(text.contains("compile_error"), "{text}");
            assert!(text.contains(message), "{text}");
        }
    }

    #[test]
    fn arguments_of_the_attribute_are_refused() {
        let text = expand(
            &quote!(64),
            &parse_quote!(
                fn f() {}
            ),
        )
        .to_string();
        assert!(text.contains("takes no arguments"), "{text}");
    }

    #[test]
    fn a_raw_name_is_exported_without_its_mark() {
        let text = expanded(&parse_quote!(
            fn r#loop(_: i32) {}
        ));
        assert!(text.contains("export_name = \"loop\""), "{text}");
        assert!(!text.contains("compile_error"), "{text}");
    }

    #[test]
    fn a_condition_holds_for_the_export_too() {
        let text = expanded(&parse_quote!(
            #[cfg(test)]
            fn f() {}
        ));
        assert_eq!(text.matches("cfg (test)").count(), 2, "{text}");
    }
}
