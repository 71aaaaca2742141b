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
  close(): Promise<void>;
}

const LINK = /http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]+/;

/** Starts one in a folder of its own, or again in the folder of another. */
export async function startStack(
  flags: readonly string[],
  dataDir = mkdtempSync(join(tmpdir(), "capstan-page-stack-")),
): Promise<Stack> {
  const running = launch(["up", "--port", "0", "--data-dir", dataDir, ...flags]);
  const [link = ""] = LINK.exec(await running.until(LINK)) ?? [];
  const access = savedAccess(dataDir, "management");
  if (!access) throw new Error("a server that is ready has a kubeconfig");
  const transport = connect(access);
  return {
    running,
    dataDir,
    link,
    origin: link.replace(/\/#.*/, ""),
    client: createClient({ env: createRealEnv(), transport, fieldManager: "test" }),
    close: async () => {
      await transport.close();
      running.child.kill("SIGTERM");
      await running.ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates the objects of an example. */
export async function applyExample({ client }: Stack, name: string): Promise<void> {
  for (const path of globSync(`examples/${name}/*.yaml`).toSorted()) {
    for (const document of parseAllDocuments(readFileSync(path, "utf8"))) {
      const object = document.toJS() as KubernetesObject | null;
      if (object === null) continue;
      const kind = [...builtInKinds, ...customKinds].find(
        (one) => one.kind === object.kind && one.apiVersion === object.apiVersion,
      );
      if (!kind) throw new Error(`no kind ${object.apiVersion} ${object.kind}`);
      const metadata = { namespace: "default", ...object.metadata };
      await client.create(kind, { ...object, metadata });
    }
  }
}
