//! The name of this machine's processor.

use std::sync::OnceLock;

/// The CPU's brand string, or the name of the architecture if it has none.
pub(crate) fn cpu_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        brand()
            .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
    })
}

/// The brand string that the processor reports about itself.
#[cfg(target_arch = "x86_64")]
fn brand() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    const FIRST: u32 = 0x8000_0002;
    const LAST: u32 = 0x8000_0004;
    if __cpuid(0x8000_0000).eax < LAST {
        return None;
    }
    let mut text = Vec::new();
    for leaf in FIRST..=LAST {
        let part = __cpuid(leaf);
        for register in [part.eax, part.ebx, part.ecx, part.edx] {
            text.extend(register.to_le_bytes());
        }
    }
    let end = text.iter().position(|byte| *byte == 0);
    text.truncate(end.unwrap_or(text.len()));
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Without CPUID: the name from Linux's `/proc/cpuinfo`.
#[cfg(not(target_arch = "x86_64"))]
fn brand() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let is_name = |line: &&str| line.starts_with("model name") || line.starts_with("Model");
    let line = text.lines().find(is_name)?;
    Some(line.split_once(':')?.1.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn has_a_name() {
        let name = super::cpu_name();
        assert!(!name.is_empty() && !name.contains("  "), "{name:?}");
    }
}
