import { type Static, listMap, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";

/** Repels pods that do not tolerate it. */
export const Taint = object("Repels pods that do not tolerate it.", {
  key: string("The key of the taint."),
  value: optional(string("The value of the taint.")),
  effect: string("What happens to pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute."),
  timeAdded: optional(timestamp("When the taint was added.")),
});

/** Repels pods that do not tolerate it. */
export type Taint = Static<typeof Taint>;

/** Taints that a machine sets on its node. */
export const MachineTaints = listMap(
  "Taints that are set on the node.",
  object("A taint that is set on the node.", {
    key: string("The key of the taint, with an optional domain.", {
      minLength: 1,
      maxLength: 317,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
    }),
    value: optional(
      string("The value of the taint.", {
        minLength: 1,
        maxLength: 63,
        pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
      }),
    ),
    effect: oneOf("What happens to pods that do not tolerate it.", [
      "NoSchedule",
      "PreferNoSchedule",
      "NoExecute",
    ]),
    propagation: oneOf("Whether the taint is maintained on the node, or set once when the node starts.", [
      "Always",
      "OnInitialization",
    ]),
  }),
  { keys: ["key", "effect"], minItems: 1, maxItems: 64 },
);

/** Taints that a machine sets on its node. */
export type MachineTaints = Static<typeof MachineTaints>;
