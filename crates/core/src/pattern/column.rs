//! Columns: a server, or one of its entry points, that most of those asked cannot see.

use alloc::format;
use alloc::string::String;

use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::label::Unseen;
use crate::verdict::{EntryVerdict, Status, Verdicts};

/// Whether a server is told as a whole: most cannot see it, or the verdict says that it is unreachable.
pub(super) fn is_whole(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> bool {
    let Unseen { cannot_see, asked, .. } = Unseen::of(fleet, verdicts, ix);
    is_most(cannot_see, asked - cannot_see) || verdicts.servers[ix.at()].conditions.contains(&Status::Unreachable)
}

/// Whether an entry point is told by itself.
pub(super) fn is_single(verdict: &EntryVerdict) -> bool {
    is_most(against(verdict), verdict.vouchers.len()) || !verdict.unreachable.is_empty()
}

/// One witness is no majority, however few were asked.
fn is_most(against: usize, for_it: usize) -> bool {
    against >= 2 && against > for_it
}

fn against(verdict: &EntryVerdict) -> usize {
    verdict.accusers.len() + verdict.held.len()
}

/// "nl-1 is out of sight: 5 of 7 cannot see it".
pub(super) fn whole(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> String {
    let (unseen, own_word) = (Unseen::of(fleet, verdicts, ix), own_word(verdicts, ix));
    format!("{} is out of sight: {unseen}{own_word}", fleet.server(ix).id)
}

/// "nl-1/quic is out of sight: 5 of 7 cannot see it".
pub(super) fn single(fleet: &Fleet, verdicts: &Verdicts, ix: EntryIx) -> String {
    let entry_point = fleet.entry_point(ix);
    let verdict = &verdicts.entry_points[ix.at()];
    let (against, asked) = (against(verdict), against(verdict) + verdict.vouchers.len());
    let own_word = own_word(verdicts, entry_point.server);
    format!("{} is out of sight: {against} of {asked} cannot see it{own_word}", entry_point.id)
}

fn own_word(verdicts: &Verdicts, ix: ServerIx) -> &'static str {
    let server = &verdicts.servers[ix.at()];
    if server.down {
        "; it says itself that it is down"
    } else if server.silent {
        "; nothing is heard from it either"
    } else {
        ""
    }
}
