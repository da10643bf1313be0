"""An sshd of this user's own on a free port of 127.0.0.1, for tests. Needs openssh-server and openssh-client."""

import getpass
import os
import pathlib
import shutil
import socket
import subprocess
import time

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


class LocalSshd:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o700)
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        for name in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name], check=True)
        shutil.copy(self.folder / "user_key.pub", self.folder / "authorized_keys")
        host_key = (self.folder / "host_key.pub").read_text()
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {host_key}")
        (self.folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host_key\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {self.folder}/authorized_keys\nStrictModes no\nPermitRootLogin yes\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nLogLevel ERROR\n"
        )
        (self.folder / "ssh_config").write_text(
            f"Host node\n  HostName 127.0.0.1\n  Port {self.port}\n  User {getpass.getuser()}\n"
            f"  IdentityFile {self.folder}/user_key\n  IdentitiesOnly yes\n  UserKnownHostsFile {self.folder}/known_hosts\n"
            "  BatchMode yes\n  LogLevel ERROR\n"
        )
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # sshd wants it when it runs as root
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", self.folder / "sshd_config"], stderr=subprocess.PIPE, text=True)
        self._wait()

    @property
    def ssh(self):
        """For --ssh."""
        return f"ssh -F {self.folder}/ssh_config"

    def _wait(self):
        for _ in range(200):
            if self.process.poll() is not None:
                raise RuntimeError("sshd ended: " + self.process.stderr.read())
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("sshd does not listen")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()
