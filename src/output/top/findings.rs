//! What was found about the selected row.

use super::canvas::{Canvas, name_of};
use super::look;
use crate::diagnose::Severity;
use crate::output::style::{Meaning, styled};
use crate::printable::printable;
use crate::survey::Row;
use crate::top::{App, Paper};

pub(super) fn draw(canvas: &mut Canvas<'_>, app: &App, top: u16) {
    let room = app.size().findings();
    let (Some(place), Some(row)) = (app.list().selected(), app.selected_row()) else {
        return;
    };
    if room == 0 {
        return;
    }
    let title = match &row.description {
        Some(description) => format!("{}: {description}", name_of(place)),
        None => name_of(place),
    };
    canvas.rule(top, &title);
    let paper = Paper::of(&text(row), usize::from(canvas.width()));
    let (lines, _) = paper.seen(usize::from(room - 1));
    for (y, line) in (top + 1..).zip(lines) {
        canvas.put_line(y, line);
    }
    if lines.len() < paper.lines().len() {
        let more = " … enter shows all";
        canvas.put_right(top + room - 1, more, look::FAINT);
    }
}

fn text(row: &Row) -> String {
    if row.findings.is_empty() {
        return format!(" {}", printable(&row.verdict));
    }
    let mut text = String::new();
    for finding in &row.findings {
        let meaning = match finding.severity {
            Severity::Error => Meaning::Bad,
            Severity::Warning => Meaning::Odd,
            Severity::Info => Meaning::Strong,
        };
        let code = styled(meaning, finding.code);
        text.push_str(&format!(" {code}: {}\n", printable(&finding.detail)));
        if let Some(remedy) = &finding.remedy {
            let arrow = styled(Meaning::Help, "->");
            text.push_str(&format!(" {arrow} {}\n", printable(remedy)));
        }
    }
    text
}
