import { CommandError } from "./command-error.ts";

/** Turns an error of opening a port into a message; returns any other error unchanged. */
export function portProblem(error: unknown, port: number, flag: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new CommandError(`port ${port} is in use; choose another, or let ${flag} 0 pick a free one`);
  if (code === "EACCES" && port > 0 && port < 1024)
    return new CommandError(
      `port ${port} is reserved for administrators; choose one above 1023, or ${flag} 0`,
    );
  return error;
}
