//! The rules, one file each.

mod suspended_long;

use super::Rule;

/// Every rule, in the order in which findings of one severity are shown.
pub const RULES: &[Rule] = &[suspended_long::RULE];
