import type { InvocationParamsSchema } from '../schemas.ts'
import type { RunTreeConfig } from '../tracing/run-tree.ts'
import type { TraceableConfig } from '../tracing/traceable/types.ts'
import { mergeResponseEvents } from './merge-response-events.ts'
import { mergeChatChunks, mergeTextChunks, toOutputs } from './openai-output.ts'
import {
  bodyOf,
  keepUsage,
  type LangSmithExtra,
  markAgentRoot,
  refuseWrapped,
  traceEventStream,
  traceMethod,
  wrapMembers,
} from './wrap-members.ts'

/** What the client of OpenAI or Azure OpenAI has; older versions lack some of it. */
interface OpenAIClient {
  // biome-ignore lint/suspicious/noExplicitAny: the methods of every version
  chat: { completions: { create: (...args: any[]) => any } }
  // biome-ignore lint/suspicious/noExplicitAny: the methods of every version
  completions: { create: (...args: any[]) => any }
}

/** The same client; its calls accept `langsmithExtra` among their options. */
export type WrappedOpenAI<Client extends OpenAIClient> = Client & {
  chat: {
    completions: {
      create: (body: object, options: LangSmithExtra) => ReturnType<Client['chat']['completions']['create']>
    }
  }
}

/**
 * Records the calls of a client of OpenAI as runs of type llm: `chat.completions`, `completions` and `responses`, with
 * `create`, `parse` and `stream`. The client is not changed, and the returned one behaves like it.
 *
 * Outputs have `usage_metadata` instead of `usage`. Streams report usage only when the request has
 * `stream_options: { include_usage: true }`.
 *
 * @param options  for all runs: `name`, `metadata`, `tags`, `client`, `project_name`
 * @throws Error for a client that is wrapped
 * @example const openai = wrapOpenAI(new OpenAI())
 */
export function wrapOpenAI<Client extends OpenAIClient>(
  client: Client,
  options: Partial<RunTreeConfig> = {},
): WrappedOpenAI<Client> {
  refuseWrapped(client, 'OpenAI')
  const isAzure = client.constructor?.name === 'AzureOpenAI'
  const provider = isAzure ? 'azure' : 'openai'
  const chat = toConfig({ name: isAzure ? 'AzureChatOpenAI' : 'ChatOpenAI', provider, type: 'chat', options })
  const text = toConfig({ name: isAzure ? 'AzureOpenAI' : 'OpenAI', provider, type: 'llm', options })
  const responses = toConfig({ ...chat.about, isResponses: true })
  const completions = {
    create: traceMethod({ ...chat.config, aggregator: mergeChatChunks }),
    parse: traceMethod(chat.config),
    stream: traceEventStream(
      { ...chat.config, aggregator: mergeChatChunks },
      { event: 'chunk', final: 'finalChatCompletion' },
    ),
  }
  return wrapMembers(client, {
    chat: { completions },
    beta: { chat: { completions } },
    completions: { create: traceMethod({ ...text.config, aggregator: mergeTextChunks }) },
    responses: {
      create: traceMethod({ ...responses.config, aggregator: mergeResponseEvents }),
      parse: traceMethod(responses.config),
      stream: traceEventStream(
        { ...responses.config, aggregator: mergeResponseEvents },
        { event: 'event', final: 'finalResponse' },
      ),
    },
  }) as WrappedOpenAI<Client>
}

interface About {
  readonly name: string
  readonly provider: 'openai' | 'azure'
  readonly type: 'chat' | 'llm'
  readonly isResponses?: boolean
  readonly options: Partial<RunTreeConfig>
}

function toConfig(about: About): { readonly about: About; readonly config: TraceableConfig } {
  const { metadata: { ls_invocation_params: known, ...metadata } = {}, ...options } = about.options
  const config: TraceableConfig = {
    name: about.name,
    run_type: 'llm',
    ...options,
    metadata,
    getInvocationParams: (body: Record<string, unknown>) => readParameters(body, about, known),
    processInputs: bodyOf,
    processOutputs: toOutputs,
    on_start: markAgentRoot,
    on_end: keepUsage,
  }
  return { about, config }
}

const INVOCATION_KEYS = [
  'frequency_penalty',
  'n',
  'logit_bias',
  'logprobs',
  'modalities',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'seed',
  'service_tier',
  'stream_options',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
  'verbosity',
  'web_search_options',
] as const

function readParameters(body: Record<string, unknown>, about: About, known: unknown): InvocationParamsSchema {
  const { model, max_completion_tokens, max_tokens, temperature, stop, metadata } = body
  const given = INVOCATION_KEYS.filter((key) => body[key] !== undefined).map((key) => [key, body[key]])
  return {
    ...(typeof metadata === 'object' ? metadata : {}),
    ls_provider: about.provider,
    ls_model_type: about.type,
    ls_model_name: model as string,
    ls_max_tokens: (max_completion_tokens ?? max_tokens ?? undefined) as number | undefined,
    ls_temperature: (temperature ?? undefined) as number | undefined,
    ls_stop: stop == null ? undefined : ([stop].flat() as string[]),
    ls_invocation_params: {
      ...(known as object | undefined),
      ...Object.fromEntries(given),
      ...(about.isResponses && { use_responses_api: true }),
    },
  }
}
