import { type Condition, deprecatedConditionsOf } from "@capstan/api";

interface WithConditions {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly Condition[] } };
  };
}

/** The result of a matcher, as vitest and jest expect it. */
interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Matchers for `expect.extend`: `expect(pool).toHaveCondition("Ready", "True", "Reconciled")`. */
export const conditionMatchers = {
  toHaveCondition(
    received: WithConditions,
    type: string,
    ...[status, reason]: [status: string, reason?: string]
  ): Verdict {
    // Kinds of v1beta2 have a second list in the form of v1beta1, which wins while both have a condition of the type.
    const conditions = [...(deprecatedConditionsOf(received) ?? []), ...(received.status?.conditions ?? [])];
    const found = conditions.find((condition) => condition.type === type);
    const pass = found?.status === status && (reason === undefined || found.reason === reason);
    const all = conditions.map(describeCondition).join("\n  ");
    const desired = `${type}=${status}${reason === undefined ? "" : ` (${reason})`}`;
    return {
      pass,
      message: () =>
        `expected condition ${pass ? "not " : ""}to be ${desired}; conditions are:\n  ${all || "none"}`,
    };
  },
};

function describeCondition({ type, status, reason = "", message = "" }: Condition): string {
  return `${type}=${status} (${reason}) ${message}`.trimEnd();
}

declare module "vitest" {
  // The parameters repeat vitest's own declaration: merged interfaces must agree on them.
  // eslint-disable-next-line typescript/no-unused-vars
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The object has the condition with this status and, if given, this reason. */
    toHaveCondition(type: string, status: string, reason?: string): R;
  }
}
