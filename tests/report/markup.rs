//! A reader of pages that refuses what is not well-formed: every element is closed in its turn, every
//! attribute is quoted and comes once, and nothing that opens or ends markup stands in a text.

use crate::support::entities::unescaped;

/// Elements that have no content, and no end.
const EMPTY: [&str; 3] = ["meta", "link", "input"];
/// Elements whose content is not markup.
const RAW: [&str; 2] = ["script", "style"];

/// An element.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Node>,
}

#[derive(Debug)]
enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All elements of a name inside this one, in order.
    pub(crate) fn all(&self, name: &str) -> Vec<&Element> {
        let mut found = Vec::new();
        for child in &self.children {
            if let Node::Element(child) = child {
                found.extend((child.name == name).then_some(child));
                found.extend(child.all(name));
            }
        }
        found
    }

    /// The only one with an attribute of a value.
    pub(crate) fn only(&self, name: &str, attribute: &str, value: &str) -> &Element {
        let all = self.all(name).into_iter();
        let mut all = all.filter(|found| found.attribute(attribute) == Some(value));
        let only = all
            .next()
            .unwrap_or_else(|| panic!("no {name} {attribute}={value}"));
        assert!(
            all.next().is_none(),
            "more than one {name} {attribute}={value}"
        );
        only
    }

    pub(crate) fn text(&self) -> String {
        let of = |child: &Node| match child {
            Node::Element(element) => element.text(),
            Node::Text(text) => text.clone(),
        };
        self.children.iter().map(of).collect()
    }
}

/// The element `html` of a page.
pub(crate) fn parse(page: &str) -> Element {
    let rest = page.strip_prefix("<!doctype html>\n").expect("a doctype");
    let mut reader = Reader { rest };
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
        assert!(self.skip(text), "expected {text:?} at {:.80?}", self.rest);
    }

    fn up_to(&mut self, end: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn name(&mut self) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let end = self.rest.find(|c| !is_part(c)).expect("an end");
        let name = self.up_to(end);
        assert!(
            name.starts_with(|c: char| c.is_ascii_alphabetic()),
            "{:.80?}",
            self.rest
        );
        name.to_owned()
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
            assert_eq!(element.attribute(&name), None, "twice in {}", element.name);
            let value = if self.skip("=\"") {
                let end = self.rest.find('"').expect("the end of a value");
                let value = unescaped(self.up_to(end));
                self.expect("\"");
                value
            } else {
                String::new()
            };
            element.attributes.push((name, value));
        }
        if self.skip("/>") || (EMPTY.contains(&element.name.as_str()) && self.skip(">")) {
            return element;
        }
        self.expect(">");
        let end = format!("</{}>", element.name);
        if RAW.contains(&element.name.as_str()) {
            let length = self.rest.find("</").expect("an end");
            element
                .children
                .push(Node::Text(self.up_to(length).to_owned()));
            self.expect(&end);
            return element;
        }
        loop {
            let length = self.rest.find('<').expect("a tag");
            let text = unescaped(self.up_to(length));
            element.children.push(Node::Text(text));
            if self.skip(&end) {
                return element;
            }
            element.children.push(Node::Element(self.element()));
        }
    }
}
