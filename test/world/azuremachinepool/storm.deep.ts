import { storms } from "./storm.ts";

storms("storm.deep.ts", { from: 2001, count: 1000 });
