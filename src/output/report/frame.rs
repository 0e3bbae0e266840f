//! The page: what stands around its sections.

use std::io::{self, Write};

use super::markup::{counted, number};
use super::packed::packed;
use super::policy::policy;
use super::{Sheet, cron_jobs, document, findings, overview, past, starts, timeline};
use crate::output::xml::Escaped;
use crate::survey::HealthSummary;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(include_str!("explanation.js"), include_str!("page.js"));

/// Before anything is shown: what needs no script is hidden then, and what needs one is not.
const EARLY: &str = "document.documentElement.className = 'js';";

/// What can be jumped to.
const PARTS: [(&str, &str); 6] = [
    ("overview", "Overview"),
    ("findings", "Findings"),
    ("cronjobs", "CronJobs"),
    ("timeline", "Timeline"),
    ("starts", "Starts together"),
    ("past", "History"),
];

/// Writes the page.
pub(crate) fn html(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let summary = in_words(&sheet.report.survey.summary);
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"generator\" content=\"cronjob-doctor {}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>CronJob report: {summary}</title>\n\
         <style>{STYLE}</style>\n<script>{EARLY}</script>\n</head>",
        policy(&[EARLY, SCRIPT], STYLE),
        env!("CARGO_PKG_VERSION")
    )?;
    writeln!(
        out,
        "<body>\n<a class=\"skip\" href=\"#findings\">Skip to the findings</a>\n<header>\n\
         <h1>CronJob report</h1>\n<p class=\"lead\">{summary}</p>"
    )?;
    circumstances(out, sheet)?;
    writeln!(
        out,
        "</header>\n<nav aria-label=\"Parts of the report\"><ul>"
    )?;
    for (id, name) in PARTS {
        writeln!(out, "<li><a href=\"#{id}\">{name}</a></li>")?;
    }
    writeln!(out, "</ul></nav>\n<main>")?;
    section(out, sheet, "overview", "Overview", overview::content)?;
    filter(out, sheet.report.survey.summary.total)?;
    section(out, sheet, "findings", "Findings", findings::content)?;
    section(out, sheet, "cronjobs", "CronJobs", cron_jobs::content)?;
    let next = timeline::heading(sheet);
    section(out, sheet, "timeline", &next, timeline::content)?;
    section(out, sheet, "starts", "Starts together", starts::content)?;
    section(out, sheet, "past", "History", past::content)?;
    writeln!(out, "</main>")?;
    writeln!(
        out,
        "<footer><p>Made by <code>kubectl cronjob-doctor report</code> {}. The page asks nobody for anything; \
         all it tells is in it.</p><p class=\"script\"><button type=\"button\" id=\"save\">Save the data as \
         JSON</button></p></footer>",
        env!("CARGO_PKG_VERSION")
    )?;
    writeln!(
        out,
        "<script type=\"application/gzip+base64\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n\
         </html>",
        packed(&document(sheet))?
    )
}

/// A part of the page, which its heading names.
fn section(
    out: &mut dyn Write,
    sheet: &Sheet<'_>,
    id: &str,
    heading: &str,
    content: fn(&mut dyn Write, &Sheet<'_>) -> io::Result<()>,
) -> io::Result<()> {
    writeln!(
        out,
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\"><h2 id=\"{id}-title\">{heading}</h2>"
    )?;
    content(out, sheet)?;
    writeln!(out, "</section>")
}

/// `12 CronJobs: 3 errors, 4 warnings, 5 ok (1 suspended)`.
fn in_words(summary: &HealthSummary) -> String {
    let mut parts = Vec::new();
    for (count, word) in [(summary.error, "error"), (summary.warning, "warning")] {
        if count > 0 {
            parts.push(counted(count, word));
        }
    }
    for (count, word) in [(summary.info, "info"), (summary.ok, "ok")] {
        if count > 0 {
            parts.push(format!("{} {word}", number(count as u64)));
        }
    }
    let colon = if parts.is_empty() { "" } else { ": " };
    let suspended = match summary.suspended {
        0 => String::new(),
        count => format!(" ({} suspended)", number(count as u64)),
    };
    let total = counted(summary.total, "CronJob");
    format!("{total}{colon}{}{suspended}", parts.join(", "))
}

/// What the report holds for.
fn circumstances(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let made = sheet.made;
    let clock = match made.clock {
        "server" => "the server's clock",
        "flag" => "as --now says",
        _ => "this machine's clock",
    };
    let newest = match made.controller.source {
        "default" => ", the newest known",
        "server" => ", as the server says",
        _ => ", as a flag says",
    };
    let evidence = match made.controller.time_zone_source {
        "evidence" => ", as the times of its Jobs show",
        _ => "",
    };
    let controller = match made.controller.model {
        "kubebuilder" => "that of the kubebuilder book".to_owned(),
        model => format!(
            "Kubernetes {} ({model}){newest}",
            made.controller.kubernetes_version
        ),
    };
    let tzdb = made.tzdb.version.as_deref().unwrap_or("of unknown release");
    let place = made.tzdb.folder.as_deref().unwrap_or("built in");
    let mut entries = vec![
        ("Now", format!("{}, {clock}", made.now)),
        (
            "Controller",
            format!(
                "{controller}, its clock in {}{evidence}",
                made.controller.time_zone
            ),
        ),
        ("Time zones", format!("tz database {tzdb} ({place})")),
        ("Evidence", evidence_from(sheet)),
    ];
    for lack in &made.lacks {
        entries.push((
            "Lacking",
            format!("{}: {}", lack.what.as_str(), lack.reason),
        ));
    }
    writeln!(out, "<dl class=\"made\">")?;
    for (name, value) in entries {
        let class = if name == "Lacking" {
            " class=\"lacking\""
        } else {
            ""
        };
        writeln!(
            out,
            "<div{class}><dt>{name}</dt><dd><bdi>{}</bdi></dd></div>",
            Escaped(&value)
        )?;
    }
    writeln!(out, "</dl>")
}

fn evidence_from(sheet: &Sheet<'_>) -> String {
    let source = &sheet.made.source;
    let Some(server) = &source.server else {
        if source.files == ["-"] {
            return "standard input".to_owned();
        }
        return format!("files: {}", source.files.join(", "));
    };
    match &source.namespace {
        Some(namespace) => format!("{server}, the namespace {namespace}"),
        None => format!("{server}, all namespaces"),
    }
}

/// What the lists of the page can be narrowed to.
fn filter(out: &mut dyn Write, total: usize) -> io::Result<()> {
    let hidden = if total == 0 { " hidden" } else { "" };
    writeln!(
        out,
        "<form class=\"script filter\" role=\"search\" aria-label=\"Filter the lists\"{hidden}>\n\
         <div><label for=\"by-text\">Text</label><input id=\"by-text\" type=\"search\" name=\"text\" \
         autocomplete=\"off\" spellcheck=\"false\"></div>\n\
         <div><label for=\"by-health\">Health</label><select id=\"by-health\" name=\"state\"><option \
         value=\"\">any</option><option>error</option><option>warning</option><option>info</option>\
         <option>ok</option><option>suspended</option></select></div>\n\
         <div><label for=\"by-namespace\">Namespace</label><select id=\"by-namespace\" name=\"ns\"><option \
         value=\"\">any</option></select></div>\n\
         <div><label for=\"by-finding\">Finding</label><select id=\"by-finding\" name=\"code\"><option \
         value=\"\">any</option></select></div>\n\
         <button type=\"button\" class=\"all\">Show all</button>\n<output aria-live=\"polite\"></output>\n</form>"
    )
}
