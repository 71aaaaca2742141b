/** `capstan up` in a process of its own, with the programs that talk to it. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { JsonObject } from "@capstan/api";
import { launch, READY } from "../journeys/capstan.ts";
import { kubeAssets } from "../kube/assets.ts";
import { interopProgram } from "./programs.ts";

/** How a program ended. */
interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Run = (...args: readonly string[]) => Promise<Ran>;

/** A running `capstan up`. */
export interface CapstanUp {
  /** For files of the table. */
  readonly folder: string;
  readonly kubectl: Run;
  readonly clusterctl: Run;
  /** The manifests of a folder in v1beta1. */
  readonly inV1Beta1: (path: string) => Promise<Ran>;
  /** The objects of kinds, such as "machines,machinesets". */
  readonly objects: (kinds: string, ...args: readonly string[]) => Promise<readonly JsonObject[]>;
  /** The resources in the simulated Azure, as a text without times. */
  readonly resources: () => Promise<string>;
  readonly file: (name: string, text: string) => string;
  readonly stop: () => Promise<void>;
}

const LONGEST_OUTPUT = 64 * 1024 * 1024;

/** Starts `capstan up` in an empty folder, on free ports, with a minute in a second, and perhaps with more flags. */
export async function startCapstanUp(
  say: (line: string) => void,
  flags: readonly string[] = [],
): Promise<CapstanUp> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-up-"));
  const dataDir = join(folder, "data");
  const kubectlPath = kubeAssets(say).kubectl;
  const clusterctlPath = interopProgram("clusterctl", say);
  const home = join(folder, "home");
  mkdirSync(home);
  const env = {
    ...process.env,
    PATH: [dirname(kubectlPath), process.env["PATH"]].join(delimiter),
    KUBECONFIG: join(dataDir, "kubeconfig"),
    // clusterctl keeps its settings there, and asks for newer versions of itself otherwise.
    HOME: home,
    XDG_CONFIG_HOME: home,
    CLUSTERCTL_DISABLE_VERSIONCHECK: "true",
  };
  const running = launch(["up", "--data-dir", dataDir, "--port", "0", "--speed", "60", ...flags]);
  await running.until(READY);
  const run =
    (program: string): Run =>
    (...args) =>
      new Promise((resolve) => {
        execFile(program, args, { env, maxBuffer: LONGEST_OUTPUT }, (error, out, err) =>
          resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
        );
      });
  const kubectl = run(kubectlPath);
  const capstan: Run = (...args) => launch(args).ended.then(ranOf);
  return {
    folder,
    kubectl,
    clusterctl: run(clusterctlPath),
    inV1Beta1: (path) => capstan("convert", "-f", path, "--to", "v1beta1"),
    objects: async (kinds, ...args) => {
      const { out } = await kubectl("get", kinds, "-o", "json", ...args);
      return out === "" ? [] : (JSON.parse(out) as { readonly items: readonly JsonObject[] }).items;
    },
    resources: async () => {
      const { out } = await capstan("sim", "status", "-o", "json", "--data-dir", dataDir);
      return out.replaceAll(/^.*"(time|nowMs)".*$/gm, "");
    },
    file: (name, text) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    stop: async () => {
      running.child.kill("SIGINT");
      await running.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ranOf({
  code,
  out,
  err,
}: {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}): Ran {
  return { code: code ?? 1, out, err };
}
