//! A reader of XML that refuses what is not well-formed. It knows what reports of tests consist
//! of: elements, attributes, text and the five entities; no comments, no CDATA, no doctype.

use crate::support::entities::unescaped;

/// An element.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        &found.unwrap_or_else(|| panic!("no {name} in {self:?}")).1
    }

    pub(crate) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The element that a document consists of.
pub(crate) fn parse(document: &str) -> Element {
    for c in document.chars() {
        let allowed = matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{fffd}' | '\u{10000}'..);
        assert!(allowed, "{c:?} cannot be in XML");
    }
    let prolog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let mut reader = Reader {
        rest: document.strip_prefix(prolog).expect("a prolog"),
    };
    let root = reader.element();
    assert_eq!(reader.rest, "\n", "after the last element");
    root
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) {
        assert!(self.skip(text), "expected {text:?} at {:.60?}", self.rest);
    }

    fn until(&mut self, end: impl Fn(char) -> bool) -> &'a str {
        let (taken, rest) = self.rest.split_at(self.rest.find(end).expect("an end"));
        self.rest = rest;
        taken
    }

    fn name(&mut self) -> String {
        let name = self.until(|c| !c.is_ascii_alphanumeric() && c != '-');
        let first = name.chars().next().expect("a name");
        assert!(first.is_ascii_alphabetic(), "{name}");
        name.to_owned()
    }

    fn element(&mut self) -> Element {
        self.expect("<");
        let mut element = Element {
            name: self.name(),
            attributes: Vec::new(),
            children: Vec::new(),
            text: String::new(),
        };
        while self.skip(" ") {
            let name = self.name();
            self.expect("=\"");
            let value = unescaped(self.until(|c| c == '"'));
            self.expect("\"");
            let twice = element.attributes.iter().any(|(own, _)| *own == name);
            assert!(!twice, "{name} comes twice");
            element.attributes.push((name, value));
        }
        if self.skip("/>") {
            return element;
        }
        self.expect(">");
        let end = format!("</{}>", element.name);
        loop {
            element.text.push_str(&unescaped(self.until(|c| c == '<')));
            if self.skip(&end) {
                return element;
            }
            element.children.push(self.element());
        }
    }
}
