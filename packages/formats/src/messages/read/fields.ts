import { asRecord, type JsonRecord } from '../../json/guards.ts'
import type { Part, Signer } from '../model.ts'

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

/** Where the AI SDK keeps what belongs to one provider, as one gets it, as one sends it, and in messages of its UI. */
const PROVIDER_MEMBERS = ['providerMetadata', 'providerOptions', 'callProviderMetadata']

/** The AI SDK's name of a provider, the member of its proof, and who takes the proof. */
const PROVIDER_SIGNATURES: readonly (readonly [provider: string, member: string, signedBy: Signer])[] = [
  ['anthropic', 'signature', 'anthropic'],
  ['bedrock', 'signature', 'anthropic'],
  ['google', 'thoughtSignature', 'gemini'],
  ['vertex', 'thoughtSignature', 'gemini'],
  ['openai', 'reasoningEncryptedContent', 'openai'],
  ['azure', 'reasoningEncryptedContent', 'openai'],
]

interface Signed {
  readonly signature?: string
  readonly signedBy?: Signer
}

/** The proof of a provider that its model wrote a part, and whose it is. */
export function readSignature(block: JsonRecord): Signed {
  const own = firstWord(block, ['signature'])
  if (own !== undefined) return { signature: own, ...(block.type === 'thinking' && { signedBy: 'anthropic' }) }
  const thought = firstWord(block, ['thoughtSignature', 'thought_signature'])
  if (thought !== undefined) return { signature: thought, signedBy: 'gemini' }
  for (const member of PROVIDER_MEMBERS) {
    const ofProviders = asRecord(block[member])
    for (const [provider, name, signedBy] of PROVIDER_SIGNATURES) {
      const signature = firstWord(asRecord(ofProviders?.[provider]), [name])
      if (signature !== undefined) return { signature, signedBy }
    }
  }
  return {}
}
