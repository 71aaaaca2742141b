import { expect } from "vitest";
import type { Answer } from "./kit.ts";

/** The parts of Kubernetes' JSON that behaviours look into; what an answer lacks is undefined at run time. */
export interface KubeBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeMetadata;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: unknown;
  readonly data: Readonly<Record<string, string>>;
  readonly items: readonly KubeBody[];
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: KubeBody }[];
  readonly message: string;
  readonly reason: string;
  readonly details: { readonly causes: readonly object[] };
  readonly code: number;
}

/** Metadata of an object or of a list. */
interface KubeMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly generateName: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp: string;
  readonly deletionGracePeriodSeconds: number;
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly object[];
  readonly continue: string;
  readonly remainingItemCount: number;
}

/** A refusal as the server words it. */
export interface ExpectedError {
  readonly code: number;
  readonly reason?: string;
  readonly message: string | RegExp;
  readonly details?: object;
}

/** Insists that an answer is exactly this Status, its HTTP code included. */
export function expectRefusal(answer: Pick<Answer, "status" | "body">, refusal: ExpectedError): void {
  const { message, ...rest } = refusal;
  const worded: unknown = typeof message === "string" ? message : expect.stringMatching(message);
  expect({ http: answer.status, ...answer.body }).toEqual({
    http: refusal.code,
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    ...rest,
    message: worded,
  });
}

/** The names of a list's items, in its order. */
export function namesOf({ items }: KubeBody): string[] {
  return items.map(({ metadata }) => metadata.name);
}
