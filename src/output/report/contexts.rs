//! One page with the reports of several contexts. Each is a page of its own in a frame, so that nothing of one
//! can be mistaken for something of another.

use std::io::{self, Write};

use maud::{Markup, PreEscaped, html};

use super::markup::{foreign, table};
use super::page::{EARLY, SCRIPT, STYLE, head, html};
use super::{ShownReport, reliability};
use crate::output::contexts::ContextAnswer;
use crate::output::scan::summary_in_words;
use crate::output::xml::Escaped;
use cronjob_diagnosis::survey::HealthSummary;
use cronjob_text::words::counted;

const FRAMES_STYLE: &str = include_str!("contexts.css");

/// Shows the contexts that are chosen.
const FILTER: &str = include_str!("contexts.js");

pub(crate) fn html_of_several(
    out: &mut dyn Write,
    contexts: &[ContextAnswer<ShownReport<'_>>],
) -> io::Result<()> {
    let write = |out: &mut dyn Write, markup: Markup| writeln!(out, "{}", markup.into_string());
    // The policy of the page holds for its frames, too.
    let styles = [STYLE, FRAMES_STYLE, reliability::STYLE];
    let title = format!("CronJobs in {}", counted(contexts.len(), "context"));
    writeln!(out, "<!doctype html>\n<html lang=\"en\">")?;
    write(out, head(&title, &[EARLY, SCRIPT, FILTER], &styles))?;
    writeln!(out, "<body>")?;
    write(out, header(&title, contexts))?;
    writeln!(out, "<main>")?;
    for context in contexts {
        let Some(shown) = &context.answer else {
            continue;
        };
        let mut page = Vec::new();
        html(&mut page, shown)?;
        // The links of the page lead to places in it, not in the page around it.
        let base = "<head><base href=\"about:srcdoc\">";
        let page = String::from_utf8_lossy(&page).replacen("<head>", base, 1);
        let name = Escaped(&context.about.name);
        write(
            out,
            html! {
                section class="context" data-context=(name) {
                    h2 { (foreign(&context.about.name)) }
                    iframe title={ "Report of context " (name) } srcdoc=(page) {}
                }
            },
        )?;
    }
    writeln!(out, "</main>")?;
    write(out, html! { script { (PreEscaped(FILTER)) } })?;
    writeln!(out, "</body>\n</html>")
}

fn header(title: &str, contexts: &[ContextAnswer<ShownReport<'_>>]) -> Markup {
    let summary = |context: &ContextAnswer<ShownReport<'_>>| {
        let shown = context.answer.as_ref();
        shown.map(|shown| shown.report.survey.summary)
    };
    let mut total = HealthSummary::default();
    for one in contexts.iter().filter_map(summary) {
        total += one;
    }
    let words = |summary| summary_in_words(&summary, |_, text| text);
    let rows = html! {
        @for context in contexts {
            tr {
                th scope="row" { (foreign(&context.about.name)) }
                td { (foreign(context.about.server.as_deref().unwrap_or_default())) }
                td { (foreign(context.about.kubernetes_version.as_deref().unwrap_or_default())) }
                td {
                    @if let Some(summary) = summary(context) { (words(summary)) }
                    @if let Some(trouble) = context.trouble() { " " strong { (foreign(&trouble)) } }
                }
            }
        }
    };
    let headings = ["Context", "Server", "Kubernetes", "CronJobs"].map(|heading| (heading, false));
    html! {
        header {
            h1 { (title) }
            p class="lead" { (words(total)) }
            (table("contexts", "Contexts", &headings, &rows))
            form class="script" {
                label for="by-context" { "Context" } " "
                select id="by-context" autocomplete="off" {
                    option value="" { "all" }
                    @for context in contexts.iter().filter(|context| context.answer.is_some()) {
                        option { (Escaped(&context.about.name)) }
                    }
                }
            }
        }
    }
}
