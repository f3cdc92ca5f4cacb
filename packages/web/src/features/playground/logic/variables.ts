import { parseExact } from '@touchstone/formats/edit-json'
import {
  listOptionalVariables,
  listVariables,
  type RenderedFormat,
  splitTemplate,
  type TemplatePiece,
} from '@touchstone/formats/templates'
import { mapTexts } from './from-manifest.ts'
import type { Variant, VariantMessage } from './variant.ts'

/** A variable of the variants, or a value that none of them uses. */
export interface VariableRow {
  readonly name: string
  /** What a value is: a text, a list of messages, or JSON for sections and paths of mustache. */
  readonly kind: 'text' | 'messages' | 'json'
  /** Names of the variants that use it; empty for a value that is not used. */
  readonly usedBy: readonly string[]
  /** Whether every variant that uses it does without a value. */
  readonly isOptional: boolean
  readonly text: string
  /** `missing` has no value although a variant needs one, `unused` has a value that no variant uses. */
  readonly state: 'given' | 'missing' | 'unused'
  /** Why the text is no value. */
  readonly problem: string | undefined
}

type Values = Readonly<Record<string, string>>

interface Use {
  readonly name: string
  readonly kind: VariableRow['kind']
  readonly optional: boolean
}

/** Variables of all variants in the order of their first use, then values that no variant uses. */
export function listVariableRows(variants: readonly Variant[], values: Values): VariableRow[] {
  const rows = new Map<string, { kind: VariableRow['kind']; usedBy: string[]; optional: boolean }>()
  for (const variant of variants) {
    for (const { name, kind, optional } of listUses(variant, values)) {
      const known = rows.get(name)
      if (known === undefined) rows.set(name, { kind, usedBy: [variant.name], optional })
      else {
        if (kind !== 'text') known.kind = kind
        known.optional &&= optional
        if (!known.usedBy.includes(variant.name)) known.usedBy.push(variant.name)
      }
    }
  }
  const used = [...rows].map(([name, { kind, usedBy, optional }]): VariableRow => {
    const text = getOwn(values, name) ?? ''
    const isMissing = text.trim() === '' && !optional
    const state = isMissing ? 'missing' : 'given'
    return { name, kind, usedBy, isOptional: optional, text, state, problem: findProblem(kind, text) }
  })
  const unused = Object.entries(values)
    .filter(([name, text]) => !rows.has(name) && text !== '')
    .map(
      ([name, text]): VariableRow => ({
        name,
        kind: 'text',
        usedBy: [],
        isOptional: true,
        text,
        state: 'unused',
        problem: undefined,
      }),
    )
  return [...used, ...unused]
}

const getOwn = (values: Values, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)

/**
 * Variables that a variant uses, with repetitions.
 *
 * @param values  names that the items of these values have are left out
 */
export function listUses({ messages, format }: Variant, values: Values = {}): Use[] {
  return messages.flatMap((message): Use[] => {
    if (message.role === 'placeholder') {
      return message.variable === '' ? [] : [{ name: message.variable, kind: 'messages', optional: message.optional }]
    }
    return listTemplates(message).flatMap((text) => listTextUses(text, format, values))
  })
}

/** The templates of a message: its texts and the addresses of its images. */
export function listTemplates(message: VariantMessage): string[] {
  const texts: string[] = []
  mapTexts(message, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

function listTextUses(text: string, format: RenderedFormat, values: Values): Use[] {
  if (format === 'none') return []
  const names = listVariables(text, format)
  if (format === 'f-string' || names.length === 0) return names.map((name) => ({ name, kind: 'text', optional: false }))
  const uses = new Map<string, TemplatePiece[]>()
  for (const piece of splitTemplate(text, format)) {
    if (piece.name === undefined) continue
    const own = uses.get(piece.name)
    if (own === undefined) uses.set(piece.name, [piece])
    else own.push(piece)
  }
  const parsed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, tryParse(value)]))
  const inSections = new Set(listOptionalVariables(text, format, parsed))
  return [...names, ...inSections].map((name) => {
    const own = uses.get(name) ?? []
    // A section over a name without a value is left out.
    const isSection = own.some(({ kind }) => kind === 'section')
    const isOptional = inSections.has(name) || own.every(({ kind }) => kind === 'section')
    const hasPath = own.some((piece) => /[\w\s]\./.test(piece.text))
    return { name, kind: isSection || hasPath ? 'json' : 'text', optional: isOptional }
  })
}

function findProblem(kind: VariableRow['kind'], text: string): string | undefined {
  if (kind !== 'messages' || text.trim() === '') return undefined
  const value = tryParse(text)
  return Array.isArray(value) ? undefined : 'Write a JSON list such as [{"role": "user", "content": "Hello"}].'
}

/**
 * Values as they are sent. A list of messages and the JSON of a section are parsed; other JSON text stays a text. An empty
 * list of messages and an empty optional variable have no value.
 */
export function toValues(rows: readonly VariableRow[]): Record<string, unknown> {
  const given = rows.filter(({ usedBy }) => usedBy.length > 0)
  return Object.fromEntries(
    given.flatMap(({ name, kind, text, isOptional }): [string, unknown][] => {
      if (isOptional && text === '') return []
      if (kind === 'text') return [[name, text]]
      if (text.trim() === '') return []
      return [[name, tryParse(text) ?? text]]
    }),
  )
}

function tryParse(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
