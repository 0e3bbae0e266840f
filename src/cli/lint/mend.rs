//! `--fix`: changes files, or shows what it would change.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context as _;

use super::read::Task;
use crate::lint::{Linter, Report, apply, unified};
use crate::printable::printable;
use crate::snapshot::Input;

/// A fix can make way for another one, but not for ever.
const MAX_ROUNDS: usize = 10;

/// How much was mended.
#[derive(Default)]
pub(super) struct Mended {
    pub(super) problems: usize,
    pub(super) files: usize,
}

/// Mends the files with findings that can be mended; with `diff` they are only shown.
pub(super) fn mend(
    linter: &Linter<'_>,
    tasks: &[Task],
    report: &Report,
    mut diff: Option<&mut dyn Write>,
) -> anyhow::Result<Mended> {
    let fixable = report.findings.iter().filter(|f| f.found.fix.is_some());
    let names: BTreeSet<&str> = fixable.map(|finding| &*finding.file).collect();
    let mut mended = Mended::default();
    for task in tasks {
        let name = task.name();
        let Input::File(path) = &task.input else {
            continue;
        };
        if !names.contains(&*name) {
            continue;
        }
        let old = fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let Ok(old) = String::from_utf8(old) else {
            continue;
        };
        let (new, problems) = mended_text(linter, task, &old);
        if new == old {
            continue;
        }
        mended.files += 1;
        mended.problems += problems;
        match &mut diff {
            Some(out) => {
                let name = printable(&name);
                let text = unified(&name, &name, &old, &new);
                out.write_all(text.as_bytes())
                    .context("cannot write the result")?;
            }
            None => store(path, &new)?,
        }
    }
    Ok(mended)
}

/// The text with all fixes, and how many there were.
fn mended_text(linter: &Linter<'_>, task: &Task, old: &str) -> (String, usize) {
    let mut text = old.to_owned();
    let mut problems = 0;
    for _ in 0..MAX_ROUNDS {
        let read = linter.read(&task.name(), text.as_bytes(), &task.settings);
        let report = linter.finish(vec![read]);
        let fixes = report.findings.iter().filter_map(|f| f.found.fix.as_ref());
        let fixed = apply(&text, fixes);
        if fixed.text == text {
            break;
        }
        problems += fixed.applied;
        text = fixed.text;
    }
    (text, problems)
}

/// Writes through links and keeps permissions.
fn store(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
