/** The message of the expected error of a parser, or undefined if it succeeds. */
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
