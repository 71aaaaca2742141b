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
  if (isDeeperThan(DEEPEST_NESTING, text)) {
    const line = linePos?.[0].line;
    return new CommandError(
      `${origin} nests too deeply at line ${line}; manifests have a few dozen levels at most`,
    );
  }
  if (isCutOffJson(text))
    return new CommandError(`${origin} is JSON whose end is missing: was the file written to its end?`);
  return new CommandError(`${origin} is neither YAML nor JSON: ${message.trim()}`);
}

// As kubectl prints objects. Few people write YAML like this, and the words about it would only confuse them.
const JSON_OBJECT = /^\s*\{\s*"/;
const AT_THE_END = /Unexpected end of JSON input|Unterminated string in JSON|at position (\d+)/;

function isCutOffJson(text: string): boolean {
  if (!JSON_OBJECT.test(text)) return false;
  try {
    JSON.parse(text.trimEnd());
  } catch (error) {
    const found = error instanceof SyntaxError ? AT_THE_END.exec(error.message) : undefined;
    return !!found && Number(found[1] ?? text.length) >= text.trimEnd().length;
  }
  return false;
}
