import { startControlPlane } from "../kube/control-plane.ts";
import { USERS } from "./kit.ts";
import { conformance } from "./suite.ts";

conformance("kube-apiserver", () => startControlPlane({ users: USERS }));
