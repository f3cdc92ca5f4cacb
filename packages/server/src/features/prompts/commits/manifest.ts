import { createHash } from 'node:crypto'
import { ApiError } from '@touchstone/contract'
import { isArrayText, isObjectText, splitElements, splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import { canonicalJson } from '../../../json/canonical-json.ts'

const MAX_BYTES = 20 * 1024 * 1024

/** A manifest as it was sent, with the texts to compare and hash. */
export interface HashedManifest {
  /** JSON text as it was sent. */
  readonly text: string
  readonly canonical: string
  /** Equal for manifests with the same content. */
  readonly contentHash: string
}

/**
 * @param text  JSON text of an object
 * @throws ApiError PAYLOAD_TOO_LARGE above 20 MiB, INVALID_REQUEST when it is nested deeper than 10,000 levels
 */
export function hashManifest(text: string): HashedManifest {
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new ApiError('PAYLOAD_TOO_LARGE', `A manifest, or a tree of files, has at most ${MAX_BYTES} bytes.`)
  }
  const canonical = canonicalJson(text)
  const content = canonical.includes('"metadata":') ? canonicalJson(canonical, removeOrigin) : canonical
  return { text, canonical, contentHash: sha256(content) }
}

/**
 * Hash of a commit: of its manifest and its parent's hash. It does not depend on the server, so that a replayed history
 * has the same hashes.
 *
 * @param parentHash  null for a first commit
 */
export function hashCommit({ canonical }: Pick<HashedManifest, 'canonical'>, parentHash: string | null): string {
  return sha256(`[${JSON.stringify(parentHash)},${canonical}]`)
}

/** Loaders add the origin to a pulled prompt; committing it unchanged must not look like a change. */
function removeOrigin(members: Map<string, string>, key: string | undefined, parentKey: string | undefined): boolean {
  if (key !== 'metadata' || parentKey !== 'kwargs') return true
  for (const name of ['lc_hub_owner', 'lc_hub_repo', 'lc_hub_commit_hash']) members.delete(name)
  return members.size > 0
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Types of prompts: templates, chats of templates, and chains that start with one. */
const TYPES = new Set([
  'PromptTemplate',
  'ChatPromptTemplate',
  'StructuredPrompt',
  'FewShotPromptTemplate',
  'FewShotPromptWithTemplates',
  'FewShotChatMessagePromptTemplate',
  'PipelinePromptTemplate',
  'ImagePromptTemplate',
  'DictPromptTemplate',
  'MessagesPlaceholder',
  'SystemMessagePromptTemplate',
  'HumanMessagePromptTemplate',
  'AIMessagePromptTemplate',
  'ChatMessagePromptTemplate',
  'RunnableSequence',
  'RunnableBinding',
  'PromptPlayground',
])

/**
 * The only check of a prompt: its id must name the class of a prompt. The server does not instantiate the class.
 *
 * @throws ApiError INVALID_REQUEST
 */
export function assertManifestType(manifest: Readonly<Record<string, unknown>>): void {
  const id: unknown = Object.hasOwn(manifest, 'id') ? manifest.id : undefined
  const type: unknown = Array.isArray(id) ? id.at(-1) : undefined
  if (typeof type !== 'string') throw new ApiError('INVALID_REQUEST', 'Manifest must have an id field')
  if (!TYPES.has(type)) {
    throw new ApiError('INVALID_REQUEST', `Manifest type ${type.slice(0, 200).toWellFormed()} is not supported`)
  }
}

/** A manifest with or without its model, as parts of the stored JSON text. */
export interface PulledManifest {
  readonly manifest: string
  /** Settings of the model; null unless they were requested. */
  readonly modelConfig: string | null
  /** Class of the model. */
  readonly modelProvider: string | null
}

/** Chains of a prompt and a model; playgrounds save the second form. */
const SEQUENCES = new Set(['RunnableSequence', 'PromptPlayground'])

/**
 * The part of a stored manifest for a reader. Without the model, only the prompt of a chain. With it, a playground gets
 * the id of a sequence, which loaders support.
 */
export function toPulledManifest(manifest: string, wantsModel: boolean): PulledManifest {
  const plain: PulledManifest = { manifest, modelConfig: null, modelProvider: null }
  const root = splitMembers(manifest)
  const id = parseClassPath(root.get('id'))
  const kwargs = readObject(root, 'kwargs')
  if (kwargs === undefined || !SEQUENCES.has(id.at(-1) ?? '')) return plain
  if (!wantsModel) {
    const first = kwargs.get('first')
    return first !== undefined && isObjectText(first) ? { ...plain, manifest: first } : plain
  }
  const isPlayground = id.join('/') === 'langsmith/playground/PromptPlayground'
  return {
    manifest: isPlayground ? printObject(new Map(root).set('id', SEQUENCE_ID)) : manifest,
    ...readModel(kwargs),
  }
}

const SEQUENCE_ID = '["langchain","schema","runnable","RunnableSequence"]'

/** The last step of a chain is the model, or a binding of it. */
function readModel(kwargs: ReadonlyMap<string, string>): Pick<PulledManifest, 'modelConfig' | 'modelProvider'> {
  const last = readObject(kwargs, 'last')
  if (last === undefined) return { modelConfig: null, modelProvider: null }
  const bound = readObject(readObject(last, 'kwargs') ?? new Map(), 'bound')
  const model = bound ?? last
  const config = model.get('kwargs')
  return {
    modelConfig: config !== undefined && isObjectText(config) ? config : null,
    modelProvider: parseClassPath(model.get('id')).at(-1) ?? null,
  }
}

function readObject(members: ReadonlyMap<string, string>, key: string): Map<string, string> | undefined {
  const text = members.get(key)
  return text !== undefined && isObjectText(text) ? splitMembers(text) : undefined
}

function parseClassPath(id: string | undefined): string[] {
  if (id === undefined || !isArrayText(id)) return []
  return splitElements(id)
    .map((part): unknown => (part.startsWith('"') ? JSON.parse(part) : undefined))
    .filter((part) => typeof part === 'string')
}
