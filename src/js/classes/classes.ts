// The classes that programs use to load models (`BertModel.from_pretrained`) and to test instances (`instanceof`).
// Their instances are functions that are made elsewhere; a class only contributes its prototype.
import { WebertError } from "../errors.js";

/** A class whose instances are functions. Only this package creates instances. */
export type ClassOf<T> = (abstract new (...args: never[]) => T) & { readonly name: string };

/**
 * Returns a class with this name. Its instances are also instances of `parent`, and can be called by `_call`, as in
 * transformers.js.
 */
export function classOf<T>(name: string, parent?: ClassOf<unknown>, methods: object = {}): ClassOf<T> {
  const made = {
    [name]: class {
      constructor() {
        throw new WebertError("unsupported", `new ${name}() is not supported: use pipeline() or from_pretrained()`);
      }
    },
  }[name]!;
  Object.setPrototypeOf(made, parent ?? Function.prototype);
  Object.setPrototypeOf(made.prototype, (parent?.prototype as object | undefined) ?? Function.prototype);
  for (const [key, value] of Object.entries(methods))
    Object.defineProperty(made.prototype, key, { value, writable: true, configurable: true });
  return made as unknown as ClassOf<T>;
}

/** Makes a function an instance of a class, and returns it. */
export function instanceOf<C extends object>(made: ClassOf<unknown>, call: C): C {
  return Object.setPrototypeOf(call, made.prototype as object) as C;
}

type AnyFunction = (...args: unknown[]) => unknown;
const calls = {
  _call(this: AnyFunction, ...args: unknown[]) {
    return this(...args);
  },
};
const runs = {
  ...calls,
  forward(this: AnyFunction, ...args: unknown[]) {
    return this(...args);
  },
};

/** Class of the functions that `pipeline()` returns. */
export const Pipeline = /* @__PURE__ */ classOf<AnyFunction>("Pipeline", undefined, calls);
/** Class of the models that `AutoModel….from_pretrained` loads. */
export const PreTrainedModel = /* @__PURE__ */ classOf<AnyFunction>("PreTrainedModel", undefined, runs);
/** Class of the tokenizers that `AutoTokenizer.from_pretrained` loads. */
export const PreTrainedTokenizer = /* @__PURE__ */ classOf<AnyFunction>("PreTrainedTokenizer", undefined, calls);
