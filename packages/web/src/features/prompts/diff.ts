import {
  type PromptDocument,
  type PromptMessage,
  type PromptPart,
  readRests,
} from '@touchstone/contract/prompt-manifest'
import type { TemplateFormat } from '@touchstone/formats/templates'
import type { DiffRequest } from '#lib/diff/ask-diff.ts'
import type { Turn } from '#lib/diff/diff-turns.ts'
import { printJson } from './print-json.ts'

/** A part of two prompts that differs. */
export interface DiffSection {
  readonly title: string
  readonly request: DiffRequest
}

interface Side {
  /** Undefined when the manifest can only be compared as JSON. */
  readonly document: PromptDocument | undefined
  readonly manifest: unknown
}

/** The parts in which two commits differ; empty for equal ones. Manifests that are not understood are compared as JSON. */
export function listDiffSections(a: Side, b: Side): DiffSection[] {
  if (a.document === undefined || b.document === undefined) return compareJson('Manifest', a.manifest, b.manifest)
  const sections = [
    ...compareMessages(a.document, b.document),
    ...compareJson('Model', toModel(a.document), toModel(b.document)),
    ...compareJson('Tools', toTools(a.document), toTools(b.document)),
    ...compareJson('Output schema', toSchema(a.document), toSchema(b.document)),
    ...compareJson('Values of variables', a.document.partials, b.document.partials),
    ...compareJson('Metadata', a.document.metadata, b.document.metadata),
  ]
  // What no part shows, e.g. a step after the model, must not be hidden by the parts that differ.
  const all = [...sections, ...compareJson('Rest of the manifest', ...readRests(a.manifest, b.manifest))]
  return all.length > 0 ? all : compareJson('Manifest', a.manifest, b.manifest)
}

function compareMessages(a: PromptDocument, b: PromptDocument): DiffSection[] {
  const [before, after] = [a.messages.map(toTurn), b.messages.map(toTurn)]
  // The same text in other parts, for example an image that became text, shows as JSON only.
  if (toText(before) === toText(after)) return compareJson('Messages', a.messages, b.messages)
  return [{ title: 'Messages', request: { kind: 'chat', a: before, b: after } }]
}

function compareJson(title: string, a: unknown, b: unknown): DiffSection[] {
  const [before, after] = [toText(a), toText(b)]
  return before === after ? [] : [{ title, request: { kind: 'json', a: before, b: after } }]
}

/** JSON text; nothing for a part that is not there. */
function toText(value: unknown): string {
  if (value === undefined) return ''
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(printJson(value))
  }
}

function toModel({ model }: PromptDocument) {
  if (model === undefined) return undefined
  const { provider, name, settings, secrets } = model
  return { class: provider, model: name ?? null, ...settings, ...(secrets.length > 0 && { secrets }) }
}

/** Definitions, as they are stored. */
function toTools({ tools }: PromptDocument) {
  return tools.length === 0 ? undefined : tools.map(({ value }) => value)
}

function toSchema({ schema, schemaOptions }: PromptDocument) {
  if (schema === undefined || schema === null) return undefined
  return Object.keys(schemaOptions).length === 0 ? schema : { schema, options: schemaOptions }
}

function toTurn(message: PromptMessage): Turn {
  if (message.kind === 'placeholder') {
    return { role: 'placeholder', text: `${message.variable}${message.isOptional ? ' (optional)' : ''}` }
  }
  if (message.kind === 'unknown') return { role: message.type, text: printJson(message.value) }
  const { role, parts, toolCalls, name, toolCallId, partials, format } = message
  const texts = parts.map(toPartText)
  if (toolCalls.length > 0) texts.push(printJson(toolCalls))
  if (partials !== undefined) texts.push(`Filled in: ${printJson(partials)}`)
  const notes = [
    parts.length > 1 ? `${parts.length} parts` : '',
    name === undefined ? '' : `name ${name}`,
    toolCallId === undefined ? '' : `answers call ${toolCallId}`,
    toFormatNote(format, texts),
  ].filter((note) => note !== '')
  return { role: notes.length > 0 ? `${role} (${notes.join(', ')})` : role, text: texts.join('\n') }
}

/** The language of a template, where its text means something else than in an f-string. */
function toFormatNote(format: TemplateFormat | undefined, texts: readonly string[]): string {
  if (format === undefined) return texts.some((text) => text.includes('{')) ? 'no variables' : ''
  return format === 'f-string' ? '' : format
}

function toPartText(part: PromptPart): string {
  if (part.kind === 'unknown') return printJson(part.value)
  if (part.kind === 'text') return part.text
  return `(image) ${part.text}${part.detail === undefined ? '' : ` (detail ${part.detail})`}`
}
