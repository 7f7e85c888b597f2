"""The egress proxy of a sandbox: runs inside of it as root, beside a server to reach.

A connection is allowed if one rule holds its host, its port and the program that asks. What is
refused gets a line on stdout, the log, which whoever reads it answers with a line. Hosts below
``.test`` are the sandbox itself.
"""

from __future__ import annotations

PROXY = r"""
import fnmatch, json, os, socket, struct, sys, threading

POLICY, PORT = "/etc/openshell-policy.json", 3128
LOGGING = threading.Lock()


def program_of(address):
    wanted = "%08X:%04X" % (struct.unpack("<I", socket.inet_aton(address[0]))[0], address[1])
    inode = ""
    with open("/proc/net/tcp") as file:
        for line in file.read().splitlines()[1:]:
            fields = line.split()
            if fields[1] == wanted:
                inode = fields[9]
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                if os.readlink(f"/proc/{pid}/fd/{name}") == f"socket:[{inode}]":
                    return os.readlink(f"/proc/{pid}/exe"), pid
        except OSError:
            continue
    return "unknown", "0"


def allowed(host, port, program):
    with open(POLICY) as file:
        rules = json.load(file)
    for rule in rules:
        hosts = any(fnmatch.fnmatch(host, h) and port in ports for h, ports in rule["endpoints"])
        if hosts and any(fnmatch.fnmatch(program, path) for path in rule["programs"]):
            return True
    return False


def relay(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    finally:
        target.close()


def serve(client, address):
    head = b""
    while b"\r\n\r\n" not in head:
        head += client.recv(4096)
    target = head.split()[1].decode()
    host, port = target.rsplit(":", 1)
    program, pid = program_of(address)
    if not allowed(host, int(port), program):
        text = f"[sandbox] NET:OPEN [MED] DENIED {program}({pid}) -> {target} [policy:- engine:opa]"
        with LOGGING:
            print(text, flush=True)
            sys.stdin.readline()
        client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        client.close()
        return
    upstream = socket.create_connection(("127.0.0.1", int(port)))
    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
    threading.Thread(target=relay, args=(upstream, client), daemon=True).start()
    relay(client, upstream)


def echo(port):
    listener = socket.create_server(("127.0.0.1", port))
    while True:
        peer, _ = listener.accept()
        peer.sendall(peer.recv(65536))
        peer.close()


for port in (7000, 7001):
    threading.Thread(target=echo, args=(port,), daemon=True).start()
listener = socket.create_server(("127.0.0.1", PORT))
print("ready", flush=True)
while True:
    client, address = listener.accept()
    threading.Thread(target=serve, args=(client, address), daemon=True).start()
"""
ADDRESS = "http://127.0.0.1:3128"
POLICY_FILE = "/etc/openshell-policy.json"
