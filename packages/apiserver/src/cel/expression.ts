import { Environment } from "@marcbachmann/cel-js";
import { compilePattern, PatternError } from "../schema/pattern.ts";
import { CostExceeded, Meter } from "./meter.ts";
import { registerLibraries } from "./libraries.ts";

/** Why an expression cannot be used. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
  /** Whether Kubernetes has the functions that it uses, and this server does not. */
  readonly isUnsupported: boolean;

  constructor(message: string, isUnsupported = false) {
    super(message);
    this.isUnsupported = isUnsupported;
  }
}

// Libraries of Kubernetes that are missing here: IP addresses, CIDRs, formats, versions, comprehensions of two variables.
const UNSUPPORTED =
  /\b(?:ip|isIP|cidr|isCIDR|semver|isSemver)\(|\bip\.|\bformat\.|\.format\(|\.(?:all|exists|existsOne|transformList|transformMap|transformMapEntry)\(\s*\w+\s*,\s*\w+\s*,/;

/** The result of an expression: a value, a failure while it ran, or the end of its budget. */
export type Evaluation =
  | { readonly state: "value"; readonly value: unknown; readonly cost: number }
  | { readonly state: "failed"; readonly text: string; readonly isOverload: boolean; readonly cost: number }
  | { readonly state: "exceeded"; readonly cost: number };

/** The variables of a rule; `oldSelf` is undefined where there is no former value. */
interface Variables {
  readonly self: unknown;
  readonly oldSelf?: unknown;
}

/** A compiled expression. */
export interface Expression {
  readonly usesOldSelf: boolean;
  /** The static type: `bool`, `string`, or `dyn` where only running it shows the type. */
  readonly type: string;
  evaluate(variables: Variables, limit: number): Evaluation;
}

const LIBRARY = registerLibraries(
  new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    // A rule of a definition is at most some thousand characters long; deeper ones would overflow the stack.
    limits: {
      maxAstNodes: 10_000,
      maxDepth: 100,
      maxListElements: 1000,
      maxMapEntries: 1000,
      maxCallArguments: 32,
    },
  }),
).registerVariable("self", "dyn");
const TRANSITION = LIBRARY.clone().registerVariable("oldSelf", "dyn");
const OPTIONAL = LIBRARY.clone().registerVariable("oldSelf", "optional<dyn>");

/** The parts of the library's syntax tree that the meter hooks into. */
interface SyntaxNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { evaluate: Evaluate; readonly alternate?: unknown };
}

type Evaluate = (evaluator: Evaluator, node: SyntaxNode, context: unknown) => unknown;

interface Evaluator {
  run(node: unknown, context: unknown): unknown;
}

/** Compiles an expression; throws an ExpressionError. With `optionalOldSelf` the former value is an optional. */
export function compileExpression(
  text: string,
  { optionalOldSelf = false }: { readonly optionalOldSelf?: boolean } = {},
): Expression {
  let meter = new Meter(0);
  const { run, tree, type } = parsed(optionalOldSelf ? OPTIONAL : TRANSITION, text);
  const isNamed = instrument(tree, (value) => meter.chargeResult(value));
  return {
    usesOldSelf: isNamed("oldSelf"),
    type,
    evaluate: (variables, limit) => {
      meter = new Meter(limit);
      return evaluated(() => run({ ...variables }), meter);
    },
  };
}

function parsed(
  environment: Environment,
  text: string,
): { run: (context: object) => unknown; tree: SyntaxNode; type: string } {
  try {
    // The library has this macro, Kubernetes does not.
    if (/\bcel\.bind\(/.test(text))
      throw new ExpressionError("undeclared reference to 'cel' (in container '')");
    const run = environment.parse(text);
    const checked = run.check();
    if (!checked.valid) throw checked.error ?? new ExpressionError(text);
    return { run, tree: run.ast as unknown as SyntaxNode, type: checked.type ?? "dyn" };
  } catch (error) {
    throw new ExpressionError(summaryOf(error), UNSUPPORTED.test(text));
  }
}

function evaluated(run: () => unknown, meter: Meter): Evaluation {
  try {
    const value = run();
    return meter.isExceeded
      ? { state: "exceeded", cost: meter.cost }
      : { state: "value", value, cost: meter.cost };
  } catch (error) {
    const { cost } = meter;
    if (error instanceof CostExceeded || meter.isExceeded) return { state: "exceeded", cost };
    const { code } = error as { readonly code?: string };
    const summary = summaryOf(error);
    const isOverload = code === NO_OVERLOAD || summary.startsWith(NO_SUCH_OVERLOAD);
    const text = isOverload ? NO_SUCH_OVERLOAD : failureText(code, summary);
    return { state: "failed", text, isOverload, cost };
  }
}

const NO_OVERLOAD = "no_matching_overload";
const NO_SUCH_OVERLOAD = "no such overload";

/** The words of kube-apiserver for a failure; the library's own where it has none. */
function failureText(code: string | undefined, summary: string): string {
  switch (code ?? "") {
    case "no_such_key":
      return summary.replace(/^No such key/, "no such key");
    case "index_out_of_bounds":
      return summary.replace(/^.*index (-?\d+).*$/, "index out of bounds: $1");
    case "numeric_overflow":
      return "integer overflow";
    case "int_conversion_error":
      return "type conversion error from 'string' to 'int'";
    default:
      return summary;
  }
}

/** The library's message without the excerpt of the expression below it. */
function summaryOf(error: unknown): string {
  const { message } = error as Error;
  return (message.split("\n")[0] ?? "").slice(0, 1_000);
}

/**
 * Lets every node of a syntax tree report its result, in the place where the library evaluates it: the library itself cannot
 * be interrupted. Macros such as `all` keep their real tree in `alternate`. Returns which identifiers occur.
 */
function instrument(tree: SyntaxNode, reportResult: (value: unknown) => void): (name: string) => boolean {
  const names = new Set<unknown>();
  const seen = new Set<unknown>();
  const pending: unknown[] = [tree];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    if (isSyntaxNode(next)) {
      if (next.op === "id") names.add(next.args);
      hook(next, reportResult);
      pending.push(next.args, next.meta.alternate);
    } else if (Array.isArray(next)) pending.push(...(next as unknown[]));
    else if (Object.getPrototypeOf(next) === Object.prototype)
      pending.push(...(Object.values(next) as unknown[]));
  }
  return (name) => names.has(name);
}

function isSyntaxNode(value: object): value is SyntaxNode {
  return "op" in value && "meta" in value;
}

function hook(node: SyntaxNode, reportResult: (value: unknown) => void): void {
  const { meta } = node;
  if (isMatches(node)) checkPattern(node);
  const evaluate = isMatches(node) ? evaluateMatches : meta.evaluate;
  meta.evaluate = (evaluator, one, context) => {
    const value = evaluate(evaluator, one, context);
    reportResult(value);
    return value;
  };
}

/** A call `receiver.name(arguments)`. */
type MethodCall = readonly [name: string, receiver: unknown, args: readonly unknown[]];

function isMatches({ op, args }: SyntaxNode): boolean {
  return op === "rcall" && (args as MethodCall)[0] === "matches";
}

/** A constant pattern that is invalid is refused with the rule; others fail when they are evaluated. */
function checkPattern({ args }: SyntaxNode): void {
  const [, , [argument]] = args as MethodCall;
  const { op, args: pattern } = argument as SyntaxNode;
  if (op !== "value" || typeof pattern !== "string") return;
  try {
    compilePattern(pattern);
  } catch (error) {
    if (error instanceof PatternError) throw new ExpressionError("invalid matches argument");
    throw error;
  }
}

/** The library matches with JavaScript's expressions, which may take exponential time; Kubernetes uses RE2. */
function evaluateMatches(evaluator: Evaluator, { args }: SyntaxNode, context: unknown): unknown {
  const [, receiver, [argument]] = args as MethodCall;
  const text = evaluator.run(receiver, context);
  const pattern = evaluator.run(argument, context);
  if (typeof text !== "string" || typeof pattern !== "string")
    throw Object.assign(new Error(NO_SUCH_OVERLOAD), { code: NO_OVERLOAD });
  return compilePattern(pattern).test(text);
}
