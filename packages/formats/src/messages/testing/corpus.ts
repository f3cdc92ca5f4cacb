import { readdirSync, readFileSync } from 'node:fs'
import type { Citation, Message, Part } from '../index.ts'

/** A recorded message, and how it reads. */
export interface RecordedMessage {
  readonly format: string
  readonly shape: string
  readonly message: unknown
  /** One line per message, as `outline` prints it. */
  readonly reads: readonly string[]
}

const FOLDER = new URL('../corpus/', import.meta.url)

/** Recorded messages of all formats: those of the providers' documents, and those that clients sent. */
export const CORPUS: readonly RecordedMessage[] = readdirSync(FOLDER)
  .sort()
  .flatMap((file) => {
    const entries = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Omit<RecordedMessage, 'format'>[]
    return entries.map((entry) => ({ format: file.replace('.json', ''), ...entry }))
  })

/** A message in one line. */
export function outline({ role, name, parts }: Message): string {
  return `${name === undefined ? role : `${role} ${name}`}: ${parts.map(outlinePart).join(' | ')}`
}

function outlinePart(part: Part): string {
  switch (part.kind) {
    case 'text':
      return [part.text, ...(part.citations ? [`{${part.citations.map(outlineSource).join(', ')}}`] : [])].join(' ')
    case 'reasoning':
      return `reasoning ${part.isHidden ? '(hidden)' : part.text}`
    case 'refusal':
      return `refusal ${part.text}`
    case 'code':
      return `code ${part.language} ${part.code}`
    case 'sources':
      return `sources ${part.sources.map(outlineSource).join(', ')}`
    case 'media': {
      const { type, url, label, text, transcript } = part.media
      const address = url === undefined ? label : url.length > 38 ? `${url.slice(0, 34)}…` : url
      return [type, address, text && `= ${text}`, transcript && `"${transcript}"`].filter(Boolean).join(' ')
    }
    case 'tool_call':
      return `${['call', part.id, part.name].filter(Boolean).join(' ')}(${typeof part.args === 'string' ? part.args : JSON.stringify(part.args)})`
    case 'tool_result': {
      const head = [part.isError ? 'error' : 'result', part.id, part.name].filter(Boolean).join(' ')
      return `${head} [${part.parts.map(outlinePart).join(' | ')}]`
    }
    case 'unknown':
      return JSON.stringify(part.value)
  }
}

function outlineSource({ title, url, quote }: Citation): string {
  return [title, url, quote && `"${quote}"`].filter(Boolean).join(' ')
}
