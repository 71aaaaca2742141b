import { createRng } from "@capstan/env";
import { ArmError, type ErrorBody } from "../arm/errors.ts";
import type { Call } from "../core/call.ts";
import { Table } from "../core/table.ts";
import type { FaultEffect, FaultMatch, FaultRule } from "./fault.ts";

/** A rule, and how many requests have matched it. */
interface ActiveRule {
  readonly rule: FaultRule;
  readonly seen: number;
}

type Asked = Pick<Call, "method" | "path" | "operation">;

/** The active faults. */
export class Faults {
  readonly table: Table<ActiveRule>;
  readonly #seed: string;

  constructor(seed: string, isStored: boolean) {
    this.table = new Table<ActiveRule>("fault", isStored);
    this.#seed = seed;
  }

  add(rule: FaultRule): void {
    this.table.set(rule.id, { rule, seen: 0 });
  }

  remove(id: string): void {
    this.table.delete(id);
  }

  list(): readonly FaultRule[] {
    return [...this.table.entries()].map(([, { rule }]) => rule);
  }

  /** The faults that hit this request. Each rule counts the requests that match it. */
  effectsOn(asked: Asked): readonly FaultEffect[] {
    if (this.table.size === 0) return [];
    const effects: FaultEffect[] = [];
    for (const [id, { rule, seen }] of this.table.entries()) {
      if (!fits(rule.match, asked)) continue;
      this.table.set(id, { rule, seen: seen + 1 });
      if (this.#hits(rule, seen + 1)) effects.push(rule.effect);
    }
    return effects;
  }

  #hits({ id, match }: FaultRule, count: number): boolean {
    if (match.nth !== undefined && count !== match.nth) return false;
    if (match.times !== undefined && count > match.times) return false;
    return (
      match.probability === undefined ||
      createRng(this.#seed, `fault/${id}/${count}`).next() < match.probability
    );
  }
}

function fits(match: FaultMatch, { method, path, operation }: Asked): boolean {
  const lower = path.toLowerCase();
  const resource = match.resource?.toLowerCase();
  return (
    (match.method === undefined || match.method.toUpperCase() === method) &&
    (match.path === undefined || lower.includes(match.path.toLowerCase())) &&
    (resource === undefined || lower === resource || lower.startsWith(`${resource}/`)) &&
    (match.operation === undefined || match.operation === operation)
  );
}

/** The refusal that a fault returns in place of an answer. */
export function refusalOf(effects: readonly FaultEffect[]): ArmError | undefined {
  const effect = effects.find((one) => one.kind === "status");
  if (!effect) return undefined;
  const headers =
    effect.retryAfterSeconds === undefined ? {} : { "retry-after": String(effect.retryAfterSeconds) };
  return new ArmError(effect.status, errorOf(effect), { headers });
}

/** The error with which a fault ends the operation of this call. */
export function faultError(call: Call, kind: "operationFails" | "failedButApplied"): ErrorBody | undefined {
  const effect = call.notes.faults.find((one) => one.kind === kind);
  return effect?.kind === kind ? errorOf(effect) : undefined;
}

/** The share of a call's instances that a fault makes fail, and the error. */
export function instanceFault(call: Call): { readonly share: number; readonly error: ErrorBody } | undefined {
  const whole = faultError(call, "operationFails");
  if (whole) return { share: 1, error: whole };
  const effect = call.notes.faults.find((one) => one.kind === "someInstancesFail");
  return effect && { share: effect.share, error: errorOf(effect) };
}

function errorOf({ code, message }: { readonly code: string; readonly message?: string }): ErrorBody {
  return { code, message: message ?? `The simulated fault '${code}' is active for this request.` };
}
