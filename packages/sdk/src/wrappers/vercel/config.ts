import { isRecord } from '../../guards.ts'
import type { KVMap } from '../../schemas.ts'
import type { RunTreeConfig } from '../../tracing/run-tree.ts'
import type { AnyFunction } from '../../tracing/traceable/types.ts'

/** Settings of all calls, or of one call by `createLangSmithProviderOptions`. */
export type WrapAISDKConfig<Func extends AnyFunction = AnyFunction> = Partial<
  Omit<RunTreeConfig, 'inputs' | 'outputs' | 'run_type' | 'child_runs' | 'parent_run' | 'error' | 'serialized'>
> & {
  /** Makes the recorded inputs of the call from its parameters. Not used for the calls of models inside it. */
  processInputs?: ((inputs: Parameters<Func>[0]) => KVMap) | undefined
  /** Makes the recorded outputs of the call from its result; of streams, from the event of their end. */
  processOutputs?: ((outputs: { outputs: Awaited<ReturnType<Func>> }) => KVMap | Promise<KVMap>) | undefined
  /** Makes the recorded inputs of each call of a model. */
  // biome-ignore lint/suspicious/noExplicitAny: the options of every version
  processChildLLMRunInputs?: ((inputs: any) => KVMap) | undefined
  /** Makes the recorded outputs of each call of a model, from its result; of streams, from the merged stream. */
  // biome-ignore lint/suspicious/noExplicitAny: the results of every version
  processChildLLMRunOutputs?: ((outputs: any) => KVMap) | undefined
  /** Records the steps of a call as `response_metadata`. @default false */
  traceResponseMetadata?: boolean | undefined
  /** Records the HTTP request and response of each call of a model. @default false */
  traceRawHttp?: boolean | undefined
}

/** What the AI SDK accepts as options of a provider. */
type JSONValue = null | string | number | boolean | { [key: string]: JSONValue | undefined } | JSONValue[]

/**
 * Settings of one call: `generateText({ …, providerOptions: { langsmith: createLangSmithProviderOptions({ … }) } })`. They
 * are removed before the call.
 */
export function createLangSmithProviderOptions<Func extends AnyFunction = AnyFunction>(
  config: WrapAISDKConfig<Func> = {},
): Record<string, JSONValue> {
  // The declared type of the AI SDK allows JSON only; these never reach it.
  return config as unknown as Record<string, JSONValue>
}

/** Takes the settings of one call out of its parameters and puts them over those of all calls. */
export function takeConfig<Params extends KVMap>(
  base: WrapAISDKConfig,
  params: Params,
): { readonly config: WrapAISDKConfig; readonly params: Params } {
  const { providerOptions } = params
  if (!isRecord(providerOptions) || !('langsmith' in providerOptions)) return { config: base, params }
  const { langsmith, ...others } = providerOptions
  const own = (langsmith ?? {}) as WrapAISDKConfig
  return {
    config: {
      ...base,
      ...own,
      metadata: { ...base.metadata, ...own.metadata },
      tags: [...new Set([...(base.tags ?? []), ...(own.tags ?? [])])],
    },
    params: { ...params, providerOptions: Object.keys(others).length > 0 ? others : undefined },
  }
}
