import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, type Running } from "../journeys/capstan.ts";
import type { ServedAzure } from "./management.ts";

/** `capstan azure-sim --guests` in a process of its own. */
export interface GuestAzure extends ServedAzure {
  readonly running: Running;
  /** The ids of everything in it. */
  readonly resources: () => Promise<readonly string[]>;
  /** Runs `capstan sim` with this Azure. */
  readonly sim: (...args: readonly string[]) => Promise<string>;
}

// A virtual machine boots in a second or two, and kubeadm init takes a third of a second.
const SPEED = 60;

/** Starts a simulated Azure whose machines boot, join and become Nodes. */
export async function startGuestAzure(program: string): Promise<GuestAzure> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-guests-"));
  const flags = ["--guests", "--port", "0", "--speed", String(SPEED), "--data-dir", folder];
  const running = launch(["azure-sim", ...flags], { program });
  const out = await running.until(/^subscription/m);
  const fact = (name: string): string => new RegExp(`^${name} +(\\S.*)$`, "m").exec(out)?.[1] ?? "";
  const sim = async (...args: readonly string[]): Promise<string> => {
    const { code, out: text, err } = await launch(["sim", ...args, "--data-dir", folder], { program }).ended;
    if (code !== 0) throw new Error(`capstan sim ${args.join(" ")}: ${err}`);
    return text;
  };
  return {
    running,
    endpoint: fact("endpoint"),
    ca: fact("authority \\(CA\\)"),
    sim,
    resources: async () => {
      const { resources } = JSON.parse(await sim("status", "-o", "json")) as {
        readonly resources: readonly { readonly id: string }[];
      };
      return resources.map(({ id }) => id);
    },
    stop: async () => {
      running.child.kill("SIGTERM");
      await running.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
