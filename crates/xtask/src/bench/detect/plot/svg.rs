//! A few shapes in SVG. Colours are named by classes, which a style in the file gives for light and for dark.

use std::fmt::Write as _;

/// Which end of a text lies at its place.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture under way.
pub struct Drawing(String);

/// An image in a page knows no colours of the page: only what its reader prefers.
const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600;font-size:14px}\
.grid{stroke:#d0d7de;stroke-width:1}.cell{fill:#cf222e}.none{fill:#1a7f37;fill-opacity:.18}\
.ours{stroke:#1a7f37;fill:#1a7f37;stroke-width:4}.rival{stroke:#6e7781;fill:#6e7781;stroke-width:3}\
.documented{stroke:#6e7781;fill:none;stroke-width:1.5}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#3d444d}.cell{fill:#f85149}\
.none{fill:#3fb950;fill-opacity:.25}.ours{stroke:#3fb950;fill:#3fb950}.rival{stroke:#9198a1;fill:#9198a1}\
.documented{stroke:#9198a1}}";

impl Drawing {
    /// An empty one with its title.
    pub fn new((width, height): (f64, f64), title: &str) -> Self {
        let mut drawing = Self(String::new());
        let title = escaped(title);
        drawing.put(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\"><title>{title}</title><style>{STYLE}</style>\
             <text class=\"title\" x=\"10\" y=\"22\">{title}</text>"
        ));
        drawing
    }

    fn put(&mut self, shape: &str) {
        writeln!(self.0, "{shape}").expect("a String takes text");
    }

    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.put(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(text)));
    }

    /// Text that climbs, for the head of a narrow column.
    pub fn slanted(&mut self, (x, y): (f64, f64), text: &str) {
        self.put(&format!("<text transform=\"translate({x:.1} {y:.1}) rotate(-60)\">{}</text>", escaped(text)));
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.put(&format!(
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    pub fn dot(&mut self, (x, y): (f64, f64), class: &str) {
        self.put(&format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"));
    }

    /// The redder, the larger the share; green if it is nothing.
    pub fn cell(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), share: f64) {
        let fill = if share == 0.0 {
            "class=\"none\"".to_owned()
        } else {
            format!("class=\"cell\" fill-opacity=\"{:.2}\"", 0.15 + 0.75 * share)
        };
        self.put(&format!(
            "<rect {fill} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\"/>"
        ));
    }

    /// The file.
    pub fn finish(self) -> String {
        self.0 + "</svg>\n"
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
