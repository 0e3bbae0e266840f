//! Draws the dashboard: an [`App`] becomes the cells of a screen.
//!
//! Everything is drawn with colors and box characters. If the terminal does not support them, the finished screen is
//! translated. No information is in the color alone.

mod canvas;
mod table;
mod theme;

use ratatui::buffer::Buffer;

use crate::output::scan;
use crate::output::style::{Meaning, styled};
use crate::top::{App, Dialog, DialogStage, Page, Size, StyledText};
use canvas::{Canvas, width};
use cronjob_diagnosis::survey::Row;
use cronjob_text::printable::printable;

pub use theme::Capabilities;

pub fn draw(buffer: &mut Buffer, app: &App, capabilities: Capabilities) {
    let size = Size {
        width: buffer.area.width,
        height: buffer.area.height,
    };
    let mut canvas = Canvas::new(buffer);
    if size.is_enough() {
        draw_page(&mut canvas, app, size);
    } else {
        draw_too_small(&mut canvas, size);
    }
    capabilities.translate(buffer);
}

fn draw_page(canvas: &mut Canvas<'_>, app: &App, size: Size) {
    draw_header(canvas, app);
    match (&app.help, &app.page) {
        (Some(help), _) => draw_text(canvas, "Keys", help, size),
        (None, Page::List) => {
            table::draw(canvas, app, Size::HEADER_LINES);
            draw_findings(canvas, app, size.height - 1 - size.findings());
        }
        (None, Page::Detail { object, text }) => {
            draw_text(canvas, &object.to_string(), text, size);
        }
        (None, Page::Logs { object, text }) => {
            draw_text(canvas, &format!("{object}: logs"), text, size);
        }
    }
    draw_footer(canvas, app, size.height - 1);
    if let Some(dialog) = &app.dialog {
        draw_dialog(canvas, dialog, size);
    }
}

fn draw_too_small(canvas: &mut Canvas<'_>, size: Size) {
    let least = Size::MINIMUM;
    let text = format!(
        "terminal too small: {}x{} (needs at least {}x{})",
        size.width, size.height, least.width, least.height
    );
    let width = usize::from(size.width.max(1));
    let characters: Vec<char> = text.chars().collect();
    for (y, line) in (0..size.height).zip(characters.chunks(width)) {
        let line: String = line.iter().collect();
        canvas.put(0, y, &line, theme::PLAIN);
    }
}

/// The signs and the clock of the timeline.
const LEGEND: &str = "• 1 run  # 10+  ▒ blocked  UTC";

/// Below this width the header is shortened.
const NARROW: u16 = 64;

fn draw_header(canvas: &mut Canvas<'_>, app: &App) {
    let context = &app.context;
    let clock = app.now.strftime("%H:%M:%SZ");
    let is_narrow = canvas.width() < NARROW;
    let (right, style) = match &app.disconnected {
        None if is_narrow => (format!("{clock}  live"), theme::PLAIN),
        Some(_) if is_narrow => ("disconnected".to_owned(), theme::of(Meaning::Bad)),
        None => (format!("{}  {clock}  live", context.version), theme::PLAIN),
        Some(disconnected) => {
            let since = disconnected.since.strftime("%H:%M:%SZ");
            let text = format!("{clock}  disconnected since {since}, reconnecting");
            (text, theme::of(Meaning::Bad))
        }
    };
    let width_left = canvas.put_right(0, &right, style).saturating_sub(2);
    let title = match &context.namespace {
        Some(namespace) => format!("CronJobs in {namespace} on {}", context.cluster),
        None => format!("CronJobs on {}", context.cluster),
    };
    canvas.put_within(0, 0, &title, width_left, theme::STRONG);

    let found = format!("{} of {}", app.list.len(), app.summary.total);
    let filter = app.filter.text();
    let right = if app.typing {
        format!("/{filter}▏ {found}")
    } else if !app.filter.is_empty() {
        format!("/{filter}  {found}")
    } else if app.context.read_only {
        "read-only".to_owned()
    } else {
        String::new()
    };
    let summary = StyledText::of(&scan::text::in_words(&app.summary), usize::MAX).line();
    let needed = summary.iter().map(|piece| width(&piece.content));
    let left = canvas.width().saturating_sub(needed.sum::<u16>() + 2);
    let fits = |text: &str| right.is_empty() && width(text) <= left;
    let has_legend = app.shows_timeline() && fits(LEGEND);
    let cause = app.causes.first().filter(|cause| fits(&cause.text));
    let mut rows = app.survey.rows();
    let is_down = right.is_empty() && rows.any(|row| row.outage.is_some());
    let (right, style) = if is_down {
        ("controller manager down?", theme::of(Meaning::Bad))
    } else if let Some(cause) = cause {
        (cause.text.as_str(), theme::of(cause.severity.into()))
    } else if has_legend {
        (LEGEND, theme::FAINT)
    } else {
        (right.as_str(), theme::of(Meaning::Help))
    };
    let width_left = canvas.width().saturating_sub(width(right) + 2);
    canvas.put_right(1, right, style);
    canvas.put_line(0, 1, width_left, &summary);
}

fn draw_footer(canvas: &mut Canvas<'_>, app: &App, y: u16) {
    if let Some(note) = app.note() {
        let last = note.lines().rev().find(|line| !line.trim().is_empty());
        let line = StyledText::of(last.unwrap_or_default(), usize::MAX).line();
        canvas.put_line(1, y, canvas.width(), &line);
        return;
    }
    if let Some(disconnected) = &app.disconnected {
        canvas.put(1, y, &disconnected.reason, theme::PLAIN);
        return;
    }
    canvas.put(1, y, &key_hints(app), theme::FAINT);
}

/// The keys of the current page.
fn key_hints(app: &App) -> String {
    let suspended = app.target().and_then(|object| app.survey.row(object));
    let suspended = suspended.is_some_and(|row| row.suspended);
    let suspend = if suspended { "s resume" } else { "s suspend" };
    let changes = if app.context.read_only {
        String::new()
    } else {
        format!("{suspend}  t trigger  ")
    };
    match &app.page {
        _ if app.typing => {
            "part of a name, !severity, !finding, !suspended  enter keep  esc clear".to_owned()
        }
        _ if app.help.is_some() => "esc back  j k scroll".to_owned(),
        Page::List => {
            let view = if app.timeline_wanted {
                "v table"
            } else {
                "v timeline"
            };
            format!("? help  / filter  e explain  l logs  {changes}{view}  q quit")
        }
        Page::Detail { .. } => format!("esc back  j k scroll  l logs  {changes}? help"),
        Page::Logs { .. } => format!("esc back  j k scroll  l read again  {changes}? help"),
    }
}

fn draw_text(canvas: &mut Canvas<'_>, title: &str, text: &StyledText, size: Size) {
    canvas.rule(Size::HEADER_LINES, title);
    let (lines, above) = text.visible(size.page());
    canvas.put_lines(Size::HEADER_LINES + 1, lines);
    let below = text.lines().len() - above - lines.len();
    if above + below > 0 {
        let end = above + lines.len();
        let text = format!(" {}-{end} of {} ", above + 1, text.lines().len());
        canvas.put_right(Size::HEADER_LINES, &text, theme::FAINT);
    }
}

/// Draws the dialog over the lower part of the screen, as high as necessary.
fn draw_dialog(canvas: &mut Canvas<'_>, dialog: &Dialog, size: Size) {
    let height = size.dialog();
    let (lines, above) = dialog.text.visible(height);
    // The title, the text, an empty line if it fits, the question.
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(3);
    let bottom = size.height - 1;
    let top = bottom.saturating_sub(height).max(Size::HEADER_LINES);
    // The dialog covers the findings completely.
    let top = top.min(bottom - size.findings());
    canvas.clear(top, size.height);
    let object = &dialog.object;
    let command = [
        dialog.operation.verb(),
        &object.name,
        "-n",
        &object.namespace,
    ];
    let command = [&command, dialog.operation.flags()].concat();
    canvas.rule(top, &command.join(" "));
    if above + lines.len() < dialog.text.lines().len() || above > 0 {
        canvas.put_right(top, " up down scroll ", theme::FAINT);
    }
    canvas.put_lines(top + 1, lines);
    draw_question(canvas, dialog, bottom - 1);
    let keys = match &dialog.stage {
        DialogStage::Working if dialog.is_changing() => "",
        DialogStage::Working => "esc cancel",
        DialogStage::Asking { .. } => "first letter, or arrows and enter, to answer  esc cancel",
        DialogStage::Failed if dialog.can_force => "T trigger --force  esc or enter back",
        DialogStage::Failed => "esc or enter back",
    };
    canvas.put(1, bottom, keys, theme::FAINT);
}

fn draw_question(canvas: &mut Canvas<'_>, dialog: &Dialog, y: u16) {
    match &dialog.stage {
        DialogStage::Working => {
            canvas.put(1, y, "working…", theme::FAINT);
        }
        DialogStage::Failed => {
            let text = if dialog.agreed == Some(true) {
                "The change failed."
            } else {
                "Refused."
            };
            canvas.put(1, y, text, theme::of(Meaning::Bad));
        }
        DialogStage::Asking {
            question,
            answers,
            chosen,
        } => {
            let mut x = canvas.put(1, y, question, theme::STRONG) + 2;
            for (number, answer) in answers.iter().enumerate() {
                let style = if number == *chosen {
                    theme::CHOSEN
                } else {
                    theme::PLAIN
                };
                // The brackets mark the answer on terminals without reverse video.
                let text = if number == *chosen {
                    format!("[{answer}]")
                } else {
                    format!(" {answer} ")
                };
                x = canvas.put(x, y, &text, style) + 1;
            }
        }
    }
}

fn draw_findings(canvas: &mut Canvas<'_>, app: &App, top: u16) {
    let height = app.size.findings();
    let (Some(object), Some(row)) = (app.list.selected(), &app.selected_row) else {
        return;
    };
    if height == 0 {
        return;
    }
    let title = match &row.description {
        Some(description) => format!("{object}: {description}"),
        None => object.to_string(),
    };
    canvas.rule(top, &title);
    let text = StyledText::of(&findings_text(row), usize::from(canvas.width()));
    let (lines, _) = text.visible(usize::from(height - 1));
    canvas.put_lines(top + 1, lines);
    if lines.len() < text.lines().len() {
        let more = " … enter for all";
        canvas.put_right(top + height - 1, more, theme::FAINT);
    }
}

fn findings_text(row: &Row) -> String {
    if row.findings.is_empty() {
        return format!(" {}", printable(&row.verdict));
    }
    let mut text = String::new();
    for finding in &row.findings {
        let code = styled(Meaning::from(finding.severity), finding.code);
        text.push_str(&format!(" {code}: {}\n", printable(&finding.detail)));
        if let Some(remedy) = &finding.remedy {
            let arrow = styled(Meaning::Help, "->");
            text.push_str(&format!(" {arrow} {}\n", printable(&remedy.text)));
        }
    }
    text
}
