import { existsSync } from "node:fs";
import { join } from "node:path";
import { servingFolder } from "@capstan/apiserver/layout";
import { readIfThere } from "@capstan/apiserver/private-file";
import type { CloudState, FaultRule, JournalEntry, Prohibition } from "@capstan/azure-sim";
import { createHttpTransport, type HttpResponse, type Transport, TransportError } from "@capstan/env";
import { CommandError } from "../command-error.ts";
import { holderOf } from "../data-directory/holder.ts";
import { savedControlToken } from "./control-token.ts";

/** Which simulator to use: the one of a data directory, unless an address is given. */
export interface SimulatorAddress {
  readonly dataDir: string;
  readonly url?: string;
  readonly token?: string;
  /** Path of the certificate authority to trust, when an address is given. */
  readonly ca?: string;
}

/** The clock of a simulated Azure. */
export interface SimClockState {
  readonly now: string;
  readonly speed: number;
}

/** A file on the disk of an instance of a scale set, or in a version of an image. */
type DiskFile = (
  | { readonly scaleSetId: string; readonly instanceId: string }
  | { readonly imageId: string }
) & { readonly path: string };

/** The control API of a running simulator. */
export interface ControlClient {
  readonly url: string;
  clock(change?: { readonly advanceSeconds?: number; readonly speed?: number }): Promise<SimClockState>;
  seed(): Promise<string>;
  state(): Promise<CloudState>;
  journal(since: number): Promise<readonly JournalEntry[]>;
  faults(): Promise<readonly FaultRule[]>;
  addFault(rule: FaultRule): Promise<void>;
  removeFault(id: string): Promise<void>;
  forbid(prohibition: Prohibition): Promise<void>;
  allow(name: string): Promise<void>;
  /** Reads a file, or writes it when a content is given; returns its content. */
  file(place: DiskFile, content?: string): Promise<string>;
  /** Acts on a scale set from outside of ARM; returns the status of ARM's answer. */
  act(action: "deleteInstance" | "deleteResource" | "evict" | "setCapacity", body: object): Promise<number>;
}

/** Uses the control API of the chosen simulator, then closes the connection. */
export async function withControl<T>(
  address: SimulatorAddress,
  use: (control: ControlClient) => Promise<T>,
): Promise<T> {
  const { url, token, ca } = foundAt(address);
  const transport = connected(url, ca);
  try {
    return await use(controlClient(transport, url, token));
  } catch (error) {
    throw explainedFor(error, url);
  } finally {
    await transport.close();
  }
}

interface Found {
  readonly url: string;
  readonly token: string;
  readonly ca?: string;
}

function foundAt({ dataDir, url, token, ca }: SimulatorAddress): Found {
  if (url === undefined) return foundIn(dataDir);
  if (token === undefined)
    throw new CommandError("--url needs --token; it is in azure/token of the simulator's data directory");
  if (ca === undefined) return { url, token };
  const authority = readIfThere(ca);
  if (authority === undefined) throw new CommandError(`there is no file ${ca}; --ca names a certificate`);
  return { url, token, ca: authority };
}

function foundIn(dataDir: string): Found {
  const holder = existsSync(dataDir) ? holderOf(dataDir) : undefined;
  if (holder === undefined)
    throw new CommandError(`nothing is running in ${dataDir}; start with: capstan up --data-dir ${dataDir}`);
  const token = savedControlToken(dataDir);
  if (holder === "unknown" || holder.azureUrl === undefined || token === undefined)
    throw new CommandError(`the simulated Azure in ${dataDir} has not started yet; try again`);
  const ca = readIfThere(join(servingFolder(dataDir), "ca.crt"));
  return { url: holder.azureUrl, token, ...(ca !== undefined && { ca }) };
}

function connected(baseUrl: string, ca: string | undefined): Transport {
  try {
    return createHttpTransport({ baseUrl, ...(ca !== undefined && { ca }) });
  } catch (error) {
    throw new CommandError(
      `--url ${baseUrl} is not an address; expected one such as https://127.0.0.1:8443`,
      {
        cause: error,
      },
    );
  }
}

function controlClient(transport: Transport, url: string, token: string): ControlClient {
  const ask = async (method: string, path: string, body?: object): Promise<HttpResponse> => {
    const answer = await transport.request({
      method,
      path: `/_sim/${path}`,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body }),
    });
    if (answer.status >= 400) throw refused(answer.status, await answer.text(), url);
    return answer;
  };
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const text = await (await ask(method, path, body)).text();
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  };
  const named = (noun: string, name: string): string => `${noun}/${encodeURIComponent(name)}`;
  return {
    url,
    clock: async (change) => (await send(change ? "POST" : "GET", "clock", change)) as SimClockState,
    seed: async () => ((await send("GET", "seed")) as { seed: string }).seed,
    state: async () => (await send("GET", "state")) as CloudState,
    journal: async (since) =>
      ((await send("GET", `journal?since=${since}`)) as { entries: JournalEntry[] }).entries,
    faults: async () => ((await send("GET", "faults")) as { value: FaultRule[] }).value,
    addFault: async (rule) => void (await send("POST", "faults", rule)),
    removeFault: async (id) => void (await send("DELETE", named("faults", id))),
    forbid: async (prohibition) => void (await send("POST", "prohibitions", prohibition)),
    allow: async (name) => void (await send("DELETE", named("prohibitions", name))),
    file: async (place, content) => {
      const read = await send("POST", "actions/file", {
        ...place,
        ...(content !== undefined && { content }),
      });
      return content ?? (read as { content: string }).content;
    },
    act: async (action, body) => {
      const answer = await ask("POST", `actions/${action}`, body);
      await answer.text();
      return answer.status;
    },
  };
}

/** The simulator's refusal as a sentence. ARM has two shapes of errors, and both arrive here. */
function refused(status: number, text: string, url: string): CommandError {
  if (status === 401)
    return new CommandError(`${url} does not take the token; it is in azure/token of its data directory`);
  const { error, ...bare } = asJson(text) as { error?: { message?: string }; message?: string };
  const why = error?.message ?? bare.message ?? `status ${status}`;
  return new CommandError(`${url} refuses: ${why}`, { cause: { status } });
}

function asJson(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    // The server that answers is not a simulator.
    return {};
  }
}

function explainedFor(error: unknown, url: string): unknown {
  if (!(error instanceof TransportError)) return error;
  if (error.failure === "tls")
    return new CommandError(
      `the certificate of ${url} is not trusted; pass its certificate authority with --ca`,
      {
        cause: error,
      },
    );
  return new CommandError(error.message, { cause: error });
}
