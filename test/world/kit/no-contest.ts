import type { Invariant } from "@capstan/sim";

/** Only another client that writes our fields back contests them: faults of servers, caches and processes never look like one. */
export const noContest: Invariant = {
  name: "no-contest",
  says: "no field counts as contested while no other client writes it",
  watch: () => ({
    happened: ({ happening }) =>
      happening.kind === "condition" && happening.reason === "FieldContested" ? happening.object : undefined,
  }),
};
