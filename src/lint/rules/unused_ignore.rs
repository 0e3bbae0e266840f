use super::RULES;
use crate::lint::ignore::Ignore;
use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity};
use crate::spelling::nearest;

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD004",
    name: "unused-ignore",
    severity: Severity::Warning,
    title: "something is ignored that is not found",
    reason: "A comment that ignores what is no longer there, or is misspelt, hides the next \
             mistake instead of this one.",
    remedy: "Remove it.",
    example: example!("unused-ignore"),
    check: Check::Reader,
};

/// An ignore that keeps nothing back.
pub(in crate::lint) fn found(ignore: &Ignore) -> Found {
    let rule = &ignore.rule;
    if super::find(rule).is_some() {
        let message = format!("{rule} is ignored here, and is not found here");
        return Found::new(&ignore.field, ignore.place, message);
    }
    let found = Found::new(
        &ignore.field,
        ignore.place,
        format!("no rule is called {rule}"),
    );
    match nearest(rule, RULES.iter().map(|rule| rule.name)) {
        Some(name) => found.help(format!("Did you mean {name}?")),
        None => found.help("kubectl cronjob-doctor lint --list shows all rules."),
    }
}
