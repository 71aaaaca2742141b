const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const USABLE = /^[A-Za-z_./-][A-Za-z0-9_./-]*$/;
const ESCAPES: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** The name of a property in rules, as Kubernetes escapes it; undefined if rules cannot name it. */
export function escapedName(name: string): string | undefined {
  if (!USABLE.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
}
