//! A reader of markup that rejects what is not well-formed: elements are closed in order, attributes are quoted and
//! unique, and text contains no characters that open or close markup. It supports what the program writes, which
//! includes neither comments nor CDATA.

use super::entities::unescaped;

/// Elements of HTML without content and without an end tag.
const EMPTY: [&str; 3] = ["meta", "link", "input"];
/// Elements of HTML whose content is not markup.
const RAW: [&str; 2] = ["script", "style"];

/// An element.
#[derive(Debug)]
pub(crate) struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Node>,
}

#[derive(Debug)]
enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    pub(crate) fn find_attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// An attribute that must be there.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        let found = self.find_attribute(name);
        found.unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    /// The elements right below this one, in order.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// The elements right below this one with a name.
    pub(crate) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements().filter(move |child| child.name == name)
    }

    /// All elements of a name inside this one, in order.
    pub(crate) fn all(&self, name: &str) -> Vec<&Element> {
        let mut found = Vec::new();
        for child in self.elements() {
            found.extend((child.name == name).then_some(child));
            found.extend(child.all(name));
        }
        found
    }

    /// The only element of this name whose attribute has this value.
    pub(crate) fn only(&self, name: &str, attribute: &str, value: &str) -> &Element {
        let all = self.all(name).into_iter();
        let mut all = all.filter(|found| found.find_attribute(attribute) == Some(value));
        let only = all
            .next()
            .unwrap_or_else(|| panic!("no {name} {attribute}={value}"));
        assert!(
            all.next().is_none(),
            "more than one {name} {attribute}={value}"
        );
        only
    }

    /// All text inside.
    pub(crate) fn text(&self) -> String {
        let of = |child: &Node| match child {
            Node::Element(element) => element.text(),
            Node::Text(text) => text.clone(),
        };
        self.children.iter().map(of).collect()
    }
}

/// The element `html` of a page.
pub(crate) fn html(page: &str) -> Element {
    root(page, "<!doctype html>\n", true)
}

/// The element that a document of XML consists of.
pub(crate) fn xml(document: &str) -> Element {
    for c in document.chars() {
        let allowed = matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{fffd}' | '\u{10000}'..);
        assert!(allowed, "{c:?} cannot be in XML");
    }
    root(
        document,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        false,
    )
}

fn root(text: &str, prolog: &str, is_html: bool) -> Element {
    let rest = text.strip_prefix(prolog).expect(prolog);
    let mut reader = Reader { rest, is_html };
    let root = reader.element();
    assert_eq!(reader.rest, "\n", "after the last element");
    root
}

struct Reader<'a> {
    rest: &'a str,
    /// Whether the exceptions of HTML hold.
    is_html: bool,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) {
        assert!(self.skip(text), "expected {text:?} at {:.80?}", self.rest);
    }

    fn up_to(&mut self, end: Option<usize>) -> &'a str {
        let (taken, rest) = self.rest.split_at(end.expect("an end"));
        self.rest = rest;
        taken
    }

    fn name(&mut self) -> String {
        let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
        let name = self.up_to(self.rest.find(is_end));
        let first = name.chars().next();
        assert!(
            first.is_some_and(|first| first.is_ascii_alphabetic()),
            "{name:?} before {:.80?}",
            self.rest
        );
        name.to_owned()
    }

    fn value(&mut self) -> String {
        if self.is_html && !self.rest.starts_with('=') {
            return String::new();
        }
        self.expect("=\"");
        let value = unescaped(self.up_to(self.rest.find('"')));
        self.expect("\"");
        value
    }

    fn element(&mut self) -> Element {
        self.expect("<");
        let mut element = Element {
            name: self.name(),
            attributes: Vec::new(),
            children: Vec::new(),
        };
        while self.skip(" ") {
            let name = self.name();
            let before = element.find_attribute(&name);
            assert_eq!(before, None, "{name} comes twice in {}", element.name);
            let value = self.value();
            element.attributes.push((name, value));
        }
        let is_one_of = |names: &[&str]| self.is_html && names.contains(&element.name.as_str());
        let (is_empty, is_raw) = (is_one_of(&EMPTY), is_one_of(&RAW));
        if self.skip("/>") || (is_empty && self.skip(">")) {
            return element;
        }
        self.expect(">");
        let end = format!("</{}>", element.name);
        if is_raw {
            let content = self.up_to(self.rest.find("</"));
            element.children.push(Node::Text(content.to_owned()));
            self.expect(&end);
            return element;
        }
        loop {
            let text = unescaped(self.up_to(self.rest.find('<')));
            element.children.push(Node::Text(text));
            if self.skip(&end) {
                return element;
            }
            element.children.push(Node::Element(self.element()));
        }
    }
}
