import { asRecord, type JsonRecord } from '../../json/guards.ts'
import type { Part } from '../model.ts'

/** Reads blocks that are inside of a block. */
export type ReadNested = (content: unknown) => readonly Part[]

/**
 * Reads a block of a known type.
 *
 * @returns undefined when the block lacks what its type promises; it is shown as it was recorded then
 */
export type ReadBlock = (block: JsonRecord, readNested: ReadNested) => readonly Part[] | undefined

/** The first of these members that is a text. */
export function firstText(fields: JsonRecord | undefined, names: readonly string[]): string | undefined {
  if (fields === undefined) return undefined
  for (const name of names) if (typeof fields[name] === 'string') return fields[name]
  return undefined
}

/** The first of these members that is a text with characters. */
export function firstWord(fields: JsonRecord | undefined, names: readonly string[]): string | undefined {
  if (fields === undefined) return undefined
  const found = names.find((name) => typeof fields[name] === 'string' && fields[name] !== '')
  return found === undefined ? undefined : (fields[found] as string)
}

/** The first of these members that is an object. */
export function firstRecord(fields: JsonRecord, names: readonly string[]): JsonRecord | undefined {
  for (const name of names) {
    const record = asRecord(fields[name])
    if (record !== undefined) return record
  }
  return undefined
}

/** An object without its undefined members. */
export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }
}

/** The block, and those of its members that have a value and were not read. */
export function recorded(block: JsonRecord, read: readonly string[]): { raw: JsonRecord; rest?: JsonRecord } {
  const rest = findRest(block, read)
  return rest === undefined ? { raw: block } : { raw: block, rest }
}

/** Members with a value that were not read; undefined when there are none. */
export function findRest(fields: JsonRecord, read: readonly string[]): JsonRecord | undefined {
  const entries = Object.entries(fields).filter(([name, value]) => value != null && !read.includes(name))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Members with the proof of a provider that its model wrote a part. */
export const SIGNATURES = ['signature', 'thoughtSignature', 'thought_signature']
