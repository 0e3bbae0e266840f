//! How a screen is divided.

/// How large a screen is, and what of it goes to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: u16,
    /// Lines.
    pub height: u16,
}

impl Size {
    /// Below that nothing useful can be shown.
    pub const LEAST: Size = Size {
        width: 40,
        height: 10,
    };
    /// From this width on the timeline has room beside the table.
    const WIDE: u16 = 120;
    /// The two lines at the top.
    pub const HEAD: u16 = 2;

    /// Whether anything can be shown at all.
    pub fn is_enough(self) -> bool {
        self.width >= Self::LEAST.width && self.height >= Self::LEAST.height
    }

    /// Whether the timeline has room beside the table.
    pub fn is_wide(self) -> bool {
        self.width >= Self::WIDE
    }

    /// Lines for what was found about the selected row, with the rule above them.
    pub fn findings(self) -> u16 {
        match self.height {
            0..14 => 0,
            14..20 => 4,
            height => (height / 4).min(12),
        }
    }

    /// Lines for rows: all but the head, the headings, the findings and the foot.
    pub fn rows(self) -> usize {
        let others = Self::HEAD + 1 + self.findings() + 1;
        usize::from(self.height.saturating_sub(others))
    }

    /// Lines for a text that takes the whole page: all but the head, the title and the foot.
    pub fn page(self) -> usize {
        usize::from(self.height.saturating_sub(Self::HEAD + 2))
    }

    /// Lines for what a dialog tells: all but the head, the title, a question and the foot.
    pub fn dialog(self) -> usize {
        usize::from(self.height.saturating_sub(Self::HEAD + 3))
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn what_a_usual_terminal_has_room_for() {
        let usual = Size {
            width: 80,
            height: 24,
        };
        assert_eq!((usual.findings(), usual.rows(), usual.page()), (6, 14, 20));
        let least = Size::LEAST;
        assert_eq!((least.findings(), least.rows(), least.page()), (0, 6, 6));
        assert!(least.is_enough() && !least.is_wide());
    }
}
