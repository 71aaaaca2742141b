/** What a canary is asked by a run command, beside what its Node reports. */

/** The name of the run command. */
export const INSPECT_COMMAND = "capstan-inspect";

/** The sentence about a machine whose image still had the identity of the donor. */
export const SCRUBBED_LATE = "the identity of the donor was removed at its first boot, and not before";

/** The sentence about a machine that restarted once, as it must after that. */
export const BOOTED_TWICE = "it has booted 2 times";

/**
 * Prints what is wrong with a new node, a line each; nothing if it is sound. The files of its identity must be younger than its
 * boot: older ones come from the image. ROOT is empty on a machine; a test sets it.
 */
export const INSPECT_SCRIPT = `#!/bin/sh
set -eu
ROOT="\${ROOT:-}"
[ ! -e "$ROOT/etc/capstan/identity-of" ] || echo "${SCRUBBED_LATE}"
boots=$(journalctl --list-boots --quiet --no-pager | wc -l)
[ "$boots" -le 1 ] || echo "it has booted $boots times"
booted=$(awk '$1 == "btime" { print $2 }' "$ROOT/proc/stat")
# A clock that was set after the boot may be a minute off.
for path in /etc/machine-id /etc/ssh /etc/kubernetes /var/lib/kubelet/pki; do
  [ -e "$ROOT$path" ] || continue
  find "$ROOT$path" -type f \\( -name machine-id -o -name 'ssh_host_*' -o -name '*.pem' -o -name kubelet.conf \\) \\
    ! -newermt "@$((booted - 60))" -exec echo {} comes from the image \\;
done
`;
