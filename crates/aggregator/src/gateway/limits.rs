//! Every bound of the gateway, in one place, with its reason.

use std::time::Duration;

/// The largest message from an agent: 40,000 outcomes of 4 bytes, a full self-check, and plenty of air.
pub const MESSAGE_BYTES_MAX: usize = quorate_proto::REPORT_BYTES_MAX;

/// The largest enrolment request: a token and a signing request take half a kilobyte.
pub const ENROLMENT_BYTES_MAX: usize = 16 * 1024;

/// A PROXY header, from `accept`, or from its first byte where it is optional. The edge sends it at once, and one lost
/// segment comes again within a second.
pub const HEADER_BUDGET: Duration = Duration::from_secs(3);

/// From `accept` to the end of the TLS handshake, header included: three round trips over the worst of links.
pub const TLS_BUDGET: Duration = Duration::from_secs(10);

/// From the end of the handshake to the first message (Hello, or the enrolment request).
pub const FIRST_MESSAGE_BUDGET: Duration = Duration::from_secs(10);

/// Connections that have not yet shown who they are. Each costs a descriptor and some 20 KiB while it shakes hands.
pub const WAITING_MAX: usize = 512;

/// The same from one address (one /64 for IPv6) that is no edge: a fleet behind one NAT reconnects in a few turns, a flood of
/// one host fills a sixteenth.
pub const WAITING_PER_ORIGIN_MAX: usize = 32;

/// Live sessions of one server: the one in use and the one that takes over from it.
pub const SESSIONS_PER_SERVER_MAX: usize = 2;

/// Connections under one server's certificate: its sessions, and probes of eight edges at once.
pub const CONNECTIONS_PER_SERVER_MAX: usize = 12;

/// Streams at once on one connection: a session needs one, the second is there to be refused in words.
pub const STREAMS_PER_CONNECTION_MAX: u32 = 2;

/// Reports of one session that wait for their commit; more stay in the agent's socket.
pub const UNCOMMITTED_PER_SESSION_MAX: usize = 16;

/// Bytes of all reports that wait for their commit.
pub const UNCOMMITTED_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Reports in the writer's queue; the bytes are what counts, this only sizes the channel.
pub const WRITER_QUEUE: usize = 1024;

/// Reports in one transaction: after some hundred the commit's fsync no longer shows in the cost of each.
pub const BATCH_MAX: usize = 256;

/// Messages to an agent that it has not read yet.
pub const OUTBOUND_QUEUE: usize = 32;

/// An agent that leaves its messages unread this long has stopped reading.
pub const SEND_BUDGET: Duration = Duration::from_secs(10);

/// A session without a whole message for this long ends: half a message holds up to a mebibyte.
pub const IDLE_BUDGET: Duration = Duration::from_hours(1);

/// HTTP/2 pings keep NAT bindings open and notice a dead path.
pub const PING_INTERVAL: Duration = Duration::from_secs(15);

/// Time for an answer to a ping.
pub const PING_BUDGET: Duration = Duration::from_secs(10);

/// Unread bytes per stream: reports are small, a large one comes in a few turns.
pub const WINDOW_BYTES: u32 = 256 * 1024;

/// After the last message: time for it to be read before the connection is cut.
pub const LINGER: Duration = Duration::from_millis(500);

/// At the end of a session: time for reports that already came to be committed and acknowledged.
pub const SETTLE_BUDGET: Duration = Duration::from_secs(2);

/// At shutdown: time for sessions to settle and read their Close; the whole shutdown stays under 5 s.
pub const DRAIN_BUDGET: Duration = Duration::from_secs(4);

/// Agents' words (version, reason, detail) are cut to this many characters before they are kept or logged.
pub const WORD_CHARS_MAX: usize = 200;

/// Enrolment attempts of one address: a burst of this many, then one in [`ENROLMENT_EVERY`].
pub const ENROLMENT_BURST: u32 = 20;

/// See [`ENROLMENT_BURST`]. A secret of 256 bits needs no guard against guessing; the database behind it does.
pub const ENROLMENT_EVERY: Duration = Duration::from_secs(3);

/// The same through one edge, which brings many: half of what all may, so that a flood through one leaves the other half.
pub const EDGE_ENROLMENTS_BURST: u32 = ENROLMENTS_BURST / 2;

/// See [`EDGE_ENROLMENTS_BURST`].
pub const EDGE_ENROLMENTS_EVERY: Duration = Duration::from_millis(200);

/// The same over all addresses: a rollout to a thousand servers passes in a minute and a half.
pub const ENROLMENTS_BURST: u32 = 200;

/// See [`ENROLMENTS_BURST`].
pub const ENROLMENTS_EVERY: Duration = Duration::from_millis(100);

/// Addresses whose enrolment attempts are remembered.
pub const ENROLMENT_ORIGINS_MAX: usize = 4096;

/// Attempts with one token while others use up the pace of its address: a burst of this many, then one in
/// [`ENROLMENT_EVERY`]. A token that exists is never kept waiting by those that do not.
pub const ENROLMENT_TOKEN_BURST: u32 = 5;

/// Tokens whose attempts are remembered.
pub const ENROLMENT_TOKENS_MAX: usize = 4096;

/// Renewals of one server's certificate: a burst of this many for answers that were lost, then one in
/// [`RENEWAL_EVERY`]. Each is a signature and a commit.
pub const RENEWAL_BURST: u32 = 4;

/// See [`RENEWAL_BURST`]. A certificate needs one in twenty days.
pub const RENEWAL_EVERY: Duration = Duration::from_mins(10);

/// Servers whose renewals are remembered: all that a fleet may have.
pub const RENEWAL_SERVERS_MAX: usize = quorate_core::fleet::Fleet::SERVERS_MAX;

/// A session that came to renew, from its Hello to its end: two messages each way and a commit.
pub const RENEWAL_BUDGET: Duration = Duration::from_secs(30);

/// Log lines about connections that failed before they showed who they are: a burst of this many, then one in
/// [`COMPLAINT_EVERY`]. The rest is in the counters.
pub const COMPLAINT_BURST: u32 = 20;

/// See [`COMPLAINT_BURST`].
pub const COMPLAINT_EVERY: Duration = Duration::from_secs(3);

/// After `accept` failed for want of descriptors: time for some to come back.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How often the pins are read anew from the store, for what another process enrolled or revoked.
pub const PINS_REFRESH: Duration = Duration::from_secs(5);
