import type { KVMap } from '../schemas.ts'
import { type AgentAddress, readAddress, writeAddress } from './address.ts'
import { parseDottedOrder } from './dotted-order.ts'

/** A `Headers` object, or a plain object with lower-case keys as in Node servers. */
export type HeadersLike =
  | { get(name: string): string | null; set?(name: string, value: string): void }
  | Record<string, string | string[] | undefined>

interface Sender {
  dotted_order: string
  metadata: KVMap
  tags: string[]
  project_name?: string | undefined
  address?: AgentAddress | undefined
}

/** A caller's position in its trace. */
export interface Caller {
  id: string
  startMs: number
  traceId: string
  dottedOrder: string
  metadata: KVMap
  tags: string[]
  /** At most one of `projectName` and `address` is set. */
  projectName: string | undefined
  address: AgentAddress | undefined
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
const OURS = new Set([METADATA, TAGS, TAGS_JSON, PROJECT, ADDRESS])

/** Never throws: metadata that cannot be serialized is left out. */
export function writeTraceHeaders(run: Sender, headers?: HeadersLike): Record<string, string> {
  const foreign = membersOf(headers && readHeader(headers, BAGGAGE)).filter(([key]) => !OURS.has(key))
  const baggage = [...foreign.map(([key, value]) => `${key}=${value}`), ...ownMembers(run)].join(',')
  const result: Record<string, string> = { [TRACE]: run.dotted_order, ...(baggage && { [BAGGAGE]: baggage }) }
  if (headers && typeof headers.set === 'function') {
    for (const [name, value] of Object.entries(result)) headers.set(name, value)
  }
  return result
}

/** `undefined` without a well-formed trace header. Malformed baggage members are ignored one by one. */
export function readTraceHeaders(headers: HeadersLike): Caller | undefined {
  const dottedOrder = readHeader(headers, TRACE)?.trim()
  const segments = dottedOrder ? parseDottedOrder(dottedOrder) : undefined
  const last = segments?.at(-1)
  if (!dottedOrder || !segments || !last) return undefined
  const members = new Map(membersOf(readHeader(headers, BAGGAGE)))
  return {
    id: last.id,
    startMs: last.startMs,
    traceId: segments[0]!.id,
    dottedOrder,
    metadata: readObject(members.get(METADATA)),
    tags: readTags(members),
    ...destinationIn(members),
  }
}

/** A caller that names both a project and an address is ambiguous, so both are ignored. */
function destinationIn(members: Map<string, string>) {
  const projectName = decode(members.get(PROJECT)) || undefined
  const address = readAddress(decode(members.get(ADDRESS)) ?? '')
  return projectName && address ? { projectName: undefined, address: undefined } : { projectName, address }
}

function ownMembers({ metadata, tags, project_name, address }: Sender): string[] {
  const members: string[] = []
  const json = safely(() => JSON.stringify(metadata))
  if (json && json !== '{}') members.push(`${METADATA}=${encodeURIComponent(json)}`)
  if (tags.length > 0) members.push(`${TAGS}=${encodeURIComponent(tags.join(','))}`)
  if (tags.some((tag) => tag.includes(','))) members.push(`${TAGS_JSON}=${encodeURIComponent(JSON.stringify(tags))}`)
  if (project_name) members.push(`${PROJECT}=${encodeURIComponent(project_name)}`)
  if (address) members.push(`${ADDRESS}=${encodeURIComponent(writeAddress(address))}`)
  return members
}

function membersOf(baggage: string | undefined): [string, string][] {
  return (baggage ?? '').split(',').flatMap((item): [string, string][] => {
    const at = item.indexOf('=')
    return at > 0 ? [[item.slice(0, at).trim(), item.slice(at + 1).trim()]] : []
  })
}

function readTags(members: Map<string, string>): string[] {
  const json: unknown = safely(() => JSON.parse(decode(members.get(TAGS_JSON)) ?? ''))
  if (Array.isArray(json)) return json.filter((tag) => typeof tag === 'string')
  return decode(members.get(TAGS))?.split(',').filter(Boolean) ?? []
}

function readObject(text: string | undefined): KVMap {
  const value: unknown = safely(() => JSON.parse(decode(text) ?? ''))
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function decode(text: string | undefined): string | undefined {
  return text === undefined ? undefined : safely(() => decodeURIComponent(text))
}

function readHeader(headers: HeadersLike, name: string): string | undefined {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  const text: unknown = Array.isArray(value) ? value.join(',') : value
  return typeof text === 'string' ? text : undefined
}

function safely<T>(task: () => T): T | undefined {
  try {
    return task()
  } catch {
    return undefined
  }
}
