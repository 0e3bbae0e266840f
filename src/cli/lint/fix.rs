//! `--fix`: changes files, or shows what it would change.

use std::collections::BTreeSet;
use std::fs;
#[cfg(not(target_family = "wasm"))]
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context as _;

use super::read::{Source, Task};
use super::stdio;
use crate::output::diff::unified;
use cronjob_manifest::lint::{LintReport, Linter, apply};
use cronjob_text::printable::printable;
use kube_objects::snapshot::{Input, SourceText};

/// A fix can make another one possible, but only this many times.
const MAX_ROUNDS: usize = 10;

#[derive(Default)]
pub(super) struct FixCount {
    pub(super) problems: usize,
    pub(super) files: usize,
}

/// Fixes the findings that can be fixed; with `diff` the changes are only shown.
pub(super) fn fix(
    linter: &Linter<'_>,
    tasks: &[Task],
    report: &LintReport,
    mut diff: Option<&mut dyn Write>,
) -> anyhow::Result<FixCount> {
    let fixable = report.findings.iter().filter(|f| f.found.fix.is_some());
    let names: BTreeSet<&str> = fixable.map(|finding| &*finding.file).collect();
    let mut fixed = FixCount::default();
    for task in tasks {
        let name = &task.name;
        let Source::Input(input @ Input::File(path)) = &task.source else {
            continue;
        };
        if !names.contains(&**name) {
            continue;
        }
        let SourceText { text: old, .. } = input.load(&mut io::empty())?;
        let (new, problems) = fixed_text(linter, task, &old);
        if new == old {
            continue;
        }
        fixed.files += 1;
        fixed.problems += problems;
        match &mut diff {
            Some(out) => {
                let name = printable(name);
                let text = unified(&name, &name, &old, &new);
                stdio::unless_closed(out.write_all(text.as_bytes()))
                    .context("cannot write the result")?;
            }
            None => store(path, &new)?,
        }
    }
    Ok(fixed)
}

/// The text with all fixes, and how many there were.
fn fixed_text(linter: &Linter<'_>, task: &Task, old: &str) -> (String, usize) {
    let mut text = old.to_owned();
    let mut problems = 0;
    for _ in 0..MAX_ROUNDS {
        let read = linter.read(&task.name, text.as_bytes(), &task.settings);
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

/// Replaces the text of a file. In a browser nothing else reads it, and it has no permissions.
#[cfg(target_family = "wasm")]
fn store(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Replaces the text of a file, which is left as it was if anything goes wrong. A link stays a link, and the
/// permissions stay.
#[cfg(not(target_family = "wasm"))]
fn store(path: &Path, text: &str) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let target = fs::canonicalize(path).with_context(cannot)?;
    let metadata = fs::metadata(&target).with_context(cannot)?;
    if !metadata.is_file() {
        anyhow::bail!("{}: not a regular file", cannot());
    }
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = target.with_file_name(name);
    let mut file = File::create_new(&beside).with_context(cannot)?;
    let stored = fill(&mut file, text, &metadata).and_then(|()| fs::rename(&beside, &target));
    if stored.is_err() {
        let _ = fs::remove_file(&beside);
    }
    stored.with_context(cannot)
}

#[cfg(not(target_family = "wasm"))]
fn fill(file: &mut File, text: &str, like: &Metadata) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        // Only root can give a file away.
        let _ = fchown(&*file, Some(like.uid()), Some(like.gid()));
    }
    file.set_permissions(like.permissions())?;
    file.sync_all()
}
