//! Cases in which two sides differ.

/// Fails with the first of them if there are any.
#[track_caller]
pub(crate) fn assert_none(differences: &[String]) {
    let shown = &differences[..differences.len().min(8)];
    let (count, shown) = (differences.len(), shown.join("\n"));
    assert!(differences.is_empty(), "{count} differ:\n{shown}");
}
