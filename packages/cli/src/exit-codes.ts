/** How a command ended, for scripts. The help text lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** `plan` would take machines away from their pods; as with other planners, 2 means "this changes something". */
  disruptive: 2,
  /** `status` found nothing running. */
  notRunning: 3,
} as const;
