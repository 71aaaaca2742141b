import { sweep } from "./crash-sweep.ts";

sweep("2", ["create", "scale up", "scale down", "delete one machine", "delete the pool"]);
