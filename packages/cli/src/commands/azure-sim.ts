import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { servingFolder } from "@capstan/apiserver/layout";
import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { AdjustableClock } from "@capstan/env";
import {
  describeSimulator,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "../azure/simulator.ts";
import type { StandaloneGuests } from "../azure/standalone-guests.ts";
import { removeContents } from "../data-directory/contents.ts";
import { openDataDirectory } from "../data-directory/data-directory.ts";
import { EXIT } from "../exit-codes.ts";
import { quoted } from "../render/amounts.ts";
import { paintFor, tryNext } from "../render/paint.ts";
import { facts } from "../render/table.ts";
import type { Shell } from "../shell.ts";
import { aborted } from "../signals.ts";

/** How to start. */
export interface AzureSimOptions {
  /** Where the simulated Azure is persisted; without it, its state ends with the process. */
  readonly dataDir?: string;
  readonly port: number;
  readonly seed?: string;
  readonly speed?: number;
  /** Plain HTTP instead of HTTPS. */
  readonly http: boolean;
  /** Whether machines boot, join clusters and become Nodes. */
  readonly guests: boolean;
}

/** `capstan azure-sim`: serves a simulated Azure alone, to any SDK, until SIGTERM or Ctrl-C. */
export async function azureSim(shell: Shell, options: AzureSimOptions): Promise<number> {
  const stop = shell.stopSignal();
  const { out, env } = shell;
  const isKept = options.dataDir !== undefined;
  // Clients read the certificate authority, and `capstan sim` its token, from a folder, so one is needed in any case.
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "capstan-azure-"));
  const directory = openDataDirectory(dataDir, shell);
  try {
    const { port, seed, http: isPlain } = options;
    const simulator = await startSimulator({
      env,
      dataDir,
      isKept,
      port,
      portFlag: "--port",
      isPlain,
      ...(seed !== undefined && { seed }),
      ...paceOf(shell, options),
    });
    try {
      directory.announce({ azureUrl: simulator.url });
      const guests = options.guests ? await startGuestsOf(shell, simulator, options) : undefined;
      introduce(shell, simulator, { dataDir, isKept, isPlain });
      await aborted(stop);
      await guests?.close();
    } finally {
      await simulator.close();
    }
  } finally {
    directory.release();
    if (!isKept) removeContents(dataDir);
  }
  out.write(isKept ? `\nstopped; all data is kept in ${dataDir}\n` : "\nstopped; no data is kept\n");
  return EXIT.done;
}

/**
 * Guests have the time of the programs that they meet: a Node from the future would not be believed. So with guests only what
 * happens is faster, and not the clock.
 */
function paceOf({ env }: Shell, { guests, speed }: AzureSimOptions): Partial<SimulatorOptions> {
  if (!guests) return speed === undefined ? {} : { speed };
  return {
    clock: new AdjustableClock(env.clock),
    isHeld: true,
    ...(speed !== undefined && { operationSpeed: speed }),
  };
}

async function startGuestsOf(
  shell: Shell,
  { azure }: Simulator,
  { dataDir, speed = 1 }: AzureSimOptions,
): Promise<StandaloneGuests> {
  const { startStandaloneGuests } = await import("../azure/standalone-guests.ts");
  const guests = await startStandaloneGuests({
    env: shell.env,
    azure,
    speed,
    ...(dataDir !== undefined && { folder: dataDir }),
    say: (line) => shell.out.write(`${line}\n`),
    log: shell.err,
  });
  azure.release();
  return guests;
}

interface Introduction {
  readonly dataDir: string;
  readonly isKept: boolean;
  readonly isPlain: boolean;
}

function introduce({ out, variables }: Shell, simulator: Simulator, about: Introduction): void {
  const { dataDir, isKept, isPlain } = about;
  const paint = paintFor(out, variables);
  const authority = join(servingFolder(dataDir), "ca.crt");
  const { tenantId, clientId, clientSecret = "" } = DEFAULT_PRINCIPAL;
  out.write(`${paint.tick}${describeSimulator(simulator)}\n\n`);
  out.write(
    facts([
      ["endpoint", simulator.url],
      ...(isPlain ? [] : [["authority (CA)", authority] as const]),
      ["tenant", tenantId],
      ["client id", clientId],
      ["client secret", clientSecret],
      ["subscription", DEFAULT_SUBSCRIPTION],
    ]),
  );
  const lines = [
    tokenCommand(simulator.url, isPlain ? undefined : authority),
    `npx capstan sim status --data-dir ${quoted(dataDir)}`,
    `npx capstan sim journal --follow --data-dir ${quoted(dataDir)}`,
  ];
  out.write(tryNext(lines, paint));
  const end = isKept ? "all data is kept" : "no data is kept; use --data-dir to keep it";
  out.write(paint.faint(`\nCtrl-C stops it; ${end}.\n`));
}

/** Signs in as the principal that exists from the start, with tools that every machine has. */
function tokenCommand(url: string, authority: string | undefined): string {
  const { tenantId, clientId, clientSecret = "" } = DEFAULT_PRINCIPAL;
  const trust = authority === undefined ? "" : ` --cacert ${quoted(authority)}`;
  const form = {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
    scope: "https://management.azure.com/.default",
  };
  const fields = Object.entries(form).map(([name, value]) => ` -d ${name}=${value}`);
  return `curl -s${trust} ${url}/${tenantId}/oauth2/v2.0/token${fields.join("")}`;
}
