import type { Attachments, InvocationParamsSchema, KVMap } from '../../schemas.ts'
import type { RunTree, RunTreeConfig } from '../run-tree.ts'

/** As the first argument, makes the call a new root run even inside another run. */
export const ROOT: unique symbol = Symbol.for('langsmith:traceable:root') as never
export type ROOT = typeof ROOT

/** Run tree that a traceable accepts as its first argument, to set the parent run. */
export type RunTreeLike = RunTree

// biome-ignore lint/suspicious/noExplicitAny: the one type that every function is assignable to
export type AnyFunction = (...args: any[]) => any

/** Key of a traceable function that holds its config. */
export const MARKER = 'langsmith:traceable'

/**
 * The recorded inputs, which are also passed to `processInputs`: `{}` without parameters, a plain object unchanged, one
 * other value as `{ input }`, several as `{ args }`.
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

/** A hook may be shared by several functions: its parameters are checked bivariantly. */
type Hook<Args extends readonly unknown[], Result> = { hook(...args: Args): Result }['hook']

export interface TraceableConfig<Func extends AnyFunction = AnyFunction>
  extends Omit<RunTreeConfig, 'name' | 'id' | 'inputs' | 'outputs' | 'child_runs' | 'error'> {
  /** @default the function's name, or else `<lambda>` */
  name?: string | undefined
  id?: string | null | undefined
  /** Called before the function, with `undefined` when tracing is off. */
  on_start?: ((runTree: RunTree | undefined) => void) | undefined
  /** Called after the run has ended, before its end is queued. */
  on_end?: ((runTree: RunTree) => void) | undefined
  /** Combines the chunks of a stream into the recorded output; may be asynchronous. @default all chunks */
  // biome-ignore lint/suspicious/noExplicitAny: callers annotate the chunk type they know
  aggregator?: ((chunks: any[]) => any) | undefined
  /** `[i]` or `[i, key]`: reads name, metadata, tags … for this call from argument `i`, or from its member `key`. */
  argsConfigPath?: [number] | [number, string] | undefined
  /** Model parameters to record; other metadata overrides them. */
  getInvocationParams?: Hook<Parameters<Func>, InvocationParamsSchema | undefined> | undefined
  /** Splits the arguments into attachments and the inputs to record. */
  extractAttachments?: Hook<Parameters<Func>, [Attachments | undefined, KVMap]> | undefined
  /**
   * Changes the recorded inputs, not the passed ones; may be asynchronous. If it throws, the inputs are not recorded.
   */
  processInputs?: Hook<[inputs: Inputs<Parameters<Func>>], KVMap | Promise<KVMap>> | undefined
  /** Changes the recorded outputs, not the returned ones. If it throws, the outputs are not recorded. */
  processOutputs?: ((outputs: KVMap) => KVMap | Promise<KVMap>) | undefined
  /** Member of the result that holds the stream to observe. */
  __finalTracedIteratorKey?: string | undefined
  /** Maximum depth of promises inside the arguments. @default 0: only the arguments themselves */
  __deferredSerializableArgOptions?: { maxDepth?: number | undefined } | undefined
}

/** A `ReadableStream`, including platforms whose types do not declare it iterable. */
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

/** The plain signature comes last: `Parameters`, `ReturnType` and `.call` use the last one. */
type Call<Args extends unknown[], Result> = Args extends [infer First, ...infer Rest]
  ? TakesRunTree<First> extends true
    ? { (runTree: First | ROOT, ...rest: Rest): Traced<Result>; (...rest: Rest): Traced<Result> }
    : PlainCall<Args, Result>
  : PlainCall<Args, Result>

/** True for a parameter declared as a run tree, false for `any` and `unknown`. */
type TakesRunTree<First> = unknown extends First ? false : RunTree extends First ? true : false

type PlainCall<Args extends unknown[], Result> = {
  (runTree: RunTreeLike | ROOT, ...args: Args): Traced<Result>
  (...args: Args): Traced<Result>
}

/**
 * The signatures of an overloaded function. TypeScript only infers them with a pattern of the same number of
 * signatures.
 */
type Overloads<Func> = Func extends {
  (...args: infer A1): infer R1
  (...args: infer A2): infer R2
  (...args: infer A3): infer R3
  (...args: infer A4): infer R4
  (...args: infer A5): infer R5
}
  ? Call<A1, R1> & Call<A2, R2> & Call<A3, R3> & Call<A4, R4> & Call<A5, R5>
  : never

/** A function wrapped by `traceable`. Up to five overloads and all own properties are kept. */
export type TraceableFunction<Func extends AnyFunction> = Overloads<Func> & {
  [Key in keyof Func]: Func[Key]
} & { readonly [MARKER]: TraceableConfig<Func> }
