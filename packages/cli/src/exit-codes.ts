/** Exit codes of commands, for scripts. The help text lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** `plan` and `rehearse`: machines would be disrupted; as with other planners, 2 means "this changes something". */
  disruptive: 2,
  /** `status` found nothing running. */
  notRunning: 3,
  /** `rehearse`: the change would block, or break a budget. */
  blocked: 3,
  /** `rehearse`: other programs carry it out, or the simulation cannot be trusted. */
  noVerdict: 4,
} as const;
