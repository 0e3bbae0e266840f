//! The page around its sections: head, context, filter and data.

use std::io::{self, Write};
use std::panic::resume_unwind;
use std::thread;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use base64::write::EncoderWriter;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::markup::{compressed, link};
use super::{
    EvidenceSource, ReportContext, ShownReport, document, explanation, findings, history, overview,
    reliability, starts, timeline, week,
};
use crate::output::scan::summary_in_words;
use crate::output::xml::Escaped;

pub(super) const STYLE: &str = include_str!("page.css");
pub(super) const SCRIPT: &str = include_str!("page.js");

/// Runs before anything is shown: the style shown hides what needs a script unless this class is set.
pub(super) const EARLY: &str = "document.documentElement.className = 'js';";

/// Writes the page section by section: with thousands of `CronJob`s it has megabytes.
pub(crate) fn html(out: &mut dyn Write, shown: &ShownReport<'_>) -> io::Result<()> {
    let write = |out: &mut dyn Write, markup: Markup| writeln!(out, "{}", markup.into_string());
    // To pack the document takes as long as the rest of the page.
    thread::scope(|scope| {
        let data = scope.spawn(|| {
            compressed(Pieces::default(), |out| {
                Ok(serde_json::to_writer(out, &document(shown))?)
            })
        });
        writeln!(out, "<!doctype html>\n<html lang=\"en\">")?;
        let now = shown.context.header.now.strftime(", %Y-%m-%d %H:%M UTC");
        let title = format!("{}{now}", title(shown.context));
        let is_recorded = !shown.report.reliability.is_empty();
        let recorded = is_recorded.then_some(reliability::STYLE);
        let styles: Vec<&str> = [STYLE].into_iter().chain(recorded).collect();
        write(out, head(&title, &[EARLY, SCRIPT], &styles))?;
        writeln!(out, "<body>")?;
        write(out, header(shown))?;
        writeln!(out, "<main>")?;
        for section in sections(shown) {
            if section.id == "findings" {
                write(out, filter(shown.report.survey.summary.total))?;
            }
            write(out, section.markup(shown)?)?;
        }
        writeln!(out, "</main>")?;
        write(out, footer())?;
        explanation::packed(out, shown)?;
        let data = data.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        scripts(out, &data)?;
        writeln!(out, "</body>\n</html>")
    })
}

pub(super) fn head(title: &str, scripts: &[&str], styles: &[&str]) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy(scripts, styles));
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="generator" content={ "cronjob-doctor " (env!("CARGO_PKG_VERSION")) };
            link rel="icon" href="data:,";
            title { (Escaped(title)) }
            @for style in styles { style { (PreEscaped(style)) } }
            script { (PreEscaped(EARLY)) }
        }
    }
}

fn header(shown: &ShownReport<'_>) -> Markup {
    html! {
        a class="skip" href="#findings" { "Skip to the findings" }
        header {
            h1 { bdi { (Escaped(&title(shown.context))) } }
            p class="lead" { (summary_in_words(&shown.report.survey.summary, |_, text| text)) }
            (context(shown))
        }
        nav aria-label="Sections" {
            ul {
                @for section in sections(shown) {
                    li { a href={ "#" (section.id) } { (section.name) } }
                }
            }
        }
    }
}

fn footer() -> Markup {
    html! {
        footer {
            p {
                "Created by " code { "kubectl cronjob-doctor report" } " " (env!("CARGO_PKG_VERSION"))
                ". This page is self-contained and makes no network requests."
            }
            p class="script" { button type="button" id="save" { "Save the data as JSON" } }
        }
    }
}

/// What was written, in pieces: one buffer that grows would be twice as large, and be copied while it grows.
#[derive(Default)]
struct Pieces(Vec<Box<[u8]>>);

impl Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.push(piece.into());
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the compressed document, which may have megabytes, and the script of the page.
fn scripts(out: &mut dyn Write, data: &Pieces) -> io::Result<()> {
    // Base64 has no character that could end the element.
    write!(out, r#"<script type="application/gzip+base64" id="data">"#)?;
    let mut encoder = EncoderWriter::new(&mut *out, &BASE64_STANDARD);
    data.0
        .iter()
        .try_for_each(|piece| encoder.write_all(piece))?;
    encoder.finish()?;
    drop(encoder);
    let script = html! { script { (PreEscaped(SCRIPT)) } };
    writeln!(out, "</script>{}", script.into_string())
}

struct Section {
    id: &'static str,
    name: &'static str,
    content: fn(&ShownReport<'_>) -> io::Result<Markup>,
}

const SECTIONS: [Section; 8] = [
    Section::new("week", "Last week", |shown| Ok(week::content(shown, link))),
    Section::new("overview", "Overview", |shown| Ok(overview::counts(shown))),
    Section::new("findings", "Findings", findings::content),
    Section::new("cronjobs", "CronJobs", overview::cron_jobs),
    Section::new("timeline", "Timeline", timeline::content),
    Section::new("starts", "Starts at the same time", starts::content),
    Section::new("reliability", "Reliability", reliability::content),
    Section::new("past", "History", history::content),
];

/// The sections of a report: some of them only if a recorder was asked.
fn sections(shown: &ShownReport<'_>) -> impl Iterator<Item = &'static Section> {
    let is_recorded = !shown.report.reliability.is_empty();
    let all = SECTIONS.iter();
    all.filter(move |section| is_recorded || !["week", "reliability"].contains(&section.id))
}

impl Section {
    const fn new(
        id: &'static str,
        name: &'static str,
        content: fn(&ShownReport<'_>) -> io::Result<Markup>,
    ) -> Self {
        Section { id, name, content }
    }

    fn markup(&self, shown: &ShownReport<'_>) -> io::Result<Markup> {
        let title = format!("{}-title", self.id);
        let heading = match self.id {
            "timeline" => timeline::heading(shown),
            _ => self.name.to_owned(),
        };
        Ok(html! {
            section id=(self.id) aria-labelledby=(title) {
                h2 id=(title) { (heading) }
                ((self.content)(shown)?)
            }
        })
    }
}

/// The time, controller, time zones and evidence of the report.
pub(super) fn context(shown: &ShownReport<'_>) -> Markup {
    let context = shown.context;
    let controller = &context.header.controller;
    let clock = match context.clock {
        "server" => "API server's time",
        "flag" => "set by --now",
        _ => "local clock",
    };
    let model = match (controller.model, controller.source) {
        ("kubebuilder", _) => "Controller of the kubebuilder book".to_owned(),
        (model, source) => {
            let origin = controller.origin();
            let origin = origin.as_deref().unwrap_or(match source {
                "server" => "version of the API server",
                _ => "set by a flag",
            });
            format!(
                "Kubernetes {} ({model}, {origin})",
                controller.kubernetes_version
            )
        }
    };
    let tzdb = context.tzdb.version.as_deref();
    let tzdb = tzdb.unwrap_or("of unknown version");
    let place = context.tzdb.folder.as_deref().unwrap_or("built in");
    let entries = [
        (
            "Time",
            format!(
                "{} ({clock})",
                context.header.now.strftime("%Y-%m-%d %H:%M:%S UTC")
            ),
        ),
        (
            "Controller",
            format!("{model}, {}", controller.zone_in_words()),
        ),
        ("Time zones", format!("tz database {tzdb} ({place})")),
        ("Source", source(&context.source)),
    ];
    html! {
        dl class="made" {
            @for (name, value) in &entries {
                div { dt { (name) } dd { bdi { (Escaped(value)) } } }
            }
            @for unread in &context.lacks {
                div class="lacking" {
                    dt { "Not read" }
                    dd { bdi { (unread.what.as_str()) ": " (Escaped(&unread.reason)) } }
                }
            }
        }
    }
}

fn source(source: &EvidenceSource) -> String {
    match (&source.server, &source.namespace) {
        (Some(server), Some(namespace)) => format!("{server}, namespace {namespace}"),
        (Some(server), None) => format!("{server}, all namespaces"),
        (None, _) if source.files == ["-"] => "standard input".to_owned(),
        (None, _) => format!("files: {}", source.files.join(", ")),
    }
}

/// `CronJobs in prod, namespace shop`
pub(super) fn title(context: &ReportContext) -> String {
    let source = &context.source;
    match (&source.cluster, &source.namespace) {
        (Some(cluster), Some(namespace)) => format!("CronJobs in {cluster}, namespace {namespace}"),
        (Some(cluster), None) => format!("CronJobs in {cluster}"),
        (None, _) => match source.files.as_slice() {
            [file] if file == "-" => "CronJobs from standard input".to_owned(),
            [file, others @ ..] if !others.is_empty() => {
                format!("CronJobs in {file} and {} more", others.len())
            }
            files => format!("CronJobs in {}", files.concat()),
        },
    }
}

/// The filter of all lists. The script adds the namespaces and the codes of findings.
fn filter(total: usize) -> Markup {
    html! {
        form class="script filter" role="search" aria-label="Filter the lists" hidden[total == 0] {
            div {
                label for="by-text" { "Text" }
                input id="by-text" type="search" name="text" autocomplete="off" spellcheck="false";
            }
            div {
                label for="by-health" { "Health" }
                select id="by-health" name="state" {
                    option value="" { "any" }
                    @for state in ["error", "warning", "info", "ok", "suspended"] { option { (state) } }
                }
            }
            div {
                label for="by-namespace" { "Namespace" }
                select id="by-namespace" name="ns" { option value="" { "any" } }
            }
            div {
                label for="by-finding" { "Finding" }
                select id="by-finding" name="code" { option value="" { "any" } }
            }
            button type="button" class="all" { "Clear filter" }
            output aria-live="polite" {}
        }
    }
}

/// The content security policy of a page with these scripts and styles: nothing else runs, and the page
/// makes no requests, even if text from a cluster were mistaken for markup.
pub(super) fn policy(scripts: &[&str], styles: &[&str]) -> String {
    let hashes = |texts: &[&str]| {
        let hashes: Vec<String> = texts.iter().map(|text| hash(text)).collect();
        hashes.join(" ")
    };
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri about:; \
         form-action 'none'",
        hashes(scripts),
        hashes(styles)
    )
}

fn hash(text: &str) -> String {
    let hash = Sha256::digest(text);
    format!("'sha256-{}'", BASE64_STANDARD.encode(hash))
}

#[cfg(test)]
mod tests {
    use super::hash;

    /// `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
    #[test]
    fn hash_is_the_one_that_browsers_compute() {
        let expected = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        assert_eq!(hash("alert(1)"), expected);
    }
}
