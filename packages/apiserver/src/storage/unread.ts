import { deepFreeze } from "@capstan/api";
import { parseJson, shareText } from "../json.ts";
import type { StoredObject } from "./storage.ts";

/** An object on disk that no request has read yet: its text only. */
export class Unread {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Parses the object. Its text is kept, to be sent as it is. */
  read(): StoredObject {
    const object = deepFreeze(parseJson(this.text) as StoredObject);
    shareText(object, this.text);
    return object;
  }

  /** Whether the object may have a field of this name anywhere; false is certain, true is not. */
  mentions(field: string): boolean {
    return this.text.includes(`"${field}"`);
  }
}
