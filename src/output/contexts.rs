//! The answers of several contexts, in the formats that several verbs share.

use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::answer::{Answer, Documented, Formats};
use super::envelope::{API_VERSION, DocumentBody, Envelope};
use super::markdown::{code, sentence};
use super::style::{Meaning, styled};
use cronjob_text::printable::printable;
use cronjob_text::words::counted;

/// The answer about one context, or those about several.
#[derive(Debug)]
pub(crate) struct ContextAnswers<T> {
    /// With one alone, nothing is said of its context.
    is_one: bool,
    all: Vec<ContextAnswer<T>>,
}

#[derive(Debug)]
pub(crate) struct ContextAnswer<T> {
    pub about: ContextDocument,
    /// `None` if the context could not be read.
    pub answer: Option<T>,
}

/// A context in a document about several.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Context")]
#[serde(rename_all = "camelCase")]
pub struct ContextDocument {
    /// The name of the context in the kubeconfig.
    pub name: String,
    /// The URL of its API server; null if it is not known.
    pub server: Option<String>,
    /// The Kubernetes version of its API server; null if it is not known.
    pub kubernetes_version: Option<String>,
    /// Whether its API server responded.
    pub reachable: bool,
    /// Why it could not be read, or not completely; null if it was.
    pub error: Option<String>,
}

/// Where it is noted while the context is read.
#[derive(Debug, Default)]
pub(crate) struct ContextRecord(Mutex<ContextDocument>);

impl ContextRecord {
    pub(crate) fn change(&self, change: impl FnOnce(&mut ContextDocument)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn about(&self) -> ContextDocument {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl ContextDocument {
    /// Notes why it could not be read, or not completely.
    pub(crate) fn add_error(&mut self, error: &str) {
        let before = self.error.take();
        let both = before.into_iter().chain([error.to_owned()]);
        self.error = Some(both.collect::<Vec<_>>().join("; "));
    }
}

impl<T> ContextAnswer<T> {
    /// `unreachable: no response from …`
    pub(super) fn trouble(&self) -> Option<String> {
        let word = match self.answer {
            Some(_) => "incomplete",
            None if self.about.reachable => "not read",
            None => "unreachable",
        };
        let error = self.about.error.as_ref();
        error.map(|error| printable(&format!("{word}: {error}")))
    }
}

impl<T> ContextAnswers<T> {
    pub(crate) fn one(answer: T) -> Self {
        let about = ContextDocument::default();
        let answer = Some(answer);
        ContextAnswers {
            is_one: true,
            all: vec![ContextAnswer { about, answer }],
        }
    }

    pub(crate) fn several(all: Vec<ContextAnswer<T>>) -> Self {
        let is_one = false;
        ContextAnswers { is_one, all }
    }

    /// The answer, if only one context was asked for.
    pub(crate) fn as_one(&self) -> Option<&T> {
        let first = self.all.first().filter(|_| self.is_one)?;
        first.answer.as_ref()
    }

    /// Each answer with the name of its context, if several were asked for.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Option<&str>, &T)> {
        self.all.iter().filter_map(|context| {
            let name = (!self.is_one).then_some(context.about.name.as_str());
            Some((name, context.answer.as_ref()?))
        })
    }

    /// The contexts, if several were asked for.
    pub(crate) fn contexts(&self) -> &[ContextAnswer<T>] {
        if self.is_one { &[] } else { &self.all }
    }

    /// `3 contexts (1 not read)`
    pub(super) fn counted(&self) -> String {
        let count = counted(self.all.len(), "context");
        match self.all.len() - self.each().count() {
            0 => count,
            unread => format!("{count} ({unread} not read)"),
        }
    }

    /// Whether every context could be read, and a condition holds for each answer.
    pub(crate) fn all(&self, holds: impl Fn(&T) -> bool) -> bool {
        let mut answers = self.all.iter().map(|context| context.answer.as_ref());
        answers.all(|answer| answer.is_some_and(&holds))
    }

    /// What a function makes of each answer.
    pub(crate) fn try_map<'a, U, E>(
        &'a self,
        mut map: impl FnMut(Option<&'a str>, &'a T) -> Result<U, E>,
    ) -> Result<ContextAnswers<U>, E> {
        let mapped = self.all.iter().map(|context| {
            let name = (!self.is_one).then_some(context.about.name.as_str());
            let answer = context.answer.as_ref().map(|answer| map(name, answer));
            let (about, answer) = (context.about.clone(), answer.transpose()?);
            Ok(ContextAnswer { about, answer })
        });
        Ok(ContextAnswers {
            is_one: self.is_one,
            all: mapped.collect::<Result<_, E>>()?,
        })
    }

    pub(crate) fn map<'a, U>(
        &'a self,
        mut map: impl FnMut(Option<&'a str>, &'a T) -> U,
    ) -> ContextAnswers<U> {
        let mapped: Result<_, Infallible> = self.try_map(|name, answer| Ok(map(name, answer)));
        let Ok(mapped) = mapped;
        mapped
    }
}

/// What is text for people, with a section for each context, and a document.
pub(crate) trait TextAndDocument: DocumentBody {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl<T: TextAndDocument> Answer for ContextAnswers<&T> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, answers| sections(out, answers, |out, one| one.write_text(out)))
            .and_documents()
    }
}

impl<T: TextAndDocument> Documented for ContextAnswers<&T> {
    fn document(&self) -> impl Serialize {
        self.map(|_, one| Envelope::from(*one))
    }
}

/// The document of one context is as it is. In that of several, the items of all stand together, each with its
/// context, and everything else stands with the context that it is about.
impl<T: DocumentBody> Serialize for ContextAnswers<Envelope<T>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(document) = self.as_one() {
            return document.serialize(serializer);
        }
        let joined = joined(&self.all).map_err(S::Error::custom)?;
        joined.serialize(serializer)
    }
}

fn joined<T: DocumentBody>(
    contexts: &[ContextAnswer<Envelope<T>>],
) -> serde_json::Result<Map<String, Value>> {
    let mut items: Map<String, Value> = Map::new();
    let mut totals = Map::new();
    let mut entries = Vec::new();
    for context in contexts {
        let mut entry = serde_json::to_value(&context.about)?;
        if let (Some(document), Some(entry)) = (&context.answer, entry.as_object_mut())
            && let Value::Object(fields) = serde_json::to_value(document)?
        {
            for (field, value) in fields {
                if T::ITEMS.contains(&field.as_str()) {
                    let all = items.entry(field).or_insert_with(|| json!([]));
                    add_items(all, value, &context.about.name);
                } else if !["apiVersion", "kind"].contains(&field.as_str()) {
                    if Some(field.as_str()) == T::TOTALS {
                        add_up(&mut totals, &value);
                    }
                    entry.insert(field, value);
                }
            }
        }
        entries.push(entry);
    }
    let mut document = Map::new();
    document.insert("apiVersion".to_owned(), API_VERSION.into());
    document.insert("kind".to_owned(), T::schema_name().into());
    document.insert("contexts".to_owned(), entries.into());
    if let Some(field) = T::TOTALS {
        document.insert(field.to_owned(), totals.into());
    }
    for field in T::ITEMS {
        let all = items.remove(*field).unwrap_or_else(|| json!([]));
        document.insert((*field).to_owned(), all);
    }
    Ok(document)
}

/// Adds items with the name of their context as their first field.
fn add_items(all: &mut Value, items: Value, context: &str) {
    if let (Value::Array(all), Value::Array(items)) = (all, items) {
        for mut item in items {
            if let Value::Object(fields) = &mut item {
                fields.shift_insert(0, "context".to_owned(), context.into());
            }
            all.push(item);
        }
    }
}

/// Adds the numbers of a summary.
fn add_up(totals: &mut Map<String, Value>, summary: &Value) {
    for (field, count) in summary.as_object().into_iter().flatten() {
        let total = totals.get(field).and_then(Value::as_u64).unwrap_or(0);
        totals.insert(field.clone(), (total + count.as_u64().unwrap_or(0)).into());
    }
}

/// Writes the answer about each context below its name; one answer alone as it is.
pub(crate) fn sections<T>(
    out: &mut dyn Write,
    answers: &ContextAnswers<T>,
    mut write: impl FnMut(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    for (index, context) in answers.all.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        if !answers.is_one {
            let heading = format!("Context: {}", printable(&context.about.name));
            writeln!(out, "{}", styled(Meaning::Strong, heading))?;
        }
        if let Some(trouble) = context.trouble() {
            writeln!(out, "  {}", styled(Meaning::Bad, trouble))?;
        }
        if let Some(answer) = &context.answer {
            write(out, answer)?;
        }
    }
    Ok(())
}

/// Writes the answer of each context in Markdown, below a heading with its name.
pub(crate) fn markdown_sections<T>(
    out: &mut dyn Write,
    answers: &ContextAnswers<T>,
    mut write: impl FnMut(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(answer) = answers.as_one() {
        return write(out, answer);
    }
    for context in &answers.all {
        writeln!(out, "## Context {}\n", code(&context.about.name))?;
        if let Some(trouble) = context.trouble() {
            writeln!(out, "{}\n", sentence(&trouble))?;
        }
        if let Some(answer) = &context.answer {
            write(out, answer)?;
            writeln!(out)?;
        }
    }
    Ok(())
}
