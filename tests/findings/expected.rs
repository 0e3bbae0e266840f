pub struct Expected { pub code: &'static str, pub also: &'static [&'static str], pub detail: &'static str, pub remedy: Option<&'static str> }
pub const DETAILS: &[Expected] = &[];
