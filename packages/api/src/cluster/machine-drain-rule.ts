import { LabelSelector, labelSelectorProblem } from "../kubernetes/label-selector.ts";
import { olderVersion } from "../conversion/by-rules.ts";
import { type ObjectOf, type PrinterColumn, defineKind } from "../kind.ts";
import { AGE_COLUMN } from "../printer-columns.ts";
import { described, integer, listOf, object, oneOf, optional, type Rule } from "../schema/schema.ts";
import { type FieldError, errorIf, forbidden, invalid, required } from "../values/field-error.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";

const MOST_SELECTORS = 32;
const LARGEST_ORDER = 2_147_483_647;

const NOT_EMPTY = { minProperties: 1 };

/** The limits of a list of selectors. An entry that is given twice is a mistake, most often a copy that was not changed. */
function limitsOf(list: string) {
  const rule = "self.all(x, self.exists_one(y, x == y))";
  const rules: Rule[] = [{ rule, message: `entries in ${list} must be unique` }];
  return { minItems: 1, maxItems: MOST_SELECTORS, rules };
}

const Spec = object("Which pods of which machines, and how they are drained.", {
  drain: object("How the pods are drained.", {
    behavior: oneOf(
      "Drain evicts the pods, Skip leaves them, WaitCompleted waits until they have completed.",
      ["Drain", "Skip", "WaitCompleted"],
    ),
    order: optional(
      integer("Pods with a lower order are evicted first; default 0, and only for Drain.", {
        minimum: -LARGEST_ORDER - 1,
        maximum: LARGEST_ORDER,
      }),
    ),
  }),
  machines: optional(
    listOf(
      "The machines whose pods the rule is for: those that match one entry; all of the namespace if there is none.",
      object(
        "Machines that match both selectors.",
        {
          selector: optional(described("Selects machines.", LabelSelector)),
          clusterSelector: optional(
            described("Selects machines by the labels of their Cluster.", LabelSelector),
          ),
        },
        NOT_EMPTY,
      ),
      limitsOf("machines"),
    ),
  ),
  pods: optional(
    listOf(
      "The pods that the rule is for: those that match one entry; all if there is none.",
      object(
        "Pods that match both selectors.",
        {
          selector: optional(described("Selects pods.", LabelSelector)),
          namespaceSelector: optional(
            described("Selects pods by the labels of their namespace.", LabelSelector),
          ),
        },
        NOT_EMPTY,
      ),
      limitsOf("pods"),
    ),
  ),
});

const COLUMNS: readonly PrinterColumn[] = [
  {
    name: "Behavior",
    type: "string",
    jsonPath: ".spec.drain.behavior",
    description: "How pods are drained.",
  },
  { name: "Order", type: "integer", jsonPath: ".spec.drain.order", description: "The order of evictions." },
  AGE_COLUMN,
];

/** Changes how pods are drained from machines that are deleted. */
export const MachineDrainRule = defineKind({
  ...CLUSTER_API,
  kind: "MachineDrainRule",
  plural: "machinedrainrules",
  description: "Changes how pods are drained from machines that are deleted.",
  spec: Spec,
  crdLabels: CORE_PROVIDER_LABELS,
  columns: COLUMNS,
  // The two versions do not differ.
  converted: [
    olderVersion({ version: "v1beta1", spec: Spec, newer: { spec: Spec }, columns: COLUMNS, fieldRules: [] }),
  ],
  validate({ object: { spec } }) {
    const { behavior, order } = spec.drain;
    return [
      ...errorIf(
        order !== undefined && behavior !== "Drain",
        forbidden("spec.drain.order", `has no effect with the behavior ${behavior}; remove it`),
      ),
      ...selectorErrors("spec.machines", spec.machines),
      ...selectorErrors("spec.pods", spec.pods),
    ];
  },
});

/** Changes how pods are drained from machines that are deleted. */
export type MachineDrainRule = ObjectOf<typeof MachineDrainRule>;

type Entry = Readonly<Record<string, Parameters<typeof labelSelectorProblem>[0] | undefined>>;

function selectorErrors(path: string, entries: readonly Entry[] = []): readonly FieldError[] {
  return entries.flatMap((entry, at): readonly FieldError[] => {
    const given = Object.entries(entry).filter(([, selector]) => selector !== undefined);
    if (given.length === 0)
      return [required(`${path}[${at}]`, "an entry without a selector matches nothing")];
    return given.flatMap(([field, selector]) => {
      const problem = selector && labelSelectorProblem(selector);
      return problem === undefined ? [] : [invalid(`${path}[${at}].${field}`, selector, problem)];
    });
  });
}
