import type { Draft } from "../../storage/storage.ts";
import { type Fields, fillIn, objectIn, objectMadeIn, objectsIn } from "../fields.ts";
import { defaultContainer } from "./container.ts";
import { defaultVolume } from "./volume.ts";

const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"];

/** Fills in what the spec of a pod leaves out, be it that of a pod or of a template. */
function defaultPodSpec(spec: Fields): void {
  fillIn(spec, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
  });
  objectMadeIn(spec, "securityContext");
  defaultAccount(spec);
  for (const list of CONTAINER_LISTS)
    for (const container of objectsIn(spec, list)) {
      defaultContainer(container);
      if (spec["hostNetwork"] === true) defaultHostPorts(container);
    }
  for (const volume of objectsIn(spec, "volumes")) defaultVolume(volume);
}

/** The field had another name once, and clients still read that. */
function defaultAccount(spec: Fields): void {
  const name = spec["serviceAccountName"] ?? spec["serviceAccount"];
  if (name !== undefined) Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
}

/** On the network of the node a port of a container is one of the node. */
function defaultHostPorts(container: Fields): void {
  for (const port of objectsIn(container, "ports")) fillIn(port, { hostPort: port["containerPort"] });
}

/** Fills in what a pod leaves out. */
export function defaultPod(pod: Draft): void {
  const spec = objectMadeIn(pod, "spec");
  defaultPodSpec(spec);
  fillIn(spec, { enableServiceLinks: true });
  for (const list of ["initContainers", "containers"])
    for (const container of objectsIn(spec, list)) defaultRequests(objectIn(container, "resources"));
}

/** Who says how much it takes at most, and nothing else, asks for that much. */
function defaultRequests(resources: Fields): void {
  if (resources["limits"])
    resources["requests"] = { ...objectIn(resources, "limits"), ...objectIn(resources, "requests") };
}

/** Fills in what a template of pods leaves out. */
export function defaultPodTemplate(owner: Fields): void {
  const template = objectMadeIn(owner, "template");
  objectMadeIn(template, "metadata");
  defaultPodSpec(objectMadeIn(template, "spec"));
}
