//! Reads YAML: builds trees from the events of the parser.

use granit_parser::{
    Event, Parser, ScalarStyle, ScanError, Span as ScanSpan, StrInput, StructureStyle, options,
};

use super::builder::MappingBuilder;
use super::error::{DocumentError, ErrorKind, Failure};
use super::node::{Place, Span, narrow};
use super::{Comment, MAX_DEPTH, MAX_ERRORS, ParsedDocument, ParsedText, Part, hints};

mod tree;

use tree::{Content, Scalar, Tree};

pub(super) fn parse(text: &str, part: Part) -> ParsedText {
    let mut reader = YamlReader::new(text, part);
    reader.run();
    reader.parsed
}

struct YamlReader<'t> {
    /// The text up to the end of the part.
    text: &'t str,
    /// The bytes before the part and its byte order mark, which the parser does not see.
    base: usize,
    /// The number of lines before the part.
    lines: u32,
    parser: Parser<'t, StrInput<'t>>,
    parsed: ParsedText,
    tree: Tree,
    comments: Vec<Comment>,
    /// The number of documents that have begun.
    begun: usize,
    /// Where the document that is being read begins.
    start: usize,
    inside: bool,
}

impl<'t> YamlReader<'t> {
    fn new(text: &'t str, part: Part) -> Self {
        let (text, body) = part.of(text);
        let options = options! {
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
            emit_unresolved_aliases: true,
            // The comments are kept anyway, so a long block of them is not a problem.
            max_buffered_comment_events: usize::MAX,
        };
        Self {
            text,
            base: text.len() - body.len(),
            parser: Parser::new_from_str_with_options(body, options),
            parsed: ParsedText::default(),
            lines: part.line.saturating_sub(1),
            tree: Tree::new(body.len()),
            comments: Vec::new(),
            begun: 0,
            start: part.span.range().start,
            inside: false,
        }
    }

    fn run(&mut self) {
        while let Some(result) = self.parser.next_event() {
            let outcome = match result {
                Ok((Event::StreamEnd, _)) => break,
                Ok((event, span)) => {
                    let outcome = self.event(event, span);
                    outcome.map_err(|error| self.or_template(error))
                }
                Err(scan) => Err(self.scan_error(&scan)),
            };
            if let Err((place, kind)) = outcome
                && !self.abandon(place, kind)
            {
                break;
            }
        }
        if let Some(last) = self.parsed.documents.last_mut() {
            last.comments.append(&mut self.comments);
        }
    }

    fn event(&mut self, event: Event<'t>, span: ScanSpan) -> Result<(), Failure> {
        let place = self.place(&span);
        match event {
            Event::Comment(text, _) => {
                let trailing = self.is_trailing(place);
                let text = Box::from(text.as_ref());
                self.comments.push(Comment {
                    place,
                    text,
                    trailing,
                });
            }
            Event::DocumentStart(..) => {
                self.begun += 1;
                self.inside = true;
                self.start = place.span.range().start;
                self.tree.clear();
            }
            Event::DocumentEnd => {
                self.inside = false;
                self.finish();
            }
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.as_deref();
                let scalar = Scalar {
                    text: self.without_added_newline(&text, style, place),
                    plain: style == ScalarStyle::Plain,
                    style: style.into(),
                    tag,
                };
                self.tree.scalar(&scalar, place, anchor)?;
            }
            Event::SequenceStart(style, anchor, _) => {
                let place = match style {
                    StructureStyle::Block => self.at_dash(place),
                    StructureStyle::Flow => place,
                };
                let content = Content::Sequence(Vec::new());
                self.tree.open(place, style.into(), anchor, content)?;
            }
            Event::MappingStart(style, anchor, _) => {
                let content = Content::Mapping(MappingBuilder::default(), None);
                self.tree.open(place, style.into(), anchor, content)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.tree.close(place)?,
            Event::Alias(id) => self.tree.alias(id, place)?,
            Event::UnresolvedAlias(name) => {
                let line = self.line_at(place.span.range().start);
                let kind = hints::unquoted(line).unwrap_or_else(|| ErrorKind::UnknownAnchor {
                    name: name.into_owned(),
                });
                return Err((place, kind));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) {
        let (root, problems) = self.tree.finish();
        // kubectl ignores an empty document between two `---`.
        let Some(root) = root.filter(|root| !root.is_null() || root.raw(self.text) != Some(""))
        else {
            return;
        };
        self.parsed.documents.push(ParsedDocument {
            index: self.begun.saturating_sub(1),
            root,
            comments: std::mem::take(&mut self.comments),
            problems,
        });
    }

    /// Skips the current document, and returns whether there is another one.
    fn abandon(&mut self, place: Place, kind: ErrorKind) -> bool {
        if !self.inside {
            self.begun += 1;
        }
        self.inside = false;
        self.comments.clear();
        self.tree.clear();
        let document = self.begun.saturating_sub(1);
        let kind = if self.parsed.errors.len() >= MAX_ERRORS {
            ErrorKind::TooManyErrors
        } else {
            kind
        };
        let last = kind == ErrorKind::TooManyErrors;
        self.parsed.errors.push(DocumentError {
            document,
            place,
            kind,
        });
        !last && matches!(self.parser.proceed_next_document(), Ok(true))
    }

    fn scan_error(&self, scan: &ScanError) -> Failure {
        let marker = scan.marker();
        let at = marker.byte_offset().unwrap_or_default() + self.base;
        let place = Place {
            span: Span::new(at, at),
            line: narrow(marker.line()).saturating_add(self.lines),
            column: narrow(marker.col() + 1),
        };
        let line = self.line_at(at);
        let before = self.text.get(self.start..at).unwrap_or_default();
        (place, hints::explain(scan.kind(), before, line))
    }

    /// Ignores errors that a template causes: `{{ x }}` is a mapping as a key.
    fn or_template(&self, (mut place, kind): Failure) -> Failure {
        let at = place.span.range().start;
        if !hints::is_template(self.line_at(at)) {
            return (place, kind);
        }
        // The parser stops after the first brace that is valid.
        let before = self.text.get(..at).unwrap_or_default();
        if before.ends_with('{')
            && self
                .text
                .get(at..)
                .is_some_and(|rest| rest.starts_with('{'))
        {
            place.span.start = place.span.start.saturating_sub(1);
            place.column = place.column.saturating_sub(1).max(1);
        }
        (place, ErrorKind::Template)
    }

    /// A block scalar that ends with the text, and not with a line break, has none to go-yaml. The
    /// parser adds one.
    fn without_added_newline<'s>(
        &self,
        text: &'s str,
        style: ScalarStyle,
        place: Place,
    ) -> &'s str {
        let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if !block || place.span.range().end < self.text.len() {
            return text;
        }
        let Some(content) = text.strip_suffix('\n') else {
            return text;
        };
        let in_text = self.text.rsplit(['\n', '\r']).next().unwrap_or_default();
        let in_content = content.rsplit('\n').next().unwrap_or_default();
        // Spaces beyond the indentation are content, too; spaces within it follow a line break.
        let ends_within =
            !in_text.trim().is_empty() || (!in_content.is_empty() && in_text.ends_with(in_content));
        if ends_within { content } else { text }
    }

    /// For a list that is not indented further than its key, the parser reports the position after the dash.
    fn at_dash(&self, mut place: Place) -> Place {
        let at = place.span.range().start;
        let (before, after) = self.text.split_at_checked(at).unwrap_or_default();
        let dash = after.strip_prefix('-');
        if dash.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
            return place;
        }
        let spaces = before.len() - before.trim_end_matches(' ').len();
        if spaces > 0 && before.trim_end_matches(' ').ends_with('-') {
            let back = narrow(spaces + 1);
            place.span.start = place.span.start.saturating_sub(back);
            place.column = place.column.saturating_sub(back).max(1);
        }
        place
    }

    fn place(&self, span: &ScanSpan) -> Place {
        let range = span.byte_range().unwrap_or_default();
        Place {
            span: Span::new(range.start + self.base, range.end + self.base),
            line: narrow(span.start.line()).saturating_add(self.lines),
            column: narrow(span.start.col() + 1),
        }
    }

    fn line_at(&self, at: usize) -> &'t str {
        let (before, after) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = after
            .find('\n')
            .map_or(self.text.len(), |newline| before.len() + newline);
        self.text.get(start..end).unwrap_or_default()
    }

    fn is_trailing(&self, place: Place) -> bool {
        let before = self.text.get(..place.span.range().start);
        let line = before.and_then(|before| before.rsplit('\n').next());
        line.is_some_and(|line| !line.trim_start_matches('\u{feff}').trim().is_empty())
    }
}
