//! For a comment on a pull request: one table, and the details folded.

use std::io::{self, Write};

use super::{
    MOST_FIELDS, change_in_words, is_severe, is_shown, kept_in_words, overwritten, peak_in_words,
    qualified_name, runs, runs_in_words, short_path, shown, shown_assumptions, shown_effects,
    summary_in_words,
};
use crate::output::DocumentHeader;
use crate::output::markdown::{MarkdownPage, code, emphasized, sentence};
use cronjob_diagnosis::plan::{EffectKind, Plan, PlanEffect, PlannedCronJob};

/// Writes the table, the details, the assumptions and the summary.
pub(super) fn markdown(
    out: &mut dyn Write,
    header: &DocumentHeader,
    plan: &Plan,
) -> io::Result<()> {
    let items: Vec<&PlannedCronJob> = plan.items.iter().filter(|item| is_shown(item)).collect();
    let mut page = MarkdownPage::new(&format!("CronJobs: {}", summary_in_words(plan)));
    if let Some(peak) = peak_in_words(plan) {
        page.paragraph(&peak);
    }
    for part in &plan.unread {
        page.paragraph(&format!("**Not read:** {}", sentence(&part.message)));
    }
    let rows = items.iter().map(|item| row(item));
    page.table(&["CronJob", "Change", "What happens"], rows);
    page.details("Details", items.iter().map(|item| block(item)));
    let assumptions = shown_assumptions(plan).map(|text| format!("- {}\n", sentence(text)));
    let assumptions: String = assumptions.collect();
    if !items.is_empty() && !assumptions.is_empty() {
        page.details("Assumptions", [format!("\n{assumptions}")]);
    }
    page.small_print(&header.in_words());
    page.write(out)
}

fn row(item: &PlannedCronJob) -> Vec<String> {
    let mut change = sentence(&change_in_words(item));
    let fields: Vec<&str> = item
        .fields
        .iter()
        .map(|change| short_path(&change.field))
        .collect();
    if let Some(first) = fields.first().filter(|_| item.previous.is_none()) {
        let more = match fields.len() {
            1 => String::new(),
            all => format!(" and {} more", all - 1),
        };
        change.push_str(&format!(": {}{more}", code(first)));
    }
    let refused = item.refused.iter().map(|reason| {
        let reason = sentence(reason);
        format!("**Rejected by the API server:** {reason}")
    });
    let effects = shown_effects(item)
        .map(|effect| emphasized(is_severe(effect.kind), sentence(&effect.message)));
    let kept = item.kept.iter().map(|kept| sentence(&kept_in_words(kept)));
    let is_as_usual = |effect: &PlanEffect| effect.kind == EffectKind::LooksHealthy;
    let is_as_usual = shown_effects(item).all(is_as_usual);
    let next = item.runs_after.get(..1).filter(|_| is_as_usual);
    let next = next.map(|next| sentence(&format!("Next run: {}.", runs_in_words(next))));
    let next = next.filter(|_| item.refused.is_empty());
    let happens: Vec<String> = refused
        .chain(next)
        .chain(effects)
        .chain(overwritten(item).map(|text| sentence(&text)))
        .chain(kept)
        .collect();
    vec![code(&qualified_name(item)), change, happens.join("<br>")]
}

fn block(item: &PlannedCronJob) -> String {
    let place = item.file.as_ref().zip(item.line);
    let place = place.map_or_else(String::new, |(file, line)| {
        format!(", {}", code(&format!("{file}:{line}")))
    });
    let fields = item.fields.iter().take(MOST_FIELDS).map(|change| {
        let (old, new) = (shown(change.old.as_ref()), shown(change.new.as_ref()));
        let field = code(short_path(&change.field));
        format!("{field}: {} → {}", code(&old), code(&new))
    });
    let more = item.fields.len().saturating_sub(MOST_FIELDS);
    let more = (more > 0).then(|| format!("and {more} more fields"));
    let refused = item.refused.iter();
    let refused = refused.map(|reason| format!("Rejected by the API server: {}", sentence(reason)));
    let effects = shown_effects(item).map(|effect| sentence(&effect.message));
    let overwritten = overwritten(item).map(|text| sentence(&text));
    let kept = item.kept.iter().map(|kept| sentence(&kept_in_words(kept)));
    let runs = runs(item).into_iter();
    let runs = runs.map(|(label, runs)| format!("{label}: {}", sentence(&runs)));
    let lines = fields.chain(more).chain(refused).chain(effects);
    let lines = lines.chain(overwritten).chain(kept).chain(runs);
    let (name, change) = (
        code(&qualified_name(item)),
        sentence(&change_in_words(item)),
    );
    let mut text = format!("\n{name}: {change}{place}\n\n");
    for line in lines {
        text.push_str(&format!("- {line}\n"));
    }
    text
}
