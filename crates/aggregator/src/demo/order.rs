//! What somebody may order who leads the demo by hand: `raise border`, `end border`, one order a line.

use super::script::{SCRIPT, Trouble};

/// One line on standard input, understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// It begins.
    Raise(Trouble),
    /// It ends, and heals.
    End(Trouble),
}

impl Order {
    /// Reads a line; the error says what there is.
    pub fn read(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let (verb, name, rest) = (words.next(), words.next().unwrap_or_default(), words.next());
        let trouble = SCRIPT.into_iter().find(|trouble| trouble.name() == name);
        match (verb, trouble, rest) {
            (Some("raise"), Some(trouble), None) => Ok(Self::Raise(trouble)),
            (Some("end"), Some(trouble), None) => Ok(Self::End(trouble)),
            _ => Err(format!("'{}' is no order: {}", line.trim(), Self::known())),
        }
    }

    /// All of them, in one sentence.
    pub fn known() -> String {
        let names: Vec<&str> = SCRIPT.iter().map(|trouble| trouble.name()).collect();
        format!("`raise` or `end` one of {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trouble_can_be_raised_and_ended_by_its_name() {
        for trouble in SCRIPT {
            assert_eq!(Order::read(&format!("raise {}", trouble.name())), Ok(Order::Raise(trouble)));
            assert_eq!(Order::read(&format!("  end  {}\n", trouble.name())), Ok(Order::End(trouble)));
        }
    }

    #[test]
    fn what_is_no_order_is_answered_with_those_that_there_are() {
        for line in ["", "raise", "border", "raise nl-1", "raise border now", "RAISE border"] {
            assert!(Order::read(line).is_err_and(|told| told.contains("border, pair")), "{line}");
        }
    }
}
