import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInKinds } from "@capstan/apiserver";
import { customKinds, type KubernetesObject } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { parseAllDocuments } from "yaml";
import { connect, savedAccess } from "../../packages/cli/src/cluster/transport.ts";
import { launch, type Running } from "../journeys/capstan.ts";

/** A running `capstan up`. */
export interface Stack {
  readonly running: Running;
  readonly dataDir: string;
  readonly client: Client;
  /** The link that it printed. */
  readonly link: string;
  /** The address without the token. */
  readonly origin: string;
  /** Kills it; its folder stays. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** A client of a cluster of a data directory. */
export function clientOf(dataDir: string, cluster: string): Client {
  const access = savedAccess(dataDir, cluster);
  if (!access) throw new Error(`${cluster} has no kubeconfig`);
  return createClient({ env: createRealEnv(), transport: connect(access), fieldManager: "test" });
}

const LINK = /http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]+/;

/** Starts one in a folder of its own, or again in the folder of another. */
export async function startStack(
  flags: readonly string[],
  dataDir = mkdtempSync(join(tmpdir(), "capstan-page-stack-")),
): Promise<Stack> {
  const running = launch(["up", "--port", "0", "--data-dir", dataDir, ...flags]);
  const [link = ""] = LINK.exec(await running.until(LINK)) ?? [];
  return {
    running,
    dataDir,
    link,
    origin: link.replace(/\/#.*/, ""),
    client: clientOf(dataDir, "management"),
    stop: async () => {
      running.child.kill("SIGKILL");
      await running.ended;
    },
    close: async () => {
      running.child.kill("SIGTERM");
      await running.ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates the objects of an example. */
export async function applyExample({ client }: Stack, name: string): Promise<void> {
  for (const path of globSync(`examples/${name}/*.yaml`).toSorted()) await applyFile(client, path);
}

/** Creates the objects of a file. */
export async function applyFile(client: Client, path: string): Promise<void> {
  for (const document of parseAllDocuments(readFileSync(path, "utf8"))) {
    const object = document.toJS() as KubernetesObject | null;
    if (object === null) continue;
    const kind = [...builtInKinds, ...customKinds].find(
      (one) => one.kind === object.kind && one.apiVersion === object.apiVersion,
    );
    if (!kind) throw new Error(`no kind ${object.apiVersion} ${object.kind}`);
    await client.create(kind, { ...object, metadata: { namespace: "default", ...object.metadata } });
  }
}
