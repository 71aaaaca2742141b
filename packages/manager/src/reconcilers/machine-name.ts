import { nameSuffix, type Rng } from "@capstan/env";

// The name of a machine becomes a hostname and a label value.
const LONGEST_NAME = 63;
const SUFFIX_LENGTH = 5;

/** A new name for a machine, by the naming strategy of its owner. `values` has the other expressions of the template. */
export function machineNameFrom(
  template: string,
  values: Readonly<Record<string, string>>,
  rng: Rng,
): string {
  let filled = template;
  for (const [expression, value] of Object.entries(values))
    filled = filled.replaceAll(`{{ ${expression} }}`, value);
  const [before = "", ...after] = filled.split("{{ .random }}");
  const random = nameSuffix(rng, SUFFIX_LENGTH);
  const rest = after.join(random);
  return `${before.slice(0, LONGEST_NAME - SUFFIX_LENGTH - rest.length)}${random}${rest}`;
}
