/** What a donor is asked before its image is taken: a Node reports neither its packages nor when it was updated. */

/** The name of the run command, the same for each renewal: a repeated request replaces the former one. */
export const INSTALLED_COMMAND = "capstan-installed";

/** Package databases of Debian, Ubuntu, Azure Linux and the Red Hat family, without the leading slash. */
const DATABASES = [
  "var/lib/dpkg/status",
  "var/lib/rpm/rpmdb.sqlite",
  "var/lib/rpm/Packages",
  "usr/lib/sysimage/rpm/rpmdb.sqlite",
] as const;

/** Logs with an entry for each update that was installed. */
const LOGS = ["var/log/apt/history.log", "var/log/dnf.rpm.log", "var/log/tdnf.log"] as const;

/**
 * The script that a donor runs: checksums of those files that exist. It changes nothing. ROOT is empty on a machine; a test
 * sets it.
 */
export const INSTALLED_SCRIPT = `#!/bin/sh
# Prints checksums of the package database and of the logs of updates.
cd "\${ROOT:-/}" || exit 1
sha256sum ${[...DATABASES, ...LOGS].join(" ")} 2>/dev/null
exit 0
`;

/** What is installed on a disk: two short checksums; an empty one is not known. */
export interface Installed {
  readonly packages: string;
  readonly updates: string;
}

/** The answer of a machine without a database that we know, or without an answer. */
export const NOT_KNOWN: Installed = { packages: "", updates: "" };

// Azure shows the last 4 KiB of an output; a line of ours has about 100 letters.
const MOST_LETTERS = 4096;
const DIGITS = 16;
const CHECKSUM = /^([0-9a-f]{64}) [ *](\S{1,64})$/;
/** The checksum of an empty file: a log that was rotated says nothing. */
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** What the output of the script says. A machine may print anything: lines of another form are not read. */
export function installedIn(output: string): Installed {
  const checksums = new Map<string, string>();
  for (const line of output.slice(0, MOST_LETTERS).split("\n")) {
    const [, checksum = "", path = ""] = CHECKSUM.exec(line) ?? [];
    if (checksum !== "" && checksum !== EMPTY) checksums.set(path, checksum.slice(0, DIGITS));
  }
  const of = (paths: readonly string[]): string =>
    paths.flatMap((path) => checksums.get(path) ?? []).join("+");
  return { packages: of(DATABASES), updates: of(LOGS) };
}
