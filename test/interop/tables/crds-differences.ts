import type { ListedDifference } from "../table.ts";

/** Where our CRDs differ from upstream's on purpose. Lines: `KIND VERSION PATH KEYWORD: OURS | UPSTREAM'S`. */
export const CRD_DIFFERENCES: readonly ListedDifference[] = [];
