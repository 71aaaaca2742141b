import type { FaultEffect, FaultMatch, FaultRule } from "@capstan/azure-sim";
import { type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { scopeNamed } from "../azure/resolve.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { table } from "../render/table.ts";
import type { Shell } from "../shell.ts";

/** `capstan sim faults list`: the active faults. */
export async function listFaults(
  { out }: Shell,
  { address, output }: { readonly address: SimulatorAddress; readonly output: OutputForm },
): Promise<number> {
  const faults = await withControl(address, (control) => control.faults());
  out.write(
    await printed(faults, output, () =>
      faults.length === 0
        ? "no faults\n"
        : table(
            ["NAME", "REQUESTS", "EFFECT"],
            faults.map(({ id, match, effect }) => [id, inWords(match) || "all", effectInWords(effect)]),
          ),
    ),
  );
  return EXIT.done;
}

/** The flags that select the effect of a fault. */
export interface EffectFlags {
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  /** In milliseconds. */
  readonly retryAfter?: number;
  /** In milliseconds. */
  readonly delay?: number;
  readonly drop?: boolean;
  readonly loseAnswer?: boolean;
  readonly failOperation?: boolean;
  readonly failButApply?: boolean;
  readonly failInstances?: number;
}

/** A fault to activate. */
export interface AddFaultOptions {
  readonly address: SimulatorAddress;
  /** Default: the first free name. */
  readonly name?: string;
  readonly match: FaultMatch;
  readonly effect: FaultEffect;
}

/** `capstan sim faults add`: makes requests fail from now on. */
export async function addFault({ out }: Shell, options: AddFaultOptions): Promise<number> {
  const { address, match, effect } = options;
  const rule = await withControl(address, async (control): Promise<FaultRule> => {
    const taken = new Set((await control.faults()).map(({ id }) => id));
    if (options.name !== undefined && taken.has(options.name))
      throw new CommandError(
        `fault ${options.name} exists already; clear it first, or give this one another name`,
      );
    const resource =
      match.resource === undefined ? undefined : scopeNamed(await control.state(), match.resource);
    const found: FaultRule = {
      id: options.name ?? freeName(taken),
      match: { ...match, ...(resource !== undefined && { resource }) },
      effect,
    };
    await control.addFault(found);
    return found;
  });
  out.write(`fault ${rule.id}: ${inWords(rule.match) || "all requests"}: ${effectInWords(rule.effect)}\n`);
  return EXIT.done;
}

function freeName(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`fault-${number}`)) number++;
  return `fault-${number}`;
}

/** `capstan sim faults clear`: removes faults, all of them unless some are named. */
export async function clearFaults(
  { out }: Shell,
  { address, names }: { readonly address: SimulatorAddress; readonly names: readonly string[] },
): Promise<number> {
  const cleared = await withControl(address, async (control) => {
    const known = (await control.faults()).map(({ id }) => id);
    const missing = names.find((name) => !known.includes(name));
    if (missing !== undefined)
      throw new CommandError(`there is no fault ${missing}; existing: ${known.join(", ") || "none"}`);
    const chosen = names.length === 0 ? known : names;
    for (const id of chosen) await control.removeFault(id);
    return chosen;
  });
  out.write(cleared.length === 0 ? "no faults\n" : `cleared ${cleared.join(", ")}\n`);
  return EXIT.done;
}

/** The one effect that the flags describe; otherwise an error message. */
export function effectOf(flags: EffectFlags): FaultEffect | string {
  const chosen = (Object.keys(EFFECTS) as (keyof typeof EFFECTS)[]).filter(
    (flag) => flags[flag] !== undefined,
  );
  const [flag] = chosen;
  const all = Object.keys(EFFECTS).map(dashed).join(", ");
  if (flag === undefined) return `no effect is given; give one of ${all}`;
  if (chosen.length > 1) return `${chosen.map(dashed).join(" and ")} cannot go together; give one of ${all}`;
  const { needsCode, make } = EFFECTS[flag];
  if (needsCode && flags.code === undefined)
    return `${dashed(flag)} needs --code, the error code that callers see, such as InternalServerError`;
  const message = flags.message === undefined ? {} : { message: flags.message };
  return make(flags, { code: flags.code ?? "", ...message });
}

type ErrorText = { readonly code: string; readonly message?: string };

/** The effect of each flag; the first flag that is given decides. */
const EFFECTS: Readonly<
  Record<
    "status" | "delay" | "drop" | "loseAnswer" | "failOperation" | "failButApply" | "failInstances",
    { readonly needsCode: boolean; readonly make: (flags: EffectFlags, error: ErrorText) => FaultEffect }
  >
> = {
  status: {
    needsCode: true,
    make: ({ status = 500, retryAfter }, error) => ({
      kind: "status",
      status,
      ...error,
      ...(retryAfter !== undefined && { retryAfterSeconds: Math.ceil(retryAfter / 1000) }),
    }),
  },
  delay: { needsCode: false, make: ({ delay = 0 }) => ({ kind: "delay", ms: delay }) },
  drop: { needsCode: false, make: () => ({ kind: "drop" }) },
  loseAnswer: { needsCode: false, make: () => ({ kind: "lostResponse" }) },
  failOperation: { needsCode: true, make: (_, error) => ({ kind: "operationFails", ...error }) },
  failButApply: { needsCode: true, make: (_, error) => ({ kind: "failedButApplied", ...error }) },
  failInstances: {
    needsCode: true,
    make: ({ failInstances: share = 1 }, error) => ({ kind: "someInstancesFail", share, ...error }),
  },
};

function dashed(flag: string): string {
  return `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function inWords(match: FaultMatch): string {
  return Object.entries(match)
    .map(([field, value]) => `${field}=${value}`)
    .join(" ");
}

function effectInWords({ kind, ...rest }: FaultEffect): string {
  return [kind, ...Object.entries(rest).map(([field, value]) => `${field}=${value}`)].join(" ");
}
