import { parseRecord } from '../guards.ts'
import type { KVMap } from '../schemas.ts'
import { type AgentAddress, formatAddress, parseAddress } from './address.ts'
import { parseDottedOrder } from './dotted-order.ts'

/** A `Headers` object, or a plain object with lower-case keys as in Node servers. */
export type HeadersLike =
  | { get(name: string): string | null; set?(name: string, value: string): void }
  | Record<string, string | string[] | undefined>

interface HeaderSource {
  dotted_order: string
  metadata: KVMap
  tags: string[]
  project_name?: string | undefined
  address?: AgentAddress | undefined
}

/** A caller's position in its trace, as a run tree has it. It names a destination in one way, or not at all. */
export interface Caller {
  id: string
  start_time: number
  trace_id: string
  dotted_order: string
  metadata: KVMap
  tags: string[]
  project_name?: string | undefined
  address?: AgentAddress | undefined
}

const TRACE = 'langsmith-trace'
const BAGGAGE = 'baggage'
const METADATA = 'langsmith-metadata'
const TAGS = 'langsmith-tags'
/**
 * Tags as JSON, in addition to the comma-separated form, which cannot hold commas. An extension that other clients
 * ignore.
 */
const TAGS_JSON = 'langsmith-tags-json'
const PROJECT = 'langsmith-project'
const ADDRESS = 'langsmith-address'
const OWN_MEMBERS = new Set([METADATA, TAGS, TAGS_JSON, PROJECT, ADDRESS])

/** Never throws: metadata that cannot be serialized is left out. */
export function writeTraceHeaders(run: HeaderSource, headers?: HeadersLike): Record<string, string> {
  const foreign = parseBaggage(headers && readHeader(headers, BAGGAGE)).filter(([key]) => !OWN_MEMBERS.has(key))
  const baggage = [...foreign.map(([key, value]) => `${key}=${value}`), ...toBaggageMembers(run)].join(',')
  const result: Record<string, string> = { [TRACE]: run.dotted_order, ...(baggage && { [BAGGAGE]: baggage }) }
  if (headers && typeof headers.set === 'function') {
    for (const [name, value] of Object.entries(result)) headers.set(name, value)
  }
  return result
}

/** `undefined` without a well-formed trace header. Malformed baggage members are ignored one by one. */
export function readTraceHeaders(headers: HeadersLike): Caller | undefined {
  const dotted_order = readHeader(headers, TRACE)?.trim() ?? ''
  const segments = parseDottedOrder(dotted_order)
  const first = segments?.[0]
  const last = segments?.at(-1)
  if (!first || !last) return undefined
  const members = new Map(parseBaggage(readHeader(headers, BAGGAGE)))
  return {
    id: last.id,
    start_time: last.startMs,
    trace_id: first.id,
    dotted_order,
    metadata: readObject(members.get(METADATA)),
    tags: readTags(members),
    ...readDestination(members),
  }
}

/** A caller that names both a project and an address is ambiguous, so both are ignored. */
function readDestination(members: Map<string, string>) {
  const project_name = decode(members.get(PROJECT)) || undefined
  const address = parseAddress(decode(members.get(ADDRESS)) ?? '')
  return (!project_name || !address) && (project_name || address) ? { project_name, address } : undefined
}

function toBaggageMembers({ metadata, tags, project_name, address }: HeaderSource): string[] {
  const json = tryOrUndefined(() => JSON.stringify(metadata))
  const members = [
    [METADATA, json !== '{}' && json],
    [TAGS, tags.join(',')],
    [TAGS_JSON, tags.some((tag) => tag.includes(',')) && JSON.stringify(tags)],
    [PROJECT, project_name],
    [ADDRESS, address && formatAddress(address)],
  ] as const
  return members.flatMap(([name, value]) => (value ? `${name}=${encodeURIComponent(value)}` : []))
}

function parseBaggage(baggage: string | undefined): [string, string][] {
  return (baggage ?? '').split(',').flatMap((item): [string, string][] => {
    const index = item.indexOf('=')
    return index > 0 ? [[item.slice(0, index).trim(), item.slice(index + 1).trim()]] : []
  })
}

function readTags(members: Map<string, string>): string[] {
  const json: unknown = tryOrUndefined(() => JSON.parse(decode(members.get(TAGS_JSON)) ?? ''))
  if (Array.isArray(json)) return json.filter((tag) => typeof tag === 'string')
  return decode(members.get(TAGS))?.split(',').filter(Boolean) ?? []
}

function readObject(text: string | undefined): KVMap {
  return parseRecord(decode(text) ?? '')
}

function decode(text: string | undefined): string | undefined {
  return text === undefined ? undefined : tryOrUndefined(() => decodeURIComponent(text))
}

function readHeader(headers: HeadersLike, name: string): string | undefined {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  const text: unknown = Array.isArray(value) ? value.join(',') : value
  return typeof text === 'string' ? text : undefined
}

function tryOrUndefined<T>(task: () => T): T | undefined {
  try {
    return task()
  } catch {
    return undefined
  }
}
