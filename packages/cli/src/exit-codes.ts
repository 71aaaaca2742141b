/** Exit codes of commands, for scripts. The help text lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** `plan` would disrupt machines; as with other planners, 2 means "this changes something". */
  disruptive: 2,
  /** `status` found nothing running. */
  notRunning: 3,
} as const;
