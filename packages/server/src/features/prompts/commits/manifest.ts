import { createHash } from 'node:crypto'
import { ApiError } from '@touchstone/contract'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { isArrayText, isObjectText, splitElements, splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'

const MAX_BYTES = 20 * 1024 * 1024

/** A manifest as it came, and what is compared and hashed of it. */
export interface HashedManifest {
  /** JSON text as it came. */
  readonly text: string
  readonly canonical: string
  /** Equal for manifests that say the same. */
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
  const content = canonical.includes('"metadata":') ? canonicalJson(canonical, withoutOrigin) : canonical
  return { text, canonical, contentHash: sha256(content) }
}

/**
 * Hash of a commit: of its manifest and all that went before, and of nothing that differs between servers, so that a
 * history replayed elsewhere has the same hashes.
 *
 * @param parentHash  null for a first commit
 */
export function hashCommit({ canonical }: Pick<HashedManifest, 'canonical'>, parentHash: string | null): string {
  return sha256(`[${JSON.stringify(parentHash)},${canonical}]`)
}

/** Loaders note in a pulled prompt where it came from; pushing it back unchanged must not look like a change. */
function withoutOrigin(members: Map<string, string>, key: string | undefined, parentKey: string | undefined): boolean {
  if (key !== 'metadata' || parentKey !== 'kwargs') return true
  for (const name of ['lc_hub_owner', 'lc_hub_repo', 'lc_hub_commit_hash']) members.delete(name)
  return members.size > 0
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Classes that a prompt can be: templates, chats of them, and chains that begin with one. */
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
 * All that the server asks of a prompt: that it says which class it is, and that it is one of a prompt. The class is a
 * name here, nothing is made of it.
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

/** A manifest with or without its model, all of it JSON text cut from what was stored. */
export interface Pulled {
  readonly manifest: string
  /** Settings of the model; null unless it was asked for. */
  readonly modelConfig: string | null
  /** Its class. */
  readonly modelProvider: string | null
}

/** Chains of a prompt and a model; the second is how a playground saves them. */
const SEQUENCES = new Set(['RunnableSequence', 'PromptPlayground'])

/**
 * What of a stored manifest is handed out. Without the model, of a chain its prompt alone. With it, a playground says
 * that it is a sequence, which is what loaders know.
 */
export function withModel(manifest: string, wantsModel: boolean): Pulled {
  const plain: Pulled = { manifest, modelConfig: null, modelProvider: null }
  const root = splitMembers(manifest)
  const id = classPath(root.get('id'))
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

/** The last link of a chain is the model, or a binding of it. */
function readModel(kwargs: ReadonlyMap<string, string>): Pick<Pulled, 'modelConfig' | 'modelProvider'> {
  const last = readObject(kwargs, 'last')
  if (last === undefined) return { modelConfig: null, modelProvider: null }
  const bound = readObject(readObject(last, 'kwargs') ?? new Map(), 'bound')
  const model = bound ?? last
  const config = model.get('kwargs')
  return {
    modelConfig: config !== undefined && isObjectText(config) ? config : null,
    modelProvider: classPath(model.get('id')).at(-1) ?? null,
  }
}

function readObject(members: ReadonlyMap<string, string>, key: string): Map<string, string> | undefined {
  const text = members.get(key)
  return text !== undefined && isObjectText(text) ? splitMembers(text) : undefined
}

function classPath(id: string | undefined): string[] {
  if (id === undefined || !isArrayText(id)) return []
  return splitElements(id)
    .map((part): unknown => (part.startsWith('"') ? JSON.parse(part) : undefined))
    .filter((part) => typeof part === 'string')
}
