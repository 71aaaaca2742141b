import { suggestion } from "./near-names.ts";
import type { Problem } from "./problem.ts";
import type { Mention } from "./reader.ts";
import { type ScenarioWorld, WORKLOAD_CLUSTER } from "./scenario-world.ts";

const NOUNS = { cluster: "cluster", scaleSet: "scale set" } as const;

/** What exists at some point of a scenario, by type. */
type Known = Record<Mention["what"], Set<string>>;

/** Reports names that do not exist at the point where a scenario uses them. */
export function danglingReferences(mentions: readonly Mention[], world: ScenarioWorld): readonly Problem[] {
  const { clusters = [WORKLOAD_CLUSTER], managers = 1 } = world;
  const now: Known = {
    cluster: new Set([...clusters, "management"]),
    scaleSet: new Set(),
    manager: new Set(Array.from({ length: managers }, (_, index) => String(index + 1))),
  };
  const ever: Known = { ...now, scaleSet: new Set() };
  return mentions.flatMap((mention) => {
    const { what, name, as, place } = mention;
    const message = problemOf(mention, as === "seen" ? ever[what] : now[what]);
    if (as === "gone") now[what].delete(name);
    else if (as !== "used" && as !== "seen") {
      now[what].add(name);
      ever[what].add(name);
    }
    return message === undefined ? [] : [{ at: place.at, field: place.field, message }];
  });
}

function problemOf({ what, name, as }: Mention, known: ReadonlySet<string>): string | undefined {
  if (as === "made" || known.has(name) === (as !== "new")) return undefined;
  if (what === "manager") return `${name}: there is one manager; there are two with managers: 2 in the world`;
  const noun = NOUNS[what];
  if (as === "new") return `"${name}": there is such a ${noun} already; give it another name`;
  const names = [...known];
  if (names.length === 0) return `"${name}": no step before this one makes a ${noun}`;
  return `"${name}": the ${noun} does not exist at this step; ${suggestion({ written: name, known: names })}`;
}
