/** An emitter whose number of input tokens does not contain those read from or written to a cache. */
export interface ExclusiveEmitter {
  /** Name of the instrumentation scope. */
  readonly scope: RegExp
  /** The first version that includes them; absent while none is known. */
  readonly until?: readonly [major: number, minor: number]
  /** Only for these providers. */
  readonly provider?: RegExp
  /** An attribute whose presence tells that the number includes them. */
  readonly unless?: RegExp
  readonly about: string
}

export const EXCLUSIVE_EMITTERS: readonly ExclusiveEmitter[] = [
  {
    scope: /^@traceloop\/instrumentation-anthropic$/,
    about: 'OpenLLMetry for JavaScript, Anthropic: the number of the API as it is',
  },
  { scope: /ruby_?llm/i, about: 'RubyLLM (thoughtbot/opentelemetry-instrumentation-ruby_llm#38)' },
  { scope: /^genkit/, provider: /anthropic|claude/i, about: 'Genkit with Anthropic (genkit-ai/genkit#5412)' },
  {
    scope: /^ai$/,
    provider: /anthropic|bedrock/i,
    // Version 6 includes them and has the details; its spans for objects have neither these names nor a cache.
    unless: /^ai\.usage\.inputTokenDetails\./,
    about: 'AI SDK 4 and 5 with Anthropic or Bedrock; version 6 includes them (getsentry/sentry-javascript#21488)',
  },
]

interface Named {
  readonly keys: readonly string[]
  peek(key: string): string | undefined
}

const PROVIDER_KEYS = ['ai.model.provider', 'gen_ai.provider.name', 'gen_ai.system', 'gen_ai.request.model']

/** Whether the emitter of a span is known to leave cached tokens out of its input, and of its total. */
export function leavesCacheOut(
  attributes: Named,
  { name, version }: { readonly name: string; readonly version: string },
): boolean {
  const emitters = EXCLUSIVE_EMITTERS.filter(
    ({ scope, until }) => scope.test(name) && (until === undefined || isBefore(version, until)),
  )
  if (emitters.length === 0) return false
  const provider = PROVIDER_KEYS.map((key) => attributes.peek(key) ?? '').join(' ')
  return emitters.some(
    (emitter) =>
      (emitter.provider?.test(provider) ?? true) &&
      !(emitter.unless !== undefined && attributes.keys.some((key) => emitter.unless?.test(key))),
  )
}

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, theirs = 0] = version.split('.').map(Number)
  return ours < major || (ours === major && theirs < minor)
}
