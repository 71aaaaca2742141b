/** Why an updater cannot be served, as a sentence for the person who starts it. */
export class ServeProblem extends Error {
  override readonly name = "ServeProblem";
}

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EACCES: "you do not have the permission",
};

/** The problem of a file that must be read. */
export function unreadable(what: string, error: unknown): ServeProblem {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return new ServeProblem(`${what} cannot be read: ${READ_PROBLEMS[code] ?? message}`, { cause: error });
}

/** The problem of a server that does not start. */
export function unstartable(port: number, error: unknown): ServeProblem {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const why =
    code === "EADDRINUSE"
      ? `port ${port} is in use; choose another with --port, or 0 for a free one`
      : code === "EACCES"
        ? `port ${port} is reserved for administrators; choose one above 1023 with --port`
        : // OpenSSL and Node say what is wrong with a certificate or a host.
          `the server does not start: ${message}`;
  return new ServeProblem(why, { cause: error });
}
