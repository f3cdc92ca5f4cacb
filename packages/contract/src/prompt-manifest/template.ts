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
 * Names of the variables that a caller must give, each once, in order. Names inside a mustache section belong to the items
 * of the section.
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
  for (const { 0: text, 1: inTriple, 2: inDouble = '', index } of template.matchAll(
    /\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}/g,
  )) {
    const tag = (inTriple ?? inDouble).trim()
    const sign = inTriple === undefined ? tag.charAt(0) : ''
    const name = ('#^/&'.includes(sign) ? tag.slice(sign.length) : tag).trim().split('.')[0]
    if (sign === '!' || sign === '>' || !name) continue
    const kind = sign === '#' || sign === '^' || sign === '/' ? 'section' : 'variable'
    pieces.push({ kind: 'text', text: template.slice(from, index) }, { kind, text, name })
    from = index + text.length
  }
  return [...pieces, { kind: 'text', text: template.slice(from) }]
}
