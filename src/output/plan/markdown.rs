//! For a comment on a pull request: one table, and the details folded.
//!
//! Names and values come from manifests and from a cluster. Each is shown as text, inside `<code>`, where
//! neither Markdown nor mentions nor links are recognized, and with entities for everything that could end
//! the element or begin something else.

use std::io::{self, Write};

use super::{
    MOST_FIELDS, PlanHeader, basis_in_words, called, change_in_words, is_severe, is_shown,
    kept_in_words, overwritten, peak_in_words, runs, runs_in_words, short_path, shown,
    summary_in_words,
};
use crate::plan::{Plan, PlannedCronJob};
use crate::printable::{printable, shortened};

/// GitHub accepts 65,536 characters.
const LONGEST: usize = 60_000;
/// More rows are counted.
const MOST_ROWS: usize = 50;
/// Longer texts are cut.
const LONGEST_TEXT: usize = 400;

/// Writes the table, the details, the assumptions and the summary.
pub(crate) fn markdown(out: &mut dyn Write, header: &PlanHeader, plan: &Plan) -> io::Result<()> {
    let items: Vec<&PlannedCronJob> = plan.items.iter().filter(|item| is_shown(item)).collect();
    let mut page = format!("### CronJobs: {}\n", summary_in_words(plan));
    if let Some(peak) = peak_in_words(plan) {
        page.push_str(&format!("\n{peak}\n"));
    }
    if !items.is_empty() {
        page.push_str("\n| CronJob | Change | What happens |\n|---|---|---|\n");
    }
    for item in items.iter().take(MOST_ROWS) {
        page.push_str(&row(item));
    }
    if let Some(more) = items.len().checked_sub(MOST_ROWS).filter(|more| *more > 0) {
        page.push_str(&format!("\nand {more} more\n"));
    }
    let mut details = String::new();
    let mut left_out = 0;
    for item in &items {
        let block = block(item);
        if page.len() + details.len() + block.len() > LONGEST {
            left_out += 1;
        } else {
            details.push_str(&block);
        }
    }
    if left_out > 0 {
        details.push_str(&format!("\nand {left_out} more\n"));
    }
    if !details.is_empty() {
        page.push_str(&folded("Details", &details));
    }
    if !items.is_empty() && !plan.assumptions.is_empty() {
        let assumptions = plan.assumptions.iter();
        let assumptions = assumptions.map(|text| format!("- {}\n", sentence(text)));
        let list = format!("\n{}", assumptions.collect::<String>());
        page.push_str(&folded("Assumptions", &list));
    }
    page.push_str(&format!(
        "\n<sub>{}</sub>\n",
        sentence(&basis_in_words(header))
    ));
    out.write_all(page.as_bytes())
}

fn folded(title: &str, content: &str) -> String {
    format!("\n<details><summary>{title}</summary>\n{content}\n</details>\n")
}

fn row(item: &PlannedCronJob) -> String {
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
    let effects = item.effects.iter().map(|effect| {
        let message = sentence(&effect.message);
        if is_severe(effect.kind) {
            format!("**{message}**")
        } else {
            message
        }
    });
    let kept = item.kept.iter().map(|kept| sentence(&kept_in_words(kept)));
    let next = item.runs_after.get(..1).filter(|_| item.effects.is_empty());
    let next = next.map(|next| sentence(&format!("Next run: {}.", runs_in_words(next))));
    let next = next.filter(|_| item.refused.is_empty());
    let happens: Vec<String> = refused
        .chain(effects)
        .chain(next)
        .chain(overwritten(item).map(|text| sentence(&text)))
        .chain(kept)
        .collect();
    format!(
        "| {} | {change} | {} |\n",
        code(&called(item)),
        happens.join("<br>")
    )
}

fn block(item: &PlannedCronJob) -> String {
    let place = item.file.as_ref().zip(item.line);
    let place = place.map_or_else(String::new, |(file, line)| {
        format!(", {}", code(&format!("{file}:{line}")))
    });
    let mut text = format!(
        "\n{}: {}{place}\n\n",
        code(&called(item)),
        sentence(&change_in_words(item))
    );
    for change in item.fields.iter().take(MOST_FIELDS) {
        text.push_str(&format!(
            "- {}: {} → {}\n",
            code(short_path(&change.field)),
            code(&shown(change.old.as_ref())),
            code(&shown(change.new.as_ref()))
        ));
    }
    if let Some(more) = item.fields.len().checked_sub(MOST_FIELDS + 1) {
        text.push_str(&format!("- and {} more fields\n", more + 1));
    }
    for reason in &item.refused {
        let reason = sentence(reason);
        text.push_str(&format!("- Rejected by the API server: {reason}\n"));
    }
    for effect in &item.effects {
        text.push_str(&format!("- {}\n", sentence(&effect.message)));
    }
    if let Some(overwritten) = overwritten(item) {
        text.push_str(&format!("- {}\n", sentence(&overwritten)));
    }
    for kept in &item.kept {
        text.push_str(&format!("- {}\n", sentence(&kept_in_words(kept))));
    }
    for (label, runs) in runs(item) {
        text.push_str(&format!("- {label}: {}\n", sentence(&runs)));
    }
    text
}

/// A sentence in which every word that could be more than a word stands inside `<code>`.
fn sentence(text: &str) -> String {
    let text = shortened(&printable(text), LONGEST_TEXT);
    let words = text.split(' ').map(|word| {
        // Punctuation that belongs to the sentence stays outside.
        let rest = word.trim_start_matches('(');
        let core = rest.trim_end_matches(['.', ',', ';', ':', ')']);
        let (begin, _) = word.split_at(word.len() - rest.len());
        let (core, end) = rest.split_at(core.len());
        if is_word(core) || core.is_empty() && end.len() <= 1 {
            word.to_owned()
        } else {
            format!("{begin}{}{end}", code(core))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a word is shown as it is by every dialect of Markdown: letters, a small number, a date, a time
/// of day or a duration.
fn is_word(word: &str) -> bool {
    let looks_like_commit = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
    let letters = word.chars().all(|c| c.is_ascii_alphabetic()) && !looks_like_commit;
    let numbers = word.split(['-', ':']).all(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let is_duration = part.len() <= 6 && part.ends_with(|c: char| "smhdy".contains(c));
        digits > 0 && digits <= 4 && (digits == part.len() || is_duration)
    });
    let plain = |c: char| c.is_ascii_alphanumeric() || "-:".contains(c);
    !word.is_empty() && (letters || (numbers && word.chars().all(plain)))
}

/// Foreign text, shown as it is.
fn code(text: &str) -> String {
    let text = shortened(&printable(text), LONGEST_TEXT);
    let mut escaped = String::with_capacity(text.len() + 13);
    escaped.push_str("<code>");
    for c in text.chars() {
        match c {
            // A comment between the characters keeps addresses from being recognized.
            '@' | ':' | '.' if c != '.' || escaped.ends_with('w') => {
                escaped.push_str(&format!("&#{};<!-- -->", u32::from(c)));
            }
            c if c.is_ascii_punctuation() && !"-/,.".contains(c) => {
                escaped.push_str(&format!("&#{};", u32::from(c)));
            }
            c => escaped.push(c),
        }
    }
    escaped.push_str("</code>");
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_code() {
        assert_eq!(code("shop/nightly-1"), "<code>shop/nightly-1</code>");
        assert_eq!(
            code("<b>|`*_[x](y)"),
            "<code>&#60;b&#62;&#124;&#96;&#42;&#95;&#91;x&#93;&#40;y&#41;</code>"
        );
        assert_eq!(code("@a\n"), "<code>&#64;<!-- -->a&#92;n</code>");
        assert_eq!(
            code("https://www.x.y"),
            "<code>https&#58;<!-- -->//www&#46;<!-- -->x.y</code>"
        );
    }

    #[test]
    fn words_of_sentences_stay_and_the_rest_is_code() {
        for plain in [
            "Starts immediately (4h late).",
            "The run scheduled at Sat 2026-11-21 14:00 UTC",
            "3h7m",
        ] {
            assert_eq!(sentence(plain), plain);
        }
        assert_eq!(
            sentence("Deletes @team, x-1 and deadbeef."),
            "Deletes <code>&#64;<!-- -->team</code>, <code>x-1</code> and <code>deadbeef</code>."
        );
        assert_eq!(
            sentence("1234567 #1"),
            "<code>1234567</code> <code>&#35;1</code>"
        );
    }
}
