import { type Fields, fillIn, objectIn, objectMadeIn, objectsIn, textIn } from "../fields.ts";

/** Sets the defaults of a container. */
export function defaultContainer(container: Fields): void {
  fillIn(container, {
    imagePullPolicy: pullPolicyOf(textIn(container, "image")),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });
  objectMadeIn(container, "resources");
  for (const port of objectsIn(container, "ports")) fillIn(port, { protocol: "TCP" });
  for (const variable of objectsIn(container, "env")) {
    const source = objectIn(variable, "valueFrom")["fieldRef"] as Fields | undefined;
    if (source) fillIn(source, { apiVersion: "v1" });
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"])
    defaultProbe(container[name] as Fields | undefined);
  const { postStart, preStop } = objectIn(container, "lifecycle") as Record<string, Fields | undefined>;
  for (const handler of [postStart, preStop]) if (handler) defaultHandler(handler);
}

/** A mutable tag must be resolved on each start. */
function pullPolicyOf(image: string): string {
  if (image.includes("@")) return "IfNotPresent";
  const tag = /:([^/:]+)$/.exec(image)?.[1] ?? "latest";
  return tag === "latest" && image !== "" ? "Always" : "IfNotPresent";
}

function defaultProbe(probe: Fields | undefined): void {
  if (!probe) return;
  fillIn(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  defaultHandler(probe);
}

function defaultHandler({ httpGet, grpc }: Fields): void {
  if (httpGet) fillIn(httpGet as Fields, { path: "/", scheme: "HTTP" });
  if (grpc) fillIn(grpc as Fields, { service: "" });
}
