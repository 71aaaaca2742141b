/** The message of the error that a reading is known to end with, or nothing when it succeeds. */
export function problemOf(
  expected: abstract new (message: string) => Error,
  read: () => unknown,
): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof expected) return error.message;
    throw error;
  }
}
