//! A container as Docker runs one: a network of its own behind a bridge of its host, which forwards to it and redirects a
//! published port. What comes to that port never passes the host's `input`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::process::Command;

use crate::namespace::{Namespace, fed, program};
use crate::network::{Host, Lab, remove};

/// The container's own addresses.
pub const IPV4: Ipv4Addr = Ipv4Addr::new(172, 17, 0, 2);
/// See [`IPV4`].
pub const IPV6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xd0c, 0, 0, 0, 0, 0, 2);

const MAC: &str = "02:42:ac:11:00:02";
const HOST_MAC: &str = "02:42:ac:11:00:01";

/// A container on a host. It is gone with its handle.
pub struct Container {
    namespace: Namespace,
}

impl Container {
    /// Starts one that publishes a port as one of its own, with the chains that Docker makes for it: the forwarding path is
    /// closed but for what Docker opens, and begins at DOCKER-USER. Its bridge is `docker0`, `br-‹number›` or whatever the
    /// operator calls it.
    pub fn start(lab: &Lab, host: Host, bridge: &str, published: u16, own: u16) -> Self {
        let inside = lab.namespace(host);
        let name = format!("{}-container", inside.name());
        fed(Command::new(program("ip")).args(["-batch", "-"]), &format!("netns add {name}\n"));
        let container = Self { namespace: Namespace::open(name) };
        let name = container.namespace.name();
        // Neighbours are known from the start, as those of the lab: a first packet that waits for an answer comes a second late.
        inside.ip(&format!(
            "link add {bridge} address {HOST_MAC} type bridge\nlink set {bridge} up\n\
             addr add 172.17.0.1/16 dev {bridge}\naddr add fd00:d0c::1/64 dev {bridge} nodad\n\
             link add veth0 type veth peer name eth0 address {MAC} netns {name}\n\
             link set veth0 master {bridge}\nlink set veth0 up\n{}",
            neighbours(&[IPV4.into(), IPV6.into()], MAC, bridge)
        ));
        container.namespace.ip(&format!(
            "link set lo up\nlink set eth0 up\naddr add {IPV4}/16 dev eth0\naddr add {IPV6}/64 dev eth0 nodad\n\
             route add default via 172.17.0.1\nroute add default via fd00:d0c::1\n{}",
            neighbours(&["172.17.0.1".parse().unwrap(), "fd00:d0c::1".parse().unwrap()], HOST_MAC, "eth0")
        ));
        inside.sysctl("ipv4/ip_forward", "1");
        inside.sysctl("ipv6/conf/all/forwarding", "1");
        inside.nft(&docker("ip", bridge, &IPV4.to_string(), "172.17.0.0/16", published, own));
        inside.nft(&docker("ip6", bridge, &format!("[{IPV6}]"), "fd00:d0c::/64", published, own));
        container
    }

    /// Its network.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        remove([self.namespace.name()].into_iter());
    }
}

fn neighbours(addresses: &[IpAddr], mac: &str, device: &str) -> String {
    let line = |address: &IpAddr| format!("neigh replace {address} lladdr {mac} dev {device} nud permanent\n");
    addresses.iter().map(line).collect()
}

/// Docker's chains for one container, in one family.
fn docker(family: &str, bridge: &str, container: &str, network: &str, published: u16, own: u16) -> String {
    let bare = container.trim_matches(['[', ']']);
    format!(
        "table {family} nat {{\n\
          chain PREROUTING {{ type nat hook prerouting priority dstnat; policy accept;\n\
           fib daddr type local jump DOCKER\n\
          }}\n\
          chain POSTROUTING {{ type nat hook postrouting priority srcnat; policy accept;\n\
           {family} saddr {network} oifname != \"{bridge}\" masquerade\n\
          }}\n\
          chain DOCKER {{ iifname != \"{bridge}\" tcp dport {published} dnat to {container}:{own}\n }}\n\
         }}\n\
         table {family} filter {{\n\
          chain DOCKER-USER {{ }}\n\
          chain DOCKER {{ {family} daddr {bare} iifname != \"{bridge}\" oifname \"{bridge}\" tcp dport {own} accept\n }}\n\
          chain FORWARD {{ type filter hook forward priority filter; policy drop;\n\
           jump DOCKER-USER\n\
           oifname \"{bridge}\" ct state established,related accept\n\
           oifname \"{bridge}\" jump DOCKER\n\
           iifname \"{bridge}\" accept\n\
          }}\n\
         }}\n"
    )
}
