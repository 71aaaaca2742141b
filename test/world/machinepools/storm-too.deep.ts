import { storms } from "./storm.ts";

// Beside storm.deep.ts, so that two cores share the work.
storms("storm-too.deep.ts", { from: 2001, count: 1000 });
