import type { RunType, UsageRepeat } from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { asRecord } from '@touchstone/formats/guards'
import { printObject } from '@touchstone/formats/write-object'
import type { SpanAttributes } from './attributes.ts'
import { AGGREGATE_OPERATIONS } from './run-type.ts'

/** Whether the numbers of a span are the sum of other calls, as far as it tells itself. */
export function isAggregate(attributes: SpanAttributes, runType: RunType): boolean {
  if (runType !== 'llm' && runType !== 'embedding') return true
  const operation = attributes.text('gen_ai.operation.name')
  if (AGGREGATE_OPERATIONS.some((one) => one === operation)) return true
  return attributes.keys.some((key) => key.startsWith('gen_ai.aggregated_usage.'))
}

export interface Tokens {
  readonly input: number
  readonly output: number
}

/** A run of a trace, of this block or stored before. */
export interface RunTokens {
  readonly id: string
  readonly parentId?: string | undefined
  readonly name: string
  readonly runType: string
  /** `extra.otel.operation`. */
  readonly operation?: string | undefined
  /** What counts; undefined for runs that report none. */
  readonly tokens?: Tokens | undefined
  /** Name of the scope; undefined for stored runs. */
  readonly scope?: string | undefined
  /** In one form for all runs of a call, ordered like the times. */
  readonly start?: string | undefined
  /** Undefined for stored runs. */
  readonly end?: string | undefined
}

/**
 * Finds runs that repeat what runs below them report, which a span alone cannot tell: they have the operation and name of one
 * below (`embed` of the AI SDK), or exactly the sum of those below (a framework around an instrumented client). And calls that a
 * client reports itself beside an instrumentation around it. Call it with all known runs of a trace whenever some arrived:
 * children arrive before their parents.
 *
 * @returns the runs whose usage must not count, and where it counts; `toAggregate` changes their `extra`
 */
export function findAggregates(runs: readonly RunTokens[]): ReadonlyMap<string, UsageRepeat> {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const below = new Map<string, RunTokens[]>()
  for (const run of runs) {
    const owner = run.tokens === undefined ? undefined : findOwner(run, byId)
    if (owner === undefined) continue
    const children = below.get(owner.id)
    if (children === undefined) below.set(owner.id, [run])
    else children.push(run)
  }
  const repeating = [...below].filter(([id, children]) => {
    const run = byId.get(id)
    return run !== undefined && repeats(run, children)
  })
  const found = new Map<string, UsageRepeat>(repeating.map(([id]) => [id, 'below']))
  for (const id of findClientRepeats(runs.filter((run) => !found.has(run.id)))) found.set(id, 'beside')
  return found
}

/** Who sends a span of its own for each call, without content, and the names of these spans. */
export const CLIENTS: readonly {
  readonly scope: RegExp
  readonly name: string
  readonly about: string
  /** The span begins after the call has ended. */
  readonly isAfter?: true
}[] = [
  { scope: /^com\.anthropic\.sdk\./, name: 'anthropic.messages.create', about: 'the SDKs of Anthropic' },
  {
    scope: /^opentelemetry\.instrumentation\.ag2/,
    name: 'record_usage model_call',
    about: 'AG2 1, after each call',
    isAfter: true,
  },
]

export const isNameOfClient = (name: string | undefined): boolean => CLIENTS.some((client) => client.name === name)

const findClient = ({ name, scope }: RunTokens) =>
  CLIENTS.find((client) => client.name === name && (scope === undefined || client.scope.test(scope)))

/**
 * Calls that are reported twice: by a client, and by an instrumentation whose span was not the current one, so that neither is
 * above the other. Each of the instrumentation's stands for one of the client's with the same tokens during it. The span
 * of the client does not count, unless it is stored already.
 */
function findClientRepeats(runs: readonly RunTokens[]): string[] {
  const reporting = runs.filter(({ tokens, start }) => tokens !== undefined && start !== undefined)
  const clients = reporting.filter((run) => findClient(run) !== undefined)
  if (clients.length === 0) return []
  // By tokens: a trace may have thousands of both.
  const others = new Map<string, RunTokens[]>()
  for (const run of reporting) {
    if (findClient(run) !== undefined) continue
    const same = others.get(tokensOf(run))
    if (same === undefined) others.set(tokensOf(run), [run])
    else same.push(run)
  }
  return clients.flatMap((client) => {
    const same = others.get(tokensOf(client)) ?? []
    const isAfter = findClient(client)?.isAfter === true
    const at = same.findIndex((one) => (isAfter ? mayPrecede(one, client) : mayContain(one, client)))
    const [call] = at === -1 ? [] : same.splice(at, 1)
    if (call === undefined) return []
    return client.scope === undefined ? call.id : client.id
  })
}

const tokensOf = ({ tokens }: RunTokens) => `${tokens?.input} ${tokens?.output}`

/** Of runs with the same tokens. */
function mayContain(call: RunTokens, client: RunTokens): boolean {
  const [start = '', end = ''] = [client.start, client.end ?? client.start]
  return (call.start ?? '') <= start && (call.end === undefined || end <= call.end)
}

/** The same for a span that is sent after the call. */
function mayPrecede(call: RunTokens, client: RunTokens): boolean {
  return (call.start ?? '') <= (client.start ?? '')
}

/** Levels above a run that are searched: calls inside a call are near. */
export const MAX_LEVELS = 64

/** The nearest run above that reports usage itself. */
function findOwner(run: RunTokens, byId: ReadonlyMap<string, RunTokens>): RunTokens | undefined {
  let at = byId.get(run.parentId ?? '')
  for (let level = 0; at !== undefined && at.id !== run.id && level < MAX_LEVELS; level++) {
    if (at.tokens !== undefined) return at
    at = byId.get(at.parentId ?? '')
  }
  return undefined
}

function repeats(run: RunTokens, children: readonly RunTokens[]): boolean {
  const isSame = ({ name, runType, operation }: RunTokens) =>
    name === run.name && runType === run.runType && operation === run.operation
  if (children.some(isSame)) return true
  const sum = (read: (tokens: Tokens) => number) =>
    children.reduce((total, { tokens }) => total + (tokens === undefined ? 0 : read(tokens)), 0)
  return run.tokens?.input === sum(({ input }) => input) && run.tokens.output === sum(({ output }) => output)
}

/** Whether a mapped `extra` may have tokens, without reading it. */
export const hasTokens = (extra: string | undefined): boolean => extra?.includes('"usage_metadata"') === true

/** The tokens that a mapped `extra` counts, its operation and its scope, without parsing the rest of it. */
export function readRunTokens(extra: string | undefined): Pick<RunTokens, 'operation' | 'tokens' | 'scope'> {
  if (extra === undefined || !hasTokens(extra)) return {}
  const members = splitMembers(extra)
  const usage = asRecord(parse(membersOf(members.get('metadata')).get('usage_metadata')))
  const otel = membersOf(members.get('otel'))
  const operation = parse(otel.get('operation'))
  const scope = asRecord(parse(otel.get('scope')))?.name
  const [input, output] = [usage?.input_tokens, usage?.output_tokens]
  if (typeof input !== 'number' && typeof output !== 'number') return {}
  return {
    tokens: { input: typeof input === 'number' ? input : 0, output: typeof output === 'number' ? output : 0 },
    ...(typeof operation === 'string' && { operation }),
    scope: typeof scope === 'string' ? scope : '',
  }
}

/** The text of an `extra` whose usage does not count: it is shown, but in no sum. The rest of the text stays as it is. */
export function toAggregate(extra: string, repeat: UsageRepeat): string {
  const members = splitMembers(extra)
  const metadata = membersOf(members.get('metadata'))
  const usage = metadata.get('usage_metadata')
  if (usage === undefined) return extra
  metadata.delete('usage_metadata')
  const otel = membersOf(members.get('otel')).set('aggregate_usage', usage).set('repeats_usage', JSON.stringify(repeat))
  return printObject(members.set('metadata', printObject(metadata)).set('otel', printObject(otel)))
}

function membersOf(text: string | undefined): Map<string, string> {
  return text !== undefined && isObjectText(text) ? splitMembers(text) : new Map()
}

function parse(text: string | undefined): unknown {
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}
