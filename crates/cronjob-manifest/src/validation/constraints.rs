//! Checks of the constraints of the [`schema`](super::schema).
//!
//! The rules determine when a field is checked, because the server does not check the fields in the order
//! of the reference.

use super::schema::{Constraint, SchemaType};
use super::{At, ManifestReview};

impl ManifestReview {
    /// Checks the constraints of fields of an object, in this order.
    pub(super) fn check_fields(&mut self, at: &At<'_>, object: &SchemaType, names: &[&str]) {
        for name in names {
            let constraints = object
                .field(name, u32::MAX)
                .map(|field| field.constraints)
                .unwrap_or_default();
            debug_assert!(!constraints.is_empty(), "{} of {}", name, object.name);
            self.check_constraints(&at.field(name), constraints);
        }
    }

    /// Checks the constraints of all fields of an object, in the order of the schema.
    pub(super) fn check_object(&mut self, at: &At<'_>, object: &SchemaType) {
        for field in object.fields {
            if !field.constraints.is_empty() {
                self.check_constraints(&at.field(field.name), field.constraints);
            }
        }
    }

    fn check_constraints(&mut self, at: &At<'_>, constraints: &[Constraint]) {
        let text = at.text();
        let is_missing = text.is_empty() && at.is_empty();
        for constraint in constraints {
            match *constraint {
                Constraint::Required if is_missing => return self.required(at, ""),
                Constraint::RequiredSince(minor) if is_missing && self.minor >= minor => {
                    return self.required(at, "");
                }
                Constraint::NonNegative => {
                    if let Some(value) = at.int().filter(|value| *value < 0) {
                        self.invalid(at, value, "must be greater than or equal to 0");
                    }
                }
                Constraint::Range(low, high) => {
                    if let Some(value) = at.int() {
                        self.within(at, value, low, high);
                    }
                }
                Constraint::FileMode => {
                    if let Some(mode) = at.int().filter(|mode| !(0..=0o777).contains(mode)) {
                        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
                        self.invalid(at, mode, detail);
                    }
                }
                Constraint::OneOf(words) => self.one_of(at, words),
                Constraint::OneOfOrEmpty(words) if !text.is_empty() => self.one_of(at, words),
                Constraint::AtMost(most) if at.len() > most => self.too_many(at, most),
                Constraint::Form(form) if !text.is_empty() => self.check_form(at, form),
                Constraint::Required
                | Constraint::RequiredSince(_)
                | Constraint::OneOfOrEmpty(_)
                | Constraint::AtMost(_)
                | Constraint::Form(_) => {}
            }
        }
    }
}
