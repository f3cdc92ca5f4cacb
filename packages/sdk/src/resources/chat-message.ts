import type { KVMap } from '../schemas.ts'

/** What a message of LangChain has; nothing of that package is imported. */
export interface ChatMessageLike {
  _getType(): string
  content: unknown
  additional_kwargs?: Record<string, unknown> | undefined
}

/** `{ type, data: { content, additional_kwargs? } }` of a message of LangChain; anything else as it is. */
export function chatMessage(message: KVMap | ChatMessageLike): KVMap {
  if (typeof message._getType !== 'function') return message
  const { content, additional_kwargs } = message
  const hasMore = additional_kwargs !== undefined && Object.keys(additional_kwargs).length > 0
  const data = { content, ...(hasMore && { additional_kwargs: { ...additional_kwargs } }) }
  return { type: message._getType(), data }
}
