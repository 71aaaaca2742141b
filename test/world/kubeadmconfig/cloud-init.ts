/** Debian's cloud-init, to parse Capstan's data as a machine would. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs cloud-init with arguments. */
export type CloudInit = (...args: readonly string[]) => { readonly isOk: boolean; readonly output: string };

// cloud-init and its imports. They are unpacked to a folder and not installed, because an installed cloud-init would
// act on the next boots of this machine.
const IMPORTS =
  "attr certifi chardet configobj idna jinja2 json-pointer jsonpatch jsonschema markupsafe netifaces oauthlib pyrsistent requests serial six urllib3 yaml";
const PACKAGES = ["cloud-init", ...IMPORTS.split(" ").map((name) => `python3-${name}`)];

/** The cloud-init of this machine, or one that is unpacked for this run; a reason if neither is available. */
export function findCloudInit(): CloudInit | string {
  if (run("cloud-init", ["--version"]).isOk) return (...args) => run("cloud-init", args);
  const folder = mkdtempSync(join(tmpdir(), "capstan-cloud-init-"));
  const fetch = (): ReturnType<CloudInit> => run("apt-get", ["download", ...PACKAGES], { cwd: folder });
  // A new machine has no package lists yet; if it cannot fetch them, the error follows below.
  const first = fetch();
  const download = first.isOk || !run("apt-get", ["update"]).isOk ? first : fetch();
  if (!download.isOk) {
    return `there is no cloud-init here, and apt-get cannot download it (on Debian: apt-get update): ${download.output.trim().slice(0, 300)}`;
  }
  const root = join(folder, "root");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".deb"))) {
    const unpacked = run("dpkg-deb", ["-x", join(folder, file), root]);
    if (!unpacked.isOk) return `${file} cannot be unpacked: ${unpacked.output}`;
  }
  const PYTHONPATH = join(root, "usr/lib/python3/dist-packages");
  const cloudInit: CloudInit = (...args) =>
    run("/usr/bin/python3", [join(root, "usr/bin/cloud-init"), ...args], {
      env: { ...process.env, PYTHONPATH },
    });
  const { isOk, output } = cloudInit("--version");
  return isOk ? cloudInit : `cloud-init was unpacked and does not run: ${output.trim().slice(-300)}`;
}

/** Writes a text to a new file. */
export function fileOf(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "capstan-cloud-config-")), "user-data");
  writeFileSync(path, text);
  return path;
}

function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): ReturnType<CloudInit> {
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: "utf8" });
  return { isOk: status === 0, output: error ? error.message : status === 0 ? stdout : stdout + stderr };
}
