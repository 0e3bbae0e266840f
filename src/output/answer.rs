//! What a verb found, and the formats in which it can be written.
//!
//! An answer lists its formats with the function that writes each ([`Answer::formats`]). The same list decides which
//! values `--output` accepts. JSON and YAML are the same for every answer with a document.

use std::io::{self, Write};

use serde::Serialize;

use super::envelope::{DocumentBody, Envelope};
use super::{json, yaml};

string_enum! {
    /// A value of `--output`. Each answer has some of them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Format {
        Text = "text",
        Wide = "wide",
        Short = "short",
        Json = "json",
        Yaml = "yaml",
        Name = "name",
        Csv = "csv",
        Markdown = "markdown",
        Html = "html",
        Svg = "svg",
        Ics = "ics",
        Junit = "junit",
        Sarif = "sarif",
        Github = "github",
        Gitlab = "gitlab",
        Prometheus = "prometheus",
        PrometheusRule = "prometheusrule",
        Rules = "rules",
        Job = "job",
    }
}

impl Format {
    /// What completions say of it.
    pub(crate) fn help(self) -> &'static str {
        match self {
            Format::Text => "Text for people",
            Format::Wide => "Text with all details",
            Format::Short => "One line for each finding",
            Format::Json => "JSON document",
            Format::Yaml => "YAML document",
            Format::Name => "Resources and names, like kubectl get -o name",
            Format::Csv => "Comma-separated values",
            Format::Markdown => "Markdown for a comment or a chat",
            Format::Html => "HTML page",
            Format::Svg => "SVG picture",
            Format::Ics => "iCalendar file",
            Format::Junit => "JUnit test report",
            Format::Sarif => "SARIF log for code scanning",
            Format::Github => "GitHub annotations",
            Format::Gitlab => "GitLab code quality report",
            Format::Prometheus => "Prometheus metrics",
            Format::PrometheusRule => "PrometheusRule objects",
            Format::Rules => "Prometheus rule file",
            Format::Job => "Manifests of the Jobs",
        }
    }

    /// Whether it is a document for programs, the same for all answers.
    pub(crate) fn is_document(self) -> bool {
        matches!(self, Format::Json | Format::Yaml)
    }
}

/// What a verb found.
pub(crate) trait Answer: Sized {
    /// How it is written.
    fn formats() -> Formats<Self>;

    /// Writes it in one of its formats, or in the default one.
    fn write(&self, out: &mut dyn Write, format: Option<Format>) -> io::Result<()> {
        let formats = Self::formats();
        let write = format.and_then(|format| formats.writer(format));
        write.unwrap_or(formats.default)(out, self)
    }
}

/// An answer with a document for programs.
pub(crate) trait Documented {
    fn document(&self) -> impl Serialize;
}

/// Most answers are what their document says.
impl<T: DocumentBody> Documented for T {
    fn document(&self) -> impl Serialize {
        Envelope::from(self)
    }
}

type Writer<A> = fn(&mut dyn Write, &A) -> io::Result<()>;

/// The formats of an answer, in the order in which the help lists them.
pub(crate) struct Formats<A> {
    default: Writer<A>,
    named: Vec<(Format, Writer<A>)>,
}

impl<A> Formats<A> {
    /// Without `--output`, the answer is text, and no value of `--output` says so.
    pub(super) fn text(write: Writer<A>) -> Self {
        Formats {
            default: write,
            named: Vec::new(),
        }
    }

    /// Without `--output`, the answer has the format that this value names, too.
    pub(super) fn default_of(format: Format, write: Writer<A>) -> Self {
        Formats::text(write).and(format, write)
    }

    pub(super) fn and(mut self, format: Format, write: Writer<A>) -> Self {
        self.named.push((format, write));
        self
    }

    /// The values of `--output`.
    pub(crate) fn named(&self) -> impl Iterator<Item = Format> {
        self.named.iter().map(|(format, _)| *format)
    }

    fn writer(&self, format: Format) -> Option<Writer<A>> {
        let mut named = self.named.iter();
        let found = named.find(|(named, _)| *named == format);
        found.map(|(_, write)| *write)
    }
}

impl<A: Documented> Formats<A> {
    pub(super) fn and_documents(self) -> Self {
        self.and(Format::Json, |out, answer| json(out, &answer.document()))
            .and(Format::Yaml, |out, answer| {
                yaml::write(out, &answer.document())
            })
    }
}

/// Writes each item, with an empty line between two.
pub(super) fn separated<T>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write(out, item)?;
    }
    Ok(())
}
