//! Conversion between the suite's values and patterns, and ours.

use anywarp_wasm::bytecode::Type;
use anywarp_wasm::runtime::Value;
use wast::core::{HeapType, NanPattern, WastArgCore, WastRetCore};
use wast::{WastArg, WastRet};

const F32_CANONICAL: u64 = 0x7fc0_0000;
const F64_CANONICAL: u64 = 0x7ff8_0000_0000_0000;

/// An argument, if its type is supported.
pub(crate) fn argument(argument: &WastArg<'_>) -> Option<Value> {
    let WastArg::Core(argument) = argument else {
        return None;
    };
    let value = |ty, bits| Some(Value::from_bits(ty, bits));
    match argument {
        WastArgCore::I32(number) => value(Type::I32, u64::from(number.cast_unsigned())),
        WastArgCore::I64(number) => value(Type::I64, number.cast_unsigned()),
        WastArgCore::F32(number) => value(Type::F32, u64::from(number.bits)),
        WastArgCore::F64(number) => value(Type::F64, number.bits),
        WastArgCore::RefNull(ty) => value(reference(ty), 0),
        WastArgCore::RefExtern(number) => value(Type::ExternRef, u64::from(*number) + 1),
        _ => None,
    }
}

fn reference(ty: &HeapType<'_>) -> Type {
    match ty {
        HeapType::Abstract {
            ty: wast::core::AbstractHeapType::Extern,
            ..
        } => Type::ExternRef,
        _ => Type::FuncRef,
    }
}

/// Whether results match the expected patterns.
pub(crate) fn all_match(expected: &[WastRet<'_>], found: &[Value]) -> bool {
    expected.len() == found.len()
        && expected
            .iter()
            .zip(found)
            .all(|(expected, found)| matches(expected, *found))
}

fn matches(expected: &WastRet<'_>, found: Value) -> bool {
    let WastRet::Core(expected) = expected else {
        return false;
    };
    match_core(expected, found)
}

fn match_core(expected: &WastRetCore<'_>, found: Value) -> bool {
    match expected {
        WastRetCore::I32(number) => found.bits() == u64::from(number.cast_unsigned()),
        WastRetCore::I64(number) => found.bits() == number.cast_unsigned(),
        WastRetCore::F32(pattern) => match pattern {
            NanPattern::CanonicalNan => found.bits() & 0x7fff_ffff == F32_CANONICAL,
            NanPattern::ArithmeticNan => found.bits() & F32_CANONICAL == F32_CANONICAL,
            NanPattern::Value(number) => found.bits() == u64::from(number.bits),
        },
        WastRetCore::F64(pattern) => match pattern {
            NanPattern::CanonicalNan => found.bits() & (u64::MAX >> 1) == F64_CANONICAL,
            NanPattern::ArithmeticNan => found.bits() & F64_CANONICAL == F64_CANONICAL,
            NanPattern::Value(number) => found.bits() == number.bits,
        },
        WastRetCore::RefNull(_) => found.bits() == 0,
        WastRetCore::RefExtern(Some(number)) => found.bits() == u64::from(*number) + 1,
        WastRetCore::RefExtern(None) | WastRetCore::RefFunc(None) => found.bits() != 0,
        WastRetCore::Either(options) => options.iter().any(|option| match_core(option, found)),
        _ => false,
    }
}
