import { keptServing, servingFolder } from "@capstan/apiserver";
import { type Azure, createAzure, openSqliteStore, serveAzure, type Store } from "@capstan/azure-sim";
import type { AdjustableClock, Env } from "@capstan/env";
import { CommandError } from "../command-error.ts";
import { openClock } from "../data-directory/clock.ts";
import { portProblem } from "../port-problem.ts";
import { azureFolder, keptControlToken } from "./control-token.ts";

/** How to start a simulated Azure. */
export interface SimulatorOptions {
  /** The machine's: certificates are made and judged in the time of those who check them. */
  readonly env: Env;
  /** The time that the cloud lives in; the data directory's, or one that is not kept either, unless told. */
  readonly clock?: AdjustableClock;
  /** Where certificates and the control token are kept; only whoever holds it may start one in it. */
  readonly dataDir: string;
  /** Whether the cloud itself is kept there, too. */
  readonly isKept: boolean;
  readonly port: number;
  /** The flag that the port came by, for the sentence about a port that cannot be had. */
  readonly portFlag: string;
  readonly seed?: string;
  /** How many times as fast as ours its time goes, where no clock is given; as before unless told, and 1 at first. */
  readonly speed?: number;
  /** Serves plain HTTP, for callers that cannot be given an authority. */
  readonly isPlain?: boolean;
}

/** A simulated Azure that is served. */
export interface Simulator {
  readonly azure: Azure;
  readonly url: string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Starts the simulated Azure of a data directory, or goes on with what it has kept. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { env, dataDir, isKept, speed } = options;
  const clock =
    options.clock ?? openClock({ env, ...(isKept && { dataDir }), ...(speed !== undefined && { speed }) });
  const controlToken = keptControlToken(env, dataDir);
  const store = isKept ? openSqliteStore(azureFolder(dataDir)) : undefined;
  try {
    const azure = createAzure({
      env,
      clock,
      settings: { controlToken },
      ...(store && { store }),
      ...(options.seed !== undefined && { seed: options.seed }),
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

async function serve(azure: Azure, options: SimulatorOptions, store: Store | undefined): Promise<Simulator> {
  const { env, dataDir, port, portFlag, seed, isPlain = false } = options;
  if (seed !== undefined && azure.control.seed !== seed)
    throw new CommandError(
      `${dataDir} holds a cloud of seed ${azure.control.seed}, which --seed ${seed} cannot change; choose another with --data-dir`,
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

/** A running simulator in a few words: where it is, and what is in it. */
export function describeSimulator({ azure, url }: Simulator): string {
  const { control } = azure;
  const count = control.state().resources.length;
  const speed = control.speed === 1 ? "" : `, speed ${control.speed}`;
  return `simulated Azure on ${url}: ${count} ${count === 1 ? "resource" : "resources"}, seed ${control.seed}${speed}`;
}
