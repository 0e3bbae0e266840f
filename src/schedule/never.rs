//! stub
use super::Timetable;
/// stub
#[derive(Clone, Debug)]
pub struct Never;
impl std::fmt::Display for Never {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("never")
    }
}
impl Timetable {
    /// stub
    pub fn why_never(&self, _a: jiff::Timestamp) -> Option<Never> {
        Some(Never)
    }
}
