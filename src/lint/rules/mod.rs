//! The rules, one file each.

mod crowded_minute;
mod deadline_zero;
pub(super) mod duplicate_key;
pub(super) mod duplicate_value;
pub(super) mod forbidden_value;
pub(super) mod invalid_value;
pub(super) mod missing_value;
mod never_runs;
pub(super) mod server_warning;
pub(super) mod template;
pub(super) mod unknown_field;
pub(super) mod unknown_reference;
pub(super) mod unreadable;
pub(super) mod unserved_version;
pub(super) mod unsupported_value;
pub(super) mod unused_ignore;
pub(super) mod wrong_type;

use super::Rule;

/// Every rule, in the order of the codes.
pub static RULES: &[&Rule] = &[
    &unreadable::RULE,
    &template::RULE,
    &duplicate_key::RULE,
    &unused_ignore::RULE,
    &unserved_version::RULE,
    &wrong_type::RULE,
    &unknown_field::RULE,
    &missing_value::RULE,
    &invalid_value::RULE,
    &unsupported_value::RULE,
    &forbidden_value::RULE,
    &duplicate_value::RULE,
    &unknown_reference::RULE,
    &server_warning::RULE,
    &never_runs::RULE,
    &deadline_zero::RULE,
    &crowded_minute::RULE,
];

/// The rule of a code or a name, in any case.
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .find(|rule| is_called(rule, code_or_name))
        .copied()
}

/// Whether a rule has a code or a name, in any case.
pub(super) fn is_called(rule: &Rule, code_or_name: &str) -> bool {
    rule.code.eq_ignore_ascii_case(code_or_name) || rule.name.eq_ignore_ascii_case(code_or_name)
}
