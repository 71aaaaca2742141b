// Enough for a message; kubectl lists the rest.
const NAMED = 5;

/** Names of machines in a sentence. */
export function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(", ")} and ${more} more` : names.join(", ");
}
