"""The machine itself: processes, services, users, disks, networks, schedules."""

from typing import TYPE_CHECKING

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.rules import operands, options, rule

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run


@rule("kill", "pkill", "killall", "skill", "xkill", "fuser", "killall5")
def kills(judge: "Judge", run: "Run") -> None:
    if run.arguments and run.arguments[0].text in ("-l", "-0", "-L"):
        return
    if run.name == "fuser" and not options(run.arguments) & {"-k", "--kill"}:
        return
    judge.ask(f"{run.name} ends processes")


@rule(
    *named(
        """
        systemctl service rc-service initctl launchctl supervisorctl sv pm2 brew-services
        """
    ),
)
def services(judge: "Judge", run: "Run") -> None:
    words = [field.text for field in operands(run.arguments)]
    looking = named(
        "status show cat list-units list-unit-files is-active is-enabled is-failed list-timers list ls logs"
    )
    verb = words[1] if run.name == "service" and len(words) > 1 else (words[0] if words else "status")
    if verb not in looking:
        judge.ask(f"{run.name} {verb} starts, stops or changes a service")


@rule("crontab")
def crontab(judge: "Judge", run: "Run") -> None:
    if [field.text for field in run.arguments] != ["-l"]:
        judge.ask("crontab changes what runs by itself")


@rule(
    *named(
        """
        ip ifconfig route nmcli sysctl mount ulimit history hermes ss netstat arp iwconfig
        """
    ),
)
def mostly_looking(judge: "Judge", run: "Run") -> None:
    """Looking is free; whatever else they are told is asked about."""
    words = [field.text for field in operands(run.arguments)]
    free = {
        "ip": lambda: not {"set", "add", "del", "delete", "flush", "change", "replace", "netns"} & set(words),
        "ifconfig": lambda: len(words) < 2,
        "route": lambda: not words,
        "nmcli": lambda: (
            not {"connect", "disconnect", "delete", "modify", "up", "down", "add", "on", "off"} & set(words)
        ),
        "sysctl": lambda: "-w" not in options(run.arguments) and not any("=" in word for word in words),
        "mount": lambda: not words,
        "history": lambda: not run.arguments,
        "hermes": lambda: (
            words[:2] in (["sessions", "list"], ["sessions", "search"], ["version"], ["tools", "list"], ["status"])
            and "--yolo" not in options(run.arguments)
        ),
        "arp": lambda: not options(run.arguments) & {"-d", "-s"},
        "iwconfig": lambda: len(words) < 2,
    }
    if not free.get(run.name, lambda: True)():
        judge.ask(f"{run.name} {' '.join(words[:2])} changes the system, or Hermes itself")


@rule(
    *named(
        """
        shutdown reboot halt poweroff init telinit umount iptables ip6tables nft ufw firewall-cmd useradd userdel
        usermod adduser deluser groupadd groupdel passwd chpasswd visudo vipw chsh insmod rmmod modprobe kexec
        swapon zpool zfs lvremove vgremove pvremove mdadm btrfs efibootmgr grub-install update-grub apt-key
        dpkg-reconfigure ldconfig setenforce aa-disable semanage hwclock xdg-open open start defaults diskutil
        csrutil logrotate updatedb tc ethtool virsh qemu-img VBoxManage lxc incus machinectl debugfs mknod mkfifo
        chvt wall write tcpdump nmap masscan hydra john hashcat sqlmap disown suspend bind fc complete compgen
        coproc wipe mv.exe cmd powershell pwsh stty reset
        """
    ),
)
def the_machine(judge: "Judge", run: "Run") -> None:
    judge.ask(f"{run.name} changes the machine, or reaches beyond this project")
