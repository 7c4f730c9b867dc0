//! A gateway that strangers flood, and an enrolled agent that has gone over to them.
//!
//! Strangers: connections opened and closed, held in silence, filled with garbage, and stopped in the middle of a handshake.
//! The traitor: frames and messages beyond their limits, heads without an end, streams opened and reset, pings without a
//! pause, and sessions whose answers are never read. Sessions of the others live on, and what the gateway takes up is bounded.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use quorate_tests::caller::{Call, Caller};
use quorate_tests::clock::{pass, wait_for};
use quorate_tests::dice::Dice;
use quorate_tests::fleet::{FIVE, GATEWAY};
use quorate_tests::http2::{END_HEADERS, PREFACE, Session, frame, kind, message, session_head};
use quorate_tests::vitals::{Sampling, Vitals};

use super::finding::Finding;
use super::stage::Stage;
use super::{Ask, PACE};

/// Whose identity the traitor has. Its own agent runs on beside it.
const TRAITOR: &str = "de-1";
/// Addresses of the strangers: more benches at the door than it has places.
const STRANGERS: u8 = 20;
/// Connections of each stranger at once: more than the gate lets one address wait with.
const EACH: usize = 40;
/// All places at the door (512), the connections of one server (12), and the sessions; and as many again of those who were
/// shown the door and are not through it yet as a crowd of this size can be.
const DESCRIPTORS_MORE: f64 = 512.0 + 12.0 + 16.0 + 200.0;
/// 512 handshakes at 20 KiB, two mebibytes for each of the traitor's twelve connections, and as much again.
const MEMORY_MORE_MIB: f64 = 64.0;

type Siege = fn(&mut Dice, &Caller) -> std::io::Result<Vec<TcpStream>>;

pub fn run(ask: &Ask) -> Vec<Finding> {
    let times = ask.times(1, 10);
    let mut stage = Stage::open(Stage::prepare(), &[]);
    let spare = stage.fleet.lab.hosts().last().expect("a lab has hosts");
    let addresses: String = (0..STRANGERS).map(|n| format!("addr add 10.77.0.{}/24 dev eth0\n", 100 + n)).collect();
    stage.fleet.lab.namespace(spare).ip(&addresses);
    let caller = Caller::with_identity_of(&stage.fleet.agent_data(TRAITOR), "10.77.0.1");
    let mut dice = Dice::new(ask.seed);
    let mut findings = Vec::new();
    for (what, siege) in STRANGERS_DO {
        let seed = dice.throw();
        let one = |stage: &Stage, turn: u64| {
            stage.fleet.lab.namespace(spare).within(|| {
                let mut dice = Dice::new(seed + turn);
                let held: Vec<_> =
                    (0..usize::from(STRANGERS) * EACH).filter_map(|_| siege(&mut dice, &caller).ok()).collect();
                pass(PACE.round);
                held.len()
            })
        };
        findings.push(besieged(&mut stage, what, times, one));
    }
    for (what, attack) in A_TRAITOR_DOES {
        let one = |stage: &Stage, _| {
            stage.fleet.lab.namespace(spare).within(|| {
                let mut held: Vec<Call> = Vec::new();
                // However it ends: the gateway may hang up at any point of it.
                if let Err(cut_off) = attack(&caller, &mut held) {
                    eprintln!("  {what}: {cut_off} after {} connections", held.len());
                }
                pass(PACE.round);
                held.len()
            })
        };
        findings.push(besieged(&mut stage, what, times, one));
    }
    let last = findings.last_mut().expect("there are some");
    stage.close(None, last);
    findings
}

/// Does it so often, and sees what it does to the gateway and to the sessions of the others.
fn besieged(stage: &mut Stage, what: &str, times: usize, one: impl Fn(&Stage, u64) -> usize) -> Finding {
    let mut finding = Finding::of(what, times);
    let before = Vitals::of(stage.fleet.aggregator().pid());
    let sessions = ended_sessions(stage);
    let sampling = Sampling::of(stage.fleet.aggregator().pid());
    for turn in 0..times as u64 {
        one(stage, turn);
        finding.well.push(stage.all_well(Instant::now()));
    }
    let most = sampling.end();
    finding.at_most("descriptors more", most.descriptors as f64 - before.descriptors as f64, DESCRIPTORS_MORE);
    let memory_kib = most.memory_kib.saturating_sub(before.memory_kib);
    finding.at_most("memory more, MiB", (memory_kib as f64 / 102.4).round() / 10.0, MEMORY_MORE_MIB);
    finding.at_most("sessions of others that ended", (ended_sessions(stage) - sessions) as f64, 0.0);
    wait_for("the gateway holds no more than before", Duration::from_secs(30), || {
        let now = Vitals::of(stage.fleet.aggregator().pid()).descriptors;
        if now <= before.descriptors + 4 {
            Ok(())
        } else {
            Err(format!("{now} descriptors, {} before", before.descriptors))
        }
    });
    finding
}

fn ended_sessions(stage: &Stage) -> usize {
    let others = FIVE.iter().filter(|member| member.id != TRAITOR);
    others.map(|member| stage.fleet.sessions(member.id).iter().filter(|session| session.closed.is_some()).count()).sum()
}

const STRANGERS_DO: &[(&str, Siege)] = &[
    ("connections opened and closed", |dice, _| {
        connect(dice)?.shutdown(Shutdown::Both)?;
        Ok(Vec::new())
    }),
    ("connections held in silence", |dice, _| Ok(vec![connect(dice)?])),
    ("connections full of garbage", |dice, _| {
        let mut stream = connect(dice)?;
        stream.write_all(&dice.bytes(4096))?;
        Ok(vec![stream])
    }),
    ("handshakes that stop halfway", |dice, caller| {
        let mut stream = connect(dice)?;
        let words = caller.first_words();
        let until = dice.throw() as usize % words.len();
        stream.write_all(&words[..until])?;
        Ok(vec![stream])
    }),
    ("handshakes that stop after the ClientHello", |dice, caller| {
        let mut stream = connect(dice)?;
        stream.write_all(&caller.first_words())?;
        Ok(vec![stream])
    }),
];

/// From one of the strangers' addresses.
fn connect(dice: &mut Dice) -> std::io::Result<TcpStream> {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, socket};
    use std::os::fd::AsRawFd as _;
    let from = 100 + (dice.throw() % u64::from(STRANGERS)) as u8;
    let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    bind(socket.as_raw_fd(), &SockaddrIn::new(10, 77, 0, from, 0))?;
    let std::net::SocketAddr::V4(gateway) = GATEWAY else { unreachable!("the lab's gateway is dialled by IPv4") };
    connect(socket.as_raw_fd(), &SockaddrIn::from(gateway))?;
    let stream = TcpStream::from(socket);
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    Ok(stream)
}

type Attack = fn(&Caller, &mut Vec<Call>) -> std::io::Result<()>;

/// Bytes of a report's message that is too large.
const TOO_LARGE: usize = (1 << 20) + 1;

const A_TRAITOR_DOES: &[(&str, Attack)] = &[
    ("frames that are larger than may be", |caller, held| {
        for _ in 0..12 {
            let mut call = greeted(caller)?;
            let _ = call.stream().write_all(&frame(kind::DATA, 0, 1, &vec![0; TOO_LARGE * 4]));
            held.push(call);
        }
        Ok(())
    }),
    ("messages over 1 MiB", |caller, held| {
        for _ in 0..12 {
            let mut call = greeted(caller)?;
            let framed = message(&vec![0x12; TOO_LARGE]);
            for piece in framed.chunks(16_384) {
                if call.stream().write_all(&frame(kind::DATA, 0, 1, piece)).is_err() {
                    break;
                }
            }
            held.push(call);
        }
        Ok(())
    }),
    ("messages of 1 MiB that never end", |caller, held| {
        for _ in 0..12 {
            let mut call = greeted(caller)?;
            let mut framed = message(&vec![0x12; TOO_LARGE - 1]);
            framed.truncate(200_000);
            for piece in framed.chunks(16_384) {
                call.stream().write_all(&frame(kind::DATA, 0, 1, piece))?;
            }
            held.push(call);
        }
        Ok(())
    }),
    ("heads that never end", |caller, held| {
        for _ in 0..12 {
            let mut call = caller.call(GATEWAY)?;
            call.stream().write_all(PREFACE)?;
            call.stream().write_all(&frame(kind::SETTINGS, 0, 0, &[]))?;
            call.stream().write_all(&frame(kind::HEADERS, 0, 1, &session_head()))?;
            let mut field = vec![0, 1, b'x', 127, 0x80, 0x7e];
            field.resize(6 + 127 + 16_000, b'y');
            for _ in 0..500 {
                if call.stream().write_all(&frame(kind::CONTINUATION, 0, 1, &field[..16_000])).is_err() {
                    break;
                }
            }
            held.push(call);
        }
        Ok(())
    }),
    ("streams opened and reset", |caller, held| {
        for _ in 0..4 {
            let mut call = greeted(caller)?;
            for stream in 1..5_000_u32 {
                let mut both = frame(kind::HEADERS, END_HEADERS, 2 * stream + 1, &session_head());
                both.extend(frame(kind::RST_STREAM, 0, 2 * stream + 1, &8_u32.to_be_bytes()));
                if call.stream().write_all(&both).is_err() {
                    break;
                }
            }
            held.push(call);
        }
        Ok(())
    }),
    ("pings and settings without a pause, answers never read", |caller, held| {
        for _ in 0..4 {
            let mut call = greeted(caller)?;
            for _ in 0..20_000 {
                let both = [frame(kind::PING, 0, 0, &[7; 8]), frame(kind::SETTINGS, 0, 0, &[])].concat();
                if call.stream().write_all(&both).is_err() {
                    break;
                }
            }
            held.push(call);
        }
        Ok(())
    }),
    ("sessions whose answers are never read", |caller, held| {
        for _ in 0..12 {
            held.push(greeted(caller)?);
        }
        Ok(())
    }),
    ("messages that are garbage", |caller, _| {
        for seed in 0..50 {
            let mut session = Session::begin(caller.call(GATEWAY)?)?;
            session.say(&Dice::new(seed).bytes(512))?;
        }
        Ok(())
    }),
];

/// A connection whose one stream is open.
fn greeted(caller: &Caller) -> std::io::Result<Call> {
    let mut call = caller.call(GATEWAY)?;
    call.stream().sock.set_write_timeout(Some(Duration::from_secs(2)))?;
    call.stream().write_all(PREFACE)?;
    call.stream().write_all(&frame(kind::SETTINGS, 0, 0, &[]))?;
    call.stream().write_all(&frame(kind::HEADERS, END_HEADERS, 1, &session_head()))?;
    Ok(call)
}
