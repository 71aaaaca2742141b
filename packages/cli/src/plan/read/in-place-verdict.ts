import type { Frozen, KubeadmControlPlane } from "@capstan/api";
import { AVAILABILITY_NOT_COUNTED } from "@capstan/plan";

type Recorded = NonNullable<
  NonNullable<Frozen<KubeadmControlPlane>["status"]>["inPlace"]
>["decisions"][number];

/** What updaters said, as their controller recorded it. */
export type RecordedDecision = Pick<Recorded, "result" | "updaters" | "message">;

/** What happens to each machine of a control plane; machines about which the updaters said the same share a line. */
export function verdictLines(
  decisions: readonly (RecordedDecision & { readonly machine: string })[],
  fallback: { readonly hasFallback: boolean },
): readonly string[] {
  const byAnswer = Map.groupBy(decisions, (decision) => verdictLine("", decision, fallback));
  return [...byAnswer.values()].flatMap((same) => {
    const [first] = same;
    const names = same.map(({ machine }) => machine).join(", ");
    return first ? [verdictLine(`Machine${same.length > 1 ? "s" : ""} ${names}`, first, fallback)] : [];
  });
}

/** What happens to some machines, in one line: in place and by whom, replaced, or blocked. */
export function verdictLine(
  subject: string,
  { result, updaters = [], message = "" }: RecordedDecision,
  { hasFallback }: { readonly hasFallback: boolean },
): string {
  if (result === "Covered") {
    const by = updaters
      .map(({ name, changes, needsDrain, affectsAvailability }) => {
        const drain = needsDrain === true ? ", after a drain" : "";
        const stays = affectsAvailability === false ? `; ${AVAILABILITY_NOT_COUNTED}` : "";
        return `${name} (${changes.join(", ")}${drain}${stays})`;
      })
      .join(", then ");
    return `in place: ${subject} by ${by === "" ? "no updater: no field changes" : by}`;
  }
  const isReplaced = result === "Uncovered" && hasFallback;
  return `${isReplaced ? "replaced" : "blocked"}: ${subject}: ${message}`;
}
