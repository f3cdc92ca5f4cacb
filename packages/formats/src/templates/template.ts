import { eachTag, MAX_DEPTH } from './parse-mustache.ts'

/** The languages of templates. `jinja2` is shown and never parsed. */
export const TEMPLATE_FORMATS = ['f-string', 'mustache', 'jinja2'] as const
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number]

/** A part of a template. The texts of all pieces, joined, are the template. */
export interface TemplatePiece {
  readonly kind: 'text' | 'variable' | 'section'
  readonly text: string
  /** Name of the variable or section; for a path such as `user.name`, its first part. */
  readonly name?: string
}

/** Cuts a template into text, variables and sections. A template that cannot be cut is one text. */
export function splitTemplate(template: string, format: TemplateFormat): TemplatePiece[] {
  const pieces = findPieces(template, format) ?? [{ kind: 'text', text: template }]
  return pieces.filter(({ text }) => text !== '')
}

/** Whether the variables of a template can be found: false for jinja2 with any tag, and for a malformed f-string. */
export function canSplit(template: string, format: TemplateFormat): boolean {
  return findPieces(template, format) !== undefined
}

function findPieces(template: string, format: TemplateFormat): TemplatePiece[] | undefined {
  if (format === 'mustache') return splitMustache(template)
  if (format === 'f-string') return splitFString(template)
  return /\{\{|\{%/.test(template) ? undefined : [{ kind: 'text', text: template }]
}

/**
 * Names of the variables that a caller must give, each once, in order. Names inside a mustache section may belong to the
 * items of the section; `listOptionalVariables` lists them.
 */
export function listVariables(template: string, format: TemplateFormat): string[] {
  const names = new Set<string>()
  let depth = 0
  for (const { kind, name, text } of splitTemplate(template, format)) {
    if (kind === 'text' || name === undefined) continue
    const isEnd = kind === 'section' && SECTION_END.test(text)
    if (isEnd) depth = Math.max(depth - 1, 0)
    else if (depth === 0) names.add(name)
    if (kind === 'section' && !isEnd) depth++
  }
  return [...names]
}

/**
 * Names inside the sections of a mustache template that a caller may give, each once, in order. A section over a truth value
 * has no items, so its names are variables like others; whether a section is over a list or an object is only known from
 * its value. Names that are required, and names that an item has, are left out. A template whose sections are too deep to be
 * rendered has none.
 *
 * @param values  of variables, as far as they are known
 */
export function listOptionalVariables(
  template: string,
  format: TemplateFormat,
  values: Readonly<Record<string, unknown>> = {},
): string[] {
  if (format !== 'mustache') return []
  const required = new Set(listVariables(template, format))
  const names = new Set<string>()
  const root = new SectionItems([values])
  const open: SectionItems[] = []
  for (const { kind, name, text } of splitTemplate(template, format)) {
    if (kind === 'text' || name === undefined) continue
    if (kind === 'section' && SECTION_END.test(text)) {
      open.pop()
      continue
    }
    const around = open.findLast((items) => items.has(name))
    if (open.length > 0 && !required.has(name) && around === undefined) names.add(name)
    if (kind !== 'section') continue
    if (open.length === MAX_DEPTH) return []
    // An inverted section is written where there are no items.
    open.push(INVERTED.test(text) ? NO_ITEMS : (around ?? root).findInner(name))
  }
  return [...names]
}

/**
 * The items of a section. A template may open a section, and name a variable in it, thousands of times, so the members of all
 * items are gathered once, and the items of each section inside of it are found once.
 */
class SectionItems {
  private readonly inner = new Map<string, SectionItems>()
  private names: ReadonlySet<string> | undefined

  constructor(private readonly items: readonly unknown[]) {}

  /** Whether an item has a member of that name. */
  has(name: string): boolean {
    this.names ??= new Set(this.items.flatMap((item) => (typeof item === 'object' && item ? Object.keys(item) : [])))
    return this.names.has(name)
  }

  /** The items of a section over that member of the items. */
  findInner(name: string): SectionItems {
    let found = this.inner.get(name)
    if (found === undefined) {
      const holders = this.items.slice(0, MAX_ITEMS)
      found = new SectionItems(holders.flatMap((holder) => (hasMember(holder, name) ? [holder[name]].flat() : [])))
      this.inner.set(name, found)
    }
    return found
  }
}

/** Items that are looked at: lists may be long, and their items are alike. */
const MAX_ITEMS = 100
const NO_ITEMS = new SectionItems([])

function hasMember(value: unknown, name: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}

const INVERTED = /^\{\{\s*\^/
const SECTION_END = /^\{\{\s*\//

/** `{name}`, `{name!r}`, `{name:>10}`; doubled braces are text. Undefined for a malformed template. */
function splitFString(template: string): TemplatePiece[] | undefined {
  const pieces: TemplatePiece[] = []
  let from = 0
  for (const { 0: text, index } of template.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
    if (text === '{{' || text === '}}') continue
    const name = /^[^!:.[\]]+/.exec(text.slice(1, -1))?.[0].trim()
    if (text.length < 3 || !name) return undefined
    pieces.push({ kind: 'text', text: template.slice(from, index) }, { kind: 'variable', text, name })
    from = index + text.length
  }
  return [...pieces, { kind: 'text', text: template.slice(from) }]
}

/** `{{name}}`, `{{{name}}}`, `{{&name}}`, sections `{{#name}}…{{/name}}` and `{{^name}}…{{/name}}`, comments. */
function splitMustache(template: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = []
  let from = 0
  for (const { text, sign, name: path, at: index } of eachTag(template)) {
    const name = sign === '=' ? `=${path}` : path.split('.')[0]
    if (sign === '!' || sign === '>' || !name) continue
    const kind = sign === '#' || sign === '^' || sign === '/' ? 'section' : 'variable'
    pieces.push({ kind: 'text', text: template.slice(from, index) }, { kind, text, name })
    from = index + text.length
  }
  return [...pieces, { kind: 'text', text: template.slice(from) }]
}
