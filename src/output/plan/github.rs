//! Annotations that GitHub shows beside the lines of a pull request.

use std::io::{self, Write};

use super::{is_severe, kept_in_words, overwritten, qualified_name};
use crate::output::workflow::{data, property};
use cronjob_diagnosis::plan::{Plan, PlannedCronJob};
use cronjob_text::printable::shortened;

/// Writes a workflow command for each rejection, each effect, and each field that stays.
pub(super) fn github(out: &mut dyn Write, plan: &Plan) -> io::Result<()> {
    for item in &plan.items {
        for reason in &item.refused {
            let message = format!("Rejected by the API server: {reason}");
            annotate(out, "error", item, &message)?;
        }
        for effect in &item.effects {
            let level = if is_severe(effect.kind) {
                "warning"
            } else {
                "notice"
            };
            annotate(out, level, item, &effect.message)?;
        }
        if let Some(text) = overwritten(item) {
            annotate(out, "notice", item, &text)?;
        }
        for kept in &item.kept {
            annotate(out, "notice", item, &kept_in_words(kept))?;
        }
    }
    for part in &plan.unread {
        let file = part.file.as_deref();
        command(out, "error", file, part.line, "Not read", &part.message)?;
    }
    Ok(())
}

/// A text of a length that can be read.
fn cut(text: &str) -> String {
    const LONGEST: usize = 1_000;
    shortened(text, LONGEST)
}

fn annotate(
    out: &mut dyn Write,
    level: &str,
    item: &PlannedCronJob,
    message: &str,
) -> io::Result<()> {
    let file = item.file.as_deref();
    command(out, level, file, item.line, &qualified_name(item), message)
}

fn command(
    out: &mut dyn Write,
    level: &str,
    file: Option<&str>,
    line: Option<u32>,
    title: &str,
    message: &str,
) -> io::Result<()> {
    write!(out, "::{level} ")?;
    if let Some(file) = file {
        write!(out, "file={},", property(file))?;
    }
    if let Some(line) = line {
        write!(out, "line={line},")?;
    }
    let (title, message) = (cut(title), cut(message));
    writeln!(out, "title={}::{}", property(&title), data(&message))
}
