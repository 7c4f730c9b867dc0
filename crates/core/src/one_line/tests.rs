use alloc::string::ToString;

use super::OneLine;

#[test]
fn nothing_ends_the_line_or_reaches_the_terminal() {
    for (words, shown) in [
        ("", ""),
        ("nl-1", "nl-1"),
        ("it's \"日本\" \\", "it's \"日本\" \\"),
        ("a\nb\r\n", "a\\nb\\r\\n"),
        ("\u{1b}[31mred", "\\u{1b}[31mred"),
        ("tab\there\0", "tab\\there\\u{0}"),
        ("\u{2028}x\u{2029}\u{85}", "\\u{2028}x\\u{2029}\\u{85}"),
    ] {
        assert_eq!(OneLine(words).to_string(), shown);
    }
}

#[test]
fn what_is_put_together_is_one_line_too() {
    assert_eq!(OneLine(format_args!("{}: {}", "a\n", 7)).to_string(), "a\\n: 7");
}
