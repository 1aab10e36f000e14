//! Tint's opinion of modules.

use anywarp_tests::browser::{Browser, Severity, tint_check};

use super::say;

/// Asks Tint about modules, given with their names, and fails unless it takes all.
pub(crate) fn assert_taken(what: &str, modules: &[(String, String)]) {
    let Some(browser) = Browser::launch_for(what) else {
        return;
    };
    let mut wrong = Vec::new();
    for some in modules.chunks(64) {
        let given: Vec<_> = some
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        for ((name, _), answer) in given.iter().zip(tint_check(&browser, &given).unwrap()) {
            if let Err(messages) = answer {
                let error = messages.iter().find(|it| it.severity == Severity::Error);
                wrong.push(format!("{name}: {}", error.map_or("", |it| &it.text)));
            }
        }
    }
    say(&format!(
        "{what}: takes {} of {}\n",
        modules.len() - wrong.len(),
        modules.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
