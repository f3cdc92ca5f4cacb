import type { Attachments, InvocationParamsSchema, KVMap } from '../../schemas.ts'
import type { RunTree, RunTreeConfig } from '../run-tree.ts'

/** Passed first, makes the call a new root even inside another run. */
export const ROOT: unique symbol = Symbol.for('langsmith:traceable:root') as never
export type ROOT = typeof ROOT

/** What a traceable may be handed first, to say where in which trace it belongs. */
export type RunTreeLike = RunTree

// biome-ignore lint/suspicious/noExplicitAny: the one type that every function is assignable to
export type AnyFunction = (...args: any[]) => any

/** Own keys of a traceable function: its config. */
export const MARKER = 'langsmith:traceable'

/**
 * What `processInputs` sees, and what is logged: nothing for no parameters, a plain object as it is, one other value as
 * `{ input }`, several as `{ args }`.
 */
export type Inputs<Args extends readonly unknown[]> = unknown[] extends Args
  ? KVMap
  : Args extends readonly []
    ? Record<string, never>
    : Args extends readonly [infer Only]
      ? Only extends KVMap
        ? Only
        : { input: Only }
      : { args: Args }

/** A hook written for some functions may be shared with others: its parameter is checked in both directions. */
type Hook<Args extends readonly unknown[], Result> = { hook(...args: Args): Result }['hook']

export interface TraceableConfig<Func extends AnyFunction = AnyFunction>
  extends Omit<RunTreeConfig, 'name' | 'id' | 'inputs' | 'outputs' | 'child_runs' | 'error'> {
  /** @default the function's name, else `<lambda>` */
  name?: string | undefined
  id?: string | null | undefined
  /** Called before the function, with `undefined` when tracing is off. */
  on_start?: ((runTree: RunTree | undefined) => void) | undefined
  /** Called after the run has ended, before its end is queued. */
  on_end?: ((runTree: RunTree) => void) | undefined
  /** Turns the chunks of a stream into the recorded output; may be asynchronous. @default all chunks */
  // biome-ignore lint/suspicious/noExplicitAny: callers annotate the chunk type they know
  aggregator?: ((chunks: any[]) => any) | undefined
  /** `[i]` or `[i, key]`: takes name, metadata, tags … for this call out of argument `i`, or out of its member `key`. */
  argsConfigPath?: [number] | [number, string] | undefined
  /** Model parameters to record; merged under the metadata given otherwise. */
  getInvocationParams?: Hook<Parameters<Func>, InvocationParamsSchema | undefined> | undefined
  /** Splits the arguments into attachments and the inputs to record. */
  extractAttachments?: Hook<Parameters<Func>, [Attachments | undefined, KVMap]> | undefined
  /** Changes what is recorded, not what is passed; may be asynchronous. When it throws, the inputs are not recorded. */
  processInputs?: Hook<[inputs: Inputs<Parameters<Func>>], KVMap | Promise<KVMap>> | undefined
  /** Changes what is recorded, not what is returned. When it throws, the outputs are not recorded. */
  processOutputs?: ((outputs: KVMap) => KVMap | Promise<KVMap>) | undefined
  /** Member of the result that holds the stream to follow. */
  __finalTracedIteratorKey?: string | undefined
  /** How deep to look for promises inside the arguments. @default 0: only the arguments themselves */
  __deferredSerializableArgOptions?: { maxDepth?: number | undefined } | undefined
}

/** A `ReadableStream`, also where the types of the platform do not call it iterable. */
interface StreamLike {
  getReader: unknown
  pipeThrough: unknown
}

/** Streams stay streams, promises stay promises, everything else becomes a promise. */
export type Traced<Result> = [Result] extends [PromiseLike<unknown> | AsyncIterable<unknown> | StreamLike]
  ? Result
  : [Result] extends [Generator<infer Item, infer Return, infer Next>]
    ? Generator<Item, Return, Next> & PromiseLike<Generator<Item, Return, Next>>
    : Promise<Awaited<Result>>

/** The plain signature comes last: it is the one that `Parameters`, `ReturnType` and `.call` look at. */
type Call<Args extends unknown[], Result> = Args extends [infer First, ...infer Rest]
  ? TakesRunTree<First> extends true
    ? { (runTree: First | ROOT, ...rest: Rest): Traced<Result>; (...rest: Rest): Traced<Result> }
    : PlainCall<Args, Result>
  : PlainCall<Args, Result>

/** Says so itself; a parameter of `any` or `unknown` does not. */
type TakesRunTree<First> = unknown extends First ? false : RunTree extends First ? true : false

type PlainCall<Args extends unknown[], Result> = {
  (runTree: RunTreeLike | ROOT, ...args: Args): Traced<Result>
  (...args: Args): Traced<Result>
}

/** The signatures of an overloaded function; TypeScript only shows them to a pattern of as many. */
type Overloads<Func> = Func extends {
  (...args: infer A1): infer R1
  (...args: infer A2): infer R2
  (...args: infer A3): infer R3
  (...args: infer A4): infer R4
  (...args: infer A5): infer R5
}
  ? Call<A1, R1> & Call<A2, R2> & Call<A3, R3> & Call<A4, R4> & Call<A5, R5>
  : never

/** A function wrapped by `traceable`: up to five overloads and all own properties are kept. */
export type TraceableFunction<Func extends AnyFunction> = Overloads<Func> & {
  [Key in keyof Func]: Func[Key]
} & { readonly [MARKER]: TraceableConfig<Func> }
