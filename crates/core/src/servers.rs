//! A set of servers, kept as runs of neighbours in the fleet's order. Who sees an entry point is nearly everybody, or nearly
//! nobody: of a thousand servers of which ten fail to see it, eleven runs remain.

use alloc::vec::Vec;
use core::fmt;

use crate::fleet::ServerIx;

/// Servers in ascending order, each once.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Servers {
    /// Neither empty, nor touching each other.
    runs: Vec<Run>,
    len: u32,
}

/// From one server to just before another.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    from: u32,
    to: u32,
}

impl Servers {
    /// How many there are.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a server is among them.
    pub fn contains(&self, server: ServerIx) -> bool {
        let after = self.runs.partition_point(|run| run.to <= server.0);
        self.runs.get(after).is_some_and(|run| run.from <= server.0)
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = ServerIx> + '_ {
        self.runs.iter().flat_map(|run| run.from..run.to).map(ServerIx)
    }

    /// Adds a server that comes after all others.
    pub(crate) fn push(&mut self, server: ServerIx) {
        self.len += 1;
        match self.runs.last_mut() {
            Some(run) if run.to == server.0 => run.to += 1,
            last => {
                debug_assert!(last.is_none_or(|run| run.to < server.0), "servers are added in their order");
                self.runs.push(Run { from: server.0, to: server.0 + 1 });
            }
        }
    }
}

impl FromIterator<ServerIx> for Servers {
    /// Of servers in ascending order.
    fn from_iter<I: IntoIterator<Item = ServerIx>>(servers: I) -> Self {
        let mut set = Self::default();
        servers.into_iter().for_each(|server| set.push(server));
        set
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests;
