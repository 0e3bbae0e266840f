//! The words and operators of a script.

use super::Word;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    Newline,
    Semicolon,
    /// `;;`, between the alternatives of `case`.
    CaseEnd,
    Ampersand,
    And,
    Or,
    Pipe,
    Open,
    Close,
}

/// The tokens of a script, without comments, redirections and here-documents; `None` if a quote is not closed.
pub(super) fn tokens(script: &str) -> Option<Vec<Token>> {
    let mut reader = Reader {
        script,
        at: 0,
        documents: Vec::new(),
    };
    let mut tokens = Vec::new();
    while let Some(next) = reader.peek() {
        let token = match next {
            ' ' | '\t' | '\r' => {
                reader.skip(1);
                continue;
            }
            '\\' if reader.rest().starts_with("\\\n") => {
                reader.skip(2);
                continue;
            }
            '#' => {
                let end = reader.rest().find('\n');
                reader.skip(end.unwrap_or(reader.rest().len()));
                continue;
            }
            '\n' => {
                reader.skip(1);
                reader.skip_documents();
                Token::Newline
            }
            ';' => {
                let is_case_end = [";;&", ";;", ";&"]
                    .into_iter()
                    .find(|end| reader.rest().starts_with(end));
                reader.skip(is_case_end.map_or(1, str::len));
                is_case_end.map_or(Token::Semicolon, |_| Token::CaseEnd)
            }
            '&' if reader.rest().starts_with("&>") => {
                reader.redirection()?;
                continue;
            }
            '&' if reader.take("&&") => Token::And,
            '&' => {
                reader.skip(1);
                Token::Ampersand
            }
            '|' if reader.take("||") => Token::Or,
            '|' => {
                let _ = reader.take("|&") || reader.take("|");
                Token::Pipe
            }
            '(' => {
                reader.skip(1);
                Token::Open
            }
            ')' => {
                reader.skip(1);
                Token::Close
            }
            '<' | '>' => {
                reader.redirection()?;
                continue;
            }
            _ => {
                let word = reader.word()?;
                let is_descriptor =
                    !word.is_quoted && word.text.bytes().all(|byte| byte.is_ascii_digit());
                if is_descriptor && matches!(reader.peek(), Some('<' | '>')) {
                    reader.redirection()?;
                    continue;
                }
                Token::Word(word)
            }
        };
        tokens.push(token);
    }
    Some(tokens)
}

struct Reader<'s> {
    script: &'s str,
    at: usize,
    /// The ends of the here-documents that begin on the next line, and whether tabs before them are ignored.
    documents: Vec<(String, bool)>,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        self.script.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.skip(text.len());
        }
        is_next
    }

    fn skip_documents(&mut self) {
        for (end, ignores_tabs) in std::mem::take(&mut self.documents) {
            while !self.rest().is_empty() {
                let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
                self.skip(line.len());
                let line = line.trim_end_matches(['\n', '\r']);
                let line = if ignores_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line == end {
                    break;
                }
            }
        }
    }

    /// Skips `>file`, `2>&1`, `<<EOF` and their like, with the word after them.
    fn redirection(&mut self) -> Option<()> {
        const OPERATORS: [&str; 12] = [
            "&>>", "<<<", "<<-", "&>", "<<", ">>", ">|", ">&", "<&", "<>", ">", "<",
        ];
        let operator = OPERATORS
            .into_iter()
            .find(|operator| self.rest().starts_with(operator))?;
        self.skip(operator.len());
        if self.peek() == Some('(') && matches!(operator, "<" | ">") {
            // The output of a command as a file.
            return self.nested(')');
        }
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.skip(1);
        }
        if ["<(", ">("]
            .into_iter()
            .any(|sign| self.rest().starts_with(sign))
        {
            self.skip(1);
            return self.nested(')');
        }
        let word = self.word()?;
        if matches!(operator, "<<" | "<<-") {
            self.documents.push((word.text, operator == "<<-"));
        }
        Some(())
    }

    /// A word, which ends before a blank or an operator.
    fn word(&mut self) -> Option<Word> {
        let mut word = Word {
            text: String::new(),
            at: self.at,
            is_quoted: false,
        };
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => {
                    self.skip(1);
                    let escaped = self.peek();
                    if let Some(escaped) = escaped {
                        self.skip(escaped.len_utf8());
                        if escaped != '\n' {
                            word.text.push(escaped);
                        }
                    }
                    word.is_quoted = true;
                }
                '\'' => {
                    self.skip(1);
                    let (quoted, _) = self.rest().split_once('\'')?;
                    word.text.push_str(quoted);
                    self.skip(quoted.len() + 1);
                    word.is_quoted = true;
                }
                '"' => {
                    self.skip(1);
                    self.double_quoted(&mut word.text)?;
                    word.is_quoted = true;
                }
                '$' | '`' => self.expansion(&mut word.text)?,
                other => {
                    word.text.push(other);
                    self.skip(other.len_utf8());
                }
            }
        }
        // An operator that is not allowed here would never end.
        (self.at > word.at).then_some(word)
    }

    fn double_quoted(&mut self, text: &mut String) -> Option<()> {
        loop {
            match self.peek()? {
                '"' => {
                    self.skip(1);
                    return Some(());
                }
                '\\' => {
                    self.skip(1);
                    let escaped = self.peek()?;
                    self.skip(escaped.len_utf8());
                    if escaped != '\n' {
                        text.push(escaped);
                    }
                }
                '$' | '`' => self.expansion(text)?,
                other => {
                    text.push(other);
                    self.skip(other.len_utf8());
                }
            }
        }
    }

    /// `$(…)`, `${…}`, a backquoted command, or only the character.
    fn expansion(&mut self, text: &mut String) -> Option<()> {
        let start = self.at;
        let is_quote = self.peek()? == '`';
        self.skip(1);
        if is_quote {
            let length = self.rest().find('`')? + 1;
            self.skip(length);
        } else {
            match self.peek() {
                Some('(') => self.nested(')')?,
                Some('{') => self.nested('}')?,
                _ => {}
            }
        }
        text.push_str(self.script.get(start..self.at)?);
        Some(())
    }

    /// Skips what is in parentheses or braces, which may contain quotes and more of them.
    fn nested(&mut self, close: char) -> Option<()> {
        let open = self.peek()?;
        self.skip(1);
        let mut depth = 1_usize;
        while depth > 0 {
            let next = self.peek()?;
            self.skip(next.len_utf8());
            match next {
                _ if next == open => depth += 1,
                _ if next == close => depth -= 1,
                '\\' => {
                    let escaped = self.peek()?;
                    self.skip(escaped.len_utf8());
                }
                // In `${x:-it's}` it is only a character.
                '\'' if close == ')' => {
                    let (quoted, _) = self.rest().split_once('\'')?;
                    self.skip(quoted.len() + 1);
                }
                '"' if close == ')' => self.quoted_inside()?,
                _ => {}
            }
        }
        Some(())
    }

    /// Skips a text in double quotes. Parentheses in it do not count, except for a nested command with quotes of its own.
    fn quoted_inside(&mut self) -> Option<()> {
        let mut inside = 0_usize;
        loop {
            let next = self.peek()?;
            self.skip(next.len_utf8());
            match next {
                '\\' => {
                    let escaped = self.peek()?;
                    self.skip(escaped.len_utf8());
                }
                '$' if self.take("(") => inside += 1,
                ')' if inside > 0 => inside -= 1,
                '"' if inside == 0 => return Some(()),
                _ => {}
            }
        }
    }
}
