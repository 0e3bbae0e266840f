//! Shell scripts, as far as it takes to know where an exit code is lost.
//!
//! This is no shell: quotes are removed and expansions are kept as text. A script that it cannot parse is `None`, and
//! nothing is reported about it.

mod tokens;

use tokens::{Token, tokens};

/// A word without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    /// Where it begins in the script.
    pub at: usize,
    /// Whether a part of it was quoted, so that it is not a keyword.
    pub is_quoted: bool,
}

/// Commands that run one after another.
pub(super) type List = Vec<Chain>;

/// Pipelines that are connected by `&&` and `||`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub first: Pipeline,
    pub rest: Vec<(Connector, Pipeline)>,
    pub in_background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connector {
    And,
    Or,
}

/// Commands that are connected by `|`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub commands: Vec<Command>,
    pub is_negated: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// The words, without redirections.
    Simple(Vec<Word>),
    /// `if`, `while` and `until`: what is tested, and the alternatives.
    Conditional {
        conditions: Vec<List>,
        bodies: Vec<List>,
    },
    /// `for` and `case`, braces and parentheses: one of the lists is the last that runs.
    Group(Vec<List>),
    Function {
        name: String,
        body: Box<Command>,
    },
}

/// The deepest nesting.
const DEEPEST: usize = 40;

/// The longest script that is parsed.
const LONGEST: usize = 200_000;

/// Parses a script.
pub(super) fn parse(script: &str) -> Option<List> {
    if script.len() > LONGEST {
        return None;
    }
    let tokens = tokens(script)?;
    let mut parser = Parser {
        tokens: &tokens,
        depth: 0,
    };
    let list = parser.list()?;
    parser.tokens.is_empty().then_some(list)
}

struct Parser<'t> {
    tokens: &'t [Token],
    depth: usize,
}

/// What ends a list of commands inside of another command.
const ENDS: [&str; 9] = [
    "then", "elif", "else", "fi", "do", "done", "esac", "}", ";;",
];

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.first()
    }

    fn next(&mut self) -> Option<Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first.clone())
    }

    fn take(&mut self, token: &Token) -> bool {
        let is_next = self.peek() == Some(token);
        if is_next {
            self.tokens = self.tokens.get(1..).unwrap_or_default();
        }
        is_next
    }

    /// The next word, if it may be a keyword.
    fn keyword(&self) -> Option<&str> {
        match self.peek()? {
            Token::Word(word) if !word.is_quoted => Some(&word.text),
            Token::CaseEnd => Some(";;"),
            _ => None,
        }
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let is_next = self.keyword() == Some(keyword);
        if is_next {
            self.tokens = self.tokens.get(1..).unwrap_or_default();
        }
        is_next
    }

    fn skip_to(&mut self, keyword: &str) -> Option<()> {
        while !self.take_keyword(keyword) {
            self.next()?;
        }
        Some(())
    }

    fn skip_lines(&mut self) {
        while self.take(&Token::Newline) {}
    }

    fn list(&mut self) -> Option<List> {
        let mut list = Vec::new();
        loop {
            while self.take(&Token::Newline) || self.take(&Token::Semicolon) {}
            let ends = self.keyword().is_some_and(|word| ENDS.contains(&word));
            if ends || matches!(self.peek(), None | Some(Token::Close)) {
                break;
            }
            let mut chain = self.chain()?;
            chain.in_background = self.take(&Token::Ampersand);
            let is_separated = chain.in_background
                || matches!(
                    self.peek(),
                    None | Some(Token::Newline | Token::Semicolon | Token::Close | Token::CaseEnd)
                )
                || self.keyword().is_some_and(|word| ENDS.contains(&word));
            if !is_separated {
                return None;
            }
            list.push(chain);
        }
        Some(list)
    }

    fn chain(&mut self) -> Option<Chain> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let connector = if self.take(&Token::And) {
                Connector::And
            } else if self.take(&Token::Or) {
                Connector::Or
            } else {
                break;
            };
            self.skip_lines();
            rest.push((connector, self.pipeline()?));
        }
        Some(Chain {
            first,
            rest,
            in_background: false,
        })
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let is_negated = self.take_keyword("!");
        let mut commands = vec![self.command()?];
        while self.take(&Token::Pipe) {
            self.skip_lines();
            commands.push(self.command()?);
        }
        Some(Pipeline {
            commands,
            is_negated,
        })
    }

    fn command(&mut self) -> Option<Command> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let command = self.command_here();
        self.depth -= 1;
        command
    }

    fn command_here(&mut self) -> Option<Command> {
        if self.take(&Token::Open) {
            let list = self.list()?;
            return self.take(&Token::Close).then(|| Command::Group(vec![list]));
        }
        let keyword = self.keyword().unwrap_or_default().to_owned();
        match keyword.as_str() {
            "{" => {
                self.next();
                let list = self.list()?;
                self.take_keyword("}").then(|| Command::Group(vec![list]))
            }
            "if" => self.if_command(),
            "while" | "until" => {
                self.next();
                let conditions = vec![self.list()?];
                let bodies = vec![self.loop_body()?];
                Some(Command::Conditional { conditions, bodies })
            }
            "for" | "select" => {
                self.skip_to("do")?;
                let body = self.list()?;
                self.take_keyword("done")
                    .then(|| Command::Group(vec![body]))
            }
            "case" => self.case_command(),
            "function" => {
                self.next();
                let Token::Word(name) = self.next()? else {
                    return None;
                };
                if self.take(&Token::Open) && !self.take(&Token::Close) {
                    return None;
                }
                self.function(name.text)
            }
            "[[" => self.test_command(),
            word if ENDS.contains(&word) => None,
            _ => self.simple(),
        }
    }

    fn loop_body(&mut self) -> Option<List> {
        if !self.take_keyword("do") {
            return None;
        }
        let body = self.list()?;
        self.take_keyword("done").then_some(body)
    }

    fn if_command(&mut self) -> Option<Command> {
        let (mut conditions, mut bodies) = (Vec::new(), Vec::new());
        while self.take_keyword("if") || self.take_keyword("elif") {
            conditions.push(self.list()?);
            if !self.take_keyword("then") {
                return None;
            }
            bodies.push(self.list()?);
        }
        if self.take_keyword("else") {
            bodies.push(self.list()?);
        }
        let command = Command::Conditional { conditions, bodies };
        self.take_keyword("fi").then_some(command)
    }

    fn case_command(&mut self) -> Option<Command> {
        self.skip_to("in")?;
        let mut bodies = Vec::new();
        loop {
            self.skip_lines();
            if self.take_keyword("esac") {
                return Some(Command::Group(bodies));
            }
            while !self.take(&Token::Close) {
                self.next()?;
            }
            bodies.push(self.list()?);
            self.take(&Token::CaseEnd);
        }
    }

    fn function(&mut self, name: String) -> Option<Command> {
        self.skip_lines();
        let body = Box::new(self.command()?);
        Some(Command::Function { name, body })
    }

    /// Within double brackets, operators have another meaning.
    fn test_command(&mut self) -> Option<Command> {
        let mut words = Vec::new();
        loop {
            if let Token::Word(word) = self.next()? {
                let is_last = word.text == "]]";
                words.push(word);
                if is_last {
                    return Some(Command::Simple(words));
                }
            }
        }
    }

    fn simple(&mut self) -> Option<Command> {
        let mut words: Vec<Word> = Vec::new();
        while let Some(Token::Word(word)) = self.peek() {
            words.push(word.clone());
            self.next();
            if let [name] = words.as_slice()
                && self.take(&Token::Open)
            {
                let name = name.text.clone();
                return if self.take(&Token::Close) {
                    self.function(name)
                } else {
                    None
                };
            }
        }
        (!words.is_empty()).then_some(Command::Simple(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The structure in one line: lists in brackets, words with spaces in quotes.
    fn shown(script: &str) -> String {
        fn list(list: &List) -> String {
            let chains = list.iter().map(|chain| {
                let mut text = pipeline(&chain.first);
                for (connector, next) in &chain.rest {
                    let sign = if *connector == Connector::And {
                        "&&"
                    } else {
                        "||"
                    };
                    text += &format!(" {sign} {}", pipeline(next));
                }
                text + if chain.in_background { " &" } else { "" }
            });
            format!("[{}]", chains.collect::<Vec<_>>().join("; "))
        }
        fn lists(all: &[List]) -> String {
            all.iter().map(list).collect()
        }
        fn pipeline(pipeline: &Pipeline) -> String {
            let commands: Vec<String> = pipeline.commands.iter().map(shown_command).collect();
            let not = if pipeline.is_negated { "! " } else { "" };
            format!("{not}{}", commands.join(" | "))
        }
        fn shown_command(command: &Command) -> String {
            match command {
                Command::Simple(words) => {
                    let words = words.iter().map(|word| {
                        if word.text.contains([' ', '\n']) {
                            format!("'{}'", word.text)
                        } else {
                            word.text.clone()
                        }
                    });
                    words.collect::<Vec<_>>().join(" ")
                }
                Command::Conditional { conditions, bodies } => {
                    format!("if{}{}", lists(conditions), lists(bodies))
                }
                Command::Group(bodies) => format!("group{}", lists(bodies)),
                Command::Function { name, body } => format!("{name}()={}", shown_command(body)),
            }
        }
        parse(script).map_or_else(|| "?".to_owned(), |parsed| list(&parsed))
    }

    #[test]
    fn scripts_are_parsed_into_commands() {
        for (script, expected) in [
            ("", "[]"),
            ("a b; c & d", "[a b; c &; d]"),
            ("a && b || c\n! d | e |\n f", "[a && b || c; ! d | e | f]"),
            ("a \\\n  --b # c\nd", "[a --b; d]"),
            (
                "a 'b c' \"d $(e \"f g\") h\" $(i | j) `k l`",
                "[a 'b c' 'd $(e \"f g\") h' '$(i | j)' '`k l`']",
            ),
            (
                "a >b 2>&1 <c; d &>e; f >>g 2>/dev/null | h",
                "[a; d; f | h]",
            ),
            (
                "cat <<EOF >f\na | b\nEOF\nc <<-'X' | d\n\tif\n\tX\ne",
                "[cat; c | d; e]",
            ),
            ("a <<< \"b\"", "[a]"),
            (
                "if a; then b; elif c\nthen d; else e; fi",
                "[if[a][c][b][d][e]]",
            ),
            ("while read x; do a; done < f", "[if[read x][a]]"),
            ("for x in a b; do c; done", "[group[c]]"),
            ("for x\ndo c\ndone", "[group[c]]"),
            (
                "case $x in a|b) c ;; (d) e;; *) f\nesac",
                "[group[c][e][f]]",
            ),
            (
                "f() { a; }\nfunction g {\n b\n}\nf",
                "[f()=group[a]; g()=group[b]; f]",
            ),
            ("( a; b ) | c; { d; }", "[group[a; b] | c; group[d]]"),
            (
                "[[ $a == b && ( -z $c || d < e ) ]] && f",
                "[[[ $a == b -z $c d ]] && f]",
            ),
            ("echo if then done; a=b c", "[echo if then done; a=b c]"),
            (
                "a ${b:-c d} $((1 + 2)) \"${e# }\"",
                "[a '${b:-c d}' '$((1 + 2))' '${e# }']",
            ),
            ("a#b 'c#' #d", "[a#b c#]"),
        ] {
            assert_eq!(shown(script), expected, "{script}");
        }
    }

    #[test]
    fn what_is_no_script_is_not_parsed() {
        for script in [
            "if a; then b",
            "done",
            "a 'b",
            "a \"b",
            "a $(b",
            "a )",
            "( a",
            "a | ",
            "a && ",
            "f( a",
            "case a in b) c",
            "for x in",
            "while",
            "{ a",
            "function",
            "[[ a",
        ] {
            assert_eq!(shown(script), "?", "{script}");
        }
        assert_eq!(shown(&"(".repeat(10_000)), "?");
        assert_eq!(shown(&"if ".repeat(10_000)), "?");
        assert_eq!(shown(&"f() ".repeat(10_000)), "?");
        assert_eq!(shown(&"$(".repeat(10_000)), "?");
    }
}
