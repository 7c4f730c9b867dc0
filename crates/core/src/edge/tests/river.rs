//! A river with bridges: a driver, a resolver and edges, on a clock that jumps from event to event.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use crate::dice::Dice;
use crate::edge::{Chooser, ConnectOrder, Duty, Ended, Memory, Move, Resolution, SAMPLES, Times, Timing, best_of};
use crate::time::Moment;

/// The wall clock is this far ahead of the time since boot.
const WALL_AHEAD: Duration = Duration::from_hours(24 * 365 * 55);

pub fn mins(mins: u64) -> Duration {
    Duration::from_mins(mins)
}

pub fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

pub fn at(span: Duration) -> Moment {
    Moment::ZERO.after(span)
}

pub fn wall(now: Moment) -> Moment {
    now.after(WALL_AHEAD)
}

/// `203.0.113.n`.
pub fn edge(n: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(203, 0, 113, n))
}

pub fn edges(numbers: &[u8]) -> Vec<IpAddr> {
    numbers.iter().copied().map(edge).collect()
}

/// The last byte of an address.
pub fn number(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(address) => address.octets()[3],
        IpAddr::V6(address) => address.octets()[15],
    }
}

pub fn numbers(addresses: &[IpAddr]) -> Vec<u8> {
    addresses.iter().copied().map(number).collect()
}

/// One handshake of that many ms, a third of it for TCP.
pub fn took(ms: u64) -> Times {
    Times::once(Duration::from_millis(ms) / 3, Duration::from_millis(ms))
}

/// What happened, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Measured(Vec<u8>),
    Probed(Vec<u8>),
    Moved(&'static str, u8),
    Opened(u8),
}

pub struct River {
    pub chooser: Chooser,
    pub now: Moment,
    /// What the resolver answers; `None`: it fails.
    pub dns: Option<Vec<IpAddr>>,
    /// What a handshake takes, in microseconds; `None`: it is not completed.
    pub bridges: BTreeMap<IpAddr, Option<u64>>,
    /// One handshake in so many takes five times as long, and all vary by 5 %; 0: none does.
    pub spikes: u64,
    pub session: Option<IpAddr>,
    pub events: Vec<(Moment, Event)>,
    /// When the resolver was asked beside a session.
    pub resolved: Vec<Moment>,
    timing: Timing,
    seed: u64,
    noise: Dice,
}

impl River {
    /// An agent that knows nothing, and edges 1, 2, … with these handshake times in ms.
    pub fn new(ms: &[u64], seed: u64) -> Self {
        let timing = Timing::default();
        let numbered = (1..).zip(ms);
        let bridges: BTreeMap<IpAddr, Option<u64>> =
            numbered.map(|(number, ms)| (edge(number), Some(ms * 1000))).collect();
        Self {
            chooser: Chooser::new(&Memory::default(), timing, seed, Moment::ZERO, wall(Moment::ZERO)),
            now: Moment::ZERO,
            dns: Some(bridges.keys().copied().collect()),
            bridges,
            spikes: 0,
            session: None,
            events: Vec::new(),
            resolved: Vec::new(),
            timing,
            seed,
            noise: Dice::new(seed, 0x7269_7665_7200),
        }
    }

    /// An agent that has measured its edges and sits on the nearest; the record begins here.
    pub fn settled(ms: &[u64], seed: u64) -> Self {
        let mut river = Self::new(ms, seed);
        river.connect();
        river.run(mins(30));
        river.restart();
        river.run(mins(30));
        river.events.clear();
        river.resolved.clear();
        river
    }

    /// The agent's process ends and begins anew.
    pub fn restart(&mut self) {
        self.restart_after(Duration::ZERO);
    }

    pub fn restart_after(&mut self, away: Duration) {
        let memory = self.chooser.memory(self.now, wall(self.now));
        self.now = self.now.after(away);
        self.chooser = Chooser::new(&memory, self.timing, self.seed + 1000, self.now, wall(self.now));
        self.connect();
    }

    /// One attempt: the first in order that answers has the session.
    pub fn connect(&mut self) {
        self.resolve();
        let order = self.chooser.connect_order().addresses();
        self.session = order.into_iter().find(|address| self.bridges.get(address).is_some_and(Option::is_some));
        if let Some(address) = self.session {
            self.chooser.handle_opened(address, self.now);
            self.events.push((self.now, Event::Opened(number(address))));
        }
    }

    /// The session breaks, and the agent connects again.
    pub fn break_session(&mut self) {
        self.chooser.handle_ended(Ended::Error, self.now);
        self.connect();
    }

    pub fn kill(&mut self, number: u8) {
        self.bridges.insert(edge(number), None);
        if self.session == Some(edge(number)) {
            self.break_session();
        }
    }

    pub fn set(&mut self, number: u8, ms: u64) {
        self.bridges.insert(edge(number), Some(ms * 1000));
    }

    /// Lets time pass.
    pub fn run(&mut self, span: Duration) {
        let until = self.now.after(span);
        loop {
            while let Some(duty) = self.chooser.poll_duty() {
                self.act(duty);
            }
            let next = self.chooser.poll_timeout().unwrap_or(Moment::MAX);
            assert!(next > self.now, "a busy loop");
            self.now = next.min(until);
            self.chooser.handle_tick(self.now);
            if next > until {
                return;
            }
        }
    }

    /// Lets time pass until something happens that is asked for.
    pub fn run_until(&mut self, wanted: impl Fn(&Event) -> bool) -> Moment {
        let from = self.events.len();
        for _ in 0..100_000 {
            self.run(secs(1));
            if let Some((at, _)) = self.events[from..].iter().find(|(_, event)| wanted(event)) {
                return *at;
            }
        }
        panic!("it does not happen: {}", self.told());
    }

    pub fn moves(&self) -> Vec<(&'static str, u8)> {
        let moved = |event: &Event| if let Event::Moved(reason, to) = event { Some((*reason, *to)) } else { None };
        self.events.iter().filter_map(|(_, event)| moved(event)).collect()
    }

    pub fn rounds(&self) -> Vec<(Moment, &[u8])> {
        self.events
            .iter()
            .filter_map(|(at, event)| match event {
                Event::Measured(numbers) | Event::Probed(numbers) => Some((*at, numbers.as_slice())),
                Event::Moved(..) | Event::Opened(_) => None,
            })
            .collect()
    }

    /// The numbers in the order in which they would be dialled.
    pub fn order(&self) -> Vec<u8> {
        numbers(&self.chooser.connect_order().addresses())
    }

    pub fn has_choice(&self) -> bool {
        matches!(self.chooser.connect_order(), ConnectOrder::Ranked(_))
    }

    pub fn told(&self) -> String {
        let line = |(at, event): &(Moment, Event)| {
            let s = at.as_ms() / 1000;
            let told = match event {
                Event::Measured(numbers) => format!("measured {numbers:?}"),
                Event::Probed(numbers) => format!("probed {numbers:?}"),
                Event::Moved(reason, to) => format!("{reason} to {to}"),
                Event::Opened(number) => format!("session through {number}"),
            };
            format!("{}:{:02}:{:02}  {told}\n", s / 3600, s / 60 % 60, s % 60)
        };
        self.events.iter().map(line).collect::<Vec<_>>().concat()
    }

    fn resolve(&mut self) {
        let resolution = self.dns.clone().map_or(Resolution::Failed, Resolution::Addresses);
        self.chooser.handle_resolved(resolution, self.now);
    }

    fn act(&mut self, duty: Duty) {
        match duty {
            Duty::Resolve => {
                self.resolved.push(self.now);
                self.resolve();
            }
            Duty::Measure { addresses } => {
                let results: Vec<_> = addresses
                    .iter()
                    .map(|address| {
                        let samples: Vec<_> = (0..SAMPLES).map(|_| self.handshake(*address)).collect();
                        (*address, best_of(&samples))
                    })
                    .collect();
                self.events.push((self.now, Event::Measured(numbers(&addresses))));
                self.chooser.handle_measured(&results, self.now);
            }
            Duty::Probe { addresses } => {
                let results: Vec<_> = addresses.iter().map(|address| (*address, self.handshake(*address))).collect();
                self.events.push((self.now, Event::Probed(numbers(&addresses))));
                self.chooser.handle_probed(&results, self.now);
            }
            Duty::Move(Move { reason, to }) => {
                self.events.push((self.now, Event::Moved(reason.as_str(), number(to))));
                self.chooser.handle_ended(Ended::Planned, self.now);
                self.connect();
            }
        }
    }

    fn handshake(&mut self, address: IpAddr) -> Option<Times> {
        let us = (*self.bridges.get(&address)?)?;
        let us = match self.spikes {
            0 => us,
            one_in => {
                let us = us * (1000 + self.noise.below(50)) / 1000;
                if self.noise.below(one_in) == 0 { us * 5 } else { us }
            }
        };
        Some(Times::once(Duration::from_micros(us / 3), Duration::from_micros(us)))
    }
}
