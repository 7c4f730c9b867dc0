//! What can happen to a fleet, as a closed list: a failing run is a list of these, and so is a pinned one.

use proptest::prelude::*;

/// A server of the simulated fleet, by number.
pub type Who = u8;

/// How many servers the fleet has.
pub const SERVERS: u8 = 6;
/// How many edges lead to the gateway.
pub const EDGES: u8 = 2;

/// One thing that happens. Times are simulated seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Time passes; agents end their rounds.
    Pass { s: u16 },

    /// SIGKILL, and whoever supervises the agent waits for [`Operation::StartAgent`].
    KillAgent { who: Who },
    /// SIGKILL in the middle of writing the last letter: it never got its name.
    KillAgentWriting { who: Who },
    /// SIGKILL, and a disk that lost the end of the last letter.
    TearLetter { who: Who },
    /// SIGTERM.
    StopAgent { who: Who },
    /// It starts, unless it runs.
    StartAgent { who: Who },
    /// The machine starts anew, and its agent with it.
    Reboot { who: Who },
    /// How the agent's disk takes what is written.
    Disk { who: Who, mood: Mood },
    /// Its wall clock jumps.
    AgentWall { who: Who, by_s: i32 },

    /// The connection breaks.
    Cut { who: Who },
    /// It breaks after so many more bytes from the agent, which may be in the middle of a report.
    CutUp { who: Who, bytes: u16 },
    /// It breaks after so many more bytes to the agent, which may be in the middle of a receipt.
    CutDown { who: Who, bytes: u16 },
    /// What the agent sends gets stuck at the edge. Its own end breaks after half the time, and it dials anew; after all of
    /// it the gateway gets what was stuck, late.
    Stick { who: Who, s: u8 },
    /// Both directions swallow everything, and nobody says so.
    Swallow { who: Who },
    /// How an edge is from here on.
    Edge { edge: u8, manner: Manner },

    /// SIGKILL, until [`Operation::StartAggregator`].
    KillAggregator,
    /// SIGTERM, until [`Operation::StartAggregator`].
    StopAggregator,
    /// It starts, unless it runs.
    StartAggregator,
    /// It dies at one of its next calls of the store, done or not, and is started anew soon.
    DieAt { call: u8, done: bool },
    /// How the store takes its next calls.
    Store { calls: u8, mood: StoreMood },
    /// The aggregator's wall clock jumps.
    AggregatorWall { by_s: i32 },

    /// No server of a country reaches this one any more.
    Block { country: u8, target: Who },
    /// A server reaches nobody any more.
    Blind { who: Who },
    /// A server says that it is down.
    Down { who: Who },
    /// All that is good again.
    Clear,

    /// Somebody changes the inventory.
    Inventory { who: Who, change: Change },
}

/// How a disk takes what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// It takes it.
    Well,
    /// There is no room.
    Full,
    /// It takes it, and says that it did not.
    Unsure,
}

/// How an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// It forwards.
    Well,
    /// It refuses connections, and drops those it has.
    Gone,
    /// It answers nothing, and swallows what it has.
    Silent,
}

/// How the store takes a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreMood {
    /// It refuses it.
    Refuses,
    /// It does it, and the answer is lost.
    Unheard,
    /// It takes so many seconds.
    Slow { s: u8 },
}

/// A change of the inventory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The server has another address.
    Readdress,
    /// It is removed.
    Remove,
    /// It is watched, probed and delivered, whatever it was before.
    Activate,
    /// It is watched and not delivered.
    Drain,
    /// Nothing is wanted of it.
    Disable,
}

/// Lists of so many operations.
pub fn lists(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Operation>> {
    proptest::collection::vec(any_operation(), length)
}

fn any_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        14 => prop_oneof![3 => 1u16..45, 1 => 45u16..400].prop_map(|s| Operation::Pass { s }),
        7 => of_agents(),
        7 => of_lines(),
        8 => of_the_aggregator(),
        5 => of_the_world(),
        2 => (who(), change()).prop_map(|(who, change)| Operation::Inventory { who, change }),
    ]
}

fn who() -> impl Strategy<Value = Who> {
    0..SERVERS
}

fn of_agents() -> impl Strategy<Value = Operation> {
    let mood = prop_oneof![Just(Mood::Well), Just(Mood::Full), Just(Mood::Unsure)];
    prop_oneof![
        2 => who().prop_map(|who| Operation::KillAgent { who }),
        1 => who().prop_map(|who| Operation::KillAgentWriting { who }),
        1 => who().prop_map(|who| Operation::TearLetter { who }),
        1 => who().prop_map(|who| Operation::StopAgent { who }),
        5 => who().prop_map(|who| Operation::StartAgent { who }),
        1 => who().prop_map(|who| Operation::Reboot { who }),
        2 => (who(), mood).prop_map(|(who, mood)| Operation::Disk { who, mood }),
        1 => (who(), -4000i32..4000).prop_map(|(who, by_s)| Operation::AgentWall { who, by_s }),
    ]
}

fn of_lines() -> impl Strategy<Value = Operation> {
    let manner = prop_oneof![2 => Just(Manner::Well), 1 => Just(Manner::Gone), 1 => Just(Manner::Silent)];
    prop_oneof![
        2 => who().prop_map(|who| Operation::Cut { who }),
        3 => (who(), 0u16..300).prop_map(|(who, bytes)| Operation::CutUp { who, bytes }),
        3 => (who(), 0u16..120).prop_map(|(who, bytes)| Operation::CutDown { who, bytes }),
        3 => (who(), 2u8..60).prop_map(|(who, s)| Operation::Stick { who, s }),
        1 => who().prop_map(|who| Operation::Swallow { who }),
        2 => (0..EDGES, manner).prop_map(|(edge, manner)| Operation::Edge { edge, manner }),
    ]
}

fn of_the_aggregator() -> impl Strategy<Value = Operation> {
    let mood = prop_oneof![
        2 => Just(StoreMood::Refuses),
        2 => Just(StoreMood::Unheard),
        1 => (1u8..40).prop_map(|s| StoreMood::Slow { s }),
    ];
    prop_oneof![
        1 => Just(Operation::KillAggregator),
        1 => Just(Operation::StopAggregator),
        3 => Just(Operation::StartAggregator),
        4 => (0u8..30, any::<bool>()).prop_map(|(call, done)| Operation::DieAt { call, done }),
        3 => (1u8..12, mood).prop_map(|(calls, mood)| Operation::Store { calls, mood }),
        1 => (-4000i32..4000).prop_map(|by_s| Operation::AggregatorWall { by_s }),
    ]
}

fn of_the_world() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (0u8..3, who()).prop_map(|(country, target)| Operation::Block { country, target }),
        1 => who().prop_map(|who| Operation::Blind { who }),
        1 => who().prop_map(|who| Operation::Down { who }),
        2 => Just(Operation::Clear),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => Just(Change::Readdress),
        1 => Just(Change::Remove),
        3 => Just(Change::Activate),
        1 => Just(Change::Drain),
        1 => Just(Change::Disable),
    ]
}
