import { isDeeperThan } from "@capstan/api";
import type { YAMLError } from "yaml";
import { CommandError } from "../../command-error.ts";

// Far more than any manifest has, and far fewer than the stack of the YAML parser holds.
const DEEPEST_NESTING = 128;

/** A text of YAML, and where it comes from. */
interface GivenText {
  readonly origin: string;
  readonly text: string;
}

/** Why the YAML parser refuses a text. In a text of many levels it runs out of stack. */
export function parseProblem({ origin, text }: GivenText, { message, linePos }: YAMLError): CommandError {
  return new CommandError(
    isDeeperThan(DEEPEST_NESTING, text)
      ? `${origin} nests too deeply at line ${linePos?.[0].line}; manifests have a few dozen levels at most`
      : `${origin} is neither YAML nor JSON: ${message.trim()}`,
  );
}
