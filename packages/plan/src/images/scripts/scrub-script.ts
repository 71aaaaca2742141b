/**
 * What a donor gets before its snapshot is taken: a unit that acts at the first boot of a copy of its disk, before the network,
 * cloud-init and the kubelet. The donor itself is left alone, because a file names it as the owner of the identity on the disk.
 */

const IDENTITY_OF = "/etc/capstan/identity-of";
const SCRUB = "/usr/local/sbin/capstan-scrub";
const UNIT_NAME = "capstan-scrub.service";
const UNIT = `/etc/systemd/system/${UNIT_NAME}`;
const WANTED = `/etc/systemd/system/sysinit.target.wants/${UNIT_NAME}`;

/** The name of the run command, the same for each renewal: a repeated request replaces the former one. */
export const SCRUB_COMMAND = "capstan-scrub";

/**
 * The number of the empty data disk by which a copy knows that it runs on a helper VM and not on a new node. An attached OS disk
 * takes no custom data, and the network is not up yet, so hardware is all that the script can see. 63 is Azure's highest number.
 */
export const HELPER_LUN = 63;
// An NVMe controller has the OS disk as namespace 1, and the data disk N as namespace N + 2.
const HELPER_NAMESPACE = HELPER_LUN + 2;

/**
 * The script that removes the identity of the donor. ROOT is empty on a machine; a test sets it. The owner is removed or written
 * last: a scrub that is interrupted begins again at the next boot. A scrub that fails does not let the machine boot on, because
 * its kubelet would act as the donor.
 */
export const SCRUB_SCRIPT = `#!/bin/sh
# Removes the identity of the node that this disk was copied from.
# On a helper VM it removes containers and itself, too, and powers off; a new node restarts once.
set -eu
ROOT="\${ROOT:-}"
own=$(cat "$ROOT/sys/class/dmi/id/product_uuid")
[ -f "$ROOT${IDENTITY_OF}" ] || exit 0
[ "$(cat "$ROOT${IDENTITY_OF}")" != "$own" ] || exit 0

say() {
  [ -n "$ROOT" ] || echo "capstan-scrub: $1" > /dev/console
  echo "capstan-scrub: $1" >&2
}
ended() {
  status=$?
  [ "$status" -ne 0 ] || exit 0
  say "failed with exit code $status; this machine does not boot on"
  [ -n "$ROOT" ] || while :; do sleep 3600; done
}
trap ended EXIT

is_helper() {
  [ -n "$ROOT" ] || udevadm settle --timeout=30 || true
  for device in "$ROOT"/sys/class/scsi_device/*:${HELPER_LUN}; do
    if [ -e "$device" ]; then return 0; fi
  done
  grep -qsx ${HELPER_NAMESPACE} "$ROOT"/sys/block/nvme*/nsid
}

# containerd keeps images and containers in one database, so it must remove the containers itself.
remove_containers() {
  if [ ! -d "$ROOT/var/lib/containerd" ] || ! command -v containerd > /dev/null; then return 0; fi
  containerd > /dev/null 2>&1 &
  daemon=$!
  tries=0
  until ctr version > /dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 60 ]; then say "containerd does not answer"; return 1; fi
    sleep 1
  done
  left=""
  for namespace in $(ctr namespaces ls -q); do
    for id in $(ctr -n "$namespace" containers ls -q); do ctr -n "$namespace" containers rm "$id"; done
    for key in $(ctr -n "$namespace" snapshots ls | awk '$NF == "Active" { print $1 }'); do
      ctr -n "$namespace" snapshots rm "$key"
    done
    left="$left$(ctr -n "$namespace" containers ls -q)"
  done
  kill "$daemon"
  wait "$daemon" || true
  for path in "$ROOT"/var/lib/containerd/io.containerd.grpc.v1.cri/*/ "$ROOT"/var/lib/containerd/io.containerd.runtime.*/; do
    if [ -d "$path" ]; then find "$path" -mindepth 1 -delete; fi
  done
  if [ -n "$left" ]; then say "containers are left: $left"; return 1; fi
}

if is_helper; then helper=yes; remove_containers; else helper=no; fi
name=$(cat "$ROOT/etc/hostname" 2> /dev/null || true)
if [ -n "$name" ] && [ -f "$ROOT/etc/hosts" ]; then
  hosts=$(grep -vwF -e "$name" "$ROOT/etc/hosts" || true)
  printf '%s\\n' "$hosts" > "$ROOT/etc/hosts"
fi
paths="/etc/hostname /etc/kubernetes /etc/cni/net.d /etc/netplan/50-cloud-init.yaml /var/lib/cni /var/lib/cloud
  /var/lib/dbus/machine-id /var/lib/dhcp /var/lib/NetworkManager /var/lib/systemd/random-seed /var/lib/waagent
  /var/tmp /tmp /run/cluster-api /root/.ssh/authorized_keys /root/.bash_history"
for path in $paths; do
  if [ -d "$ROOT$path" ]; then
    find "$ROOT$path" -mindepth 1 -delete
  else
    rm -f "$ROOT$path"
  fi
done
rm -f "$ROOT"/etc/ssh/ssh_host_* "$ROOT"/home/*/.ssh/authorized_keys "$ROOT"/home/*/.bash_history
# The folders of logs stay, because services expect them.
if [ -d "$ROOT/var/log" ]; then find "$ROOT/var/log" -type f -delete; fi
# The kubelet's records of pulled images stay: without them, any pod could use a private image that is on the disk.
if [ -d "$ROOT/var/lib/kubelet" ]; then
  find "$ROOT/var/lib/kubelet" -mindepth 1 -maxdepth 1 ! -name image_manager -exec rm -rf {} +
fi
# An empty file and not a missing one: systemd makes a new id from it, and takes the boot for the first one.
: > "$ROOT/etc/machine-id"

for path in $paths; do
  if [ -d "$ROOT$path" ]; then found=$(find "$ROOT$path" -mindepth 1); else found=$(ls -d "$ROOT$path" 2> /dev/null || true); fi
  if [ -n "$found" ]; then say "is still there: $found"; exit 1; fi
done
found=$(ls -d "$ROOT"/etc/ssh/ssh_host_* "$ROOT"/var/lib/kubelet/pki "$ROOT"/var/lib/kubelet/config.yaml 2> /dev/null || true)
if [ -n "$found" ]; then say "is still there: $found"; exit 1; fi
sync
if [ "$helper" = yes ]; then
  rm -f "$ROOT${WANTED}" "$ROOT${UNIT}" "$ROOT${SCRUB}"
  rm -rf "$ROOT/etc/capstan"
  sync
  say "done; powering off"
  [ -n "$ROOT" ] || systemctl --force poweroff
else
  printf '%s\\n' "$own" > "$ROOT${IDENTITY_OF}"
  sync
  # systemd has read the machine id already.
  [ -n "$ROOT" ] || systemctl --force reboot
fi
`;

const UNIT_FILE = `[Unit]
Description=Remove the identity of the node that this image was taken from
DefaultDependencies=no
After=local-fs.target systemd-remount-fs.service systemd-udevd.service
Before=systemd-journal-flush.service cloud-init-local.service cloud-init.service walinuxagent.service waagent.service ssh.service sshd.service containerd.service kubelet.service network-pre.target
ConditionPathExists=${IDENTITY_OF}

[Service]
Type=oneshot
ExecStart=${SCRUB}

[Install]
WantedBy=sysinit.target
`;

/** The script that a donor runs before it is stopped. It may run any number of times. */
export const INSTALL_SCRIPT = `#!/bin/sh
set -eu
mkdir -p /etc/capstan /usr/local/sbin
cat > ${SCRUB} <<'CAPSTAN_SCRUB'
${SCRUB_SCRIPT}CAPSTAN_SCRUB
cat > ${UNIT} <<'CAPSTAN_UNIT'
${UNIT_FILE}CAPSTAN_UNIT
cat /sys/class/dmi/id/product_uuid > ${IDENTITY_OF}
chmod 0755 ${SCRUB}
chmod 0600 ${IDENTITY_OF}
systemctl daemon-reload
systemctl enable ${UNIT_NAME}
sync
`;
