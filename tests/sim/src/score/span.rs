//! Spans of time, and what they have in common. A list of spans is ascending, and no two of it touch.

use quorate_core::time::Moment;

/// From a moment up to, and without, another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first moment.
    pub from: Moment,
    /// The first moment after.
    pub until: Moment,
}

impl Span {
    /// `None` if nothing is left.
    pub fn new(from: Moment, until: Moment) -> Option<Self> {
        (from < until).then_some(Self { from, until })
    }

    /// Whether the moment lies in it.
    pub fn contains(self, at: Moment) -> bool {
        self.from <= at && at < self.until
    }

    /// What two have in common.
    pub fn overlap(self, other: Self) -> Option<Self> {
        Self::new(self.from.max(other.from), self.until.min(other.until))
    }

    /// How long, in milliseconds.
    pub fn ms(self) -> u64 {
        self.until.as_ms() - self.from.as_ms()
    }
}

/// How long all of them are, in milliseconds.
pub fn total_ms(spans: &[Span]) -> u64 {
    spans.iter().map(|span| span.ms()).sum()
}

/// The span of the list in which the moment lies.
pub fn at(spans: &[Span], moment: Moment) -> Option<Span> {
    let next = spans.partition_point(|span| span.until <= moment);
    spans.get(next).copied().filter(|span| span.contains(moment))
}

/// One list of spans that may overlap, in any order.
pub fn union(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut().filter(|last| span.from <= last.until) {
            Some(last) => last.until = last.until.max(span.until),
            None => merged.push(span),
        }
    }
    merged
}

/// What both lists cover.
pub fn intersection(a: &[Span], b: &[Span]) -> Vec<Span> {
    let (mut i, mut j) = (0, 0);
    let mut common = Vec::new();
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        common.extend(x.overlap(*y));
        if x.until <= y.until { i += 1 } else { j += 1 }
    }
    common
}

/// What the first list covers and the second does not.
pub fn difference(a: &[Span], b: &[Span]) -> Vec<Span> {
    let mut left = Vec::new();
    for span in a {
        let mut from = span.from;
        let first = b.partition_point(|hole| hole.until <= span.from);
        for hole in b[first..].iter().take_while(|hole| hole.from < span.until) {
            left.extend(Span::new(from, hole.from));
            from = from.max(hole.until);
        }
        left.extend(Span::new(from, span.until));
    }
    left
}

/// Many things of which each is on or off, over time.
#[derive(Debug, Clone)]
pub struct Switches {
    on_since: Vec<Option<Moment>>,
    spans: Vec<Vec<Span>>,
}

impl Switches {
    /// `count` things, all off.
    pub fn new(count: usize) -> Self {
        Self { on_since: vec![None; count], spans: vec![Vec::new(); count] }
    }

    /// From this moment on exactly those of the ascending list are on.
    pub fn set(&mut self, at: Moment, on: &[usize]) {
        for which in 0..self.on_since.len() {
            self.turn(at, which, on.binary_search(&which).is_ok());
        }
    }

    fn turn(&mut self, at: Moment, which: usize, on: bool) {
        match (self.on_since[which], on) {
            (None, true) => {
                // What was off for no time at all was not off.
                let touching = self.spans[which].pop_if(|last| last.until == at);
                self.on_since[which] = Some(touching.map_or(at, |last| last.from));
            }
            (Some(since), false) => {
                self.on_since[which] = None;
                self.spans[which].extend(Span::new(since, at));
            }
            (None, false) | (Some(_), true) => {}
        }
    }

    /// When each was on, up to the end.
    pub fn finish(mut self, end: Moment) -> Vec<Vec<Span>> {
        self.set(end, &[]);
        self.spans
    }
}
