//! An expression with a caret under the part that is wrong.

use std::ops::Range;

use super::style::{Meaning, styled};
use super::table::printable;

/// Two indented lines: the text, and carets under a range of its bytes.
///
/// ```
/// use cronjob_doctor::output::caret::underline;
///
/// let plain = anstream::adapter::strip_str(&underline("0 2 * * 7", 8..9)).to_string();
/// assert_eq!(plain, "  0 2 * * 7\n          ^");
/// ```
pub fn underline(text: &str, range: Range<usize>) -> String {
    // What is shown may be wider than what was written, so columns are counted in what is shown.
    let width = |part: Option<&str>| printable(part.unwrap_or_default()).chars().count();
    let before = width(text.get(..range.start));
    let carets = width(text.get(range)).max(1);
    let (shown, marks) = (printable(text), styled(Meaning::Bad, "^".repeat(carets)));
    format!("  {shown}\n  {:before$}{marks}", "")
}
