import { keptServing } from "@capstan/apiserver";
import { servingFolder } from "@capstan/apiserver/layout";
import {
  type Azure,
  type AzureSettings,
  createAzure,
  type Latencies,
  latenciesAt,
  openSqliteStore,
  serveAzure,
  type Store,
} from "@capstan/azure-sim";
import type { AdjustableClock, Env } from "@capstan/env";
import { CommandError } from "../command-error.ts";
import { openClock } from "../data-directory/clock.ts";
import { portProblem } from "../port-problem.ts";
import { azureFolder, keptControlToken } from "./control-token.ts";

/** How to start a simulated Azure. */
export interface SimulatorOptions {
  /** The real environment: certificates are issued and checked in the time of the clients that verify them. */
  readonly env: Env;
  /** The clock of the simulated Azure. Default: that of the data directory, or one that is not persisted. */
  readonly clock?: AdjustableClock;
  /**
   * Where certificates and the control token are stored; only the process that holds its lock may start a simulator
   * there.
   */
  readonly dataDir: string;
  /** Whether the simulated Azure itself is persisted there, too. */
  readonly isKept: boolean;
  readonly port: number;
  /** The flag that set the port, for the error message about a port that is not available. */
  readonly portFlag: string;
  readonly seed?: string;
  /** The speed of its clock relative to the machine's, where no clock is given. Default: as before, 1 at first. */
  readonly speed?: number;
  /** How many times faster than in Azure operations end, at the time of its clock. */
  readonly operationSpeed?: number;
  /** How long operations take, where that differs from the recorded times. */
  readonly latencies?: Latencies;
  /** Serves plain HTTP, for clients that cannot be given a certificate authority. */
  readonly isPlain?: boolean;
  /** Holds the time of the simulated Azure until it is released: its guests start later. */
  readonly isHeld?: boolean;
}

/** A simulated Azure that listens on a port. */
export interface Simulator {
  readonly azure: Azure;
  readonly url: string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Starts the simulated Azure of a data directory, from its persisted state if there is one. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { env, dataDir, isKept, speed } = options;
  const clock =
    options.clock ?? openClock({ env, ...(isKept && { dataDir }), ...(speed !== undefined && { speed }) });
  const store = isKept ? openSqliteStore(azureFolder(dataDir)) : undefined;
  try {
    const azure = createAzure({
      env,
      clock,
      settings: settingsOf(options),
      ...(store && { store }),
      ...(options.seed !== undefined && { seed: options.seed }),
      isHeld: options.isHeld,
    });
    try {
      return await serve(azure, options, store);
    } catch (error) {
      azure.close();
      throw error;
    }
  } catch (error) {
    store?.close();
    throw error;
  }
}

function settingsOf(options: SimulatorOptions): Partial<AzureSettings> {
  const { env, dataDir, operationSpeed = 1 } = options;
  const latencies = { ...latenciesAt(operationSpeed), ...options.latencies };
  return { controlToken: keptControlToken(env, dataDir), latencies };
}

async function serve(azure: Azure, options: SimulatorOptions, store: Store | undefined): Promise<Simulator> {
  const { env, dataDir, port, portFlag, seed, isPlain = false } = options;
  if (seed !== undefined && azure.control.seed !== seed)
    throw new CommandError(
      `${dataDir} holds a simulated Azure with seed ${azure.control.seed}, which --seed ${seed} cannot change; choose another directory with --data-dir`,
    );
  const { server: tls } = await keptServing(env, servingFolder(dataDir));
  const server = await serveAzure(azure, { host: HOST, port, ...(!isPlain && { tls }) }).catch(
    (error: unknown) => {
      throw portProblem(error, port, portFlag);
    },
  );
  return {
    azure,
    url: `${isPlain ? "http" : "https"}://${HOST}:${server.port}`,
    close: async () => {
      await server.close();
      azure.close();
      store?.close();
    },
  };
}

/** Summarizes a running simulator: its address, and how much is in it. */
export function describeSimulator({ azure, url }: Simulator): string {
  const { control } = azure;
  const count = control.state().resources.length;
  const speed = control.speed === 1 ? "" : `, speed ${control.speed}`;
  return `simulated Azure on ${url}: ${count} ${count === 1 ? "resource" : "resources"}, seed ${control.seed}${speed}`;
}
