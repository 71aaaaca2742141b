// How the client begins the message about a failed request.
const ATTEMPT = /^([A-Z]+ \/\S*): (.+)$/s;

/** The message about a failed request with its cause first; which request it was follows. */
export function causeFirst(message: string): string {
  const [, attempt, cause = ""] = ATTEMPT.exec(message) ?? [];
  return attempt === undefined ? message : `${cause} (${attempt})`;
}
