/**
 * What a donor gets before its image is taken: a unit that acts at the first boot of a machine made from the image, before
 * cloud-init. The donor itself is left alone, because the file names it as the owner of the identity on the disk.
 */

const IDENTITY_OF = "/etc/capstan/identity-of";
const SCRUB = "/usr/local/sbin/capstan-scrub";
const UNIT = "/etc/systemd/system/capstan-scrub.service";

/** The name of the run command, the same for each renewal: a repeated request replaces the former one. */
export const SCRUB_COMMAND = "capstan-scrub";

/**
 * The script that removes the identity of the donor. ROOT is empty on a machine; a test sets it. The owner is written last: a
 * scrub that is interrupted begins again at the next boot.
 */
export const SCRUB_SCRIPT = `#!/bin/sh
# Removes the identity of the node that this image was taken from, once, and restarts.
set -eu
ROOT="\${ROOT:-}"
own=$(cat "$ROOT/sys/class/dmi/id/product_uuid")
[ -f "$ROOT${IDENTITY_OF}" ] || exit 0
[ "$(cat "$ROOT${IDENTITY_OF}")" != "$own" ] || exit 0
for path in /etc/hostname /etc/kubernetes /etc/cni/net.d /var/lib/cni /var/lib/cloud /var/lib/dbus/machine-id \\
  /var/lib/systemd/random-seed /var/lib/waagent /var/tmp /tmp /run/cluster-api; do
  if [ -d "$ROOT$path" ]; then
    find "$ROOT$path" -mindepth 1 -delete
  else
    rm -f "$ROOT$path"
  fi
done
rm -f "$ROOT"/etc/ssh/ssh_host_*
# The folders of logs stay, because services expect them.
if [ -d "$ROOT/var/log" ]; then find "$ROOT/var/log" -type f -delete; fi
# The kubelet's records of pulled images stay: without them, any pod could use a private image that is on the disk.
if [ -d "$ROOT/var/lib/kubelet" ]; then
  find "$ROOT/var/lib/kubelet" -mindepth 1 -maxdepth 1 ! -name image_manager -exec rm -rf {} +
fi
: > "$ROOT/etc/machine-id"
sync
printf '%s\\n' "$own" > "$ROOT${IDENTITY_OF}"
sync
# systemd has read the machine id already.
[ -n "$ROOT" ] || systemctl --force reboot
`;

const UNIT_FILE = `[Unit]
Description=Remove the identity of the node that this image was taken from
DefaultDependencies=no
After=local-fs.target systemd-remount-fs.service
Before=cloud-init-local.service cloud-init.service walinuxagent.service ssh.service sshd.service containerd.service kubelet.service network-pre.target
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
systemctl enable capstan-scrub.service
sync
`;
