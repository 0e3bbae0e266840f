//! Errors of fields.

use located_yaml::Place;

/// A field with a value that the API rejects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}", self.what())]
pub struct FieldError {
    /// The position of the value, or of the object if the field is missing.
    pub place: Place,
    pub path: String,
    pub expected: &'static str,
    pub found: String,
    pub remedy: FieldRemedy,
}

/// What to do about a field that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRemedy {
    Unknown,
    Quote,
    Render,
}

impl FieldError {
    fn what(&self) -> String {
        let FieldError {
            expected, found, ..
        } = self;
        let way_out = match self.remedy {
            FieldRemedy::Unknown => "",
            FieldRemedy::Quote => "; put the value in quotes",
            FieldRemedy::Render => {
                return " looks like a Helm template; render it first: helm template …".to_owned();
            }
        };
        format!(": expected {expected}, found {found}{way_out}")
    }
}
