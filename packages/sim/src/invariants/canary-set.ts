const CANARY = /-canary-\d{8}-\d{6}$/;

/** Whether a scale set, by its name or its id, is that of a canary: one machine that tests an image, and that no pool has. */
export function isCanarySet(set: string): boolean {
  return CANARY.test(set);
}
