import { asList, asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import type { Part } from '../model.ts'
import { readCitations } from './citations.ts'
import { firstText, firstWord, type ReadBlock, readSignature, recorded, SIGNATURES } from './fields.ts'

/** `text` of nearly all formats, `content` of GenAI; the assistants of OpenAI have the text in `value`. */
export const text: ReadBlock = (block) => {
  const held = asRecord(block.text)
  const found = held === undefined ? firstText(block, ['text', 'content']) : asText(held.value)
  if (found === undefined) return undefined
  const cited = block.citations ?? block.annotations ?? held?.annotations
  const citations = readCitations(cited)
  const isCited = citations.length > 0 && citations.length === asList(cited)?.length
  const used = typeof block.text === 'string' || held !== undefined ? 'text' : 'content'
  const part = recorded(block, ['type', 'block_type', used, ...(isCited ? ['citations', 'annotations'] : [])])
  if (found === '' && part.rest === undefined && citations.length === 0) return []
  return [{ kind: 'text', text: found, ...(isCited && { citations }), ...part }]
}

export const refusal: ReadBlock = (block) => {
  const found = firstText(block, ['refusal', 'text'])
  return found === undefined
    ? undefined
    : [{ kind: 'refusal', text: found, ...recorded(block, ['type', 'refusal', 'text']) }]
}

const THOUGHTS = ['thinking', 'reasoning', 'reasoning_content', 'text', 'content']

/** Reasoning as a text, or as a summary with several. */
export const reasoning: ReadBlock = (block) => {
  const name = THOUGHTS.find((one) => typeof block[one] === 'string')
  const own = name === undefined ? undefined : (block[name] as string)
  const listed =
    own === undefined ? [...listTexts(block.summary), ...listTexts(block.content), ...listTexts(block.thinking)] : []
  const found = own ?? listed.join('\n\n')
  const read = name === undefined ? ['summary', 'content', 'thinking'] : [name]
  const part = recorded(block, ['type', 'block_type', 'status', ...read, ...SIGNATURES])
  const signed = readSignature(block)
  const isHidden = found === '' && (hasSecret(part.rest) || signed.signedBy === 'openai')
  if (found === '' && !isHidden) return []
  return [{ kind: 'reasoning', text: found, ...(isHidden && { isHidden }), ...signed, ...part }]
}

/** The provider sent its reasoning in a format that only it can read. */
export const hiddenReasoning: ReadBlock = (block) => [
  { kind: 'reasoning', text: '', isHidden: true, ...recorded(block, ['type']) },
]

function hasSecret(rest: JsonRecord | undefined): boolean {
  return rest?.encrypted_content !== undefined || rest?.data !== undefined || rest?.redactedContent !== undefined
}

export function listTexts(value: unknown): string[] {
  return (asList(value) ?? []).flatMap((one) => asText(one) ?? firstWord(asRecord(one), ['text', 'summary']) ?? [])
}

/** Code that the provider runs. */
export function code(language: string): ReadBlock {
  return (block) => {
    const found = asText(block.code)
    if (found === undefined) return undefined
    const own = asText(block.language)?.toLowerCase()
    return [
      {
        kind: 'code',
        code: found,
        language: own ?? language,
        ...recorded(block, ['type', 'code', 'language', 'status']),
      },
    ]
  }
}

/** One page, file or search result that an answer used. */
export const source: ReadBlock = (block) => {
  return [{ kind: 'sources', sources: readCitations([block]), raw: block }]
}

/** A mark within a list of blocks that has no content. */
export const mark: ReadBlock = (): readonly Part[] => []
