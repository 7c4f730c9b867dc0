//! Hosts around a middlebox: each host is a network namespace with one cable to a bridge in the middlebox, which holds all
//! rules. To the hosts it looks like a plain switch. Several labs stand side by side; each is gone when it is dropped.

use std::fs;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::namespace::{Namespace, fed, program};
use crate::process::{Process, Spawn};
use crate::resolver::Resolver;
use crate::trouble::{Rule, Trouble, ruleset};

/// A host by its number, 1 to 250.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host(pub u8);

impl Host {
    /// Its IPv4 address.
    pub const fn ipv4(self) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, 0, self.0)
    }

    /// Its IPv6 address.
    pub const fn ipv6(self) -> Ipv6Addr {
        Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, self.0 as u16)
    }

    fn mac(self) -> String {
        format!("02:4d:00:00:00:{:02x}", self.0)
    }
}

/// The names of all labs begin with this; the process that owns one comes next.
const PREFIX: &str = "quorate";

/// Tells labs of one process apart.
static SERIAL: AtomicU32 = AtomicU32::new(0);

/// Hosts, cables, middlebox and the rules in it.
pub struct Lab {
    middlebox: Namespace,
    hosts: Vec<Namespace>,
    rules: Vec<Rule>,
    resolver: Option<Resolver>,
    folder: tempfile::TempDir,
}

impl Lab {
    /// Builds hosts 1 to `count`, all of them connected.
    pub fn new(count: u8) -> Self {
        assert!((1..=250).contains(&count), "a lab has 1 to 250 hosts");
        remove_orphans();
        let own = format!("{PREFIX}-{}-{}", std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed));
        let names: Vec<String> = (0..=count).map(|host| format!("{own}-{host}")).collect();
        let add: String = names.iter().map(|name| format!("netns add {name}\n")).collect();
        fed(Command::new(program("ip")).args(["-batch", "-"]), &add);

        let mut namespaces = names.into_iter().map(Namespace::open);
        let middlebox = namespaces.next().expect("the first of at least two");
        let folder = tempfile::Builder::new().prefix("quorate-lab-").tempdir().expect("a temporary folder can be made");
        let lab = Self { middlebox, hosts: namespaces.collect(), rules: Vec::new(), resolver: None, folder };
        lab.connect();
        lab
    }

    /// All hosts.
    pub fn hosts(&self) -> impl Iterator<Item = Host> + use<> {
        (1..=self.hosts.len() as u8).map(Host)
    }

    /// The namespace of a host.
    pub fn namespace(&self, host: Host) -> &Namespace {
        &self.hosts[usize::from(host.0) - 1]
    }

    /// Where the lab keeps its files; gone with it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// From here on, programs that are started on hosts ask this host for names.
    pub fn ask_for_names(&mut self, host: Host) {
        self.resolver = Some(Resolver::new(self.folder(), host.ipv4().into()));
    }

    /// Starts a program in a host's network; its output goes to a file that is shown if the test fails.
    pub fn spawn(&self, host: Host, name: &str, command: Command) -> Process {
        let log = self.log_path(host, name);
        let spawn = Spawn { name: format!("{name} on host {}", host.0), log, command };
        self.on(host, || spawn.start())
    }

    /// Where the output goes of all programs that are started on a host by the same name.
    pub fn log_path(&self, host: Host, name: &str) -> PathBuf {
        self.folder().join(format!("{}-{name}.log", host.0))
    }

    /// Runs a program in a host's network to its end.
    pub fn output(&self, host: Host, mut command: Command) -> Output {
        self.on(host, || command.output()).unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"))
    }

    /// Does `work` as a program on a host would: in its network, with its way to names.
    fn on<T: Send>(&self, host: Host, work: impl FnOnce() -> T + Send) -> T {
        let resolver = self.resolver.as_ref();
        self.namespace(host).within(|| {
            resolver.inspect(|resolver| resolver.enter());
            work()
        })
    }

    /// Connections that `from` opens to `to` get into trouble.
    pub fn block(&mut self, from: Host, to: Host, trouble: Trouble) {
        self.add(&[Rule { from: vec![from], to: vec![to], trouble }]);
    }

    /// Connections that any of `from` opens to any of `to` get into trouble.
    pub fn block_all(&mut self, from: &[Host], to: &[Host], trouble: Trouble) {
        self.add(&[Rule { from: from.to_vec(), to: to.to_vec(), trouble }]);
    }

    /// Connections across a border get into trouble, whichever side opens them.
    pub fn border(&mut self, inside: &[Host], outside: &[Host], trouble: Trouble) {
        let rule = |from: &[Host], to: &[Host]| Rule { from: from.to_vec(), to: to.to_vec(), trouble };
        self.add(&[rule(inside, outside), rule(outside, inside)]);
    }

    /// All troubles end.
    pub fn unblock(&mut self) {
        eprintln!("trouble ends");
        self.rules.clear();
        self.apply();
    }

    fn add(&mut self, rules: &[Rule]) {
        for rule in rules {
            let numbers = |hosts: &[Host]| hosts.iter().map(|host| host.0.to_string()).collect::<Vec<_>>().join(",");
            eprintln!("trouble: {} from host {} to {}", rule.trouble, numbers(&rule.from), numbers(&rule.to));
        }
        self.rules.extend_from_slice(rules);
        self.apply();
    }

    fn apply(&self) {
        self.middlebox.nft(&ruleset(&self.rules));
    }

    fn connect(&self) {
        let mut bridge = String::from("link set lo up\nlink add br0 type bridge\n");
        bridge.push_str("link set br0 type bridge mcast_snooping 0\nlink set br0 up\n");
        // A reset that the middlebox makes up is routed, so it needs a place in the network.
        bridge.push_str("addr add 10.77.0.254/24 dev br0\naddr add fd77::fe/64 dev br0 nodad\n");
        for (host, namespace) in self.hosts().zip(&self.hosts) {
            let (number, mac, name) = (host.0, host.mac(), namespace.name());
            bridge.push_str(&format!("link add p{number} type veth peer name eth0 address {mac} netns {name}\n"));
            bridge.push_str(&format!("link set p{number} master br0\nlink set p{number} up\n"));
        }
        self.middlebox.ip(&bridge);

        // Neighbours are known from the start: the kernel's table of learnt ones is shared by all namespaces and overflows
        // in a full mesh of many hosts.
        let neighbour = |host: Host| {
            let (v4, v6, mac) = (host.ipv4(), host.ipv6(), host.mac());
            format!(
                "neigh replace {v4} lladdr {mac} dev eth0 nud permanent\n\
                 neigh replace {v6} lladdr {mac} dev eth0 nud permanent\n"
            )
        };
        let neighbours: String = self.hosts().map(neighbour).collect();
        for (host, namespace) in self.hosts().zip(&self.hosts) {
            let (v4, v6) = (host.ipv4(), host.ipv6());
            namespace.ip(&format!(
                "link set lo up\nlink set eth0 up\naddr add {v4}/24 dev eth0\naddr add {v6}/64 dev eth0 nodad\n{neighbours}"
            ));
        }

        // Bridged packets go through the rules, and connections are counted in bytes.
        for switch in ["bridge/bridge-nf-call-iptables", "bridge/bridge-nf-call-ip6tables"] {
            self.middlebox.sysctl(switch, "1");
        }
        self.middlebox.sysctl("netfilter/nf_conntrack_acct", "1");
        self.middlebox.sysctl("netfilter/nf_conntrack_tcp_be_liberal", "1");
        self.apply();
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.folder.disable_cleanup(true);
            eprintln!("logs and files are kept in {}", self.folder().display());
            eprintln!("rules of the middlebox at the end:\n{}", self.middlebox.nft_list());
        }
        let names = self.hosts.iter().chain([&self.middlebox]).map(Namespace::name);
        remove(names);
    }
}

/// Removes what a lab left behind whose process was killed before it could.
fn remove_orphans() {
    let Ok(entries) = fs::read_dir("/run/netns") else { return };
    let names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let is_orphan = |name: &&String| {
        let owner = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('-')?.split('-').next());
        owner.is_some_and(|owner| !Path::new("/proc").join(owner).exists())
    };
    remove(names.iter().filter(is_orphan).map(String::as_str));
}

/// Ends what still runs in the namespaces, and deletes them. Nothing here panics: it also runs while a test fails.
pub(crate) fn remove<'a>(names: impl Iterator<Item = &'a str>) {
    for name in names {
        let listed = Command::new(program("ip")).args(["netns", "pids", name]).stderr(Stdio::null()).output();
        let listed = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        for pid in listed.split_whitespace().filter_map(|word| word.parse().ok()) {
            // It may be gone by itself since it was listed.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        // Two labs that start at once may both find the same orphan; the later one finds it gone.
        let _ = Command::new(program("ip")).args(["netns", "delete", name]).stderr(Stdio::null()).status();
    }
}
