import { execFileSync, spawnSync } from "node:child_process";
import { type JsonObject, valueAt } from "@capstan/api";
import { parse } from "yaml";
import { killAll } from "../../journeys/capstan.ts";
import { type CapstanUp, startCapstanUp } from "../capstan-up.ts";
import { interopProgram } from "../programs.ts";
import type { Table } from "../table.ts";
import { waitFor } from "../wait.ts";

const JOINED_MS = 5 * 60_000;
const CLUSTER = "examples/ha-cluster";

/** The user data of each kind of machine, as kubeadm and cloud-init read it. */
export const bootstrapData: Table = {
  name: "bootstrap-data",
  about: "our user data, read by kubeadm and cloud-init",
  inputs: [
    "packages/{api,manager,plan,runtime}/src/**/*.ts",
    "test/interop/kubernetes/*",
    "test/interop/tables/bootstrap-data.ts",
    "examples/ha-cluster/*",
  ],
  run: async ({ say }) => {
    const kubeadm = interopProgram("kubeadm", say);
    const up = await startCapstanUp(say);
    try {
      await up.kubectl("apply", "-f", CLUSTER);
      const found = await waitFor(JOINED_MS, () => userDataOfEachKind(up));
      if (!found) return { summary: "no user data", problems: ["machines of a kind have no user data"] };
      const problems = [...found].flatMap(([kind, userData]) =>
        [
          ...validated(up, kubeadm, userData),
          ...(hasCloudInit() ? [schemaProblem(up, userData)] : []),
        ].flatMap((problem) => (problem === undefined ? [] : [`${kind}: ${problem}`])),
      );
      const reader = hasCloudInit() ? "kubeadm and cloud-init" : "kubeadm (cloud-init is not installed)";
      return { summary: `user data of ${[...found.keys()].join(", ")}: read by ${reader}`, problems };
    } finally {
      await up.stop();
      killAll();
    }
  },
};

/** The kinds of machines, by what their KubeadmConfigs say. */
const KINDS: Readonly<Record<string, (config: JsonObject) => boolean>> = {
  "a first control plane": (config) =>
    valueAt(config, ["spec", "initConfiguration"]) !== undefined && !hasJoin(config),
  "another control plane": (config) =>
    valueAt(config, ["spec", "joinConfiguration", "controlPlane"]) !== undefined,
  "a machine of a MachineDeployment": (config) => isWorker(config) && ownerOf(config) === "Machine",
  "a machine of a MachinePool": (config) => isWorker(config) && ownerOf(config) === "MachinePool",
};

const hasJoin = (config: JsonObject): boolean => valueAt(config, ["spec", "joinConfiguration"]) !== undefined;
const isWorker = (config: JsonObject): boolean =>
  hasJoin(config) && valueAt(config, ["spec", "joinConfiguration", "controlPlane"]) === undefined;
const ownerOf = (config: JsonObject): unknown => {
  const owners = valueAt(config, ["metadata", "ownerReferences"]);
  return Array.isArray(owners) ? valueAt(owners[0], ["kind"]) : undefined;
};

/** Undefined until there is user data for a machine of each kind. */
async function userDataOfEachKind(up: CapstanUp): Promise<ReadonlyMap<string, string> | undefined> {
  const configs = await up.objects("kubeadmconfigs");
  const found = new Map<string, string>();
  for (const [kind, isKind] of Object.entries(KINDS)) {
    const name = valueAt(configs.find(isKind), ["status", "dataSecretName"]);
    if (typeof name !== "string") return undefined;
    const { out } = await up.kubectl("get", "secret", name, "-o", "jsonpath={.data.value}");
    if (out === "") return undefined;
    found.set(kind, Buffer.from(out, "base64").toString());
  }
  return found;
}

const HOSTNAME = "node-1";

/** The user data on a machine, where cloud-init has put in the machine's name. */
function rendered(userData: string): string {
  return userData.replaceAll(/\{\{ ds\.meta_data\[\\?"local_hostname\\?"\] \}\}/g, HOSTNAME);
}

/** What kubeadm says about each of its files. */
function validated(up: CapstanUp, kubeadm: string, userData: string): readonly (string | undefined)[] {
  const files = valueAt(parse(rendered(userData)), ["write_files"]);
  const configurations = (Array.isArray(files) ? files : []).filter((file) =>
    /^\/run\/kubeadm\/.*\.yaml$/.test(String(valueAt(file, ["path"]))),
  );
  if (configurations.length === 0) return ["it has no configuration of kubeadm"];
  return configurations.map((file) => {
    const path = up.file("kubeadm.yaml", String(valueAt(file, ["content"])));
    const { status, stderr, stdout } = spawnSync(kubeadm, ["config", "validate", "--config", path], {
      encoding: "utf8",
    });
    // A warning about a deprecated field is a problem, too.
    return status === 0 && stderr.trim() === "" ? undefined : `kubeadm says: ${stderr}${stdout}`;
  });
}

function hasCloudInit(): boolean {
  return spawnSync("cloud-init", ["--version"]).status === 0;
}

/** What cloud-init says about the user data, which it renders itself. */
function schemaProblem(up: CapstanUp, userData: string): string | undefined {
  const metadata = JSON.stringify({ ds: { meta_data: { local_hostname: HOSTNAME } } });
  const given = ["-i", up.file("instance.json", metadata), up.file("user-data", userData)];
  const text = execFileSync("cloud-init", ["devel", "render", ...given], { encoding: "utf8" });
  if (text !== rendered(userData).replace(/^## template: jinja\n/, ""))
    return "cloud-init renders it differently from this table";
  const path = up.file("rendered.yaml", text);
  const { status, stderr, stdout } = spawnSync("cloud-init", ["schema", "--config-file", path], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : `cloud-init says: ${stderr}${stdout}`;
}
