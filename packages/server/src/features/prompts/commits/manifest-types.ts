import { ApiError } from '@touchstone/contract'

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
export function checkManifestType(manifest: Readonly<Record<string, unknown>>): void {
  const id: unknown = Object.hasOwn(manifest, 'id') ? manifest.id : undefined
  const type: unknown = Array.isArray(id) ? id.at(-1) : undefined
  if (typeof type !== 'string') throw new ApiError('INVALID_REQUEST', 'Manifest must have an id field')
  if (!TYPES.has(type)) {
    throw new ApiError('INVALID_REQUEST', `Manifest type ${type.slice(0, 200).toWellFormed()} is not supported`)
  }
}
