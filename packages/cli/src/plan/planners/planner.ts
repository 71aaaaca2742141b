import { counted } from "../../render/amounts.ts";
import type { Transport } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import type { Shell } from "../../shell.ts";
import type { GivenObjects, PlanObjects } from "../read/given-objects.ts";
import type { PlanForm } from "../print/plan-form.ts";
import type { PoolForecast } from "./forecast-plan.ts";

/** The JSON of a plan; docs/reference/plan.md has the schema. */
export interface PlanJson {
  readonly actions: readonly object[];
  readonly blocked: readonly object[];
  readonly forecast?: readonly ForecastJson[];
  readonly assumptions?: readonly string[];
}

/** The course of a change of one object; its waves name actions by their places in the list of all actions. */
interface ForecastJson {
  readonly waves: readonly { readonly actions: readonly number[] }[];
}

/** What a planner found out about the objects it is for. */
export interface PlanReport {
  readonly print: (form: Exclude<PlanForm, "json">) => string;
  readonly json: PlanJson;
  /** Machines would be taken away from their pods. */
  readonly isDisruptive: boolean;
  /** What the user should know beside the plan; goes to stderr. */
  readonly notes: readonly string[];
  /** All of it in a few words; by default, the number of actions. */
  readonly summary?: string;
  /** The forecasts of pools, for pictures. */
  readonly pools?: readonly PoolForecast[];
}

/** What planners need of the process that they run in. */
export type Host = Pick<Shell, "env">;

/** Plans for one kind of owner of machines, with the functions that its controller uses. */
export interface Planner {
  /** The kinds it plans, for messages. */
  readonly kinds: readonly string[];
  /** Whether any of the objects is one it plans. */
  isFor(given: GivenObjects): boolean;
  /** The next step, from objects that a server has stored. */
  planDump(given: PlanObjects, nowMs: number): PlanReport;
  /** Everything that applying manifests would do. */
  forecast(host: Host, change: ProposedChange): Promise<PlanReport>;
}

/** Manifests to apply, and the server that they would be applied to. */
export interface ProposedChange {
  readonly client: Client;
  /** The connection of the client; updaters of the cluster are reached through its server. */
  readonly transport: Transport;
  /** The data directory of `capstan up`, if the server is its management cluster. */
  readonly home?: string | undefined;
  readonly given: GivenObjects;
  readonly nowMs: number;
}

/** Prints what all planners found out as one answer. */
export function printReports(reports: readonly PlanReport[], form: PlanForm): string {
  if (form !== "json") return textOf(reports, form);
  return `${JSON.stringify(reports.map(({ json }) => json).reduce(merged), undefined, 2)}\n`;
}

/** The reports, and at their end one line about all of them. */
function textOf(reports: readonly PlanReport[], form: Exclude<PlanForm, "json">): string {
  const said = reports.flatMap(({ summary: own }) => own ?? []);
  const rest = countedIn(reports.filter((report) => report.summary === undefined));
  const effective = [rest, ...said].filter((one) => one !== NOTHING);
  const summary = effective.length === 0 ? NOTHING : effective.join("; ");
  const texts = reports.map(({ print }) => print(form)).filter((text) => text !== "");
  return [...texts, form === "markdown" ? `**Summary**: ${summary}\n` : `Summary: ${summary}\n`].join("\n");
}

/** The summary of a plan without actions. */
export const NOTHING = "nothing to do";

/** Reports without a summary of their own, counted together. */
function countedIn(reports: readonly PlanReport[]): string {
  const sum = (list: "actions" | "blocked"): number =>
    reports.reduce((total, { json }) => total + json[list].length, 0);
  if (sum("actions") + sum("blocked") === 0) return NOTHING;
  const held = sum("blocked") === 0 ? "" : `, ${counted(sum("blocked"), "block")}`;
  return `${counted(sum("actions"), "action")}${held}`;
}

function merged(first: PlanJson, second: PlanJson): PlanJson {
  const before = first.actions.length;
  const shifted = (second.forecast ?? []).map((one) => ({
    ...one,
    waves: one.waves.map((wave) => ({ ...wave, actions: wave.actions.map((index) => index + before) })),
  }));
  const forecast = [...(first.forecast ?? []), ...shifted];
  const assumptions = [...new Set([...(first.assumptions ?? []), ...(second.assumptions ?? [])])];
  return {
    actions: [...first.actions, ...second.actions],
    blocked: [...first.blocked, ...second.blocked],
    ...(forecast.length > 0 && { forecast }),
    ...(assumptions.length > 0 && { assumptions }),
  };
}
