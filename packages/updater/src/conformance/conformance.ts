import type { Clock, Transport } from "@capstan/env";
import { HOOKS_API } from "../cluster-api/wire.ts";
import { send } from "./caller.ts";
import {
  type Check,
  checksOf,
  machineCheck,
  type NamedMachine,
  pathOf,
  type SendTo,
  type TestedHandler,
} from "./checks.ts";
import { discover, type Discovered, UPDATER_API } from "./discovery.ts";

/** The updater under test. */
export interface ConformanceOptions {
  /** Opens a connection to the updater: one for most requests, and another one for those that a server may break off. */
  readonly connect: () => Transport;
  readonly clock: Pick<Clock, "timer">;
  /** A Machine of the management cluster that UpdateMachine is called for, which may change it; none unless given. */
  readonly machine?: NamedMachine;
  /** The length of the longest body that is sent; 8 MiB unless given. */
  readonly hugeBytes?: number;
}

// Twice what updaters of the SDK read.
const HUGE_BYTES = 8 * 1024 * 1024;

/** The result of one check. */
export interface CheckResult {
  /** `discovery`, or the dialect and the hook. */
  readonly about: string;
  /** What a controller relies on. */
  readonly check: string;
  readonly isPassed: boolean;
  /** What was wrong. */
  readonly problem?: string;
}

/** The results of all checks. */
export interface ConformanceReport {
  readonly isPassed: boolean;
  readonly results: readonly CheckResult[];
}

const DIALECTS: Readonly<Record<string, string>> = { [UPDATER_API]: "capstan", [HOOKS_API]: "cluster-api" };

/** Calls an updater of either dialect with good and hostile requests. Unless a Machine is named, nothing is updated. */
export async function checkConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { connect, clock } = options;
  const transport = connect();
  const sendWithin =
    (seconds: number): SendTo =>
    async ({ isBrokenOff = false, ...request }) => {
      const own = isBrokenOff ? connect() : transport;
      const received = await send({ transport: own, clock }, { timeoutSeconds: seconds, ...request });
      if (isBrokenOff) void own.close();
      return received;
    };
  try {
    return await checkWith(sendWithin, options);
  } finally {
    await transport.close();
  }
}

async function checkWith(
  sendWithin: (seconds: number) => SendTo,
  options: ConformanceOptions,
): Promise<ConformanceReport> {
  const callers = ["capstan", "cluster-api"] as const;
  const found: Discovered[] = [];
  for (const caller of callers) found.push(await discover(sendWithin(10), caller));
  const results: CheckResult[] = found.map(({ problems }, index) =>
    resultOf("discovery", `${TITLES[callers[index] ?? "capstan"]} can use the answer`, problems.join("; ")),
  );
  const { hugeBytes = HUGE_BYTES } = options;
  for (const discovered of distinct(found.flatMap(({ handlers }) => handlers))) {
    const handler: TestedHandler = { ...discovered, hugeBytes };
    const sendTo = sendWithin(handler.timeoutSeconds);
    for (const check of [...checksOf(handler), ...more(handler, options)])
      results.push(await run(check, sendTo, handler));
  }
  return { isPassed: results.every(({ isPassed }) => isPassed), results };
}

const TITLES = { capstan: "Capstan", "cluster-api": "Cluster API" } as const;

function more({ hook }: TestedHandler, { machine }: ConformanceOptions): readonly Check[] {
  return machine && hook === "UpdateMachine" ? [machineCheck(machine)] : [];
}

async function run(check: Check, sendTo: SendTo, handler: TestedHandler): Promise<CheckResult> {
  const about = `${DIALECTS[handler.api] ?? handler.api} ${handler.hook}`;
  return resultOf(about, check.says, (await check.run(sendTo, handler)) ?? "");
}

function resultOf(about: string, check: string, problem: string): CheckResult {
  return { about, check, isPassed: problem === "", ...(problem !== "" && { problem }) };
}

/** Both callers may see the same handlers. */
function distinct(handlers: Discovered["handlers"]): Discovered["handlers"] {
  return [...new Map(handlers.map((handler) => [pathOf(handler), handler])).values()];
}

const COLUMNS = 80;

/** The report as text of at most 80 columns. */
export function conformanceText({ results }: ConformanceReport): string {
  const lines: string[] = [];
  let about = "";
  for (const result of results) {
    if (result.about !== about) lines.push(...(about === "" ? [] : [""]), result.about);
    about = result.about;
    lines.push(`  ${result.isPassed ? "ok    " : "FAILED"}  ${result.check}`);
    if (result.problem !== undefined)
      lines.push(...wrapped(result.problem, COLUMNS - 10).map((line) => `          ${line}`));
  }
  const failed = results.filter(({ isPassed }) => !isPassed).length;
  lines.push("", `${results.length - failed} passed, ${failed} failed`);
  return `${lines.join("\n")}\n`;
}

/** Lines of so many columns, broken between words, and in long words. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text
    .split(/\s+/)
    .flatMap((one) => one.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [])) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
